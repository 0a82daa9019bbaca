package oauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"crypto/sha256"
	"encoding/base64"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/authorizer"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/printed"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// The athletes of the test's Intervals.icu. i1 and the coach i9 may enrol by
// themselves, i2 only with an invitation, i3 is coached.
const (
	keyOf1   = "first-key-0123456789"
	keyOf2   = "second-key-0123456789"
	keyOf3   = "third-key-0123456789"
	keyOf9   = "coach-key-0123456789"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
	callback = "https://claude.ai/api/mcp/auth_callback"
)

// town is a deployment with its pages on a real socket, and a clock that the
// test turns.
type town struct {
	t      *testing.T
	url    string
	site   *oauth.Site
	log    audit.Log
	state  state.Store
	table  identity.Table
	ids    *identity.Store
	keys   secrets.Keeper
	engine *change.Engine
	lines  printed.Lines
	fake   *fake.Server
	up     *intervals.Upstream
	more   []fake.AthleteData
	sent   int // requests to Intervals.icu
	down   bool

	mu sync.Mutex
	at time.Time
}

func (w *town) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *town) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// RoundTrip is the way to Intervals.icu.
func (w *town) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.sent++
	down := w.down
	w.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Err: io.ErrUnexpectedEOF}
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token-for-"); ok { // the fake knows keys only
		r = r.Clone(r.Context())
		r.SetBasicAuth("API_KEY", token)
	}
	return w.fake.Transport().RoundTrip(r)
}

// onStores runs a test over memory and over the file of a laptop.
func onStores(t *testing.T, test func(t *testing.T, w *town)) {
	t.Run("memory", func(t *testing.T) { test(t, newTown(t)) })
	t.Run("embedded", func(t *testing.T) {
		file := embedded.New(t.TempDir())
		t.Cleanup(func() { file.Close() }) //nolint:errcheck // a test's folder goes anyway
		test(t, newTown(t, func(w *town) {
			w.log, w.state, w.table, w.keys = file.Audit(), file.State(w.now), file.Identity(), file.Secrets()
		}))
	})
}

func newTown(t *testing.T, changes ...func(*town)) *town {
	t.Helper()
	w := &town{t: t, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	log := &audit.Memory{}
	w.log, w.state, w.table, w.keys = log, state.NewMemory(log, w.now), &identity.Memory{}, &secrets.Memory{}
	for _, c := range changes {
		c(w)
	}
	w.ids = identity.NewStore(w.table, w.now)
	athlete := func(id, key string, coachOf ...string) fake.AthleteData {
		return fake.AthleteData{APIKey: key, CoachOf: coachOf, Athlete: fake.Object{"id": id, "name": "Athlete " + id, "timezone": "Europe/Berlin"}}
	}
	var err error
	w.fake, err = fake.New(fake.Dataset{Athletes: append([]fake.AthleteData{athlete("i1", keyOf1), athlete("i2", keyOf2), athlete("i3", keyOf3), athlete("i9", keyOf9, "i1", "i3")}, w.more...)},
		fake.Options{Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	w.up, err = intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: w, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	w.engine = change.New(change.Config{Log: w.log, State: w.state, Now: w.now, ApprovePage: oauth.ApprovePage})
	w.serve()
	return w
}

// serve puts the deployment on a socket; options change it.
func (w *town) serve(options ...func(*oauth.SiteOptions)) {
	w.t.Helper()
	logger := slog.New(slog.NewJSONHandler(&w.lines, nil))
	server := oauth.New(oauth.Options{Store: w.ids, Allow: w.state.Allow, Now: w.now, Log: logger})
	o := oauth.SiteOptions{Server: server, Identity: w.ids, Keys: w.keys, Changes: w.engine, State: w.state, Upstream: w.up, Log: logger, Now: w.now,
		SessionKey: func(context.Context) (secrets.Secret, error) { return secrets.New(strings.Repeat("k", 32)), nil },
		Admit:      func(_ context.Context, athlete string) (bool, error) { return athlete == "i1" || athlete == "i9", nil }}
	for _, change := range options {
		change(&o)
	}
	w.site = oauth.NewSite(o)
	handler := server.Handler(w.site)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.RemoteAddr)
		if a := r.Header.Get("Test-Address"); a != "" {
			address = a
		}
		handler.ServeHTTP(rw, r.WithContext(oauth.At(r.Context(), oauth.Place{Issuer: w.url, Address: address, RequestID: "r1"})))
	}))
	w.t.Cleanup(s.Close)
	w.url = s.URL
}

// works reports what the authorizer says of a bearer token.
func (w *town) works(token string) bool {
	w.t.Helper()
	a := &authorizer.Authorizer{Tokens: w.table, Now: w.now, PublicURL: w.url, Log: slog.New(slog.DiscardHandler)}
	out, err := a.Handle(w.t.Context(), authorizer.Request{Type: "REQUEST", Version: "2.0", Headers: map[string]string{"authorization": "Bearer " + token}, IdentitySource: []string{"Bearer " + token}})
	return err == nil && out.Context["auth"] == "ok"
}

// browser is a person's, with cookies; it follows no redirect by itself.
type browser struct {
	*town
	http    *http.Client
	headers map[string]string
}

