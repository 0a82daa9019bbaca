package blackbox

import (
	"net/http"
	"strings"
	"testing"
)

func origin(t *testing.T, r *rig) {
	for _, foreign := range []string{"https://evil.example", "null", "http://localhost.evil.example", "file://"} {
		got := r.send(t, sent{header: http.Header{"Origin": {foreign}}})
		got.want(t, 403)
		if got.at("result") != nil || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("Origin %s: %.200s", foreign, got.body)
		}
	}
	if strings.HasPrefix(r.origin, "https://") {
		r.send(t, sent{header: http.Header{"Origin": {r.origin}}}).want(t, 200)
	}
	got := r.send(t, sent{method: "OPTIONS", token: "-", header: http.Header{"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization"}}})
	if got.status < 400 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a foreign page may ask: %d %v", got.status, got.header)
	}
}

func methods(t *testing.T, r *rig) {
	for _, method := range []string{"GET", "DELETE", "PUT", "PATCH"} {
		for _, version := range []string{"", "2025-11-25", "2026-07-28"} {
			header := http.Header{"Accept": {"text/event-stream"}}
			if version != "" {
				header["Mcp-Protocol-Version"] = []string{version}
			}
			got := r.send(t, sent{method: method, header: header})
			got.want(t, 405)
			if got.header.Get("Allow") != "POST" {
				t.Errorf("%s: Allow %q", method, got.header.Get("Allow"))
			}
		}
	}
}

// signInPaths answer where people sign in; internal/oauth has their tests.
var signInPaths = map[string]bool{
	"/.well-known/oauth-authorization-server/mcp": true, "/.well-known/openid-configuration/mcp": true, "/mcp/.well-known/openid-configuration": true,
	"/.well-known/oauth-protected-resource/mcp": true, "/.well-known/oauth-protected-resource": true, "/.well-known/oauth-authorization-server": true,
	"/.well-known/openid-configuration": true, "/register": true,
}

func paths(t *testing.T, r *rig) {
	for _, path := range []string{
		"/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration/mcp", "/mcp/.well-known/openid-configuration",
		"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration", "/.well-known/nonsense", "/.well-known/", "/register", "/mcp/", "/mcp/x", "/sse", "/%2e%2e/x", "/favicon.ico",
	} {
		if r.SignIn && signInPaths[path] {
			continue
		}
		for _, method := range []string{"GET", "POST"} {
			for _, token := range []string{"-", ""} {
				if r.Emulated && (path == "/mcp/" || (method == "GET") != (token == "-")) {
					continue // it takes /mcp/ for /mcp, and its time
				}
				got := r.send(t, sent{method: method, path: path, token: token})
				got.want(t, 404)
				if !strings.Contains(got.body, "/mcp") {
					t.Errorf("%s %s does not name the endpoint: %.200s", method, path, got.body)
				}
			}
		}
	}
	got := r.send(t, sent{method: "GET", path: "/", token: "-", page: r.SignIn})
	if !r.SignIn {
		got.want(t, 200, 404)
	}
	if !strings.Contains(got.body, "/mcp") {
		t.Errorf("/ does not name the endpoint: %.200s", got.body)
	}
	if r.Emulated {
		return
	}
	if got := r.send(t, sent{path: "/mcp/", token: "-"}); !strings.Contains(got.body, "without a slash") {
		t.Errorf("/mcp/: %.200s", got.body)
	}
}

func oversize(t *testing.T, r *rig) {
	for _, mb := range []int{5, 11} {
		if mb > 6 && r.Emulated {
			continue // no limit of its own, and Lambda takes 6 MB
		}
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("a", mb<<20) + `"}}`
		r.send(t, sent{body: body}).want(t, 413)
	}
	r.send(t, sent{}).want(t, 200)
}

func longHeader(t *testing.T, r *rig) {
	long := strings.Repeat("a", 12<<10)
	refused := []int{431, 400, 413, 494}
	asked := refused
	if r.Emulated {
		asked = append(asked, 200)
	}
	r.send(t, sent{header: http.Header{"X-Long": {long}}}).want(t, asked...)
	r.send(t, sent{token: "imcp_pat_" + long}).want(t, append(refused, 401)...)
	r.send(t, sent{}).want(t, 200)
}

func malformed(t *testing.T, r *rig) {
	bodies := []string{`{`, `{"jsonrpc":"2.0","id":1,"method":"tools/li`, `rubbish`, `[]`, `"text"`, "\x00"}
	if !r.Emulated { // which fails by itself at what is not UTF-8
		bodies = append(bodies, "\xff", "{\"\xc3\x28\":1")
	}
	for _, body := range bodies {
		r.send(t, sent{body: body}).want(t, 400)
	}
	r.send(t, sent{header: http.Header{"Content-Type": {"text/plain"}}}).want(t, 400, 415)
	r.send(t, sent{header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}}).want(t, 400, 415)
	got := r.send(t, sent{body: call("no_such_tool", `{}`)})
	if got.status >= 500 || got.at("error", "code") == nil {
		t.Errorf("an unknown tool: %d %.300s", got.status, got.body)
	}
}
