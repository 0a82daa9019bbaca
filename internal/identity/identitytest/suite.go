package identitytest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
)

// Raw writes a token's record as some other release would have written it.
type Raw func(t *testing.T, h identity.Hash, fields map[string]string)

// Suite runs the tests against the tables that open makes; each is empty.
func Suite(t *testing.T, open func(t *testing.T) (identity.Table, Raw)) {
	tests := []test{
		{"a user is added once, listed, changed and removed", users},
		{"a bad user is refused with the field at fault", badUsers},
		{"a token is found by its hash and holds the whole context", lookup},
		{"a token ends after its days or never", days},
		{"a bad request for a token is refused with the field at fault", badTokens},
		{"a revoked token is refused at its next request", revoke},
		{"all tokens of a user are revoked together", revokeAll},
		{"removing a user revokes their tokens for good", remove},
		{"changing a coach rewrites the tokens in force", rewrite},
		{"ended tokens are listed for 30 days and make room", purge},
		{"a user has at most so many tokens", tooMany},
		{"writers at the same time lose nothing", atTheSameTime},
		{"an account that changed since it was loaded is not overwritten", conflict},
		{"last use is noted and never goes back", lastUsed},
		{"the table may be asked for what is not there", absent},
		{"a record of an older release is read", older},
		{"a record of a newer release is refused and left alone", newer},
		{"a damaged record is refused", damaged},
	}
	for _, tt := range slices.Concat(tests, grantTests, refreshTests, noteTests) {
		t.Run(tt.name, func(t *testing.T) {
			w := &world{now: time.Now().UTC().Truncate(time.Second)} // tables forget what ended long ago
			w.table, w.raw = open(t)
			w.store = identity.NewStore(w.table, func() time.Time { return w.now })
			tt.run(t, w)
		})
	}
}

type test struct {
	name string
	run  func(*testing.T, *world)
}

type world struct {
	table identity.Table
	store *identity.Store
	raw   Raw
	now   time.Time
}

// Coach and Athlete are users for tests.
var (
	Coach   = identity.User{ID: "i9", Athlete: "i9", Name: "Zoë", Coach: true, Athletes: []string{"i3", "i1", "i2", "i2", "i9"}}
	Athlete = identity.User{ID: "i1", Athlete: "i1"}
)

func read(user string) identity.Request {
	return identity.Request{User: user, Scopes: []identity.Scope{identity.ScopeRead}, Days: 30}
}

