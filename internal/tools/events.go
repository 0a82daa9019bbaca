package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// eventCategories are all that a calendar holds (API.md 3.2).
var eventCategories = []string{"WORKOUT", "RACE_A", "RACE_B", "RACE_C", "NOTE", "HOLIDAY", "SICK", "INJURED", "TARGET",
	"SEASON_START", "SET_EFTP", "FITNESS_DAYS", "SET_FITNESS", "PLAN"}

var getEvents = Tool{
	Name:  "get_events",
	Title: "Calendar events",
	Description: "Planned workouts, races, notes, targets, holidays and sick periods of a range of local days, oldest first: category, sport, load, time, " +
		"distance, steps in short, and whether past sessions were done. Default: today and 30 days ahead. get_event_by_id gives one event in full.",
	Params: []Param{
		athleteParam,
		{Name: "start_date", Kind: Date, Doc: "First day. Default: today."},
		{Name: "end_date", Kind: Date, Doc: "Last day, inclusive. Default: 30 days after today."},
		{Name: "category", Kind: List, Items: Enum, Enum: eventCategories,
			Schema: `{"type":"array","items":{"type":"string","enum":` + string(mustJSON(eventCategories)) + `},"description":"Only these. Default: all."}`},
		{Name: "limit", Kind: Integer, Default: 100, Min: 1, Max: 500},
		cursorParam,
		todayParam,
	},
	Result: []Out{{"athlete_id", String, true}, {"start_date", String, true}, {"end_date", String, true}, {"events", List, true},
		{"count", Integer, true}, {"remaining", Integer, false}, {"next_cursor", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching events",
	run:     handle(listEvents),
}

type eventsIn struct {
	rangeArgs
	Athlete    string   `json:"athlete_id"`
	Categories []string `json:"category"`
	Limit      int      `json:"limit"`
}

type eventList struct {
	AthleteID string      `json:"athlete_id"`
	Start     string      `json:"start_date"`
	End       string      `json:"end_date"`
	Events    []eventItem `json:"events"`
	Page
	texts []string
}

func listEvents(ctx context.Context, rq *Request, in eventsIn) (eventList, error) {
	days, fp, err := newDayRange(rq.now(), in.rangeArgs, 0, 30, in.Athlete, in.Categories)
	if err != nil {
		return eventList{}, err
	}
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return eventList{}, err
	}
	eyes := rq.viewer(ctx, who)
	done := rq.startDone(ctx, who, days)
	list, fetchErr := rq.eventRows(ctx, who, days)
	v, err := eyes.settle(ctx, days, fetchErr)
	if err != nil {
		return eventList{}, err
	}
	p, from, to, today := v.profile, v.from, v.to, v.today
	list = visibleEvents(list, from, to, v.self)
	sessions, err := done.wait(ctx)
	if err != nil {
		rq.note("Activities could not be read, so whether past sessions were done is not said.")
	}
	book := newDiary(sessions, list, today, err == nil)
	list = wantedEvents(list, in.Categories, days.resume.After)
	out := eventList{AthleteID: p.ID, Start: from, End: to, Events: []eventItem{}}
	n := fit(len(list), in.Limit, func(i int) int {
		e := newEventItem(list[i], p, book)
		line := e.line()
		if i == 0 || e.day != list[i-1].Day() {
			line = e.day + " " + weekday(e.day) + "\n" + line
		}
		out.Events, out.texts = append(out.Events, e), append(out.texts, line)
		return recordSize(out.texts[i], mustJSON(e))
	})
	out.Events, out.texts, out.Shown = out.Events[:n], out.texts[:n], n
	if out.Left = len(list) - n; out.Left > 0 {
		out.NextCursor = cursor{After: eventKey(list[n-1]), From: from, To: to, Args: fp}.String()
	}
	return out, nil
}

// eventRows fetches the calendar; all categories, since the periods decide
// what a missed session means.
func (rq *Request) eventRows(ctx context.Context, who subject, days dayRange) ([]intervals.Event, error) {
	oldest, newest := days.query(who.zone())
	if oldest > newest {
		return nil, nil
	}
	return rq.Client.Events(ctx, who.id, oldest, newest)
}

// eventKey orders events: by start, then by id.
func eventKey(e intervals.Event) string {
	return fmt.Sprintf("%s %012d", e.Str("start_date_local"), e.ID())
}

// visibleEvents cuts to the window, sorts, and keeps back what a coach hides
// from the athlete.
func visibleEvents(list []intervals.Event, from, to string, self bool) []intervals.Event {
	out := list[:0:0]
	for _, e := range list {
		hidden, _ := e.Bool("hide_from_athlete")
		if e.Day() > to || lastDay(e) < from || (hidden && self) {
			continue
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b intervals.Event) int { return strings.Compare(eventKey(a), eventKey(b)) })
	return out
}

// wantedEvents keeps the categories asked for, after the page before.
func wantedEvents(list []intervals.Event, categories []string, after string) []intervals.Event {
	return slices.DeleteFunc(list, func(e intervals.Event) bool {
		return eventKey(e) <= after || (len(categories) > 0 && !slices.Contains(categories, e.Category()))
	})
}

// lastDay is the last day of an event, inclusive; end_date_local is exclusive
// (API.md 1.4).
func lastDay(e intervals.Event) string {
	end, clock, _ := strings.Cut(intervals.Clean(e.Str("end_date_local"), 30), "T")
	if end == "" {
		return e.Day()
	}
	if strings.Trim(clock, "0:.") == "" {
		end = training.AddDays(end, -1)
	}
	return max(end, e.Day())
}

// Text gives a header and a line per event.
func (l eventList) Text() string {
	if len(l.Events) == 0 {
		return fmt.Sprintf("No events found for athlete %s in the specified date range.", l.AthleteID)
	}
	head := fmt.Sprintf("Events: athlete %s, %s to %s\nNo category = WORKOUT; %% = intensity; steps in short, m = minutes, mtr = metres", l.AthleteID, l.Start, l.End)
	return parts("\n\n", head, strings.Join(l.texts, "\n"), l.Page.text("events"))
}
