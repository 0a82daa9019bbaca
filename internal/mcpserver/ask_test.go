package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
	"intervals-mcp/internal/tools"
)

// desk is the real tools behind the real edge, in front of a fake; who calls
// can be changed between requests.
type desk struct {
	*rig
	t    *testing.T
	fake *fake.Server
	id   identity.Identity
	now  time.Time
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, now: time.Date(2026, 7, 15, 12, 30, 0, 0, time.UTC), id: identity.Identity{User: "anna", Athlete: "i1", Connection: "one", Client: "c",
		Scopes: []identity.Scope{identity.ScopeWrite}, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmAll}}
	clock := func() time.Time { return d.now }
	var err error
	if d.fake, err = fake.New(fake.Dataset{Athletes: []fake.AthleteData{{APIKey: "desk-key-123", Athlete: fake.Object{"id": "i1", "timezone": "UTC"}}}}, fake.Options{Now: clock}); err != nil {
		t.Fatal(err)
	}
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: d.fake.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	log := &audit.Memory{}
	svc := tools.NewService(tools.Config{Upstream: up, Now: clock, Secrets: anybody{}, Changes: change.New(change.Config{Log: log, State: state.NewMemory(log, clock), Now: clock})})
	d.rig = newRig(t, func(o *Options, e *Edge) {
		o.Caller, o.Tools = svc, tools.All()
		e.Identify = func(*http.Request) (identity.Identity, error) { return d.id, nil }
	})
	return d
}

// anybody holds the one key for every user.
type anybody struct{}

func (anybody) Credential(context.Context, string) (secrets.Credential, error) {
	return secrets.Credential{APIKey: secrets.New("desk-key-123")}, nil
}

func (anybody) Refused(string) {}

// asks is what a client of 2026-07-28 that can ask the person says of itself.
var asks = strings.Replace(modernMeta, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{"form":{}}}`, 1)

const newRide = `{"name":"New ride","start_date":"2026-08-03","moving_time":3600}`

// call sends a tools/call of 2026-07-28; more are other params.
func (d *desk) call(meta, tool, args string, more ...string) reply {
	d.t.Helper()
	params := append([]string{`"name":"` + tool + `","arguments":` + args}, append(more, meta)...)
	return d.post(d.t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+strings.Join(params, ",")+`}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool)
}

// again sends the same call with a reply.
func (d *desk) again(tool, args string, state any, action string) reply {
	d.t.Helper()
	s, _ := json.Marshal(state)
	return d.call(asks, tool, args, `"requestState":`+string(s), `"inputResponses":{"confirm":{"action":"`+action+`","content":{}}}`)
}

func (d *desk) events() int {
	d.t.Helper()
	req := httptest.NewRequest("GET", "/api/v1/athlete/0/events?oldest=2026-01-01&newest=2026-12-31", nil)
	req.SetBasicAuth("API_KEY", "desk-key-123")
	rec := httptest.NewRecorder()
	d.fake.ServeHTTP(rec, req)
	var list []any
	if err := json.Unmarshal(rec.Body.Bytes(), &list); err != nil {
		d.t.Fatal(err)
	}
	return len(list)
}

func (r reply) status() any { return r.at("result", "structuredContent", "status") }

// asked checks that an answer is a question and gives its requestState.
func (d *desk) asked(got reply) string {
	d.t.Helper()
	state, _ := got.at("result", "requestState").(string)
	if got.at("result", "resultType") != "input_required" || state == "" || got.at("result", "structuredContent") != nil {
		d.t.Fatalf("no question: %s", got.body)
	}
	return state
}

func TestAClientThatDeclaredElicitationAsksThePersonInPlaceOfAPreview(t *testing.T) {
	d := newDesk(t)
	got := d.call(asks, "add_or_update_event", newRide)
	state := d.asked(got)
	q, _ := got.at("result", "inputRequests", "confirm").(map[string]any)
	params, _ := q["params"].(map[string]any)
	if q["method"] != "elicitation/create" || params["requestedSchema"] == nil || !strings.HasPrefix(params["message"].(string), "Create workout Ride \"New ride\" on Mon 3 Aug 2026: 60 min\n") ||
		strings.Contains(params["message"].(string), state) {
		t.Errorf("%s", got.body)
	}
	if d.events() != 0 {
		t.Fatal("it was written before the person answered")
	}
	done := d.again("add_or_update_event", newRide, state, "accept")
	if done.status() != "applied" || done.at("result", "structuredContent", "event") == nil || done.at("result", "resultType") != "complete" || d.events() != 1 {
		t.Errorf("%s", done.body)
	}
	if twice := d.again("add_or_update_event", newRide, state, "accept"); twice.status() != "replayed" || d.events() != 1 || !strings.Contains(twice.body, "was used before; of that change came: applied") {
		t.Errorf("%s", twice.body)
	}
}

