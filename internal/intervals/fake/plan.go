package fake

import (
	"math"
	"strconv"
)

// planned is what the platform computes from a workout_doc (API.md 3.5).
// Nil pointers are what it leaves null.
type planned struct {
	MovingTime                        *float64 // s
	Distance                          *float64 // m
	Load, Intensity, Joules, AboveFTP *float64
	StrainScore                       *float64 // never known: its model is not
	// Doc goes into workout_doc: average_watts, normalized_power,
	// variability_index, polarization_index, zoneTimes; also steps, duration
	// when the thresholds change what distance steps take. Lists are []any,
	// numbers float64, as if decoded from JSON.
	Doc Object
}

// planWorkout computes what a workout_doc comes to for an athlete. Power
// follows API.md 3.5. Heart rate and pace are ours [U]: the load
// of the middle of each step's target, as hrss and paceLoad have it. Steps
// without a target count 0. WeightTraining has no load.
func planWorkout(doc Object, sport string, t thresholds) planned {
	out := planned{Doc: Object{}}
	steps, _ := doc["steps"].([]any)
	steps, changed := estimateSteps(steps, sport, t)
	secs, metres := stepTotals(steps, 1)
	if secs <= 0 {
		return out
	}
	if changed {
		out.Doc["steps"], out.Doc["duration"], out.Doc["distance"] = steps, secs, metres
	}
	out.MovingTime = &secs
	if secs > maxPlanSecs {
		return out
	}
	c := planner{t: t, sport: sport}
	c.run(steps)
	if c.metres > 0 {
		out.Distance = new(math.Round(c.metres))
	}
	if c.powered {
		c.powerInto(&out)
	}
	if load := math.Round(c.load(secs)); c.rated && sport != "WeightTraining" {
		out.Load = &load
		out.Intensity = new(float32Like(100 * math.Sqrt(load*36/secs)))
	}
	return out
}

// maxPlanSecs is the longest workout that is computed second by second.
const maxPlanSecs = 1_000_000

// estimateSteps gives distance steps the duration that the athlete would
// take; the steps are copied when one changes.
func estimateSteps(steps []any, sport string, t thresholds) (list []any, changed bool) {
	list = make([]any, 0, len(steps))
	for _, s := range steps {
		step, ok := s.(Object)
		if !ok {
			continue
		}
		metres := numberOr0(step, "distance")
		children, isBlock := step["steps"].([]any)
		switch {
		case isBlock:
			if inner, different := estimateSteps(children, sport, t); different {
				step, changed = keepNulls(step), true
				step["steps"] = inner
				step["duration"], step["distance"] = stepTotals(inner, numberOr0(step, "reps"))
			}
		case metres > 0:
			if secs := estimateSecs(metres, step, sport, t); secs != numberOr0(step, "duration") && (t.ThresholdPace > 0 || step["duration"] == nil) {
				step, changed = keepNulls(step), true
				step["duration"] = secs
			}
		}
		list = append(list, step)
	}
	return list, changed
}

// estimateSecs is how long a distance step takes: by its pace target, else at
// threshold speed, else at a usual speed. 30 km/h is what the platform takes
// for a ride (400 m in 48 s, samples/workout_parser_vectors.json); the other
// usual speeds are ours [U].
func estimateSecs(metres float64, step Object, sport string, t thresholds) float64 {
	speed := t.ThresholdPace
	if target, ok := step["pace"].(Object); ok {
		if low, high, ok := t.speeds(target); ok {
			speed = (low + high) / 2
		}
	}
	if speed <= 0 {
		switch sportFamily(sport) {
		case "run":
			speed = 10 / 3.6
		case "walk":
			speed = 5 / 3.6
		case "swim":
			speed = 1000 / 1200.0
		case "row":
			speed = 1000 / 300.0
		default:
			speed = 30 / 3.6
		}
	}
	return math.Max(1, math.Round(metres/speed))
}

// planner walks through the steps second by second.
type planner struct {
	t     thresholds
	sport string

	np             normalizer
	watts          float64 // sum over seconds: J
	above, secs    float64
	zoneSecs       []float64
	others         float64 // load of heart rate and pace steps
	metres         float64
	powered, rated bool
}

func (c *planner) run(steps []any) {
	for _, s := range steps {
		step, _ := s.(Object)
		if children, ok := step["steps"].([]any); ok {
			if secs, _ := stepTotals(children, 1); secs <= 0 {
				continue
			}
			for range int(numberOr0(step, "reps")) {
				c.run(children)
			}
			continue
		}
		c.step(step)
	}
}

