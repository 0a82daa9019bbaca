package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/intervals/fake"
)

// busyCalendar is an athlete in London on Wed 15 Jul 2026, 13:30, with one of
// everything that a range delete must tell apart.
func busyCalendar(t testing.TB) *world {
	t.Helper()
	event := func(id int, category, day, name string, more ...any) fake.Object {
		o := fake.Object{"id": id, "category": category, "start_date_local": day + "T00:00:00", "name": name, "type": "Ride"}
		for i := 0; i < len(more); i += 2 {
			o[more[i].(string)] = more[i+1]
		}
		return o
	}
	return newWorld(t, fake.Dataset{Athletes: []fake.AthleteData{
		{APIKey: "busy-key-1", Athlete: fake.Object{"id": "i1", "timezone": "Europe/London"},
			Activities: []fake.Object{
				{"id": "i501", "type": "Ride", "start_date_local": "2026-07-14T09:00:00", "paired_event_id": 11, "moving_time": 3600},
				{"id": "i502", "type": "Ride", "start_date_local": "2026-07-16T00:10:00", "paired_event_id": 15, "moving_time": 3600},
				{"id": "777", "source": "STRAVA", "_note": "hidden", "start_date_local": "2026-07-13T09:00:00"},
			},
			Events: []fake.Object{
				event(10, "WORKOUT", "2026-07-12", "missed"), event(11, "WORKOUT", "2026-07-14", "done"),
				event(12, "WORKOUT", "2026-07-13", "maybe done on Strava"), event(13, "RACE_A", "2026-07-18", "race"),
				event(14, "NOTE", "2026-07-17", "note"), event(15, "WORKOUT", "2026-07-15", "done after midnight"),
				event(16, "WORKOUT", "2026-07-15", "today"), event(17, "WORKOUT", "2026-07-17", "planned"),
				event(18, "WORKOUT", "2026-07-19", "locked", "athlete_cannot_edit", true),
				event(19, "WORKOUT", "2026-07-19", "hidden", "hide_from_athlete", true),
				event(20, "SICK", "2026-07-10", "sick", "end_date_local", "2026-07-20T00:00:00"),
				event(21, "TARGET", "2026-07-13", "target", "load_target", 300), event(22, "WORKOUT", "2026-07-31", "last"),
				event(23, "WORKOUT", "2026-08-01", "outside"),
			}},
	}}, "2026-07-15T12:30:00Z")
}

func (w *world) left(t testing.TB) string {
	t.Helper()
	var ids []int
	for id := range w.calendar(t, "2026-07-01", "2026-08-31") {
		ids = append(ids, int(id))
	}
	slices.Sort(ids)
	return strings.Trim(fmt.Sprint(ids), "[]")
}

func TestBARangeDeleteIsLimitedAndSaysWhatItDeletedAndSpared(t *testing.T) {
	w := busyCalendar(t)
	a, out := w.status(t, "applied", "delete_events_by_date_range", map[string]any{"start_date": "2026-07-10", "end_date": "2026-07-31"})
	if got := w.left(t); got != "10 11 12 13 14 15 18 20 21 23" {
		t.Errorf("left = %s", got)
	}
	for _, want := range []string{"Deleted 3 events.\n", "- 16 2026-07-15 Wed WORKOUT Ride \"today\"", "- 17 2026-07-17", "- 22 2026-07-31", "2 spared, done sessions", ": 11, 15",
		"1 spared, races", ": 13", "2 spared, before the athlete's today", "1 spared, locked", "3 spared, of other categories"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("%q is missing in\n%s", want, a.Text)
		}
	}
	if out["deleted"] != 3.0 || len(out["objects"].([]any)) != 3 || out["summary"] != "Delete 3 events of Fri 10 Jul 2026 to Fri 31 Jul 2026 (22 days)" {
		t.Errorf("%v", out)
	}
	if n := w.requests(t, "DELETE", ""); n != 0 {
		t.Errorf("%d DELETE requests, want one bulk-delete", n)
	}
}

