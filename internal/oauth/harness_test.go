package oauth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"crypto/sha256"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
	"intervals-mcp/internal/state"
)

const (
	issuer   = "https://mcp.example"
	resource = issuer + "/mcp"
	callback = "https://claude.ai/api/mcp/auth_callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
	claudeID = "https://claude.ai/oauth/mcp-oauth-client-metadata"
	athlete  = "i1"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// rig is a server on a store, with one athlete enrolled and a clock that the
// test turns.
type rig struct {
	*Server
	t       *testing.T
	table   identity.Table
	ids     *identity.Store
	handler http.Handler
	place   Place
	docs    documents
	log     bytes.Buffer

	mu sync.Mutex
	at time.Time
}

// documents are those of the test's internet.
type documents struct {
	mu    sync.Mutex
	known map[string]string
	asked int
	err   error
}

func (d *documents) Get(_ context.Context, id string) (clientdoc.Document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	if err := clientdoc.CheckID(id); err != nil {
		return clientdoc.Document{}, &clientdoc.InvalidError{Problem: err.Error()}
	}
	if d.err != nil {
		return clientdoc.Document{}, d.err
	}
	body, ok := d.known[id]
	if !ok {
		return clientdoc.Document{}, &clientdoc.FetchError{}
	}
	return clientdoc.ParseDocument(id, []byte(body))
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = r.at.Add(d)
}

// onStores runs a test on the store in memory and on the embedded one.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Run("memory", func(t *testing.T) { test(t, newRig(t, nil)) })
	t.Run("embedded", func(t *testing.T) {
		s := embedded.New(t.TempDir())
		t.Cleanup(func() { s.Close() }) //nolint:errcheck // a test's folder goes anyway
		test(t, newRigOn(t, s.Identity(), nil))
	})
}

func newRig(t *testing.T, change func(*Options)) *rig {
	t.Helper()
	return newRigOn(t, &identity.Memory{}, change)
}

func newRigOn(t *testing.T, table identity.Table, change func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, table: table, place: Place{Issuer: issuer, Address: "198.51.100.7", RequestID: "r1"}, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	r.docs.known = map[string]string{
		claudeID: `{"client_id":"` + claudeID + `","client_name":"Claude","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`,
		"https://claude.ai/oauth/claude-code-client-metadata": `{"client_id":"https://claude.ai/oauth/claude-code-client-metadata","client_name":"Claude Code",
			"redirect_uris":["http://localhost/callback","http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`,
		"https://evil.example/client": `{"client_id":"https://evil.example/client","client_name":"<b>Claude</b>","redirect_uris":["https://evil.example/cb"],"token_endpoint_auth_method":"none"}`,
	}
	r.ids = identity.NewStore(table, r.now)
	if _, err := r.ids.AddUser(t.Context(), identity.User{ID: athlete, Athlete: athlete, Name: "A"}); err != nil {
		t.Fatal(err)
	}
	o := Options{Store: r.ids, Allow: state.NewMemory(&audit.Memory{}, r.now).Allow, Documents: &r.docs, Now: r.now, Log: slog.New(slog.NewJSONHandler(&r.log, nil))}
	if change != nil {
		change(&o)
	}
	r.Server = New(o)
	r.handler = r.Handler(nil)
	return r
}

// reply is an answer, its JSON decoded.
type reply struct {
	*httptest.ResponseRecorder
	json map[string]any
}

func (r reply) text(key string) string { s, _ := r.json[key].(string); return s }

// send sends one request. The body's type follows from its first letter.
func (r *rig) send(method, target, body string, headers ...string) reply {
	r.t.Helper()
	req := httptest.NewRequest(method, target, strings.NewReader(body)).WithContext(At(r.t.Context(), r.place))
	switch {
	case strings.HasPrefix(body, "{"):
		req.Header.Set("Content-Type", "application/json")
	case body != "":
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Del(headers[i])
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	out := reply{ResponseRecorder: httptest.NewRecorder()}
	r.handler.ServeHTTP(out, req)
	if err := json.Unmarshal(out.Body.Bytes(), &out.json); err != nil || !strings.HasPrefix(out.Header().Get("Content-Type"), "application/json") {
		r.t.Errorf("%s %s: the answer is no JSON: %d %q", method, target, out.Code, out.Body)
	}
	return out
}

// want fails unless an answer has this status and error code ("" = none), and
// a description as RFC 6749 5.2 spells it.
func (r *rig) want(got reply, status int, code string) {
	r.t.Helper()
	if d := got.text("error_description"); (d == "") != (code == "") || strings.ContainsFunc(d, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }) {
		r.t.Errorf("%d %q is described as %q", got.Code, code, d)
	}
	if got.Code != status || got.text("error") != code {
		r.t.Errorf("%d %s, want %d %q", got.Code, got.Body, status, code)
	}
}

// register registers a client and gives the answer.
func (r *rig) register(metadata string) reply {
	r.t.Helper()
	got := r.send("POST", "/register", metadata)
	r.want(got, 201, "")
	return got
}

// publicClient registers a client without secret and gives its id.
func (r *rig) publicClient() string {
	r.t.Helper()
	return r.register(`{"client_name":"Claude","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`).text("client_id")
}

// query is a good authorization request, changed by pairs; "" leaves out.
func query(client string, pairs ...string) string {
	v := url.Values{"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "state": {"s"}, "scope": {"read write"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "resource": {resource}}
	set(v, pairs)
	return v.Encode()
}

func set(v url.Values, pairs []string) {
	for i := 0; i < len(pairs); i += 2 {
		if v.Del(pairs[i]); pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
}

func (r *rig) parse(query string) (*AuthorizeRequest, error) {
	req := httptest.NewRequest("GET", "/authorize", nil).WithContext(At(r.t.Context(), r.place))
	req.URL.RawQuery = query
	return r.ParseAuthorize(req)
}

// consent lets the athlete say yes and gives the code.
func (r *rig) consent(query string) string {
	r.t.Helper()
	a, err := r.parse(query)
	if err != nil {
		r.t.Fatal(err)
	}
	to, err := r.Grant(r.t.Context(), a, Choices{User: athlete, Permissions: identity.Permissions{Scopes: a.Scopes}})
	if err != nil {
		r.t.Fatal(err)
	}
	return answerOf(r.t, to).Get("code")
}

// answerOf gives what an address takes back to the client.
func answerOf(t *testing.T, to string) url.Values {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// redeem sends a code to /token, the good request changed by pairs.
func (r *rig) redeem(client, code string, pairs ...string) reply {
	r.t.Helper()
	v := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {client}, "code_verifier": {verifier}, "resource": {resource}}
	set(v, pairs)
	return r.send("POST", "/token", v.Encode())
}

func (r *rig) refresh(client, token string, pairs ...string) reply {
	r.t.Helper()
	v := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {client}}
	set(v, pairs)
	return r.send("POST", "/token", v.Encode())
}

// connected is a client that has its first tokens.
func (r *rig) connected(client string) reply {
	r.t.Helper()
	got := r.redeem(client, r.consent(query(client)))
	r.want(got, 200, "")
	return got
}

// works reports whether an access token is in force for our resource.
func (r *rig) works(access string) bool {
	tok, err := r.table.Token(r.t.Context(), identity.HashOf(access))
	return err == nil && tok.Usable(r.now()) == nil && tok.Audience == resource && tok.User == athlete
}
