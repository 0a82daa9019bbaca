package fake

import (
	"math"
	"slices"
	"strconv"
)

// durations gives the seconds that each sample stands for, a pause none.
func durations(times []*float64, n int) []float64 { return sampleSecs(times, n) }

func (c *call) powerHistogram() (any, error) { return c.histogram("watts", 25, 1) }
func (c *call) hrHistogram() (any, error)    { return c.histogram("heartrate", 5, 1) }

// paceHistogram has buckets of 0.2 m/s.
func (c *call) paceHistogram() (any, error) { return c.histogram("velocity_smooth", 0, 0.2) }

// histogram counts seconds in buckets {min, max, secs}, the upper end of a
// whole-numbered bucket being the last number in it.
func (c *call) histogram(stream string, usual int, width float64) (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	upper := 0.0
	if usual > 0 {
		size, err := c.number("bucketSize", usual)
		if err != nil {
			return nil, err
		}
		if size < 1 {
			return nil, badParameter("bucketSize", strconv.Itoa(size), "int")
		}
		width, upper = float64(size), 1
	}
	streams := c.s.record(c.act).streams
	data := column(streams, stream)
	secs := durations(column(streams, "time"), len(data))
	counts := map[int]float64{}
	for i, v := range data {
		if v != nil && i < len(secs) {
			counts[int(math.Floor(*v/width+1e-9))] += secs[i]
		}
	}
	out := []row{}
	if len(counts) == 0 {
		return out, nil
	}
	first, last := math.MaxInt, math.MinInt
	for b := range counts {
		first, last = min(first, b), max(last, b)
	}
	for b := first; b <= last; b++ {
		out = append(out, full([]string{"min", "max", "secs"}, Object{
			"min": round8(float64(b) * width), "max": round8(float64(b+1)*width - upper), "secs": math.Round(counts[b]),
		}))
	}
	return out, nil
}

// timeAtHR counts seconds at each heart rate.
func (c *call) timeAtHR() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	streams := c.s.record(c.act).streams
	data := column(streams, "heartrate")
	secs := durations(column(streams, "time"), len(data))
	low, high := math.MaxInt, 0
	at := map[int]float64{}
	for i, v := range data {
		if v == nil || *v <= 0 {
			continue
		}
		bpm := int(math.Round(*v))
		at[bpm] += secs[i]
		low, high = min(low, bpm), max(high, bpm)
	}
	if high == 0 {
		return nil, errNoStream
	}
	var each, sum []float64
	total := 0.0
	for bpm := low; bpm <= high; bpm++ {
		total += at[bpm]
		each, sum = append(each, math.Round(at[bpm])), append(sum, math.Round(total))
	}
	return Object{"min_bpm": low, "max_bpm": high, "secs": each, "cumulative_secs": sum}, nil
}

// bestEfforts finds the best stretches of one duration or distance that do
// not overlap.
func (c *call) bestEfforts() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	stream := c.query.Get("stream")
	if stream == "" {
		return nil, missingParameter("stream", "String")
	}
	length, err := c.effortLength()
	if err != nil {
		return nil, err
	}
	count, err := c.number("count", 8)
	if err != nil {
		return nil, err
	}
	streams := c.s.record(c.act).streams
	data, times := column(streams, stream), column(streams, "time")
	if len(data) == 0 || len(times) == 0 {
		return nil, errNoStream
	}
	from, err := c.number("startIndex", 0)
	if err != nil {
		return nil, err
	}
	to, err := c.number("endIndex", len(data))
	if err != nil {
		return nil, err
	}
	along := times
	if c.query.Get("duration") == "" {
		if along = column(streams, "distance"); len(along) == 0 {
			return nil, errNoStream
		}
	}
	taken := make([]bool, len(data))
	if c.flag("excludeIntervals") {
		list, _ := c.s.intervalsOf(c.act)
		for _, o := range list {
			if text(o, "type") == "WORK" {
				for i := int(numberOr0(o, "start_index")); i < min(int(numberOr0(o, "end_index")), len(taken)); i++ {
					taken[i] = true
				}
			}
		}
	}
	atLeast, _ := strconv.ParseFloat(c.query.Get("minValue"), 64)
	found := stretches(along, data, sampleSecs(times, len(data)), length, max(from, 0), min(to, len(data), len(along)))
	out := []row{}
	for _, w := range found {
		if len(out) >= count || w.mean < atLeast {
			break
		}
		if slices.Contains(taken[w.start:w.end], true) {
			continue
		}
		for i := w.start; i < w.end; i++ {
			taken[i] = true
		}
		o := Object{"start_index": w.start, "end_index": w.end, "average": round8(w.mean)}
		if a, b := times[w.start], times[w.end-1]; a != nil && b != nil {
			o["duration"] = math.Round(*b - *a + 1)
		}
		if &along[0] != &times[0] {
			o["distance"] = length
		}
		out = append(out, full([]string{"start_index", "end_index", "average", "duration", "distance"}, o))
	}
	return Object{"efforts": out}, nil
}

