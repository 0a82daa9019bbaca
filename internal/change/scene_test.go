package change_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	audits "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
	"intervals-mcp/internal/state/dynamo"
)

const steps = "- 10m 60%\n- 20m 75%"

// scene is a calendar with one of each, and two processes in front of it.
type scene struct {
	t       *testing.T
	fake    *fake.Server
	mu      sync.Mutex
	at      time.Time
	open    openStores
	call    change.Call
	one     *change.Engine
	log     audit.Log
	setup   *change.Result // what an undo is about
	ignored int            // writes that were not the engine's
	user    string
	kept    string // handle of the plan that only the person may approve; once used it is listed no more
}

// openStores gives the stores as one process sees them.
type openStores func(t *testing.T, now func() time.Time) (audit.Log, state.Store)

func inMemory(t *testing.T) openStores {
	log := &audit.Memory{}
	var store state.Store
	return func(_ *testing.T, now func() time.Time) (audit.Log, state.Store) {
		if store == nil {
			store = state.NewMemory(log, now)
		}
		return log, store
	}
}

func inSQLite(t *testing.T) openStores {
	dir := t.TempDir()
	return func(t *testing.T, now func() time.Time) (audit.Log, state.Store) {
		file := embedded.New(dir)
		t.Cleanup(func() {
			if err := file.Close(); err != nil {
				t.Error(err)
			}
		})
		return file.Audit(), file.State(now)
	}
}

func inDynamoDB(t *testing.T, env awsenv.Env) openStores {
	client, _, table, _ := awstest.NewTable(t, env, dynamo.Definition)
	log := awstest.Name(t)
	awstest.CreateTable(t, client, audits.Definition(log))
	return func(_ *testing.T, now func() time.Time) (audit.Log, state.Store) {
		return audits.New(client, log), dynamo.New(client, table, log, now)
	}
}

func newScene(t *testing.T, open openStores, user string, setting identity.Confirm) *scene {
	t.Helper()
	s := &scene{t: t, at: time.Date(2026, 7, 15, 12, 30, 0, 0, time.UTC), open: open, user: user}
	event := func(id int, category string, more fake.Object) fake.Object {
		o := fake.Object{"id": id, "category": category, "name": fmt.Sprintf("event %d", id), "start_date_local": "2026-07-20T06:00:00", "created_by_id": "i1"}
		if category == "WORKOUT" {
			o["type"] = "Ride"
		}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	var err error
	s.fake, err = fake.New(fake.Dataset{Athletes: []fake.AthleteData{
		{APIKey: testKey, Athlete: fake.Object{"id": "i1", "timezone": "UTC"},
			Events: []fake.Object{event(1, "WORKOUT", fake.Object{"description": steps}), event(2, "NOTE", nil), event(3, "WORKOUT", fake.Object{"created_by_id": "i9"}),
				event(4, "WORKOUT", fake.Object{"shared_event_id": 99}), event(5, "NOTE", nil), event(6, "WORKOUT", nil)},
			Activities:  []fake.Object{{"id": "i77", "type": "Ride", "name": "ride", "start_date_local": "2026-07-10T09:00:00"}, {"id": "i78", "type": "Ride", "name": "ride", "start_date_local": "2026-07-20T09:00:00"}},
			CustomItems: []fake.Object{{"id": 21, "type": "ACTIVITY_FIELD", "name": "field", "content": map[string]any{"code": "Fat", "type": "numeric"}}}},
		{APIKey: "a-coach-s-key-0123456789", Athlete: fake.Object{"id": "i9", "timezone": "UTC"}, CoachOf: []string{"i1"}},
	}}, fake.Options{Now: s.now})
	if err != nil {
		t.Fatal(err)
	}
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: s.fake.Transport(), Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	s.call = change.Call{Identity: identity.Identity{User: user, Connection: "c1", Client: "test", Confirm: setting}, Client: up.Client(secrets.Credential{APIKey: secrets.New(testKey)}),
		Athlete: "i1", Me: "i1", Tool: "t", Arguments: json.RawMessage(`{}`)}
	s.one = s.process(0)
	return s
}

// process is one more process on the same stores.
func (s *scene) process(skew time.Duration) *change.Engine {
	now := func() time.Time { return s.now().Add(skew) }
	log, store := s.open(s.t, now)
	s.log = log
	return change.New(change.Config{Log: log, State: store, Now: now})
}

func (s *scene) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

func (s *scene) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = s.at.Add(d)
}

// other sends a request as somebody else does.
func (s *scene) other(method, path string, body any) map[string]any {
	s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequest(method, "http://127.0.0.1"+path, bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	r.SetBasicAuth("API_KEY", testKey)
	resp, err := s.fake.Transport().RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is lost
	if resp.StatusCode != 200 {
		s.t.Fatalf("%s %s: status %d", method, path, resp.StatusCode)
	}
	if strings.HasPrefix(path, "/api/") && method != "GET" {
		s.ignored++
	}
	var out any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		s.t.Fatal(err)
	}
	if list, ok := out.([]any); ok {
		return map[string]any{"list": list}
	}
	return out.(map[string]any)
}

// writes counts the requests by which the engine wrote.
func (s *scene) writes() int {
	n := -s.ignored
	for _, r := range s.other("GET", "/_fake/requests", nil)["list"].([]any) {
		if r.(map[string]any)["method"] != "GET" {
			n++
		}
	}
	return n
}

// items counts the audit items of the user's changes.
func (s *scene) items() int {
	s.t.Helper()
	n := 0
	for h, err := range audit.Changes(s.t.Context(), s.log, audit.Query{User: s.user}) {
		if err != nil {
			s.t.Fatal(err)
		}
		items, err := s.log.Change(s.t.Context(), s.user, h.Change)
		if err != nil {
			s.t.Fatal(err)
		}
		n += len(items)
	}
	return n
}

func (s *scene) event(id int) string { return fmt.Sprintf("/api/v1/athlete/i1/events/%d", id) }

// answer confirms as the setting wants it: the person on the page, others by
// the summary.
func (s *scene) answer(e *change.Engine, c change.Call, p *change.Result) *change.Result {
	s.t.Helper()
	var r *change.Result
	var err error
	if p.Confirmation == "" {
		r, err = e.Approve(s.t.Context(), c, s.handle())
	} else {
		r, err = e.Confirm(s.t.Context(), c, p.Confirmation, p.Summary)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// handle is that of the plan which only the person may approve.
func (s *scene) handle() string {
	_, store := s.open(s.t, s.now)
	list, err := store.Waiting(s.t.Context(), s.user)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(list) > 0 {
		s.kept = list[0].Handle
	}
	return s.kept
}

func (s *scene) yes(e *change.Engine, p *change.Result) *change.Result { return s.answer(e, s.call, p) }

func credential() secrets.Credential { return secrets.Credential{APIKey: secrets.New(testKey)} }

func coachCredential() secrets.Credential {
	return secrets.Credential{APIKey: secrets.New("a-coach-s-key-0123456789")}
}