func TestARangeDeleteTakesMoreOnlyWhenAsked(t *testing.T) {
	for _, tt := range []struct {
		args map[string]any
		left string
	}{
		{map[string]any{"include_past": true}, "11 12 13 14 15 18 20 21 23"}, // 12: the hidden activity makes it unknown
		{map[string]any{"include_races": true}, "10 11 12 14 15 18 20 21 23"},
		{map[string]any{"categories": "NOTE"}, "10 11 12 13 15 16 17 18 20 21 22 23"},
		{map[string]any{"categories": []any{"note", "RACE_A"}, "include_races": true}, "10 11 12 15 16 17 18 20 21 22 23"},
		{map[string]any{"categories": []any{"RACE_A"}}, "10 11 12 13 14 15 16 17 18 20 21 22 23"},
		{map[string]any{"categories": []any{"SICK", "TARGET"}, "include_past": true}, "10 11 12 13 14 15 16 17 18 22 23"},
	} {
		w := busyCalendar(t)
		tt.args["start_date"], tt.args["end_date"] = "2026-07-10", "2026-07-31"
		a, _ := w.status(t, "applied", "delete_events_by_date_range", tt.args)
		if got := w.left(t); got != tt.left {
			t.Errorf("%v: left = %s, want %s\n%s", tt.args, got, tt.left, a.Text)
		}
	}
}

func TestARangeDeleteHasLimits(t *testing.T) {
	w := busyCalendar(t)
	for _, args := range []map[string]any{
		{"start_date": "2026-07-01", "end_date": "2026-08-01"},
	} {
		a, _ := w.status(t, "refused", "delete_events_by_date_range", args)
		if !strings.Contains(a.Text, "at most 31") {
			t.Errorf("%s", a.Text)
		}
	}
	w.fails(t, "delete_events_by_date_range", map[string]any{"start_date": "2026-07-20", "end_date": "2026-07-10"}, "is after end_date")
	w.fails(t, "delete_events_by_date_range", map[string]any{"start_date": "soon", "end_date": "2026-02-30", "categories": "PLAN"}, "start_date", "end_date")
	w.fails(t, "delete_events_by_date_range", map[string]any{"start_date": "2026-07-10", "end_date": "2026-07-11", "categories": "PLAN"}, `categories holds "PLAN"`)
	w.fails(t, "delete_events_by_date_range", map[string]any{"start_date": "2026-07-10"}, "end_date is required")
	var many []fake.Object
	for i := range 101 {
		many = append(many, fake.Object{"id": 100 + i, "category": "WORKOUT", "type": "Run", "start_date_local": "2026-07-20T00:00:00", "name": "x"})
	}
	w = emptyWorld(t, "Europe/London", "2026-07-15T12:30:00Z", many...)
	a, _ := w.status(t, "refused", "delete_events_by_date_range", map[string]any{"start_date": "2026-07-20", "end_date": "2026-07-20"})
	if !strings.Contains(a.Text, "101 events") || len(w.calendar(t, "2026-07-20", "2026-07-20")) != 101 {
		t.Errorf("%s", a.Text)
	}
}

func TestARangeDeleteGoesByTheAthletesToday(t *testing.T) {
	for zone, want := range map[string]int{"Pacific/Auckland": 1, "America/Los_Angeles": 2} { // the 16th and the 15th
		w := emptyWorld(t, zone, "2026-07-15T12:30:00Z",
			fake.Object{"id": 1, "category": "WORKOUT", "type": "Run", "start_date_local": "2026-07-15T00:00:00", "name": "a"},
			fake.Object{"id": 2, "category": "WORKOUT", "type": "Run", "start_date_local": "2026-07-16T00:00:00", "name": "b"})
		_, out := w.status(t, "applied", "delete_events_by_date_range", map[string]any{"start_date": "2026-07-15", "end_date": "2026-07-16"})
		if out["deleted"] != float64(want) {
			t.Errorf("%s: %v deleted, want %d", zone, out["deleted"], want)
		}
	}
}

func TestARangeDeleteSurvivesFaults(t *testing.T) {
	for name, tt := range map[string]struct{ faults, status, left string }{
		"cut after":          {`{"cut":"after"}`, "applied", "10 11 12 13 14 15 18 20 21 23"},
		"cut before":         {`{"cut":"before"}`, "applied", "10 11 12 13 14 15 18 20 21 23"},
		"cut before, twice":  {`{"cut":"before","times":2}`, "unknown", "10 11 12 13 14 15 16 17 18 20 21 22 23"},
		"500, twice":         {`{"status":500,"times":2}`, "failed", "10 11 12 13 14 15 16 17 18 20 21 22 23"},
		"403":                {`{"status":403}`, "failed", "10 11 12 13 14 15 16 17 18 20 21 22 23"},
		"wrong body":         {`{"body":"oops"}`, "applied", "10 11 12 13 14 15 18 20 21 23"},
		"said, but not done": {`{"status":200,"body":{"eventsDeleted":3}}`, "failed", "10 11 12 13 14 15 16 17 18 20 21 22 23"},
	} {
		t.Run(name, func(t *testing.T) {
			w := busyCalendar(t)
			w.faults(t, `[{"method":"PUT","path":"bulk-delete",`+tt.faults[1:]+`]`)
			a, out := w.calls(t, 20*time.Second, "delete_events_by_date_range", map[string]any{"start_date": "2026-07-10", "end_date": "2026-07-31"})
			if out["status"] != tt.status || w.left(t) != tt.left || w.outcomes(t)[0] != tt.status {
				t.Errorf("%v, left %s, log %v: %s", out["status"], w.left(t), w.outcomes(t), a.Text)
			}
			if tt.status == "failed" && !strings.Contains(a.Text, "Failed to delete 3 events: [16, 17, 22]") {
				t.Errorf("text = %s", a.Text)
			}
		})
	}
}

