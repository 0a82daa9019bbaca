package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var getActivityIntervals = Tool{
	Name:  "get_activity_intervals",
	Title: "Laps and intervals of an activity",
	Description: "The intervals (laps) of one activity in order, a line each: start, time, distance, power, heart rate, pace or speed, cadence; " +
		"then groups of like ones. detail=full gives every number with its label (climb, W', torque, temperature, wind, DFA a1 ...).",
	Params: []Param{activityParam, detailParam, cursorParam},
	Result: []Out{{"activity_id", String, true}, {"analyzed", String, false}, {"intervals", List, true}, {"groups", List, true},
		{"count", Integer, true}, {"remaining", Integer, false}, {"next_cursor", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching intervals",
	run:     handle(activityIntervals),
}

type intervalList struct {
	ActivityID string  `json:"activity_id"`
	Analyzed   string  `json:"analyzed,omitempty"` // in the athlete's zone
	Intervals  []facts `json:"intervals"`
	Groups     []facts `json:"groups"`
	Page
	lines, groupLines []string
	head              string // legend
	recognised        bool
}

func activityIntervals(ctx context.Context, rq *Request, in activityPartIn) (intervalList, error) {
	args := fingerprint("intervals", in.ID, in.Detail)
	first := 0
	if in.Cursor != "" {
		at, err := readCursor(in.Cursor, args)
		if err != nil {
			return intervalList{}, err
		}
		if first, err = strconv.Atoi(at.After); err != nil || first < 0 {
			return intervalList{}, refuse("cursor", "is not one that this server gave")
		}
	}
	opened := rq.openActivity(ctx, in.ID)
	laps := begin(func() (intervals.Intervals, error) { return rq.Client.Intervals(ctx, in.ID) })
	a, p, err := opened.visible(ctx, rq)
	if err != nil {
		return intervalList{}, err
	}
	got, err := laps.wait(ctx)
	if err != nil {
		return intervalList{}, err
	}
	private, err := rq.hidden(ctx, p)
	if err != nil {
		return intervalList{}, err
	}
	for _, list := range [][]intervals.Object{got.Intervals, got.Groups} {
		for i := range list {
			list[i] = withoutPrivate(list[i], private)
		}
	}
	out := intervalList{ActivityID: in.ID, Intervals: []facts{}, Groups: []facts{}, recognised: got.Recognised}
	if at := localStamp(got.Analyzed, p.Zone); at != "" {
		out.Analyzed = strings.Replace(at, " ", "T", 1)
	}
	v := p.voice(a.Type())
	full := in.Detail == "full"
	out.fill(got, first, v, full, args)
	if !full {
		out.head = intervalLegend(v)
	}
	return out, nil
}

// intervalsBriefly are the keys of a lap's numbers that the summary gives.
var intervalsBriefly = map[string]bool{
	"start_time": true, "elapsed_time": true, "moving_time": true, "distance": true, "average_power": true, "max_power": true,
	"weighted_average_power": true, "intensity": true, "zone": true, "average_heartrate": true, "max_heartrate": true,
	"average_pace": true, "average_gap": true, "average_speed": true, "average_cadence": true, "total_elevation_gain": true,
	"training_load": true,
}

func (l *intervalList) fill(got intervals.Intervals, first int, v voice, full bool, args uint32) {
	first = min(first, len(got.Intervals))
	for i, o := range got.Intervals[first:] {
		l.Intervals = append(l.Intervals, intervalFacts(o, v, first+i+1, full))
		if full {
			l.lines = append(l.lines, intervalBlock(o, v, first+i+1))
		} else {
			l.lines = append(l.lines, intervalLine(o, v, first+i+1))
		}
	}
	n := fit(len(l.lines), len(l.lines), func(i int) int { return recordSize(l.lines[i], l.Intervals[i].append(nil)) })
	left := len(l.lines) - n
	l.Intervals, l.lines = l.Intervals[:n], l.lines[:n]
	l.Page = Page{Shown: n, Left: left}
	if left > 0 {
		l.NextCursor = cursor{After: strconv.Itoa(first + n), Args: args}.String()
		return // groups come with the last page
	}
	for _, g := range got.Groups {
		l.Groups = append(l.Groups, groupFacts(g, v, full))
		l.groupLines = append(l.groupLines, groupLine(g, v))
	}
}

// intervalFacts is one lap of the structured result. Nothing is added for
// what the platform did not measure.
func intervalFacts(o intervals.Object, v voice, n int, full bool) facts {
	var f facts
	if n > 0 {
		f.add("number", float64(n))
	}
	f.text("id", intervals.Clean(o.Str("id"), 40))
	f.text("label", intervals.Clean(o.Str("label"), 120))
	f.text("type", intervals.Clean(o.Str("type"), 20))
	f.text("group_id", intervals.Clean(o.Str("group_id"), 80))
	known := map[string]bool{"id": true, "label": true, "type": true, "group_id": true, "count": true}
	for _, s := range intervalSections {
		for _, m := range s.metrics {
			if full || intervalsBriefly[m.key] {
				m.add(&f, o, v)
			}
			known[m.from[0]] = true
		}
	}
	if other := otherFields(o, func(key string) bool { return known[key] }); full && other.Len() > 0 {
		f.add("other_fields", other)
	}
	return f
}

func groupFacts(g intervals.Object, v voice, full bool) facts {
	f := intervalFacts(g, v, 0, full)
	if n, ok := g.Number("count"); ok {
		f.add("count", n)
	}
	return f
}

// intervalName is how a lap is called: "[2] "Threshold 1" (WORK)".
func intervalName(o intervals.Object, n int) string {
	kind := intervals.Clean(o.Str("type"), 20)
	if kind != "" {
		kind = "(" + kind + ")"
	}
	return parts(" ", fmt.Sprintf("[%d]", n), quoteIf(o.Str("label"), 40), kind)
}

// lapNumbers is what a line tells of a lap or a group of laps.
func lapNumbers(o intervals.Object, v voice) string {
	took := lapElapsed.say(o, v)
	if moving := lapMoving.say(o, v); took == "" {
		took = moving
	} else if moving != "" && moving != took {
		took += " (moving " + moving + ")"
	}
	fast := lapPace.say(o, v)
	if v.pace == "" {
		fast = lapSpeed.say(o, v)
	}
	return parts(", ", took, lapDistance.say(o, v), pair(lapPower.say(o, v), lapMaxPower.say(o, v), "max"),
		pair(lapHR.say(o, v), lapMaxHR.say(o, v), "max"), fast, lapCadence.say(o, v))
}

// intervalLine is one lap for the model.
func intervalLine(o intervals.Object, v voice, n int) string {
	name := intervalName(o, n)
	if start := lapStart.say(o, v); start != "" {
		name += " at " + start
	}
	return parts(": ", name, lapNumbers(o, v))
}

func intervalLegend(v voice) string {
	fast := "speed"
	if v.pace != "" {
		fast = "pace"
	}
	return "[n] label (type) at start: time, distance, power average/max, heart rate average/max, " + fast + ", cadence"
}

// intervalBlock is one lap with every number under the reference's headings.
func intervalBlock(o intervals.Object, v voice, n int) string {
	lines := []string{intervalName(o, n)}
	for _, s := range intervalSections {
		var said []string
		for _, m := range s.metrics {
			if text := m.say(o, v); text != "" && !(v.pace != "" && m.key == "average_speed") {
				said = append(said, m.label+": "+text)
			}
		}
		if len(said) > 0 {
			lines = append(lines, "  "+parts(" ", s.heading, strings.Join(said, ", ")))
		}
	}
	return strings.Join(lines, "\n")
}

func groupLine(g intervals.Object, v voice) string {
	count := ""
	if n, ok := g.Int("count"); ok {
		count = fmt.Sprintf("%d x", n)
	}
	return parts(": ", intervals.Clean(g.Str("id"), 80), parts(" ", count, lapNumbers(g, v)))
}

// Text gives the laps and then the groups.
func (l intervalList) Text() string {
	switch {
	case !l.recognised:
		return fmt.Sprintf("No interval data or unrecognized format for activity %s.", l.ActivityID)
	case len(l.lines) == 0 && len(l.groupLines) == 0:
		return fmt.Sprintf("No interval data found for activity %s.", l.ActivityID)
	}
	var b strings.Builder
	b.WriteString("Intervals Analysis:\n\nID: " + l.ActivityID)
	if l.Analyzed != "" && l.head == "" {
		b.WriteString("\nAnalyzed: " + strings.Replace(l.Analyzed, "T", " ", 1))
	}
	if len(l.lines) > 0 {
		b.WriteString("\n\nIndividual Intervals:")
		if l.head != "" {
			b.WriteString("\n" + l.head)
		}
		b.WriteString("\n" + strings.Join(l.lines, "\n"))
	}
	if len(l.groupLines) > 0 {
		b.WriteString("\n\nInterval Groups:\n" + strings.Join(l.groupLines, "\n"))
	}
	if more := l.text("intervals"); more != "" {
		b.WriteString("\n\n" + more)
	}
	return b.String()
}
