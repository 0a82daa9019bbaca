package fake

import (
	"math"
)

// resolved is an event's workout_doc with its targets in W, bpm and m/s, as
// resolve=true gives them (API.md 3.4).
func (a *athlete) resolved(o Object) any {
	doc := docOf(o)
	if doc == nil {
		return nil
	}
	t := a.thresholds(text(o, "type"), yes(o, "indoor"))
	doc = keepNulls(doc)
	for key, v := range map[string]float64{"ftp": t.FTP, "lthr": t.LTHR, "threshold_pace": t.ThresholdPace} {
		if v > 0 {
			doc[key] = v
		}
	}
	resolveSteps(objects(doc["steps"]), t)
	return doc
}

func resolveSteps(steps []Object, t thresholds) {
	for _, step := range steps {
		resolveSteps(objects(step["steps"]), t)
		for _, basis := range []string{"power", "hr", "pace"} {
			target, ok := step[basis].(Object)
			if !ok {
				continue
			}
			if from, to, ok := resolveTarget(target, basis, t); ok {
				step["_"+basis] = Object{"value": (from + to) / 2, "start": from, "end": to}
			}
		}
	}
}

// resolveTarget gives a target's two ends in W, bpm or m/s.
func resolveTarget(target Object, basis string, t thresholds) (from, to float64, ok bool) {
	start, hasStart := number(target, "start")
	end, hasEnd := number(target, "end")
	if !hasStart || !hasEnd {
		if start, ok = number(target, "value"); !ok {
			return 0, 0, false
		}
		end = start
	}
	base, zones := 0.0, []float64(nil)
	switch text(target, "units") {
	case "w", "bpm":
		return start, end, true
	case "%ftp":
		base = t.FTP
	case "%lthr":
		base = t.LTHR
	case "%hr":
		base = t.MaxHR
	case "%pace":
		base = t.ThresholdPace
	case "power_zone":
		base, zones = t.FTP, t.PowerZones
	case "pace_zone":
		base, zones = t.ThresholdPace, t.PaceZones
	case "hr_zone":
		base, zones = 100, t.HRZones // bounds are bpm already
	}
	if base <= 0 {
		return 0, 0, false
	}
	if zones == nil {
		from, to = base*start/100, base*end/100
	} else {
		low, high := int(math.Min(start, end)), int(math.Max(start, end))
		if low < 1 || high > len(zones) {
			return 0, 0, false
		}
		if low > 1 {
			from = base * zones[low-2] / 100
		}
		to = base * zones[high-1] / 100
	}
	if basis != "pace" {
		from, to = math.Floor(from), math.Floor(to)
	}
	return from, to, true
}
