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
	notes  map[string]Note
	used   map[string]time.Time
	rev    int
	kept   int // notes that were put
}

type memoryUser struct {
	fields      map[string]string
	connections []map[string]string
	tokens      []Hash
	rev         string
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
	var tokens []Token
	for _, h := range r.tokens {
		t, err := TokenOf(h, m.tokens[h])
		if err != nil {
			return Account{}, err
		}
		tokens = append(tokens, t)
	}
	return AccountOf(r.rev, r.fields, r.connections, tokens)
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
func (m *Memory) Save(ctx context.Context, a Account, c Changes) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users[a.User.ID].rev != a.Rev {
		return ErrConflict
	}
	if c.Take != nil {
		if _, ok := m.notes[c.Take.path()]; !ok {
			return ErrConflict
		}
		delete(m.notes, c.Take.path())
	}
	if m.users == nil {
		m.users, m.tokens = map[string]memoryUser{}, map[Hash]map[string]string{}
	}
	for _, t := range c.Tokens {
		m.tokens[t.Hash] = t.Fields()
	}
	for _, h := range a.Dropped() {
		delete(m.tokens, h)
	}
	for _, n := range c.Notes {
		m.keep(n)
	}
	m.rev++
	r := memoryUser{rev: strconv.Itoa(m.rev)}
	r.fields, r.connections = a.Fields()
	for _, t := range a.Tokens {
		r.tokens = append(r.tokens, t.Hash)
	}
	m.users[a.User.ID] = r
	return nil
}

// Remove implements Table.
func (m *Memory) Remove(ctx context.Context, a Account) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.users[a.User.ID]
	if !ok || r.rev != a.Rev {
		return ErrConflict
	}
	for _, h := range r.tokens {
		delete(m.tokens, h)
	}
	for _, id := range a.IDs() {
		delete(m.used, id)
	}
	delete(m.users, a.User.ID)
	return nil
}

// Note implements Table.
func (m *Memory) Note(ctx context.Context, kind NoteKind, key string) (Note, error) {
	if err := ctx.Err(); err != nil {
		return Note{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, ok := m.notes[Note{Kind: kind, Key: key}.path()]
	if !ok {
		return Note{}, ErrNoNote
	}
	n.Fields = maps.Clone(n.Fields)
	return n, nil
}

// PutNote implements Table.
func (m *Memory) PutNote(ctx context.Context, n Note) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(n)
	return nil
}

// DropNote implements Table.
func (m *Memory) DropNote(ctx context.Context, kind NoteKind, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.notes, Note{Kind: kind, Key: key}.path())
	return ctx.Err()
}

func (n Note) path() string { return string(n.Kind) + "#" + n.Key }

// keep puts a note; now and then those that ended are forgotten.
func (m *Memory) keep(n Note) {
	if m.notes == nil {
		m.notes = map[string]Note{}
	}
	if m.kept++; m.kept%1000 == 0 {
		now := time.Now()
		maps.DeleteFunc(m.notes, func(_ string, n Note) bool { return now.After(n.Expires) })
	}
	n.Fields = maps.Clone(n.Fields)
	m.notes[n.path()] = n
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
