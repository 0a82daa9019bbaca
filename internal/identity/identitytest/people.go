package identitytest

import (
	"errors"
	"testing"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

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