func TestDeletingADoneSessionNamesTheActivityItUnpairs(t *testing.T) {
	w := busyCalendar(t)
	a, out := w.status(t, "applied", "delete_event", map[string]any{"event_id": "11"})
	if !strings.Contains(a.Text, "unpairs activity i501") || !strings.HasPrefix(a.Text, "Successfully deleted event id: 11") {
		t.Errorf("text = %s", a.Text)
	}
	if o := out["objects"].([]any)[0].(map[string]any); !strings.HasPrefix(o["undoable"].(string), "partly (") {
		t.Errorf("object = %v", o)
	}
	a, _ = w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": 15, "start_date": "2026-07-20"})
	if !strings.Contains(a.Text, "unpairs activity i502") || !strings.Contains(a.Text, "may already be on the watch") {
		t.Errorf("text = %s", a.Text)
	}
	if code := w.upstream(t, "GET", "/api/v1/activity/i501", "", nil); code != 200 {
		t.Errorf("the activity answers %d", code)
	}
}

func TestLockedAndHiddenEventsAreNotTheAthletesToChange(t *testing.T) {
	w := busyCalendar(t)
	for _, tool := range []string{"delete_event", "add_or_update_event"} {
		args := map[string]any{"event_id": 18}
		if tool == "add_or_update_event" {
			args["name"] = "x"
		}
		a, _ := w.status(t, "refused", tool, args)
		if !strings.Contains(a.Text, "the athlete cannot edit it") {
			t.Errorf("text = %s", a.Text)
		}
		args["event_id"] = 19
		w.fails(t, tool, args, "there is no such event")
	}
	if n := w.requests(t, "PUT", "/events/") + w.requests(t, "DELETE", "/events/"); n != 0 {
		t.Errorf("%d writes were sent", n)
	}
}

func TestReadOnlyThingsStay(t *testing.T) {
	w := emptyWorld(t, "Europe/London", "2026-07-15T12:30:00Z",
		fake.Object{"id": 1, "category": "SET_FITNESS", "start_date_local": "2026-07-20T00:00:00", "name": "a", "icu_ctl": 50, "icu_atl": 50},
		fake.Object{"id": 2, "category": "WORKOUT", "type": "Run", "start_date_local": "2026-07-20T00:00:00", "name": "s", "structure_read_only": true, "description": "- 10m 50%"},
		fake.Object{"id": 3, "category": "TARGET", "type": "Run", "start_date_local": "2026-07-20T00:00:00", "name": "t", "load_target": 300})
	w.status(t, "refused", "delete_event", map[string]any{"event_id": 1})
	w.status(t, "refused", "add_or_update_event", map[string]any{"event_id": 1, "name": "x"})
	w.status(t, "refused", "add_or_update_event", map[string]any{"event_id": 2, "description": "- 20m 50%"})
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": 2, "name": "renamed"})
	w.status(t, "refused", "add_or_update_event", map[string]any{"event_id": 3, "start_date": "2026-07-22"})
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": 3, "start_date": "2026-07-27"})
}

func TestIdsThatCouldReachAnotherEndpointAreRefused(t *testing.T) {
	w := busyCalendar(t)
	for _, id := range []any{"../athlete", "1/2", "1?x=y", "i12", "-5", "1e3", "99999999999999999999", "0"} {
		w.fails(t, "delete_event", map[string]any{"event_id": id}, "event_id must be")
	}
	w.fails(t, "delete_event", map[string]any{"event_id": 424242}, "there is no such event")
	w.fails(t, "delete_event", map[string]any{"event_id": 17, "athlete_id": "i999"}, "not within reach")
	w.fails(t, "add_activity_message", map[string]any{"activity_id": "i501/messages", "content": "x"}, "activity_id must be")
}
