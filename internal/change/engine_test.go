package change_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

const testKey = "engine-key-0123456789"

// road is an engine in front of a fake, with a log of one's choice.
type road struct {
	*change.Engine
	fake *fake.Server
	call change.Call
}

func newRoad(t *testing.T, log audit.Log, events ...fake.Object) road {
	t.Helper()
	now := time.Date(2026, 7, 15, 12, 30, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	f, err := fake.New(fake.Dataset{Athletes: []fake.AthleteData{{APIKey: testKey, Athlete: fake.Object{"id": "i1", "timezone": "UTC"}, Events: events}}}, fake.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: f.Transport(), Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return road{change.New(change.Config{Log: log, State: state.NewMemory(log, clock), Now: clock}), f, change.Call{
		Identity: identity.Identity{User: "local", Connection: "stdio", Client: "test", Confirm: identity.ConfirmNever}, Client: up.Client(secrets.Credential{APIKey: secrets.New(testKey)}),
		Athlete: "i1", Me: "i1", Tool: "t", Arguments: json.RawMessage(`{"a":1}`)}}
}

func (r road) do(t *testing.T, want change.Status, p change.Planner) *change.Result {
	t.Helper()
	res, err := r.Do(t.Context(), r.call, p)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != want {
		t.Fatalf("status %s, want %s: %s", res.Status, want, res.Text())
	}
	return res
}

func create(name string) change.EventEdit {
	return change.EventEdit{Day: "2026-07-20", Today: "2026-07-15", Set: intervals.Patch{"category": "WORKOUT", "type": "Ride", "name": name}}
}

func TestTheWholeRoadOverSQLiteLeavesTheLogInItsFinalForm(t *testing.T) {
	dir := t.TempDir()
	store := embedded.New(dir)
	r := newRoad(t, store.Audit())
	made := r.do(t, change.Applied, create("A"))
	id := made.State.Str("id")
	edit := change.EventEdit{Today: "2026-07-15", Set: intervals.Patch{"name": "B"}}
	edit.ID, _ = intervals.Event{Object: made.State}.Int("id")
	r.do(t, change.Applied, edit)
	gone := r.do(t, change.Applied, change.EventDelete{ID: edit.ID, Today: "2026-07-15"})

	change, err := audit.ParseID(gone.ChangeID)
	if err != nil {
		t.Fatal(err)
	}
	items, err := store.Audit().Change(t.Context(), "local", change)
	if err != nil || len(items) != 4 {
		t.Fatalf("%d items, %v; want a head and an object, twice", len(items), err)
	}
	for _, i := range items {
		if i.User != "local" || i.Athlete != "i1" || i.Connection != "stdio" || i.Client != "test" || i.Tool != "t" || i.RequestID != change.Request ||
			i.Schema != audit.SchemaVersion || !i.Expires.Equal(change.Time.Add(audit.DefaultRetention).Truncate(time.Second)) {
			t.Errorf("item = %+v", i)
		}
		switch {
		case i.Head() && (i.Objects != 1 || i.Targets[0] != id || i.Summary == ""):
			t.Errorf("head = %+v", i)
		case i.Phase == audit.Outcome && (i.Status != audit.Applied || i.UpstreamStatus != 200):
			t.Errorf("outcome = %+v", i)
		case i.Phase == audit.Intent && i.Head() && string(i.Arguments) != `{"a":1}`:
			t.Errorf("arguments = %s", i.Arguments)
		case i.Phase == audit.Intent && !i.Head() && (!bytes.Contains(i.Before, []byte(`"name":"B"`)) || bytes.Contains(i.Before, []byte("updated"))):
			t.Errorf("before = %s", i.Before)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil || bytes.Contains(b, []byte(testKey)) {
			t.Errorf("%s: %v, or the key is in it", f, err)
		}
	}
}

func TestLargeStatesAndArgumentsAreCutToTheirBounds(t *testing.T) {
	log := &audit.Memory{}
	big := strings.Repeat("long text ", 5000)
	r := newRoad(t, log, fake.Object{"id": 7, "category": "NOTE", "name": "n", "description": big, "start_date_local": "2026-07-20T00:00:00", "tags": []any{"keep"}})
	r.call.Arguments = json.RawMessage(`{"description":` + string(mustMarshal(big)) + `,"event_id":"7"}`)
	res := r.do(t, change.Applied, change.EventEdit{ID: 7, Today: "2026-07-15", Set: intervals.Patch{"name": "m"}})
	if got := res.Objects[0].Undoable; !strings.HasPrefix(got, "partly (") {
		t.Errorf("undoable = %s", got)
	}
	id, _ := audit.ParseID(res.ChangeID)
	items, _ := log.Change(t.Context(), "local", id)
	for _, i := range items {
		if i.Phase == audit.Intent && !i.Head() && (!bytes.Contains(i.Before, []byte(`"keep"`)) || !bytes.Contains(i.Before, []byte("_not_kept_bytes"))) {
			t.Errorf("before = %.300s", i.Before)
		}
		if i.Phase == audit.Intent && i.Head() && !bytes.Contains(i.Arguments, []byte(`"event_id":"7"`)) {
			t.Errorf("arguments = %.300s", i.Arguments)
		}
	}
}

func mustMarshal(v any) []byte { b, _ := json.Marshal(v); return b }

func TestACreateInterruptedBeforeItsOutcomeIsNotDoubled(t *testing.T) {
	log := &audit.Memory{}
	r := newRoad(t, cutLog{log})
	if res := r.do(t, change.Applied, create("A")); !strings.Contains(strings.Join(res.Warnings, " "), "only its intent") {
		t.Errorf("warnings = %v", res.Warnings)
	}
	// Another process, which finds an intent without an outcome.
	again := r
	again.Engine = change.New(change.Config{Log: log, Now: func() time.Time { return time.Date(2026, 7, 15, 12, 31, 0, 0, time.UTC) }})
	again.do(t, change.Replayed, create("A"))
	list, err := r.call.Client.Events(t.Context(), "i1", "2026-07-20", "2026-07-20")
	if err != nil || len(list) != 1 {
		t.Errorf("%d events, %v", len(list), err)
	}
}

// cutLog takes intents and loses outcomes: a process that dies in between.
type cutLog struct{ audit.Log }

func (l cutLog) Append(ctx context.Context, items []audit.Item) error {
	if items[0].Phase == audit.Outcome {
		return context.DeadlineExceeded
	}
	return l.Log.Append(ctx, items)
}

func TestAClockThatStandsOrGoesBackKeepsTheOrderOfChanges(t *testing.T) {
	log := &audit.Memory{}
	r := newRoad(t, log)
	for _, name := range []string{"A", "B", "C"} {
		r.do(t, change.Applied, create(name))
	}
	heads, err := log.Heads(t.Context(), audit.Query{User: "local"})
	if err != nil || len(heads) != 6 {
		t.Fatalf("%d heads, %v", len(heads), err)
	}
	for i, name := range []string{"C", "C", "B", "B", "A", "A"} {
		if !strings.Contains(heads[i].Summary, `"`+name+`"`) {
			t.Errorf("head %d: %s", i, heads[i].Summary)
		}
	}
}

func TestNothingIsBegunForACallerWhoHasGone(t *testing.T) {
	r := newRoad(t, &audit.Memory{})
	ctx, cancel := context.WithCancel(t.Context())
	edit := create("A")
	res, err := r.Do(ctx, r.call, canceling{edit, cancel})
	if err != nil || res.Status != change.RefusedNow {
		t.Errorf("%+v, %v", res, err)
	}
	rec := httptest.NewRecorder()
	r.fake.ServeHTTP(rec, httptest.NewRequest("GET", "/_fake/requests", nil))
	if strings.Contains(rec.Body.String(), "POST") {
		t.Errorf("requests = %s", rec.Body)
	}
}

type canceling struct {
	change.Planner
	cancel func()
}

func (p canceling) Plan(ctx context.Context, c change.Call) (change.Plan, error) {
	plan, err := p.Planner.Plan(ctx, c)
	p.cancel()
	return plan, err
}

func TestSummariesAreOneLineOfAtMost160Characters(t *testing.T) {
	log := &audit.Memory{}
	r := newRoad(t, log)
	res := r.do(t, change.Applied, create(strings.Repeat("é\u202e long", 10)))
	if n := len([]rune(res.Summary)); n > audit.MaxSummary || strings.ContainsAny(res.Summary, "\n\u202e") {
		t.Errorf("%d characters: %s", n, res.Summary)
	}
}
