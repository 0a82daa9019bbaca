package identity

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Memory is a Table that lives as long as the process, for the demo, sam local
// and tests. The zero value is ready to use. Like the others it keeps records
// as text, so that nothing is shared with a caller.
type Memory struct {
	mu     sync.RWMutex
	users  map[string]memoryUser
	tokens map[Hash]map[string]string
	used   map[string]time.Time
	rev    int
}

type memoryUser struct {
	fields map[string]string
	tokens []Hash
	rev    string
}

// Token implements Tokens.
func (m *Memory) Token(ctx context.Context, h Hash) (Token, error) {
	if err := ctx.Err(); err != nil {
		return Token{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	f, ok := m.tokens[h]
	if !ok {
		return Token{}, ErrNoToken
	}
	return TokenOf(h, f)
}

// Account implements Table.
func (m *Memory) Account(ctx context.Context, user string) (Account, error) {
	if err := ctx.Err(); err != nil {
		return Account{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	r, ok := m.users[user]
	if !ok {
		return Account{}, ErrNoUser
	}
	u, err := UserOf(r.fields)
	if err != nil {
		return Account{}, err
	}
	a := Account{User: u, Rev: r.rev}
	for _, h := range r.tokens {
		t, err := TokenOf(h, m.tokens[h])
		if err != nil {
			return Account{}, err
		}
		a.Tokens = append(a.Tokens, t)
	}
	return a, nil
}

// Users implements Table.
func (m *Memory) Users(ctx context.Context) iter.Seq2[User, error] {
	return func(yield func(User, error) bool) {
		m.mu.RLock()
		all := slices.Collect(maps.Values(m.users))
		m.mu.RUnlock()
		for _, r := range all {
			u, err := UserOf(r.fields)
			if err == nil {
				err = ctx.Err()
			}
			if !yield(u, err) || err != nil {
				return
			}
		}
	}
}

// Save implements Table.
func (m *Memory) Save(ctx context.Context, a Account, changed []Token) error {
	return m.write(ctx, a, changed, false)
}

// Remove implements Table.
func (m *Memory) Remove(ctx context.Context, a Account, changed []Token) error {
	return m.write(ctx, a, changed, true)
}

func (m *Memory) write(ctx context.Context, a Account, changed []Token, remove bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users[a.User.ID].rev != a.Rev {
		return ErrConflict
	}
	if m.users == nil {
		m.users, m.tokens = map[string]memoryUser{}, map[Hash]map[string]string{}
	}
	for _, t := range changed {
		m.tokens[t.Hash] = t.Fields()
	}
	if remove {
		delete(m.users, a.User.ID)
		return nil
	}
	m.rev++
	r := memoryUser{fields: a.User.Fields(), rev: strconv.Itoa(m.rev)}
	for _, t := range a.Tokens {
		r.tokens = append(r.tokens, t.Hash)
	}
	m.users[a.User.ID] = r
	return nil
}

// Touch implements Table.
func (m *Memory) Touch(ctx context.Context, token string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used == nil {
		m.used = map[string]time.Time{}
	}
	if at = at.UTC().Truncate(time.Second); at.After(m.used[token]) {
		m.used[token] = at
	}
	return ctx.Err()
}

// LastUsed implements Table.
func (m *Memory) LastUsed(ctx context.Context, tokens []string) (map[string]time.Time, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := map[string]time.Time{}
	for _, id := range tokens {
		if at, ok := m.used[id]; ok {
			out[id] = at
		}
	}
	return out, ctx.Err()
}
