package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

var getAthletePowerCurves = Tool{
	Name:  "get_athlete_power_curves",
	Title: "Power curves",
	Description: "Best power (W and W/kg) by duration for this season, the last one and a range of dates, with the activities. A duration that the curve " +
		"does not have is answered by its nearest point, named. Only sports with a power meter have curves.",
	Params: []Param{
		{Name: "activity_type", Kind: String, MaxLen: 30, Default: "Ride", Doc: "Sport, e.g. Ride, VirtualRide, Run, Rowing."},
		{Name: "durations", Kind: List, Items: Integer, Min: 1, Max: 1_000_000,
			Schema: `{"type":"array","items":{"type":"integer","minimum":1},"description":"Seconds. Default: 5 15 30 60 120 300 600 1200 3600."}`},
		{Name: "indoor_outdoor", Kind: String, Schema: `{"type":"string","enum":["indoor","outdoor"],"description":"Default: both."}`},
		{Name: "start_date", Kind: String, MaxLen: 30, Doc: "First day of a range of its own; needs end_date."},
		{Name: "end_date", Kind: String, MaxLen: 30},
		{Name: "this_season", Kind: Boolean, Default: true},
		{Name: "last_season", Kind: Boolean, Default: true},
		{Name: "include_normalised", Kind: Boolean, Default: true, Doc: "W/kg too."},
		athleteParam,
	},
	Result:  []Out{{"athlete_id", String, true}, {"activity_type", String, true}, {"indoor_outdoor", String, false}, {"curves", List, true}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching power curves",
	run:     handle(readPowerCurves),
}

type curvesIn struct {
	Type       string `json:"activity_type"`
	Durations  []int  `json:"durations"`
	Where      string `json:"indoor_outdoor"`
	Start      string `json:"start_date"`
	End        string `json:"end_date"`
	This       bool   `json:"this_season"`
	Last       bool   `json:"last_season"`
	Normalised bool   `json:"include_normalised"`
	Athlete    string `json:"athlete_id"`
}

type curveList struct {
	AthleteID string      `json:"athlete_id"`
	Type      string      `json:"activity_type"`
	Where     string      `json:"indoor_outdoor,omitempty"`
	Curves    []curveItem `json:"curves"`
}

type curveItem struct {
	ID     string       `json:"id"`
	Label  string       `json:"label"`
	Start  string       `json:"start_date,omitempty"`
	End    string       `json:"end_date,omitempty"` // inclusive
	Days   *float64     `json:"days,omitempty"`
	Points []curvePoint `json:"points"`
}

// curvePoint is the best over the duration asked for, or over the nearest one
// that the curve has.
type curvePoint struct {
	DurationS    int      `json:"duration_s"`
	NearestS     *float64 `json:"nearest_duration_s,omitempty"`
	PowerW       *float64 `json:"power_w,omitempty"`
	PerKg        *float64 `json:"power_w_per_kg,omitempty"`
	ActivityID   string   `json:"activity_id,omitempty"`
	ActivityDate string   `json:"activity_date,omitempty"`
	PerKgID      string   `json:"wkg_activity_id,omitempty"`
}

var usualDurations = []int{5, 15, 30, 60, 120, 300, 600, 1200, 3600}

func readPowerCurves(ctx context.Context, rq *Request, in curvesIn) (curveList, error) {
	span, err := in.check()
	if err != nil {
		return curveList{}, err
	}
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return curveList{}, err
	}
	wanted := in.curveIDs(span, possibleDays(rq.now(), who.zone()))
	if sport, err := readSport(in.Type); err == nil {
		in.Type = sport // its case matters upstream; an unknown one may be a new one
	}
	got, fetchErr := rq.Client.PowerCurves(ctx, who.id, intervals.CurveQuery{Type: in.Type, Curves: wanted, Filters: in.filters()})
	p, err := who.wait(ctx)
	if err != nil {
		return curveList{}, err
	}
	ids := in.curveIDs(span, []string{p.today(rq.now())})
	if span != nil {
		if from, to := span.on(p.today(rq.now())); from >= to {
			return curveList{}, startBeforeEnd
		}
	}
	if fetchErr != nil {
		return curveList{}, fetchErr
	}
	private, err := rq.hidden(ctx, p)
	if err != nil {
		return curveList{}, err
	}
	if in.Normalised && slices.Contains(private, "weight") {
		in.Normalised = false
		rq.note("W/kg is left out: the athlete keeps their weight private.")
	}
	out := curveList{AthleteID: p.ID, Type: in.Type, Where: in.Where, Curves: []curveItem{}}
	any := false
	for _, id := range ids {
		c := pickCurve(got.List, id)
		any = any || len(c.Secs) > 0
		out.Curves = append(out.Curves, newCurveItem(id, c, in, got.Activities))
	}
	if !any {
		out.Curves = []curveItem{}
	}
	return out, nil
}

