package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var getActivities = Tool{
	Name:  "get_activities",
	Title: "List activities",
	Description: "Lists recorded activities, newest first, one line each: date, sport, name, distance, time, load, power, heart rate, RPE, id. " +
		"Default: the last 30 days. One activity in depth: get_activity_details. Activities hidden by Strava are named as such.",
	Params: []Param{
		athleteParam,
		{Name: "start_date", Kind: Date, Doc: "First local day. Default: 30 days ago."},
		{Name: "end_date", Kind: Date, Doc: "Last local day, inclusive. Default: today."},
		{Name: "limit", Kind: Integer, Default: 10, Min: 1, Max: 200},
		{Name: "include_unnamed", Kind: Boolean, Default: false, Doc: "Also those without a name."},
		cursorParam, todayParam,
	},
	Result: []Out{{"athlete_id", String, true}, {"start_date", String, true}, {"end_date", String, true},
		{"timezone", String, true}, {"today", String, true}, {"activities", List, true}, {"count", Integer, true}, {"remaining", Integer, false},
		{"next_cursor", String, false}, {"hidden_by_strava", Integer, false}, {"unnamed_left_out", Integer, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching activities",
	run:     handle(listActivities),
}

type activitiesIn struct {
	Athlete string `json:"athlete_id"`
	Limit   int    `json:"limit"`
	Unnamed bool   `json:"include_unnamed"`
	rangeArgs
}

// activityList's tags are what docs/tools.md tells of it; facts writes it.
type activityList struct {
	AthleteID  string    `json:"athlete_id"`
	Start      string    `json:"start_date"`
	End        string    `json:"end_date"`
	Zone       string    `json:"timezone"`
	Today      string    `json:"today"`
	Activities []encoded `json:"activities"`
	Page
	Hidden      int `json:"hidden_by_strava,omitempty"`
	Unnamed     int `json:"unnamed_left_out,omitempty"`
	unnamedLoad float64

	lines   []string
	invalid bool // rows came, none of them an activity
}

// facts is the structured form. A year of rows is long, so it is written
// without the detours of encoding/json.
func (l activityList) facts() facts {
	f := facts{{"athlete_id", l.AthleteID}, {"start_date", l.Start}, {"end_date", l.End}, {"timezone", l.Zone}, {"today", l.Today},
		{"activities", l.Activities}}
	l.Page.add(&f)
	f.count("hidden_by_strava", l.Hidden)
	f.count("unnamed_left_out", l.Unnamed)
	return f
}

// activityKeys are the fields that a list asks for, so that a year of rows
// stays small (API.md 1.5).
func activityKeys() []string {
	keys := strings.Fields("id icu_athlete_id start_date_local type name source _note gear race tags paired_event_id feel")
	for _, m := range activityListed {
		for _, key := range m.from {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func listActivities(ctx context.Context, rq *Request, in activitiesIn) (activityList, error) {
	w, args, err := newDayRange(rq.now(), in.rangeArgs, -30, 0, "activities", in.Athlete, in.Unnamed)
	if err == nil && w.fixedReversed() {
		_, _, _, err = w.exact(time.UTC) // reversed in every zone: nothing is asked
	}
	if err != nil {
		return activityList{}, err
	}
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return activityList{}, err
	}
	gear := rq.startGear(ctx, who.id, false)
	rows, all, err := readActivities(ctx, rq, who, w, in)
	if err != nil {
		return activityList{}, err
	}
	p, err := who.wait(ctx)
	if err != nil {
		return activityList{}, err
	}
	from, to, today, err := w.exact(p.Zone)
	if err != nil {
		return activityList{}, err
	}
	names, _ := gear.wait(ctx) // a name is never worth failing an answer
	out := activityList{AthleteID: p.ID, Start: from, End: to, Zone: p.Zone.String(), Today: today}
	c := cut{rows: rows, all: all, after: w.resume.After, from: from, to: to, limit: in.Limit, unnamed: in.Unnamed}
	out.fill(c.page(), p, gearNames(names), cursor{From: from, To: to, Args: args})
	out.invalid = len(rows) > 0 && !slices.ContainsFunc(rows, func(a intervals.Activity) bool { return a.ID() != "" })
	return out, nil
}

// readActivities makes the one request of a page. It asks for more rows than
// are shown, since unnamed ones may be left out and a window that is not
// settled yet is too wide; all is false when there may be older ones.
func readActivities(ctx context.Context, rq *Request, who subject, w dayRange, in activitiesIn) (rows []intervals.Activity, all bool, err error) {
	q := intervals.ActivityQuery{Limit: in.Limit + 11, Fields: activityKeys()}
	if !in.Unnamed {
		q.Limit += 2 * in.Limit
	}
	q.Oldest, q.Newest = w.query(who.zone())
	if start, _, ok := strings.Cut(w.resume.After, " "); ok {
		q.Newest = start
	}
	rows, err = rq.Client.Activities(ctx, who.id, q)
	return rows, len(rows) < q.Limit, err
}

// cut selects a page of a window out of what was read.
type cut struct {
	rows     []intervals.Activity
	all      bool   // the rows reach the window's start
	after    string // sort key of the last activity of the page before
	from, to string
	limit    int
	unnamed  bool
}

// page is what one answer shows.
type page struct {
	shown   []intervals.Activity
	skipped int     // unnamed ones left out
	load    float64 // of those
	left    int     // at least this many more
	more    bool    // there are or may be more
	last    string  // sort key of the last row looked at
}

// activityKey orders activities: by local start, then id.
func activityKey(a intervals.Activity) string { return a.StartLocal() + " " + a.ID() }

func (c cut) page() page {
	rows := c.inside()
	p := page{more: !c.all}
	skipped, load := 0, 0.0
	for _, a := range rows {
		named := a.Hidden() || (a.Name() != "" && a.Name() != "Unnamed")
		switch {
		case !named && !c.unnamed:
			skipped++
			points, _ := a.Number("icu_training_load")
			load += points
			continue
		case len(p.shown) == c.limit:
			p.left++
			continue
		}
		p.shown, p.skipped, p.load, p.last = append(p.shown, a), skipped, load, activityKey(a)
	}
	if p.left > 0 {
		p.more = true
		return p
	}
	p.skipped, p.load = skipped, load // the rest are unnamed
	if n := len(rows); n > 0 {
		p.last = activityKey(rows[n-1])
	} else if n := len(c.rows); n > 0 {
		p.last = activityKey(c.rows[n-1]) // all lie after the window
	}
	return p
}

// inside gives the rows of the window that no earlier page showed, newest
// first. Where more rows exist than were read, those that start at the same
// moment as the last one wait for the next page, all together.
func (c cut) inside() []intervals.Activity {
	var rows []intervals.Activity
	for _, a := range c.rows {
		if day := a.Day(); a.ID() != "" && day >= c.from && day <= c.to && (c.after == "" || activityKey(a) < c.after) {
			rows = append(rows, a)
		}
	}
	slices.SortStableFunc(rows, func(a, b intervals.Activity) int { return cmp.Compare(activityKey(b), activityKey(a)) })
	if n := len(rows); !c.all && n > 0 {
		last := rows[n-1].StartLocal()
		if first := slices.IndexFunc(rows, func(a intervals.Activity) bool { return a.StartLocal() == last }); first > 0 {
			rows = rows[:first]
		}
	}
	return rows
}

// fill writes as many of a page's activities as fit into an answer.
func (l *activityList) fill(p page, who Profile, gear map[string]string, next cursor) {
	l.Unnamed, l.unnamedLoad = p.skipped, p.load
	for _, a := range p.shown {
		v := who.voice(a.Type())
		l.Activities = append(l.Activities, encode(activityFacts(a, v, gear)))
		l.lines = append(l.lines, activityLine(a, v, gear))
	}
	n := fit(len(l.lines), len(l.lines), func(i int) int { return recordSize(l.lines[i], l.Activities[i]) })
	if n < len(l.lines) {
		p.left, p.more, p.last = p.left+len(l.lines)-n, true, activityKey(p.shown[n-1])
		l.Activities, l.lines, p.shown = l.Activities[:n], l.lines[:n], p.shown[:n]
	}
	for _, a := range p.shown {
		if a.Hidden() {
			l.Hidden++
		}
	}
	l.Page = Page{Shown: n, Left: p.left}
	if p.more && p.last != "" {
		next.After = p.last
		l.NextCursor = next.String()
	}
}

// Text lists the activities a line each.
func (l activityList) Text() string {
	var b strings.Builder
	switch {
	case len(l.lines) > 0:
		fmt.Fprintf(&b, "Activities:\n\n%s, newest first, local starts, moving times. Power is average/weighted, heart rate average/max, + climb, feel 1 strong to 5 weak.", l.window())
		for _, line := range l.lines {
			b.WriteString("\n" + line)
		}
	case l.NextCursor != "":
		fmt.Fprintf(&b, "Activities:\n\n%s: none to show among the newest, older ones were not looked at yet.", l.window())
	case l.invalid:
		fmt.Fprintf(&b, "No valid activities found for athlete %s in the specified date range.", l.AthleteID)
	case l.Unnamed > 0:
		fmt.Fprintf(&b, "No named activities found for athlete %s in the specified date range. Try with include_unnamed=True to see all activities.", l.AthleteID)
	default:
		fmt.Fprintf(&b, "No activities found for athlete %s in the specified date range.", l.AthleteID)
	}
	if len(l.lines) == 0 && l.NextCursor == "" {
		fmt.Fprintf(&b, "\n%s.", l.window())
	}
	if l.Hidden > 0 {
		fmt.Fprintf(&b, "\n\nHidden by Strava: %d. Each %s: its numbers are unknown, not zero. Connect the recording device to Intervals.icu directly to see them.", l.Hidden, hiddenReason)
	}
	if l.Unnamed > 0 {
		fmt.Fprintf(&b, "\n\nUnnamed and left out: %d", l.Unnamed)
		if l.unnamedLoad > 0 {
			b.WriteString(", load " + round(l.unnamedLoad, 0))
		}
		b.WriteString(" (include_unnamed=true shows them).")
	}
	if more := l.text("activities"); more != "" {
		b.WriteString("\n\n" + more)
	}
	return b.String()
}

// window words the days that the list covers.
func (l activityList) window() string {
	return fmt.Sprintf("%s %s to %s %s (today is %s, %s)", weekday(l.Start), l.Start, weekday(l.End), l.End, l.Today, l.Zone)
}
