package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
)

func TestAPersonConnectsAClientAndTakesItBack(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		client := w.register("Claude", callback)
		b := w.browser()
		signIn := b.want(b.get(w.ask(client)), 200, "Claude", "API key")
		consent := b.submit(signIn, "/account/signin", "key", keyOf1)
		b.want(consent, 303)
		page := b.want(b.get(consent.Header.Get("Location")), 200, "Connect Claude", "claude.ai", "Athlete i1", "Read and write")
		back := b.want(b.submit(page, "/authorize", "decision", "connect"), 303)
		answer := query(t, back.Header.Get("Location"))
		if answer.Get("state") != "st&te" || answer.Get("iss") != w.url || answer.Get("code") == "" {
			t.Fatalf("the client gets %v", answer)
		}
		access, refresh := w.redeem(client, answer.Get("code"))
		if !w.works(access) {
			t.Fatal("the access token does not work")
		}
		account := b.want(b.get("/account"), 200, "Claude", "Read and write", "Core tools", "before every change")
		b.want(b.submit(account, "/account/connections/"+account.firstID()+"/revoke"), 303)
		if w.works(access) {
			t.Error("the access token works after the connection was revoked")
		}
		b.want(b.get("/account"), 200, "The connection is revoked", "Nothing is connected yet")
		if again, _ := w.token(map[string][]string{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {client}}); again != "" {
			t.Error("the refresh token works after the connection was revoked")
		}
	})
}

// asked opens the consent page as a signed-in person.
func asked(t *testing.T, w *town, key string, pairs ...string) (b *browser, client string, p page) {
	t.Helper()
	client = w.register("Claude", callback)
	b = w.browser().signIn(key)
	return b, client, b.want(b.get(w.ask(client, pairs...)), 200)
}

func (w *town) connectionsOf(user string) []identity.Connection {
	w.t.Helper()
	list, err := w.ids.Connections(w.t.Context(), user)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func TestWhatIsChosenIsWhatTheTokenMayDo(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b, client, p := asked(t, w, keyOf1)
		back := b.want(b.submit(p, "/authorize", "decision", "connect", "scope", "read", "toolset", "full", "confirm", "person"), 303)
		access, _ := w.redeem(client, query(t, back.Header.Get("Location")).Get("code"))
		tok, err := w.table.Token(t.Context(), identity.HashOf(access))
		if err != nil || !slices.Equal(tok.Scopes, []identity.Scope{identity.ScopeRead}) || tok.Toolset != identity.ToolsetFull || tok.Confirm != identity.ConfirmPerson || tok.Host != "claude.ai" || tok.Client != "Claude" {
			t.Errorf("%+v, %v", tok, err)
		}
	})
}

func TestAReaderIsNotOfferedToWriteAndCannotTakeIt(t *testing.T) {
	w := newTown(t)
	b, _, p := asked(t, w, keyOf1, "scope", "read")
	if strings.Contains(plainText(p.body), "Read and write") {
		t.Error("writing is offered")
	}
	b.want(b.submit(p, "/authorize", "decision", "connect", "scope", "write", "confirm", "never"), 400, "did not ask to write")
	if len(w.connectionsOf("i1")) > 0 {
		t.Error("a connection was made")
	}
}

func TestCancelTellsTheClientWithStateAndIssuer(t *testing.T) {
	w := newTown(t)
	b, _, p := asked(t, w, keyOf1)
	back := b.want(b.submit(p, "/authorize", "decision", "cancel"), 303)
	if q := query(t, back.Header.Get("Location")); !strings.HasPrefix(back.Header.Get("Location"), callback+"?") || q.Get("error") != "access_denied" || q.Get("state") != "st&te" || q.Get("iss") != w.url || q.Has("code") {
		t.Errorf("%s", back.Header.Get("Location"))
	}
	b.want(b.submit(p, "/authorize", "decision", "connect"), 403, "This form is too old") // a no is an answer
}