func TestNobodyElseIsAskedThatWay(t *testing.T) {
	preview := func(name string, d *desk, got reply) {
		t.Helper()
		if got.status() != "preview" || got.at("result", "inputRequests") != nil || got.at("result", "requestState") != nil {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	d := newDesk(t)
	preview("no capability", d, d.call(modernMeta, "add_or_update_event", newRide))
	preview("URL mode only", d, d.call(strings.Replace(asks, `"form"`, `"url"`, 1), "add_or_update_event", newRide))
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		preview(version, d, d.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_or_update_event","arguments":`+newRide+`}}`, "Mcp-Protocol-Version", version))
	}
	d.id.Confirm = identity.ConfirmPerson
	preview("the setting person", d, d.call(asks, "add_or_update_event", newRide))
	d.id.Confirm = identity.ConfirmNever
	if got := d.call(asks, "add_or_update_event", newRide); got.status() != "applied" {
		t.Errorf("never: %s", got.body)
	}
}

func TestAPersonWhoDeclinesIsHeard(t *testing.T) {
	for _, action := range []string{"decline", "cancel", "maybe", ""} {
		d := newDesk(t)
		state := d.asked(d.call(asks, "add_or_update_event", newRide))
		got := d.again("add_or_update_event", newRide, state, action)
		if got.status() != "refused" || got.at("result", "isError") != true || !strings.Contains(got.body, "the person declined. Nothing was written.") {
			t.Errorf("%q: %s", action, got.body)
		}
		if got := d.again("add_or_update_event", newRide, state, "accept"); got.status() != "refused" || d.events() != 0 {
			t.Errorf("%q, then accept: %s", action, got.body)
		}
	}
}

func TestARequestStateIsGoodForItsOwnCallOnly(t *testing.T) {
	d := newDesk(t)
	state := d.asked(d.call(asks, "add_or_update_event", newRide))
	anna := d.id
	flipped := "b"
	if state[0] == 'b' {
		flipped = "c"
	}
	for name, try := range map[string]func() reply{
		"tampered":        func() reply { return d.again("add_or_update_event", newRide, flipped+state[1:], "accept") },
		"no state at all": func() reply { return d.again("add_or_update_event", newRide, strings.Repeat("x", 100_000), "accept") },
		"other arguments": func() reply {
			return d.again("add_or_update_event", strings.Replace(newRide, "3600", "36000", 1), state, "accept")
		},
		"another tool": func() reply {
			return d.again("add_or_update_note", `{"name":"New ride","start_date":"2026-08-03"}`, state, "accept")
		},
		"another connection": func() reply { d.id.Connection = "two"; return d.again("add_or_update_event", newRide, state, "accept") },
		"another user":       func() reply { d.id.User = "carl"; return d.again("add_or_update_event", newRide, state, "accept") },
		// Declining what is another connection's drops nothing.
		"declined by another connection": func() reply {
			d.id.Connection = "two"
			return d.again("add_or_update_event", newRide, state, "decline")
		},
	} {
		got := try()
		d.id = anna
		if got.status() != "refused" || d.events() != 0 || strings.Contains(name, "another") && strings.Contains(got.body, "New ride\\\" on") {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	if got := d.again("add_or_update_event", newRide, state, "accept"); got.status() != "applied" || d.events() != 1 {
		t.Errorf("the right one, after all: %s", got.body)
	}
	state = d.asked(d.call(asks, "add_or_update_note", `{"name":"Note","start_date":"2026-08-04"}`))
	d.now = d.now.Add(10 * time.Minute)
	if got := d.again("add_or_update_note", `{"name":"Note","start_date":"2026-08-04"}`, state, "accept"); got.status() != "refused" || d.events() != 1 {
		t.Errorf("expired: %s", got.body)
	}
}

func TestAReplyThatIsMissingOrOddIsAskedForAgain(t *testing.T) {
	d := newDesk(t)
	state := d.asked(d.call(asks, "add_or_update_event", newRide))
	for _, more := range []string{`"inputResponses":{}`, `"inputResponses":{"other":{"action":"accept"}}`, `"inputResponses":{"confirm":[1]}`, `"inputResponses":{"confirm":"accept"}`} {
		d.asked(d.call(asks, "add_or_update_event", newRide, `"requestState":"`+state+`"`, more))
	}
	// A client that did not declare it this time gets a preview; its reply counts for nothing.
	got := d.call(modernMeta, "add_or_update_event", newRide, `"requestState":"`+state+`"`, `"inputResponses":{"confirm":{"action":"accept"}}`)
	if got.status() != "preview" || d.events() != 0 {
		t.Errorf("%s", got.body)
	}
}

func TestAnUndoAsksTooAndWhatChangedMeanwhileIsAskedAfresh(t *testing.T) {
	d := newDesk(t)
	state := d.asked(d.call(asks, "add_or_update_event", newRide))
	made := d.again("add_or_update_event", newRide, state, "accept")
	id, _ := made.at("result", "structuredContent", "change_id").(string)
	args := `{"change_id":"` + id + `"}`
	state = d.asked(d.call(asks, "undo_change", args))
	event, _ := made.at("result", "structuredContent", "event").(map[string]any)
	number, _ := json.Marshal(event["id"])
	req := httptest.NewRequest("PUT", "/api/v1/athlete/0/events/"+string(number), strings.NewReader(`{"name":"Changed on the website"}`))
	req.SetBasicAuth("API_KEY", "desk-key-123")
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	if d.fake.ServeHTTP(rec, req); rec.Code != 200 {
		t.Fatal(rec.Body)
	}
	got := d.again("undo_change", args, state, "accept")
	fresh := d.asked(got)
	if fresh == state || !strings.Contains(got.body, "Changed on the website") {
		t.Errorf("%s", got.body)
	}
	if done := d.again("undo_change", args, fresh, "accept"); done.status() != "applied" || d.events() != 0 {
		t.Errorf("%s", done.body)
	}
}

func TestOverStdioAClientOfTheNewProtocolIsAskedToo(t *testing.T) {
	c := &caller{fn: func(ctx context.Context, _ tools.Tool, _ json.RawMessage) tools.Answer {
		return tools.Answer{Text: "preview", Kind: "ok", Ask: &tools.Question{Message: "Delete all?", State: "s1"}}
	}}
	send := func(meta string) map[string]any {
		byID, _ := pipe(t, c, writer(t), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aa_write","arguments":{},`+meta+`}}`)
		result, _ := byID["1"]["result"].(map[string]any)
		return result
	}
	if r := send(asks); r["resultType"] != "input_required" || r["requestState"] != "s1" {
		t.Errorf("%v", r)
	}
	if r := send(modernMeta); r["resultType"] == "input_required" || r["requestState"] != nil {
		t.Errorf("%v", r)
	}
}

func TestAReadConnectionMayListChangesButNotMakeOrUndoThem(t *testing.T) {
	d := newDesk(t)
	d.id.Scopes, d.id.Toolset = []identity.Scope{identity.ScopeRead}, identity.ToolsetCore
	got := d.post(t, list)
	if !strings.Contains(got.body, `"list_changes"`) || strings.Contains(got.body, `"confirm_change"`) || strings.Contains(got.body, `"undo_change"`) {
		t.Errorf("%s", got.body)
	}
	for tool, args := range map[string]string{"confirm_change": `{"confirmation":"a","summary":"b"}`, "undo_change": `{"change_id":"djz59dyetq80-abcdefghijkl"}`} {
		got := d.call(modernMeta, tool, args)
		wantStatus(t, got, 403)
		if !strings.Contains(got.body, tool+" needs the write scope") {
			t.Errorf("%s", got.body)
		}
	}
	if got := d.call(modernMeta, "list_changes", `{}`); got.at("result", "isError") == true {
		t.Errorf("%s", got.body)
	}
}
