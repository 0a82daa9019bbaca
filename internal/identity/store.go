package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/secrets"
)

const maxLabel = 100

// Store adds and removes users, tokens, connections, clients and invitations.
type Store struct {
	table Table
	now   func() time.Time
}

// NewStore makes a Store on a table; now is the clock.
func NewStore(table Table, now func() time.Time) *Store { return &Store{table, now} }

// AddUser enrols a user: ErrExists when they are enrolled already.
func (s *Store) AddUser(ctx context.Context, u User) (User, error) {
	u, err := s.add(ctx, u, Changes{})
	if errors.Is(err, ErrConflict) {
		return User{}, ErrExists
	}
	return u, err
}

// add writes a new user with changes: ErrConflict when there is one already, or
// what should be taken is gone.
func (s *Store) add(ctx context.Context, u User, c Changes) (User, error) {
	u.Created, u.Epoch = s.now().UTC().Truncate(time.Second), rand.Text()
	if err := u.check(); err != nil {
		return User{}, err
	}
	if err := s.table.Save(ctx, Account{User: u}, c); err != nil {
		return User{}, err
	}
	return u, nil
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
// more than once. The user's connections and tokens in force are rewritten in
// the same transaction, so that their next request sees it: one with a list of
// its own keeps what is still on the user's, the others follow it.
func (s *Store) ChangeUser(ctx context.Context, id string, change func(*User)) (User, error) {
	var out User
	err := s.edit(ctx, id, func(a *Account) (Changes, error) {
		u := a.User
		change(&u)
		u.ID, u.Athlete, u.Created, u.Epoch = a.User.ID, a.User.Athlete, a.User.Created, a.User.Epoch
		if err := u.check(); err != nil {
			return Changes{}, err
		}
		a.User, out = u, u
		return Changes{Tokens: a.rewrite(s.now())}, nil
	})
	return out, err
}

// RemoveUser deletes a user with their tokens, connections and codes, at once:
// none of them works any more, nor does a browser's session.
func (s *Store) RemoveUser(ctx context.Context, id string) error {
	return s.retry(ctx, id, func(a *Account) error { return s.table.Remove(ctx, *a) })
}

// SignOut ends all browser sessions of a user: they get a new Epoch.
func (s *Store) SignOut(ctx context.Context, user string) (User, error) {
	var out User
	err := s.edit(ctx, user, func(a *Account) (Changes, error) {
		a.User.Epoch = rand.Text()
		out = a.User
		return Changes{}, nil
	})
	return out, err
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
	err := s.edit(ctx, r.User, func(a *Account) (Changes, error) {
		for _, id := range r.Athletes {
			if id != a.User.Athlete && !slices.Contains(a.User.Athletes, id) {
				return Changes{}, &InputError{"athletes", fmt.Sprintf("%q is not among the athletes of user %s", id, a.User.ID)}
			}
		}
		t.Athletes = ordered(r.Athletes, a.User.Athlete)
		t = t.follow(a.User)
		if !s.makeRoom(a) {
			return Changes{}, ErrTooMany
		}
		a.Tokens = append(a.Tokens, t)
		return Changes{Tokens: []Token{t}}, nil
	})
	if err != nil {
		return secrets.Secret{}, Token{}, err
	}
	return secret, t, nil
}

// makeRoom leaves place for one more personal token: what is past its purge is
// left out, and when that is not enough, what is not in force.
func (s *Store) makeRoom(a *Account) bool {
	now := s.now()
	room := func() bool {
		access := 0
		for _, t := range a.Tokens {
			if t.OAuth() {
				access++
			}
		}
		return len(a.Tokens)-access < MaxTokens && len(a.Tokens) < maxItems
	}
	if a.prune(now); !room() {
		a.Tokens = slices.DeleteFunc(a.Tokens, func(t Token) bool { return t.Usable(now) != nil })
	}
	return room()
}

// Tokens lists a user's personal tokens, newest first, also those that ended within the
// last 30 days.
func (s *Store) Tokens(ctx context.Context, user string) ([]Token, error) {
	a, err := s.load(ctx, user)
	if err != nil {
		return nil, err
	}
	now := s.now()
	list := slices.DeleteFunc(a.Tokens, func(t Token) bool { return t.gone(now) || t.OAuth() })
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

// RevokeToken ends a personal token by its id, which names its user; its next
// request is refused. Revoking it again changes nothing.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	user, ok := OwnerOf(id)
	if !ok {
		return ErrNoToken
	}
	err := s.edit(ctx, user, func(a *Account) (Changes, error) {
		is := func(t Token) bool { return t.ID == id && !t.OAuth() }
		if !slices.ContainsFunc(a.Tokens, is) {
			return Changes{}, ErrNoToken
		}
		return a.revoke(s.now(), is), nil
	})
	if errors.Is(err, ErrNoUser) {
		return ErrNoToken
	}
	return err
}

// RevokeTokens ends all personal tokens and all connections of a user, and their
// browser sessions, and says how many tokens and connections were in force.
func (s *Store) RevokeTokens(ctx context.Context, user string) (n int, err error) {
	err = s.edit(ctx, user, func(a *Account) (Changes, error) {
		var connections []string
		for _, c := range a.Connections {
			if c.Usable(s.now()) == nil {
				connections = append(connections, c.ID)
			}
		}
		c := a.revoke(s.now(), func(Token) bool { return true }, connections...)
		n = len(connections)
		for _, t := range c.Tokens {
			if !t.OAuth() {
				n++
			}
		}
		a.User.Epoch = rand.Text()
		return c, nil
	})
	return n, err
}

func (s *Store) load(ctx context.Context, user string) (Account, error) {
	if !ValidUser(user) {
		return Account{}, ErrNoUser
	}
	return s.table.Account(ctx, user)
}

// errAsItIs is how a change says that there is nothing to write.
var errAsItIs = errors.New("identity: nothing to write")

// edit changes an account and writes it with what change gives.
func (s *Store) edit(ctx context.Context, user string, change func(*Account) (Changes, error)) error {
	return s.retry(ctx, user, func(a *Account) error {
		c, err := change(a)
		if errors.Is(err, errAsItIs) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.table.Save(ctx, *a, c)
	})
}

// attempts is how often a change is tried that others were faster with: all
// connections of a user may be refreshed at the same instant.
const attempts = MaxConnections

// retry loads an account and tries to change it, again when somebody else was
// faster.
func (s *Store) retry(ctx context.Context, user string, try func(*Account) error) error {
	for attempt := 1; ; attempt++ {
		a, err := s.load(ctx, user)
		if err != nil {
			return err
		}
		if err = try(&a); !errors.Is(err, ErrConflict) || attempt == attempts {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

// pause waits a random while, so that those who met do not meet again.
func pause(ctx context.Context, attempt int) error {
	var b [1]byte
	_, _ = rand.Read(b[:]) // never fails
	select {
	case <-time.After(time.Duration(min(attempt, 8)) * time.Duration(b[0]) * 200 * time.Microsecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shortID is ten letters or digits: 52 random bits, enough for an id that is no
// secret.
func shortID() string {
	return strings.ToLower(rand.Text()[:10])
}
