package signin

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"intervals-mcp/internal/identity"
)

// asked is a consent page on which the form was filled in and not yet sent.
func (p *program) asked(b *Browser, pairs ...string) url.Values {
	p.t.Helper()
	page := b.Want(b.Open(p.ask()), http.StatusOK)
	filled, err := Fill(page.Body, "/authorize", append([]string{"decision", "connect"}, pairs...)...)
	if err != nil {
		p.t.Fatal(err)
	}
	return filled
}

func TestAttack_ConsentCannotBeSentByAnybodyElse(t *testing.T) {
	w := newTown(t)
	victim, thief := w.browser().SignIn(keyOf(1)), w.browser().SignIn(keyOf(2))
	p := w.registered("Claude", claudeBack, "none")
	good := func() url.Values { return p.asked(victim) }
	changed := func(name, value string) url.Values { f := good(); set(f, []string{name, value}); return f }
	others := p.asked(thief)
	mixed := func(name string) url.Values { return changed(name, others.Get(name)) }
	account, err := Fill(victim.Open("/account/tokens").Body, "/account/tokens")
	if err != nil {
		t.Fatal(err)
	}
	for name, attack := range map[string]struct {
		form    url.Values
		headers []string
	}{
		"no proof":                    {changed("csrf", ""), nil},
		"an invented proof":           {changed("csrf", "x"), nil},
		"the thief's proof":           {mixed("csrf"), nil},
		"the proof of another page":   {changed("csrf", account.Get("csrf")), nil},
		"no request":                  {changed("flow", ""), nil},
		"the thief's request":         {mixed("flow"), nil},
		"all of the thief's form":     {others, nil},
		"from another site":           {good(), []string{"Sec-Fetch-Site", "cross-site"}},
		"from a sibling":              {good(), []string{"Sec-Fetch-Site", "same-site"}},
		"from another origin":         {good(), []string{"Origin", "https://stranger.example"}},
		"from a frame without origin": {good(), []string{"Origin", "null"}},
		"as another kind of content":  {good(), []string{"Content-Type", "text/plain"}},
		"without a decision":          {changed("decision", ""), nil},
		"with a scope of its own":     {changed("scope", "admin"), nil},
		"writing, where reading was asked for": {func() url.Values {
			page := victim.Want(victim.Open(p.ask("scope", "read")), http.StatusOK)
			f, err := Fill(page.Body, "/authorize", "decision", "connect")
			if err != nil {
				t.Fatal(err)
			}
			f.Set("scope", "write")
			return f
		}(), nil},
	} {
		victim.Headers = http.Header{}
		for i := 0; i+1 < len(attack.headers); i += 2 {
			victim.Headers.Set(attack.headers[i], attack.headers[i+1])
		}
		if got := victim.Send("POST", "/authorize", attack.form); got.StatusCode < 400 || got.Away() != "" {
			t.Errorf("%s: %d, led to %q", name, got.StatusCode, got.Away())
		}
	}
	victim.Headers = http.Header{}
	if got := w.browser().Send("POST", "/authorize", good()); got.StatusCode < 400 || got.Away() != "" { // a browser where nobody is signed in
		t.Errorf("without a session: %d, led to %q", got.StatusCode, got.Away())
	}
	if len(victim.Connections("Claude")) != 0 || len(thief.Connections("Claude")) != 0 {
		t.Error("something was connected")
	}
	no := good()
	no.Set("decision", "cancel")
	if got := victim.Send("POST", "/authorize", no); answer(t, got.Away()).Get("error") != "access_denied" {
		t.Errorf("the person's no is not told: %d %q", got.StatusCode, got.Away())
	}
	no.Set("decision", "connect")
	if got := victim.Send("POST", "/authorize", no); got.StatusCode < 400 || got.Away() != "" {
		t.Errorf("a no was made a yes: %d, led to %q", got.StatusCode, got.Away())
	}
	once := good()
	if got := victim.Send("POST", "/authorize", once); answer(t, got.Away()).Get("code") == "" {
		t.Errorf("the person's own yes does not count: %d %s", got.StatusCode, got.Text())
	}
	if got := victim.Send("POST", "/authorize", once); got.StatusCode < 400 || got.Away() != "" {
		t.Errorf("one question was answered twice: %d, led to %q", got.StatusCode, got.Away())
	}
}

// pages are all that a signed-in person can open.
var pages = []string{"/", "/account", "/account/tokens", "/account/changes", "/account/history", "/account/key", "/account/mine", "/nowhere", "/account/nowhere"}