func (w *town) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{town: w, http: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, headers: map[string]string{}}
}

// page is an answer.
type page struct {
	*http.Response
	body string
}

func (b *browser) do(method, target string, form url.Values) page {
	b.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = b.url + target
	}
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, target, body)
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.url)
	}
	for name, value := range b.headers {
		r.Header.Set(name, value)
	}
	resp, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{resp, string(all)}
}

func (b *browser) get(target string) page { b.t.Helper(); return b.do("GET", target, nil) }

// want fails unless an answer has a status and shows some texts.
func (b *browser) want(p page, status int, texts ...string) page {
	b.t.Helper()
	if p.StatusCode != status {
		b.t.Fatalf("%s %s: %d, want %d: %s", p.Request.Method, p.Request.URL.Path, p.StatusCode, status, plainText(p.body))
	}
	for _, text := range texts {
		if !strings.Contains(plainText(p.body), text) {
			b.t.Errorf("%s does not say %q: %s", p.Request.URL.Path, text, plainText(p.body))
		}
	}
	return p
}

var (
	tagPattern       = regexp.MustCompile(`<(/?)([a-z0-9]+)([^>]*)>`)
	attributePattern = regexp.MustCompile(`([a-z-]+)(?:="([^"]*)")?`)
)

// plainText is what a person reads of a page.
func plainText(body string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tagPattern.ReplaceAllString(body, " "))), " ")
}

// form gives the fields of the form with an action as they are sent when
// nothing is changed.
func (p page) form(action string) url.Values {
	out, inside := url.Values{}, false
	for _, tag := range tagPattern.FindAllStringSubmatch(p.body, -1) {
		at := map[string]string{}
		for _, a := range attributePattern.FindAllStringSubmatch(tag[3], -1) {
			at[a[1]] = html.UnescapeString(a[2])
		}
		_, checked := at["checked"]
		switch {
		case tag[2] == "form":
			inside = tag[1] == "" && at["action"] == action
		case tag[2] == "input" && inside && at["name"] != "" && (at["type"] != "radio" && at["type"] != "checkbox" || checked):
			out.Add(at["name"], at["value"])
		case tag[2] == "option" && inside:
			if _, selected := at["selected"]; selected {
				out.Add("days", at["value"])
			}
		}
	}
	return out
}

// submit sends the form of a page with an action, changed by pairs; "" leaves
// out.
func (b *browser) submit(p page, action string, pairs ...string) page {
	b.t.Helper()
	form := p.form(action)
	if len(form) == 0 {
		b.t.Fatalf("%s has no form for %s: %s", p.Request.URL, action, plainText(p.body))
	}
	for i := 0; i < len(pairs); i += 2 {
		if form.Del(pairs[i]); pairs[i+1] != "" {
			form.Set(pairs[i], pairs[i+1])
		}
	}
	return b.do("POST", action, form)
}

// signIn signs a person in with a key.
func (b *browser) signIn(key string) *browser {
	b.t.Helper()
	p := b.submit(b.want(b.get("/account/signin"), 200), "/account/signin", "key", key)
	b.want(p, 303)
	return b
}

// register registers a client that calls itself so.
func (w *town) register(name, redirect string) string {
	w.t.Helper()
	body, _ := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none"})
	resp, err := http.Post(w.url+"/register", "application/json", bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	var got struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != 201 {
		w.t.Fatalf("%d %v", resp.StatusCode, err)
	}
	return got.ID
}

// ask is a client's authorization request, changed by pairs.
func (w *town) ask(client string, pairs ...string) string {
	sum := sha256.Sum256([]byte(verifier))
	v := url.Values{"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "state": {"st&te"}, "scope": {"read write"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {w.url + "/mcp"}}
	for i := 0; i < len(pairs); i += 2 {
		if v.Del(pairs[i]); pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return "/authorize?" + v.Encode()
}

// redeem exchanges a code for tokens.
func (w *town) redeem(client, code string) (access, refresh string) {
	w.t.Helper()
	return w.token(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {client},
		"code_verifier": {verifier}, "resource": {w.url + "/mcp"}})
}

func (w *town) token(form url.Values) (access, refresh string) {
	w.t.Helper()
	resp, err := http.PostForm(w.url+"/token", form)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		w.t.Fatal(err)
	}
	return got.Access, got.Refresh
}

// connect lets a signed-in person say yes to a client and gives its tokens.
func (b *browser) connect(client string, pairs ...string) (access, refresh string) {
	b.t.Helper()
	p := b.submit(b.want(b.get(b.ask(client)), 200), "/authorize", append([]string{"decision", "connect"}, pairs...)...)
	b.want(p, 303)
	return b.redeem(client, query(b.t, p.Header.Get("Location")).Get("code"))
}

func query(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

var linkPattern = regexp.MustCompile(`/account/(?:connections|tokens)/([^/"]+)/revoke`)

// firstID gives the id of the first connection or token that a page can revoke.
func (p page) firstID() string {
	if m := linkPattern.FindStringSubmatch(p.body); m != nil {
		return m[1]
	}
	return ""
}
