package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"intervals-mcp/internal/audit"
)

// Audit is the file's audit log.
func (s *Store) Audit() audit.Log { return auditLog{s} }

type auditLog struct{ store *Store }

// Append implements audit.Log.
func (l auditLog) Append(ctx context.Context, items []audit.Item) error {
	for _, item := range items {
		if err := item.Check(); err != nil {
			return err
		}
	}
	db, err := l.store.open(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	for _, item := range items {
		if err := insertAudit(ctx, tx, item); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	return nil
}

// insertAudit adds an item that was checked, in a transaction of the caller's.
func insertAudit(ctx context.Context, tx *sql.Tx, item audit.Item) error {
	body, err := json.Marshal(item)
	if err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	pk, sk := item.Key()
	_, err = tx.ExecContext(ctx, `INSERT INTO audit (pk, sk, athlete, day, head, expires, item) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		pk, sk, item.Athlete, item.Day(), item.Head(), item.Expires.Unix(), string(body))
	if isDuplicate(err) {
		return audit.ErrExists
	}
	if err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	return nil
}

// isDuplicate reports that a row of the same key is there.
func isDuplicate(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// Change implements audit.Log.
func (l auditLog) Change(ctx context.Context, user string, id audit.ID) ([]audit.Item, error) {
	from, to := id.KeyRange()
	return l.items(ctx, `SELECT item FROM audit WHERE pk = ? AND sk >= ? AND sk < ? ORDER BY sk`, audit.PartitionKey(user), from, to)
}

// Heads implements audit.Log.
func (l auditLog) Heads(ctx context.Context, q audit.Query) ([]audit.Item, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	from, to := q.Keys()
	where, args := []string{"head = 1", "sk >= ?"}, []any{from}
	if to != "" {
		where, args = append(where, "sk < ?"), append(args, to)
	}
	switch {
	case q.User != "":
		where, args = append(where, "pk = ?"), append(args, audit.PartitionKey(q.User))
	case q.Athlete != "":
		where, args = append(where, "athlete = ?"), append(args, q.Athlete)
	default:
		where, args = append(where, "day = ?"), append(args, q.Day)
	}
	args = append(args, q.Bound())
	return l.items(ctx, "SELECT item FROM audit WHERE "+strings.Join(where, " AND ")+" ORDER BY sk DESC LIMIT ?", args...)
}

func (l auditLog) items(ctx context.Context, query string, args ...any) ([]audit.Item, error) {
	db, err := l.store.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err below tells of a failed read
	var out []audit.Item
	for rows.Next() {
		var body []byte
		var item audit.Item
		if err := rows.Scan(&body); err != nil {
			return nil, fmt.Errorf("read audit log: %w", err)
		}
		if err := json.Unmarshal(body, &item); err != nil {
			return nil, fmt.Errorf("read audit log: %w", err)
		}
		out = append(out, item)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	return out, nil
}
