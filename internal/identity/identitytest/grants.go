package identitytest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

var grantTests = []test{
	{"a code is redeemed for tokens that hold the whole context", redeem},
	{"a code ends after its life", codeEnds},
	{"a code is bound to client, redirect, verifier and resource, and a wrong one uses nothing up", codeBound},
	{"a code that is replayed by its client revokes the connection, by another changes nothing", codeReplay},
	{"a code presented twenty times at once gives tokens once", codeStorm},
	{"a bad grant is refused with the field at fault", badGrants},
	{"a connection that is changed is seen at its next request", changeConnection},
	{"a connection that is revoked is refused at its next request", revokeConnection},
	{"a client ends its own connection by either token and no other", revokeByToken},
	{"connections are listed with their last use until 30 days after their end", listConnections},
	{"a user has at most so many connections, and is told which is unused", tooManyConnections},
	{"the fullest account is changed in one transaction", fullAccount},
	{"a coach's connection follows the coach, or keeps to those chosen", coachConnection},
	{"revoking all ends tokens, connections, codes and browser sessions", forget},
	{"signing out everywhere changes the epoch and nothing else", signOut},
	{"deleting a user leaves no token, connection, code or last use", deleteUser},
}

const (
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636 appendix B
	resource = "https://mcp.example.org/mcp"
	claude   = "https://claude.ai/oauth/mcp-oauth-client-metadata"
	callback = "https://claude.ai/api/mcp/auth_callback"
)

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func grant(user string) identity.Grant {
	return identity.Grant{User: user, Client: claude, Name: "Claude", Redirect: callback, Challenge: challenge(), Resource: resource,
		Permissions: identity.Permissions{Scopes: []identity.Scope{"read", "write"}, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmPerson}}
}

func redemption(code secrets.Secret) identity.Redemption {
	return identity.Redemption{Code: code, Client: claude, Redirect: callback, Verifier: secrets.New(verifier), Resource: resource}
}

func renewal(token secrets.Secret) identity.Renewal {
	return identity.Renewal{Token: token, Client: claude, Resource: resource}
}

