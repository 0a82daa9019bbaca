package state

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
)

// Bounds of safety.md 2.
const (
	PlanLife  = 10 * time.Minute // how long a plan awaits its confirmation
	UsedLife  = 24 * time.Hour   // how long a used confirmation still answers
	MaxWrong  = 5                // wrong summaries that drop a plan
	MaxPlan   = 8 << 20          // bytes of a stored plan, before compression
	MaxItem   = 350 << 10        // bytes of one stored item, after compression
	handleLen = 26               // base32 characters: 130 random bits
)

// Waiting is a plan that awaits its confirmation, or the trace of one that was
// used.
type Waiting struct {
	Handle     string // the confirmation: short, random, single use
	User       string // whose it is; nobody else finds it
	Connection string // which connection may confirm it
	Client     string // the connection's name, for people
	Athlete    string // who would be changed
	Tool       string
	Summary    string
	Created    time.Time
	Expires    time.Time
	Person     bool   // only the person, on the account page, may approve it
	Plan       []byte // what package change stored; nil once used, and in lists
	Wrong      int    // wrong summaries so far

	Change audit.ID // what it was used for; zero = not used
}

// Store keeps plans and counts. Implementations are safe for concurrent use by
// many processes, and reads see every write that was finished before.
type Store interface {
	// Keep stores a plan, its head last, so that half of one is never found.
	Keep(ctx context.Context, w Waiting) error
	// Get gives a user's plan, or the trace of a used one. ErrNotFound when
	// there is none, it is another user's, it was dropped, or its time is over.
	Get(ctx context.Context, user, handle string) (Waiting, error)
	// Use spends a confirmation for a change and writes the change's head
	// intent, in one transaction. ErrUsed when it was spent already, ErrNotFound
	// as for Get. After any other error it is not spent, unless the store itself
	// cannot tell; then a second Use with the same head either succeeds or
	// reports ErrUsed with a Get that names the same change.
	Use(ctx context.Context, user, handle string, head audit.Item) error
	// Wrong counts a wrong summary and says how many more are allowed; at 0 the
	// plan has been dropped. ErrNotFound as for Get, ErrUsed for a used one.
	Wrong(ctx context.Context, user, handle string) (left int, err error)
	// Drop forgets a plan that was not used. It is no error when there is none.
	Drop(ctx context.Context, user, handle string) error
	// Waiting lists a user's plans that can still be confirmed, newest first,
	// without Plan.
	Waiting(ctx context.Context, user string) ([]Waiting, error)
	// Allow counts one attempt under a key and reports whether at most limit of
	// them fell into the present window; until is when the window ends. Keys
	// hold no secrets.
	Allow(ctx context.Context, key string, limit int, window time.Duration) (ok bool, until time.Time, err error)
}

// Errors of a Store.
var (
	ErrNotFound = errors.New("state: no such plan, or its time is over")
	ErrUsed     = errors.New("state: the confirmation was used")
	ErrExists   = errors.New("state: a plan of this handle is there") // from Keep: handles are made once
)

// NewHandle makes a confirmation: 130 random bits as 26 letters and digits.
func NewHandle() string { return strings.ToLower(rand.Text()[:handleLen]) }

// ValidHandle reports whether s could be a handle. What is none is not looked
// up.
func ValidHandle(s string) bool {
	return len(s) == handleLen && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '2' || r > '7')
	})
}

// Check refuses a plan that must not be stored.
func (w Waiting) Check() error {
	switch {
	case !ValidHandle(w.Handle):
		return errors.New("state: a plan has no handle")
	case w.User == "" || w.Connection == "" || w.Expires.IsZero():
		return errors.New("state: a plan has no user, connection or end")
	case len(w.Plan) == 0:
		return errors.New("state: a plan is empty")
	case len(w.Plan) > MaxPlan:
		return fmt.Errorf("state: a plan of %d bytes, at most %d can be kept", len(w.Plan), MaxPlan)
	}
	return nil
}
