package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

var getWellnessData = Tool{
	Name:  "get_wellness_data",
	Title: "Wellness, fitness and sleep by day",
	Description: "Daily wellness: fitness (CTL), fatigue (ATL), form at the end of the day, ramp, weight, resting HR, HRV, sleep, feelings in words with " +
		"the platform's 1-4 (1 best), nutrition, steps, custom fields, and means that leave out days without a value. Default: the last 30 days; " +
		"days after today are the projection. Long ranges come in pages.",
	Params: []Param{
		athleteParam,
		{Name: "start_date", Kind: Date, Doc: "First day. Default: 30 days before today."},
		{Name: "end_date", Kind: Date, Doc: "Last day, inclusive. Default: today."},
		{Name: "include_all_fields", Kind: Boolean, Default: false, Doc: "Everything the platform sends, the menstrual cycle included, a line per section."},
		{Name: "limit", Kind: Integer, Min: 1, Max: 1000, Doc: "Days per answer. Default: as many as fit."},
		cursorParam,
		todayParam,
	},
	Result: []Out{{"athlete_id", String, true}, {"start_date", String, true}, {"end_date", String, true}, {"wellness", List, true},
		{"means", Object, false}, {"days", Integer, false}, {"last_night", Object, false},
		{"count", Integer, true}, {"remaining", Integer, false}, {"next_cursor", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching wellness data",
	run:     handle(listWellness),
}

type wellnessIn struct {
	rangeArgs
	Athlete string `json:"athlete_id"`
	All     bool   `json:"include_all_fields"`
	Limit   int    `json:"limit"`
}

type wellnessList struct {
	AthleteID string         `json:"athlete_id"`
	Start     string         `json:"start_date"`
	End       string         `json:"end_date"`
	Wellness  []*wellnessDay `json:"wellness"`
	*wellnessMeans
	Page
	profile Profile
	texts   []string
}

func listWellness(ctx context.Context, rq *Request, in wellnessIn) (wellnessList, error) {
	days, fp, err := newDayRange(rq.now(), in.rangeArgs, -30, 0, in.Athlete, in.All)
	if err != nil {
		return wellnessList{}, err
	}
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return wellnessList{}, err
	}
	eyes := rq.viewer(ctx, who)
	rows, fetchErr := rq.wellnessRows(ctx, who, days)
	v, err := eyes.settle(ctx, days, fetchErr)
	if err != nil {
		return wellnessList{}, err
	}
	p, from, to, today := v.profile, v.from, v.to, v.today
	view := wellnessView{profile: p, custom: customFields(p.Items), full: in.All, today: today}
	if !v.self {
		view.private = p.Athlete.Texts("private_wellness_keys")
	}
	first := from
	if days.resume.After != "" {
		first = training.AddDays(days.resume.After, 1)
	}
	rows = view.visible(rows, first, to)
	out := wellnessList{AthleteID: p.ID, Start: from, End: to, profile: p, Wellness: []*wellnessDay{}}
	if days.resume.After == "" {
		out.wellnessMeans = view.means(rows, from, to)
	}
	out.page(view, rows, in.Limit)
	if left := len(rows) - len(out.Wellness); left > 0 {
		out.Left = left
		out.NextCursor = cursor{After: rows[len(out.Wellness)-1].Day(), From: from, To: to, Args: fp}.String()
	}
	return out, nil
}

// wellnessRows fetches what the window needs, nothing when it is reversed in
// every time zone.
func (rq *Request) wellnessRows(ctx context.Context, who subject, days dayRange) ([]intervals.Wellness, error) {
	oldest, newest := days.query(who.zone())
	if days.resume.After != "" {
		oldest = training.AddDays(days.resume.After, 1)
	}
	if oldest > newest {
		return nil, nil
	}
	return rq.Client.Wellness(ctx, who.id, oldest, newest, nil)
}

// visible cuts rows to the window, oldest first, and hides what is private.
func (v wellnessView) visible(rows []intervals.Wellness, from, to string) []intervals.Wellness {
	out := rows[:0:0]
	for _, w := range rows {
		d, err := parseDay(w.Day())
		if err != nil || d.fixed != w.Day() || w.Day() < from || w.Day() > to {
			continue
		}
		out = append(out, intervals.Wellness{Object: withoutPrivate(w.Object, v.private)})
	}
	slices.SortStableFunc(out, func(a, b intervals.Wellness) int { return strings.Compare(a.Day(), b.Day()) })
	return out
}

// page shows as many records as fit, at least one.
func (l *wellnessList) page(v wellnessView, rows []intervals.Wellness, limit int) {
	if limit == 0 {
		limit = len(rows)
	}
	var above intervals.Wellness
	n := fit(len(rows), limit, func(i int) int {
		d := v.record(rows[i], above)
		above = rows[i]
		raw, _ := d.MarshalJSON() // facts are plain values: cannot fail
		l.Wellness, l.texts = append(l.Wellness, &d), append(l.texts, d.text())
		return recordSize(l.texts[i], raw)
	})
	l.Wellness, l.texts, l.Shown = l.Wellness[:n], l.texts[:n], n
}

// wellnessMeans sum up the days up to today.
type wellnessMeans struct {
	Days      int             `json:"days"`
	Means     map[string]mean `json:"means,omitempty"`
	LastNight *lastNight      `json:"last_night,omitempty"`
	recorded  int
}

type mean struct {
	Mean float64 `json:"mean"`
	N    int     `json:"n"`
}

// lastNight is the newest night that has a length, with that day's feelings.
type lastNight struct {
	Date string
	day  wellnessDay
}

// MarshalJSON writes the night's own facts.
func (n *lastNight) MarshalJSON() ([]byte, error) { return n.day.MarshalJSON() }

var meanFields = []string{"hrv", "restingHR", "sleepSecs", "weight"}

// means leaves out days without a value, values carried over and the future:
// an absent day is never a zero, and a zero is an absent day.
func (v wellnessView) means(rows []intervals.Wellness, from, to string) *wellnessMeans {
	m := &wellnessMeans{Days: training.DaysBetween(from, min(to, v.today)) + 1, Means: map[string]mean{}}
	if from > v.today {
		return nil
	}
	for _, w := range rows {
		if w.Day() > v.today {
			break
		}
		m.recorded++
		for _, key := range meanFields {
			n, ok := wellnessNumber(w.Object, key)
			ok = ok && n > 0 // none of them can be zero
			carried, _ := w.Bool(map[string]string{"weight": "tempWeight", "restingHR": "tempRestingHR"}[key])
			if ok && !carried {
				sum := m.Means[key]
				m.Means[key] = mean{sum.Mean + n, sum.N + 1}
			}
			if ok && key == "sleepSecs" {
				m.LastNight = &lastNight{w.Day(), v.night(w)}
			}
		}
	}
	named := map[string]mean{}
	for i := range wellnessFields {
		f := &wellnessFields[i]
		if sum, ok := m.Means[f.key]; ok {
			named[f.name] = mean{rounded(sum.Mean/float64(sum.N), f.decimals), sum.N}
		}
	}
	if rhr, ok := m.Means["restingHR"]; ok {
		named["resting_hr_bpm"] = mean{rounded(rhr.Mean/float64(rhr.N), 1), rhr.N}
	}
	m.Means = named
	return m
}

// night keeps of a record what tells how the night was.
func (v wellnessView) night(w intervals.Wellness) wellnessDay {
	only := w.Only(func(key string) bool {
		switch key {
		case "id", "sleepSecs", "sleepHours", "sleepQuality", "soreness", "injury":
			return true
		}
		return false
	})
	return wellnessView{profile: v.profile, today: v.today}.record(intervals.Wellness{Object: only}, intervals.Wellness{})
}

func (m *wellnessMeans) text(u Units) string {
	if m == nil {
		return ""
	}
	var words []string
	add := func(label, name string, say func(float64) string) {
		if one, ok := m.Means[name]; ok {
			words = append(words, fmt.Sprintf("%s %s (n=%d/%d)", label, say(one.Mean), one.N, m.Days))
		}
	}
	one := func(v float64) string { return fixed(v, 1) }
	add("HRV", "hrv_ms", one)
	add("resting HR", "resting_hr_bpm", one)
	add("sleep", "sleep_s", hoursMinutes)
	add("weight", "weight_kg", u.Weight)
	lines := []string{}
	if len(words) > 0 {
		lines = append(lines, "Means: "+strings.Join(words, ", "))
	}
	if m.LastNight != nil {
		var facts []string
		for _, f := range m.LastNight.day.facts {
			if f.text != "" {
				facts = append(facts, f.text)
			}
		}
		lines = append(lines, "Last recorded night "+m.LastNight.Date+": "+strings.Join(facts, ", "))
	}
	return strings.Join(lines, "\n")
}

// The header names what the lines below it hold, section by section.
const (
	wellnessUnits = "Units: HR bpm, HRV ms (rMSSD), sleep h:mm; scales 1-4: 1 is best. CTL, ATL and form (CTL - ATL) are those at the end of the day."
	wellnessLines = "Training Metrics: form at the end of the day | Sport-Specific Info | Vital Signs: HRV ms | " +
		"Sleep & Recovery: h:mm | Subjective Feelings: 1 best - 4 | Nutrition & Hydration: | Activity"
)

// Text gives a header, the means and a line per day, oldest first.
func (l wellnessList) Text() string {
	if len(l.Wellness) == 0 {
		return fmt.Sprintf("No wellness data found for athlete %s in the specified date range.", l.AthleteID)
	}
	head := fmt.Sprintf("Wellness Data: athlete %s, %s to %s", l.AthleteID, l.Start, l.End)
	if l.wellnessMeans != nil && l.recorded < l.Days {
		head += fmt.Sprintf(", records of %d/%d days", l.recorded, l.Days)
	}
	legend, between := wellnessLines, "\n"
	if l.Wellness[0].full {
		legend, between = wellnessUnits, "\n\n"
	}
	return parts("\n", head, legend, l.wellnessMeans.text(l.profile.Units)) + "\n\n" +
		parts("\n\n", strings.Join(l.texts, between), l.Page.text("days"))
}

var _ json.Marshaler = (*lastNight)(nil)
