package identitytest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

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
	for _, c := range []identity.Connection{follows.Connection, chosen.Connection} { // the user's list stands once in an item
		if stored := c.Fields()["athletes"]; (stored != "") != c.Chosen {
			t.Errorf("chosen %v, stored %q", c.Chosen, stored)
		}
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
