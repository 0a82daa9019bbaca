package fake

import (
	"cmp"
	"slices"
)

// fatigued are the curve variants that start after some work.
var fatigued = map[string]string{"kj0": "after_kj0", "kj1": "after_kj1"}

// afterKJ is the work after which a fatigued curve starts for a sport; ok is
// false when the athlete has none set.
func (a *athlete) afterKJ(sport, variant string) (kj int, ok bool) {
	if variant == "" || variant == "normal" {
		return 0, true
	}
	n, ok := whole(a.sport(sport), fatigued[variant])
	return int(n), ok && n > 0
}

func (c *call) powerCurve() (any, error) {
	return c.onePowerCurve(c.query.Get("fatigue"))
}

// powerCurves serves curves of several streams and variants. A stream or a
// variant that the activity lacks gets a 422 without body (API.md 1.6).
func (c *call) powerCurves() (any, error) {
	types := commaList(c.query["types"])
	for _, kind := range types {
		if kind != "watts" {
			return nil, errNoStream
		}
	}
	variants := commaList(c.query["fatigue"])
	if len(variants) == 0 {
		variants = []string{"normal"}
	}
	list := []any{}
	for _, v := range variants {
		r, err := c.onePowerCurve(v)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

func (c *call) onePowerCurve(variant string) (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	if _, known := fatigued[variant]; !known && variant != "" && variant != "normal" {
		return nil, errNoStream
	}
	kj, ok := c.act.owner.afterKJ(text(c.act.Object, "type"), variant)
	if !ok {
		return nil, errNoStream
	}
	return c.activityCurve(curveKind{powerBasis, kj})
}

func (c *call) hrCurve() (any, error)   { return c.activityCurve(curveKind{basis: hrBasis}) }
func (c *call) paceCurve() (any, error) { return c.activityCurve(curveKind{basis: paceBasis}) }

// activityCurve serves the curve of one activity.
func (c *call) activityCurve(kind curveKind) (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	list := c.s.bestOf([]*activity{c.act}, kind)
	if len(list) == 0 {
		return nil, errNoStream
	}
	o := Object{
		"id": c.act.id, "start_date_local": c.act.start(), "moving_time": c.act.Object["moving_time"],
		"training_load": c.act.Object["icu_training_load"],
	}
	if w := c.act.weight(); w > 0 {
		o["weight"] = w
	}
	points(o, kind.basis, list, false)
	if kind.basis == powerBasis {
		o["watts"], o["stream_type"] = o["values"], "watts"
		if kind.afterKJ > 0 {
			o["after_kj"] = kind.afterKJ
		}
	}
	r := full(curveKeys(kind.basis), o)
	if c.ext == "csv" {
		return curveCSV([]row{r}, kind.basis), nil
	}
	return r, nil
}

// curveCSV has a line for each duration or distance and a column for each
// curve.
func curveCSV(list []row, b basis) *answer {
	key := "secs"
	if b == paceBasis {
		key = "distance"
	}
	values := map[float64][]any{}
	keys := []string{key}
	var order []float64
	for i, r := range list {
		keys = append(keys, text(r.Object, "id"))
		at, data := numbers(r.Object[key]), numbers(r.Object["values"])
		for n, k := range at {
			if values[k] == nil {
				values[k] = make([]any, len(list))
				order = append(order, k)
			}
			values[k][i] = data[n]
		}
	}
	slices.Sort(order)
	lines := make([]row, len(order))
	for n, k := range order {
		o := Object{key: k}
		for i, v := range values[k] {
			o[keys[i+1]] = v
		}
		lines[n] = row{Object: o}
	}
	return csvAnswer(keys, lines)
}

func (c *call) athletePowerCurves() (any, error) {
	if c.query.Get("type") == "" {
		return nil, missingParameter("type", "ActivityType")
	}
	return c.athleteCurves(powerBasis, "Ride")
}

func (c *call) athleteHRCurves() (any, error)   { return c.athleteCurves(hrBasis, "") }
func (c *call) athletePaceCurves() (any, error) { return c.athleteCurves(paceBasis, "Run") }

// athleteCurves serves the best of many activities: each named curve, once
// for each of the filters f1 to f3 if there are any.
func (c *call) athleteCurves(b basis, usual string) (any, error) {
	sport := cmp.Or(c.query.Get("type"), usual)
	if sport != "" && !sportTypes[sport] {
		return nil, badParameter("type", sport, "ActivityType")
	}
	spans, err := c.spans(b)
	if err != nil {
		return nil, err
	}
	filters, err := c.filters("filters")
	if err != nil {
		return nil, err
	}
	sets := [][]filter{}
	for _, name := range []string{"f1", "f2", "f3"} {
		if c.query.Get(name) == "" {
			continue
		}
		f, err := c.filters(name)
		if err != nil {
			return nil, err
		}
		sets = append(sets, append(slices.Clone(filters), f...))
	}
	if len(sets) == 0 {
		sets = append(sets, filters)
	}
	list, used := []row{}, map[*activity]bool{}
	for _, set := range sets {
		for _, sp := range spans {
			list = append(list, c.athleteCurve(b, sport, sp, set, used))
		}
	}
	if c.ext == "csv" {
		return curveCSV(list, b), nil
	}
	activities := Object{}
	for act := range used {
		activities[act.id] = c.s.serve(act)
	}
	return full([]string{"list", "activities"}, Object{"list": list, "activities": activities}), nil
}

// athleteCurve is one curve over a span.
func (c *call) athleteCurve(b basis, sport string, sp span, set []filter, used map[*activity]bool) row {
	o := Object{"id": sp.id, "label": sp.label, "days": int(sp.end - sp.start)}
	o["start_date_local"], o["end_date_local"] = sp.start.String(), sp.end.String()
	if len(set) > 0 {
		raw := make([]any, len(set))
		for i, f := range set {
			raw[i] = f.raw
		}
		o["filters"] = raw
	}
	kj, fits := c.ath.afterKJ(sport, sp.variant)
	var acts []*activity
	moving, load := 0.0, 0.0
	for _, act := range c.ath.between(sp.start.String()+startOfDay, (sp.end-1).String()+endOfTheDay) {
		if act.hidden() || sport != "" && !c.ath.sameSport(sport, text(act.Object, "type")) || !meets(act, set) {
			continue
		}
		c.s.completed(act)
		acts = append(acts, act)
		moving += numberOr0(act.Object, "moving_time")
		load += numberOr0(act.Object, "icu_training_load")
	}
	o["moving_time"], o["training_load"] = moving, load
	if w := numberOr0(c.ath.object, "icu_weight"); w > 0 {
		o["weight"] = w
	}
	kind := curveKind{basis: b}
	if b == powerBasis {
		kind.afterKJ = kj
	}
	var best []best
	if fits {
		best = c.s.bestOf(acts, kind)
	}
	for _, p := range best {
		used[p.act] = true
		if p.perKgAct != nil && b == powerBasis {
			used[p.perKgAct] = true
		}
	}
	if kj > 0 {
		o["after_kj"] = kj
	}
	points(o, b, best, true)
	return full(curveKeys(b), o)
}
