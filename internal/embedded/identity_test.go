package embedded

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/identitytest"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretstest"
)

func opened(t *testing.T) *Store {
	s := New(t.TempDir())
	t.Cleanup(func() { s.Close() }) //nolint:errcheck // a test's folder goes anyway
	return s
}

// raw writes past the stores.
func (s *Store) raw(t *testing.T, query string, args ...any) {
	t.Helper()
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func TestSQLiteIsATable(t *testing.T) {
	identitytest.Suite(t, func(t *testing.T) (identity.Table, identitytest.Raw) {
		s := opened(t)
		return s.Identity(), func(t *testing.T, h identity.Hash, fields map[string]string) {
			record, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			s.raw(t, `INSERT INTO tokens (hash, id, user, purge, record) VALUES (?, ?, ?, 0, ?)`, h.Hex(), h.Hex(), "i1", string(record))
		}
	})
}

func TestSQLiteIsAKeeper(t *testing.T) {
	secretstest.Suite(t, func(t *testing.T) (secrets.Keeper, secretstest.Raw) {
		s := opened(t)
		return s.Secrets(), func(t *testing.T, user, value string) {
			s.raw(t, `INSERT INTO secrets (user, value) VALUES (?, ?)`, user, value)
		}
	})
}

func TestTheFileHoldsNoTokenAndForgetsADeletedKey(t *testing.T) {
	s := opened(t)
	store := identity.NewStore(s.Identity(), time.Now)
	if _, err := store.AddUser(t.Context(), identitytest.Athlete); err != nil {
		t.Fatal(err)
	}
	token, _, err := store.CreateToken(t.Context(), identity.Request{User: "i1", Scopes: []identity.Scope{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Secrets().Put(t.Context(), "i1", secretstest.Key("a-very-secret-key")); err != nil {
		t.Fatal(err)
	}
	if err := s.Secrets().Delete(t.Context(), "i1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // the last one out empties the write-ahead log
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"the token": token.Reveal()[9:40], "the deleted key": "a-very-secret-key"} {
		if bytes.Contains(b, []byte(text)) {
			t.Errorf("the file holds %s", what)
		}
	}
}
