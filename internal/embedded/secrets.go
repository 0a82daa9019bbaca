package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"intervals-mcp/internal/secrets"
)

// Secrets is the file's store of users' keys. They stand in the file as they
// are: it is readable by its owner only, as the .env file they would otherwise
// be in, and whoever can read it can also read any key to it on the same disk.
func (s *Store) Secrets() secrets.Keeper { return keeper{s} }

type keeper struct{ store *Store }

// Credential implements secrets.Store.
func (k keeper) Credential(ctx context.Context, user string) (secrets.Credential, error) {
	if !secrets.ValidUser(user) {
		return secrets.Credential{}, secrets.ErrUser
	}
	db, err := k.store.open(ctx)
	if err != nil {
		return secrets.Credential{}, &secrets.Error{Kind: secrets.Unavailable, Err: err}
	}
	var value string
	err = db.QueryRowContext(ctx, `SELECT value FROM secrets WHERE user = ?`, user).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return secrets.Credential{}, &secrets.Error{Kind: secrets.Missing}
	}
	if err != nil {
		return secrets.Credential{}, &secrets.Error{Kind: secrets.Unavailable, Err: err}
	}
	key, err := secrets.Decode(value)
	return key.Credential(), err
}

// Refused implements secrets.Store; nothing is cached.
func (k keeper) Refused(string) {}

// Put implements secrets.Keeper.
func (k keeper) Put(ctx context.Context, user string, key secrets.Key) error {
	value, err := secrets.Encode(key)
	if err != nil {
		return err
	}
	return k.exec(ctx, user, `INSERT OR REPLACE INTO secrets (user, value) VALUES (?, ?)`, user, value)
}

// Delete implements secrets.Keeper. The file's free pages are overwritten.
func (k keeper) Delete(ctx context.Context, user string) error {
	return k.exec(ctx, user, `DELETE FROM secrets WHERE user = ?`, user)
}

func (k keeper) exec(ctx context.Context, user, query string, args ...any) error {
	if !secrets.ValidUser(user) {
		return secrets.ErrUser
	}
	db, err := k.store.open(ctx)
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("write the key of user %s: %w", user, err)
	}
	return nil
}
