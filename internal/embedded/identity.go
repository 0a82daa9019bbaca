package embedded

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"intervals-mcp/internal/identity"
)

// identityTables hold users, tokens by their hash, when each token was last
// used, and users' keys.
const identityTables = `CREATE TABLE users (
		id TEXT PRIMARY KEY, rev TEXT NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
	CREATE TABLE tokens (
		hash TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, user TEXT, purge INTEGER NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
	CREATE INDEX tokens_user ON tokens (user);
	CREATE TABLE token_use (
		id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
	CREATE TABLE secrets (
		user TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`

// Identity is the file's table of users and tokens.
func (s *Store) Identity() identity.Table { return identityTable{s} }

type identityTable struct{ store *Store }

// Token implements identity.Tokens.
func (t identityTable) Token(ctx context.Context, h identity.Hash) (identity.Token, error) {
	find, err := t.store.findToken(ctx)
	if err != nil {
		return identity.Token{}, err
	}
	var record string
	err = find.QueryRowContext(ctx, h.Hex()).Scan(&record)
	if errors.Is(err, sql.ErrNoRows) {
		return identity.Token{}, identity.ErrNoToken
	}
	if err != nil {
		return identity.Token{}, fmt.Errorf("read token: %w", err)
	}
	return tokenOf(h.Hex(), record)
}

func tokenOf(hash, record string) (identity.Token, error) {
	h, err := identity.ParseHash(hash)
	if err != nil {
		return identity.Token{}, err
	}
	var f map[string]string
	if err := json.Unmarshal([]byte(record), &f); err != nil {
		return identity.Token{}, fmt.Errorf("read token: %w", err)
	}
	return identity.TokenOf(h, f)
}

func userOf(record string) (identity.User, error) {
	var f map[string]string
	if err := json.Unmarshal([]byte(record), &f); err != nil {
		return identity.User{}, fmt.Errorf("read user: %w", err)
	}
	return identity.UserOf(f)
}

