package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/secrets"
)

func (b *browser) trySignIn(key string, pairs ...string) page {
	b.t.Helper()
	return b.submit(b.want(b.get("/account/signin"), 200), "/account/signin", append([]string{"key", key}, pairs...)...)
}

func TestSigningInStoresTheKeyAndMakesTheUser(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		u, err := w.ids.User(t.Context(), "i1")
		if err != nil || u.Athlete != "i1" || u.Name != "Athlete i1" || u.Coach {
			t.Errorf("%+v, %v", u, err)
		}
		if c, err := w.keys.Credential(t.Context(), "i1"); err != nil || c.APIKey.Reveal() != keyOf1 || !c.Stored.Equal(w.now()) {
			t.Errorf("the key is not stored: %v", err)
		}
		b.want(b.get("/account"), 200, "Athlete i1", "Nothing is connected yet")
		w.browser().signIn(keyOf1) // from another browser, later
	})
}

// TestARefusalSaysTheSameOfAnUnknownAWrongAndAForeignKey: nothing tells whether
// an athlete is enrolled, or a key is somebody's.
func TestARefusalSaysTheSameOfAnUnknownAWrongAndAForeignKey(t *testing.T) {
	w := newTown(t)
	w.browser().signIn(keyOf1)
	answers := map[string]page{}
	for name, key := range map[string]string{"of nobody": "no-such-key-0123456789", "of an enrolled athlete, wrong": keyOf1 + "x", "of an athlete who is not admitted": keyOf2, "no key at all": "a b"} {
		answers[name] = w.browser().trySignIn(key)
	}
	first := answers["of nobody"]
	for name, p := range answers {
		if p.StatusCode != 403 || csrfPattern.ReplaceAllString(p.body, "") != csrfPattern.ReplaceAllString(first.body, "") {
			t.Errorf("%s: %d %s", name, p.StatusCode, plainText(p.body))
		}
		if got, want := headerNames(p), headerNames(first); got != want {
			t.Errorf("%s: headers %s, want %s", name, got, want)
		}
	}
	if !strings.Contains(plainText(first.body), "That did not work") {
		t.Error(plainText(first.body))
	}
}

// TestARefusalTakesTheSameStepsForAWrongAndAForeignKey: as many questions to
// Intervals.icu and to the stores, so that the time it takes tells nothing.
func TestARefusalTakesTheSameStepsForAWrongAndAForeignKey(t *testing.T) {
	steps := func(key, invitation string) string {
		table := &countingTable{Table: &identity.Memory{}}
		w := newTown(t, func(w *town) { w.table = table })
		var asked int
		w.serve(func(o *oauth.SiteOptions) {
			admit := o.Admit
			o.Admit = func(ctx context.Context, athlete string) (bool, error) { asked++; return admit(ctx, athlete) }
		})
		before, sent := table.reads, w.sent
		p := w.browser().trySignIn(key, "invitation", invitation)
		return fmt.Sprint(p.StatusCode, " store ", table.reads-before, " upstream ", w.sent-sent, " admission ", asked)
	}
	for _, invitation := range []string{"", identity.NewToken(identity.KindInvite).Reveal()} {
		if wrong, foreign := steps("no-such-key-0123456789", invitation), steps(keyOf2, invitation); wrong != foreign {
			t.Errorf("wrong: %s; foreign: %s", wrong, foreign)
		}
	}
}

type countingTable struct {
	identity.Table
	reads int
}

func (c *countingTable) Account(ctx context.Context, user string) (identity.Account, error) {
	c.reads++
	return c.Table.Account(ctx, user)
}

func (c *countingTable) Note(ctx context.Context, k identity.NoteKind, key string) (identity.Note, error) {
	c.reads++
	return c.Table.Note(ctx, k, key)
}

