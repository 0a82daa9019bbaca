package embedded

import (
	"cmp"
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

// identityGrants add what the authorization server keeps: a user's connections,
// whose access tokens share their id, and notes.
const identityGrants = `ALTER TABLE users ADD COLUMN connections TEXT NOT NULL DEFAULT '[]';
	CREATE TABLE tokens_2 (
		hash TEXT PRIMARY KEY, id TEXT NOT NULL, user TEXT, purge INTEGER NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
	INSERT INTO tokens_2 SELECT hash, id, user, purge, record FROM tokens;
	DROP TABLE tokens;
	ALTER TABLE tokens_2 RENAME TO tokens;
	CREATE INDEX tokens_user ON tokens (user);
	CREATE TABLE notes (
		kind TEXT NOT NULL, key TEXT NOT NULL, expires INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
	CREATE INDEX notes_expires ON notes (expires);`

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
	// One transaction, so that the tokens are those of the revision.
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return identity.Account{}, fmt.Errorf("read user %s: %w", user, err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var rev, record, connections string
	err = tx.QueryRowContext(ctx, `SELECT rev, record, connections FROM users WHERE id = ?`, user).Scan(&rev, &record, &connections)
	if errors.Is(err, sql.ErrNoRows) {
		return identity.Account{}, identity.ErrNoUser
	}
	if err != nil {
		return identity.Account{}, fmt.Errorf("read user %s: %w", user, err)
	}
	tokens, err := t.tokens(ctx, tx, user)
	if err != nil {
		return identity.Account{}, fmt.Errorf("read tokens of user %s: %w", user, err)
	}
	var fields map[string]string
	var grants []map[string]string
	if err := errors.Join(json.Unmarshal([]byte(record), &fields), json.Unmarshal([]byte(connections), &grants)); err != nil {
		return identity.Account{}, fmt.Errorf("read user %s: %w: %w", user, identity.ErrDamaged, err)
	}
	return identity.AccountOf(rev, fields, grants, tokens)
}

func (t identityTable) tokens(ctx context.Context, tx *sql.Tx, user string) (tokens []identity.Token, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT hash, record FROM tokens WHERE user = ?`, user)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err below tells of a failed read
	for rows.Next() {
		var hash, record string
		if err := rows.Scan(&hash, &record); err != nil {
			return nil, err
		}
		token, err := tokenOf(hash, record)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, rows.Err()
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
func (t identityTable) Save(ctx context.Context, a identity.Account, c identity.Changes) error {
	return t.write(ctx, a, func(tx *sql.Tx) error {
		user, connections := a.Fields()
		if connections == nil {
			connections = []map[string]string{}
		}
		if err := run(ctx, tx, `INSERT OR REPLACE INTO users (id, rev, record, connections) VALUES (?, ?, ?, ?)`,
			a.User.ID, rand.Text(), text(user), text(connections)); err != nil {
			return err
		}
		for _, token := range c.Tokens {
			purge := int64(0)
			if p := token.Purge(); !p.IsZero() {
				purge = p.Unix()
			}
			if err := run(ctx, tx, `INSERT OR REPLACE INTO tokens (hash, id, user, purge, record) VALUES (?, ?, ?, ?, ?)`,
				token.Hash.Hex(), token.ID, token.User, purge, text(token.Fields())); err != nil {
				return err
			}
		}
		for _, h := range a.Dropped() {
			if err := run(ctx, tx, `DELETE FROM tokens WHERE hash = ?`, h.Hex()); err != nil {
				return err
			}
		}
		for _, n := range c.Notes {
			if err := putNote(ctx, tx, n); err != nil {
				return err
			}
		}
		if c.Take == nil {
			return nil
		}
		taken, err := tx.ExecContext(ctx, `DELETE FROM notes WHERE kind = ? AND key = ?`, c.Take.Kind, c.Take.Key)
		if err != nil {
			return err
		}
		if n, err := taken.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, identity.ErrConflict)
		}
		return nil
	})
}

// Remove implements identity.Table.
func (t identityTable) Remove(ctx context.Context, a identity.Account) error {
	return t.write(ctx, a, func(tx *sql.Tx) error {
		if err := run(ctx, tx, `DELETE FROM users WHERE id = ?`, a.User.ID); err != nil {
			return err
		}
		if err := run(ctx, tx, `DELETE FROM tokens WHERE user = ?`, a.User.ID); err != nil {
			return err
		}
		return run(ctx, tx, `DELETE FROM token_use WHERE id IN (SELECT value FROM json_each(?))`, text(a.IDs()))
	})
}

// write runs one transaction: the condition, then what changes. What ended long
// ago is forgotten with it.
func (t identityTable) write(ctx context.Context, a identity.Account, change func(*sql.Tx) error) error {
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
	if err := change(tx); errors.Is(err, identity.ErrConflict) {
		return err
	} else if err != nil {
		return fail(err)
	}
	for _, old := range []string{
		`DELETE FROM tokens WHERE user IS NULL AND purge > 0 AND purge <= unixepoch()`, // of before tokens were dropped
		`DELETE FROM notes WHERE expires <= unixepoch()`,
		`DELETE FROM token_use WHERE at < unixepoch() - 400 * 86400`,
	} {
		if err := run(ctx, tx, old); err != nil {
			return fail(err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fail(err)
	}
	return nil
}

func run(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// text writes texts, in maps and lists, as JSON.
func text(of any) string {
	b, err := json.Marshal(of)
	if err != nil {
		panic(err) // texts can be written
	}
	return string(b)
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