func TestAttack_NoPageCanBeFramedOrRunsScriptsOfOthers(t *testing.T) {
	w := newTown(t)
	p := w.registered("Claude", claudeBack, "none")
	stranger := w.browser()
	b := w.browser().SignIn(w.Key)
	seen := map[string]Page{"sign-in": stranger.Open("/account/signin"), "sign-in for a client": stranger.Open(p.ask()), "consent": b.Open(p.ask()),
		"a refused request": b.Open(p.ask("redirect_uri", "https://stranger.example")), "an invitation": stranger.Open("/invite/x")}
	for _, path := range pages {
		seen[path] = b.Open(path)
	}
	for name, page := range seen {
		policy := page.Header.Get("Content-Security-Policy")
		for _, rule := range []string{"frame-ancestors 'none'", "default-src 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, rule) && strings.Contains(page.Header.Get("Content-Type"), "html") {
				t.Errorf("%s: the policy %q lacks %s", name, policy, rule)
			}
		}
		if strings.Contains(page.Header.Get("Content-Type"), "html") && page.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: X-Frame-Options is %q", name, page.Header.Get("X-Frame-Options"))
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(strings.ToLower(page.Body), "<iframe") {
			t.Errorf("%s: %s", name, policy)
		}
	}
}

// Session fixation: what a browser brought along before it signed in is not the
// session afterwards, and a cookie of another name or place counts for nothing.
func TestAttack_ASessionCannotBeFixed(t *testing.T) {
	w := newTown(t)
	thief := w.browser().SignIn(keyOf(2))
	planted := cookies(t, thief, w.Origin)["__Host-session"]
	if planted == "" {
		t.Fatalf("the session's cookie is none of %v", cookies(t, thief, w.Origin))
	}
	victim := w.browser()
	at, _ := url.Parse(w.Origin)
	victim.http.Jar.SetCookies(at, []*http.Cookie{{Name: "__Host-session", Value: planted, Path: "/", Secure: true}})
	page := victim.Open("/account/key") // the thief's account, in the victim's browser
	victim.Want(victim.Submit(page, "/account/signout"), http.StatusOK)
	signIn := victim.Want(victim.Open("/account/signin"), http.StatusOK)
	filled, err := Fill(signIn.Body, "/account/signin", "key", keyOf(1))
	if err != nil {
		t.Fatal(err)
	}
	in := victim.Send("POST", "/account/signin", filled)
	for _, c := range in.Cookies() {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("cookie %+v", c)
		}
	}
	if own := cookies(t, victim, w.Origin)["__Host-session"]; own == "" || own == planted {
		t.Error("the session is the one that was planted")
	}
	if got := thief.Want(thief.Open("/account"), http.StatusOK); strings.Contains(got.Text(), "Athlete 1") {
		t.Error("the thief is in the victim's session")
	}
	// A cookie of the same name beside the real one, as a sibling host could set
	// it: neither is believed.
	victim.Headers.Set("Cookie", "__Host-session="+planted)
	if got := victim.Open("/account"); strings.Contains(got.Text(), "Athlete 1") || strings.Contains(got.Text(), "Athlete 2") {
		t.Errorf("of two cookies one is believed: %s", got.Text())
	}
}

func cookies(t *testing.T, b *Browser, origin string) map[string]string {
	t.Helper()
	at, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range b.http.Jar.Cookies(at) {
		out[c.Name] = c.Value
	}
	return out
}

// hostile texts, in whatever a client or a person may say.
var hostile = []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, `{{.}}`, `</title><svg onload=alert(1)>`, "javascript:alert(1)"}

