package fake

import (
	"math"
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
	if e.category() != "WORKOUT" { // a race keeps the numbers it has
		a.intensity(e)
		return
	}
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