// Account implements identity.Table.
func (t identityTable) Account(ctx context.Context, user string) (identity.Account, error) {
	db, err := t.store.open(ctx)
	if err != nil {
		return identity.Account{}, err
	}
	var a identity.Account
	var record string
	err = db.QueryRowContext(ctx, `SELECT rev, record FROM users WHERE id = ?`, user).Scan(&a.Rev, &record)
	if errors.Is(err, sql.ErrNoRows) {
		return identity.Account{}, identity.ErrNoUser
	}
	if err != nil {
		return identity.Account{}, fmt.Errorf("read user %s: %w", user, err)
	}
	if a.User, err = userOf(record); err != nil {
		return identity.Account{}, err
	}
	rows, err := db.QueryContext(ctx, `SELECT hash, record FROM tokens WHERE user = ?`, user)
	if err != nil {
		return identity.Account{}, fmt.Errorf("read tokens of user %s: %w", user, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err below tells of a failed read
	for rows.Next() {
		var hash, record string
		if err := rows.Scan(&hash, &record); err != nil {
			return identity.Account{}, fmt.Errorf("read tokens of user %s: %w", user, err)
		}
		token, err := tokenOf(hash, record)
		if err != nil {
			return identity.Account{}, err
		}
		a.Tokens = append(a.Tokens, token)
	}
	if err := rows.Err(); err != nil {
		return identity.Account{}, fmt.Errorf("read tokens of user %s: %w", user, err)
	}
	return a, nil
}

// Users implements identity.Table.
func (t identityTable) Users(ctx context.Context) iter.Seq2[identity.User, error] {
	return func(yield func(identity.User, error) bool) {
		records, err := t.records(ctx)
		if err != nil {
			yield(identity.User{}, fmt.Errorf("list users: %w", err))
			return
		}
		for _, record := range records {
			u, err := userOf(record)
			if !yield(u, err) || err != nil {
				return
			}
		}
	}
}

// records are read whole before they are given out: no connection is held while
// a caller works.
func (t identityTable) records(ctx context.Context) (records []string, err error) {
	db, err := t.store.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT record FROM users ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err below tells of a failed read
	for rows.Next() {
		var record string
		if err := rows.Scan(&record); err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, rows.Err()
}

// Save implements identity.Table.
func (t identityTable) Save(ctx context.Context, a identity.Account, changed []identity.Token) error {
	return t.write(ctx, a, changed, func(tx *sql.Tx) error {
		record, err := json.Marshal(a.User.Fields())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO users (id, rev, record) VALUES (?, ?, ?)`, a.User.ID, rand.Text(), string(record))
		return err
	})
}

// Remove implements identity.Table.
func (t identityTable) Remove(ctx context.Context, a identity.Account, changed []identity.Token) error {
	a.Tokens = nil
	return t.write(ctx, a, changed, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM users WHERE id = ?`, a.User.ID)
		return err
	})
}

// write runs one transaction: the condition, the user, the changed tokens. What
// the account no longer holds is nobody's from then on, and what is past its
// purge is forgotten.
func (t identityTable) write(ctx context.Context, a identity.Account, changed []identity.Token, user func(*sql.Tx) error) error {
	db, err := t.store.open(ctx)
	if err != nil {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("write user %s: %w", a.User.ID, err) }
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fail(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	var rev string
	if err := tx.QueryRowContext(ctx, `SELECT rev FROM users WHERE id = ?`, a.User.ID).Scan(&rev); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fail(err)
	}
	if rev != a.Rev {
		return identity.ErrConflict
	}
	if err := user(tx); err != nil {
		return fail(err)
	}
	for _, token := range changed {
		record, err := json.Marshal(token.Fields())
		if err != nil {
			return fail(err)
		}
		purge := int64(0)
		if p := token.Purge(); !p.IsZero() {
			purge = p.Unix()
		}
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO tokens (hash, id, user, purge, record) VALUES (?, ?, ?, ?, ?)`,
			token.Hash.Hex(), token.ID, token.User, purge, string(record)); err != nil {
			return fail(err)
		}
	}
	if err := t.disown(ctx, tx, a); err != nil {
		return fail(err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM tokens WHERE user IS NULL AND purge > 0 AND purge <= unixepoch()`); err != nil {
		return fail(err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM token_use WHERE id NOT IN (SELECT id FROM tokens)`); err != nil {
		return fail(err)
	}
	if err := tx.Commit(); err != nil {
		return fail(err)
	}
	return nil
}

func (t identityTable) disown(ctx context.Context, tx *sql.Tx, a identity.Account) error {
	keep := make([]string, 0, len(a.Tokens))
	for _, token := range a.Tokens {
		keep = append(keep, token.Hash.Hex())
	}
	list, err := json.Marshal(keep)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE tokens SET user = NULL WHERE user = ? AND hash NOT IN (SELECT value FROM json_each(?))`, a.User.ID, string(list))
	return err
}

// Touch implements identity.Table. An earlier time never replaces a later one.
func (t identityTable) Touch(ctx context.Context, token string, at time.Time) error {
	db, err := t.store.open(ctx)
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO token_use (id, at) VALUES (?, ?)
		ON CONFLICT (id) DO UPDATE SET at = max(at, excluded.at)`, token, at.Unix()); err != nil {
		return fmt.Errorf("note use of token %s: %w", token, err)
	}
	return nil
}

// LastUsed implements identity.Table.
func (t identityTable) LastUsed(ctx context.Context, tokens []string) (map[string]time.Time, error) {
	db, err := t.store.open(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]time.Time{}
	for _, id := range tokens {
		var at int64
		err := db.QueryRowContext(ctx, `SELECT at FROM token_use WHERE id = ?`, id).Scan(&at)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read last use of tokens: %w", err)
		}
		out[id] = time.Unix(at, 0).UTC()
	}
	return out, nil
}
