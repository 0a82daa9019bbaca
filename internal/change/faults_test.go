package change_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/state"
)

// The faults that safety.md says are survived, each by its name. Every one is
// played for a change of one event and, where it applies, of many.

var errDown = errors.New("down")

// flaky is a log whose writes fail: before or after they had their effect.
type flaky struct {
	audit.Log
	phase audit.Phase
	after bool
	left  int // how often, < 0 = always
}

func (l *flaky) Append(ctx context.Context, items []audit.Item) error {
	if l.left == 0 || items[0].Phase != l.phase {
		return l.Log.Append(ctx, items)
	}
	l.left--
	if l.after {
		if err := l.Log.Append(ctx, items); err != nil {
			return err
		}
	}
	return errDown
}

// flakyState is a state store whose use of a confirmation fails.
type flakyState struct {
	state.Store
	after bool
	left  int
}

func (s *flakyState) Use(ctx context.Context, user, handle string, head audit.Item) error {
	if s.left == 0 {
		return s.Store.Use(ctx, user, handle, head)
	}
	s.left--
	if s.after {
		if err := s.Store.Use(ctx, user, handle, head); err != nil {
			return err
		}
	}
	return errDown
}

func (s *scene) faults(list string) {
	s.t.Helper()
	var faults []any
	if err := json.Unmarshal([]byte(list), &faults); err != nil {
		s.t.Fatal(err)
	}
	s.other("POST", "/_fake/faults", faults)
}

func (s *scene) do(want change.Status, p change.Planner) *change.Result {
	s.t.Helper()
	r, err := s.one.Do(s.t.Context(), s.call, p)
	if err != nil {
		s.t.Fatal(err)
	}
	if r.Status != want {
		s.t.Fatalf("status %s, want %s: %s", r.Status, want, r.Text())
	}
	return r
}

func (s *scene) named(name string) int {
	n := 0
	for _, e := range s.other("GET", "/api/v1/athlete/i1/events?oldest=2026-07-01&newest=2026-07-31", nil)["list"].([]any) {
		if e.(map[string]any)["name"] == name {
			n++
		}
	}
	return n
}

// outcome is what the log says of a change; "" while it is unfinished.
func (s *scene) outcome(id string) audit.Status {
	s.t.Helper()
	at, err := audit.ParseID(id)
	if err != nil {
		s.t.Fatal(err)
	}
	items, err := s.log.Change(s.t.Context(), s.user, at)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, i := range items {
		if i.Head() && i.Phase == audit.Outcome {
			return i.Status
		}
	}
	return ""
}

func never(t *testing.T) *scene { return newScene(t, inMemory(t), "u", identity.ConfirmNever) }

// through puts something in front of a scene's stores.
func (s *scene) through(log func(audit.Log) audit.Log, store func(state.Store) state.Store) {
	l, st := s.open(s.t, s.now)
	if log != nil {
		l = log(l)
	}
	if store != nil {
		st = store(st)
	}
	s.one = change.New(change.Config{Log: l, State: st, Now: s.now})
}

func TestAnAuditLogThatIsDownBeforeTheWriteRefusesTheChange(t *testing.T) {
	s := never(t)
	s.through(func(l audit.Log) audit.Log { return &flaky{l, audit.Intent, false, -1} }, nil)
	s.do(change.RefusedNow, create("new"))
	if s.writes() != 0 || s.named("new") != 0 {
		t.Error("something was written")
	}
}

func TestAnIntentWhoseWriteWasNotAnsweredIsNotCalledRefused(t *testing.T) {
	for _, after := range []bool{true, false} {
		s := never(t)
		s.through(func(l audit.Log) audit.Log { return &headFails{Log: l, after: after, left: 1} }, nil)
		r := s.do(change.Applied, create("new"))
		if s.outcome(r.ChangeID) != audit.Applied || s.named("new") != 1 {
			t.Errorf("log says %q, %d events", s.outcome(r.ChangeID), s.named("new"))
		}
	}
}

// headFails loses head intents.
type headFails struct {
	audit.Log
	after bool
	left  int
}

func (l *headFails) Append(ctx context.Context, items []audit.Item) error {
	if last := items[len(items)-1]; l.left > 0 && last.Head() && last.Phase == audit.Intent {
		l.left--
		if l.after {
			if err := l.Log.Append(ctx, items); err != nil {
				return err
			}
		}
		return errDown
	}
	return l.Log.Append(ctx, items)
}

