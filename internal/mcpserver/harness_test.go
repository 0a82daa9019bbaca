package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/printed"
	"intervals-mcp/internal/tools"
)

// The tools of the tests: one of each kind.
var testTools = []tools.Tool{
	{Name: "zz_read", Title: "Read", Description: "Reads.", Scope: identity.ScopeRead, Toolset: identity.ToolsetCore,
		Hints: tools.Hints{ReadOnly: true, Idempotent: true}, Params: []tools.Param{{Name: "x", Kind: tools.Integer}},
		Result: []tools.Out{{Name: "ok", Kind: tools.Boolean, Required: true}}},
	{Name: "aa_write", Title: "Write", Description: "Writes.", Scope: identity.ScopeWrite, Toolset: identity.ToolsetCore},
	{Name: "mm_extra", Title: "Extra", Description: "Reads more.", Scope: identity.ScopeRead, Toolset: identity.ToolsetFull},
}

// caller records what was called and answers with fn, or with a plain success.
type caller struct {
	mu  sync.Mutex
	ran []string
	id  identity.Identity
	fn  func(ctx context.Context, t tools.Tool, args json.RawMessage) tools.Answer
}

func (c *caller) Call(ctx context.Context, t tools.Tool, id identity.Identity, args json.RawMessage) tools.Answer {
	c.mu.Lock()
	c.ran, c.id = append(c.ran, t.Name), id
	c.mu.Unlock()
	if c.fn != nil {
		return c.fn(ctx, t, args)
	}
	return tools.Answer{Text: "done", Structured: json.RawMessage(`{"ok":true}`), Kind: "ok"}
}

func (c *caller) calls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.ran...)
}

// rig is a server over real HTTP whose tokens are "reader", "writer" and
// "full"; others are refused and "down" finds the store unavailable.
type rig struct {
	*httptest.Server
	caller *caller
	s      *Server
	log    *printed.Lines
}

func identities(token string) (identity.Identity, error) {
	id := identity.Identity{User: "local", Athlete: "0", Scopes: []identity.Scope{identity.ScopeRead}, Toolset: identity.ToolsetCore, Local: true}
	switch token {
	case "down":
		return id, identity.ErrUnavailable
	case "reader":
	case "writer":
		id.Scopes = append(id.Scopes, identity.ScopeWrite)
	case "full":
		id.Scopes, id.Toolset = append(id.Scopes, identity.ScopeWrite), identity.ToolsetFull
	default:
		return identity.Identity{}, identity.ErrInvalidToken
	}
	return id, nil
}

func newRig(t testing.TB, change func(*Options, *Edge)) *rig {
	t.Helper()
	r := &rig{caller: &caller{}, log: &printed.Lines{}}
	o := Options{Caller: r.caller, Tools: testTools, Version: "test",
		Log: slog.New(slog.NewJSONHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	e := Edge{Loopback: true, Root: true, Endpoint: func(context.Context) string { return "https://mcp.example/mcp" },
		Identify: func(r *http.Request) (identity.Identity, error) {
			_, token, _ := strings.Cut(r.Header.Get("Authorization"), "Bearer ") // the authorizer is strict, this is not
			return identities(token)
		}}
	if change != nil {
		change(&o, &e)
	}
	r.s = New(o)
	r.Server = httptest.NewServer(r.s.Handler(e))
	t.Cleanup(r.Close)
	return r
}

// reply is an answer, its JSON decoded.
type reply struct {
	*http.Response
	body string
	json map[string]any
}

// at walks the JSON by keys.
func (r reply) at(keys ...string) any {
	var v any = r.json
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func (r *rig) send(t testing.TB, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, r.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer writer")
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header[name] = append(req.Header[name], value)
			if name == "Authorization" || name == "Content-Type" {
				req.Header.Set(name, value)
			}
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := reply{Response: resp, body: string(b)}
	if len(b) > 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(b, &out.json); err != nil {
			t.Fatalf("answer is no JSON: %s", b)
		}
	}
	return out
}

// post sends one message to the endpoint.
func (r *rig) post(t testing.TB, body string, headers ...string) reply {
	t.Helper()
	return r.send(t, http.MethodPost, Path, body, headers...)
}

const (
	list       = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"newer","version":"1"}}`
)

func call(tool string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
}

// modern sends a request of protocol version 2026-07-28.
func (r *rig) modern(t testing.TB, method, params, name string, headers ...string) reply {
	t.Helper()
	if params != "" {
		params += ","
	}
	h := append([]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}, headers...)
	if name != "" {
		h = append(h, "Mcp-Name", name)
	}
	return r.post(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+modernMeta+`}}`, h...)
}

// wantStatus fails unless the status is right and the body is JSON.
func wantStatus(t testing.TB, r reply, status int) {
	t.Helper()
	if r.StatusCode != status {
		t.Errorf("status %d, want %d: %s", r.StatusCode, status, r.body)
	}
	if r.json == nil && r.body != "" {
		t.Errorf("the answer is no JSON but %q: %s", r.Header.Get("Content-Type"), r.body)
	}
}
