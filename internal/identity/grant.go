package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/secrets"
)

// Grant is what a person said yes to on the consent page. The authorization
// server has checked client, redirect and resource by then.
type Grant struct {
	User      string
	Client    string // the client's id
	Name      string // the client's name, as it calls itself; "" = the redirect's host
	Redirect  string // the redirect_uri of the request, byte for byte
	Challenge string // the PKCE code_challenge, S256 (RFC 7636 4.2)
	Resource  string // the canonical resource (RFC 8707), as Resource gives it
	Permissions
}

// Redemption is a token request with grant_type=authorization_code. The
// authorization server has authenticated the client by then.
type Redemption struct {
	Code     secrets.Secret
	Client   string
	Redirect string // redirect_uri: must be the grant's, byte for byte (RFC 6749 4.1.3)
	Verifier secrets.Secret
	Resource string // canonical; "" = the grant's
}

// Renewal is a token request with grant_type=refresh_token. The authorization
// server has authenticated the client by then.
type Renewal struct {
	Token    secrets.Secret
	Client   string
	Resource string // canonical; "" = the grant's
}

// Issued is the answer to a token request. The connection's scopes are those of
// the access token.
type Issued struct {
	Access     secrets.Secret
	Refresh    secrets.Secret
	Expires    time.Time // of Access
	Connection Connection
}

// Why a token request, or a change of a connection, is refused.
var (
	// ErrInvalidGrant is RFC 6749's invalid_grant: unknown, expired, revoked,
	// another client's, another redirect, or a wrong verifier.
	ErrInvalidGrant = errors.New("identity: the code or refresh token is not good")
	// ErrReplayed is an ErrInvalidGrant that revoked the connection.
	ErrReplayed = fmt.Errorf("%w: it was used before, and its connection is revoked now", ErrInvalidGrant)
	// ErrInvalidTarget is RFC 8707's invalid_target: another resource than was
	// granted. Nothing was used up.
	ErrInvalidTarget = errors.New("identity: the grant is for another resource")
	// ErrOtherClient says that a token is not the client's to revoke.
	ErrOtherClient  = errors.New("identity: the token is another client's")
	ErrNoConnection = errors.New("identity: there is no such connection")
)

// TooManyConnectionsError says that a user has MaxConnections in force, and
// which was used longest ago: the person may revoke that one.
type TooManyConnectionsError struct{ Oldest Connection }

// Error names the bound and the remedy.
func (e *TooManyConnectionsError) Error() string {
	return fmt.Sprintf("identity: a user has at most %d connections; revoke one first, such as the one longest unused: %s", MaxConnections, e.Oldest.ID)
}

// Authorize makes a connection that waits for its code to be redeemed, and the
// code: 256 random bits, good once and for CodeLife. Errors: ErrNoUser,
// *InputError, *TooManyConnectionsError.
func (s *Store) Authorize(ctx context.Context, g Grant) (secrets.Secret, Connection, error) {
	now := s.now().UTC().Truncate(time.Second)
	code := NewToken(KindCode)
	c := Connection{ID: g.User + "-" + shortID(), User: g.User, Client: g.Client, Name: oneLine(g.Name), Redirect: g.Redirect, Resource: g.Resource,
		Created: now, family: family{code: HashOf(code.Reveal()), challenge: g.Challenge}}
	if err := g.check(); err != nil {
		return secrets.Secret{}, Connection{}, err
	}
	if c.Name == "" {
		c.Name = oneLine(c.Host())
	}
	err := s.edit(ctx, g.User, func(a *Account) (Changes, error) {
		a.prune(now)
		if err := c.allow(g.Permissions, a.User); err != nil {
			return Changes{}, err
		}
		if err := s.roomForConnection(ctx, a); err != nil {
			return Changes{}, err
		}
		a.Connections = append(a.Connections, c)
		return Changes{Notes: []Note{refer(code, c.ID, now)}}, nil
	})
	if err != nil {
		return secrets.Secret{}, Connection{}, err
	}
	return code, c, nil
}

// maxAddress bounds what a client gives: its id, a redirect, a resource.
const maxAddress = 2048