func TestBruteForceOfKeysEndsAndLeavesOthersAlone(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser()
		refused := 0
		for i := range 80 {
			p := b.trySignIn(fmt.Sprintf("guess-%d-0123456789", i))
			if p.StatusCode == http.StatusTooManyRequests {
				if p.Header.Get("Retry-After") == "" {
					t.Error("nobody is told when to come back")
				}
				break
			}
			refused++
		}
		if refused != 20 {
			t.Errorf("%d guesses before the limit", refused)
		}
		if p := b.trySignIn(keyOf1); p.StatusCode != 303 { // a good key is not shut out by guesses from one's own network
			t.Errorf("a good key: %d", p.StatusCode)
		}
		for range 60 {
			w.browser().trySignIn(keyOf1)
		}
		b = w.browser()
		b.want(b.trySignIn(keyOf1+"x"), http.StatusTooManyRequests, "too many attempts")
		sent := w.sent
		if b.trySignIn(keyOf1 + "y"); w.sent != sent {
			t.Error("Intervals.icu is asked beyond the limit")
		}
		other := w.browser()
		other.headers["Test-Address"] = "203.0.113.99"
		other.want(other.trySignIn("guess-0123456789"), 403)
		w.pass(15 * time.Minute)
		b.want(b.trySignIn("guess-0123456789"), 403)
	})
}

func TestOneAthleteIsTriedSoOftenFromWhereverItComes(t *testing.T) {
	w := newTown(t)
	for i := range 21 {
		b := w.browser()
		b.headers["Test-Address"] = fmt.Sprintf("203.0.113.%d", i)
		p := b.trySignIn(keyOf1)
		if want := map[bool]int{true: 303, false: 429}[i < 20]; p.StatusCode != want {
			t.Fatalf("attempt %d: %d, want %d", i, p.StatusCode, want)
		}
	}
}

func TestWhenIntervalsDoesNotAnswerNothingIsStored(t *testing.T) {
	w := newTown(t)
	w.down = true
	b := w.browser()
	b.want(b.trySignIn(keyOf1), 503, "does not answer")
	if _, err := w.ids.User(t.Context(), "i1"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("a user was made: %v", err)
	}
	if _, err := w.keys.Credential(t.Context(), "i1"); secrets.KindOf(err) != secrets.Missing {
		t.Errorf("a key was stored: %v", err)
	}
}

func TestAnInvitationLetsOnePersonInOnce(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		code, _, err := w.ids.Invite(t.Context(), identity.Invitation{By: "Velo <b>Club</b>"}, 7*24*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		b := w.browser()
		p := b.want(b.get("/invite/"+code.Reveal()), 200, "You are invited", "Velo <b>Club</b> invites you")
		b.want(b.submit(p, "/account/signin", "key", keyOf2), 303)
		b.want(b.get("/account"), 200, "Athlete i2")
		if c, err := w.keys.Credential(t.Context(), "i2"); err != nil || c.APIKey.Reveal() != keyOf2 {
			t.Errorf("%v", err)
		}
		again := w.browser()
		again.want(again.get("/invite/"+code.Reveal()), 404, "This invitation cannot be used")
		again.want(again.trySignIn(keyOf3, "invitation", code.Reveal()), 403, "This invitation cannot be used")
		again.want(again.trySignIn(keyOf2, "invitation", code.Reveal()), 303) // who is enrolled needs none
	})
}