func TestAConfirmationWhoseUseWasNotAnsweredMakesTheChangeOnce(t *testing.T) {
	for _, after := range []bool{true, false} {
		s := newScene(t, inMemory(t), "u", identity.ConfirmAll)
		s.through(nil, func(st state.Store) state.Store { return &flakyState{st, after, 1} })
		p := s.do(change.Preview, create("new"))
		if r := s.yes(s.one, p); r.Status != change.Applied || s.named("new") != 1 {
			t.Errorf("%s, %d events", r.Text(), s.named("new"))
		}
		if r := s.yes(s.one, p); r.Status != change.Replayed || r.Outcome != "applied" || s.named("new") != 1 {
			t.Errorf("again: %s, %d events", r.Text(), s.named("new"))
		}
	}
}

func TestAStateStoreThatIsDownKeepsTheConfirmationAndWritesNothing(t *testing.T) {
	s := newScene(t, inMemory(t), "u", identity.ConfirmAll)
	p := s.do(change.Preview, create("new"))
	sound := s.one
	s.through(nil, func(st state.Store) state.Store { return &flakyState{st, false, -1} })
	if r := s.yes(s.one, p); r.Status != change.RefusedNow || s.writes() != 0 {
		t.Errorf("%s, %d writes", r.Text(), s.writes())
	}
	if r := s.yes(sound, p); r.Status != change.Applied {
		t.Errorf("later: %s", r.Text())
	}
}

func TestAnAuditLogThatIsDownAfterTheWriteIsSaidAndFoundOutLater(t *testing.T) {
	for _, after := range []bool{true, false} {
		s := never(t)
		s.through(func(l audit.Log) audit.Log { return &flaky{l, audit.Outcome, after, -1} }, nil)
		r := s.do(change.Applied, create("new"))
		if !strings.Contains(strings.Join(r.Warnings, " "), "could not be written to the audit log") {
			t.Errorf("warnings %v", r.Warnings)
		}
		s.pass(5 * time.Minute)
		id, _ := audit.ParseID(r.ChangeID)
		if found, err := s.process(0).Resolve(t.Context(), s.call, s.user, id); err != nil || found.Status != change.Applied || s.outcome(r.ChangeID) != audit.Applied {
			t.Errorf("resolved: %+v, %v", found, err)
		}
	}
}

func TestAChangeThatMayStillRunIsNeitherResolvedNorUndone(t *testing.T) {
	s := never(t)
	s.through(func(l audit.Log) audit.Log { return &flaky{l, audit.Outcome, false, -1} }, nil)
	r := s.do(change.Applied, create("new"))
	id, _ := audit.ParseID(r.ChangeID)
	if found, err := s.process(0).Resolve(t.Context(), s.call, s.user, id); err != nil || found.Status != change.UnknownDone || s.outcome(r.ChangeID) != "" {
		t.Errorf("%+v, %v", found, err)
	}
	s.do(change.RefusedNow, undo(t, r.ChangeID))
	s.pass(5 * time.Minute)
	s.do(change.Applied, undo(t, r.ChangeID))
	if s.named("new") != 0 {
		t.Error("it stands")
	}
}

func TestAnOutcomeOfWhichHalfWasWrittenIsEnded(t *testing.T) {
	s := never(t)
	half := &halfOutcome{}
	s.through(func(l audit.Log) audit.Log { half.Log = l; return half }, nil)
	batch := change.EventBatch{Today: "2026-07-15"}
	for i := range 100 { // their outcome takes two transactions
		batch.Edits = append(batch.Edits, create(fmt.Sprintf("many %d", i)))
	}
	r := s.do(change.Applied, batch)
	if s.outcome(r.ChangeID) != "" || half.wrote == 0 {
		t.Fatalf("outcome %q, %d items", s.outcome(r.ChangeID), half.wrote)
	}
	s.pass(5 * time.Minute)
	id, _ := audit.ParseID(r.ChangeID)
	found, err := s.process(0).Resolve(t.Context(), s.call, s.user, id)
	if err != nil || found.Status != change.Applied || s.outcome(r.ChangeID) != audit.Applied || found.Count("applied") != 100 {
		t.Errorf("%+v, %v", found, err)
	}
}

// halfOutcome is a process that dies between the transactions of an outcome.
type halfOutcome struct {
	audit.Log
	wrote int
}

func (l *halfOutcome) Append(ctx context.Context, items []audit.Item) error {
	if items[0].Phase == audit.Outcome {
		if l.wrote > 0 {
			return errDown
		}
		l.wrote = len(items)
	}
	return l.Log.Append(ctx, items)
}