func TestAttack_HTMLInWhateverAClientSaysIsOnlyText(t *testing.T) {
	w := newTown(t)
	b := w.browser().SignIn(w.Key)
	for i, text := range hostile {
		metadata, err := json.Marshal(map[string]any{"client_name": text, "redirect_uris": []string{claudeBack}, "token_endpoint_auth_method": "none", "scope": "read write",
			"client_uri": text, "logo_uri": text, "tos_uri": text, "policy_uri": text, "contacts": []string{text}, "software_id": text, "software_version": text, "client_name#de": text})
		if err != nil {
			t.Fatal(err)
		}
		registered := w.want(w.send("POST", "/register", string(metadata)), http.StatusCreated, "")
		if registered.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Error("JSON with a stranger's text may be taken for a page")
		}
		p := w.client(registered.text("client_id"), claudeBack)
		id := fmt.Sprintf("https://stranger.example/client/%d", i)
		w.docs.publish(id, mustJSON(t, map[string]any{"client_id": id, "client_name": text, "logo_uri": text, "client_uri": text,
			"redirect_uris": []string{"https://stranger.example/cb"}, "token_endpoint_auth_method": "none"}))
		published := w.client(id, "https://stranger.example/cb")
		seen := []Page{
			w.browser().Open(p.ask("state", text)), b.Open(p.ask("state", text)), b.Open(published.ask()),
			b.Send("GET", p.ask("scope", text), nil), b.Send("GET", p.ask("response_type", text), nil), b.Send("GET", p.ask("client_id", text), nil),
			b.Send("GET", p.ask("redirect_uri", text), nil), b.Send("GET", p.ask("resource", text), nil), b.Send("GET", p.ask("code_challenge", text), nil),
			b.Send("GET", p.ask("prompt", text), nil), b.Open("/account/signin?next=" + url.QueryEscape(text)), b.Open("/invite/" + url.PathEscape(text)),
			b.Open("/account/history?from=" + url.QueryEscape(text)), b.Open("/account/changes/" + url.PathEscape(text)), b.Open("/" + url.PathEscape(text)),
		}
		w.want(p.redeem(answer(t, b.Consent(p.ask(), w.Key)).Get("code")), http.StatusOK, "")
		w.want(published.redeem(answer(t, b.Consent(published.ask(), w.Key)).Get("code")), http.StatusOK, "")
		for _, path := range pages {
			seen = append(seen, b.Open(path))
		}
		for _, page := range seen {
			harmless(t, page, text)
		}
	}
}

// ofUser lists the connections of athlete i1.
func (w *town) ofUser(t *testing.T) (ids []string) {
	t.Helper()
	list, err := w.ids.Connections(t.Context(), "i1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Usable(w.now()) == nil {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func mustFill(t *testing.T, b *Browser, action string) url.Values {
	t.Helper()
	f, err := Fill(b.Open("/account").Body, action)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// harmless fails where a text became part of a page's markup, or of a header.
func harmless(t *testing.T, page Page, text string) {
	t.Helper()
	if strings.ContainsAny(text, "<>") && strings.Contains(page.Body, text) {
		t.Errorf("%s holds %s as it is", page.Request.URL.Path, text)
	}
	elements(page.Body, func(start *xml.StartElement, _, _ string) {
		if start == nil {
			return
		}
		for _, a := range start.Attr {
			name, value := strings.ToLower(a.Name.Local), strings.ToLower(strings.TrimSpace(a.Value))
			if strings.HasPrefix(name, "on") || (name == "href" || name == "src" || name == "action") && strings.HasPrefix(value, "javascript:") {
				t.Errorf("%s: <%s %s=%q>", page.Request.URL.Path, start.Name.Local, name, a.Value)
			}
		}
		if n := start.Name.Local; n == "svg" && attribute(start, "onload") != "" || n == "script" && attribute(start, "src") == "" || n == "iframe" {
			t.Errorf("%s holds <%s>", page.Request.URL.Path, n)
		}
	})
	for name, values := range page.Header {
		if strings.Contains(strings.Join(values, ""), "<script") {
			t.Errorf("%s: header %s holds %q", page.Request.URL.Path, name, values)
		}
	}
}

func TestAttack_AnotherPersonsConnectionCannotBeTouched(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		victim, thief := w.browser().SignIn(keyOf(1)), w.browser().SignIn(keyOf(2))
		p := w.registered("Claude", claudeBack, "none")
		tokens := p.connect(victim)
		id := w.ofUser(t)[0]
		mine := w.registered("Mine", claudeBack, "none")
		w.want(mine.redeem(answer(t, thief.Consent(mine.ask(), keyOf(2))).Get("code")), http.StatusOK, "")
		own := thief.some("Mine")[0]
		filled := mustFill(t, thief, "/account/connections/"+own+"/revoke")
		for _, path := range []string{"/account/connections/" + id, "/account/connections/" + id + "/revoke", "/account/tokens/" + id + "/revoke"} {
			form := filled
			if !strings.HasSuffix(path, "revoke") {
				form = url.Values{"csrf": filled["csrf"], "scope": {"write"}, "toolset": {string(identity.ToolsetFull)}, "confirm": {string(identity.ConfirmNever)}}
			}
			if got := thief.Send("POST", path, form); got.StatusCode < 400 {
				t.Errorf("%s: %d", path, got.StatusCode)
			}
		}
		if !w.works(tokens.text("access_token")) {
			t.Error("somebody else ended the connection")
		}
	})
}