func TestAnInvitationForSomebodyElseIsRefusedAndStaysGood(t *testing.T) {
	w := newTown(t)
	code, _, err := w.ids.Invite(t.Context(), identity.Invitation{By: "operator", Athlete: "i3"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.want(b.get("/invite/"+code.Reveal()), 200, "You may use this server")
	b.want(b.trySignIn(keyOf2, "invitation", code.Reveal()), 403)
	if _, err := w.ids.User(t.Context(), "i2"); !errors.Is(err, identity.ErrNoUser) {
		t.Error("somebody else was let in")
	}
	b.want(b.trySignIn(keyOf3, "invitation", code.Reveal()), 303)
}

// TestACoachsInvitationCountsForWhoIsAdmittedAnyway: it says whom they reach. A
// plain one is left for somebody who needs it.
func TestACoachsInvitationCountsForWhoIsAdmittedAnyway(t *testing.T) {
	w := newTown(t)
	plain, _, err := w.ids.Invite(t.Context(), identity.Invitation{By: "operator"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.want(b.trySignIn(keyOf1, "invitation", plain.Reveal()), 303)
	if _, err := w.ids.Invitation(t.Context(), plain); err != nil {
		t.Errorf("a plain one was used: %v", err)
	}
	coach, _, err := w.ids.Invite(t.Context(), identity.Invitation{By: "operator", Coach: true, Athletes: []string{"i3"}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b = w.browser()
	b.want(b.trySignIn(keyOf9, "invitation", coach.Reveal()), 303)
	u, err := w.ids.User(t.Context(), "i9")
	if err != nil || !u.Coach || strings.Join(u.Athletes, " ") != "i3" {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := w.ids.Invitation(t.Context(), coach); !errors.Is(err, identity.ErrNoInvitation) {
		t.Errorf("a coach's was not used: %v", err)
	}
}

func TestBruteForceOfInvitationsEnds(t *testing.T) {
	w := newTown(t)
	b := w.browser()
	for i := range 61 {
		p := b.get("/invite/" + identity.NewToken(identity.KindInvite).Reveal())
		if want := map[bool]int{true: 404, false: 429}[i < 60]; p.StatusCode != want {
			t.Fatalf("look %d: %d, want %d", i, p.StatusCode, want)
		}
	}
}

func TestACoachReachesWhomTheirKeyDoesWrittenOut(t *testing.T) {
	w := newTown(t)
	w.browser().signIn(keyOf9)
	u, err := w.ids.User(t.Context(), "i9")
	if err != nil || !u.Coach || strings.Join(u.Athletes, " ") != "i1 i3" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestTheKeyIsInNoLogAddressOrPage(t *testing.T) {
	w := newTown(t)
	b := w.browser()
	var seen strings.Builder
	for _, key := range []string{keyOf1, keyOf2, "wrong-key-0123456789"} {
		p := w.browser().trySignIn(key)
		seen.WriteString(p.body + p.Header.Get("Location") + fmt.Sprint(p.Header))
	}
	b.signIn(keyOf1)
	for _, path := range []string{"/account", "/account/key", "/account/mine/download", "/account/tokens"} {
		seen.WriteString(b.get(path).body)
	}
	all := seen.String() + w.lines.String()
	for _, key := range []string{keyOf1, keyOf2, "wrong-key-0123456789"} {
		if strings.Contains(all, key) {
			t.Errorf("%s stands somewhere", key)
		}
	}
}

// TestNextLeadsToOurOwnPagesOnly: what the sign-in form carries on is no open
// redirector (RFC 9700 4.11).
func TestNextLeadsToOurOwnPagesOnly(t *testing.T) {
	w := newTown(t)
	for _, next := range []string{
		"https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "/account/../../evil", "javascript:alert(1)", "http:evil.example", "https:/evil.example",
		"/\t/evil.example", "/account\r\nLocation: https://evil.example", "/account//evil.example", "///evil.example/account", "/%2f%2fevil.example", "/account#@evil.example",
		"@evil.example", "account", "", "/account/signin?next=/account/signin", "/account/signout", "/token", "/nowhere", "https://evil.example/account", "/account/%2e%2e/x\\",
	} {
		b := w.browser()
		b.headers["Test-Address"] = "203.0.113." + fmt.Sprint(len(next))
		p := b.submit(b.want(b.get("/account/signin?"+url.Values{"next": {next}}.Encode()), 200), "/account/signin", "key", keyOf1)
		if to := p.Header.Get("Location"); p.StatusCode == 303 && to != "/account" {
			t.Errorf("next %q in the address leads to %q", next, to)
		}
		p = b.trySignInNext(keyOf1, next)
		if to := p.Header.Get("Location"); p.StatusCode == 303 && to != "/account" {
			t.Errorf("next %q in the form leads to %q", next, to)
		}
		w.pass(16 * time.Minute)
	}
	for _, next := range []string{"/account", "/account/history?before=x", "/account/changes/abc", "/authorize?client_id=x&redirect_uri=https%3A%2F%2Fclaude.ai"} {
		if p := w.browser().trySignInNext(keyOf1, next); p.Header.Get("Location") != next {
			t.Errorf("next %q leads to %d %q", next, p.StatusCode, p.Header.Get("Location"))
		}
		w.pass(16 * time.Minute)
	}
}

func (b *browser) trySignInNext(key, next string) page {
	b.t.Helper()
	b = b.browser()
	return b.submit(b.want(b.get("/account/signin"), 200), "/account/signin", "key", key, "next", next)
}

func TestPagesThatWantAPersonSendThemToSignInAndBack(t *testing.T) {
	w := newTown(t)
	b := w.browser()
	p := b.get("/account/changes/abc?from=2")
	if to := p.Header.Get("Location"); p.StatusCode != 302 || to != "/account/signin?next=%2Faccount%2Fchanges%2Fabc%3Ffrom%3D2" {
		t.Fatalf("%d %s", p.StatusCode, to)
	}
	p = b.submit(b.want(b.get(p.Header.Get("Location")), 200), "/account/signin", "key", keyOf1)
	if to := p.Header.Get("Location"); to != "/account/changes/abc?from=2" {
		t.Errorf("after signing in: %s", to)
	}
}

// TestFiftyPeopleSignInAtOnce, from one room: each is who they are, and nobody's
// session is lost.
func TestFiftyPeopleSignInAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		for i := range 50 {
			id := fmt.Sprintf("i5%02d", i)
			w.more = append(w.more, fake.AthleteData{APIKey: "key-of-" + id, Athlete: fake.Object{"id": id, "name": "Athlete " + id, "timezone": "UTC"}})
		}
		crowd := newTown(t, func(c *town) {
			c.log, c.state, c.table, c.keys, c.more = w.log, w.state, w.table, w.keys, w.more
		})
		crowd.serve(func(o *oauth.SiteOptions) {
			o.Admit = func(context.Context, string) (bool, error) { return true, nil }
		})
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				id := fmt.Sprintf("i5%02d", i)
				b := crowd.browser()
				form := b.get("/account/signin").form("/account/signin")
				form.Set("key", "key-of-"+id)
				if p := b.do("POST", "/account/signin", form); p.StatusCode != 303 {
					t.Errorf("%s: %d %s", id, p.StatusCode, plainText(p.body))
					return
				}
				if p := b.get("/account"); p.StatusCode != 200 || !strings.Contains(plainText(p.body), "Athlete "+id) {
					t.Errorf("%s is %d %s", id, p.StatusCode, plainText(p.body))
				}
			})
		}
		wg.Wait()
		if users, err := crowd.ids.Users(t.Context()); err != nil || len(users) != 50 {
			t.Errorf("%d users, %v", len(users), err)
		}
	})
}

// TestOneInvitationAtOnce: however many try at the same instant, one comes in.
func TestOneInvitationAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		code, _, err := w.ids.Invite(t.Context(), identity.Invitation{By: "operator"}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var in atomic.Int32
		for _, key := range []string{keyOf2, keyOf3} {
			wg.Go(func() {
				b := w.browser()
				form := b.get("/account/signin").form("/account/signin")
				form.Set("key", key)
				form.Set("invitation", code.Reveal())
				if b.do("POST", "/account/signin", form).StatusCode == 303 {
					in.Add(1)
				}
			})
		}
		wg.Wait()
		if users, err := w.ids.Users(t.Context()); err != nil || in.Load() != 1 || len(users) != 1 {
			t.Errorf("%d came in, %d users, %v", in.Load(), len(users), err)
		}
	})
}
