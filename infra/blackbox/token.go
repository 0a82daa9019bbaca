package blackbox

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
)

func withoutToken(t *testing.T, r *rig) {
	for _, header := range []http.Header{nil, {"Authorization": {""}}, {"Cookie": {"Authorization=Bearer " + r.Token}}} {
		for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
			got := r.send(t, sent{method: method, token: "-", header: header})
			got.want(t, 401)
			if got.at("result") != nil {
				t.Errorf("something was run: %.200s", got.body)
			}
		}
	}
}

// badTokens are tokens that were never in force.
func (r *rig) badTokens() map[string]string {
	end := len(r.Token) - 1
	other := byte('a')
	if r.Token[end] == other {
		other = 'b'
	}
	return map[string]string{
		"rubbish":             "rubbish",
		"unknown":             "imcp_pat_" + rand.Text(),
		"last letter changed": r.Token[:end] + string(other),
		"cut":                 r.Token[:end],
		"longer":              r.Token + "a",
		"in capitals":         strings.ToUpper(r.Token),
		"another prefix":      "imcp_at_" + strings.TrimPrefix(r.Token, "imcp_pat_"),
		"with a second word":  r.Token + " x",
		"quoted":              `"` + r.Token + `"`,
		"a JWT":               "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.",
		"SQL":                 "' OR 1=1 --",
	}
}

func wrongTokens(t *testing.T, r *rig) {
	for name, token := range r.badTokens() {
		t.Run(name, func(t *testing.T) { r.unauthorized(t, r.send(t, sent{token: token})) })
	}
}

// unauthorized checks the refusal of a token.
func (r *rig) unauthorized(t *testing.T, got reply) {
	t.Helper()
	got.want(t, 401)
	h := r.challenge(t, got)
	for _, want := range []string{`error="invalid_token"`, `scope="`} {
		if !strings.HasPrefix(h, "Bearer ") || !strings.Contains(h, want) {
			t.Errorf("challenge %q, want %s", h, want)
		}
	}
	if got.text("error") != "invalid_token" || got.text("scope") == "" {
		t.Errorf("the body does not say it again: %.300s", got.body)
	}
	if strings.Contains(h, "offline_access") { // R9
		t.Error("the challenge asks for offline_access")
	}
	if metadata := got.text("resource_metadata"); metadata != "" && !strings.HasPrefix(metadata, "http") {
		t.Errorf("resource_metadata %q is no absolute URL", metadata)
	}
	if c := got.header.Get("Cache-Control"); !strings.Contains(c, "no-store") {
		t.Errorf("Cache-Control %q", c)
	}
	if got.at("result") != nil {
		t.Error("something was run")
	}
}

func alike(t *testing.T, r *rig) {
	tokens := r.badTokens()
	if r.Expired != "" {
		tokens["expired"] = r.Expired
	}
	first := r.send(t, sent{token: tokens["unknown"]})
	for name, token := range tokens {
		got := r.send(t, sent{token: token})
		if got.status != first.status || got.body != first.body || r.challenge(t, got) != r.challenge(t, first) {
			t.Errorf("%s is answered %d %.200s, unknown %d %.200s", name, got.status, got.body, first.status, first.body)
		}
	}
}

func scheme(t *testing.T, r *rig) {
	for _, good := range []string{"bearer ", "BEARER ", "bEaReR "} {
		r.send(t, sent{header: http.Header{"Authorization": {good + r.Token}}}).want(t, 200)
	}
	for _, bad := range []string{"Basic ", "Token ", "", "Bearer Bearer ", "Bearer:", "Bearer="} {
		r.unauthorized(t, r.send(t, sent{header: http.Header{"Authorization": {bad + r.Token}}}))
	}
}

func twoHeaders(t *testing.T, r *rig) {
	good, bad := "Bearer "+r.Token, "Bearer "+r.badTokens()["unknown"]
	for _, both := range [][]string{{good, bad}, {bad, good}, {good, good}} {
		r.unauthorized(t, r.send(t, sent{header: http.Header{"Authorization": both}}))
	}
	r.unauthorized(t, r.send(t, sent{header: http.Header{"Authorization": {good + ", " + bad}}}))
}

func elsewhere(t *testing.T, r *rig) {
	for _, query := range []string{"?access_token=" + r.Token, "?token=" + r.Token, "?Authorization=Bearer%20" + r.Token} {
		r.send(t, sent{token: "-", query: query}).want(t, 401)
		r.unauthorized(t, r.send(t, sent{token: "wrong", query: query}))
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","access_token":"` + r.Token + `"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"authorization":"Bearer ` + r.Token + `"}}}`,
	} {
		r.send(t, sent{token: "-", body: body}).want(t, 401)
	}
	for _, name := range []string{"X-Authorization", "Proxy-Authorization", "X-Api-Key", "X-Forwarded-Authorization", "Mcp-Session-Id"} {
		r.send(t, sent{token: "-", header: http.Header{name: {"Bearer " + r.Token}}}).want(t, 401)
	}
}

func everyRequest(t *testing.T, r *rig) {
	for range 2 {
		r.send(t, sent{}).want(t, 200)
		r.send(t, sent{token: "-"}).want(t, 401) // on the same connection
		r.unauthorized(t, r.send(t, sent{token: "wrong", header: http.Header{"Mcp-Session-Id": {"stdio"}}}))
	}
}

func revoked(t *testing.T, r *rig) {
	token, id := r.Create(t)
	r.send(t, sent{token: token}).want(t, 200)
	r.Revoke(t, id)
	got := r.send(t, sent{token: token})
	r.unauthorized(t, got)
	if unknown := r.send(t, sent{token: r.badTokens()["unknown"]}); got.body != unknown.body {
		t.Errorf("a revoked token is told from an unknown one: %.200s", got.body)
	}
	r.send(t, sent{}).want(t, 200) // the others are in force
}

func storeDown(t *testing.T, r *rig) {
	r.Break(t)
	mended := false
	defer func() {
		if !mended {
			r.Mend(t)
		}
	}()
	for _, token := range []string{"", r.badTokens()["unknown"]} {
		got := r.send(t, sent{token: token})
		got.want(t, 503)
		if got.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	r.Mend(t)
	mended = true
	r.send(t, sent{}).want(t, 200)
}
