package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// person is somebody's browser at a running serve.
type person struct {
	t      *testing.T
	origin string
	http   *http.Client
}

func newPerson(t *testing.T, r *running) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, strings.TrimSuffix(r.text("url"), "/mcp"), &http.Client{Jar: jar}}
}

// open gets a page, or sends a form with the last page's proof.
func (p *person) open(path string, form url.Values) (status int, body string) {
	p.t.Helper()
	var resp *http.Response
	var err error
	if form == nil {
		resp, err = p.http.Get(p.origin + path)
	} else {
		resp, err = p.http.PostForm(p.origin+path, form)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

var proofPattern = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// submit fills in the form of a page.
func (p *person) submit(from, to string, pairs ...string) (status int, body string) {
	p.t.Helper()
	_, page := p.open(from, nil)
	m := proofPattern.FindStringSubmatch(page)
	if m == nil {
		p.t.Fatalf("%s has no form: %s", from, page)
	}
	form := url.Values{"csrf": {m[1]}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return p.open(to, form)
}

func (p *person) signIn(key string) (status int, body string) {
	p.t.Helper()
	return p.submit("/account/signin", "/account/signin", "key", key)
}

func TestTheAthleteOfTheKeySignsInAndApprovesWhatTheirAssistantProposed(t *testing.T) {
	up := startFake(t)
	data := t.TempDir()
	env := environ(t, "API_KEY=k3y-of-the-test-rider", "INTERVALS_API_BASE_URL="+up.text("url"))
	r := launch(t, env, "serve", "--addr", "127.0.0.1:0", "--data", data, "--confirm", "person", "--toolset", "full")
	_, body := r.rpc(toolCall("add_or_update_note", `{"name":"Proposed"}`))
	approve := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+(/account/changes/[a-z2-7]{26})`).FindStringSubmatch(body)
	if approve == nil || strings.Contains(body, `"confirmation"`) {
		t.Fatalf("no page to approve it: %s", body)
	}
	stranger := newPerson(t, r)
	if status, page := stranger.signIn("k3y-of-the-coach"); status != 403 || !strings.Contains(page, "That did not work") {
		t.Errorf("another athlete signed in: %d", status)
	}
	p := newPerson(t, r)
	if status, page := p.signIn("k3y-of-the-test-rider"); status != 200 || !strings.Contains(page, "Connections") {
		t.Fatalf("%d %s", status, page)
	}
	if status, page := p.submit(approve[1], approve[1]+"/approve"); status != 200 || !strings.Contains(page, "Done") {
		t.Fatalf("%d %s", status, page)
	}
	if status, page := p.open("/account/history", nil); status != 200 || !strings.Contains(page, "Proposed") {
		t.Errorf("%d %s", status, page)
	}
	if _, body := r.rpc(toolCall("get_events", `{}`)); !strings.Contains(body, "Proposed") {
		t.Errorf("it was not made: %s", body)
	}
	info, err := os.Stat(filepath.Join(data, sessionFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the session key: %v, %v", info, err)
	}
}

func TestInTheDemoTheShownKeySignsIn(t *testing.T) {
	r := launch(t, environ(t), "serve", "--addr", "127.0.0.1:0", "--demo")
	p := newPerson(t, r)
	if _, page := p.open("/account/signin", nil); !strings.Contains(page, "terminal") {
		t.Error("the page does not say where the key stands")
	}
	if status, _ := p.signIn("demo-key-1"); status != 200 {
		t.Errorf("%d", status)
	}
	// A personal token of that person reads the invented data.
	_, page := p.submit("/account/tokens", "/account/tokens", "label", "x", "days", "30", "scope", "read", "toolset", "core", "confirm", "all")
	token := regexp.MustCompile(`imcp_pat_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}`).FindString(page)
	req, err := http.NewRequest("POST", r.text("url"), strings.NewReader(toolCall("get_wellness_data", `{}`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	b, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 || strings.Contains(string(b), `"isError":true`) {
		t.Errorf("%d %s", resp.StatusCode, b)
	}
}

func TestTheSessionKeyIsMadeOnceAndKept(t *testing.T) {
	dir := t.TempDir()
	first, err := sessionKey(dir)
	if err != nil || len(first.Reveal()) < 32 {
		t.Fatal(err)
	}
	if again, err := sessionKey(dir); err != nil || again != first {
		t.Errorf("another one: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, sessionFile), []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sessionKey(dir); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("a damaged one: %v", err)
	}
	if a, err := sessionKey(""); err != nil || a == first {
		t.Errorf("without a folder: %v", err)
	}
}
