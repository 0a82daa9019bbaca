package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"intervals-mcp/internal/identity"
)

// Note implements identity.Table.
func (t identityTable) Note(ctx context.Context, kind identity.NoteKind, key string) (identity.Note, error) {
	db, err := t.store.open(ctx)
	if err != nil {
		return identity.Note{}, err
	}
	n := identity.Note{Kind: kind, Key: key}
	var expires int64
	var record string
	err = db.QueryRowContext(ctx, `SELECT expires, record FROM notes WHERE kind = ? AND key = ?`, kind, key).Scan(&expires, &record)
	if errors.Is(err, sql.ErrNoRows) {
		return identity.Note{}, identity.ErrNoNote
	}
	if err == nil {
		err = json.Unmarshal([]byte(record), &n.Fields)
	}
	if err != nil {
		return identity.Note{}, fmt.Errorf("read %s: %w", kind, err)
	}
	n.Expires = time.Unix(expires, 0).UTC()
	return n, nil
}

// PutNote implements identity.Table. What ended is forgotten with it.
func (t identityTable) PutNote(ctx context.Context, n identity.Note) error {
	db, err := t.store.open(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write %s: %w", n.Kind, err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	if err := errors.Join(run(ctx, tx, `DELETE FROM notes WHERE expires <= unixepoch()`), putNote(ctx, tx, n)); err != nil {
		return fmt.Errorf("write %s: %w", n.Kind, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write %s: %w", n.Kind, err)
	}
	return nil
}

func putNote(ctx context.Context, tx *sql.Tx, n identity.Note) error {
	return run(ctx, tx, `INSERT OR REPLACE INTO notes (kind, key, expires, record) VALUES (?, ?, ?, ?)`, n.Kind, n.Key, n.Expires.Unix(), text(n.Fields))
}

// DropNote implements identity.Table.
func (t identityTable) DropNote(ctx context.Context, kind identity.NoteKind, key string) error {
	db, err := t.store.open(ctx)
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `DELETE FROM notes WHERE kind = ? AND key = ?`, kind, key); err != nil {
		return fmt.Errorf("delete %s: %w", kind, err)
	}
	return nil
}
