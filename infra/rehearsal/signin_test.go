package rehearsal

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
)

// browser is a person's: the rehearsal's gateway speaks plain HTTP, and what
// the deployment sets for https is kept here.
type browser struct {
	t       *testing.T
	w       *world
	origin  string // as the deployment knows itself
	cookies map[string]string
}

func (b *browser) do(method, path string, form url.Values) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, strings.TrimSuffix(b.w.url, "/mcp")+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.origin)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range resp.Cookies() {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure {
			b.t.Errorf("the cookie %s", c.Name)
		}
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return resp, string(body)
}

// get opens a page.
func (b *browser) get(path string) string {
	b.t.Helper()
	resp, body := b.do(http.MethodGet, path, nil)
	if resp.StatusCode != http.StatusOK {
		b.t.Fatalf("GET %s: %d %.500s", path, resp.StatusCode, body)
	}
	return body
}

var hiddenField = regexp.MustCompile(`name="(csrf|flow)" value="([^"]+)"`)

// send fills in the form of a page and wants it to be taken.
func (b *browser) send(from, to string, pairs ...string) (location, body string) {
	b.t.Helper()
	form := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(b.get(from), -1) {
		form.Set(m[1], m[2])
	}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	resp, body := b.do(http.MethodPost, to, form)
	if resp.StatusCode != http.StatusSeeOther && resp.StatusCode != http.StatusOK {
		b.t.Fatalf("POST %s: %d %.1000s", to, resp.StatusCode, body)
	}
	return resp.Header.Get("Location"), body
}

// signsIn takes an athlete who was admitted through everything that a person
// can do, on the function's own rights.
func (w *world) signsIn(t *testing.T) {
	env := awstest.Env(t)
	operator := secretsmanager.NewClient(env)
	if _, err := operator.CreateSecret(t.Context(), &sdk.CreateSecretInput{Name: aws.String(w.Outputs["SecretPrefix"] + "/intervals-oauth-app"), SecretString: aws.String("app-secret")}); err != nil {
		t.Fatal(err)
	}
	me := w.fake.Athletes()[2]
	b := &browser{t: t, w: w, origin: "https://" + w.gateway.Domain, cookies: map[string]string{}}
	if page := b.get("/"); !strings.Contains(page, b.origin+"/mcp") {
		t.Error("the landing page does not name the endpoint")
	}
	if page := b.get("/account/signin"); !strings.Contains(page, "Sign in with Intervals.icu") {
		t.Error("signing in there is not offered")
	}
	client, access := w.connected(t, b, me.APIKey)
	if _, body := w.post(t, access, call("get_activities", `{}`)); strings.Contains(body, `"isError":true`) {
		t.Errorf("the new user's key is not found: %.300s", body)
	}

	// Two changes wait for the person: one is approved and undone, one dropped.
	approve, drop := w.proposed(t, access), w.proposed(t, access)
	if _, body := b.send(approve, approve+"/approve"); !strings.Contains(body, "Done") {
		t.Errorf("approving: %.1000s", body)
	}
	b.send(drop, drop+"/drop")
	undo := regexp.MustCompile(`action="(/account/history/[^"]+/undo)"`).FindStringSubmatch(b.get("/account/history"))
	if undo == nil {
		t.Fatal("nothing can be undone")
	}
	_, body := b.send("/account/history", undo[1])
	again := regexp.MustCompile(`action="(/account/changes/[^"]+)/approve"`).FindStringSubmatch(body)
	if again == nil {
		t.Fatalf("undoing: %.1000s", body)
	}
	if _, body := b.send(again[1], again[1]+"/approve"); !strings.Contains(body, "done") && !strings.Contains(body, "Done") {
		t.Errorf("undoing: %.1000s", body)
	}

	// A dead key is replaced; a forgotten one is given again, and nothing of before works.
	if err := w.keys.Put(t.Context(), me.ID, secrets.Key{APIKey: secrets.New("dead"), Athlete: me.ID}); err != nil {
		t.Fatal(err)
	}
	b.send("/account/key", "/account/key/replace", "key", me.APIKey)
	b.send("/account/key", "/account/key/forget", "sure", "yes")
	if status, _ := w.post(t, access, call("get_activities", `{}`)); status != http.StatusUnauthorized {
		t.Errorf("after forgetting the key: %d", status)
	}
	b.send("/account/key", "/account/key/replace", "key", me.APIKey)

	_, access = w.connected(t, b, me.APIKey)
	id := regexp.MustCompile(`/account/connections/([^/"]+)/revoke`).FindStringSubmatch(b.get("/account"))
	if id == nil {
		t.Fatal("no connection to revoke")
	}
	b.send("/account", "/account/connections/"+id[1]+"/revoke")
	if status, _ := w.post(t, access, call("get_activities", `{}`)); status != http.StatusUnauthorized {
		t.Errorf("after revoking the connection of %s: %d", client, status)
	}
	b.send("/account/mine", "/account/mine/delete", "typed", "delete")
	if _, err := w.identity.User(t.Context(), me.ID); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("after deleting: %v", err)
	}
	if _, err := w.keys.Credential(t.Context(), me.ID); secrets.KindOf(err) != secrets.Missing {
		t.Errorf("after deleting: %v", err)
	}
}

// connected registers a client and lets the person say yes to it.
func (w *world) connected(t *testing.T, b *browser, key string) (client, access string) {
	t.Helper()
	const verifier, callback = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "https://claude.ai/api/mcp/auth_callback"
	resp, err := http.Post(strings.TrimSuffix(w.url, "/mcp")+"/register", "application/json",
		strings.NewReader(`{"client_name":"Claude","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	var got struct {
		Client  string `json:"client_id"`
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.Client == "" {
		t.Fatalf("register: %d %v", resp.StatusCode, err)
	}
	sum := sha256.Sum256([]byte(verifier))
	ask := "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {got.Client}, "redirect_uri": {callback}, "state": {"s"}, "resource": {b.origin + "/mcp"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}}.Encode()
	if len(b.cookies) == 0 || b.cookies["__Host-session"] == "" {
		b.send(ask, "/account/signin", "key", key, "next", ask)
	}
	to, _ := b.send(ask, "/authorize", "decision", "connect", "scope", "write", "toolset", "full", "confirm", "person")
	back, err := url.Parse(to)
	if err != nil || back.Query().Get("code") == "" {
		t.Fatalf("sent to %s (%v)", to, err)
	}
	for _, form := range []url.Values{
		{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {callback}, "client_id": {got.Client}, "code_verifier": {verifier}},
		{"grant_type": {"refresh_token"}, "client_id": {got.Client}},
	} {
		if got.Refresh != "" {
			form.Set("refresh_token", got.Refresh)
		}
		resp, body := b.do(http.MethodPost, "/token", form)
		if err := json.Unmarshal([]byte(body), &got); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", form.Get("grant_type"), resp.StatusCode, body)
		}
	}
	return got.Client, got.Access
}

// proposed lets the assistant propose a change and gives the page on which it
// is approved.
func (w *world) proposed(t *testing.T, access string) (path string) {
	t.Helper()
	_, body := w.post(t, access, call("add_or_update_note", `{"name":"blackbox of a person","allow_duplicate":true}`))
	m := regexp.MustCompile(`https://[^/"]+(/account/changes/[a-z2-7]{26})`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no page to approve it: %.500s", body)
	}
	return m[1]
}
