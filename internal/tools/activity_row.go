package tools

import (
	"cmp"
	"fmt"
	"strings"

	"intervals-mcp/internal/intervals"
)

// hiddenReason says why an activity has no numbers.
const hiddenReason = "came through Strava, which does not let Intervals.icu share it"

// activityFacts is a row of the structured result.
func activityFacts(a intervals.Activity, v voice, gear map[string]string) facts {
	if a.Hidden() {
		return stubFacts(a.ID(), a.StartLocal())
	}
	f := make(facts, 0, 24)
	f.add("id", a.ID())
	f.text("name", intervals.Clean(a.Name(), 200))
	f.text("type", a.Type())
	f.text("start_date_local", a.StartLocal())
	for _, m := range activityListed {
		m.add(&f, a.Object, v)
	}
	addFeel(&f, a.Object)
	f.text("gear", gearName(a, gear))
	if tags := cleanAll(a.Texts("tags")); len(tags) > 0 {
		f.add("tags", tags)
	}
	if race, _ := a.Bool("race"); race {
		f.add("race", true)
	}
	if id, ok := a.Int("paired_event_id"); ok {
		f.add("paired_event_id", id)
	}
	return f
}

// stubFacts is all that is known of an activity that Strava hides.
func stubFacts(id, start string) facts {
	f := facts{{"id", id}}
	f.text("start_date_local", start)
	f.add("hidden", true)
	f.add("reason", hiddenReason)
	return f
}

func addFeel(f *facts, o intervals.Object) {
	if n, word, ok := feel(o); ok {
		one := facts{{"value", n}}
		one.text("label", word)
		f.add("feel", one)
	}
}

// gearName names what an activity was done with, "" when it has no gear.
func gearName(a intervals.Activity, names map[string]string) string {
	g, _ := a.Object.Object("gear")
	id := cmp.Or(g.Str("id"), a.Str("gear_id"))
	return intervals.Clean(cmp.Or(names[id], g.Str("name")), 60)
}

// activityLine is the same row for the model.
func activityLine(a intervals.Activity, v voice, gear map[string]string) string {
	when := weekday(a.Day()) + " " + strings.Replace(a.StartLocal(), "T", " ", 1)
	if len(a.StartLocal()) == len("2006-01-02T15:04:05") {
		when = when[:len(when)-3] // seconds say nothing here
	}
	if a.Hidden() {
		return parts(" | ", when+" hidden by Strava", a.ID())
	}
	say := func(i int) string { return activityListed[i].say(a.Object, v) }
	took := say(1)
	if took == "" && say(2) != "" {
		took = "elapsed " + say(2)
	}
	load := say(4)
	if load != "" {
		load = "load " + load
	}
	climb := say(3)
	if climb != "" {
		climb = "+" + climb
	}
	title := parts(" ", when, a.Type())
	return parts(" | ", parts(" ", title, quoteIf(a.Name(), 60)), parts(" in ", say(0), took), say(11), load,
		pair(say(5), say(6), "weighted"), pair(say(8), say(9), "max"), climb, felt(a.Object), quoteIf(gearName(a, gear), 60), a.ID())
}

// quoteIf quotes what is there.
func quoteIf(s string, limit int) string {
	if s == "" {
		return ""
	}
	return Quote(s, limit)
}

// pair writes "202/214 W" of two values with the same unit.
func pair(first, second, name string) string {
	switch {
	case second == "":
		return first
	case first == "":
		return name + " " + second
	}
	n, _, _ := strings.Cut(first, " ")
	return n + "/" + second
}

// felt words RPE and feel.
func felt(o intervals.Object) string {
	rpe := activityRPE.say(o, voice{})
	if rpe != "" {
		rpe = "RPE " + rpe
	}
	n, word, ok := feel(o)
	if !ok {
		return rpe
	}
	return parts(", ", rpe, parts(" ", fmt.Sprintf("feel %d", n), word))
}
