package fake

import "math"

// ends are the two ends of a target as written, equal for a single value.
// Posted documents may hold anything: it is brought within reason.
func ends(target Object) (from, to float64, ok bool) {
	if v, ok := number(target, "value"); ok {
		v = within(v, 1e6)
		return v, v, true
	}
	from, ok1 := number(target, "start")
	to, ok2 := number(target, "end")
	return within(from, 1e6), within(to, 1e6), ok1 && ok2
}

// within brings v between 0 and top.
func within(v, top float64) float64 { return min(max(0, v), top) }

// watts are the two ends of a power target. A zone is its bounds in whole
// watts (API.md 3.5). What cannot be resolved is 0 W, as on the platform.
func (t thresholds) watts(target Object) (from, to float64) {
	from, to, ok := ends(target)
	if !ok {
		return 0, 0
	}
	switch target["units"] {
	case "w":
		return from, to
	case "%ftp":
		return from / 100 * t.FTP, to / 100 * t.FTP
	case "power_zone":
		if low, high, ok := zoneBounds(from, to, powerZoneTops(t)); ok {
			return low, high
		}
	}
	return 0, 0
}

// bpm is the middle of a heart-rate target.
func (t thresholds) bpm(target Object) (float64, bool) {
	from, to, ok := ends(target)
	switch {
	case !ok:
		return 0, false
	case target["units"] == "%lthr":
		return (from + to) / 200 * t.LTHR, t.LTHR > 0
	case target["units"] == "%hr":
		return (from + to) / 200 * t.maxHR(), t.maxHR() > 0
	case target["units"] == "bpm":
		return (from + to) / 2, true
	case target["units"] == "hr_zone":
		low, high, ok := zoneBounds(from, to, t.HRZones)
		return (low + high) / 2, ok
	}
	return 0, false
}

// zoneBounds are the bounds of zones first..last: from one above the zone
// below, Z1 from 0.8 of its top (API.md 3.5).
func zoneBounds(first, last float64, tops []float64) (low, high float64, ok bool) {
	if first > last {
		first, last = last, first
	}
	a, b := int(first), int(last)
	if a < 1 || b > len(tops) {
		return 0, 0, false
	}
	if a == 1 {
		return 0.8 * tops[0], tops[b-1], true
	}
	return tops[a-2] + 1, tops[b-1], true
}

// speeds are the slow and the fast end of a pace target in m/s. An open zone
// (999 %) ends a tenth above its floor.
func (t thresholds) speeds(target Object) (slow, fast float64, ok bool) {
	from, to, ok := ends(target)
	if !ok {
		return 0, 0, false
	}
	units, _ := target["units"].(string)
	if metres, ok := paceUnitMetres(units); ok && from > 0 && to > 0 {
		return math.Min(metres/from, metres/to), math.Max(metres/from, metres/to), true
	}
	if t.ThresholdPace <= 0 {
		return 0, 0, false
	}
	switch units {
	case "%pace":
	case "pace_zone":
		low, high, ok := zoneBounds(from, to, t.PaceZones)
		if !ok {
			return 0, 0, false
		}
		if from, to = low, high; from > 1 && int(to) == 999 {
			to = 1.1 * from
		}
	default:
		return 0, 0, false
	}
	slow, fast = min(from, to)/100*t.ThresholdPace, max(from, to)/100*t.ThresholdPace
	return slow, fast, slow > 0
}

// paceUnitMetres is the distance of a pace unit such as secs/km.
func paceUnitMetres(units string) (float64, bool) {
	switch units {
	case "secs/km", "MINS_KM":
		return 1000, true
	case "secs/mi", "MINS_MILE":
		return 1609.344, true
	case "secs/100m", "SECS_100M":
		return 100, true
	case "secs/100y", "SECS_100Y":
		return 91.44, true
	case "secs/500m", "SECS_500M":
		return 500, true
	case "secs/400m", "SECS_400M":
		return 400, true
	case "secs/250m", "SECS_250M":
		return 250, true
	}
	return 0, false
}
