package change_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

func TestTextThatReadsLikeAWordOfThePlatformIsTextAndComesBack(t *testing.T) {
	for _, word := range []string{"NONE", "AUTO"} {
		r := newRoad(t, &audit.Memory{})
		id := r.session(t, intervals.Patch{"name": word, "description": word})
		edit := change.EventEdit{ID: id, Today: "2026-07-15", Set: intervals.Patch{"name": "B", "description": "Easy"}}
		if p := r.asking(identity.ConfirmDestructive).do(t, change.Preview, edit); p.Summary == "" {
			t.Errorf("%s: %+v", word, p)
		}
		changed := r.do(t, change.Applied, edit)
		back := r.do(t, change.Applied, undo(t, changed.ChangeID))
		if name, text := back.State.Str("name"), back.State.Str("description"); name != word || text != word || len(back.Warnings) > 0 {
			t.Errorf("name %q and text %q, want %q; %v", name, text, word, back.Warnings)
		}
	}
}

func TestChangesOfWhichOneWasTakenBackAlreadyAreTakenBackTogether(t *testing.T) {
	for name, end := range map[string]struct {
		first func(r road) string // a change of the session, which is then deleted and brought back
		want  map[string]string
	}{
		"made":    {nil, map[string]string{}},
		"renamed": {func(r road) string { return r.set(t, r.onlyID(t), intervals.Patch{"name": "B"}) }, map[string]string{"A": "2026-07-20T00:00:00"}},
	} {
		r := newRoad(t, &audit.Memory{})
		older := r.do(t, change.Applied, create("A")).ChangeID
		if end.first != nil {
			older = end.first(r)
		}
		gone := r.do(t, change.Applied, change.EventDelete{ID: r.onlyID(t), Today: "2026-07-15"}).ChangeID
		r.do(t, change.Applied, undo(t, gone))
		back := r.do(t, change.Applied, undo(t, older, gone))
		if got := r.names(t); len(got) != len(end.want) || got["A"] != end.want["A"] || !strings.Contains(strings.Join(back.Warnings, " "), "was brought back already") {
			t.Errorf("%s: calendar %v, want %v; %v", name, got, end.want, back.Warnings)
		}
	}
}

// onlyID is the id of the one event that there is.
func (r road) onlyID(t *testing.T) int64 {
	t.Helper()
	list, err := r.call.Client.Events(t.Context(), "i1", "2026-01-01", "2026-12-31")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d events, %v", len(list), err)
	}
	return list[0].ID()
}

func TestWhatSomebodyDeletedDoesNotKeepTheRestFromBeingTakenBack(t *testing.T) {
	r := newRoad(t, &audit.Memory{})
	batch := change.EventBatch{Today: "2026-07-15", From: "2026-07-20", To: "2026-07-20"}
	for _, name := range []string{"A", "B", "C"} {
		id, _ := intervals.Event{Object: r.do(t, change.Applied, create(name)).State}.Int("id")
		batch.Edits = append(batch.Edits, change.EventEdit{ID: id, Day: "2026-07-22"})
	}
	moved := r.do(t, change.Applied, batch).ChangeID
	r.outside(t, http.MethodDelete, "/athlete/i1/events/"+strconv.FormatInt(batch.Edits[1].ID, 10), "")

	p := r.do(t, change.Preview, undo(t, moved)) // whatever the setting
	if len(p.Objects) != 2 || !strings.Contains(strings.Join(p.Warnings, " "), "no longer exists") {
		t.Fatalf("%d objects, %v", len(p.Objects), p.Warnings)
	}
	r.confirm(t, change.Applied, p)
	if got := r.names(t); len(got) != 2 || got["A"] != "2026-07-20T00:00:00" || got["C"] != "2026-07-20T00:00:00" {
		t.Errorf("calendar %v", got)
	}
	r.outside(t, http.MethodDelete, "/athlete/i1/events/"+strconv.FormatInt(batch.Edits[0].ID, 10), "")
	r.outside(t, http.MethodDelete, "/athlete/i1/events/"+strconv.FormatInt(batch.Edits[2].ID, 10), "")
	if no := r.do(t, change.RefusedNow, undo(t, moved)); !strings.Contains(no.Reason, "no longer exists") {
		t.Error(no.Reason)
	}
}

func TestAnUndoNamesTheActivityOfASessionThatWasMovedSince(t *testing.T) {
	r := newRoad(t, &audit.Memory{})
	made := r.do(t, change.Applied, create("A"))
	id := made.State.Str("id")
	r.outside(t, http.MethodPut, "/athlete/i1/events/"+id, `{"start_date_local":"2026-07-10T00:00:00"}`)
	r.outside(t, http.MethodPost, "/athlete/i1/activities/manual", `{"name":"Ride","type":"Ride","start_date_local":"2026-07-10T08:00:00","moving_time":3600,"paired_event_id":`+id+`}`)
	p := r.do(t, change.Preview, undo(t, made.ChangeID))
	if got := strings.Join(p.Warnings, " "); !strings.Contains(got, "unpairs activity") {
		t.Errorf("warnings %q", got)
	}
}

// outside sends a request as somebody else does.
func (r road) outside(t *testing.T, method, path, body string) {
	t.Helper()
	req := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	req.SetBasicAuth("API_KEY", testKey)
	rec := httptest.NewRecorder()
	r.fake.ServeHTTP(rec, req)
	if rec.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
	}
}
