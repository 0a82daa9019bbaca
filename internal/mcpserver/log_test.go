package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/tools"
)

func lines(t *testing.T, log string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for l := range strings.Lines(log) {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("the log holds %q", l)
		}
		if m["msg"] == "request" {
			out = append(out, m)
		}
	}
	return out
}

func TestEachRequestIsOneLineWithItsUpstreamCalls(t *testing.T) {
	r := newRig(t, nil)
	r.caller.fn = func(ctx context.Context, _ tools.Tool, _ json.RawMessage) tools.Answer {
		for range 2 {
			Observe(ctx, intervals.Attempt{Status: 200, Bytes: 100, Duration: 40 * time.Millisecond})
		}
		return tools.Answer{Text: "x", IsError: true, Kind: "not found"}
	}
	r.post(t, call("zz_read"))
	r.post(t, list)
	r.post(t, call("aa_write"), "Authorization", "Bearer reader")
	r.post(t, list, "Authorization", "Bearer nobody")
	r.send(t, "GET", Path, "")
	r.post(t, `{"jsonrpc":"2.0","id":1,"method":"made/up"}`)
	all := lines(t, r.log.String())
	if len(all) != 6 {
		t.Fatalf("%d lines for 6 requests:\n%s", len(all), r.log)
	}
	for i, want := range []map[string]any{
		{"user": "local", "method": "tools/call", "tool": "zz_read", "outcome": "not found", "status": 200.0, "upstream_calls": 2.0, "upstream_ms": 80.0, "upstream_bytes": 200.0},
		{"method": "tools/list", "outcome": "ok"},
		{"tool": "aa_write", "outcome": "insufficient_scope", "status": 403.0},
		{"outcome": "invalid_token", "status": 401.0, "user": nil},
		{"outcome": "method", "status": 405.0},
		{"method": nil, "status": 200.0},
	} {
		for k, v := range want {
			if all[i][k] != v {
				t.Errorf("line %d: %s is %v, want %v", i+1, k, all[i][k], v)
			}
		}
		if id, _ := all[i]["request_id"].(string); id == "" {
			t.Errorf("line %d has no request_id", i+1)
		}
	}
}

// Whatever a client writes, and whatever goes wrong, none of it is logged.
func TestNothingAClientWroteIsLogged(t *testing.T) {
	r := newRig(t, func(_ *Options, e *Edge) { e.MaxBody = 5000 })
	const secret = "s3cr3t-w0rd"
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"` + secret + `","method":"tools/call","params":{"name":"zz_read","arguments":{"api_key":"` + secret + `"}}}`,
		call(secret), `{"jsonrpc":"2.0","id":1,"method":"` + secret + `"}`, secret, `{"` + secret, strings.Repeat(secret, 1000),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + secret + `","clientInfo":{"name":"` + secret + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"` + secret + `"}}`, `{"jsonrpc":"2.0","id":1,"result":{"x":"` + secret + `"}}`,
	} {
		r.post(t, body)
		r.post(t, body, "Mcp-Protocol-Version", secret)
		r.post(t, body, "Authorization", "Bearer "+secret)
		r.send(t, "POST", "/"+secret+"?token="+secret, body)
		r.post(t, body, "Origin", "https://"+secret)
		r.modern(t, secret, `"name":"`+secret+`"`, secret, "Content-Type", secret)
	}
	r.caller.fn = func(context.Context, tools.Tool, json.RawMessage) tools.Answer { panic(secret) }
	r.post(t, call("zz_read"))
	for l := range strings.Lines(r.log.String()) {
		if strings.Contains(l, secret) {
			t.Errorf("logged: %s", l)
		}
	}
}
