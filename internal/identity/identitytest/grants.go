package identitytest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"slices"
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

func changeConnection(t *testing.T, w *world) {
	w.add(t, Athlete)
	w.add(t, Coach)
	first := w.connect(t, grant("i1"))
	second := w.refresh(t, first.Refresh)
	other := w.connect(t, grant("i1"))
	narrow := identity.Permissions{Scopes: []identity.Scope{"read"}, Confirm: identity.ConfirmNever}
	c, err := w.store.ChangeConnection(t.Context(), "i1", first.Connection.ID, narrow)
	if err != nil || !slices.Equal(c.Scopes, narrow.Scopes) || c.Toolset != identity.ToolsetCore {
		t.Fatalf("%+v, %v", c, err)
	}
	says := func(access secrets.Secret) string {
		token, err := w.table.Token(t.Context(), identity.HashOf(access.Reveal()))
		return fmt.Sprintln(token.Scopes, token.Toolset, token.Confirm, err)
	}
	for _, access := range []secrets.Secret{first.Access, second.Access, w.refresh(t, second.Refresh).Access} {
		if got := says(access); got != "[read] core never <nil>\n" {
			t.Errorf("after the change: %s", got)
		}
	}
	if got := says(other.Access); got != "[read write] full person <nil>\n" {
		t.Errorf("another connection: %s", got)
	}
	for _, tt := range [][2]string{{"i9", first.Connection.ID}, {"i1", "i1-nosuch"}, {"i2", "i2-nosuch"}, {"", ""}} {
		if _, err := w.store.ChangeConnection(t.Context(), tt[0], tt[1], narrow); !errors.Is(err, identity.ErrNoConnection) {
			t.Errorf("%v: %v", tt, err)
		}
	}
	var input *identity.InputError
	if _, err := w.store.ChangeConnection(t.Context(), "i1", first.Connection.ID, identity.Permissions{}); !errors.As(err, &input) {
		t.Errorf("no scope: %v", err)
	}
}

func revokeConnection(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	w.add(t, Coach)
	first := w.connect(t, grant("i1"))
	second := w.refresh(t, first.Refresh)
	other := w.connect(t, grant("i1"))
	id := first.Connection.ID
	for _, tt := range [][2]string{{"i9", id}, {"i1", "i1-nosuch"}, {"i2", id}, {"", ""}} {
		if err := w.store.RevokeConnection(ctx, tt[0], tt[1]); !errors.Is(err, identity.ErrNoConnection) {
			t.Errorf("%v: %v", tt, err)
		}
	}
	if err := w.works(t, second.Access); err != nil {
		t.Errorf("after another user's try: %v", err)
	}
	if err := w.store.RevokeToken(ctx, id); !errors.Is(err, identity.ErrNoToken) {
		t.Errorf("as if it were a token: %v", err)
	}
	at := w.now
	for range 2 { // the second time changes nothing
		if err := w.store.RevokeConnection(ctx, "i1", id); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Minute)
	}
	for _, access := range []secrets.Secret{first.Access, second.Access} {
		if err := w.works(t, access); !errors.Is(err, identity.ErrRevoked) {
			t.Error(err)
		}
	}
	for _, token := range []secrets.Secret{first.Refresh, second.Refresh} {
		if _, err := w.store.Refresh(ctx, renewal(token)); !errors.Is(err, identity.ErrInvalidGrant) {
			t.Errorf("refresh: %v", err)
		}
	}
	if c := w.connection(t, "i1", id); !c.Revoked.Equal(at) {
		t.Errorf("revoked at %v, want %v", c.Revoked, at)
	}
	if err := w.works(t, other.Access); err != nil {
		t.Errorf("another connection: %v", err)
	}
	code, waiting := w.authorize(t, grant("i1"))
	if err := w.store.RevokeConnection(ctx, "i1", waiting.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Redeem(ctx, redemption(code)); !errors.Is(err, identity.ErrInvalidGrant) {
		t.Errorf("the code of a revoked connection: %v", err)
	}
}

