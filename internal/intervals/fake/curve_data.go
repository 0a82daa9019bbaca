package fake

import (
	"math"
	"slices"
)

// A basis is what a curve is of.
type basis int

const (
	powerBasis basis = iota
	hrBasis
	paceBasis
)

// efforts are an activity's curves, kept small: a two-year power curve needs
// those of hundreds of activities.
type efforts struct{ curves map[curveKind][]effort }

// curveKind is a basis and, for power, after how many kJ the efforts start.
type curveKind struct {
	basis   basis
	afterKJ int
}

// effort is a curvePoint in 16 bytes.
type effort struct {
	key        int32 // s or m
	value      float32
	start, end int32
}

// curveOf computes a curve from streams; nil without the stream.
func curveOf(sport string, kind curveKind, streams []Stream) []effort {
	times := column(streams, "time")
	longest := 0
	for _, t := range times {
		if t != nil {
			longest = int(*t)
		}
	}
	var points []curvePoint
	switch kind.basis {
	case powerBasis, hrBasis:
		name := "watts"
		if kind.basis == hrBasis {
			name = "heartrate"
		}
		data := column(streams, name)
		if len(data) == 0 {
			return nil
		}
		from := afterWork(times, data, kind.afterKJ)
		if from >= len(data) || from >= len(times) {
			return nil
		}
		points = bestMeans(times[from:], data[from:], curveSecs(longest+1))
		for i := range points {
			points[i].Start += from
			points[i].End += from
		}
	case paceBasis:
		distance := column(streams, "distance")
		if len(distance) == 0 {
			return nil
		}
		points = bestPaces(times, distance, paceDistances(sport))
	}
	out := make([]effort, len(points))
	for i, p := range points {
		out[i] = effort{int32(p.Key), float32(p.Value), int32(p.Start), int32(p.End)}
	}
	return out
}

// afterWork is the index of the sample at which so much work was done.
func afterWork(times, watts []*float64, kj int) int {
	if kj <= 0 {
		return 0
	}
	joules, before := 0.0, 0.0
	for i := range min(len(times), len(watts)) {
		if times[i] == nil {
			continue
		}
		step := math.Min(*times[i]-before, 5) // a pause is no work
		before = *times[i]
		if watts[i] != nil {
			joules += *watts[i] * step
		}
		if joules >= float64(kj)*1000 {
			return i
		}
	}
	return len(watts)
}

// cacheCurves computes the curves of activities that have none yet.
func (s *Server) cacheCurves(acts []*activity, kind curveKind) {
	var todo []*activity
	for _, act := range acts {
		if act.effort == nil {
			act.effort = &efforts{map[curveKind][]effort{}}
		}
		if _, done := act.effort.curves[kind]; !done {
			todo = append(todo, act)
		}
	}
	compute := func(act *activity, r keptRecord) {
		act.effort.curves[kind] = curveOf(text(act.Object, "type"), kind, r.streams)
	}
	if len(todo) == 1 {
		compute(todo[0], s.record(todo[0]))
		return
	}
	s.eachRecording(todo, compute)
}

// best is the best effort of several activities over one duration or
// distance, and the best per kg, which may be another's.
type best struct {
	effort
	act      *activity
	perKg    float64
	perKgAct *activity
}

// bestOf merges curves: the highest values, or the shortest times of a pace
// curve, in order of duration or distance.
func (s *Server) bestOf(acts []*activity, kind curveKind) []best {
	s.cacheCurves(acts, kind)
	found := map[int32]*best{}
	for _, act := range acts {
		weight := act.weight()
		for _, e := range act.effort.curves[kind] {
			b := found[e.key]
			if b == nil {
				b = &best{effort: e, act: act}
				found[e.key] = b
			}
			better := e.value > b.value
			if kind.basis == paceBasis {
				better = e.value < b.value
			}
			if better {
				b.effort, b.act = e, act
			}
			if perKg := float64(e.value) / weight; weight > 0 && perKg > b.perKg {
				b.perKg, b.perKgAct = perKg, act
			}
		}
	}
	out := make([]best, 0, len(found))
	for _, b := range found {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(x, y best) int { return int(x.key - y.key) })
	return out
}

func (a *activity) weight() float64 {
	if w, ok := number(a.Object, "icu_weight"); ok {
		return w
	}
	return numberOr0(a.owner.object, "icu_weight")
}

// Keys of a served curve, by basis.
func curveKeys(b basis) []string {
	keys := []string{"id"}
	if b == powerBasis {
		keys = append(keys, "after_kj")
	}
	keys = append(keys, "filters", "label", "filter_label", "percentile", "start_date_local", "end_date_local",
		"days", "moving_time", "training_load", "weight")
	if b == paceBasis {
		keys = append(keys, "distance")
	} else {
		keys = append(keys, "secs")
	}
	keys = append(keys, "values", "submax_values", "submax_activity_id", "start_index", "end_index", "activity_id")
	switch b {
	case powerBasis:
		keys = append(keys, "watts_per_kg", "wkg_activity_id", "submax_watts_per_kg", "submax_wkg_activity_id",
			"powerModels", "ranks", "mapPlot", "stream_type", "stream_name", "watts", "vo2max_5m", "compound_score_5m")
	case paceBasis:
		keys = append(keys, "type", "paceModels")
	}
	return keys
}

