package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

// detailParam chooses how much of an object is given.
var detailParam = Param{Name: "detail", Kind: Enum, Enum: []string{"summary", "full"}, Default: "summary", Doc: "full adds every other field."}

var getActivityDetails = Tool{
	Name:  "get_activity_details",
	Title: "Activity details",
	Description: "One recorded activity: power, heart rate, pace, RPE and feel, time in the activity's own zones, fitness after it, weather, gear, description. " +
		"detail=full adds every other field, custom ones too. Laps: get_activity_intervals. Samples: get_activity_streams.",
	Params:  []Param{activityParam, detailParam},
	Result:  []Out{{"activity", Object, true}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching activity details",
	run:     handle(activityDetails),
}

type activityIn struct {
	ID     string `json:"activity_id"`
	Detail string `json:"detail"`
}

type activityDetail struct {
	Activity facts `json:"activity"`
	text     string
}

func (d activityDetail) facts() facts { return facts{{"activity", d.Activity}} }

// Text gives the activity under the reference server's labels.
func (d activityDetail) Text() string { return d.text }

func activityDetails(ctx context.Context, rq *Request, in activityIn) (activityDetail, error) {
	opened := rq.openActivity(ctx, in.ID)
	gear := rq.startGear(ctx, opened.me.id, false)
	a, p, err := opened.wait(ctx, rq)
	switch {
	case intervals.KindOf(err) == intervals.Hidden:
		return hiddenActivity(in.ID, ""), nil
	case err != nil:
		return activityDetail{}, err
	case a.ID() == "":
		return activityDetail{Activity: facts{{"id", in.ID}}, text: fmt.Sprintf("No details found for activity %s.", in.ID)}, nil
	case a.Hidden():
		return hiddenActivity(a.ID(), a.StartLocal()), nil
	}
	if me, err := opened.me.wait(ctx); err == nil && me.ID != p.ID {
		gear = rq.startGear(ctx, p.ID, false) // a coach reads another's activity
	}
	list, _ := gear.wait(ctx) // a name is never worth failing an answer
	return activityView{a, p, p.voice(a.Type()), gearNames(list), in.Detail == "full"}.detail(), nil
}

func hiddenActivity(id, start string) activityDetail {
	when := ""
	if start != "" {
		when = " of " + weekday(start[:min(len(start), 10)]) + " " + strings.Replace(start, "T", " ", 1)
	}
	return activityDetail{
		Activity: stubFacts(id, start),
		text:     fmt.Sprintf("Activity %s%s %s: its numbers are unknown, not zero. Connect the recording device to Intervals.icu directly to see them.", id, when, hiddenReason),
	}
}

// activityView is what one activity is shown with.
type activityView struct {
	a    intervals.Activity
	p    Profile
	v    voice
	gear map[string]string
	full bool
}

func (w activityView) detail() activityDetail {
	sets := activityZones(w.a)
	f := w.facts()
	if len(sets) > 0 {
		f.add("zones", zonesFacts(sets, w.v))
	}
	custom := w.custom()
	if len(custom) > 0 {
		f.add("custom_fields", custom)
	}
	var other intervals.Object
	if w.full {
		other = otherFields(w.a.Object, w.spoken())
	}
	if other.Len() > 0 {
		f.add("other_fields", other)
	}
	var b strings.Builder
	w.head(&b)
	for _, s := range activitySections {
		w.section(&b, s.heading, s.metrics)
	}
	if len(sets) > 0 {
		b.WriteString("\n\nTime in Zones:")
		for _, set := range sets {
			if w.full {
				b.WriteString("\n" + set.text(w.v))
			} else {
				b.WriteString("\n" + set.short(w.v))
			}
		}
	}
	w.things(&b)
	if len(custom) > 0 {
		b.WriteString("\n\nCustom Fields:")
		for _, c := range custom {
			b.WriteString("\n" + w.customLabel(c.key) + ": " + foreign(w.a.Value(c.key), 200))
		}
	}
	if other.Len() > 0 {
		b.WriteString("\n\nOther Fields (as Intervals.icu sent them: m, s, m/s, W, J, percent):\n")
		b.WriteString(strings.Join(cutLines(otherText(other), otherBudget), "\n"))
	}
	return activityDetail{Activity: f, text: b.String()}
}

// facts is the structured form, zones and other fields apart.
func (w activityView) facts() facts {
	f := make(facts, 0, 64)
	f.add("id", w.a.ID())
	f.text("athlete_id", w.p.ID)
	f.text("name", intervals.Clean(w.a.Name(), 200))
	f.text("type", w.a.Type())
	f.text("start_date_local", w.a.StartLocal())
	f.text("timezone", intervals.Clean(w.a.Str("timezone"), 40))
	f.text("description", plain(w.a.Str("description"), 8000))
	for _, s := range activitySections {
		for _, m := range s.metrics {
			m.add(&f, w.a.Object, w.v)
		}
	}
	addFeel(&f, w.a.Object)
	if trainer, ok := w.a.Bool("trainer"); ok {
		f.add("trainer", trainer)
	}
	if list := cleanAll(w.a.Texts("interval_summary")); len(list) > 0 {
		f.add("interval_summary", list)
	}
	if tags := cleanAll(w.a.Texts("tags")); len(tags) > 0 {
		f.add("tags", tags)
	}
	if id, ok := w.a.Int("paired_event_id"); ok {
		f.add("paired_event_id", id)
	}
	asPart("compliance", "compliance").add(&f, w.a.Object, w.v)
	for _, key := range []string{"device_name", "power_meter", "file_type"} {
		f.text(key, intervals.Clean(w.a.Str(key), 80))
	}
	if id, name := w.gearOf(); id != "" || name != "" {
		var g facts
		g.text("id", id)
		g.text("name", name)
		f.add("gear", g)
	}
	return f
}

func asPart(key, from string) metric { return num(key, "", from, asPercent) }

func (w activityView) gearOf() (id, name string) {
	g, _ := w.a.Object.Object("gear")
	return intervals.Clean(cmp.Or(g.Str("id"), w.a.Str("gear_id")), 40), gearName(w.a, w.gear)
}

// head writes what identifies the activity, in the reference's labels.
func (w activityView) head(b *strings.Builder) {
	name := "(no name)"
	if w.a.Name() != "" {
		name = Quote(w.a.Name(), 120)
	}
	b.WriteString("Activity: " + name + "\nID: " + w.a.ID())
	line := func(label, value string) {
		if value != "" {
			b.WriteString("\n" + label + ": " + value)
		}
	}
	line("Type", w.a.Type())
	if start := w.a.StartLocal(); start != "" {
		zone := ""
		if z := intervals.Clean(w.a.Str("timezone"), 40); z != "" {
			zone = " in " + z
		}
		line("Date", fmt.Sprintf("%s (%s, local time%s)", strings.Replace(start, "T", " ", 1), weekday(w.a.Day()), zone))
	}
	if d := w.a.Str("description"); d != "" {
		b.WriteString("\nDescription:\n" + QuoteBlock(d, w.pick(400, 4000)))
	}
}

// section writes one heading with the numbers that are present.
func (w activityView) section(b *strings.Builder, heading string, metrics []metric) {
	var lines []string
	for _, m := range metrics {
		if s := m.say(w.a.Object, w.v); s != "" && (w.full || !w.dull(m)) {
			lines = append(lines, m.label+": "+s)
		}
	}
	switch heading {
	case "Other Metrics:":
		if n, word, ok := feel(w.a.Object); ok {
			lines = append(lines, parts(" ", fmt.Sprintf("Feel: %d/5", n), word))
		}
	case "Environment:":
		if trainer, ok := w.a.Bool("trainer"); ok && (trainer || w.full) {
			lines = slices.Insert(lines, 0, "Trainer: "+map[bool]string{true: "Yes", false: "No"}[trainer])
		}
	}
	if len(lines) == 0 {
		return
	}
	if heading != "" {
		b.WriteString("\n\n" + heading)
	}
	for _, l := range lines {
		b.WriteString("\n" + l)
	}
}

// dull tells numbers that the summary's text leaves to detail=full and to the
// structured result, to stay within its tokens: parts of others, and what a
// question about one session rarely turns on.
func (w activityView) dull(m metric) bool {
	switch m.key {
	case "average_speed", "max_speed":
		return w.v.pace != "" || m.key == "max_speed"
	case "power_hr_ratio", "resting_hr", "weight", "left_balance", "average_stride", "headwind", "tailwind", "min_temp", "max_temp",
		"power_load", "hr_load", "pace_load", "polarization_index", "trimp", "session_rpe", "total_elevation_loss":
		return true
	}
	return false
}

// things writes intervals in short, tags, pairing, device and gear.
func (w activityView) things(b *strings.Builder) {
	var lines []string
	if s := strings.Join(w.a.Texts("interval_summary"), ", "); s != "" && len(s) <= w.pick(40, 400) {
		lines = append(lines, "Interval Summary: "+intervals.Clean(s, 400))
	}
	if tags := cleanAll(w.a.Texts("tags")); len(tags) > 0 {
		lines = append(lines, "Tags: "+Quote(strings.Join(tags, ", "), 200))
	}
	if id, ok := w.a.Int("paired_event_id"); ok {
		s := fmt.Sprintf("Paired Event ID: %d", id)
		if c := asPart("", "compliance").say(w.a.Object, w.v); c != "" {
			s += ", compliance " + c
		}
		lines = append(lines, s)
	}
	var device []string
	for _, key := range []string{"device_name", "power_meter", "file_type"} {
		if s := w.a.Str(key); s != "" && w.full {
			device = append(device, Quote(s, 80))
		}
	}
	if len(device) > 0 {
		lines = append(lines, "Device Info: "+strings.Join(device, ", "))
	}
	if id, name := w.gearOf(); name != "" {
		lines = append(lines, parts(" ", "Gear: "+Quote(name, 60), "ID: "+id))
	} else if id != "" {
		lines = append(lines, "Gear: ID: "+id)
	}
	if len(lines) > 0 {
		b.WriteString("\n\n" + strings.Join(lines, "\n"))
	}
}

// pick gives how long a text may be.
func (w activityView) pick(summary, full int) int {
	if w.full {
		return full
	}
	return summary
}