// effortLength reads the duration (s) or distance (m), one of which is
// required.
func (c *call) effortLength() (float64, error) {
	s := c.query.Get("duration")
	if s == "" {
		s = c.query.Get("distance")
	}
	if s == "" {
		return 0, invalid("One of duration or distance is required")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f <= 0 {
		return 0, badParameter("duration", s, "int")
	}
	return f, nil
}

// window is a window of samples and the mean over it.
type window struct {
	start, end int
	mean       float64
}

// stretches are all windows of a length along a rising stream (time or
// distance), the highest mean first.
func stretches(along, data []*float64, secs []float64, length float64, from, to int) []window {
	var out []window
	sum, weight := 0.0, 0.0
	end := from
	for start := from; start < to; start++ {
		if along[start] == nil {
			continue
		}
		for end < to && (along[end] == nil || *along[end]-*along[start] < length) {
			if data[end] != nil {
				sum += *data[end] * secs[end]
				weight += secs[end]
			}
			end++
		}
		if end >= to && (along[to-1] == nil || *along[to-1]-*along[start] < length-1) {
			break
		}
		if weight > 0 {
			out = append(out, window{start, end, sum / weight})
		}
		if data[start] != nil {
			sum -= *data[start] * secs[start]
			weight -= secs[start]
		}
	}
	slices.SortStableFunc(out, func(x, y window) int {
		switch {
		case x.mean > y.mean:
			return -1
		case x.mean < y.mean:
			return 1
		}
		return 0
	})
	return out
}

// powerVsHR sets output against heart rate minute by minute, without warm-up
// and cool-down, and halves it for the decoupling.
func (c *call) powerVsHR() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	streams := c.s.record(c.act).streams
	watts, hr := column(streams, "watts"), column(streams, "heartrate")
	if len(watts) == 0 || len(hr) == 0 {
		return nil, errNoStream
	}
	settings := c.act.owner.sport(text(c.act.Object, "type"))
	warmup, cooldown := numberOr0(settings, "warmup_time"), numberOr0(settings, "cooldown_time")
	series := minutes(streams, watts, hr)
	elapsed := float64(len(series)) * bucketSecs
	if warmup+cooldown >= elapsed {
		warmup, cooldown = 0, 0
	}
	start := int(warmup / bucketSecs)
	end := len(series) - int(cooldown/bucketSecs)
	mid := (start + end) / 2
	first, second := ratio(series[start:mid]), ratio(series[mid:end])
	o := Object{
		"bucketSize": bucketSecs, "warmup": warmup, "cooldown": cooldown, "elapsedTime": elapsed, "hrLag": 0,
		"powerHr": ratio(series[start:end]), "powerHrFirst": first, "powerHrSecond": second,
		"start": start, "mid": mid, "end": end, "series": series, "curves": []any{},
	}
	if first > 0 {
		o["decoupling"] = round8(100 * (first - second) / first)
	}
	return full([]string{"bucketSize", "warmup", "cooldown", "elapsedTime", "hrLag", "powerHr", "powerHrFirst",
		"powerHrSecond", "decoupling", "powerHrZ2", "medianCadenceZ2", "avgCadenceZ2", "hrZ2BucketCount", "start",
		"mid", "end", "series", "curves", "ratioCoefficients"}, o), nil
}

const bucketSecs = 60

// minutes are means of power, heart rate and cadence in buckets of a minute.
func minutes(streams []Stream, watts, hr []*float64) []Object {
	times, cadence := column(streams, "time"), column(streams, "cadence")
	secs := sampleSecs(times, len(times))
	out := []Object{}
	sums := [3]float64{}
	weights := [3]float64{}
	flush := func() {
		o := Object{"start": len(out) * bucketSecs, "secs": bucketSecs, "movingSecs": math.Round(weights[0])}
		for i, key := range []string{"watts", "hr", "cadence"} {
			if o[key] = nil; weights[i] > 0 {
				o[key] = math.Round(sums[i] / weights[i])
			}
		}
		out = append(out, o)
		sums, weights = [3]float64{}, [3]float64{}
	}
	for i, t := range times {
		if t == nil {
			continue
		}
		for int(*t)/bucketSecs > len(out) {
			flush()
		}
		for n, data := range [][]*float64{watts, hr, cadence} {
			if i < len(data) && data[i] != nil && *data[i] > 0 {
				sums[n] += *data[i] * secs[i]
				weights[n] += secs[i]
			}
		}
	}
	flush()
	return out
}

// ratio is mean power over mean heart rate.
func ratio(series []Object) float64 {
	watts, hr := 0.0, 0.0
	for _, o := range series {
		if o["watts"] != nil && o["hr"] != nil {
			watts += numberOr0(o, "watts")
			hr += numberOr0(o, "hr")
		}
	}
	if hr == 0 {
		return 0
	}
	return round8(watts / hr)
}
