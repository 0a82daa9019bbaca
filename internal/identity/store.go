package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/secrets"
)

// MaxTokens bounds a user's tokens, so that all of them can be rewritten with
// the user in one DynamoDB transaction (100 items).
const MaxTokens = 90

const maxLabel = 100

// Account is a user with all their tokens: what changes together.
type Account struct {
	User   User
	Tokens []Token
	Rev    string // changes with every Save; "" = not stored yet
}

// Table is where accounts are kept. Implementations are safe for concurrent
// use, and their reads see every write that was finished before.
type Table interface {
	Tokens
	// Account gives a user with their tokens, without LastUsed; ErrNoUser.
	Account(ctx context.Context, user string) (Account, error)
	// Users gives every user, in no particular order.
	Users(ctx context.Context) iter.Seq2[User, error]
	// Save writes the account and those of its tokens that are in changed, all
	// or nothing. It fails with ErrConflict when the stored account is not the
	// one that was loaded: another Rev, or there where Rev is "".
	Save(ctx context.Context, a Account, changed []Token) error
	// Remove is Save for an account that is no more. Its tokens stay readable
	// by their hash until they are purged.
	Remove(ctx context.Context, a Account, changed []Token) error
	// Touch notes that a token was used. LastUsed gives what was noted.
	Touch(ctx context.Context, token string, at time.Time) error
	LastUsed(ctx context.Context, tokens []string) (map[string]time.Time, error)
}

// Tokens is the authorizer's whole view of a Table.
type Tokens interface {
	// Token gives the record under a hash in one strongly consistent read:
	// ErrNoToken when there is none, ErrNewer when it cannot be understood.
	Token(ctx context.Context, h Hash) (Token, error)
}

// Store adds and removes users and tokens.
type Store struct {
	table Table
	now   func() time.Time
}

// NewStore makes a Store on a table; now is the clock.
func NewStore(table Table, now func() time.Time) *Store { return &Store{table, now} }

// AddUser enrols a user: ErrExists when they are enrolled already.
func (s *Store) AddUser(ctx context.Context, u User) (User, error) {
	u.Created = s.now().UTC().Truncate(time.Second)
	if err := u.check(); err != nil {
		return User{}, err
	}
	err := s.table.Save(ctx, Account{User: u}, nil)
	if errors.Is(err, ErrConflict) {
		return User{}, ErrExists
	}
	return u, err
}

// User gives a user; ErrNoUser.
func (s *Store) User(ctx context.Context, id string) (User, error) {
	a, err := s.load(ctx, id)
	return a.User, err
}