func (w *world) authorize(t *testing.T, g identity.Grant) (secrets.Secret, identity.Connection) {
	t.Helper()
	code, c, err := w.store.Authorize(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return code, c
}

// connect gives the first tokens of a new connection.
func (w *world) connect(t *testing.T, g identity.Grant) identity.Issued {
	t.Helper()
	code, _ := w.authorize(t, g)
	r := redemption(code)
	r.Client, r.Redirect, r.Resource = g.Client, g.Redirect, g.Resource
	out, err := w.store.Redeem(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refresh gives what a refresh token is good for.
func (w *world) refresh(t *testing.T, token secrets.Secret) identity.Issued {
	t.Helper()
	out, err := w.store.Refresh(t.Context(), renewal(token))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// works reports why an access token is refused; nil = it is not.
func (w *world) works(t *testing.T, access secrets.Secret) error {
	t.Helper()
	return w.usable(t, identity.HashOf(access.Reveal()))
}

func (w *world) connection(t *testing.T, user, id string) identity.Connection {
	t.Helper()
	list, err := w.store.Connections(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("connection %s is not listed", id)
	return identity.Connection{}
}

func redeem(t *testing.T, w *world) {
	w.add(t, Athlete)
	code, made := w.authorize(t, grant("i1"))
	if k, err := identity.KindOf(code.Reveal()); err != nil || k != identity.KindCode || made.Host() != "claude.ai" || !made.Connected.IsZero() {
		t.Errorf("code of kind %q, %v; connection %+v", k, err, made)
	}
	out, err := w.store.Redeem(t.Context(), redemption(code))
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := identity.KindOf(out.Access.Reveal()); a != identity.KindAccess {
		t.Errorf("access token of kind %q", a)
	}
	if r, _ := identity.KindOf(out.Refresh.Reveal()); r != identity.KindRefresh || out.Connection.ID != made.ID || !out.Expires.Equal(w.now.Add(time.Hour)) {
		t.Errorf("issued %+v", out)
	}
	token, err := w.table.Token(t.Context(), identity.HashOf(out.Access.Reveal()))
	want := map[string]string{"auth": "ok", "user": "i1", "athlete": "i1", "athletes": "", "coach": "false", "scopes": "read write", "connection": made.ID,
		"client": "Claude", "host": "claude.ai", "toolset": "full", "confirm": "person", "exp": fmt.Sprint(w.now.Add(time.Hour).Unix())}
	if err != nil || token.Audience != resource || !reflect.DeepEqual(token.Context(), want) {
		t.Errorf("audience %q, context %v, %v", token.Audience, token.Context(), err)
	}
	w.now = w.now.Add(time.Hour - time.Second)
	if err := w.works(t, out.Access); err != nil {
		t.Errorf("a second before its end: %v", err)
	}
	w.now = w.now.Add(time.Second)
	if err := w.works(t, out.Access); !errors.Is(err, identity.ErrExpired) {
		t.Errorf("at its end: %v", err)
	}
	if tokens, err := w.store.Tokens(t.Context(), "i1"); err != nil || len(tokens) != 0 {
		t.Errorf("%d access tokens are listed among the personal ones, %v", len(tokens), err)
	}
}

func codeEnds(t *testing.T, w *world) {
	w.add(t, Athlete)
	in, _ := w.authorize(t, grant("i1"))
	late, c := w.authorize(t, grant("i1"))
	w.now = w.now.Add(identity.CodeLife - time.Second)
	if _, err := w.store.Redeem(t.Context(), redemption(in)); err != nil {
		t.Errorf("a second before: %v", err)
	}
	w.now = w.now.Add(time.Second)
	if _, err := w.store.Redeem(t.Context(), redemption(late)); !errors.Is(err, identity.ErrInvalidGrant) || errors.Is(err, identity.ErrReplayed) {
		t.Errorf("after: %v", err)
	}
	if _, err := w.store.ChangeConnection(t.Context(), "i1", c.ID, c.Permissions()); !errors.Is(err, identity.ErrNoConnection) {
		t.Errorf("a connection that never was: %v", err)
	}
	w.authorize(t, grant("i1"))
	if a, err := w.table.Account(t.Context(), "i1"); err != nil || len(a.Connections) != 2 {
		t.Errorf("it is still known: %d connections, %v", len(a.Connections), err)
	}
}

func codeBound(t *testing.T, w *world) {
	w.add(t, Athlete)
	code, _ := w.authorize(t, grant("i1"))
	text := code.Reveal()
	for name, tt := range map[string]struct {
		change func(*identity.Redemption)
		want   error
	}{
		"another client":        {func(r *identity.Redemption) { r.Client = "other" }, identity.ErrInvalidGrant},
		"no client":             {func(r *identity.Redemption) { r.Client = "" }, identity.ErrInvalidGrant},
		"another redirect":      {func(r *identity.Redemption) { r.Redirect += "/" }, identity.ErrInvalidGrant},
		"no redirect":           {func(r *identity.Redemption) { r.Redirect = "" }, identity.ErrInvalidGrant},
		"another verifier":      {func(r *identity.Redemption) { r.Verifier = secrets.New(strings.Repeat("a", 43)) }, identity.ErrInvalidGrant},
		"no verifier":           {func(r *identity.Redemption) { r.Verifier = secrets.Secret{} }, identity.ErrInvalidGrant},
		"the challenge":         {func(r *identity.Redemption) { r.Verifier = secrets.New(challenge()) }, identity.ErrInvalidGrant},
		"verifier with padding": {func(r *identity.Redemption) { r.Verifier = secrets.New(verifier + "=") }, identity.ErrInvalidGrant},
		"a sibling resource":    {func(r *identity.Redemption) { r.Resource = resource + "2" }, identity.ErrInvalidTarget},
		"another code":          {func(r *identity.Redemption) { r.Code = identity.NewToken(identity.KindCode) }, identity.ErrInvalidGrant},
		"a damaged code":        {func(r *identity.Redemption) { r.Code = secrets.New(text[:len(text)-1] + "!") }, identity.ErrInvalidGrant},
		"no code":               {func(r *identity.Redemption) { r.Code = secrets.Secret{} }, identity.ErrInvalidGrant},
		"a refresh token":       {func(r *identity.Redemption) { r.Code = identity.NewToken(identity.KindRefresh) }, identity.ErrInvalidGrant},
	} {
		r := redemption(code)
		tt.change(&r)
		if out, err := w.store.Redeem(t.Context(), r); !errors.Is(err, tt.want) || !out.Access.IsZero() {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := redemption(code)
	r.Resource = "" // the grant's
	if _, err := w.store.Redeem(t.Context(), r); err != nil {
		t.Errorf("the right one afterwards: %v", err)
	}
}

func codeReplay(t *testing.T, w *world) {
	w.add(t, Athlete)
	code, _ := w.authorize(t, grant("i1"))
	out, err := w.store.Redeem(t.Context(), redemption(code))
	if err != nil {
		t.Fatal(err)
	}
	foreign := redemption(code)
	foreign.Client = "other"
	if _, err := w.store.Redeem(t.Context(), foreign); !errors.Is(err, identity.ErrInvalidGrant) || errors.Is(err, identity.ErrReplayed) {
		t.Errorf("by another client: %v", err)
	}
	if err := w.works(t, out.Access); err != nil {
		t.Errorf("after another client's replay: %v", err)
	}
	w.now = w.now.Add(2 * identity.CodeLife) // a replay is one however late
	if _, err := w.store.Redeem(t.Context(), redemption(code)); !errors.Is(err, identity.ErrReplayed) || !errors.Is(err, identity.ErrInvalidGrant) {
		t.Errorf("replay: %v", err)
	}
	if err := w.works(t, out.Access); !errors.Is(err, identity.ErrRevoked) {
		t.Errorf("access token after the replay: %v", err)
	}
	if _, err := w.store.Refresh(t.Context(), renewal(out.Refresh)); !errors.Is(err, identity.ErrInvalidGrant) {
		t.Errorf("refresh token after the replay: %v", err)
	}
	if _, err := w.store.Redeem(t.Context(), redemption(code)); !errors.Is(err, identity.ErrInvalidGrant) {
		t.Errorf("once more: %v", err)
	}
}

func codeStorm(t *testing.T, w *world) {
	w.add(t, Athlete)
	code, c := w.authorize(t, grant("i1"))
	var given atomic.Int32
	var won identity.Issued
	var mu sync.Mutex
	together(20, func(int) {
		out, err := w.store.Redeem(context.Background(), redemption(code))
		if err == nil {
			given.Add(1)
			mu.Lock()
			defer mu.Unlock()
			won = out
		} else if !errors.Is(err, identity.ErrInvalidGrant) {
			t.Error(err)
		}
	})
	if n := given.Load(); n != 1 {
		t.Fatalf("%d got tokens", n)
	}
	// RFC 6749 4.1.2: what was issued for a code that is used twice is revoked.
	if err := w.works(t, won.Access); !errors.Is(err, identity.ErrRevoked) {
		t.Errorf("access token: %v", err)
	}
	if c = w.connection(t, "i1", c.ID); c.Revoked.IsZero() {
		t.Error("the connection is in force")
	}
}

// together runs f n times at the same instant.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

func badGrants(t *testing.T, w *world) {
	w.add(t, Athlete)
	for name, tt := range map[string]struct {
		field  string
		change func(*identity.Grant)
	}{
		"no client":             {"client_id", func(g *identity.Grant) { g.Client = "" }},
		"client with a break":   {"client_id", func(g *identity.Grant) { g.Client = "a\nb" }},
		"long client":           {"client_id", func(g *identity.Grant) { g.Client = strings.Repeat("a", 2049) }},
		"no redirect":           {"redirect_uri", func(g *identity.Grant) { g.Redirect = "" }},
		"redirect without host": {"redirect_uri", func(g *identity.Grant) { g.Redirect = "javascript:alert(1)" }},
		"no resource":           {"resource", func(g *identity.Grant) { g.Resource = "" }},
		"no challenge":          {"code_challenge", func(g *identity.Grant) { g.Challenge = "" }},
		"plain challenge":       {"code_challenge", func(g *identity.Grant) { g.Challenge = verifier[:42] + "=" }},
		"short challenge":       {"code_challenge", func(g *identity.Grant) { g.Challenge = g.Challenge[:42] }},
		"no scope":              {"scope", func(g *identity.Grant) { g.Scopes = nil }},
		"unknown scope":         {"scope", func(g *identity.Grant) { g.Scopes = []identity.Scope{"admin"} }},
		"unknown toolset":       {"toolset", func(g *identity.Grant) { g.Toolset = "all" }},
		"unknown confirm":       {"confirm", func(g *identity.Grant) { g.Confirm = "no" }},
		"another's athlete":     {"athletes", func(g *identity.Grant) { g.Athletes = []string{"i2"} }},
	} {
		g := grant("i1")
		tt.change(&g)
		var input *identity.InputError
		if _, _, err := w.store.Authorize(t.Context(), g); !errors.As(err, &input) || input.Field != tt.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := w.store.Authorize(t.Context(), grant("i2")); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("nobody's: %v", err)
	}
	// What a client calls itself is cut to one line and never refused.
	for name, want := range map[string]string{"": "claude.ai", "\u202e\x00 evil\n<b>\u200b ": "evil <b>", strings.Repeat("ä", 80): strings.Repeat("ä", 50)} {
		g := grant("i1")
		g.Name = name
		if _, c := w.authorize(t, g); c.Name != want {
			t.Errorf("%q is kept as %q", name, c.Name)
		}
	}
}
