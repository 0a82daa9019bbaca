package identitytest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
)

func revoke(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	h, token := w.token(t, read("i1"))
	other, _ := w.token(t, read("i1"))
	for range 2 { // the second time changes nothing
		if err := w.store.RevokeToken(ctx, token.ID); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Hour)
	}
	if err := w.usable(t, h); !errors.Is(err, identity.ErrRevoked) {
		t.Errorf("revoked: %v", err)
	}
	if err := w.usable(t, other); err != nil {
		t.Errorf("the other one: %v", err)
	}
	got, err := w.table.Token(ctx, h)
	if err != nil || !got.Revoked.Equal(w.now.Add(-2*time.Hour)) {
		t.Errorf("revoked at %v, %v", got.Revoked, err)
	}
}

func revokeAll(t *testing.T, w *world) {
	w.add(t, Athlete)
	w.add(t, Coach)
	var mine []identity.Hash
	for range 3 {
		h, _ := w.token(t, read("i1"))
		mine = append(mine, h)
	}
	theirs, _ := w.token(t, read("i9"))
	if n, err := w.store.RevokeTokens(t.Context(), "i1"); err != nil || n != 3 {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := w.store.RevokeTokens(t.Context(), "i1"); err != nil || n != 0 {
		t.Errorf("again: %d, %v", n, err)
	}
	for _, h := range mine {
		if err := w.usable(t, h); !errors.Is(err, identity.ErrRevoked) {
			t.Error(err)
		}
	}
	if err := w.usable(t, theirs); err != nil {
		t.Errorf("another user's: %v", err)
	}
}

func remove(t *testing.T, w *world) {
	w.add(t, Athlete)
	h, _ := w.token(t, read("i1"))
	if err := w.store.RemoveUser(t.Context(), "i1"); err != nil {
		t.Fatal(err)
	}
	if err := w.usable(t, h); !errors.Is(err, identity.ErrNoToken) {
		t.Errorf("after removal: %v", err)
	}
	w.add(t, Athlete)
	if err := w.usable(t, h); !errors.Is(err, identity.ErrNoToken) {
		t.Errorf("after adding the user again: %v", err)
	}
	if list, err := w.store.Tokens(t.Context(), "i1"); err != nil || len(list) != 0 {
		t.Errorf("a new user has %d tokens, %v", len(list), err)
	}
}

func rewrite(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Coach)
	all, _ := w.token(t, read("i9"))
	r := read("i9")
	r.Athletes = []string{"i1", "i2"}
	chosen, _ := w.token(t, r)
	r.Athletes = []string{}
	own, _ := w.token(t, r)
	dead, deadToken := w.token(t, read("i9"))
	if err := w.store.RevokeToken(ctx, deadToken.ID); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		coach            bool
		athletes         []string
		all, chosen, own string
	}{
		{true, []string{"i2", "i4"}, "i2,i4", "i2", ""},
		{true, []string{"i1", "i2", "i4"}, "i1,i2,i4", "i2", ""}, // what was taken away stays away
		{false, nil, "", "", ""},
	} {
		if _, err := w.store.ChangeUser(ctx, "i9", func(u *identity.User) { u.Coach, u.Athletes = tt.coach, tt.athletes }); err != nil {
			t.Fatal(err)
		}
		for h, want := range map[identity.Hash]string{all: tt.all, chosen: tt.chosen, own: tt.own} {
			token, err := w.table.Token(ctx, h)
			c := token.Context()
			if err != nil || c["athletes"] != want || c["coach"] != fmt.Sprint(tt.coach) {
				t.Errorf("%v: athletes %q coach %s, want %q, %v", tt.athletes, c["athletes"], c["coach"], want, err)
			}
		}
	}
	if token, err := w.table.Token(ctx, dead); err != nil || len(token.Athletes) != 3 {
		t.Errorf("a revoked token was rewritten: %+v, %v", token, err)
	}
}