// TestConsentCSRF: nobody else can say yes.
func TestConsentCSRF(t *testing.T) {
	w := newTown(t)
	victim, client, p := asked(t, w, keyOf1)
	attacker := w.browser().signIn(keyOf9)
	own := attacker.get(w.ask(client)).form("/authorize")
	good := p.form("/authorize")
	for name, form := range map[string]url.Values{
		"nothing":             {"decision": {"connect"}},
		"no csrf":             {"decision": {"connect"}, "flow": good["flow"], "scope": {"write"}, "toolset": {"core"}},
		"no flow":             {"decision": {"connect"}, "csrf": good["csrf"], "scope": {"write"}, "toolset": {"core"}},
		"the attacker's form": {"decision": {"connect"}, "csrf": own["csrf"], "flow": own["flow"], "scope": {"write"}, "toolset": {"core"}},
		"the attacker's flow": {"decision": {"connect"}, "csrf": good["csrf"], "flow": own["flow"], "scope": {"write"}, "toolset": {"core"}},
		"an invented flow":    {"decision": {"connect"}, "csrf": good["csrf"], "flow": {"e30.AAAA"}, "scope": {"write"}, "toolset": {"core"}},
	} {
		if got := victim.do("POST", "/authorize", form); got.StatusCode != 403 {
			t.Errorf("%s: %d %s", name, got.StatusCode, plainText(got.body))
		}
	}
	victim.headers["Origin"] = "https://evil.example"
	victim.want(victim.submit(p, "/authorize", "decision", "connect"), 403)
	if len(w.connectionsOf("i1"))+len(w.connectionsOf("i9")) > 0 {
		t.Error("a connection was made")
	}
}

// TestConfusedDeputy: an answer counts in the browser and session that was
// asked, once, and within ten minutes.
func TestConfusedDeputy(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b, _, p := asked(t, w, keyOf1)
		b.want(b.submit(p, "/authorize", "decision", "connect"), 303)
		b.want(b.submit(p, "/authorize", "decision", "connect"), 403, "This form is too old")

		b, _, p = asked(t, w, keyOf1)
		elsewhere := w.browser().signIn(keyOf1) // the same person, another session
		elsewhere.want(elsewhere.do("POST", "/authorize", p.form("/authorize")), 403)
		w.pass(10 * time.Minute)
		b.want(b.submit(p, "/authorize", "decision", "connect"), 403, "This form is too old")

		b, _, p = asked(t, w, keyOf1)
		form := p.form("/authorize")
		form.Set("decision", "connect")
		b.submit(p, "/account/signout")
		b.want(b.do("POST", "/authorize", form), 403, "This form is too old")
	})
}

func TestOfTwoYesesAtOnceOneCounts(t *testing.T) {
	w := newTown(t)
	b, _, p := asked(t, w, keyOf1)
	form := p.form("/authorize")
	form.Set("decision", "connect")
	var wg sync.WaitGroup
	var yes atomic.Int32
	for range 8 {
		wg.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/authorize", strings.NewReader(form.Encode()))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			resp, err := b.http.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close() //nolint:errcheck // nothing is read
			if resp.StatusCode == 303 {
				yes.Add(1)
			}
		})
	}
	wg.Wait()
	if yes.Load() != 1 {
		t.Errorf("%d codes", yes.Load())
	}
}

func TestARequestThatIsChangedOnTheWayIsReadAgain(t *testing.T) {
	w := newTown(t)
	b, _, p := asked(t, w, keyOf1)
	form := p.form("/authorize")
	for name, value := range map[string]string{"redirect_uri": "https://evil.example/cb", "client_id": "evil", "state": "evil", "user": "i9", "resource": "https://evil.example/mcp"} {
		form.Set(name, value)
	}
	form.Set("decision", "connect")
	back := b.want(b.do("POST", "/authorize?redirect_uri=https://evil.example/cb&client_id=evil", form), 303).Header.Get("Location")
	if !strings.HasPrefix(back, callback+"?") || query(t, back).Get("state") != "st&te" {
		t.Errorf("sent to %s", back)
	}
	if _, err := w.ids.User(t.Context(), "i9"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("another user: %v", err)
	}
}

