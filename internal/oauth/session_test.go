package oauth_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/oauth"
)

var csrfPattern = regexp.MustCompile(`name="csrf" value="[^"]*"`)

func headerNames(p page) string {
	var names []string
	for name := range p.Header {
		if name != "Set-Cookie" { // a browser gets its name once
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// cookie gives the value of a browser's cookie.
func (b *browser) cookie(base string) string {
	u, _ := url.Parse(b.url)
	for _, c := range b.http.Jar.Cookies(u) {
		if c.Name == base+"-"+u.Port() {
			return c.Value
		}
	}
	return ""
}

func (b *browser) setCookie(base, value string) {
	u, _ := url.Parse(b.url)
	b.http.Jar.SetCookies(u, []*http.Cookie{{Name: base + "-" + u.Port(), Value: value, Path: "/"}})
}

func (b *browser) signedIn() bool { b.t.Helper(); return b.get("/account").StatusCode == 200 }

func TestASessionEndsAfterThirtyDays(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	w.pass(oauth.SessionLife - time.Second)
	if !b.signedIn() {
		t.Error("signed out too early")
	}
	w.pass(time.Second)
	if b.signedIn() {
		t.Error("still signed in")
	}
}

func TestSigningOutEndsThisBrowserAndSigningOutEverywhereEndsAll(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		a, b := w.browser().signIn(keyOf1), w.browser().signIn(keyOf1)
		old := a.cookie("session")
		a.want(a.submit(a.get("/account"), "/account/signout"), 303)
		if a.signedIn() || !b.signedIn() {
			t.Error("signing out ends another browser, or not this one")
		}
		a.setCookie("session", old) // a copy of the cookie lives until everybody is signed out
		if _, err := w.ids.SignOut(t.Context(), "i1"); err != nil {
			t.Fatal(err)
		}
		if a.signedIn() || b.signedIn() {
			t.Error("signing out everywhere leaves a session")
		}
	})
}

func TestACookieThatWasNotMadeHereIsNobodys(t *testing.T) {
	w := newTown(t)
	good := w.browser().signIn(keyOf1)
	value := good.cookie("session")
	body, proof, _ := strings.Cut(value, ".")
	browserCookie := w.browser()
	browserCookie.get("/account/signin")
	for name, forged := range map[string]string{
		"empty": ".", "without proof": body + ".", "another proof": body + "." + strings.Repeat("A", len(proof)), "a changed body": "e30" + "." + proof,
		"a cookie for something else": browserCookie.cookie("browser"), "twice": value + "." + proof, "in capitals": strings.ToUpper(value),
	} {
		b := w.browser()
		b.setCookie("session", forged)
		if b.signedIn() {
			t.Errorf("%s: signed in", name)
		}
	}
	w.serve() // the same key: everybody stays signed in
	again := w.browser()
	again.setCookie("session", value)
	if !again.signedIn() {
		t.Error("another process does not know the session")
	}
}

// TestSessionFixation: what stood in the browser before signing in is not what
// signs the person in, and what an attacker planted dies.
func TestSessionFixation(t *testing.T) {
	w := newTown(t)
	attacker := w.browser()
	attacker.get("/account/signin")
	planted := attacker.cookie("browser")
	victim := w.browser()
	victim.setCookie("browser", planted)
	victim.setCookie("session", "planted")
	victim.signIn(keyOf1)
	if s := victim.cookie("session"); s == "planted" || s == "" {
		t.Error("the session is the one that was planted")
	}
	if victim.cookie("browser") != "" {
		t.Error("the name of before signing in lives on")
	}
	if attacker.signedIn() {
		t.Error("the attacker is signed in")
	}
	first := victim.cookie("session")
	victim.submit(victim.get("/account"), "/account/signout")
	if victim.signIn(keyOf1); victim.cookie("session") == first {
		t.Error("two sign-ins gave one session")
	}
}

// TestLoginCSRF: nobody can sign a person in as somebody else.
func TestLoginCSRF(t *testing.T) {
	w := newTown(t)
	attacker, victim := w.browser(), w.browser()
	form := attacker.get("/account/signin").form("/account/signin")
	form.Set("key", keyOf1)
	victim.want(victim.do("POST", "/account/signin", form), 403, "This form is too old") // no cookie
	victim.get("/account/signin")
	victim.want(victim.do("POST", "/account/signin", form), 403, "This form is too old") // another's
	victim.want(victim.do("POST", "/account/signin", url.Values{"key": {keyOf1}}), 403)
	if victim.signedIn() || w.sent > 0 {
		t.Error("the form counted")
	}
}

// TestFormsOfOtherSitesAreRefused: with a stolen proof too.
func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	w := newTown(t)
	for name, headers := range map[string]map[string]string{
		"foreign origin": {"Origin": "https://evil.example"}, "null origin": {"Origin": "null"}, "another port": {"Origin": "http://127.0.0.1:1"},
		"cross-site": {"Sec-Fetch-Site": "cross-site"}, "same-site": {"Sec-Fetch-Site": "same-site"},
	} {
		b := w.browser().signIn(keyOf1)
		p := b.get("/account/tokens")
		b.headers = headers
		b.want(b.submit(p, "/account/tokens", "label", "x"), 403, "This form is too old")
		if list, _ := w.ids.Tokens(t.Context(), "i1"); len(list) > 0 {
			t.Errorf("%s: a token was made", name)
		}
		w.pass(time.Hour)
	}
}

