package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var deleteEvent = Tool{
	Name:        "delete_event",
	Title:       "Delete a calendar event",
	Description: "Deletes one planned workout, race, note or period by id, never a recorded activity. Says which activity it unpairs where the session was done. delete_events_by_date_range deletes more.",
	Params: []Param{
		{Name: "event_id", Kind: ID, Required: true, Doc: "Number of the event; get_events lists them."},
		athleteParam,
	},
	Result:  writeOut("event"),
	Hints:   deletes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetCore,
	Failure: "Error deleting event",
	run:     handle(removeEvent),
}

type eventDeleteIn struct {
	Event   string `json:"event_id"`
	Athlete string `json:"athlete_id"`
}

func removeEvent(ctx context.Context, rq *Request, in eventDeleteIn) (eventWritten, error) {
	id, err := eventNumber(in.Event)
	if err != nil {
		return eventWritten{}, refuse("event_id", "%s", err)
	}
	at, err := rq.place(ctx, in.Athlete)
	if err != nil {
		return eventWritten{}, err
	}
	r, err := rq.do(ctx, at, change.EventDelete{ID: id, Today: at.p.today(rq.now())})
	if err != nil {
		return eventWritten{}, eventError(err, id)
	}
	return rq.eventDeleted(at, r, id), nil
}

func (rq *Request) eventDeleted(at place, r *change.Result, id int64) eventWritten {
	if w, ok := rq.unmade(at, r); ok {
		return eventWritten{written: w}
	}
	out := eventWritten{written: written{Result: r}}
	var facts []string
	if r.State.Len() > 0 { // it still stands
		item := newEventItem(intervals.Event{Object: r.State}, at.p, diary{})
		out.Event = &item
	}
	if !r.IsError() {
		facts = []string{r.Summary, undoLine(r)}
	}
	out.text = say(r, "Error deleting event", fmt.Sprintf("Successfully deleted event id: %d", id), facts...)
	return out
}

// undoLine says whether a change could be taken back, where that is not plain.
func undoLine(r *change.Result) string {
	if len(r.Objects) == 0 || r.Objects[0].Undoable == "yes" {
		return ""
	}
	return "Undoable: " + r.Objects[0].Undoable
}

var categoryWords = []string{"WORKOUT", "RACE_A", "RACE_B", "RACE_C", "NOTE", "HOLIDAY", "SICK", "INJURED", "TARGET"}

var deleteEventsByDateRange = Tool{
	Name:  "delete_events_by_date_range",
	Title: "Delete the planned events of some days",
	Description: "Deletes the planned workouts of at most 31 days, both ends inclusive, at most 100. Spares done sessions, races, days before today and other categories " +
		"unless asked for, and says what it deleted and spared.",
	Params: []Param{
		{Name: "start_date", Kind: Date, Required: true},
		{Name: "end_date", Kind: Date, Required: true},
		athleteParam,
		{Name: "categories", Kind: List, Items: String, Doc: "Default WORKOUT. Of " + strings.Join(categoryWords, ", ") + "."},
		{Name: "include_races", Kind: Boolean, Default: false},
		{Name: "include_past", Kind: Boolean, Default: false, Doc: "Also before the athlete's today. Done sessions stay."},
		todayParam,
	},
	Result:  append(append([]Out{}, resultOut...), Out{"deleted", Integer, true}, Out{"spared", Object, false}),
	Hints:   deletes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetFull,
	Failure: "Error deleting events",
	run:     handle(removeEvents),
}

type rangeDeleteIn struct {
	Start      string   `json:"start_date"`
	End        string   `json:"end_date"`
	Athlete    string   `json:"athlete_id"`
	Categories []string `json:"categories"`
	Races      bool     `json:"include_races"`
	Past       bool     `json:"include_past"`
	Today      string   `json:"today"`
}

type rangeDeleted struct {
	written
	Deleted int             `json:"deleted"`
	Spared  json.RawMessage `json:"spared,omitempty"` // ids by reason
}

func removeEvents(ctx context.Context, rq *Request, in rangeDeleteIn) (rangeDeleted, error) {
	var problems Problems
	for i, c := range in.Categories {
		in.Categories[i] = strings.ToUpper(strings.TrimSpace(c))
		if !slices.Contains(categoryWords, in.Categories[i]) {
			problems = append(problems, Problem{Arg: "categories", Message: "holds " + Quote(c, 30), Next: "one of " + strings.Join(categoryWords, ", ")})
		}
	}
	w, err := newWindow(rq.now(), in.Start, in.End, in.Today, 0, 0)
	if more, ok := err.(Problems); ok { //nolint:errorlint // newWindow gives nothing else
		problems = append(problems, more...)
	}
	if len(problems) > 0 {
		return rangeDeleted{}, problems
	}
	at, err := rq.place(ctx, in.Athlete)
	if err != nil {
		return rangeDeleted{}, err
	}
	from, to, today, err := w.exact(at.p.Zone)
	if err != nil {
		return rangeDeleted{}, err
	}
	var spared change.Spared
	r, err := rq.do(ctx, at, change.RangeDelete{From: from, To: to, Categories: in.Categories, IncludeRaces: in.Races, IncludePast: in.Past,
		Today: today, Spared: &spared})
	if err != nil {
		return rangeDeleted{}, err
	}
	return rq.rangeDeleted(at, r, spared), nil
}

func (rq *Request) rangeDeleted(at place, r *change.Result, spared change.Spared) rangeDeleted {
	if w, ok := rq.unmade(at, r, spared.Sentences()...); ok {
		return rangeDeleted{written: w, Spared: sparedJSON(spared)}
	}
	out := rangeDeleted{written: written{Result: r}, Deleted: r.Count("applied"), Spared: sparedJSON(spared)}
	first := fmt.Sprintf("Deleted %d events.", out.Deleted)
	var lines, left []string
	for _, o := range r.Objects {
		line := fmt.Sprintf("- %s %s", o.ID, deletedWords(o))
		if o.Status != "applied" {
			left = append(left, o.ID)
			line += ": " + strings.ReplaceAll(o.Status, "_", " ")
		}
		if len(lines) < 40 || o.Status != "applied" {
			lines = append(lines, line)
		}
	}
	if len(left) > 0 {
		first += fmt.Sprintf(" Failed to delete %d events: [%s]", len(left), strings.Join(left, ", "))
	}
	if r.IsError() && len(r.Objects) > 0 {
		lines = append([]string{first}, lines...)
	}
	out.text = say(r, "Error deleting events", first, append(lines, spared.Sentences()...)...)
	return out
}

// deletedWords says what an event was.
func deletedWords(o change.ObjectResult) string {
	was := map[string]string{}
	for _, f := range o.Fields {
		if s, ok := f.Old.(string); ok {
			was[f.Field] = intervals.Clean(s, 60)
		}
	}
	day, _, _ := strings.Cut(was["start_date_local"], "T")
	return parts(" ", day, weekday(day), was["category"], was["type"], Quote(was["name"], 60))
}

func sparedJSON(s change.Spared) json.RawMessage {
	all := map[string][]string{}
	for reason, ids := range map[string][]string{"done": s.Done, "races": s.Races, "past": s.Past, "unknown": s.Unknown, "locked": s.Locked, "other_categories": s.Other} {
		if len(ids) > 0 {
			all[reason] = ids
		}
	}
	if len(all) == 0 {
		return nil
	}
	return mustJSON(all)
}