// What upstream does while one event or many are written: the answer, and
// whether the change stands. A wrong body is never taken for "done".
func TestUpstreamFaultsWhileManyAreMade(t *testing.T) {
	for name, tt := range map[string]struct {
		faults string
		want   change.Status
		made   int
	}{
		"500":                    {`[{"method":"POST","status":500}]`, change.FailedNow, 0},
		"429":                    {`[{"method":"POST","status":429}]`, change.FailedNow, 0},
		"502":                    {`[{"method":"POST","status":502}]`, change.UnknownDone, 0},
		"cut before the effect":  {`[{"method":"POST","cut":"before"}]`, change.UnknownDone, 0},
		"cut after the effect":   {`[{"method":"POST","cut":"after"}]`, change.Applied, 3},
		"a wrong body, found":    {`[{"method":"POST","body":"<html>"}]`, change.Applied, 3},
		"a list of other things": {`[{"method":"POST","body":[{"id":1},{"id":2},{"id":3}]}]`, change.Applied, 3},
		"a wrong body, and no look possible": {`[{"method":"POST","body":"<html>"},{"method":"GET","path":"/events","status":200,"body":[]},{"method":"GET","path":"/activities","status":500,"times":-1},{"method":"GET","path":"/events","status":500,"times":-1}]`,
			change.UnknownDone, 3},
		"an empty list, and nothing done": {`[{"method":"POST","status":200,"body":[]}]`, change.UnknownDone, 0},
		"an object for a list":            {`[{"method":"POST","status":200,"body":{}}]`, change.UnknownDone, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := never(t)
			batch := change.EventBatch{Today: "2026-07-15"}
			for i := range 3 {
				batch.Edits = append(batch.Edits, create(fmt.Sprintf("many %d", i)))
			}
			s.faults(tt.faults)
			r := s.do(tt.want, batch)
			s.faults(`[]`)
			made := s.named("many 0") + s.named("many 1") + s.named("many 2")
			if made != tt.made || string(s.outcome(r.ChangeID)) != string(r.Status) {
				t.Errorf("%d made, log says %s: %s", made, s.outcome(r.ChangeID), r.Text())
			}
			// The same call once more, whatever happened, leads to exactly three.
			if _, err := s.one.Do(t.Context(), s.call, batch); err != nil {
				t.Fatal(err)
			}
			if made := s.named("many 0") + s.named("many 1") + s.named("many 2"); made != 3 {
				t.Errorf("%d made after a second call", made)
			}
		})
	}
}

func TestUpstreamFaultsInTheMiddleOfManyChangesAreTakenBack(t *testing.T) {
	for name, fault := range map[string]string{"500": `"status":500,"times":-1`, "429": `"status":429`, "422": `"status":422`} {
		s := never(t)
		s.faults(`[{"method":"PUT","path":"/events/6$",` + fault + `}]`)
		r := s.do(change.FailedNow, change.EventBatch{Today: "2026-07-15", From: "2026-07-19", To: "2026-07-22", Edits: []change.EventEdit{
			{ID: 1, Set: intervals.Patch{"name": "renamed"}}, {ID: 6, Set: intervals.Patch{"name": "renamed"}}, create("new")}})
		if s.named("renamed") != 0 || s.named("new") != 0 || s.named("event 1") != 1 || r.Count("rolled_back") != 1 || r.Count("failed") != 1 || r.Count("not_done") != 1 {
			t.Errorf("%s: %s", name, r.Text())
		}
	}
}

func TestWhatCannotBeTakenBackIsSaidObjectByObject(t *testing.T) {
	s := never(t)
	s.faults(`[{"method":"PUT","path":"/events/6$","status":422},{"method":"GET","path":"none"}]`)
	s.one = change.New(change.Config{Log: s.log, State: nil, Now: s.now, Step: func(next string) {
		if next == "roll back" {
			s.other("POST", "/_fake/faults", []any{map[string]any{"method": "PUT", "path": "/events/1$", "status": 422, "times": -1}})
		}
	}})
	r := s.do(change.FailedNow, change.EventBatch{Today: "2026-07-15", From: "2026-07-19", To: "2026-07-22", Edits: []change.EventEdit{
		{ID: 1, Set: intervals.Patch{"name": "renamed"}}, {ID: 6, Set: intervals.Patch{"name": "renamed"}}}})
	if s.named("renamed") != 1 || r.Count("applied") != 1 || r.Count("failed") != 1 || !strings.Contains(r.Text(), "event 1 could not be taken back") || !strings.Contains(r.Reason, "1 are done and stand") {
		t.Errorf("%s", r.Text())
	}
	id, _ := audit.ParseID(r.ChangeID)
	if _, objects, err := s.one.Detail(t.Context(), s.user, id); err != nil || objects[0].Status != "applied" || objects[1].Status != "failed" {
		t.Errorf("log says %+v, %v", objects, err)
	}
	s.faults(`[]`)
	s.do(change.Applied, undo(t, r.ChangeID)) // what stands can be undone
	if s.named("renamed") != 0 {
		t.Error("it stands")
	}
}

