package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
)

// stateTables hold plans that await their confirmation, and counts. until is
// when a row is gone, in Unix nanoseconds: whoever writes next deletes it.
const stateTables = `CREATE TABLE plans (
		user TEXT NOT NULL, handle TEXT NOT NULL, until INTEGER NOT NULL, wrong INTEGER NOT NULL DEFAULT 0,
		change TEXT NOT NULL DEFAULT '', item TEXT NOT NULL, plan BLOB, PRIMARY KEY (user, handle));
	CREATE INDEX plans_until ON plans (until);
	CREATE TABLE rates (
		key TEXT NOT NULL, window INTEGER NOT NULL, until INTEGER NOT NULL, n INTEGER NOT NULL,
		PRIMARY KEY (key, window, until)) WITHOUT ROWID;
	CREATE INDEX rates_until ON rates (until);`

// State is the file's store of plans and counts. Use writes to its audit log.
func (s *Store) State(now func() time.Time) state.Store { return stateStore{s, now} }

type stateStore struct {
	store *Store
	now   func() time.Time
}

// write runs a transaction. Every one takes the file's write lock when it
// begins, so that what it reads is true until it ends.
func (s stateStore) write(ctx context.Context, what string, do func(*sql.Tx) error) error {
	db, err := s.store.open(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	if err := do(tx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// sweep deletes what is over. The file's free pages are overwritten.
func (s stateStore) sweep(ctx context.Context, tx *sql.Tx) error {
	for _, table := range []string{"plans", "rates"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE until <= ?`, s.now().UnixNano()); err != nil {
			return err
		}
	}
	return nil
}

// Keep implements state.Store.
func (s stateStore) Keep(ctx context.Context, w state.Waiting) error {
	if err := w.Check(); err != nil {
		return err
	}
	packed, err := state.Pack(w.Plan)
	if err != nil {
		return err
	}
	item, err := w.Encode()
	if err != nil {
		return fmt.Errorf("keep plan: %w", err)
	}
	return s.write(ctx, "keep plan", func(tx *sql.Tx) error {
		if err := s.sweep(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO plans (user, handle, until, item, plan) VALUES (?, ?, ?, ?, ?)`,
			w.User, w.Handle, w.Expires.UnixNano(), string(item), packed)
		if isDuplicate(err) {
			return state.ErrExists
		}
		return err
	})
}

// querier is the file or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// find reads a plan or its trace. ErrNotFound as for Get.
func (s stateStore) find(ctx context.Context, q querier, user, handle string) (w state.Waiting, packed []byte, err error) {
	var wrong int
	var change, item string
	err = q.QueryRowContext(ctx, `SELECT wrong, change, item, plan FROM plans WHERE user = ? AND handle = ? AND until > ?`,
		user, handle, s.now().UnixNano()).Scan(&wrong, &change, &item, &packed)
	if errors.Is(err, sql.ErrNoRows) {
		return state.Waiting{}, nil, state.ErrNotFound
	}
	if err != nil {
		return state.Waiting{}, nil, err
	}
	w, err = waiting(user, handle, wrong, change, item)
	return w, packed, err
}

func waiting(user, handle string, wrong int, change, item string) (state.Waiting, error) {
	w, err := state.Decode(user, handle, []byte(item))
	if err != nil {
		return state.Waiting{}, err
	}
	w.Wrong = wrong
	return w, w.Change.UnmarshalText([]byte(change))
}

// Get implements state.Store.
func (s stateStore) Get(ctx context.Context, user, handle string) (state.Waiting, error) {
	db, err := s.store.open(ctx)
	if err != nil {
		return state.Waiting{}, err
	}
	w, packed, err := s.find(ctx, db, user, handle)
	if err != nil {
		return state.Waiting{}, fmt.Errorf("read plan: %w", err)
	}
	if w.Change.IsZero() {
		w.Plan, err = state.Unpack(packed)
	}
	return w, err
}

// Use implements state.Store.
func (s stateStore) Use(ctx context.Context, user, handle string, head audit.Item) error {
	if err := state.CheckHead(user, head); err != nil {
		return err
	}
	return s.write(ctx, "use confirmation", func(tx *sql.Tx) error {
		w, _, err := s.find(ctx, tx, user, handle)
		switch {
		case err != nil:
			return err
		case w.Change.String() == head.Change.String():
			return nil
		case !w.Change.IsZero():
			return state.ErrUsed
		}
		_, err = tx.ExecContext(ctx, `UPDATE plans SET change = ?, until = ?, plan = NULL WHERE user = ? AND handle = ?`,
			head.Change.String(), s.now().Add(state.UsedLife).UnixNano(), user, handle)
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, head)
	})
}

// Wrong implements state.Store.
func (s stateStore) Wrong(ctx context.Context, user, handle string) (left int, err error) {
	err = s.write(ctx, "count a wrong summary", func(tx *sql.Tx) error {
		w, _, err := s.find(ctx, tx, user, handle)
		if err != nil {
			return err
		}
		if !w.Change.IsZero() {
			return state.ErrUsed
		}
		if left = state.MaxWrong - w.Wrong - 1; left <= 0 {
			_, err = tx.ExecContext(ctx, `DELETE FROM plans WHERE user = ? AND handle = ?`, user, handle)
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE plans SET wrong = wrong + 1 WHERE user = ? AND handle = ?`, user, handle)
		return err
	})
	if err != nil {
		return 0, err
	}
	return left, nil
}

// Drop implements state.Store.
func (s stateStore) Drop(ctx context.Context, user, handle string) error {
	return s.write(ctx, "drop plan", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM plans WHERE user = ? AND handle = ? AND change = ''`, user, handle)
		return err
	})
}

// Waiting implements state.Store.
func (s stateStore) Waiting(ctx context.Context, user string) ([]state.Waiting, error) {
	db, err := s.store.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT handle, wrong, item FROM plans WHERE user = ? AND change = '' AND until > ?`, user, s.now().UnixNano())
	if err != nil {
		return nil, fmt.Errorf("list plans: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err below tells of a failed read
	var out []state.Waiting
	for rows.Next() {
		var handle, item string
		var wrong int
		if err := rows.Scan(&handle, &wrong, &item); err != nil {
			return nil, fmt.Errorf("list plans: %w", err)
		}
		w, err := waiting(user, handle, wrong, "", item)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list plans: %w", err)
	}
	state.SortNewest(out)
	return out, nil
}

// Allow implements state.Store.
func (s stateStore) Allow(ctx context.Context, key string, limit int, window time.Duration) (ok bool, until time.Time, err error) {
	if err := state.CheckRate(key, limit, window); err != nil {
		return false, time.Time{}, err
	}
	_, end := state.Window(s.now(), window)
	n := 0
	err = s.write(ctx, "count an attempt", func(tx *sql.Tx) error {
		if err := s.sweep(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `INSERT INTO rates (key, window, until, n) VALUES (?, ?, ?, 1)
			ON CONFLICT DO UPDATE SET n = n + 1 RETURNING n`, key, int64(window), end.UnixNano()).Scan(&n)
	})
	if err != nil {
		return false, time.Time{}, err
	}
	return n <= limit, end, nil
}
