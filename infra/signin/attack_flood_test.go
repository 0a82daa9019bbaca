package signin

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth"
)

// stopped fails unless an answer says that it was too often, and for how long.
func (w *town) stopped(status int, header http.Header) {
	w.t.Helper()
	if wait, err := strconv.Atoi(header.Get("Retry-After")); status != http.StatusTooManyRequests || err != nil || wait < 1 {
		w.t.Errorf("%d, Retry-After %q", status, header.Get("Retry-After"))
	}
}

func TestAttack_AFloodOfRegistrationsIsStoppedAndLeavesOthersAlone(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		const flood, others = "203.0.113.9", "203.0.113.10"
		metadata := `{"client_name":"Flood","redirect_uris":["https://stranger.example/cb"],"token_endpoint_auth_method":"none"}`
		limit := oauth.DefaultLimits.Register.Attempts
		for i := range limit {
			if got := w.send("POST", "/register", metadata, "Test-Address", flood); got.status != http.StatusCreated {
				t.Fatalf("registration %d: %d %s", i+1, got.status, got.body)
			}
		}
		got := w.send("POST", "/register", metadata, "Test-Address", flood)
		w.stopped(got.status, got.header)
		w.want(w.send("POST", "/register", metadata, "Test-Address", others), http.StatusCreated, "")
		w.pass(oauth.DefaultLimits.Register.Window)
		w.want(w.send("POST", "/register", metadata, "Test-Address", flood), http.StatusCreated, "")
	})
}

func TestAttack_FailuresAtTheTokenEndpointEndAndLeaveOthersAlone(t *testing.T) {
	w := newTown(t)
	p := w.registered("Claude", claudeBack, "client_secret_post")
	tokens := p.connect(w.browser())
	for i := range oauth.DefaultLimits.Failures.Attempts + 1 {
		if got := w.send("POST", "/token", fmt.Sprintf("grant_type=authorization_code&code=%d&client_id=nobody&code_verifier=x", i), "Test-Address", "203.0.113.9"); got.status != http.StatusUnauthorized {
			t.Fatalf("guess %d: %d %s", i+1, got.status, got.body)
		}
	}
	got := w.send("POST", "/token", "grant_type=refresh_token&refresh_token=x&client_id=nobody", "Test-Address", "203.0.113.9")
	w.stopped(got.status, got.header)
	w.want(p.refresh(tokens.text("refresh_token")), http.StatusOK, "") // from elsewhere
}

// guess tries a key from an address, each time as a new browser.
func (w *town) guess(address, key string) Page {
	w.t.Helper()
	b := w.browser()
	b.Headers.Set("Test-Address", address)
	filled, err := Fill(b.Open("/account/signin").Body, "/account/signin", "key", key)
	if err != nil {
		w.t.Fatal(err)
	}
	return b.Send("POST", "/account/signin", filled)
}

func TestAttack_KeysCannotBeGuessedForLong(t *testing.T) {
	w := newTown(t)
	asked := 0
	for tried := range 200 {
		before := w.upstreamCalls()
		got := w.guess("203.0.113.9", fmt.Sprintf("guessed-key-%d-%s", tried, rand.Text()))
		if got.StatusCode != http.StatusForbidden {
			w.stopped(got.StatusCode, got.Header)
		}
		asked += w.upstreamCalls() - before
	}
	if asked > 60 { // the bound for one address in a quarter of an hour
		t.Errorf("%d of 200 guesses reached Intervals.icu", asked)
	}
	before := w.upstreamCalls()
	if got := w.guess("203.0.113.9", keyOf(1)); got.StatusCode != http.StatusTooManyRequests || w.upstreamCalls() != before { // the right one, too late
		t.Errorf("%d, and Intervals.icu was asked %d times", got.StatusCode, w.upstreamCalls()-before)
	}
	if got := w.guess("203.0.113.10", keyOf(1)); got.StatusCode != http.StatusSeeOther {
		t.Errorf("somebody else cannot sign in: %d %s", got.StatusCode, got.Text())
	}
}

