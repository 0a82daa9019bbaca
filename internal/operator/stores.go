package operator

import (
	"context"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// Stores are what a deployment keeps, opened for its operator.
type Stores struct {
	Where     string // "the data folder /x", "stack x in eu-central-1"
	Identity  *identity.Store
	Keys      secrets.Keeper
	KeyPlace  func(user string) string // where a user's key lies, in words
	Audit     audit.Log
	State     state.Store // where plans await their confirmation; nil = there is none yet
	Purger    Purger
	Retention time.Duration // how long the audit log is kept
	URL       string        // of the endpoint, where it is known
	// Explain turns a store's error into one that says what to do; nil = none.
	Explain func(error) error
	// Check is doctor's part that only this kind of store has; it reports
	// whether there is anything to read.
	Check func(ctx context.Context, r *Report) bool
	Close func() error
}

// Purger deletes a user's entries of the audit log, with the operator's own
// rights. It is no part of audit.Log, which is append-only.
type Purger interface {
	// Entries counts what Purge would delete.
	Entries(ctx context.Context, user string) (int, error)
	// Purge deletes, and calls progress with how many are gone.
	Purge(ctx context.Context, user string, progress func(done int)) (int, error)
}

// StackName says which stack, and with whose rights.
type StackName struct {
	Name, Region, Profile string
}

func (s *Stores) explain(err error) error {
	if s == nil || s.Explain == nil || err == nil {
		return err
	}
	return s.Explain(err)
}