// Users lists all users, by id.
func (s *Store) Users(ctx context.Context) ([]User, error) {
	var all []User
	for u, err := range s.table.Users(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b User) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// ChangeUser changes name, coach and athletes of a user; change may be called
// more than once. The user's tokens in force are rewritten in the same
// transaction, so that their next request sees it: a token with a list of its
// own keeps what is still on the user's, the others follow it.
func (s *Store) ChangeUser(ctx context.Context, id string, change func(*User)) (User, error) {
	var out User
	err := s.edit(ctx, id, func(a *Account) ([]Token, error) {
		u := a.User
		change(&u)
		u.ID, u.Athlete, u.Created = a.User.ID, a.User.Athlete, a.User.Created
		if err := u.check(); err != nil {
			return nil, err
		}
		a.User, out = u, u
		var changed []Token
		for i, t := range a.Tokens {
			if followed := t.follow(u); t.Usable(s.now()) == nil && !followed.same(t) {
				a.Tokens[i] = followed
				changed = append(changed, followed)
			}
		}
		return changed, nil
	})
	return out, err
}

// RemoveUser forgets a user and revokes their tokens, at once.
func (s *Store) RemoveUser(ctx context.Context, id string) error {
	return s.retry(ctx, id, func(a *Account) error {
		return s.table.Remove(ctx, *a, s.revoke(a, func(Token) bool { return true }))
	})
}

// Request is what a new personal token should be.
type Request struct {
	User     string
	Label    string // what the person calls it; shown as the client's name
	Days     int    // 30, 90 or 365; 0 = no end
	Scopes   []Scope
	Toolset  Toolset  // "" = core
	Confirm  Confirm  // "" = all
	Athletes []string // of a coach: whom it may reach; nil = whom the coach may, also later
}

func (r *Request) check() error {
	if r.Toolset == "" {
		r.Toolset = ToolsetCore
	}
	if r.Confirm == "" {
		r.Confirm = ConfirmAll
	}
	if r.Label == "" {
		r.Label = "personal token"
	}
	switch {
	case !slices.Contains([]int{0, 30, 90, 365}, r.Days):
		return &InputError{"days", "30, 90, 365 or never"}
	case !validScopes(r.Scopes):
		return &InputError{"scope", "read or write"}
	case !r.Toolset.valid():
		return &InputError{"toolset", "core or full"}
	case !r.Confirm.valid():
		return &InputError{"confirm", "all, destructive, never or person"}
	case len(r.Label) > maxLabel || strings.ContainsFunc(r.Label, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return &InputError{"label", fmt.Sprintf("at most %d bytes on one line", maxLabel)}
	}
	return nil
}

// CreateToken makes a personal token. The secret is given here and never again.
func (s *Store) CreateToken(ctx context.Context, r Request) (secrets.Secret, Token, error) {
	if err := r.check(); err != nil {
		return secrets.Secret{}, Token{}, err
	}
	secret := NewToken(KindPersonal)
	now := s.now().UTC().Truncate(time.Second)
	t := Token{
		Hash: HashOf(secret.Reveal()), ID: r.User + "-" + shortID(), Chosen: r.Athletes != nil,
		Scopes: r.Scopes, Client: r.Label, Toolset: r.Toolset, Confirm: r.Confirm, Created: now,
	}
	if r.Days > 0 {
		t.Expires = now.AddDate(0, 0, r.Days)
	}
	err := s.edit(ctx, r.User, func(a *Account) ([]Token, error) {
		for _, id := range r.Athletes {
			if id != a.User.Athlete && !slices.Contains(a.User.Athletes, id) {
				return nil, &InputError{"athletes", fmt.Sprintf("%q is not among the athletes of user %s", id, a.User.ID)}
			}
		}
		t.Athletes = ordered(r.Athletes, a.User.Athlete)
		t = t.follow(a.User)
		if !s.makeRoom(a) {
			return nil, ErrTooMany
		}
		a.Tokens = append(a.Tokens, t)
		return []Token{t}, nil
	})
	if err != nil {
		return secrets.Secret{}, Token{}, err
	}
	return secret, t, nil
}

// makeRoom leaves place for one more token: what is past its purge is left out,
// and when that is not enough, what is not in force.
func (s *Store) makeRoom(a *Account) bool {
	now := s.now()
	a.Tokens = slices.DeleteFunc(a.Tokens, func(t Token) bool { return t.gone(now) })
	if len(a.Tokens) >= MaxTokens {
		a.Tokens = slices.DeleteFunc(a.Tokens, func(t Token) bool { return t.Usable(now) != nil })
	}
	return len(a.Tokens) < MaxTokens
}

// Tokens lists a user's tokens, newest first, also those that ended within the
// last 30 days.
func (s *Store) Tokens(ctx context.Context, user string) ([]Token, error) {
	a, err := s.load(ctx, user)
	if err != nil {
		return nil, err
	}
	now := s.now()
	list := slices.DeleteFunc(a.Tokens, func(t Token) bool { return t.gone(now) })
	var ids []string
	for _, t := range list {
		ids = append(ids, t.ID)
	}
	used, err := s.table.LastUsed(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].LastUsed = used[list[i].ID]
	}
	slices.SortFunc(list, func(a, b Token) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// RevokeToken ends a token by its id, which names its user; its next request is
// refused. Revoking it again changes nothing.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	i := strings.LastIndexByte(id, '-')
	if i < 0 || !ValidUser(id[:i]) {
		return ErrNoToken
	}
	err := s.edit(ctx, id[:i], func(a *Account) ([]Token, error) {
		if !slices.ContainsFunc(a.Tokens, func(t Token) bool { return t.ID == id }) {
			return nil, ErrNoToken
		}
		return s.revoke(a, func(t Token) bool { return t.ID == id }), nil
	})
	if errors.Is(err, ErrNoUser) {
		return ErrNoToken
	}
	return err
}

// RevokeTokens ends all tokens of a user and says how many were in force.
func (s *Store) RevokeTokens(ctx context.Context, user string) (n int, err error) {
	err = s.edit(ctx, user, func(a *Account) ([]Token, error) {
		changed := s.revoke(a, func(Token) bool { return true })
		n = len(changed)
		return changed, nil
	})
	return n, err
}

// revoke ends the account's tokens in force that match and gives them.
func (s *Store) revoke(a *Account, match func(Token) bool) (changed []Token) {
	now := s.now().UTC().Truncate(time.Second)
	for i, t := range a.Tokens {
		if match(t) && t.Usable(now) == nil {
			a.Tokens[i].Revoked = now
			changed = append(changed, a.Tokens[i])
		}
	}
	return changed
}

func (s *Store) load(ctx context.Context, user string) (Account, error) {
	if !ValidUser(user) {
		return Account{}, ErrNoUser
	}
	return s.table.Account(ctx, user)
}

// edit changes an account and writes it with the tokens that change gives.
func (s *Store) edit(ctx context.Context, user string, change func(*Account) ([]Token, error)) error {
	return s.retry(ctx, user, func(a *Account) error {
		changed, err := change(a)
		if err != nil {
			return err
		}
		return s.table.Save(ctx, *a, changed)
	})
}

// retry loads an account and tries to change it, again when somebody else was
// faster.
func (s *Store) retry(ctx context.Context, user string, try func(*Account) error) error {
	for attempt := 1; ; attempt++ {
		a, err := s.load(ctx, user)
		if err != nil {
			return err
		}
		if err = try(&a); !errors.Is(err, ErrConflict) || attempt == 8 {
			return err
		}
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails
		select {
		case <-time.After(time.Duration(attempt) * time.Duration(b[0]) * 200 * time.Microsecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// shortID is ten letters or digits: 52 random bits, enough for an id that is no
// secret.
func shortID() string {
	return strings.ToLower(rand.Text()[:10])
}
