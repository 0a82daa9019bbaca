package signin

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

func TestAttack_CodeReplayEndsWhatTheCodeGave(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		p := w.registered("Claude", claudeBack, "none")
		code := p.code(w.browser())
		tokens := w.want(p.redeem(code), http.StatusOK, "")
		w.want(p.redeem(code), http.StatusBadRequest, "invalid_grant")
		if w.works(tokens.text("access_token")) {
			t.Error("the tokens of a code that was used twice work (RFC 6749 4.1.2)")
		}
	})
}

func TestAttack_AStolenCodeIsOfNoUseToAnotherClientAndStaysGood(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		victim, thief := w.registered("Claude", claudeBack, "none"), w.registered("Thief", "https://stranger.example/cb", "none")
		code := victim.code(w.browser())
		thief.verifier = victim.verifier
		w.want(thief.redeem(code), http.StatusBadRequest, "invalid_grant")
		w.want(thief.redeem(code, "redirect_uri", claudeBack), http.StatusBadRequest, "invalid_grant")
		w.want(victim.redeem(code), http.StatusOK, "")
	})
}

// Code injection: the thief puts the victim's code into a session of their own
// with the same client, which therefore sends the verifier of that session
// (RFC 9700 4.5).
func TestAttack_AnInjectedCodeDoesNotMatchTheSessionsVerifier(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		w.docs.publish(claudeID, document(claudeID, "Claude", none, claudeBack))
		victims, thiefs := w.client(claudeID, claudeBack), w.client(claudeID, claudeBack)
		code := victims.code(w.browser())
		w.want(thiefs.redeem(code), http.StatusBadRequest, "invalid_grant")
		w.want(thiefs.redeem(code, "code_verifier", ""), http.StatusBadRequest, "invalid_request") // PKCE left out: CVE-2025-4144
	})
}

// Mix-up: a client of two servers takes the code of the honest one to the other,
// unless it can tell whose answer it has (RFC 9207). And the other server can do
// nothing with it.
func TestAttack_MixUpIsSeenByTheIssuerOfEachAnswer(t *testing.T) {
	honest, other := newTown(t), newTown(t)
	p := honest.registered("Client of both", claudeBack, "none")
	yes := answer(t, honest.browser().Consent(p.ask(), honest.Key))
	no := answer(t, honest.browser().SignIn(honest.Key).Cancel(p.ask()))
	bad := answer(t, honest.browser().SignIn(honest.Key).Send("GET", p.ask("response_type", "token"), nil).Away())
	for what, got := range map[string]url.Values{"success": yes, "denial": no, "error": bad} {
		if got.Get("iss") != honest.Origin || got.Get("iss") == other.Origin {
			t.Errorf("%s is signed by %q", what, got.Get("iss"))
		}
	}
	if bad.Get("error") != "unsupported_response_type" {
		t.Errorf("the error is %v", bad)
	}
	q := other.registered("Client of both", claudeBack, "none")
	q.verifier = p.verifier
	other.want(q.redeem(yes.Get("code")), http.StatusBadRequest, "invalid_grant")
	honest.want(p.redeem(yes.Get("code")), http.StatusOK, "")
}

func TestAttack_RedirectLookAlikesGetAPageAndNothingElse(t *testing.T) {
	w := newTown(t)
	w.docs.publish(claudeID, document(claudeID, "Claude", none, claudeBack))
	b := w.browser().SignIn(w.Key)
	p := w.client(claudeID, claudeBack)
	for name, address := range map[string]string{
		"suffix of the host":         "https://claude.ai.stranger.example/api/mcp/auth_callback",
		"host as a suffix":           "https://strangerclaude.ai/api/mcp/auth_callback",
		"userinfo":                   "https://claude.ai@stranger.example/api/mcp/auth_callback",
		"userinfo with a password":   "https://claude.ai:443@stranger.example/api/mcp/auth_callback",
		"userinfo before it":         "https://stranger@claude.ai/api/mcp/auth_callback",
		"port":                       "https://claude.ai:8443/api/mcp/auth_callback",
		"the default port":           "https://claude.ai:443/api/mcp/auth_callback",
		"path traversal":             "https://claude.ai/api/mcp/auth_callback/../../../stranger",
		"path traversal, escaped":    "https://claude.ai/api/mcp/auth_callback%2f..%2fstranger",
		"an escaped letter":          "https://claude.ai/api/mcp/auth%5fcallback",
		"a backslash":                `https://claude.ai\@stranger.example/api/mcp/auth_callback`,
		"unicode":                    "https://claude.аi/api/mcp/auth_callback", // a Cyrillic a
		"a full-width stop":          "https://claude。ai/api/mcp/auth_callback",
		"case of the path":           "https://claude.ai/API/mcp/auth_callback",
		"case of the host":           "https://CLAUDE.ai/api/mcp/auth_callback",
		"http":                       "http://claude.ai/api/mcp/auth_callback",
		"a query":                    "https://claude.ai/api/mcp/auth_callback?next=https://stranger.example",
		"a fragment":                 "https://claude.ai/api/mcp/auth_callback#stranger",
		"a slash":                    "https://claude.ai/api/mcp/auth_callback/",
		"a space":                    " https://claude.ai/api/mcp/auth_callback",
		"another scheme":             "javascript:alert(1)//claude.ai/api/mcp/auth_callback",
		"loopback of nobody":         "http://127.0.0.1/callback",
		"a NUL":                      "https://claude.ai/api/mcp/auth_callback\x00",
		"a line break, for a header": "https://claude.ai/api/mcp/auth_callback\r\nLocation: https://stranger.example",
	} {
		got := b.Send("GET", p.ask("redirect_uri", address), nil)
		if got.StatusCode != http.StatusBadRequest || got.Away() != "" || !strings.Contains(got.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d, led to %q", name, got.StatusCode, got.Away())
		}
		for _, link := range []string{"href=\"" + address, "action=\"" + address} {
			if strings.Contains(got.Body, link) {
				t.Errorf("%s: the page links there", name)
			}
		}
	}
	twice := b.Send("GET", p.ask()+"&redirect_uri="+url.QueryEscape("https://stranger.example/cb"), nil)
	if twice.StatusCode != http.StatusBadRequest || twice.Away() != "" {
		t.Errorf("two addresses: %d, led to %q", twice.StatusCode, twice.Away())
	}
}

