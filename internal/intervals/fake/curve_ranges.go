package fake

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// activityPowerCurves and its kin serve the bests of each activity of a range
// at chosen durations or distances.
func (c *call) activityPowerCurves() (any, error) {
	kj, ok := c.ath.afterKJ(cmp.Or(c.query.Get("type"), "Ride"), c.query.Get("fatigue"))
	if !ok {
		return nil, errNoStream
	}
	secs, list, err := c.eachCurve(curveKind{powerBasis, kj}, "secs", "watts")
	if err != nil {
		return nil, err
	}
	return full([]string{"after_kj", "secs", "curves"}, Object{"after_kj": kj, "secs": secs, "curves": list}), nil
}

func (c *call) activityHRCurves() (any, error) {
	secs, list, err := c.eachCurve(curveKind{basis: hrBasis}, "secs", "bpm")
	if err != nil {
		return nil, err
	}
	return full([]string{"secs", "curves"}, Object{"secs": secs, "curves": list}), nil
}

// activityPaceCurves refuses the id 0 (API.md 1.3).
func (c *call) activityPaceCurves() (any, error) {
	if c.args["athlete"] == "0" {
		return nil, errAccessDenied
	}
	metres, list, err := c.eachCurve(curveKind{basis: paceBasis}, "distances", "secs")
	if err != nil {
		return nil, err
	}
	return full([]string{"distances", "gap", "curves"}, Object{
		"distances": metres, "gap": c.flag("gap"), "curves": list,
	}), nil
}

func (c *call) eachCurve(kind curveKind, axis, values string) ([]float64, []row, error) {
	oldest, newest, err := c.timeRange(false)
	if err != nil {
		return nil, nil, err
	}
	sport := c.query.Get("type")
	if sport != "" && !sportTypes[sport] {
		return nil, nil, badParameter("type", sport, "ActivityType")
	}
	set, err := c.filters("filters")
	if err != nil {
		return nil, nil, err
	}
	var asked []float64
	for _, s := range commaList(c.query[axis]) {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f <= 0 {
			return nil, nil, badParameter(axis, s, "float")
		}
		asked = append(asked, f)
	}
	var acts []*activity
	for _, act := range c.ath.between(oldest, newest) {
		if !act.hidden() && (sport == "" || c.ath.sameSport(sport, text(act.Object, "type"))) && meets(act, set) {
			acts = append(acts, act)
		}
	}
	c.s.cacheCurves(acts, kind)
	if asked == nil {
		asked = axisOf(acts, kind)
	}
	list := []row{}
	for _, act := range acts {
		data := make([]any, len(asked))
		any := false
		for _, e := range act.effort.curves[kind] {
			for i, k := range asked {
				if int32(k) == e.key {
					data[i], any = math.Round(float64(e.value)), true
				}
			}
		}
		if any {
			list = append(list, full([]string{"id", "start_date_local", "weight", values}, Object{
				"id": act.id, "start_date_local": act.start(), "weight": act.weight(), values: data,
			}))
		}
	}
	return asked, list, nil
}

// axisOf are all durations or distances that any of the curves has.
func axisOf(acts []*activity, kind curveKind) []float64 {
	seen := map[int32]bool{}
	out := []float64{}
	for _, act := range acts {
		for _, e := range act.effort.curves[kind] {
			if !seen[e.key] {
				seen[e.key] = true
				k := float64(e.key)
				if kind.basis == paceBasis {
					k = paceMetres(int(e.key))
				}
				out = append(out, k)
			}
		}
	}
	slices.Sort(out)
	return out
}