// points writes a curve's columns. Watts and bpm are whole, times whole
// seconds; activity ids only where a curve is of several activities.
func points(o Object, b basis, list []best, several bool) {
	n := len(list)
	keys, values := make([]float64, n), make([]float64, n)
	starts, ends := make([]int, n), make([]int, n)
	perKg, ids, perKgIDs := make([]float64, n), make([]string, n), make([]string, n)
	for i, p := range list {
		keys[i] = float64(p.key)
		if b == paceBasis {
			keys[i] = paceMetres(int(p.key))
		}
		values[i] = math.Round(float64(p.value))
		starts[i], ends[i] = int(p.start), int(p.end)
		ids[i] = p.act.id
		perKg[i] = round8(p.perKg)
		if p.perKgAct != nil {
			perKgIDs[i] = p.perKgAct.id
		}
	}
	o["values"], o["start_index"], o["end_index"] = values, starts, ends
	if several {
		o["activity_id"] = ids
	}
	if b == paceBasis {
		o["distance"], o["type"] = keys, "PACE"
		if model := criticalSpeed(keys, list); model != nil {
			o["paceModels"] = []any{model}
		}
		return
	}
	o["secs"] = keys
	if b != powerBasis {
		return
	}
	o["watts_per_kg"] = perKg
	if several {
		o["wkg_activity_id"] = perKgIDs
	}
	if models := powerModels(list); models != nil {
		o["powerModels"] = models
	}
	for i, p := range list {
		if p.key == 300 && perKg[i] > 0 { // 10.8 W/kg + 7, and W times W/kg: what the samples hold
			o["vo2max_5m"] = math.Round(10*(10.8*perKg[i]+7)) / 10
			o["compound_score_5m"] = math.Round(10*values[i]*perKg[i]) / 10
		}
	}
}

// powerModels fits the two-parameter model (work = CP t + W') to the efforts
// of 3 to 30 minutes, and gives it with the other models' shape, of which the
// fake knows no more.
func powerModels(list []best) []any {
	var secs, work []float64
	var used []int
	peak := 0.0
	for i, p := range list {
		peak = max(peak, float64(p.value))
		if p.key >= 180 && p.key <= 1800 {
			secs, work = append(secs, float64(p.key)), append(work, float64(p.value)*float64(p.key))
			used = append(used, i)
		}
	}
	slope, offset, _ := line(secs, work)
	if len(secs) < 3 || slope <= 0 || offset < 0 {
		return nil
	}
	cp, wPrime := math.Round(slope), math.Round(offset)
	ends := []int{used[0], used[len(used)-1]}
	model := func(kind string, pMax, points any) any {
		return full([]string{"type", "criticalPower", "wPrime", "pMax", "inputPointIndexes", "ftp"}, Object{
			"type": kind, "criticalPower": cp, "wPrime": wPrime, "pMax": pMax, "inputPointIndexes": points, "ftp": cp,
		})
	}
	return []any{
		model("MS_2P", nil, used), model("MORTON_3P", math.Round(peak), nil),
		model("FFT_CURVES", math.Round(peak), ends), model("ECP", math.Round(peak), nil),
	}
}

// criticalSpeed fits distance = CS t + D' to the efforts of 2 to 30 minutes.
func criticalSpeed(metres []float64, list []best) any {
	var secs, far []float64
	var used []int
	for i, p := range list {
		if p.value >= 120 && p.value <= 1800 {
			secs, far = append(secs, float64(p.value)), append(far, metres[i])
			used = append(used, i)
		}
	}
	slope, offset, r2 := line(secs, far)
	if len(secs) < 2 || slope <= 0 {
		return nil
	}
	return full([]string{"type", "criticalSpeed", "dPrime", "r2", "inputPointIndexes"}, Object{
		"type": "CS", "criticalSpeed": round8(slope), "dPrime": round8(offset), "r2": round8(r2), "inputPointIndexes": used,
	})
}

// line is the least-squares line through points, with its r².
func line(x, y []float64) (slope, offset, r2 float64) {
	n := float64(len(x))
	var sx, sy, sxx, sxy, syy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, sxy, syy = sxx+x[i]*x[i], sxy+x[i]*y[i], syy+y[i]*y[i]
	}
	spread := n*sxx - sx*sx
	if spread == 0 {
		return 0, 0, 0
	}
	slope = (n*sxy - sx*sy) / spread
	offset = (sy - slope*sx) / n
	if total := n*syy - sy*sy; total > 0 {
		r2 = slope * (n*sxy - sx*sy) / total
	}
	return slope, offset, r2
}
