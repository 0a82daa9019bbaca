package signin

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// reply is an answer to a program.
type reply struct {
	status int
	header http.Header
	body   string
	json   map[string]any
}

func (r reply) text(key string) string { s, _ := r.json[key].(string); return s }

// send sends one request as a program does; pairs are headers.
func (w *town) send(method, target, body string, headers ...string) reply {
	w.t.Helper()
	got, err := w.try(method, target, body, headers...)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// try is send for goroutines, which may not end a test.
func (w *town) try(method, target, body string, headers ...string) (reply, error) {
	if strings.HasPrefix(target, "/") {
		target = w.Origin + target
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	switch {
	case strings.HasPrefix(body, "{"):
		r.Header.Set("Content-Type", "application/json")
	case body != "":
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := w.http.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	b, err := io.ReadAll(resp.Body)
	out := reply{status: resp.StatusCode, header: resp.Header, body: string(b)}
	_ = json.Unmarshal(b, &out.json) // pages are none
	return out, err
}

// want fails unless an answer has a status and an OAuth error code ("" = none).
func (w *town) want(got reply, status int, code string) reply {
	w.t.Helper()
	if got.status != status || got.text("error") != code {
		w.t.Fatalf("%d %.400s, want %d %q", got.status, got.body, status, code)
	}
	return got
}

// program is an OAuth client that does exactly what a test says.
type program struct {
	*town
	id, secret, redirect string
	verifier             string
}

// client is a program that has an id already.
func (w *town) client(id, redirect string) *program {
	return &program{town: w, id: id, redirect: redirect, verifier: rand.Text() + rand.Text()}
}

// registered is a program that registers itself. More are further members of
// its metadata.
func (w *town) registered(name, redirect, method string) *program {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{redirect}, "token_endpoint_auth_method": method,
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"}})
	if err != nil {
		w.t.Fatal(err)
	}
	got := w.want(w.send("POST", "/register", string(body)), http.StatusCreated, "")
	p := w.client(got.text("client_id"), redirect)
	p.secret = got.text("client_secret")
	return p
}

// ask is the program's authorization request, changed by pairs; "" leaves out.
func (p *program) ask(pairs ...string) string {
	sum := sha256.Sum256([]byte(p.verifier))
	v := url.Values{"response_type": {"code"}, "client_id": {p.id}, "redirect_uri": {p.redirect}, "state": {"st&te"}, "scope": {"read write"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {p.URL()}}
	set(v, pairs)
	return "/authorize?" + v.Encode()
}

func set(v url.Values, pairs []string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if v.Del(pairs[i]); pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
}

// redeem is the token request for a code, changed by pairs.
func (p *program) redeem(code string, pairs ...string) reply {
	p.t.Helper()
	return p.send("POST", "/token", p.redemption(code, pairs...))
}

func (p *program) redemption(code string, pairs ...string) string {
	return p.form(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {p.redirect}, "code_verifier": {p.verifier}, "resource": {p.URL()}}, pairs)
}

func (p *program) form(v url.Values, pairs []string) string {
	v.Set("client_id", p.id)
	if p.secret != "" {
		v.Set("client_secret", p.secret)
	}
	set(v, pairs)
	return v.Encode()
}

func (p *program) renewal(token string, pairs ...string) string {
	return p.form(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "resource": {p.URL()}}, pairs)
}

func (p *program) refresh(token string, pairs ...string) reply {
	p.t.Helper()
	return p.send("POST", "/token", p.renewal(token, pairs...))
}

// code lets a person consent and gives the code that the program gets.
func (p *program) code(b *Browser, pairs ...string) string {
	p.t.Helper()
	back := answer(p.t, b.Consent(p.ask(pairs...), p.Key))
	if back.Get("code") == "" || back.Get("iss") != p.Origin {
		p.t.Fatalf("the program gets %v", back)
	}
	return back.Get("code")
}

// connect lets a person consent and gives the program's first tokens.
func (p *program) connect(b *Browser) reply {
	p.t.Helper()
	return p.want(p.redeem(p.code(b)), http.StatusOK, "")
}

// answer gives what an address takes back to a program.
func answer(t testing.TB, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// use is a request to the MCP endpoint with a token.
func (w *town) use(access string) reply {
	w.t.Helper()
	return w.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization", "Bearer "+access, "Accept", "application/json, text/event-stream")
}

// works reports whether a token is let in; a refusal must be the 401 on which
// clients refresh.
func (w *town) works(access string) bool {
	w.t.Helper()
	switch got := w.use(access); got.status {
	case http.StatusOK:
		return true
	case http.StatusUnauthorized:
		if !strings.Contains(got.header.Get("WWW-Authenticate"), `error="invalid_token"`) {
			w.t.Errorf("refused without a challenge: %v", got.header)
		}
		return false
	default:
		w.t.Fatalf("%d %s", got.status, got.body)
		return false
	}
}