func TestClientsWordsAreTextAndNothingElse(t *testing.T) {
	w := newTown(t)
	client := w.register(`<script>alert(1)</script>"'><img src=x onerror=alert(1)>{{.}}`, callback)
	b := w.browser().signIn(keyOf1)
	b.connect(client)
	for _, path := range []string{w.ask(client), "/account"} {
		p := b.want(b.get(path), 200, "<script>alert(1)")
		if strings.Contains(p.body, "<script>alert") || strings.Contains(p.body, "<img") {
			t.Errorf("%s holds markup of the client's", path)
		}
	}
	out := w.browser()
	if p := out.get(w.ask(client)); strings.Contains(p.body, "<script>alert") || strings.Contains(p.body, "<img") {
		t.Error("the sign-in page holds markup of the client's")
	}
}

func TestTheConsentPageWarnsOfThisMachineAndSaysWhereItLeads(t *testing.T) {
	w := newTown(t)
	client := w.register("Claude Code", "http://localhost:3118/callback")
	b := w.browser().signIn(keyOf1)
	p := b.want(b.get(w.ask(client, "redirect_uri", "http://localhost:4000/callback")), 200, "program on this computer", "localhost")
	if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' http://localhost:4000;") {
		t.Error(policy)
	}
}

func TestABadRequestIsAPageAndSendsNobodyAnywhere(t *testing.T) {
	w := newTown(t)
	client := w.register("Claude", callback)
	b := w.browser().signIn(keyOf1)
	for name, path := range map[string]string{
		"unknown client": w.ask("client-nobody"), "foreign address": w.ask(client, "redirect_uri", "https://evil.example/cb"),
		"look-alike": w.ask(client, "redirect_uri", "https://claude.ai.evil.example/api/mcp/auth_callback"), "no client": "/authorize", "twice": w.ask(client) + "&client_id=x",
	} {
		p := b.get(path)
		if p.StatusCode != 400 || p.Header.Get("Location") != "" || strings.Contains(p.body, "evil.example") {
			t.Errorf("%s: %d %q", name, p.StatusCode, p.Header.Get("Location"))
		}
	}
	p := b.get(w.ask(client, "code_challenge_method", "plain"))
	if q := query(t, p.Header.Get("Location")); p.StatusCode != 302 || q.Get("error") != "invalid_request" || q.Get("iss") != w.url || q.Get("state") != "st&te" {
		t.Errorf("plain: %d %s", p.StatusCode, p.Header.Get("Location"))
	}
}

func TestAClientMayAskForANewSignIn(t *testing.T) {
	w := newTown(t)
	client := w.register("Claude", callback)
	b := w.browser().signIn(keyOf1)
	w.pass(6 * time.Minute)
	p := b.want(b.get(w.ask(client, "prompt", "login")), 200, "Sign in")
	on := b.want(b.submit(p, "/account/signin", "key", keyOf1), 303)
	b.want(b.get(on.Header.Get("Location")), 200, "Who asks") // and no circle
}

func TestNotYouLeadsToTheSignInOfTheSameRequest(t *testing.T) {
	w := newTown(t)
	b, client, p := asked(t, w, keyOf1)
	on := b.want(b.submit(p, "/account/signout"), 303)
	p = b.want(b.get(on.Header.Get("Location")), 200, "Claude", "waits to be connected")
	on = b.want(b.submit(p, "/account/signin", "key", keyOf9), 303)
	b.want(b.submit(b.want(b.get(on.Header.Get("Location")), 200, "Athlete i9"), "/authorize", "decision", "connect"), 303)
	if list := w.connectionsOf("i1"); len(list) > 0 {
		t.Errorf("%v of %s", list, client)
	}
}