// TestAFormsProofIsGoodForItsPageAndPersonOnly.
func TestAFormsProofIsGoodForItsPageAndPersonOnly(t *testing.T) {
	w := newTown(t)
	b, other := w.browser().signIn(keyOf1), w.browser().signIn(keyOf9)
	proofOf := func(b *browser, path string) string {
		m := csrfPattern.FindString(b.get(path).body)
		return strings.TrimSuffix(strings.TrimPrefix(m, `name="csrf" value="`), `"`)
	}
	post := func(proof, path string, pairs ...string) int {
		v := url.Values{"csrf": {proof}}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return b.do("POST", path, v).StatusCode
	}
	actions := map[string][]string{ // where the form is -> where it goes
		"/account/tokens": {"/account/tokens"}, "/account/key": {"/account/key/test", "/account/key/replace", "/account/key/forget"},
		"/account/mine": {"/account/mine/delete"}, "/account": {"/account/connections/i1-abcdefghij/revoke", "/account/connections/i1-abcdefghij"},
		"/account/changes": {"/account/changes/" + strings.Repeat("a", 26) + "/approve", "/account/changes/" + strings.Repeat("a", 26) + "/drop"},
		"/account/history": {"/account/history/x/undo"},
	}
	for from := range actions {
		proof, foreign := proofOf(b, from), proofOf(other, from)
		for to, paths := range actions {
			for _, path := range paths {
				if to != from && post(proof, path) != 403 {
					t.Errorf("the proof of %s counts for %s", from, path)
				}
				if post(foreign, path) != 403 {
					t.Errorf("another person's proof counts for %s", path)
				}
				if to == from && post(proof, path) == 403 {
					t.Errorf("the proof of %s does not count for %s", from, path)
				}
			}
		}
	}
	if post("", "/account/signout") != 403 || !b.signedIn() {
		t.Error("somebody else can sign a person out")
	}
}

func TestNoPageCanBeFramedOrCached(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	client := w.register("C", callback)
	for _, path := range []string{"/", "/account/signin", w.ask(client), "/account", "/account/tokens", "/account/changes", "/account/history", "/account/key", "/account/mine", "/account/mine/download",
		"/nowhere", "/authorize?client_id=nobody", "/invite/x"} {
		p := b.get(path)
		if h := p.Header; h.Get("X-Frame-Options") != "DENY" || h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, h)
		}
		if policy := p.Header.Get("Content-Security-Policy"); p.Header.Get("Location") == "" && !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
	if policy := b.get(w.ask(client)).Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https://claude.ai") {
		t.Errorf("the consent form may not lead back to the client: %s", policy)
	}
}

func TestMethodsAreHeldApart(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	for path, allow := range map[string]string{"/account": "GET, HEAD", "/account/tokens": "GET, HEAD, POST", "/account/key/forget": "POST", "/account/mine/delete": "POST", "/account/signout": "POST",
		"/account/connections/x/revoke": "POST", "/account/history/x/undo": "POST", "/account/mine/download": "GET, HEAD", "/authorize": "GET, HEAD, POST"} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH"} {
			if strings.Contains(allow, method) {
				continue
			}
			p := b.do(method, path, nil)
			if p.StatusCode != 405 || p.Header.Get("Allow") != allow {
				t.Errorf("%s %s: %d, Allow %q", method, path, p.StatusCode, p.Header.Get("Allow"))
			}
		}
	}
	// A form in the address is none.
	p := b.get("/account/tokens")
	b.want(b.do("POST", "/account/tokens?"+p.form("/account/tokens").Encode(), url.Values{}), 403)
	if p := b.do("HEAD", "/account", nil); p.StatusCode != 200 || p.body != "" {
		t.Errorf("HEAD: %d %q", p.StatusCode, p.body)
	}
}

func TestFormsAreBoundedAndOfOneKind(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	form := b.get("/account/tokens").form("/account/tokens")
	form.Set("label", strings.Repeat("x", 70<<10))
	b.want(b.do("POST", "/account/tokens", form), 413)
	b.headers["Content-Type"] = "text/plain"
	b.want(b.do("POST", "/account/tokens", b.get("/account/tokens").form("/account/tokens")), 400)
}

func TestALaptopsOtherNamesLeadToTheOneThatCookiesAreFor(t *testing.T) {
	w := newTown(t)
	r, err := http.NewRequestWithContext(t.Context(), "GET", w.url+"/account/signin?next=%2Faccount", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "localhost:" + strings.Split(w.url, ":")[2]
	resp, err := w.browser().http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is read
	if to := resp.Header.Get("Location"); resp.StatusCode != 302 || to != w.url+"/account/signin?next=%2Faccount" {
		t.Errorf("%d %s", resp.StatusCode, to)
	}
}