func purge(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	for range 3 {
		w.token(t, read("i1"))
	}
	w.now = w.now.AddDate(0, 0, 59)
	if list, err := w.store.Tokens(ctx, "i1"); err != nil || len(list) != 3 {
		t.Errorf("29 days after the end: %d, %v", len(list), err)
	}
	w.now = w.now.AddDate(0, 0, 1)
	if list, err := w.store.Tokens(ctx, "i1"); err != nil || len(list) != 0 {
		t.Errorf("30 days after the end: %d, %v", len(list), err)
	}
	w.token(t, read("i1"))
	if a, err := w.table.Account(ctx, "i1"); err != nil || len(a.Tokens) != 1 {
		t.Errorf("the account keeps %d, %v", len(a.Tokens), err)
	}
}

func tooMany(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Coach)
	a, err := w.table.Account(ctx, "i9")
	if err != nil {
		t.Fatal(err)
	}
	for i := range identity.MaxTokens {
		id := fmt.Sprintf("i9-%02d", i)
		a.Tokens = append(a.Tokens, identity.Token{Hash: identity.HashOf(id), ID: id, User: "i9", Athlete: "i9", Coach: true,
			Athletes: a.User.Athletes, Scopes: []identity.Scope{"read"}, Client: strings.Repeat("x", 100), Toolset: "core", Confirm: "all", Created: w.now})
	}
	if err := w.table.Save(ctx, a, identity.Changes{Tokens: a.Tokens}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.store.CreateToken(ctx, read("i9")); !errors.Is(err, identity.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	// The largest change fits one transaction.
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf("i%030d", i)
	}
	if _, err := w.store.ChangeUser(ctx, "i9", func(u *identity.User) { u.Athletes = many }); err != nil {
		t.Fatal(err)
	}
	if token, err := w.table.Token(ctx, identity.HashOf("i9-47")); err != nil || !slices.Equal(token.Athletes, many) {
		t.Errorf("the last one has %d athletes, %v", len(token.Athletes), err)
	}
	if err := w.store.RevokeToken(ctx, "i9-00"); err != nil {
		t.Fatal(err)
	}
	w.token(t, read("i9"))
	if err := w.store.RemoveUser(ctx, "i9"); err != nil {
		t.Error(err)
	}
}

var record = map[string]string{"v": "1", "connection": "i1-old", "user": "i1", "athlete": "i1", "scopes": "read write", "toolset": "full", "confirm": "never", "coach": "false"}

func (w *world) with(t *testing.T, change map[string]string) identity.Hash {
	f := maps.Clone(record)
	for k, v := range change {
		if f[k] = v; v == "" {
			delete(f, k)
		}
	}
	h := identity.HashOf(fmt.Sprint(change))
	w.raw(t, h, f)
	return h
}

func older(t *testing.T, w *world) {
	token, err := w.table.Token(t.Context(), w.with(t, map[string]string{"v": "", "toolset": "", "confirm": ""}))
	if err != nil || token.Toolset != identity.ToolsetCore || token.Confirm != identity.ConfirmAll || token.ID != "i1-old" {
		t.Errorf("%+v, %v", token, err)
	}
}

func newer(t *testing.T, w *world) {
	_, err := w.table.Token(t.Context(), w.with(t, map[string]string{"v": "3", "scopes": "read write fly"}))
	if !errors.Is(err, identity.ErrNewer) || !strings.Contains(err.Error(), "sam deploy") {
		t.Errorf("got %v", err)
	}
}

func damaged(t *testing.T, w *world) {
	for _, change := range []map[string]string{
		{"user": ""}, {"user": "../x"}, {"athlete": ""}, {"scopes": ""}, {"scopes": "read fly"}, {"connection": ""},
		{"toolset": "all"}, {"confirm": "maybe"}, {"expires": "soon"}, {"revoked": "1"}, {"v": "x"},
	} {
		if token, err := w.table.Token(t.Context(), w.with(t, change)); !errors.Is(err, identity.ErrDamaged) {
			t.Errorf("%v: %+v, %v", change, token, err)
		}
	}
}
