package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// upstream is Intervals.icu.
func (c *command) upstream() (*intervals.Upstream, error) {
	up, err := intervals.New(intervals.Options{BaseURL: c.Getenv("INTERVALS_API_BASE_URL"), Transport: c.Transport, UserAgent: c.UserAgent, Timeout: 20 * time.Second})
	if err != nil {
		return nil, misuse("INTERVALS_API_BASE_URL: %v", err)
	}
	return up, nil
}

// owner asks Intervals.icu whose key it is.
func owner(ctx context.Context, up *intervals.Upstream, cred secrets.Credential) (intervals.Athlete, error) {
	a, err := up.Client(cred).Athlete(ctx, "0")
	switch intervals.KindOf(err) {
	case intervals.Unauthorized, intervals.Forbidden:
		return a, errors.New("this key is refused by Intervals.icu; copy it again from Settings, Developer Settings")
	}
	if err == nil && a.ID() == "" {
		return a, errors.New("whose key this is, Intervals.icu does not say")
	}
	return a, err
}

// prove makes sure that a key is the athlete's and gives their id as
// Intervals.icu writes it.
func prove(ctx context.Context, up *intervals.Upstream, cred secrets.Credential, athlete string) (string, error) {
	a, err := owner(ctx, up, cred)
	if err != nil {
		return "", err
	}
	if !strings.EqualFold(a.ID(), athlete) {
		return "", fmt.Errorf("this is the key of athlete %.40q, not of %s", a.ID(), athlete)
	}
	return a.ID(), nil
}

// coached lists whom a coach's key reaches, the caller apart.
func coached(ctx context.Context, up *intervals.Upstream, cred secrets.Credential, own string) ([]string, error) {
	all, err := up.Client(cred).Athletes(ctx)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, a := range all {
		if a.ID() != "" && a.ID() != own && a.Coached() {
			ids = append(ids, a.ID())
		}
	}
	return ids, nil
}

// enrolment is who shall be enrolled; a nil field stays what it is.
type enrolment struct {
	athlete string // as Intervals.icu writes it
	key     secrets.Secret
	name    *string
	coach   *bool
	reach   []string // of a coach
}

// enrol stores user and key. Somebody enrolled already gets the new key and
// keeps their tokens. A user whose key cannot be stored is taken back, and with
// them the key, which may be there though its answer was lost.
func enrol(ctx context.Context, s *Stores, e enrolment) (u identity.User, again bool, err error) {
	change := func(u *identity.User) {
		if e.name != nil {
			u.Name = *e.name
		}
		if e.coach != nil {
			u.Coach, u.Athletes = *e.coach, e.reach
		}
	}
	u = identity.User{ID: identity.UserID(e.athlete), Athlete: e.athlete}
	change(&u)
	u, err = s.Identity.AddUser(ctx, u)
	if again = errors.Is(err, identity.ErrExists); again {
		u, err = s.Identity.ChangeUser(ctx, identity.UserID(e.athlete), change)
	}
	if err != nil {
		return u, again, err
	}
	err = s.Keys.Put(ctx, u.ID, secrets.Key{APIKey: e.key, Athlete: e.athlete})
	if err != nil && !again {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, s.Keys.Delete(undo, u.ID), s.Identity.RemoveUser(undo, u.ID))
	}
	return u, again, err
}
