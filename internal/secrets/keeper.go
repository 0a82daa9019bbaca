package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Keeper is a Store that can be written. Its methods are safe for concurrent
// use; a value that was put is what the next Credential gives.
type Keeper interface {
	Store
	// Put stores a user's key, new or in place of another.
	Put(ctx context.Context, user string, k Key) error
	// Delete removes a user's key for good. It is no error when there is none.
	Delete(ctx context.Context, user string) error
}

// Key is what is stored for a user: an Intervals.icu API key, or the token of
// "Sign in with Intervals.icu", and whose it is.
type Key struct {
	APIKey  Secret
	Bearer  Secret    // instead of APIKey
	Athlete string    // the owner's athlete id, as Intervals.icu writes it
	Stored  time.Time // when the person gave it; zero = not said
}

// Credential is how the key signs in.
func (k Key) Credential() Credential {
	return Credential{APIKey: k.APIKey, Bearer: k.Bearer, Stored: k.Stored}
}

// Version of the values this release writes. A value has the lowest version that
// holds it: 2 is a token, in which an older release would find no key.
const Version = 2

type stored struct {
	V       int        `json:"v"`
	APIKey  string     `json:"api_key,omitempty"`
	Token   string     `json:"access_token,omitempty"`
	Athlete string     `json:"athlete_id"`
	Stored  *time.Time `json:"stored,omitempty"`
}

// Bounds of what is stored, in bytes. How long tokens get is nowhere said.
const (
	maxKey   = 200
	maxToken = 4096
)

// Encode gives the stored form of a key.
func Encode(k Key) (string, error) {
	s := stored{V: 1, APIKey: k.APIKey.Reveal(), Token: k.Bearer.Reveal(), Athlete: k.Athlete}
	if !k.Stored.IsZero() {
		at := k.Stored.UTC().Truncate(time.Second)
		s.Stored = &at
	}
	v, limit := s.APIKey, maxKey
	if s.Token != "" {
		s.V, v, limit = 2, s.Token, maxToken
	}
	if v == "" || len(v) > limit || s.APIKey != "" && s.Token != "" || strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("an Intervals.icu API key is printable text without spaces")
	}
	b, err := json.Marshal(s)
	return string(b), err
}

// Decode reads what Encode wrote. Its errors are Errors, and never show what
// they failed to read.
func Decode(value string) (Key, error) {
	if strings.TrimSpace(value) == "" {
		return Key{}, &Error{Kind: Empty}
	}
	var version struct{ V int }
	if err := json.Unmarshal([]byte(value), &version); err != nil {
		return Key{}, &Error{Kind: Malformed}
	}
	if version.V > Version {
		return Key{}, &Error{Kind: Newer, Err: fmt.Errorf("version %d, known up to %d", version.V, Version)}
	}
	var s stored
	if err := json.Unmarshal([]byte(value), &s); err != nil || s.V < 1 {
		return Key{}, &Error{Kind: Malformed}
	}
	if s.APIKey == "" && s.Token == "" {
		return Key{}, &Error{Kind: Empty}
	}
	k := Key{APIKey: New(s.APIKey), Bearer: New(s.Token), Athlete: s.Athlete}
	if s.Stored != nil {
		k.Stored = s.Stored.UTC()
	}
	if _, err := Encode(k); err != nil {
		return Key{}, &Error{Kind: Malformed}
	}
	return k, nil
}

// ErrUser refuses a text that is no user id where a secret's name is made of it.
var ErrUser = errors.New("secrets: not a user id")

// ValidUser is the rule for user ids once more (identity.ValidUser), right where
// a name is made from one: ^[a-z0-9][a-z0-9_-]{0,63}$.
func ValidUser(id string) bool {
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

// Memory is a Keeper that lives as long as the process. The zero value is ready
// to use.
type Memory struct {
	mu   sync.RWMutex
	keys map[string]string
}

// Credential implements Store.
func (m *Memory) Credential(ctx context.Context, user string) (Credential, error) {
	if !ValidUser(user) {
		return Credential{}, ErrUser
	}
	m.mu.RLock()
	value, ok := m.keys[user]
	m.mu.RUnlock()
	if err := ctx.Err(); err != nil {
		return Credential{}, &Error{Kind: Unavailable, Err: err}
	}
	if !ok {
		return Credential{}, &Error{Kind: Missing}
	}
	k, err := Decode(value)
	return k.Credential(), err
}

// Refused implements Store; there is no cache to drop from.
func (m *Memory) Refused(string) {}

// Put implements Keeper.
func (m *Memory) Put(ctx context.Context, user string, k Key) error {
	if !ValidUser(user) {
		return ErrUser
	}
	value, err := Encode(k)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	m.keys[user] = value
	return ctx.Err()
}

// Delete implements Keeper.
func (m *Memory) Delete(ctx context.Context, user string) error {
	if !ValidUser(user) {
		return ErrUser
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.keys, user)
	return ctx.Err()
}
