package authorizer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/authorizer"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// world is an authorizer on a table in memory, whose reads are counted and may
// fail, with its log.
type world struct {
	*authorizer.Authorizer
	table  *identity.Memory
	store  *identity.Store
	log    bytes.Buffer
	now    time.Time
	reads  int
	broken error
	token  string // in force, of a coach
	record identity.Token
}

func (w *world) Token(ctx context.Context, h identity.Hash) (identity.Token, error) {
	w.reads++
	if w.broken != nil {
		return identity.Token{}, w.broken
	}
	return w.table.Token(ctx, h)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{table: &identity.Memory{}, now: time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return w.now }
	w.store = identity.NewStore(w.table, clock)
	w.Authorizer = &authorizer.Authorizer{Tokens: w, Now: clock, Log: slog.New(slog.NewJSONHandler(&w.log, nil))}
	if _, err := w.store.AddUser(t.Context(), identity.User{ID: "i9", Athlete: "i9", Coach: true, Athletes: []string{"i1", "i2"}}); err != nil {
		t.Fatal(err)
	}
	w.token, w.record = w.create(t)
	return w
}

func (w *world) create(t *testing.T) (string, identity.Token) {
	t.Helper()
	secret, record, err := w.store.CreateToken(t.Context(), identity.Request{User: "i9", Label: "Claude", Days: 30, Scopes: []identity.Scope{"read", "write"}})
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal(), record
}

func request(authorization string) authorizer.Request {
	r := authorizer.Request{Version: "2.0", Type: "REQUEST", IdentitySource: []string{authorization}, RouteKey: "ANY /mcp",
		Headers: map[string]string{"authorization": authorization}}
	r.RequestContext.RequestID = "JKJaXmPLvHcESHA="
	return r
}

func TestAGoodTokenGivesTheWholeIdentityAsStrings(t *testing.T) {
	w := newWorld(t)
	got, err := w.Handle(t.Context(), request("Bearer "+w.token))
	want := map[string]any{"auth": "ok", "user": "i9", "athlete": "i9", "athletes": "i1,i2", "coach": "true", "scopes": "read write",
		"connection": w.record.ID, "client": "Claude", "toolset": "core", "confirm": "all", "exp": fmt.Sprint(w.now.AddDate(0, 0, 30).Unix())}
	if err != nil || !got.IsAuthorized || !reflect.DeepEqual(got.Context, want) || w.reads != 1 {
		t.Errorf("got %+v, %v after %d reads", got, err, w.reads)
	}
	if id, err := identity.Parse(got.Context); err != nil || id.User != "i9" {
		t.Errorf("the edge reads %+v, %v", id, err)
	}
}

