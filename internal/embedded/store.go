package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// FileName is the database's name in the data folder.
const FileName = "intervals-mcp.db"

// Store is one SQLite file. New does no I/O; the first use opens the file.
type Store struct {
	dir   string
	mu    sync.Mutex
	db    *sql.DB
	token *sql.Stmt // see findToken; every request to serve asks
}

// New makes the store of a data folder.
func New(dir string) *Store { return &Store{dir: dir} }

// Path is where the file is, or will be.
func (s *Store) Path() string { return filepath.Join(s.dir, FileName) }

// Close closes the file if it was opened; a later use opens it again.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	err := errors.Join(s.token.Close(), s.db.Close())
	s.db = nil
	return err
}

// open gives the database, opening and migrating it when first needed.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	if err := s.makeFile(); err != nil {
		return nil, fmt.Errorf("open %s: %w", s.Path(), err)
	}
	uri, err := s.uri()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.Path(), err)
	}
	// Every transaction takes the write lock at once: two processes then wait
	// for each other instead of failing in the middle. FULL: an intent must
	// be on the disk before anything is sent upstream.
	db, err := sql.Open("sqlite", uri+"?_txlock=immediate"+
		"&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=trusted_schema(0)&_pragma=secure_delete(1)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.Path(), err)
	}
	db.SetMaxOpenConns(4)
	if err := retryBusy(ctx, func() error { return migrate(ctx, db) }); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", s.Path(), err), db.Close())
	}
	if s.token, err = db.PrepareContext(ctx, `SELECT record FROM tokens WHERE hash = ?`); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", s.Path(), err), db.Close())
	}
	s.db = db
	return db, nil
}

// uri names the file for SQLite. Its path is absolute and begins with a slash,
// also on Windows: what else follows file:// would be taken for a host.
func (s *Store) uri() (string, error) {
	path, err := filepath.Abs(s.Path())
	if err != nil {
		return "", err
	}
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	return (&url.URL{Scheme: "file", Path: path}).String(), nil
}

// findToken gives the prepared look-up of a token's record by its hash.
func (s *Store) findToken(ctx context.Context) (*sql.Stmt, error) {
	_, err := s.open(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token, err
}

// makeFile makes folder and file for the owner alone; SQLite gives its side
// files the same mode.
func (s *Store) makeFile() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.Path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Chmod(s.Path(), 0o600)
}

// retryBusy tries again while another process holds the file: switching to
// WAL does not wait by itself.
func retryBusy(ctx context.Context, try func() error) error {
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		err := try()
		var e *sqlite.Error
		if !errors.As(err, &e) || e.Code()&0xff != sqlite3.SQLITE_BUSY || wait > 2*time.Second {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// migrations bring a file from version i to i+1; they are never changed once
// released.
var migrations = []string{
	`CREATE TABLE audit (
		pk TEXT NOT NULL, sk TEXT NOT NULL, athlete TEXT NOT NULL, day TEXT NOT NULL,
		head INTEGER NOT NULL, expires INTEGER NOT NULL, item TEXT NOT NULL,
		PRIMARY KEY (pk, sk)) WITHOUT ROWID;
	CREATE INDEX audit_athlete ON audit (athlete, sk) WHERE head = 1;
	CREATE INDEX audit_day ON audit (day, sk) WHERE head = 1;
	CREATE TRIGGER audit_is_never_updated BEFORE UPDATE ON audit
		BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
	CREATE TRIGGER audit_is_kept_until_it_expires BEFORE DELETE ON audit WHEN OLD.expires > unixepoch()
		BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;`,
	identityTables,
	stateTables,
	identityGrants,
}

// migrate brings the file up to date, in one transaction, whichever process
// comes first. A file of a newer program is refused.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("the file was written by a newer version of this program (format %d, known %d)", version, len(migrations))
	}
	if version == len(migrations) {
		return nil
	}
	for _, m := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}
