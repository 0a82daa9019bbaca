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
// follows API.md 3.5. Heart rate and pace are ours [U]: the load of the middle
// of each step's target, as hrss and paceLoad have it. Steps without a target
// count 0. WeightTraining has no load.
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
	c := newPlanner(sport, t)
	c.run(steps)
	if c.metres > 0 && !c.unmeasured { // part of a distance would be a wrong one [U]
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
			secs := estimateSecs(metres, step, sport, t)
			known := t.ThresholdPace <= 0 && step["duration"] != nil
			if !known && secs != numberOr0(step, "duration") {
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
	joules, above  float64
	secs           float64
	tops, zoneSecs []float64 // of the power zones
	others         float64   // load of heart-rate and pace steps
	metres         float64
	powered, rated bool // a step has watts; one has a load
	unmeasured     bool // a step with a target, so no rest, has no distance
}

func newPlanner(sport string, t thresholds) *planner {
	c := &planner{t: t, sport: sport}
	if t.FTP > 0 {
		c.tops = powerZoneTops(t)
		c.zoneSecs = make([]float64, len(c.tops))
	}
	return c
}

func (c *planner) run(steps []any) {
	for _, s := range steps {
		step, _ := s.(Object)
		children, isBlock := step["steps"].([]any)
		if !isBlock {
			c.step(step)
			continue
		}
		if secs, _ := stepTotals(children, 1); secs > 0 {
			for range int(numberOr0(step, "reps")) {
				c.run(children)
			}
		}
	}
}

// step adds one step. Power goes before pace, pace before heart rate.
func (c *planner) step(step Object) {
	secs := math.Round(max(0, numberOr0(step, "duration")))
	metres := max(0, numberOr0(step, "distance"))
	power, hasPower := step["power"].(Object)
	hr, hasHR := step["hr"].(Object)
	if pace, ok := step["pace"].(Object); ok {
		if low, high, ok := c.t.speeds(pace); ok {
			speed := (low + high) / 2
			if metres == 0 {
				metres = speed * secs
			}
			if c.t.ThresholdPace > 0 && !hasPower {
				c.others += paceLoad(c.sport, speed, c.t.ThresholdPace, secs)
				c.rated, hasHR = true, false
			}
		}
	}
	if bpm, ok := c.t.bpm(hr); hasHR && ok && !hasPower && c.t.LTHR > 0 && c.t.canTrimp() {
		c.others += c.t.hrss(c.t.trimpPerMinute(bpm) * secs / 60)
		c.rated = true
	}
	c.metres += metres
	c.unmeasured = c.unmeasured || metres == 0 && secs > 0 && (hasPower || hasHR)
	c.secs += secs
	if !hasPower {
		for range int(secs) {
			c.np.add(0)
		}
		return
	}
	c.powered = true
	c.rated = c.rated || c.t.FTP > 0
	c.effort(power, int(secs), yes(step, "ramp"))
}

// effort adds the watts of one step: a band is its middle, a zone the middle
// of its whole watts half up, a ramp goes from the one end to the other.
func (c *planner) effort(power Object, secs int, ramp bool) {
	from, to := c.t.watts(power)
	watts := (from + to) / 2
	if power["units"] == "power_zone" {
		watts = math.Floor(watts + 0.5)
	}
	for i := range secs {
		if ramp {
			watts = from + (to-from)*float64(i)/float64(secs)
		}
		c.np.add(watts)
		c.joules += watts
		c.above += max(0, watts-c.t.FTP)
		if len(c.tops) > 0 {
			c.zoneSecs[zoneOf(math.Round(watts), c.tops)]++
		}
	}
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
	average, np := c.joules/c.secs, c.np.value()
	out.Doc["average_watts"] = math.Floor(average + 0.5)
	out.Doc["normalized_power"] = math.Floor(np + 0.5)
	if average > 0 {
		out.Doc["variability_index"] = float32Like(np / average)
	}
	out.Joules = new(math.Round(c.joules))
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
