package clients

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// person answers what their client asks them, and remembers it.
type person struct {
	action string // accept, decline or cancel
	asked  []string
}

func (p *person) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.asked = append(p.asked, r.Params.Message)
		return &mcp.ElicitResult{Action: p.action}, nil
	}}
}

// tampering changes a request on its way, once the person has answered.
type tampering struct {
	token  bearer
	change func(body string) string
	states []string // what was sent back as requestState
}

func (r *tampering) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		return r.token.RoundTrip(req)
	}
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	body := string(b)
	if _, after, ok := strings.Cut(body, `"requestState":"`); ok {
		state, _, _ := strings.Cut(after, `"`)
		r.states = append(r.states, state)
		if r.change != nil {
			body = r.change(body)
		}
	}
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewBufferString(body)), int64(len(body))
	return r.token.RoundTrip(req)
}

func TestAClientThatCanAskItsPersonGetsTheirConsentAndNoConfirmation(t *testing.T) {
	url, token := serve(t, build(t))
	const day = "2099-03-03"
	for i, c := range []struct {
		what, action string
		tamper       func(body, state string) string
		status, says string
		written      bool
	}{
		{"the person accepts", "accept", nil, "applied", "", true},
		{"the person declines", "decline", nil, "refused", "declined", false},
		{"the person closes the question", "cancel", nil, "refused", "declined", false},
		{"another state", "accept", func(b, s string) string { return strings.ReplaceAll(b, s, strings.Repeat("a", len(s))) }, "refused", "no such plan", false},
		{"a cut state", "accept", func(b, s string) string { return strings.ReplaceAll(b, s, s[:len(s)-1]) }, "refused", "no such plan", false},
		{"other arguments", "accept", func(b, _ string) string { return strings.ReplaceAll(b, "Asked", "Something else") }, "refused", "arguments", false},
		{"a consent that was turned", "decline", func(b, _ string) string { return strings.ReplaceAll(b, "decline", "rubbish") }, "refused", "declined", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			p, way := &person{action: c.action}, &tampering{token: bearer(token)}
			if c.tamper != nil {
				way.change = func(body string) string { return c.tamper(body, way.states[len(way.states)-1]) }
			}
			s := connectAs(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: way}}, p.options(), nil)
			name := fmt.Sprintf("Asked %d", i)
			in := args{"name": name, "description": "Not without a person.", "start_date": day}
			got := s.outcome("add_or_update_note", in)
			if got["status"] != c.status || !strings.Contains(fmt.Sprint(got["reason"]), c.says) || got["confirmation"] != nil {
				t.Errorf("it is %v (%v), confirmation %v", got["status"], got["reason"], got["confirmation"])
			}
			if len(p.asked) != 1 || !strings.Contains(p.asked[0], name) || !strings.Contains(p.asked[0], "Create") || strings.Contains(p.asked[0], way.states[0]) {
				t.Errorf("the person was asked %q", p.asked)
			}
			events := fmt.Sprint(s.call("get_events", args{"start_date": day, "end_date": day}))
			if strings.Contains(events, name) != c.written || strings.Contains(events, "Something else") {
				t.Errorf("on the calendar: %s", events)
			}
			if c.tamper == nil { // answered is answered: the state is good for nothing any more
				again := s.outcome("confirm_change", args{"confirmation": way.states[0], "summary": fmt.Sprint(got["summary"])})
				if want := map[bool]string{true: "replayed", false: "refused"}[c.written]; again["status"] != want {
					t.Errorf("the state, used as a confirmation afterwards: %v", again)
				}
			}
		})
	}
}

func TestAPersonIsAskedAboutAnUndoAndNobodyByOlderProtocols(t *testing.T) {
	url, token := serve(t, build(t))
	transport := func() mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}
	}
	p := &person{action: "accept"}
	s := connectAs(t, transport(), p.options(), nil)
	made := s.call("add_or_update_event", args{"name": "Asked ride", "workout_type": "Ride", "moving_time": 3600, "start_date": "2099-03-04"})
	if made["status"] != "applied" || s.id(made, "event") == "" {
		t.Fatalf("made: %v", made)
	}
	if back := s.call("undo_change", args{"change_id": made["change_id"]}); back["status"] != "applied" || len(p.asked) != 2 || !strings.Contains(p.asked[1], "Asked ride") {
		t.Errorf("undone: %v, asked %q", back, p.asked)
	}
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		before := len(p.asked)
		s := connectAs(t, transport(), p.options(), &mcp.ClientSessionOptions{ProtocolVersion: version})
		if v := s.conn.InitializeResult().ProtocolVersion; v != version {
			t.Fatalf("version %s, want %s", v, version)
		}
		s.change("add_or_update_note", args{"name": "Unasked " + version, "description": "x", "start_date": "2099-03-05"})
		if len(p.asked) != before {
			t.Errorf("%s: a person was asked", version)
		}
	}
}

// outcome calls a tool that may refuse; what it says must meet its schema.
func (s *session) outcome(name string, in args) map[string]any {
	s.t.Helper()
	r, err := s.conn.CallTool(s.ctx, &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	out, ok := r.StructuredContent.(map[string]any)
	if !ok {
		s.t.Fatalf("%s: no structured result: %+v", name, r.Content)
	}
	if err := s.schemas[name].Validate(plain(s.t, out)); err != nil {
		s.t.Errorf("%s: %v", name, err)
	}
	return out
}
