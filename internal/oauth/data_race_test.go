package oauth_test

import (
	"context"
	"testing"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// duringPut is a keeper before whose Put something else happens.
type duringPut struct {
	secrets.Keeper
	do func()
}

func (k *duringPut) Put(ctx context.Context, user string, key secrets.Key) error {
	if k.do != nil {
		do := k.do
		k.do = nil
		do()
	}
	return k.Keeper.Put(ctx, user, key)
}

func TestAKeyThatIsGivenWhileEverythingIsDeletedDoesNotStay(t *testing.T) {
	deleted := func(t *testing.T) (w *town, k *duringPut) {
		k = &duringPut{Keeper: &secrets.Memory{}}
		w = newTown(t, func(w *town) { w.keys = k })
		return w, k
	}
	gone := func(w *town) {
		w.t.Helper()
		if _, err := w.keys.Credential(w.t.Context(), "i1"); secrets.KindOf(err) != secrets.Missing {
			w.t.Errorf("a key of nobody stays: %v", err)
		}
	}
	erase := func(b *browser) func() {
		return func() {
			b.want(b.submit(b.get("/account/mine"), "/account/mine/delete", "typed", "delete"), 200, "Everything is deleted")
		}
	}
	t.Run("replaced", func(t *testing.T) {
		w, k := deleted(t)
		b := w.browser().signIn(keyOf1)
		if err := k.Keeper.Put(t.Context(), "i1", secrets.Key{APIKey: secrets.New("an-older-key"), Athlete: "i1"}); err != nil {
			t.Fatal(err)
		}
		p := b.get("/account/key")
		k.do = erase(b)
		b.want(b.submit(p, "/account/key/replace", "key", keyOf1), 403, "too old")
		gone(w)
	})
	t.Run("signed in", func(t *testing.T) {
		w, k := deleted(t)
		b, other := w.browser().signIn(keyOf1), w.browser()
		if err := k.Delete(t.Context(), "i1"); err != nil {
			t.Fatal(err)
		}
		p := other.get("/account/signin")
		k.do = erase(b)
		other.want(other.submit(p, "/account/signin", "key", keyOf1), 403, "too old")
		gone(w)
	})
	t.Run("between key and user", func(t *testing.T) {
		table := &duringRemove{Table: &identity.Memory{}}
		w := newTown(t, func(w *town) { w.table = table })
		b := w.browser().signIn(keyOf1)
		table.do = func() {
			if err := w.keys.Put(t.Context(), "i1", secrets.Key{APIKey: secrets.New(keyOf1), Athlete: "i1"}); err != nil {
				t.Error(err)
			}
		}
		erase(b)()
		gone(w)
	})
}

// duringRemove is a table before whose Remove something else happens.
type duringRemove struct {
	identity.Table
	do func()
}

func (d *duringRemove) Remove(ctx context.Context, a identity.Account) error {
	d.do()
	return d.Table.Remove(ctx, a)
}
