package tools

import (
	"context"
	"strings"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// diary knows which planned sessions were done. An event says nothing of it
// itself: an activity names the event that it did (domain.md "Done, missed,
// unknown").
type diary struct {
	today   string
	known   bool              // whether activities were read
	done    map[int64]string  // event id -> activity id
	hidden  map[string]bool   // days with an activity that Strava hides
	periods []intervals.Event // sick, injured, unavailable
}

// doneFields are all that pairing needs of an activity.
var doneFields = []string{"id", "paired_event_id", "start_date_local", "type", "source", "_note", "icu_athlete_id"}

// startDone fetches the activities of the past part of a window and a day on
// either side; an empty future of them when it has no past part.
func (rq *Request) startDone(ctx context.Context, who subject, days dayRange) *future[[]intervals.Activity] {
	f := &future[[]intervals.Activity]{done: make(chan struct{})}
	oldest, newest := days.query(who.zone())
	newest = min(newest, rq.now().UTC().AddDate(0, 0, 1).Format(training.DayLayout))
	if oldest > newest {
		close(f.done)
		return f
	}
	go func() {
		defer close(f.done)
		f.value, f.err = rq.Client.Activities(ctx, who.id, intervals.ActivityQuery{
			Oldest: training.AddDays(oldest, -1), Newest: training.AddDays(newest, 1), Fields: doneFields})
	}()
	return f
}

func newDiary(activities []intervals.Activity, events []intervals.Event, today string, known bool) diary {
	d := diary{today: today, known: known, done: map[int64]string{}, hidden: map[string]bool{}}
	for _, a := range activities {
		if a.Hidden() {
			d.hidden[a.Day()] = true
		}
		if id, ok := a.Int("paired_event_id"); ok && id > 0 {
			d.done[id] = a.ID()
		}
	}
	for _, e := range events {
		if c := e.Category(); c == "SICK" || c == "INJURED" || e.Str("training_availability") == "UNAVAILABLE" {
			d.periods = append(d.periods, e)
		}
	}
	return d
}

// status is done, missed, to_come, unknown or excused, and the activity that
// did it; empty for what is no session.
func (d diary) status(e intervals.Event) (status, activity string) {
	if c := e.Category(); c != "WORKOUT" && !strings.HasPrefix(c, "RACE_") {
		return "", ""
	}
	if id, ok := d.done[e.ID()]; ok {
		return "done", id
	}
	switch day := e.Day(); {
	case day > d.today:
		return "to_come", ""
	case !d.known:
		return "", ""
	case d.hidden[day]:
		return "unknown", ""
	case d.excused(day):
		return "excused", ""
	case day == d.today:
		return "to_come", ""
	}
	return "missed", ""
}

func (d diary) excused(day string) bool {
	for _, p := range d.periods {
		if p.Day() <= day && day <= lastDay(p) {
			return true
		}
	}
	return false
}
