package secrets

import (
	"context"
	"errors"
	"time"
)

// Credential is how one user signs in to Intervals.icu: an API key (HTTP Basic
// with the user name API_KEY) or an OAuth access token (Bearer). API.md 1.1.
type Credential struct {
	APIKey Secret
	Bearer Secret
	Stored time.Time // when it was stored, zero = not known
}

// IsZero reports whether the credential holds nothing.
func (c Credential) IsZero() bool { return c.APIKey.IsZero() && c.Bearer.IsZero() }

// ErrNotFound says that the user has no credential stored.
var ErrNotFound = errors.New("no Intervals.icu key is stored for this user")

// Store finds the Intervals.icu credential of a user of this deployment.
type Store interface {
	// Credential returns ErrNotFound (possibly wrapped) when there is none.
	Credential(ctx context.Context, user string) (Credential, error)
	// Refused tells the store that upstream answered 401 to this user's
	// credential, so that a cached copy is dropped.
	Refused(user string)
}

// Single is a Store for one local user.
type Single struct {
	User string
	Cred Credential
}

// Credential gives the local user's credential and nobody else's.
func (s Single) Credential(_ context.Context, user string) (Credential, error) {
	if user != s.User || s.Cred.IsZero() {
		return Credential{}, ErrNotFound
	}
	return s.Cred, nil
}

// Refused does nothing: there is no cache to drop.
func (s Single) Refused(string) {}
