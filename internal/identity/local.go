package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"intervals-mcp/internal/secrets"
)

// Local is the built-in user of serve and stdio. Their athlete is "0": whose
// key it is.
const Local = "local"

// serveLabel is the label of the token that serve makes for itself.
const serveLabel = "serve"

// OfServe reports whether a token is one that serve made for itself.
func (t Token) OfServe() bool { return t.User == Local && t.Client == serveLabel }

// AddLocalToken puts a token that exists already into the store as a personal
// token of the built-in user, who is enrolled with the first one: all tools,
// no end. What it may do in force are serve's own flags.
func (s *Store) AddLocalToken(ctx context.Context, secret secrets.Secret) (Token, error) {
	now := s.now().UTC().Truncate(time.Second)
	t := Token{
		Hash: HashOf(secret.Reveal()), ID: Local + "-" + shortID(), User: Local, Athlete: "0", Scopes: []Scope{ScopeRead, ScopeWrite},
		Client: serveLabel, Toolset: ToolsetFull, Confirm: ConfirmAll, Created: now,
	}
	for attempt := 1; ; attempt++ {
		a, err := s.table.Account(ctx, Local)
		if errors.Is(err, ErrNoUser) {
			a, err = Account{User: User{ID: Local, Athlete: "0", Name: "this machine", Created: now, Epoch: rand.Text()}}, nil
		}
		if err != nil {
			return Token{}, err
		}
		if i := slices.IndexFunc(a.Tokens, func(o Token) bool { return o.Hash == t.Hash }); i >= 0 {
			return a.Tokens[i], nil
		}
		if !s.makeRoom(&a) {
			return Token{}, ErrTooMany
		}
		a.Tokens = append(a.Tokens, t)
		if err = s.table.Save(ctx, a, Changes{Tokens: []Token{t}}); !errors.Is(err, ErrConflict) || attempt == 8 {
			return t, err
		}
	}
}

// LocalToken tells what the store knows of a token of the built-in user:
// whether it is in force, and whether it is new to a store that has no such
// user yet.
func (s *Store) LocalToken(ctx context.Context, secret secrets.Secret) (inForce, unheardOf bool, err error) {
	t, err := s.table.Token(ctx, HashOf(secret.Reveal()))
	switch {
	case err == nil:
		return t.User == Local && t.Usable(s.now()) == nil, false, nil
	case !errors.Is(err, ErrNoToken):
		return false, false, err
	}
	_, err = s.User(ctx, Local)
	if errors.Is(err, ErrNoUser) {
		return false, true, nil
	}
	return false, false, err
}