func (c *planner) step(step Object) {
	secs := int(math.Round(numberOr0(step, "duration")))
	metres := numberOr0(step, "distance")
	if pace, ok := step["pace"].(Object); ok {
		if low, high, ok := c.t.speeds(pace); ok {
			speed := (low + high) / 2
			if metres == 0 {
				metres = speed * float64(secs)
			}
			if c.t.ThresholdPace > 0 && step["power"] == nil {
				c.others += paceLoad(c.sport, speed, c.t.ThresholdPace, float64(secs))
				c.rated = true
			}
		}
	}
	c.metres += metres
	if hr, ok := step["hr"].(Object); ok && step["power"] == nil && step["pace"] == nil {
		if bpm, ok := c.t.bpm(hr); ok && c.t.LTHR > 0 && c.t.canTrimp() {
			c.others += c.t.hrss(c.t.trimpPerMinute(bpm) * float64(secs) / 60)
			c.rated = true
		}
	}
	from, to := 0.0, 0.0
	power, hasPower := step["power"].(Object)
	if hasPower {
		c.powered = true
		from, to = c.t.watts(power)
	}
	if c.t.FTP > 0 && hasPower {
		c.rated = true
	}
	ramp := yes(step, "ramp")
	tops := powerZoneTops(c.t)
	if c.zoneSecs == nil {
		c.zoneSecs = make([]float64, len(tops))
	}
	middle := (from + to) / 2
	if hasPower && power["units"] == "power_zone" {
		middle = math.Floor(middle + 0.5)
	}
	for i := range secs {
		watts := middle
		if ramp {
			watts = from + (to-from)*float64(i)/float64(secs)
		}
		c.np.add(watts)
		c.watts += watts
		c.above += max(0, watts-c.t.FTP)
		if hasPower && len(tops) > 0 && c.t.FTP > 0 {
			c.zoneSecs[zoneOf(math.Round(watts), tops)]++
		}
	}
	c.secs += float64(secs)
}

// load is the load of the power steps and of the others. NP goes in rounded:
// with it three settings (280, 290, 286 W) give the loads of all 39 real
// workouts of cases/workouts.json, unrounded none of the three does, whatever
// API.md 3.5 says.
func (c *planner) load(secs float64) float64 {
	if c.powered && c.t.FTP > 0 {
		return powerLoad(math.Round(c.np.value()), c.t.FTP, secs) + c.others
	}
	return c.others
}

// powerInto writes the power figures, rounded half up (API.md 3.5).
func (c *planner) powerInto(out *planned) {
	average, np := c.watts/c.secs, c.np.value()
	out.Doc["average_watts"] = math.Floor(average + 0.5)
	out.Doc["normalized_power"] = math.Floor(np + 0.5)
	if average > 0 {
		out.Doc["variability_index"] = float32Like(np / average)
	}
	out.Joules = new(math.Round(c.watts))
	if c.t.FTP <= 0 {
		return
	}
	out.AboveFTP = new(math.Round(c.above))
	if len(c.zoneSecs) == 0 {
		return
	}
	zones := make([]any, len(c.zoneSecs))
	times := make([]Object, len(c.zoneSecs))
	for i, secs := range c.zoneSecs {
		id := "Z" + strconv.Itoa(i+1)
		times[i] = Object{"id": id, "zone": float64(i + 1), "name": zoneName(i, len(zones)), "secs": secs}
		zones[i] = times[i]
	}
	out.Doc["zoneTimes"] = zones
	if index, ok := polarization(times); ok {
		out.Doc["polarization_index"] = round2(index)
	}
}

// zoneName is the platform's default name of a power zone.
func zoneName(i, zones int) string {
	names := [...]string{"Active Recovery", "Endurance", "Tempo", "Threshold", "VO2 Max", "Anaerobic", "Neuromuscular"}
	if zones == len(names) {
		return names[i]
	}
	return "Zone " + strconv.Itoa(i+1)
}

// ends are the two ends of a target as written, equal for a single value.
func ends(target Object) (from, to float64, ok bool) {
	if v, ok := number(target, "value"); ok {
		return v, v, true
	}
	from, ok1 := number(target, "start")
	to, ok2 := number(target, "end")
	return from, to, ok1 && ok2
}

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