func TestTheTokenIsReadFromWhereverTheGatewayPutsIt(t *testing.T) {
	w := newWorld(t)
	good := "Bearer " + w.token
	for name, tt := range map[string]struct {
		change func(*authorizer.Request)
		ok     bool
	}{
		"identity source":      {func(r *authorizer.Request) { r.Headers = nil }, true},
		"header in lower case": {func(r *authorizer.Request) { r.IdentitySource = nil }, true},
		"header as the client sent": {func(r *authorizer.Request) {
			r.IdentitySource, r.Headers = nil, map[string]string{"AuthoriZation": good}
		}, true},
		"two headers":          {func(r *authorizer.Request) { r.IdentitySource = nil; r.Headers["Authorization"] = good }, false},
		"two and one source":   {func(r *authorizer.Request) { r.Headers["Authorization"] = good }, false},
		"one source of two":    {func(r *authorizer.Request) { r.Headers["authorization"] = good + ",Bearer x" }, false},
		"two sources":          {func(r *authorizer.Request) { r.IdentitySource = []string{good, good} }, false},
		"no header":            {func(r *authorizer.Request) { r.IdentitySource, r.Headers = nil, nil }, false},
		"scheme in lower case": {func(r *authorizer.Request) { r.IdentitySource[0] = "bearer " + w.token }, true},
		"scheme in upper case": {func(r *authorizer.Request) { r.IdentitySource[0] = "BEARER   " + w.token + " " }, true},
		"another scheme":       {func(r *authorizer.Request) { r.IdentitySource[0] = "Basic " + w.token }, false},
		"no scheme":            {func(r *authorizer.Request) { r.IdentitySource[0] = w.token }, false},
		"two values":           {func(r *authorizer.Request) { r.IdentitySource[0] = good + "," + good }, false},
		"two tokens":           {func(r *authorizer.Request) { r.IdentitySource[0] = good + " " + w.token }, false},
		"in the query": {func(r *authorizer.Request) {
			r.IdentitySource, r.Headers, r.RawQueryString = nil, nil, "access_token="+w.token
		}, false},
		"another header's spoofing":  {func(r *authorizer.Request) { r.Headers["x-golambdaproxy-apigw-context"] = `{"auth":"ok"}` }, true},
		"a header of twelve kbytes":  {func(r *authorizer.Request) { r.IdentitySource[0] = "Bearer " + strings.Repeat("a", 12_000) }, false},
		"the hash instead of token":  {func(r *authorizer.Request) { r.IdentitySource[0] = "Bearer " + w.record.Hash.Hex() }, false},
		"a token of another release": {func(r *authorizer.Request) { r.IdentitySource[0] = "Bearer " + strings.ToLower(w.token) }, false},
	} {
		r := request(good)
		tt.change(&r)
		got, err := w.Handle(t.Context(), r)
		if auth := got.Context["auth"]; err != nil || (auth == "ok") != tt.ok || (auth != "ok" && auth != "invalid_token") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// bad gives one authorization of each bad kind, by the word in the log.
func (w *world) bad(t *testing.T) map[string]string {
	t.Helper()
	ended, _ := w.create(t)
	w.now = w.now.AddDate(0, 0, 30)
	w.token, w.record = w.create(t)
	gone, record := w.create(t)
	if err := w.store.RevokeToken(t.Context(), record.ID); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"unknown": "Bearer " + identity.NewToken(identity.KindPersonal).Reveal(), "expired": "Bearer " + ended, "revoked": "Bearer " + gone,
		"malformed": "Bearer imcp_pat_example",
	}
}

func TestEveryBadTokenIsAnsweredAlikeAfterTheSameWorkAndToldApartInTheLog(t *testing.T) {
	w := newWorld(t)
	bad := w.bad(t)
	for reason, authorization := range bad {
		w.log.Reset()
		w.reads = 0
		got, err := w.Handle(t.Context(), request(authorization))
		if err != nil || !got.IsAuthorized || !reflect.DeepEqual(got.Context, map[string]any{"auth": "invalid_token"}) {
			t.Errorf("%s: %+v, %v", reason, got, err)
		}
		if w.reads != 1 {
			t.Errorf("%s: %d reads, want 1", reason, w.reads)
		}
		if log := w.log.String(); !strings.Contains(log, `"reason":"`+reason+`"`) {
			t.Errorf("%s: log %s", reason, log)
		}
	}
}

func TestAStrictGatewayRefusesItself(t *testing.T) {
	w := newWorld(t)
	bad := w.bad(t)
	w.Strict = true
	for reason, authorization := range bad {
		if got, err := w.Handle(t.Context(), request(authorization)); err != nil || got.IsAuthorized {
			t.Errorf("%s: %+v, %v", reason, got, err)
		}
	}
	if got, err := w.Handle(t.Context(), request("Bearer "+w.token)); err != nil || !got.IsAuthorized {
		t.Errorf("good: %+v, %v", got, err)
	}
	w.broken = errors.New("down")
	if got, err := w.Handle(t.Context(), request("Bearer "+w.token)); err == nil || got.IsAuthorized {
		t.Errorf("store down: %+v, %v", got, err)
	}
}

func TestAStoreThatCannotAnswerIsUnavailableAndNeverAnAllow(t *testing.T) {
	w := newWorld(t)
	for name, err := range map[string]error{"down": errors.New("connection refused"), "newer": fmt.Errorf("x: %w", identity.ErrNewer), "late": context.DeadlineExceeded} {
		w.broken = err
		w.log.Reset()
		for _, authorization := range []string{"Bearer " + w.token, "Bearer nonsense"} {
			got, err := w.Handle(t.Context(), request(authorization))
			if err != nil || !reflect.DeepEqual(got.Context, map[string]any{"auth": "unavailable"}) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			if _, err := identity.Parse(got.Context); !errors.Is(err, identity.ErrUnavailable) {
				t.Errorf("the edge reads %v", err)
			}
		}
		if log := w.log.String(); !strings.Contains(log, `"level":"ERROR"`) || name == "newer" && !strings.Contains(log, "sam deploy") {
			t.Errorf("%s: log %s", name, log)
		}
	}
	w.broken = fmt.Errorf("x: %w", identity.ErrDamaged)
	if got, err := w.Handle(t.Context(), request("Bearer "+w.token)); err != nil || got.Context["auth"] != "invalid_token" {
		t.Errorf("damaged: %+v, %v", got, err)
	}
}

func TestARevokedTokenAndAChangedCoachCountAtTheNextRequest(t *testing.T) {
	w := newWorld(t)
	if _, err := w.store.ChangeUser(t.Context(), "i9", func(u *identity.User) { u.Athletes = []string{"i2"} }); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.Handle(t.Context(), request("Bearer "+w.token)); got.Context["athletes"] != "i2" {
		t.Errorf("after the change: %+v", got)
	}
	if err := w.store.RevokeToken(t.Context(), w.record.ID); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.Handle(t.Context(), request("Bearer "+w.token)); got.Context["auth"] != "invalid_token" {
		t.Errorf("after revoking: %+v", got)
	}
}

// connect gives an access token for a resource.
func (w *world) connect(t *testing.T, resource string) (string, identity.Connection) {
	t.Helper()
	code, _, err := w.store.Authorize(t.Context(), identity.Grant{User: "i9", Client: "c", Name: "Claude", Redirect: "https://claude.ai/cb", Resource: resource,
		Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Permissions: identity.Permissions{Scopes: []identity.Scope{"read"}, Confirm: "person"}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.store.Redeem(t.Context(), identity.Redemption{Code: code, Client: "c", Redirect: "https://claude.ai/cb",
		Verifier: secrets.New("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")}) // RFC 7636 appendix B
	if err != nil {
		t.Fatal(err)
	}
	return out.Access.Reveal(), out.Connection
}

func TestAnAccessTokenIsGoodForItsAudienceOnly(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		audience, publicURL, domain string
		ok                          bool
	}{
		{"https://mcp.example.org/mcp", "", "mcp.example.org", true},
		{"https://mcp.example.org/mcp", "https://mcp.example.org", "abc.execute-api.eu-central-1.amazonaws.com", true},
		{"https://mcp.example.org/mcp", "https://mcp.example.org/", "", true},
		{"http://127.0.0.1:8787/mcp", "http://127.0.0.1:8787", "127.0.0.1:8787", true},
		{"https://abc.example/mcp", "https://mcp.example.org", "abc.example", false}, // PublicUrl is the only one
		{"https://mcp.example.org/mcp2", "", "mcp.example.org", false},
		{"https://mcp.example.org/mc", "", "mcp.example.org", false},
		{"https://mcp.example.org/mcp/", "", "mcp.example.org", false},
		{"https://mcp.example.org", "", "mcp.example.org", false},
		{"https://mcp.example.org.evil/mcp", "", "mcp.example.org", false},
		{"http://mcp.example.org/mcp", "", "mcp.example.org", false},
		{"https://other.example/mcp", "", "mcp.example.org", false},
		{"https:///mcp", "https://mcp.example.org", "", false},
	} {
		access, c := w.connect(t, tt.audience)
		w.PublicURL = tt.publicURL
		r := request("Bearer " + access)
		r.RequestContext.DomainName = tt.domain
		r.Headers["host"] = "other.example" // a client writes it
		w.log.Reset()
		got, err := w.Handle(t.Context(), r)
		if auth := got.Context["auth"]; err != nil || (auth == "ok") != tt.ok || !tt.ok && len(got.Context) != 1 {
			t.Errorf("%+v: %v, %v", tt, got.Context, err)
		}
		if !tt.ok && !strings.Contains(w.log.String(), `"reason":"for another audience"`) {
			t.Errorf("%+v: log %s", tt, w.log.String())
		}
		if tt.ok && (got.Context["connection"] != c.ID || got.Context["client"] != "Claude" || got.Context["host"] != "claude.ai" || got.Context["confirm"] != "person") {
			t.Errorf("context %v", got.Context)
		}
		if r.Headers["authorization"] = "Bearer " + w.token; tt.ok { // a personal token has no audience
			r.IdentitySource[0] = "Bearer " + w.token
			if got, err := w.Handle(t.Context(), r); err != nil || got.Context["auth"] != "ok" || got.Context["host"] != nil {
				t.Errorf("personal: %v, %v", got.Context, err)
			}
		}
		if err := w.store.RevokeConnection(t.Context(), "i9", c.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARevokedConnectionAndAChangedOneCountAtTheNextRequest(t *testing.T) {
	w := newWorld(t)
	w.PublicURL = "https://mcp.example.org"
	access, c := w.connect(t, "https://mcp.example.org/mcp")
	if _, err := w.store.ChangeConnection(t.Context(), "i9", c.ID, identity.Permissions{Scopes: []identity.Scope{"read", "write"}, Athletes: []string{"i2"}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.Handle(t.Context(), request("Bearer "+access)); got.Context["scopes"] != "read write" || got.Context["athletes"] != "i2" {
		t.Errorf("after the change: %+v", got)
	}
	if err := w.store.RevokeConnection(t.Context(), "i9", c.ID); err != nil {
		t.Fatal(err)
	}
	w.log.Reset()
	if got, _ := w.Handle(t.Context(), request("Bearer "+access)); got.Context["auth"] != "invalid_token" || !strings.Contains(w.log.String(), `"reason":"revoked"`) {
		t.Errorf("after revoking: %+v, %s", got, w.log.String())
	}
}

func TestNoTokenOfTheAuthorizationServerIsABearerToken(t *testing.T) {
	w := newWorld(t)
	for _, k := range []identity.Kind{identity.KindRefresh, identity.KindCode, identity.KindInvite, identity.KindClient} {
		w.log.Reset()
		got, err := w.Handle(t.Context(), request("Bearer "+identity.NewToken(k).Reveal()))
		if err != nil || got.Context["auth"] != "invalid_token" || !strings.Contains(w.log.String(), `"reason":"malformed"`) {
			t.Errorf("%s: %+v, %v, %s", k, got, err, w.log.String())
		}
	}
}

func TestNeitherTokenNorHashIsEverLogged(t *testing.T) {
	w := newWorld(t)
	all := append([]string{"Bearer " + w.token, w.token, "Basic " + w.token, "Bearer " + w.token + "x"}, w.token)
	for _, authorization := range w.bad(t) {
		all = append(all, authorization)
	}
	for _, broken := range []error{nil, errors.New("down")} {
		w.broken = broken
		for _, authorization := range all {
			if _, err := w.Handle(t.Context(), request(authorization)); err != nil {
				t.Error(err)
			}
		}
	}
	log := w.log.String()
	for _, authorization := range all {
		_, token, _ := strings.Cut(authorization, " ")
		if token = strings.TrimPrefix(token, "imcp_pat_"); len(token) < 20 {
			continue
		}
		if strings.Contains(log, token[:20]) || strings.Contains(log, identity.HashOf("imcp_pat_" + token).Hex()[:16]) {
			t.Errorf("the log shows a token or its hash: %s", log)
		}
	}
	if !strings.Contains(log, w.record.ID) && !strings.Contains(log, "JKJaXmPLvHcESHA=") {
		t.Errorf("the log does not tell which request: %s", log)
	}
}

func TestAnEventOfSomethingElseGetsAReadableError(t *testing.T) {
	w := newWorld(t)
	for _, r := range []authorizer.Request{{}, {Version: "1.0", Type: "REQUEST"}, {Version: "2.0", Type: "TOKEN"}} {
		if got, err := w.Handle(t.Context(), r); err == nil || got.IsAuthorized || !strings.Contains(err.Error(), "version 2.0") {
			t.Errorf("%+v: %+v, %v", r, got, err)
		}
	}
}

func TestUnderSamLocalOneTokenIsAcceptedAndNoOther(t *testing.T) {
	w := newWorld(t)
	w.Tokens = nil
	w.Local = &authorizer.Local{Token: secrets.New("try me"), Athlete: "0"}
	got, err := w.Handle(t.Context(), request("Bearer try me"))
	id, parse := identity.Parse(got.Context)
	if err != nil || parse != nil || id.User != "local" || id.Athlete != "0" || !id.May(identity.ScopeWrite) {
		t.Errorf("%+v, %v, %v", got, err, parse)
	}
	for _, authorization := range []string{"Bearer try", "Bearer ", "try me", "Bearer " + w.token} {
		if got, err := w.Handle(t.Context(), request(authorization)); err != nil || got.Context["auth"] != "invalid_token" {
			t.Errorf("%q: %+v, %v", authorization, got, err)
		}
	}
	w.Local = &authorizer.Local{}
	if got, _ := w.Handle(t.Context(), request("Bearer ")); got.Context["auth"] != "invalid_token" {
		t.Errorf("no token is a token: %+v", got)
	}
}