func (w *world) add(t *testing.T, u identity.User) identity.User {
	t.Helper()
	u, err := w.store.AddUser(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (w *world) token(t *testing.T, r identity.Request) (identity.Hash, identity.Token) {
	t.Helper()
	secret, token, err := w.store.CreateToken(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return identity.HashOf(secret.Reveal()), token
}

func (w *world) usable(t *testing.T, h identity.Hash) error {
	t.Helper()
	token, err := w.table.Token(t.Context(), h)
	if err != nil {
		return err
	}
	return token.Usable(w.now)
}

func users(t *testing.T, w *world) {
	ctx := t.Context()
	coach := w.add(t, Coach)
	w.add(t, Athlete)
	if want := []string{"i1", "i2", "i3"}; !slices.Equal(coach.Athletes, want) || !coach.Created.Equal(w.now) {
		t.Errorf("stored %+v", coach)
	}
	if _, err := w.store.AddUser(ctx, Coach); !errors.Is(err, identity.ErrExists) {
		t.Errorf("added twice: %v", err)
	}
	if got, err := w.store.User(ctx, "i9"); err != nil || !reflect.DeepEqual(got, coach) {
		t.Errorf("got %+v, %v; want %+v", got, err, coach)
	}
	all, err := w.store.Users(ctx)
	if err != nil || len(all) != 2 || all[0].ID != "i1" || !reflect.DeepEqual(all[1], coach) {
		t.Errorf("list %+v, %v", all, err)
	}
	if _, err := w.store.ChangeUser(ctx, "i1", func(u *identity.User) { u.Name, u.ID, u.Athlete = "Ann", "i2", "i2" }); err != nil {
		t.Error(err)
	}
	if got, _ := w.store.User(ctx, "i1"); got.Name != "Ann" || got.ID != "i1" || got.Athlete != "i1" {
		t.Errorf("changed to %+v", got)
	}
	if err := w.store.RemoveUser(ctx, "i1"); err != nil {
		t.Error(err)
	}
	if _, err := w.store.User(ctx, "i1"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("removed, and still: %v", err)
	}
	w.add(t, Athlete) // again
}

func badUsers(t *testing.T, w *world) {
	for _, tt := range []struct {
		u     identity.User
		field string
	}{
		{identity.User{}, "user"},
		{identity.User{ID: "i1/../x", Athlete: "i1/../x"}, "user"},
		{identity.User{ID: "-i1", Athlete: "-i1"}, "user"},
		{identity.User{ID: strings.Repeat("a", 65), Athlete: strings.Repeat("a", 65)}, "user"},
		{identity.User{ID: "i1", Athlete: "i2"}, "user"},
		{identity.User{ID: "0", Athlete: "0"}, "athlete"},
		{identity.User{ID: "a_b", Athlete: "a_b"}, "athlete"},
		{identity.User{ID: "i1", Athlete: "i1", Athletes: []string{"i2"}}, "athletes"},
		{identity.User{ID: "i1", Athlete: "i1", Coach: true, Athletes: []string{"i2,i3"}}, "athletes"},
		{identity.User{ID: "i1", Athlete: "i1", Coach: true, Athletes: make([]string, 201)}, "athletes"},
		{identity.User{ID: "i1", Athlete: "i1", Name: strings.Repeat("x", 101)}, "name"},
	} {
		_, err := w.store.AddUser(t.Context(), tt.u)
		var input *identity.InputError
		if !errors.As(err, &input) || input.Field != tt.field {
			t.Errorf("%+v: %v, want a word about %s", tt.u, err, tt.field)
		}
	}
}

func lookup(t *testing.T, w *world) {
	w.add(t, Coach)
	h, token := w.token(t, identity.Request{User: "i9", Label: "Claude Code, laptop", Days: 90, Scopes: []identity.Scope{"read", "write"},
		Toolset: identity.ToolsetFull, Confirm: identity.ConfirmDestructive, Athletes: []string{"i3", "i9"}})
	got, err := w.table.Token(t.Context(), h)
	if err != nil || !reflect.DeepEqual(got, token) {
		t.Fatalf("got  %+v, %v\nwant %+v", got, err, token)
	}
	want := map[string]string{"auth": "ok", "user": "i9", "athlete": "i9", "athletes": "i3", "coach": "true", "scopes": "read write",
		"connection": token.ID, "client": "Claude Code, laptop", "toolset": "full", "confirm": "destructive", "exp": fmt.Sprint(w.now.AddDate(0, 0, 90).Unix())}
	if c := got.Context(); !reflect.DeepEqual(c, want) {
		t.Errorf("context %v\nwant    %v", c, want)
	}
	if !strings.HasPrefix(token.ID, "i9-") {
		t.Errorf("id %q does not name its user", token.ID)
	}
	h, _ = w.token(t, read("i9"))
	got, err = w.table.Token(t.Context(), h)
	if c := got.Context(); err != nil || c["athletes"] != "i1,i2,i3" || c["toolset"] != "core" || c["confirm"] != "all" || c["scopes"] != "read" {
		t.Errorf("defaults: %v, %v", c, err)
	}
}

func days(t *testing.T, w *world) {
	w.add(t, Athlete)
	start := w.now
	for _, n := range []int{30, 90, 365, 0} {
		w.now = start
		r := read("i1")
		r.Days = n
		h, token := w.token(t, r)
		end := start.AddDate(0, 0, n)
		if n == 0 {
			w.now = start.AddDate(50, 0, 0)
			if err := w.usable(t, h); err != nil || token.Context()["exp"] != "" {
				t.Errorf("without end: %v, exp %q", err, token.Context()["exp"])
			}
			continue
		}
		w.now = end.Add(-time.Second)
		if err := w.usable(t, h); err != nil {
			t.Errorf("%d days: a second before: %v", n, err)
		}
		w.now = end
		if err := w.usable(t, h); !errors.Is(err, identity.ErrExpired) {
			t.Errorf("%d days: after: %v", n, err)
		}
	}
}

func badTokens(t *testing.T, w *world) {
	w.add(t, Athlete)
	for field, change := range map[string]func(*identity.Request){
		"days":     func(r *identity.Request) { r.Days = 31 },
		"scope":    func(r *identity.Request) { r.Scopes = []identity.Scope{"admin"} },
		"toolset":  func(r *identity.Request) { r.Toolset = "all" },
		"confirm":  func(r *identity.Request) { r.Confirm = "no" },
		"label":    func(r *identity.Request) { r.Label = "a\nb" },
		"athletes": func(r *identity.Request) { r.Athletes = []string{"i2"} },
	} {
		r := read("i1")
		change(&r)
		_, _, err := w.store.CreateToken(t.Context(), r)
		var input *identity.InputError
		if !errors.As(err, &input) || input.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, _, err := w.store.CreateToken(t.Context(), read("i2")); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("nobody's token: %v", err)
	}
	if list, err := w.store.Tokens(t.Context(), "i1"); err != nil || len(list) != 0 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}

func absent(t *testing.T, w *world) {
	ctx := context.Background()
	if _, err := w.table.Token(ctx, identity.HashOf("x")); !errors.Is(err, identity.ErrNoToken) {
		t.Errorf("token: %v", err)
	}
	for _, id := range []string{"i1", "", "../i1", "I1"} {
		if _, err := w.store.User(ctx, id); !errors.Is(err, identity.ErrNoUser) {
			t.Errorf("user %q: %v", id, err)
		}
	}
	for _, id := range []string{"", "i1", "i1-abc", "-abc", "I1-abc"} {
		if err := w.store.RevokeToken(ctx, id); !errors.Is(err, identity.ErrNoToken) {
			t.Errorf("revoke %q: %v", id, err)
		}
	}
	if all, err := w.store.Users(ctx); err != nil || len(all) != 0 {
		t.Errorf("users: %v, %v", all, err)
	}
	if used, err := w.table.LastUsed(ctx, nil); err != nil || len(used) != 0 {
		t.Errorf("last used: %v, %v", used, err)
	}
	if err := w.store.RemoveUser(ctx, "i1"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("remove: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.table.Token(canceled, identity.HashOf("x")); err == nil || errors.Is(err, identity.ErrNoToken) {
		t.Errorf("after the deadline: %v", err)
	}
}

func lastUsed(t *testing.T, w *world) {
	w.add(t, Athlete)
	_, token := w.token(t, read("i1"))
	_, other := w.token(t, read("i1"))
	at := w.now.Add(time.Hour)
	for _, u := range []time.Time{at, at.Add(-time.Minute), at} {
		if err := w.table.Touch(t.Context(), token.ID, u); err != nil {
			t.Fatal(err)
		}
	}
	list, err := w.store.Tokens(t.Context(), "i1")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, l := range list {
		if want := map[string]time.Time{token.ID: at, other.ID: {}}[l.ID]; !l.LastUsed.Equal(want) {
			t.Errorf("%s: last used %v, want %v", l.ID, l.LastUsed, want)
		}
	}
}

func atTheSameTime(t *testing.T, w *world) {
	w.add(t, Athlete)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			r := read("i1")
			r.Label = fmt.Sprint(i)
			for range 20 { // everybody loses some races
				_, _, err := w.store.CreateToken(context.Background(), r)
				if err == nil {
					return
				}
				if !errors.Is(err, identity.ErrConflict) {
					t.Error(err)
					return
				}
			}
			t.Error("no token after 20 tries")
		})
	}
	wg.Wait()
	if list, err := w.store.Tokens(t.Context(), "i1"); err != nil || len(list) != 6 {
		t.Errorf("%d tokens, %v; want 6", len(list), err)
	}
}

func conflict(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	old, err := w.table.Account(ctx, "i1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.ChangeUser(ctx, "i1", func(u *identity.User) { u.Name = "first" }); err != nil {
		t.Fatal(err)
	}
	old.User.Name = "second"
	lost := identity.Token{Hash: identity.HashOf("lost"), ID: "i1-lost", User: "i1", Athlete: "i1", Scopes: []identity.Scope{"read"}}
	if err := w.table.Save(ctx, old, identity.Changes{Tokens: []identity.Token{lost}}); !errors.Is(err, identity.ErrConflict) {
		t.Errorf("save: %v", err)
	}
	if err := w.table.Remove(ctx, old); !errors.Is(err, identity.ErrConflict) {
		t.Errorf("remove: %v", err)
	}
	if u, _ := w.store.User(ctx, "i1"); u.Name != "first" {
		t.Errorf("name %q", u.Name)
	}
	if _, err := w.table.Token(ctx, lost.Hash); !errors.Is(err, identity.ErrNoToken) {
		t.Errorf("half of a refused transaction was written: %v", err)
	}
	// Removed and added again is another account.
	now, _ := w.table.Account(ctx, "i1")
	if err := w.store.RemoveUser(ctx, "i1"); err != nil {
		t.Fatal(err)
	}
	w.add(t, Athlete)
	if err := w.table.Save(ctx, now, identity.Changes{}); !errors.Is(err, identity.ErrConflict) {
		t.Errorf("an account of before: %v", err)
	}
}