func revokeByToken(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	personal, _, err := w.store.CreateToken(ctx, read("i1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"access", "refresh", "used refresh"} {
		first := w.connect(t, grant("i1"))
		last := w.refresh(t, first.Refresh)
		token := map[string]secrets.Secret{"access": last.Access, "refresh": last.Refresh, "used refresh": first.Refresh}[kind]
		if err := w.store.Revoke(ctx, token, "other"); !errors.Is(err, identity.ErrOtherClient) {
			t.Errorf("%s: another client's: %v", kind, err)
		}
		if err := w.works(t, last.Access); err != nil {
			t.Errorf("%s: after another client's try: %v", kind, err)
		}
		for range 2 {
			if err := w.store.Revoke(ctx, token, claude); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if err := w.works(t, last.Access); !errors.Is(err, identity.ErrRevoked) {
			t.Errorf("%s: access token: %v", kind, err)
		}
		if _, err := w.store.Refresh(ctx, renewal(last.Refresh)); !errors.Is(err, identity.ErrInvalidGrant) {
			t.Errorf("%s: refresh token: %v", kind, err)
		}
	}
	for _, token := range []secrets.Secret{personal, {}, secrets.New("x"), identity.NewToken(identity.KindAccess), identity.NewToken(identity.KindRefresh)} {
		if err := w.store.Revoke(ctx, token, claude); err != nil {
			t.Errorf("a token that is no client's: %v", err)
		}
	}
	if err := w.works(t, personal); err != nil {
		t.Errorf("the personal token: %v", err)
	}
}

func listConnections(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	start := w.now
	idle := w.connect(t, grant("i1"))
	w.now = w.now.Add(time.Minute)
	used := w.connect(t, grant("i1"))
	w.authorize(t, grant("i1"))
	if err := w.table.Touch(ctx, used.Connection.ID, w.now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	list, err := w.store.Connections(ctx, "i1")
	if err != nil || len(list) != 2 || list[0].ID != used.Connection.ID || list[1].ID != idle.Connection.ID {
		t.Fatalf("%d: %+v, %v", len(list), list, err)
	}
	if u := list[0].LastUsed; !u.Equal(w.now.Add(time.Hour)) || !list[1].LastUsed.IsZero() || list[0].Client != claude || list[0].Host() != "claude.ai" {
		t.Errorf("listed %+v", list)
	}
	if err := w.store.RevokeConnection(ctx, "i1", used.Connection.ID); err != nil {
		t.Fatal(err)
	}
	w.now = start.Add(identity.RefreshLife)
	if c := w.connection(t, "i1", idle.Connection.ID); !errors.Is(c.Usable(w.now), identity.ErrExpired) {
		t.Errorf("idle for 30 days: %v", c.Usable(w.now))
	}
	w.now = w.now.Add(2 * time.Minute) // 30 days after the revoked one ended
	if list, err = w.store.Connections(ctx, "i1"); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	w.now = start.Add(2 * identity.RefreshLife)
	if list, err = w.store.Connections(ctx, "i1"); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := w.store.Connections(ctx, "i2"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("nobody's: %v", err)
	}
}

// aside builds an account in memory and writes it to the table at once: some
// tables are slow. The refresh tokens that build gives can be used.
func (w *world) aside(t *testing.T, user string, build func(*world) []secrets.Secret) {
	t.Helper()
	other := &world{table: &identity.Memory{}, now: w.now}
	other.store = identity.NewStore(other.table, func() time.Time { return other.now })
	tokens := build(other)
	w.now = other.now
	a, err := other.table.Account(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	a.Rev = ""
	if err := w.table.Save(t.Context(), a, identity.Changes{Tokens: a.Tokens}); err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		n, err := other.table.Note(t.Context(), identity.NoteRef, identity.HashOf(token.Reveal()).Hex())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.table.PutNote(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
}

func tooManyConnections(t *testing.T, w *world) {
	ctx := t.Context()
	var all []identity.Issued
	w.aside(t, "i1", func(w *world) []secrets.Secret {
		w.add(t, Athlete)
		for range identity.MaxConnections {
			all = append(all, w.connect(t, grant("i1")))
			w.now = w.now.Add(time.Second)
		}
		return nil
	})
	for i, c := range all {
		if i != 5 {
			if err := w.table.Touch(ctx, c.Connection.ID, w.now.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var many *identity.TooManyConnectionsError
	if _, _, err := w.store.Authorize(ctx, grant("i1")); !errors.As(err, &many) || many.Oldest.ID != all[5].Connection.ID || many.Oldest.Name != "Claude" {
		t.Fatalf("one more: %v", err)
	}
	if err := w.store.RevokeConnection(ctx, "i1", many.Oldest.ID); err != nil {
		t.Fatal(err)
	}
	w.authorize(t, grant("i1")) // and its code is never redeemed
	if _, _, err := w.store.Authorize(ctx, grant("i1")); !errors.As(err, &many) {
		t.Errorf("beside one that waits: %v", err)
	}
	w.now = w.now.Add(identity.CodeLife)
	for range 10 { // those that ended do not pile up
		c := w.connect(t, grant("i1"))
		if err := w.store.RevokeConnection(ctx, "i1", c.Connection.ID); err != nil {
			t.Fatal(err)
		}
	}
	a, err := w.table.Account(ctx, "i1")
	if err != nil || len(a.Connections) != identity.MaxConnections+8 || len(a.Tokens) > 40 {
		t.Errorf("%d connections, %d tokens, %v", len(a.Connections), len(a.Tokens), err)
	}
	for _, c := range all[6:] {
		if err := w.works(t, c.Access); err != nil {
			t.Errorf("one that was left alone: %v", err)
		}
	}
}

func fullAccount(t *testing.T, w *world) {
	ctx := t.Context()
	g := grant("i9")
	g.Client, g.Redirect = "https://"+strings.Repeat("c", 2000), "https://"+strings.Repeat("r", 2000)
	var access, refresh []secrets.Secret
	w.aside(t, "i9", func(w *world) []secrets.Secret {
		w.add(t, Coach)
		for range identity.MaxConnections {
			out := w.connect(t, g)
			for range 2 {
				access = append(access, out.Access)
				var err error
				if out, err = w.store.Refresh(ctx, identity.Renewal{Token: out.Refresh, Client: g.Client}); err != nil {
					t.Fatal(err)
				}
			}
			access, refresh = append(access, out.Access), append(refresh, out.Refresh)
		}
		for range identity.MaxTokens {
			secret, _, err := w.store.CreateToken(ctx, read("i9"))
			if err != nil {
				t.Fatal(err)
			}
			access = append(access, secret)
		}
		return refresh[:1]
	})
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf("i%030d", i)
	}
	if _, err := w.store.ChangeUser(ctx, "i9", func(u *identity.User) { u.Athletes = many }); err != nil {
		t.Fatal(err)
	}
	for _, secret := range access {
		token, err := w.table.Token(ctx, identity.HashOf(secret.Reveal()))
		if err != nil || !slices.Equal(token.Athletes, many) {
			t.Fatalf("%d athletes, %v", len(token.Athletes), err)
		}
	}
	w.now = w.now.Add(2 * time.Hour) // all access tokens end; the next one is written with their removal
	if _, err := w.store.Refresh(ctx, identity.Renewal{Token: refresh[0], Client: g.Client}); err != nil {
		t.Error(err)
	}
	if n, err := w.store.RevokeTokens(ctx, "i9"); err != nil || n != identity.MaxTokens+identity.MaxConnections {
		t.Errorf("%d revoked, %v", n, err)
	}
	if err := w.store.RemoveUser(ctx, "i9"); err != nil {
		t.Error(err)
	}
}

func coachConnection(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Coach)
	g := grant("i9")
	follows := w.connect(t, g)
	g.Athletes = []string{"i2", "i1", "i9"}
	chosen := w.connect(t, g)
	g.Athletes = []string{}
	own := w.connect(t, g)
	if p := chosen.Connection.Permissions(); !slices.Equal(p.Athletes, []string{"i1", "i2"}) || follows.Connection.Permissions().Athletes != nil || own.Connection.Permissions().Athletes == nil {
		t.Errorf("permissions %+v", p)
	}
	says := func(issued identity.Issued) string {
		token, err := w.table.Token(ctx, identity.HashOf(issued.Access.Reveal()))
		return fmt.Sprintf("%s %v%v", token.Context()["athletes"], token.Coach, err)
	}
	check := func(when string, want ...string) {
		t.Helper()
		if got := []string{says(follows), says(chosen), says(own)}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	check("at first", "i1,i2,i3 true<nil>", "i1,i2 true<nil>", " true<nil>")
	if _, err := w.store.ChangeUser(ctx, "i9", func(u *identity.User) { u.Athletes = []string{"i2", "i4"} }); err != nil {
		t.Fatal(err)
	}
	check("the coach loses one", "i2,i4 true<nil>", "i2 true<nil>", " true<nil>")
	if _, err := w.store.ChangeUser(ctx, "i9", func(u *identity.User) { u.Athletes = []string{"i1", "i2"} }); err != nil {
		t.Fatal(err)
	}
	follows, chosen, own = w.refresh(t, follows.Refresh), w.refresh(t, chosen.Refresh), w.refresh(t, own.Refresh)
	check("what was taken away stays away", "i1,i2 true<nil>", "i2 true<nil>", " true<nil>")
	if _, err := w.store.ChangeConnection(ctx, "i9", chosen.Connection.ID, identity.Permissions{Scopes: []identity.Scope{"read"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.ChangeUser(ctx, "i9", func(u *identity.User) { u.Athletes = []string{"i5"} }); err != nil {
		t.Fatal(err)
	}
	check("no longer chosen", "i5 true<nil>", "i5 true<nil>", " true<nil>")
	if _, err := w.store.ChangeUser(ctx, "i9", func(u *identity.User) { u.Coach, u.Athletes = false, nil }); err != nil {
		t.Fatal(err)
	}
	check("no coach any more", " false<nil>", " false<nil>", " false<nil>")
}

func forget(t *testing.T, w *world) {
	ctx := t.Context()
	before := w.add(t, Athlete)
	personal, _, err := w.store.CreateToken(ctx, read("i1"))
	if err != nil {
		t.Fatal(err)
	}
	c := w.connect(t, grant("i1"))
	code, _ := w.authorize(t, grant("i1"))
	if n, err := w.store.RevokeTokens(ctx, "i1"); err != nil || n != 3 {
		t.Errorf("%d, %v", n, err)
	}
	for _, secret := range []secrets.Secret{personal, c.Access} {
		if err := w.works(t, secret); !errors.Is(err, identity.ErrRevoked) {
			t.Error(err)
		}
	}
	if _, err := w.store.Refresh(ctx, renewal(c.Refresh)); !errors.Is(err, identity.ErrInvalidGrant) {
		t.Errorf("refresh: %v", err)
	}
	if _, err := w.store.Redeem(ctx, redemption(code)); !errors.Is(err, identity.ErrInvalidGrant) {
		t.Errorf("code: %v", err)
	}
	if u, err := w.store.User(ctx, "i1"); err != nil || u.Epoch == before.Epoch || u.Epoch == "" {
		t.Errorf("epoch %q, %v", u.Epoch, err)
	}
}

func signOut(t *testing.T, w *world) {
	ctx := t.Context()
	before := w.add(t, Athlete)
	c := w.connect(t, grant("i1"))
	after, err := w.store.SignOut(ctx, "i1")
	if err != nil || before.Epoch == "" || after.Epoch == "" || after.Epoch == before.Epoch {
		t.Errorf("epoch %q, then %q, %v", before.Epoch, after.Epoch, err)
	}
	if err := w.works(t, c.Access); err != nil {
		t.Errorf("the connection: %v", err)
	}
	changed, err := w.store.ChangeUser(ctx, "i1", func(u *identity.User) { u.Name, u.Epoch = "Ann", "x" })
	if err != nil || changed.Epoch != after.Epoch {
		t.Errorf("a change of name sets the epoch to %q, %v", changed.Epoch, err)
	}
	if _, err := w.store.SignOut(ctx, "i2"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("nobody: %v", err)
	}
}

func deleteUser(t *testing.T, w *world) {
	ctx := t.Context()
	before := w.add(t, Athlete)
	personal, token, err := w.store.CreateToken(ctx, read("i1"))
	if err != nil {
		t.Fatal(err)
	}
	first := w.connect(t, grant("i1"))
	second := w.refresh(t, first.Refresh)
	code, _ := w.authorize(t, grant("i1"))
	ids := []string{token.ID, first.Connection.ID}
	for _, id := range ids {
		if err := w.table.Touch(ctx, id, w.now); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.store.RemoveUser(ctx, "i1"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, secret := range []secrets.Secret{personal, first.Access, second.Access} {
			if err := w.works(t, secret); !errors.Is(err, identity.ErrNoToken) {
				t.Error(err)
			}
		}
		for _, refresh := range []secrets.Secret{first.Refresh, second.Refresh} {
			if _, err := w.store.Refresh(ctx, renewal(refresh)); !errors.Is(err, identity.ErrInvalidGrant) {
				t.Errorf("refresh: %v", err)
			}
		}
		if _, err := w.store.Redeem(ctx, redemption(code)); !errors.Is(err, identity.ErrInvalidGrant) {
			t.Errorf("code: %v", err)
		}
		if used, err := w.table.LastUsed(ctx, ids); err != nil || len(used) != 0 {
			t.Errorf("last used %v, %v", used, err)
		}
		if err := w.store.Revoke(ctx, second.Refresh, claude); err != nil {
			t.Errorf("revoke: %v", err)
		}
		// Whoever enrols again gets nothing of it.
		if again, err := w.store.AddUser(ctx, Athlete); err == nil && again.Epoch == before.Epoch {
			t.Error("the browser sessions of before are good again")
		}
	}
}