func TestAttack_RefreshReplayBeforeTheSuccessorIsUsedIsALostAnswer(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		p := w.registered("Claude", claudeBack, "none")
		first := p.connect(w.browser()).text("refresh_token")
		second := w.want(p.refresh(first), http.StatusOK, "")
		again := w.want(p.refresh(first), http.StatusOK, "")
		if !w.works(second.text("access_token")) || !w.works(again.text("access_token")) {
			t.Error("one of two answers is of no use")
		}
	})
}

func TestAttack_RefreshReplayAfterTheSuccessorWasUsedEndsTheFamily(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser()
		p := w.registered("Claude", claudeBack, "none")
		first := p.connect(b).text("refresh_token")
		second := w.want(p.refresh(first), http.StatusOK, "").text("refresh_token")
		third := w.want(p.refresh(second), http.StatusOK, "")
		w.want(p.refresh(first), http.StatusBadRequest, "invalid_grant")
		if w.works(third.text("access_token")) {
			t.Error("the access token outlived the theft")
		}
		w.want(p.refresh(third.text("refresh_token")), http.StatusBadRequest, "invalid_grant")
		if len(b.Connections("Claude")) != 0 {
			t.Error("the page shows a connection that is none any more")
		}
	})
}

func TestAttack_TwoRefreshesAtTheSameInstantRotateOnce(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		p := w.registered("Claude", claudeBack, "none")
		token := p.connect(w.browser()).text("refresh_token")
		for round := range 5 {
			var twin [2]reply
			var failed [2]error
			var wg sync.WaitGroup
			for i := range twin {
				wg.Go(func() { twin[i], failed[i] = w.try("POST", "/token", p.renewal(token)) })
			}
			wg.Wait()
			for i, got := range twin {
				if failed[i] != nil || got.status != http.StatusOK || !w.works(got.text("access_token")) {
					t.Fatalf("round %d: %d %s %v", round, got.status, got.body, failed[i])
				}
			}
			if twin[0].text("refresh_token") != twin[1].text("refresh_token") {
				t.Fatalf("round %d: it rotated twice", round)
			}
			token = twin[0].text("refresh_token")
		}
	})
}

func TestAttack_AnotherResourceIsRefusedWhereverItIsAsked(t *testing.T) {
	w := newTown(t)
	b := w.browser().SignIn(w.Key)
	p := w.registered("Claude", claudeBack, "none")
	tokens := p.connect(b)
	for name, resource := range map[string]string{"foreign": "https://stranger.example/mcp", "sibling": w.URL() + "2", "below": w.URL() + "/more", "origin": w.Origin,
		"another scheme": strings.Replace(w.URL(), "https", "http", 1), "a fragment": w.URL() + "#x", "a query": w.URL() + "?x", "up": w.Origin + "/x/../mcp"} {
		q := w.registered("Claude", claudeBack, "none")
		if to := answer(t, b.Send("GET", q.ask("resource", resource), nil).Away()); to.Get("error") != "invalid_target" {
			t.Errorf("%s at /authorize: %v", name, to)
		}
		code := q.code(b)
		w.want(q.redeem(code, "resource", resource), http.StatusBadRequest, "invalid_target")
		w.want(q.redeem(code), http.StatusOK, "") // nothing was used up
		w.want(p.refresh(tokens.text("refresh_token"), "resource", resource), http.StatusBadRequest, "invalid_target")
	}
	if !w.works(w.want(p.refresh(tokens.text("refresh_token")), http.StatusOK, "").text("access_token")) {
		t.Error("the session was lost")
	}
}

// A token is for one deployment: another one, even on the same store, refuses it.
func TestAttack_ATokenForAnotherAudienceIsRefused(t *testing.T) {
	here := newTown(t)
	there := newTown(t, func(w *town) { w.table, w.keys = here.table, here.keys })
	access := here.registered("Claude", claudeBack, "none").connect(here.browser()).text("access_token")
	if !here.works(access) || there.works(access) {
		t.Error("it is taken where it was not meant for")
	}
}

func TestAttack_ATokenCountsInTheHeaderOnlyAndOnlyAccessTokensDo(t *testing.T) {
	w := newTown(t)
	tokens := w.registered("Claude", claudeBack, "none").connect(w.browser())
	access := tokens.text("access_token")
	for name, target := range map[string]string{"in the address": "/mcp?access_token=" + access, "as a query of another name": "/mcp?token=" + access} {
		if got := w.send("POST", target, listTools); got.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	if w.works(tokens.text("refresh_token")) {
		t.Error("a refresh token is taken for an access token")
	}
	if w.works(access + "x") {
		t.Error("a changed token is taken")
	}
}
