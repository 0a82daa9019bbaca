package oauth_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/secrets"
)

// withIntervals gives the town an app at Intervals.icu, whose codes are the
// keys of those who said yes.
func withIntervals(w *town) (asked func() int) {
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		n++
		code := r.PostFormValue("code")
		if r.Method != "POST" || r.PostFormValue("client_id") != "42" || r.PostFormValue("client_secret") != "app-secret" || code == "bad" {
			http.Error(rw, `{"error":"invalid_grant app-secret"}`, 400)
			return
		}
		_ = json.NewEncoder(rw).Encode(map[string]any{"token_type": "Bearer", "access_token": "token-for-" + code, "scope": "ACTIVITY:WRITE"})
	}))
	w.t.Cleanup(s.Close)
	w.serve(func(o *oauth.SiteOptions) {
		o.Intervals = &oauth.IntervalsApp{Credentials: func(context.Context) (string, secrets.Secret, error) { return "42", secrets.New("app-secret"), nil },
			Authorize: "https://intervals.icu/oauth/authorize", Token: s.URL}
	})
	return func() int { return n }
}

// toIntervals presses the button of a page and gives the state that is sent.
func (b *browser) toIntervals(path string) (state string) {
	b.t.Helper()
	p := b.want(b.get(path), 302)
	to := p.Header.Get("Location")
	q := query(b.t, to)
	if !strings.HasPrefix(to, "https://intervals.icu/oauth/authorize?") || q.Get("client_id") != "42" || q.Get("redirect_uri") != b.url+"/callback" || !strings.Contains(q.Get("scope"), "CALENDAR:WRITE") {
		b.t.Fatalf("sent to %s", to)
	}
	return q.Get("state")
}

func TestSignInWithIntervalsKeepsItsToken(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		withIntervals(w)
		b := w.browser()
		client := w.register("Claude", callback)
		if p := b.get(w.ask(client)); !strings.Contains(plainText(p.body), "Sign in with Intervals.icu") {
			t.Error("it is not offered")
		}
		state := b.toIntervals("/account/signin/intervals?" + url.Values{"next": {w.ask(client)}}.Encode())
		p := b.want(b.get("/callback?"+url.Values{"code": {keyOf1}, "state": {state}}.Encode()), 302)
		if to := p.Header.Get("Location"); to != w.ask(client) {
			t.Errorf("on to %s", to)
		}
		c, err := w.keys.Credential(t.Context(), "i1")
		if err != nil || c.Bearer.Reveal() != "token-for-"+keyOf1 || !c.APIKey.IsZero() {
			t.Errorf("%v", err)
		}
		b.want(b.get("/account/key"), 200, "You signed in with Intervals.icu")
		b.want(b.submit(b.get("/account/key"), "/account/key/test"), 200, "It works")
		if strings.Contains(w.lines.String(), "token-for") || strings.Contains(w.lines.String(), "app-secret") {
			t.Error("a secret is in the log")
		}
		w.browser().signIn(keyOf1) // later by key: that is kept instead
		if c, err := w.keys.Credential(t.Context(), "i1"); err != nil || c.APIKey.Reveal() != keyOf1 || !c.Bearer.IsZero() {
			t.Errorf("%v", err)
		}
	})
}

func TestSignInWithIntervalsAdmitsNobodyElse(t *testing.T) {
	w := newTown(t)
	withIntervals(w)
	b := w.browser()
	p := b.get("/callback?" + url.Values{"code": {keyOf2}, "state": {b.toIntervals("/account/signin/intervals")}}.Encode())
	b.want(p, 403, "That did not work")
	code, _, err := w.ids.Invite(t.Context(), identity.Invitation{By: "operator"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	state := b.toIntervals("/account/signin/intervals?" + url.Values{"invitation": {code.Reveal()}}.Encode())
	b.want(b.get("/callback?"+url.Values{"code": {keyOf2}, "state": {state}}.Encode()), 302)
}

func TestCVE2026_27124_TheAnswerCountsInTheBrowserThatAskedOnce(t *testing.T) {
	w := newTown(t)
	asked := withIntervals(w)
	attacker, victim := w.browser(), w.browser()
	state := attacker.toIntervals("/account/signin/intervals")
	back := "/callback?" + url.Values{"code": {keyOf1}, "state": {state}}.Encode()
	victim.want(victim.get(back), 403, "This form is too old") // no cookie
	victim.toIntervals("/account/signin/intervals")
	victim.want(victim.get(back), 403) // another's state
	attacker.want(attacker.get("/callback?code="+keyOf1), 403)
	if asked() > 0 || victim.signedIn() {
		t.Error("the code was used")
	}
	state = attacker.toIntervals("/account/signin/intervals")
	w.pass(10 * time.Minute)
	attacker.want(attacker.get("/callback?"+url.Values{"code": {keyOf1}, "state": {state}}.Encode()), 403)
	state = attacker.toIntervals("/account/signin/intervals")
	good := "/callback?" + url.Values{"code": {keyOf1}, "state": {state}}.Encode()
	attacker.want(attacker.get(good), 302)
	again := w.browser()
	again.want(again.get(good), 403)
	attacker.want(attacker.get(good), 403)
}

func TestSignInWithIntervalsThatWasNotFinishedSaysSo(t *testing.T) {
	w := newTown(t)
	withIntervals(w)
	for _, answer := range []url.Values{{"error": {"access_denied"}}, {"code": {"bad"}}, {}} {
		b := w.browser()
		answer.Set("state", b.toIntervals("/account/signin/intervals?next=https%3A%2F%2Fevil.example"))
		p := b.want(b.get("/callback?"+answer.Encode()), 403, "was not finished")
		if p.form("/account/signin").Get("next") != "/account" {
			t.Error("it goes on to another site")
		}
	}
}

// A coach who signs in with Intervals.icu keeps the key, which reaches more.
func TestSignInWithIntervalsReplacesADeadKeyOnly(t *testing.T) {
	w := newTown(t)
	withIntervals(w)
	w.browser().signIn(keyOf9)
	stored := func() secrets.Credential {
		c, err := w.keys.Credential(t.Context(), "i9")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	again := func() {
		b := w.browser()
		b.want(b.get("/callback?"+url.Values{"code": {keyOf9}, "state": {b.toIntervals("/account/signin/intervals")}}.Encode()), 302)
	}
	if again(); stored().APIKey.Reveal() != keyOf9 {
		t.Error("a good key was replaced")
	}
	if err := w.keys.Put(t.Context(), "i9", secrets.Key{APIKey: secrets.New("dead-key-0123456789")}); err != nil {
		t.Fatal(err)
	}
	if again(); stored().Bearer.IsZero() {
		t.Error("a dead key was kept")
	}
}