func TestTwoConnectionsThatChangeOneEventAreShownEachOthersChange(t *testing.T) {
	s := newScene(t, inMemory(t), "u", identity.ConfirmAll)
	first := s.do(change.Preview, change.EventEdit{ID: 1, Today: "2026-07-15", Set: intervals.Patch{"name": "first"}})
	other := s.call
	other.Identity.Connection = "c2"
	second, err := s.process(0).Do(t.Context(), other, change.EventEdit{ID: 1, Today: "2026-07-15", Set: intervals.Patch{"name": "second"}})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.answer(s.one, other, second); r.Status != change.Applied {
		t.Fatalf("%s", r.Text())
	}
	if r := s.yes(s.one, first); r.Status != change.Preview || !strings.Contains(r.Text(), "changed since the preview (name)") || s.named("second") != 1 {
		t.Errorf("%s", r.Text())
	}
}

func TestAnUndoAfter400DaysFindsItsChange(t *testing.T) {
	s := never(t)
	r := s.do(change.Applied, change.EventEdit{ID: 1, Today: "2026-07-15", Set: intervals.Patch{"name": "renamed", "color": "red"}})
	gone := s.do(change.Applied, change.EventDelete{ID: 2, Today: "2026-07-15"})
	s.pass(400*24*time.Hour - time.Minute)
	s.do(change.Applied, undo(t, gone.ChangeID))
	s.do(change.Applied, undo(t, r.ChangeID))
	if s.named("event 1") != 1 || s.named("event 2") != 1 {
		t.Error("it is not as it was")
	}
}

func TestAClockThatIsAnHourBehindStillFindsWhatWasBroughtBack(t *testing.T) {
	s := never(t)
	gone := s.do(change.Applied, change.EventDelete{ID: 2, Today: "2026-07-15"})
	s.one = s.process(-50 * time.Minute)
	s.do(change.Applied, undo(t, gone.ChangeID))
	s.one = s.process(0)
	r := s.do(change.RefusedNow, undo(t, gone.ChangeID))
	if s.named("event 2") != 1 || !strings.Contains(r.Reason, "brought back") && !strings.Contains(r.Reason, "undone already") {
		t.Errorf("%d events: %s", s.named("event 2"), r.Text())
	}
}

// A request whose answer was lost may arrive late, after it was sent once more
// and taken back: then nobody may say that it was taken back.
func TestALateRequestIsNeverCalledTakenBack(t *testing.T) {
	s := never(t)
	late := &lateWire{to: s.fake.Transport(), path: "/events/1"}
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: late, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	s.call.Client = up.Client(credential())
	s.faults(`[{"method":"PUT","path":"/events/6$","status":422}]`)
	r := s.do(change.UnknownDone, change.EventBatch{Today: "2026-07-15", From: "2026-07-19", To: "2026-07-22", Edits: []change.EventEdit{
		{ID: 1, Set: intervals.Patch{"name": "renamed"}}, {ID: 6, Set: intervals.Patch{"name": "renamed"}}}})
	if s.named("renamed") != 0 || r.Objects[0].Status != "unknown" {
		t.Errorf("%s", r.Text())
	}
	late.arrive(t)
	if s.named("renamed") != 1 {
		t.Error("the late request did not arrive")
	}
}

// lateWire loses the first write to a path, and lets it arrive later.
type lateWire struct {
	to   http.RoundTripper
	path string
	held *http.Request
}

func (w *lateWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == "PUT" && strings.HasSuffix(r.URL.Path, w.path) && w.held == nil {
		w.held = r.Clone(context.Background())
		return nil, context.DeadlineExceeded
	}
	return w.to.RoundTrip(r)
}

func (w *lateWire) arrive(t *testing.T) {
	t.Helper()
	resp, err := w.to.RoundTrip(w.held)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestACallThatIsOverBeforeAnythingWasSentHasFailed(t *testing.T) {
	s := never(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.one = change.New(change.Config{Log: s.log, Now: s.now, Step: func(next string) {
		if next == "apply" {
			cancel()
		}
	}})
	r, err := s.one.Do(ctx, s.call, create("new"))
	if err != nil || r.Status != change.FailedNow || s.writes() != 0 || s.outcome(r.ChangeID) != audit.Failed {
		t.Errorf("%+v, %v", r, err)
	}
}

// Two who undo one deletion at the same instant bring the event back once.
func TestADeletionUndoneByTwoAtTheSameInstantBringsTheEventBackOnce(t *testing.T) {
	s := never(t)
	gone := s.do(change.Applied, change.EventDelete{ID: 6, Today: "2026-07-15"})
	twin, nested := s.process(0), false
	s.one = change.New(change.Config{Log: s.log, Now: s.now, Step: func(next string) {
		if next == "send" && !nested {
			nested = true
			if r, err := twin.Do(t.Context(), s.call, undo(t, gone.ChangeID)); err != nil || r.IsError() {
				t.Errorf("%+v, %v", r, err)
			}
		}
	}})
	s.do(change.Applied, undo(t, gone.ChangeID))
	if n := s.named("event 6"); n != 1 || !nested {
		t.Errorf("%d events", n)
	}
}
