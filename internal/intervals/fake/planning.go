package fake

import (
	"math"
	"slices"
)

// plan reads an event's text into its workout_doc and computes what follows
// from it (API.md 3.3 to 3.5). fresh is false for a loaded event, whose own
// numbers stay.
func (a *athlete) plan(e *event, fresh bool) {
	if e.category() != "WORKOUT" {
		if !e.session() {
			return
		}
		a.intensity(e)
		return
	}
	a.planInto(e.Object, fresh, e.handLoad)
	a.intensity(e)
}

// planInto does plan for an event or a library workout. A load that was sent
// is kept even with steps; the rest comes from the steps when there are any.
func (a *athlete) planInto(o Object, fresh, handLoad bool) {
	description, sport := text(o, "description"), text(o, "type")
	doc, _ := o["workout_doc"].(Object)
	if description != "" && (fresh || doc == nil) { // if both are sent the text wins
		doc = parseWorkout(description, sport)
	}
	if doc == nil {
		delete(o, "workout_doc")
		return
	}
	doc = keepNulls(doc)
	o["workout_doc"] = doc
	if len(objects(doc["steps"])) == 0 || !fresh && o["moving_time"] != nil && o["icu_training_load"] != nil {
		return
	}
	p := planWorkout(doc, sport, a.thresholds(sport, yes(o, "indoor")))
	for k, v := range p.Doc {
		doc[k] = v
	}
	set := func(key string, v *float64) {
		if !fresh && o[key] != nil {
			return
		}
		if v != nil {
			o[key] = *v
		}
	}
	set("moving_time", p.MovingTime)
	set("distance", p.Distance)
	set("joules", p.Joules)
	set("joules_above_ftp", p.AboveFTP)
	set("strain_score", p.StrainScore)
	if !handLoad {
		set("icu_training_load", p.Load)
		set("icu_intensity", p.Intensity)
	}
}

// intensity takes icu_intensity back from the load, as the platform does.
func (a *athlete) intensity(e *event) {
	load, secs := numberOr0(e.Object, "icu_training_load"), numberOr0(e.Object, "moving_time")
	if e.Object["icu_intensity"] == nil && load > 0 && secs > 0 {
		e.Object["icu_intensity"] = round8(100 * math.Sqrt(load*36/secs))
	}
}

// replan plans again after a change of what the plan follows from.
func (e *event) replan(a *athlete, sent Object, changed map[string]bool) {
	o := e.Object
	if !e.session() {
		delete(o, "workout_doc")
		return
	}
	if changed["icu_training_load"] || changed["moving_time"] {
		delete(o, "icu_intensity")
	}
	text := changed["description"]
	if !text && !changed["type"] && !changed["indoor"] && !changed["workout_doc"] && !changed["category"] {
		a.intensity(e)
		return
	}
	if text && sent["icu_training_load"] == nil {
		e.handLoad = false // the load was the old text's
	}
	derived := []string{"joules", "joules_above_ftp", "strain_score", "icu_intensity"}
	steps := objects(docOf(o)["steps"])
	if text {
		delete(o, "workout_doc")
		if len(steps) > 0 { // they came from the old steps
			derived = append(derived, "moving_time", "distance")
		}
	}
	if !e.handLoad {
		derived = append(derived, "icu_training_load")
	}
	for _, k := range derived {
		if sent[k] == nil {
			delete(o, k)
		}
	}
	a.plan(e, true)
}

func docOf(o Object) Object {
	doc, _ := o["workout_doc"].(Object)
	return doc
}

// thresholds are what an athlete's settings say for a sport now; indoors the
// indoor FTP counts, if there is one.
func (a *athlete) thresholds(sport string, indoor bool) thresholds {
	o := a.sport(sport)
	t := thresholds{
		FTP: numberOr0(o, "ftp"), LTHR: numberOr0(o, "lthr"), MaxHR: numberOr0(o, "max_hr"),
		ThresholdPace: numberOr0(o, "threshold_pace"),
		PowerZones:    numbers(o["power_zones"]), HRZones: numbers(o["hr_zones"]), PaceZones: numbers(o["pace_zones"]),
		SweetSpotMin: numberOr0(o, "sweet_spot_min"), SweetSpotMax: numberOr0(o, "sweet_spot_max"),
		PaceUnits: text(o, "pace_units"), RestingHR: numberOr0(a.object, "icu_resting_hr"),
	}
	if f := numberOr0(o, "indoor_ftp"); indoor && f > 0 {
		t.FTP = f
	}
	return t
}

// sport finds the settings of a sport: those that list it, else those for
// all others.
func (a *athlete) sport(sport string) Object {
	var others Object
	for _, o := range a.sports {
		types := texts(o["types"])
		if slices.Contains(types, sport) {
			return o
		}
		if yes(o, "other") || slices.Contains(types, "Other") {
			others = o
		}
	}
	return others
}

// sameSport tells if a sport is in the same settings as another: curves of Ride
// take virtual rides too.
func (a *athlete) sameSport(of, sport string) bool {
	if of == sport {
		return true
	}
	types := texts(a.sport(of)["types"])
	return slices.Contains(types, of) && slices.Contains(types, sport)
}

// thresholds are those an activity was recorded under, from the activity
// itself where it has them.
func (act *activity) thresholds() thresholds {
	o := act.Object
	t := act.owner.thresholds(text(o, "type"), yes(o, "trainer") || text(o, "type") == "VirtualRide")
	for into, key := range map[*float64]string{
		&t.FTP: "icu_ftp", &t.LTHR: "lthr", &t.MaxHR: "athlete_max_hr", &t.ThresholdPace: "threshold_pace",
		&t.SweetSpotMin: "icu_sweet_spot_min", &t.SweetSpotMax: "icu_sweet_spot_max",
	} {
		if f, ok := number(o, key); ok {
			*into = f
		}
	}
	for into, key := range map[*[]float64]string{
		&t.PowerZones: "icu_power_zones", &t.HRZones: "icu_hr_zones", &t.PaceZones: "pace_zones",
	} {
		if list := numbers(o[key]); len(list) > 0 {
			*into = list
		}
	}
	return t
}

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
