package change_test

import (
	"strings"
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

func (r road) asking(c identity.Confirm) road { r.call.Identity.Confirm = c; return r }

func (r road) confirm(t *testing.T, want change.Status, p *change.Result) *change.Result {
	t.Helper()
	res, err := r.Confirm(t.Context(), r.call, p.Confirmation, p.Summary)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != want {
		t.Fatalf("status %s, want %s: %s", res.Status, want, res.Text())
	}
	return res
}

func undo(t *testing.T, ids ...string) change.Undo {
	t.Helper()
	u := change.Undo{Today: "2026-07-15"}
	for _, s := range ids {
		id, err := audit.ParseID(s)
		if err != nil {
			t.Fatal(err)
		}
		u.IDs = append(u.IDs, id)
	}
	return u
}

func (r road) names(t *testing.T) map[string]string {
	t.Helper()
	list, err := r.call.Client.Events(t.Context(), "i1", "2026-01-01", "2026-12-31")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range list {
		out[e.Name()] = e.Str("start_date_local")
	}
	return out
}

func TestAPreviewWritesNothingAndItsConfirmationAppliesWhatWasShown(t *testing.T) {
	r := newRoad(t, &audit.Memory{}).asking(identity.ConfirmAll)
	p := r.do(t, change.Preview, create("A"))
	if p.Confirmation == "" || p.ChangeID != "" || len(r.names(t)) != 0 {
		t.Fatalf("%+v, calendar %v", p, r.names(t))
	}
	r.confirm(t, change.Applied, p)
	if len(r.names(t)) != 1 {
		t.Fatalf("calendar %v", r.names(t))
	}
	again := r.confirm(t, change.Replayed, p)
	if again.Outcome != "applied" || again.ChangeID == "" || len(r.names(t)) != 1 {
		t.Errorf("second use: %+v, calendar %v", again, r.names(t))
	}
	p.Summary = "another one"
	if no := r.confirm(t, change.RefusedNow, p); !strings.Contains(no.Reason, "used before, by change "+again.ChangeID) {
		t.Errorf("second use, with a wrong summary: %s", no.Reason)
	}
}

func TestWhatWasDoneCanBeTakenBackStepByStepAndAtOnce(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		r := newRoad(t, &audit.Memory{})
		r.do(t, change.Applied, create("stays"))
		start := r.names(t)
		made := r.do(t, change.Applied, create("A"))
		edit := change.EventEdit{Today: "2026-07-15", Day: "2026-07-22", Set: intervals.Patch{"name": "B"}}
		edit.ID, _ = intervals.Event{Object: made.State}.Int("id")
		changed := r.do(t, change.Applied, edit)
		gone := r.do(t, change.Applied, change.EventDelete{ID: edit.ID, Today: "2026-07-15"})
		ids := []string{gone.ChangeID, changed.ChangeID, made.ChangeID}
		if atOnce {
			r.call.Identity.Confirm = identity.ConfirmAll
			res, err := r.Do(t.Context(), r.call, undo(t, ids...))
			if err != nil || res.Status != change.RefusedNow { // made and deleted since: nothing is left
				t.Fatalf("%+v, %v", res, err)
			}
		} else {
			for _, id := range ids {
				r.do(t, change.Applied, undo(t, id))
			}
		}
		if got := r.names(t); len(got) != len(start) || got["stays"] == "" {
			t.Errorf("at once %v: calendar %v, want %v", atOnce, got, start)
		}
	}
}

func TestAnUndoOfAnUndoBringsTheChangeBack(t *testing.T) {
	r := newRoad(t, &audit.Memory{})
	made := r.do(t, change.Applied, create("A"))
	back := r.do(t, change.Applied, undo(t, made.ChangeID))
	r.do(t, change.Applied, undo(t, back.ChangeID))
	if got := r.names(t); len(got) != 1 || got["A"] != "2026-07-20T00:00:00" {
		t.Errorf("calendar %v", got)
	}
}
