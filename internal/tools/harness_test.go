package tools

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// world is a Service in front of a fake Intervals.icu whose clock stands still.
type world struct {
	svc  *Service
	fake *fake.Server
	id   identity.Identity
	now  time.Time
	log  *audit.Memory // what the writes recorded
}

// newWorld starts a world for the first athlete of a data set. Its identity is
// local, with write scope and every tool; tests change what they need.
func newWorld(t testing.TB, d fake.Dataset, now string) *world {
	t.Helper()
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{now: at, id: identity.Identity{User: "local", Athlete: "0", Connection: "test", Client: "go test", Local: true,
		Scopes: []identity.Scope{identity.ScopeWrite}, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmNever}}
	clock := func() time.Time { return w.now }
	if w.fake, err = fake.New(d, fake.Options{Now: clock}); err != nil {
		t.Fatal(err)
	}
	w.svc = newTestService(t, w.fake.Transport(), w.fake.Athletes()[0].APIKey, clock)
	w.log = &audit.Memory{}
	w.svc.Changes = change.New(change.Config{Log: w.log, State: state.NewMemory(w.log, clock), Now: clock})
	return w
}

func newTestService(t testing.TB, transport http.RoundTripper, key string, clock func() time.Time) *Service {
	t.Helper()
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: transport,
		Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return NewService(Config{Upstream: up, Now: clock, AccountPage: "https://mcp.example/account",
		Secrets: secrets.Single{User: "local", Cred: secrets.Credential{APIKey: secrets.New(key)}}})
}

// call runs a tool, checks the answer against the tool's output schema and
// gives it.
func (w *world) call(t testing.TB, name string, args map[string]any) Answer {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	tool := find(t, name)
	a := w.svc.Call(context.Background(), tool, w.id, raw)
	if a.Structured != nil {
		checkSchema(t, tool, a.Structured)
	}
	return a
}

// ok is call for a call that must succeed; it also decodes the structured
// result.
func (w *world) ok(t testing.TB, name string, args map[string]any) (text string, structured map[string]any) {
	t.Helper()
	a := w.call(t, name, args)
	if a.IsError {
		t.Fatalf("%s(%v) failed: %s", name, args, a.Text)
	}
	if err := json.Unmarshal(a.Structured, &structured); err != nil {
		t.Fatal(err)
	}
	return a.Text, structured
}

// fails is call for a call that must be refused with all of these words.
func (w *world) fails(t testing.TB, name string, args map[string]any, words ...string) Answer {
	t.Helper()
	a := w.call(t, name, args)
	if !a.IsError {
		t.Fatalf("%s(%v) succeeded: %s", name, args, a.Text)
	}
	for _, word := range words {
		if !strings.Contains(a.Text, word) {
			t.Errorf("%s(%v) = %q, want it to say %q", name, args, a.Text, word)
		}
	}
	return a
}

func find(t testing.TB, name string) Tool {
	t.Helper()
	for _, tool := range All() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %q", name)
	return Tool{}
}

func checkSchema(t testing.TB, tool Tool, structured json.RawMessage) {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(string(tool.OutputSchema())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///out", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///out")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(structured)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: the structured result does not meet the output schema: %v", tool.Name, err)
	}
}

// sample reads a body of testdata/samples (invented data in the API's shape).
func sample(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "samples", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// sampleData is the athlete of the samples on Wed 15 Jul 2026 in London: the
// base of domain.md's worked examples.
func sampleData(t testing.TB) fake.Dataset {
	t.Helper()
	a := fake.AthleteData{APIKey: "sample-key-1"}
	sample(t, "athlete.json", &a.Athlete)
	sample(t, "sport_settings_list.json", &a.SportSettings)
	sample(t, "activities_list.json", &a.Activities)
	sample(t, "wellness_list.json", &a.Wellness)
	sample(t, "events_list.json", &a.Events)
	sample(t, "gear_list.json", &a.Gear)
	sample(t, "custom_items_list.json", &a.CustomItems)
	return fake.Dataset{Athletes: []fake.AthleteData{a}}
}

const sampleNow = "2026-07-15T12:30:00Z"
