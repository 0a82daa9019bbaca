package change_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
)

// add makes an event as the athlete's coach does on the website, and gives its id.
func (s *scene) add(o fake.Object) int {
	s.t.Helper()
	return int(s.other("POST", "/api/v1/athlete/i1/events", o)["id"].(float64))
}

func (s *scene) get(id int) map[string]any { return s.other("GET", s.event(id), nil) }

// postsAndPuts counts requests.
func (s *scene) postsAndPuts() (posts, puts int) {
	for _, r := range s.other("GET", "/_fake/requests", nil)["list"].([]any) {
		switch r.(map[string]any)["method"] {
		case "POST":
			posts++
		case "PUT":
			puts++
		}
	}
	return posts, puts
}

func TestWhatWasDeletedComesBackWithAllThatPeopleWrite(t *testing.T) {
	for name, o := range map[string]fake.Object{
		"tags, colour and time of day": {"category": "WORKOUT", "type": "Ride", "name": "x", "start_date_local": "2026-07-20T17:45:00", "tags": []any{"a", "b"}, "color": "red", "indoor": true},
		"a load set by hand":           {"category": "WORKOUT", "type": "Run", "name": "x", "start_date_local": "2026-07-20T00:00:00", "moving_time": 3600, "icu_training_load": 77, "distance": 12000},
		"text with steps":              {"category": "WORKOUT", "type": "Ride", "name": "x", "start_date_local": "2026-07-20T00:00:00", "description": steps},
		"text without steps":           {"category": "WORKOUT", "type": "Ride", "name": "x", "start_date_local": "2026-07-20T00:00:00", "description": "as you feel", "moving_time": 1800},
		"a range":                      {"category": "HOLIDAY", "name": "x", "start_date_local": "2026-07-20T00:00:00", "end_date_local": "2026-07-25T00:00:00"},
		"a note for the week":          {"category": "NOTE", "name": "x", "start_date_local": "2026-07-20T00:00:00", "for_week": true, "description": "words"},
		"a race":                       {"category": "RACE_A", "type": "Run", "name": "x", "start_date_local": "2026-07-20T10:00:00", "distance": 42195, "moving_time": 12000},
		"steps from a file, no text": {"category": "WORKOUT", "type": "Ride", "name": "x", "start_date_local": "2026-07-20T00:00:00",
			"workout_doc": map[string]any{"steps": []any{map[string]any{"duration": 600, "power": map[string]any{"value": 60, "units": "%ftp"}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := never(t)
			id := s.add(o)
			was := s.get(id)
			gone := s.do(change.Applied, change.EventDelete{ID: int64(id), Today: "2026-07-15"})
			r := s.do(change.Applied, undo(t, gone.ChangeID))
			is := s.get(s.idOf(r))
			for _, key := range append([]string{"end_date_local"}, keysOf(o)...) {
				if fmt.Sprint(is[key]) != fmt.Sprint(was[key]) {
					t.Errorf("%s = %v, was %v", key, is[key], was[key])
				}
			}
			if r.Objects[0].Replaces != fmt.Sprint(id) || !strings.Contains(r.Text(), "its id and creator are new") || is["uid"] == was["uid"] {
				t.Errorf("%s", r.Text())
			}
		})
	}
}

func keysOf(o fake.Object) []string {
	var out []string
	for k := range o {
		if k != "workout_doc" {
			out = append(out, k)
		}
	}
	return out
}

func (s *scene) idOf(r *change.Result) int {
	s.t.Helper()
	n, ok := intervals.Event{Object: r.State}.Int("id")
	if !ok {
		s.t.Fatalf("no id: %s", r.Text())
	}
	return int(n)
}

// Flags that hide an event or lock it must hold from the first request on: what
// was to be hidden would be seen for a moment, or a lock would refuse the rest.
func TestFlagsComeBackInTheFirstRequest(t *testing.T) {
	s := never(t)
	s.call.Me, s.call.Client = "i9", coachClient(t, s)
	id := s.add(fake.Object{"category": "WORKOUT", "type": "Ride", "name": "x", "start_date_local": "2026-07-20T00:00:00", "description": steps,
		"hide_from_athlete": true, "athlete_cannot_edit": true, "structure_read_only": true, "not_on_fitness_chart": true})
	s.call.Identity.Confirm = identity.ConfirmNever
	p := s.do(change.Preview, change.EventDelete{ID: int64(id), Today: "2026-07-15"}) // the athlete made it, not the coach
	gone := s.yes(s.one, p)
	posts, puts := s.postsAndPuts()
	s.do(change.Applied, undo(t, gone.ChangeID))
	nowPosts, nowPuts := s.postsAndPuts()
	if posts, puts := nowPosts-posts, nowPuts-puts; posts != 1 || puts != 0 {
		t.Errorf("%d POSTs, %d PUTs", posts, puts)
	}
	list, err := s.call.Client.Events(t.Context(), "i1", "2026-07-20", "2026-07-20")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range list {
		if e.Name() != "x" {
			continue
		}
		found = true
		for _, key := range []string{"hide_from_athlete", "athlete_cannot_edit", "structure_read_only", "not_on_fitness_chart"} {
			if on, _ := e.Bool(key); !on {
				t.Errorf("%s is off", key)
			}
		}
	}
	if !found {
		t.Error("it is not there")
	}
}

func coachClient(t *testing.T, s *scene) *intervals.Client {
	t.Helper()
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: s.fake.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	return up.Client(coachCredential())
}

func TestADoneSessionThatComesBackIsPairedAgain(t *testing.T) {
	for _, taken := range []bool{false, true} {
		s := never(t)
		s.at = time.Date(2026, 7, 20, 12, 0, 0, 0, time.UTC)
		s.other("POST", "/_fake/device", map[string]any{"event_id": 6, "activity_id": "i78"})
		gone := s.do(change.Applied, change.EventDelete{ID: 6, Today: "2026-07-20"})
		if !strings.Contains(gone.Text(), "unpairs activity i78") {
			t.Errorf("%s", gone.Text())
		}
		if taken { // it has become another session's since
			s.other("POST", "/_fake/device", map[string]any{"event_id": 1, "activity_id": "i78"})
		}
		u := undo(t, gone.ChangeID)
		u.Today = "2026-07-20"
		r := s.do(change.Applied, u)
		paired := fmt.Sprint(s.other("GET", "/api/v1/activity/i78", nil)["paired_event_id"])
		if want := map[bool]string{false: fmt.Sprint(float64(s.idOf(r))), true: "1"}[taken]; paired != want {
			t.Errorf("taken %v: paired with %s, want %s", taken, paired, want)
		}
		if taken != strings.Contains(r.Text(), "could not be paired") {
			t.Errorf("taken %v: %s", taken, r.Text())
		}
	}
}

func TestACustomItemIsUndoneInEachWay(t *testing.T) {
	s := never(t)
	item := func() map[string]any { return s.other("GET", "/api/v1/athlete/i1/custom-item/21", nil) }
	was := item()
	changed := s.do(change.Applied, change.ItemEdit{ID: 21, Set: intervals.Patch{"name": "renamed", "content": map[string]any{"code": "Fat", "type": "text"}}})
	s.do(change.Applied, undo(t, changed.ChangeID))
	if is := item(); is["name"] != was["name"] || fmt.Sprint(is["content"]) != fmt.Sprint(was["content"]) {
		t.Errorf("%v, was %v", is, was)
	}
	made := s.do(change.Applied, change.ItemEdit{Set: intervals.Patch{"type": "ACTIVITY_FIELD", "name": "new", "content": map[string]any{"code": "Net", "type": "text"}}})
	s.do(change.Applied, undo(t, made.ChangeID))
	gone := s.do(change.Applied, change.ItemDelete{ID: 21})
	back := s.do(change.Applied, undo(t, gone.ChangeID))
	if back.State.Str("name") != "field" || back.Objects[0].Replaces != "21" {
		t.Errorf("%s", back.Text())
	}
}

// Deleted, brought back, deleted by undoing that: the first deletion can still
// be undone, one at a time and all at once.
func TestADeletionIsUndoneAlsoAfterItsUndoWasUndone(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		s := never(t)
		first := s.do(change.Applied, change.EventDelete{ID: 6, Today: "2026-07-15"})
		back := s.do(change.Applied, undo(t, first.ChangeID))
		again := s.do(change.Applied, undo(t, back.ChangeID))
		if s.named("event 6") != 0 {
			t.Fatal("it stands")
		}
		if atOnce {
			s.do(change.Applied, undo(t, first.ChangeID, back.ChangeID, again.ChangeID))
		} else {
			s.do(change.Applied, undo(t, first.ChangeID))
		}
		if n := s.named("event 6"); n != 1 {
			t.Errorf("at once %v: %d events", atOnce, n)
		}
		s.do(change.RefusedNow, undo(t, first.ChangeID)) // it is there
	}
}

func TestWhatWasTooLargeToBeKeptIsNotOverwrittenByAnUndo(t *testing.T) {
	s := never(t)
	large := strings.Repeat("long words ", 6000)
	id := s.add(fake.Object{"category": "NOTE", "name": "x", "start_date_local": "2026-07-20T00:00:00", "description": large})
	changed := s.do(change.Applied, change.EventEdit{ID: int64(id), Today: "2026-07-15", Set: intervals.Patch{"name": "y", "description": "short"}})
	if u := changed.Objects[0].Undoable; !strings.HasPrefix(u, "partly (") {
		t.Errorf("undoable: %s", u)
	}
	r := s.do(change.Applied, undo(t, changed.ChangeID))
	if is := s.get(id); is["name"] != "x" || is["description"] != "short" || !strings.Contains(r.Text(), "too large") {
		t.Errorf("%v: %s", is["name"], r.Text())
	}
	// Deleted as well: what comes back has no note of a size for its text.
	gone := s.do(change.Applied, change.EventDelete{ID: int64(id), Today: "2026-07-15"})
	back := s.do(change.Applied, undo(t, gone.ChangeID, changed.ChangeID))
	if d, _ := back.State.Text("description"); strings.Contains(d, "_not_kept") || back.State.Str("name") != "x" {
		t.Errorf("description %.40q", d)
	}
}

func TestTooManyObjectsAreRefusedBeforeAnythingIsRead(t *testing.T) {
	s := never(t)
	var ids []string
	for n := range 2 {
		batch := change.EventBatch{Today: "2026-07-15"}
		for i := range 80 {
			batch.Edits = append(batch.Edits, create(fmt.Sprintf("many %d %d", n, i)))
		}
		ids = append(ids, s.do(change.Applied, batch).ChangeID)
	}
	seen := func() int { return len(s.other("GET", "/_fake/requests", nil)["list"].([]any)) }
	before := seen()
	s.do(change.RefusedNow, undo(t, ids...))
	huge := change.EventBatch{Today: "2026-07-15"}
	for i := range 10_000 {
		huge.Edits = append(huge.Edits, create(fmt.Sprint(i)))
	}
	s.do(change.RefusedNow, huge)
	many := change.Undo{Today: "2026-07-15", IDs: make([]audit.ID, 10_000)}
	s.do(change.RefusedNow, many)
	s.do(change.RefusedNow, change.RangeDelete{From: "2026-01-01", To: "2126-12-31", Today: "2026-07-15"})
	if n := seen(); n != before {
		t.Errorf("%d requests were sent", n-before)
	}
}