func TestACoachsListIsAlwaysWrittenOutAndTheirs(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b, client, p := asked(t, w, keyOf9)
		b.want(p, 200, "Athlete i1", "Athlete i3") // by name
		form := p.form("/authorize")
		form.Set("decision", "connect")
		form.Set("who", "some")
		form["athlete"] = []string{"i3", "i2"}
		b.want(b.do("POST", "/authorize", form), 400, "whom you do not coach")
		form.Del("athlete")
		b.want(b.do("POST", "/authorize", form), 400, "Tick the athletes")
		for i, chosen := range [][]string{{"i3"}, {}, {"i1", "i3"}} {
			p = b.get(w.ask(client))
			form = p.form("/authorize")
			form.Set("decision", "connect")
			form.Set("who", []string{"some", "self", "all"}[i])
			form["athlete"] = chosen
			back := b.want(b.do("POST", "/authorize", form), 303)
			access, _ := w.redeem(client, query(t, back.Header.Get("Location")).Get("code"))
			tok, err := w.table.Token(t.Context(), identity.HashOf(access))
			if err != nil || !slices.Equal(tok.Athletes, chosen) && len(tok.Athletes)+len(chosen) > 0 || !tok.Chosen {
				t.Errorf("%d: %+v, %v", i, tok, err)
			}
		}
	})
}

func TestConnectingAgainReplacesWhatItMayDo(t *testing.T) {
	w := newTown(t)
	b, client, _ := asked(t, w, keyOf1)
	first, _ := b.connect(client)
	second, _ := b.connect(client, "scope", "read")
	if w.works(first) || !w.works(second) {
		t.Error("the old connection works, or the new one does not")
	}
	b.want(b.get(w.ask(client)), 200, "connected already")
	// Programs on people's machines share a client and an address.
	local := w.register("Claude Code", "http://localhost/callback")
	for range 2 {
		p := b.get(w.ask(local, "redirect_uri", "http://localhost/callback"))
		b.want(b.submit(p, "/authorize", "decision", "connect"), 303)
	}
}

func TestThereAreSoManyConnectionsAndThePersonIsToldWhichToRevoke(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	for i := range identity.MaxConnections {
		b.connect(w.register(fmt.Sprint("Client ", i), callback))
		w.pass(3 * time.Minute)
	}
	p := b.submit(b.get(w.ask(w.register("One more", callback))), "/authorize", "decision", "connect")
	b.want(p, 409, "Revoke one", "Client 0")
}

func TestAStoreThatIsDownIsNoNoAndSaysWhatToDo(t *testing.T) {
	broken := &brokenTable{Table: &identity.Memory{}}
	w := newTown(t, func(w *town) { w.table = broken })
	b, _, p := asked(t, w, keyOf1)
	broken.down.Store(true)
	b.want(b.submit(p, "/authorize", "decision", "connect"), 503, "Try again in a minute")
	b.want(b.get("/account"), 503)
	b.want(w.browser().get("/"), 200) // the landing page asks nobody
}

type brokenTable struct {
	identity.Table
	down atomic.Bool
}

func (c *brokenTable) Account(ctx context.Context, user string) (identity.Account, error) {
	if c.down.Load() {
		return identity.Account{}, errors.New("the table is down")
	}
	return c.Table.Account(ctx, user)
}

func TestWhoForgotTheirKeyGivesItAgainBeforeConnecting(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	b.want(b.submit(b.get("/account/key"), "/account/key/forget", "sure", "yes"), 303)
	client := w.register("Claude", callback)
	p := b.want(b.get(w.ask(client)), 200, "Claude", "waits to be connected")
	on := b.want(b.submit(p, "/account/signin", "key", keyOf1), 303)
	b.want(b.get(on.Header.Get("Location")), 200, "Who asks")
}
