package identity

import (
	"context"
	"errors"
	"slices"
	"strings"

	"intervals-mcp/internal/secrets"
)

// Connections lists a user's connections, newest first, also those that ended
// within the last 30 days, with their last use. One whose code was not redeemed
// is not listed.
func (s *Store) Connections(ctx context.Context, user string) ([]Connection, error) {
	a, err := s.load(ctx, user)
	if err != nil {
		return nil, err
	}
	now := s.now()
	list := slices.DeleteFunc(a.Connections, func(c Connection) bool { return c.gone(now) || c.Connected.IsZero() })
	if err := s.noteUse(ctx, list); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Connection) int {
		if c := b.Connected.Compare(a.Connected); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

func (s *Store) noteUse(ctx context.Context, list []Connection) error {
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	used, err := s.table.LastUsed(ctx, ids)
	for i := range list {
		list[i].LastUsed = used[list[i].ID]
	}
	return err
}

// ChangeConnection changes what a user's connection may do. Its access tokens in
// force are rewritten in the same transaction, so that its next request sees it.
// Errors: ErrNoConnection (also for one that ended, or another user's),
// *InputError.
func (s *Store) ChangeConnection(ctx context.Context, user, id string, p Permissions) (Connection, error) {
	var out Connection
	err := s.edit(ctx, user, func(a *Account) (Changes, error) {
		c, ok := a.connection(id)
		if !ok || c.Usable(s.now()) != nil {
			return Changes{}, ErrNoConnection
		}
		if err := c.allow(p, a.User); err != nil {
			return Changes{}, err
		}
		out = *c
		return Changes{Tokens: a.rewrite(s.now())}, nil
	})
	if errors.Is(err, ErrNoUser) {
		err = ErrNoConnection
	}
	return out, err
}

// RevokeConnection ends a user's connection with its refresh tokens, its code
// and its access tokens: when it returns, none of them works. Revoking it again
// changes nothing. ErrNoConnection, also for another user's.
func (s *Store) RevokeConnection(ctx context.Context, user, id string) error {
	return s.revokeConnection(ctx, user, id, func(Connection) error { return nil })
}

func (s *Store) revokeConnection(ctx context.Context, user, id string, check func(Connection) error) error {
	err := s.edit(ctx, user, func(a *Account) (Changes, error) {
		c, ok := a.connection(id)
		if !ok {
			return Changes{}, ErrNoConnection
		}
		if err := check(*c); err != nil {
			return Changes{}, err
		}
		if !c.Revoked.IsZero() {
			return Changes{}, errAsItIs
		}
		return a.revoke(s.now(), func(t Token) bool { return t.ID == id }, id), nil
	})
	if errors.Is(err, ErrNoUser) {
		err = ErrNoConnection
	}
	return err
}

// Revoke ends the connection of a refresh or access token, for a client that is
// done with it (RFC 7009 2.1: both kinds end the whole grant). A token that is
// unknown, malformed or no client's, such as a personal one, changes nothing and
// is no error (2.2); another client's is ErrOtherClient.
func (s *Store) Revoke(ctx context.Context, token secrets.Secret, client string) error {
	user, id, err := s.referred(ctx, KindRefresh, token)
	if k, _ := KindOf(token.Reveal()); k == KindAccess {
		var t Token
		t, err = s.table.Token(ctx, HashOf(token.Reveal()))
		user, id = t.User, t.ID
	}
	switch {
	case errors.Is(err, ErrInvalidGrant) || errors.Is(err, ErrNoToken):
		return nil
	case err != nil:
		return err
	}
	err = s.revokeConnection(ctx, user, id, func(c Connection) error {
		if c.Client != client {
			return ErrOtherClient
		}
		return nil
	})
	if errors.Is(err, ErrNoConnection) {
		return nil
	}
	return err
}
