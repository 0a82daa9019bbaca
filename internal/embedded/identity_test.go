package embedded

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
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

func TestAThousandRefreshesAtOnceRotateOnceInTheFile(t *testing.T) {
	identitytest.Storm(t, opened(t).Identity(), 1000)
}

func TestAFileOfAnEarlierReleaseLearnsToKeepConnections(t *testing.T) {
	before := slices.Index(migrations, identityGrants)
	if before < 1 {
		t.Fatalf("the tables are made by migration %d", before)
	}
	s := opened(t)
	if err := s.makeFile(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	token := identity.Token{Hash: identity.HashOf("old"), ID: "i1-abcdefghij", User: "i1", Athlete: "i1", Scopes: []identity.Scope{"read"}}
	for _, q := range append(slices.Clone(migrations[:before]), fmt.Sprintf("PRAGMA user_version = %d", before)) {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	_, user := db.Exec(`INSERT INTO users (id, rev, record) VALUES ('i1', 'r', ?)`, text(identity.User{ID: "i1", Athlete: "i1"}.Fields()))
	_, old := db.Exec(`INSERT INTO tokens (hash, id, user, purge, record) VALUES (?, ?, 'i1', 0, ?)`, token.Hash.Hex(), token.ID, text(token.Fields()))
	if err := errors.Join(user, old, db.Close()); err != nil {
		t.Fatal(err)
	}
	store := identity.NewStore(s.Identity(), time.Now)
	if list, err := store.Tokens(t.Context(), "i1"); err != nil || len(list) != 1 || list[0].ID != token.ID {
		t.Errorf("%+v, %v", list, err)
	}
	if _, _, err := store.Authorize(t.Context(), identity.Grant{User: "i1", Client: "c", Redirect: "https://h/cb", Resource: "https://h/mcp",
		Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Permissions: identity.Permissions{Scopes: []identity.Scope{"read"}}}); err != nil {
		t.Error(err)
	}
	if found, err := s.Identity().Token(t.Context(), token.Hash); err != nil || found.ID != token.ID {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestADeletedUserIsNamedNowhereInTheFile(t *testing.T) {
	s := opened(t)
	store := identity.NewStore(s.Identity(), time.Now)
	const id = "i987654321"
	if _, err := store.AddUser(t.Context(), identity.User{ID: id, Athlete: id}); err != nil {
		t.Fatal(err)
	}
	_, token, err := store.CreateToken(t.Context(), identity.Request{User: id, Scopes: []identity.Scope{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	code, c, err := store.Authorize(t.Context(), identity.Grant{User: id, Client: "c", Redirect: "https://h/cb", Resource: "https://h/mcp",
		Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Permissions: identity.Permissions{Scopes: []identity.Scope{"read"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Redeem(t.Context(), identity.Redemption{Code: code, Client: "c", Redirect: "https://h/cb",
		Verifier: secrets.New("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")}); err != nil {
		t.Fatal(err)
	}
	for _, used := range []string{token.ID, c.ID} {
		if err := s.Identity().Touch(t.Context(), used, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.RemoveUser(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // the last one out empties the write-ahead log
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte(id)) {
		t.Error("the file names the user")
	}
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
