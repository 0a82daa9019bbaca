package embedded

import (
	"context"
	"fmt"

	"intervals-mcp/internal/audit"
)

// keptTrigger keeps entries of the audit log from being deleted.
const keptTrigger = "audit_is_kept_until_it_expires"

// Purger deletes from the audit log. It is the operator's (`audit purge`);
// nothing that serves requests may use it.
func (s *Store) Purger() Purger { return Purger{s} }

// Purger is Store.Purger.
type Purger struct{ store *Store }

// Entries counts a user's entries.
func (p Purger) Entries(ctx context.Context, user string) (n int, err error) {
	db, err := p.store.open(ctx)
	if err != nil {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM audit WHERE pk = ?`, audit.PartitionKey(user)).Scan(&n); err != nil {
		return 0, fmt.Errorf("read audit log: %w", err)
	}
	return n, nil
}

// Purge deletes a user's entries for good, in one transaction; others never see
// the log without the trigger that guards it. What is deleted is overwritten.
func (p Purger) Purge(ctx context.Context, user string, progress func(done int)) (int, error) {
	n, err := p.purge(ctx, user)
	if err != nil {
		return 0, fmt.Errorf("purge audit log: %w", err)
	}
	progress(n)
	return n, nil
}

func (p Purger) purge(ctx context.Context, user string) (int, error) {
	db, err := p.store.open(ctx)
	if err != nil {
		return 0, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	var trigger string
	if err := tx.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?`, keptTrigger).Scan(&trigger); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `DROP TRIGGER `+keptTrigger); err != nil {
		return 0, err
	}
	r, err := tx.ExecContext(ctx, `DELETE FROM audit WHERE pk = ?`, audit.PartitionKey(user))
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, trigger); err != nil {
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, err
	}
	// The write-ahead log still holds the old pages. Another process may keep
	// it busy; then the last one to close the file empties it.
	_, _ = db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return int(n), nil
}