func TestAttack_InvitationsCannotBeGuessedForLong(t *testing.T) {
	w := newTown(t)
	code, _, err := w.ids.Invite(t.Context(), identity.Invitation{By: "operator"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	b.Headers.Set("Test-Address", "203.0.113.9")
	stopped := false
	for range 200 {
		got := b.Send("GET", "/invite/"+rand.Text(), nil)
		if stopped = got.StatusCode == http.StatusTooManyRequests; stopped {
			w.stopped(got.StatusCode, got.Header)
			break
		}
		if got.StatusCode != http.StatusNotFound {
			t.Fatalf("%d %s", got.StatusCode, got.Text())
		}
	}
	if !stopped {
		t.Error("200 invitations were tried from one address")
	}
	if got := b.Send("GET", "/invite/"+code.Reveal(), nil); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the right one, too late: %d", got.StatusCode)
	}
	// The person who was invited is not the one who guesses, and it works once.
	guest := w.browser()
	page := guest.Want(guest.Open("/invite/"+code.Reveal()), http.StatusOK, "You are invited")
	guest.Want(guest.Submit(page, "/account/signin", "key", keyOf(0)), http.StatusOK, "Connections")
	again := w.browser()
	again.Want(again.Open("/invite/"+code.Reveal()), http.StatusNotFound, "cannot be used")
}

var changing = regexp.MustCompile(`value="[^"]*"|apigw-requestid`)

// What is answered, and what is done for it, is the same for a key that nobody
// has and for the key of an athlete who may not enrol: neither the page, nor
// the time that it takes, tells whether there is such an athlete. Time itself
// is no measure on a busy machine; the calls that it is spent on are.
func TestAttack_AnUnknownKeyAndAForeignOneAreOneAnswerAndTheSameWork(t *testing.T) {
	w := newTown(t, onDynamoDB)
	w.guess("203.0.113.1", "a-key-that-nobody-has-0") // what the first request of a process reads
	try := func(key string) (body string, upstream int, calls []string) {
		w.called()
		before := w.upstreamCalls()
		got := w.guess("203.0.113.2", key)
		if got.StatusCode != http.StatusForbidden {
			t.Fatalf("%d %s", got.StatusCode, got.Text())
		}
		return changing.ReplaceAllString(got.Body, ""), w.upstreamCalls() - before, w.called()
	}
	unknown, asked, calls := try("a-key-that-nobody-has-1")
	foreign, askedToo, callsToo := try(keyOf(0))
	if unknown != foreign {
		t.Errorf("the pages differ:\n%s\n%s", unknown, foreign)
	}
	if asked != askedToo || !slices.Equal(calls, callsToo) || len(calls) == 0 {
		t.Errorf("an unknown key: %d requests to Intervals.icu, %v; a foreign one: %d, %v", asked, calls, askedToo, callsToo)
	}
}

// A client's secret must not be told from a client's absence by the work that is
// done. Codes and tokens are 256 random bits: who has one knows already that it
// exists, so for them the answer alone must not tell whose it is.
func TestAttack_AtTheTokenEndpointUnknownAndWrongAreOneAnswerAndTheSameWork(t *testing.T) {
	w := newTown(t, onDynamoDB)
	p, q, r := w.registered("Claude", claudeBack, "client_secret_post"), w.registered("Other", claudeBack, "client_secret_post"), w.registered("Third", claudeBack, "client_secret_post")
	b := w.browser()
	token, code := p.connect(b).text("refresh_token"), r.code(b)
	nobody := w.client("client-"+strings.Repeat("a", len(p.id)-len("client-")), claudeBack)
	nobody.secret = p.secret
	w.called()
	unknown := nobody.refresh(token)
	calls := w.called()
	wrong := p.refresh(token, "client_secret", "wrong-"+rand.Text())
	callsToo := w.called()
	sameAnswer(t, "client", unknown, wrong)
	if !slices.Equal(calls, callsToo) || len(calls) == 0 {
		t.Errorf("an unknown client costs %v, a wrong secret %v", calls, callsToo)
	}
	sameAnswer(t, "refresh token", q.refresh(identity.NewToken(identity.KindRefresh).Reveal()), q.refresh(token))
	sameAnswer(t, "code", q.redeem(identity.NewToken(identity.KindCode).Reveal()), q.redeem(code))
	sameAnswer(t, "malformed token", q.refresh("x"), q.refresh(token))
	w.want(p.refresh(token), http.StatusOK, "") // all of it ended nothing
	w.want(r.redeem(code), http.StatusOK, "")
}

func sameAnswer(t *testing.T, what string, a, b reply) {
	t.Helper()
	if a.status != b.status || a.body != b.body || a.header.Get("WWW-Authenticate") != b.header.Get("WWW-Authenticate") || a.status < 400 {
		t.Errorf("%s: %d %s and %d %s", what, a.status, a.body, b.status, b.body)
	}
}