// curveSpan is a range of days of the caller's own.
type curveSpan struct{ from, to dayExpr }

func (s curveSpan) on(today string) (from, to string) { return s.from.on(today), s.to.on(today) }

// startBeforeEnd and the other texts here are the reference server's.
const startBeforeEnd = wording("Error: start_date must be before end_date.")

// check validates what no schema can say; the span is nil without dates.
func (in *curvesIn) check() (*curveSpan, error) {
	if in.Where = strings.ToLower(in.Where); in.Where != "" && in.Where != "indoor" && in.Where != "outdoor" {
		return nil, wording("Error: indoor_outdoor must be 'indoor', 'outdoor', or omitted.")
	}
	if (in.Start == "") != (in.End == "") {
		return nil, wording("Error: Both start_date and end_date must be provided together for a custom date range.")
	}
	if len(in.Durations) == 0 {
		in.Durations = usualDurations
	}
	in.Durations = unique(in.Durations)
	if len(in.Durations) > 100 {
		return nil, refuse("durations", "holds %d values; at most 100 are answered at once", len(in.Durations))
	}
	if in.Start == "" {
		if !in.This && !in.Last {
			return nil, wording("Error: At least one curve must be selected (this_season, last_season, or a date range).")
		}
		return nil, nil
	}
	from, err1 := parseDay(in.Start)
	to, err2 := parseDay(in.End)
	if err1 != nil || err2 != nil {
		return nil, wording("Error: Dates must be in YYYY-MM-DD format.")
	}
	if from.fixed != "" && to.fixed != "" && from.fixed >= to.fixed {
		return nil, startBeforeEnd
	}
	return &curveSpan{from, to}, nil
}