func (g *Grant) check() error {
	text := func(s string) bool {
		return s != "" && len(s) <= maxAddress && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	challenge, err := base64.RawURLEncoding.DecodeString(g.Challenge)
	switch {
	case !text(g.Client):
		return &InputError{"client_id", "a client's id"}
	case !text(g.Redirect) || hostOf(g.Redirect) == "":
		return &InputError{"redirect_uri", "an address with a host"}
	case !text(g.Resource):
		return &InputError{"resource", "the address of the MCP endpoint"}
	case err != nil || len(challenge) != sha256.Size || base64.RawURLEncoding.EncodeToString(challenge) != g.Challenge:
		return &InputError{"code_challenge", "the SHA-256 of the verifier in base64url: 43 characters"}
	}
	return nil
}

// roomForConnection leaves place for one more connection, or tells which one
// was used longest ago.
func (s *Store) roomForConnection(ctx context.Context, a *Account) error {
	now := s.now()
	inForce := slices.DeleteFunc(slices.Clone(a.Connections), func(c Connection) bool { return c.Usable(now) != nil })
	if len(inForce) >= MaxConnections {
		if err := s.noteUse(ctx, inForce); err != nil {
			return err
		}
		return &TooManyConnectionsError{slices.MinFunc(inForce, func(a, b Connection) int { return a.activity().Compare(b.activity()) })}
	}
	// Whatever ends later joins those that have ended, of which the first go.
	for ended := len(a.Connections) - len(inForce); ended > maxEnded; ended-- {
		i := slices.IndexFunc(a.Connections, func(c Connection) bool { return c.Usable(now) != nil })
		a.forget(a.Connections[i].ID)
	}
	return nil
}

// activity is when something happened last.
func (c Connection) activity() time.Time {
	at := c.Created
	for _, t := range []time.Time{c.Refreshed, c.LastUsed} {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// Redeem exchanges a code for the first tokens of its connection, once, in one
// conditional transaction. Errors: ErrInvalidGrant; ErrInvalidTarget. A code that
// was redeemed before revokes its connection when its own client presents it
// again (ErrReplayed; RFC 6749 4.1.2); presented by another client, or with a
// wrong redirect or verifier before it was redeemed, it changes nothing.
func (s *Store) Redeem(ctx context.Context, r Redemption) (Issued, error) {
	user, id, err := s.referred(ctx, KindCode, r.Code)
	if err != nil {
		return Issued{}, err
	}
	out := Issued{Access: NewToken(KindAccess), Refresh: NewToken(KindRefresh)}
	first := HashOf(out.Refresh.Reveal())
	var replay bool
	err = s.edit(ctx, user, func(a *Account) (Changes, error) {
		replay = false
		now := s.now().UTC().Truncate(time.Second)
		c, ok := a.connection(id)
		switch {
		case !ok || c.family.code != HashOf(r.Code.Reveal()) || c.Client != r.Client:
			return Changes{}, ErrInvalidGrant
		case c.family.standing(first) == unused: // our own write, whose answer was lost
			out.Connection = *c
			return Changes{}, errAsItIs
		case !c.Revoked.IsZero():
			return Changes{}, ErrInvalidGrant
		case !c.Connected.IsZero():
			replay = true
			return a.revoke(now, func(t Token) bool { return t.ID == id }, id), nil
		case c.Usable(now) != nil || c.Redirect != r.Redirect || !verifies(r.Verifier.Reveal(), c.family.challenge):
			return Changes{}, ErrInvalidGrant
		case r.Resource != "" && r.Resource != c.Resource:
			return Changes{}, ErrInvalidTarget
		}
		c.Connected, c.Refreshed = now, now
		c.family.start(first, now)
		t := c.token(a.User, HashOf(out.Access.Reveal()), now)
		out.Expires, out.Connection = t.Expires, *c
		a.prune(now)
		if err := a.put(t); err != nil {
			return Changes{}, err
		}
		return Changes{Tokens: []Token{t}, Notes: []Note{refer(out.Refresh, id, now)}}, nil
	})
	return finish(out, replay, err)
}

// finish turns the end of an exchange into its answer.
func finish(out Issued, replay bool, err error) (Issued, error) {
	switch {
	case errors.Is(err, ErrNoUser):
		return Issued{}, ErrInvalidGrant
	case err == nil && replay:
		return Issued{}, ErrReplayed
	case err != nil:
		return Issued{}, err
	}
	return out, nil
}

// verifies reports whether a code_verifier is one (RFC 7636 4.1) and belongs to
// a challenge by S256 (4.6).
func verifies(verifier, challenge string) bool {
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	if len(verifier) < 43 || len(verifier) > 128 || strings.Trim(verifier, unreserved) != "" {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// Refresh exchanges a refresh token for a new one and an access token. The old
// one stays good until a new one is first used here: within TwinLife it gets the
// same answer again (no write, so any number may ask at once), later a further
// one; the first use of any of them ends the others. A token used after its
// successor was revokes the connection (ErrReplayed). Errors: ErrInvalidGrant,
// ErrInvalidTarget; another client's request changes nothing.
func (s *Store) Refresh(ctx context.Context, r Renewal) (Issued, error) {
	user, id, err := s.referred(ctx, KindRefresh, r.Token)
	if err != nil {
		return Issued{}, err
	}
	presented := HashOf(r.Token.Reveal())
	var out Issued
	var replay bool
	err = s.edit(ctx, user, func(a *Account) (Changes, error) {
		replay = false
		now := s.now().UTC().Truncate(time.Second)
		c, ok := a.connection(id)
		switch {
		case !ok || c.Client != r.Client || c.Usable(now) != nil || c.Connected.IsZero():
			return Changes{}, ErrInvalidGrant
		case r.Resource != "" && r.Resource != c.Resource:
			return Changes{}, ErrInvalidTarget
		}
		switch c.family.standing(presented) {
		case replayed:
			replay = true
			return a.revoke(now, func(t Token) bool { return t.ID == id }, id), nil
		case usedStill:
			if last := c.family.newest(); now.Before(last.made.Add(TwinLife)) {
				out = Issued{last.access(r.Token), last.refresh(r.Token), last.made.Add(AccessLife), *c}
				return Changes{}, errAsItIs
			}
		case unused:
		}
		next := c.family.advance(r.Token, now)
		c.Refreshed = now
		out = Issued{next.access(r.Token), next.refresh(r.Token), now.Add(AccessLife), *c}
		t := c.token(a.User, HashOf(out.Access.Reveal()), now)
		a.prune(now)
		if err := a.put(t); err != nil {
			return Changes{}, err
		}
		return Changes{Tokens: []Token{t}, Notes: []Note{refer(out.Refresh, id, now)}}, nil
	})
	return finish(out, replay, err)
}