func unique(list []int) []int {
	out := list[:0:0]
	for _, n := range list {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// curveIDs names the curves to ask for, once per day that may be today.
func (in *curvesIn) curveIDs(span *curveSpan, todays []string) []string {
	var ids []string
	if in.This {
		ids = append(ids, "s0")
	}
	if in.Last {
		ids = append(ids, "s1")
	}
	if span != nil {
		for _, today := range todays {
			from, to := span.on(today)
			if id := "r." + from + "." + to; from < to && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// possibleDays are the dates that it may be for the athlete: one when the zone
// is known, else every zone's, so that relative dates need no second round.
func possibleDays(now time.Time, loc *time.Location) []string {
	if loc != nil {
		return []string{now.In(loc).Format(training.DayLayout)}
	}
	var days []string
	for _, hours := range [...]int{-12, 0, 14} {
		if d := now.UTC().Add(time.Duration(hours) * time.Hour).Format(training.DayLayout); !slices.Contains(days, d) {
			days = append(days, d)
		}
	}
	return days
}

// filters narrows curves to indoor or outdoor activities.
func (in *curvesIn) filters() string {
	if in.Where == "" {
		return ""
	}
	return fmt.Sprintf(`[{"field_id":"indoor","value":%t,"id":1}]`, in.Where == "indoor")
}

// pickCurve finds a curve by its id: the order of the answer is not that of
// the question (API.md 2.3).
func pickCurve(list []intervals.Curve, id string) intervals.Curve {
	for _, c := range list {
		if c.Str("id") == id {
			return c
		}
	}
	return intervals.Curve{}
}

func newCurveItem(id string, c intervals.Curve, in curvesIn, activities map[string]intervals.Activity) curveItem {
	item := curveItem{ID: id, Label: intervals.Clean(c.Str("label"), 60), Start: day10(c.Str("start_date_local")), End: day10(c.Str("end_date_local")),
		Days: field(c.Object, "days", 0), Points: []curvePoint{}}
	if item.Label == "" {
		item.Label = map[string]string{"s0": "This season", "s1": "Last season"}[id]
	}
	if item.Label == "" {
		item.Label = "Range"
	}
	if item.Days != nil && training.DaysBetween(item.Start, item.End) == int(*item.Days) {
		item.End = training.AddDays(item.End, -1) // the platform's end is the day after (API.md 2.3)
	}
	if item.Start == "" && strings.HasPrefix(id, "r.") {
		_, span, _ := strings.Cut(id, ".")
		item.Start, item.End, _ = strings.Cut(span, ".")
	}
	for _, secs := range in.Durations {
		if p, ok := newCurvePoint(c, secs, in.Normalised); ok {
			p.ActivityDate = activities[p.ActivityID].Day()
			item.Points = append(item.Points, p)
		}
	}
	return item
}

func day10(local string) string {
	d, _, _ := strings.Cut(local, "T")
	return intervals.Clean(d, 10)
}

// newCurvePoint finds the point at a duration or, without interpolation, the
// nearest one; of two as near the shorter. No watts are no effort.
func newCurvePoint(c intervals.Curve, secs int, normalised bool) (curvePoint, bool) {
	best := -1
	gap := func(i int) float64 { return max(c.Secs[i]-float64(secs), float64(secs)-c.Secs[i]) }
	for i := range min(len(c.Secs), len(c.Values)) {
		if !intervals.Missing(c.Secs[i]) && c.Values[i] > 0 && (best < 0 || gap(i) < gap(best)) {
			best = i
		}
	}
	if best < 0 {
		return curvePoint{}, false
	}
	watts := rounded(c.Values[best], 0)
	p := curvePoint{DurationS: secs, PowerW: &watts}
	if gap(best) != 0 {
		p.NearestS = &c.Secs[best]
	}
	if len(c.Activities) == len(c.Secs) { // a shorter list has lost its order
		p.ActivityID = intervals.Clean(c.Activities[best], 30)
	}
	if normalised && best < len(c.PerKg) && c.PerKg[best] > 0 { // 0 where no weight is known
		perKg := rounded(c.PerKg[best], 2)
		p.PerKg = &perKg
		if len(c.PerKgActs) == len(c.Secs) {
			p.PerKgID = intervals.Clean(c.PerKgActs[best], 30)
		}
	}
	return p, true
}

// Text gives a block per curve, in the reference server's form.
func (l curveList) Text() string {
	if len(l.Curves) == 0 {
		return fmt.Sprintf("No power curve data found for athlete %s (%s).", l.AthleteID, l.Type)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Power Curves (%s):", parts(", ", l.Type, l.Where))
	for _, c := range l.Curves {
		fmt.Fprintf(&b, "\n\n%s%s:", c.Label, c.dates())
		for _, p := range c.Points {
			b.WriteString("\n  " + p.text())
		}
		if len(c.Points) == 0 {
			b.WriteString("\n  No data available for requested durations.")
		}
	}
	return b.String()
}

func (c curveItem) dates() string {
	if c.Start == "" {
		return ""
	}
	return " (" + c.Start + " to " + c.End + amount(", ", c.Days, " days") + ")"
}

func (p curvePoint) text() string {
	s := durationLabel(float64(p.DurationS)) + ":" + amount(" ", p.PowerW, "W")
	if p.PerKg != nil {
		s += " " + fixed(*p.PerKg, 2) + "W/kg"
	}
	switch {
	case p.ActivityID != "" && p.PerKgID != "" && p.PerKgID != p.ActivityID:
		s += " [" + p.ActivityID + "|wkg:" + p.PerKgID + "]"
	case p.ActivityID != "":
		s += " [" + p.ActivityID + "]"
	}
	if p.NearestS != nil {
		s += " (nearest point of the curve: " + durationLabel(*p.NearestS) + ")"
	}
	return s
}

// durationLabel is 5s, 2m, 1m30s, 1h or 1h30m.
func durationLabel(secs float64) string { return shortTime(secs) }
