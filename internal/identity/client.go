package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/secrets"
)

// ClientLife is how long a registered client is kept after its last use.
const ClientLife = 90 * 24 * time.Hour

// AuthMethod is how a client authenticates at the token endpoint (RFC 7591 2).
type AuthMethod string

// The methods.
const (
	AuthNone  AuthMethod = "none"
	AuthBasic AuthMethod = "client_secret_basic"
	AuthPost  AuthMethod = "client_secret_post"
)

// Client is an OAuth client: one that registered itself (RFC 7591), one whose
// metadata document was fetched, or one from the configuration. Everything that
// it says of itself is untrusted text.
type Client struct {
	ID         string // given by Register, or the document's address
	Name       string
	Redirects  []string
	AuthMethod AuthMethod // "" = none
	Secret     Hash       // of its secret; zero without one
	Grants     []string   // grant_types
	URI        string     // client_uri
	Logo       string     // logo_uri; never fetched
	Document   bool       // from a metadata document: Expires is when it is fetched again
	Created    time.Time
	Expires    time.Time
}

// ErrNoClient says that a client is unknown or has expired; the token endpoint
// answers invalid_client, and clients register again.
var ErrNoClient = errors.New("identity: there is no such client")

// Verify reports whether a secret is the client's. A client without one has no
// secret to show.
func (c Client) Verify(secret secrets.Secret) bool {
	h := HashOf(secret.Reveal())
	return c.Secret != (Hash{}) && subtle.ConstantTimeCompare(c.Secret[:], h[:]) == 1
}

// Bounds of what a client says of itself.
const (
	maxRedirects = 10
	maxGrants    = 10
)

func (c *Client) check() error {
	text := func(s string) bool {
		return len(s) <= maxAddress && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	c.Name = oneLine(c.Name)
	if c.AuthMethod == "" {
		c.AuthMethod = AuthNone
	}
	switch {
	case c.AuthMethod != AuthNone && c.AuthMethod != AuthBasic && c.AuthMethod != AuthPost:
		return &InputError{"token_endpoint_auth_method", "none, client_secret_basic or client_secret_post"}
	case len(c.Redirects) == 0 || len(c.Redirects) > maxRedirects:
		return &InputError{"redirect_uris", fmt.Sprintf("1 to %d addresses", maxRedirects)}
	case len(c.Grants) > maxGrants:
		return &InputError{"grant_types", fmt.Sprintf("at most %d", maxGrants)}
	}
	for field, texts := range map[string][]string{"redirect_uris": c.Redirects, "grant_types": c.Grants, "client_uri": {c.URI}, "logo_uri": {c.Logo}} {
		for _, s := range texts {
			if !text(s) {
				return &InputError{field, fmt.Sprintf("text without spaces, at most %d bytes", maxAddress)}
			}
		}
	}
	return nil
}

// Register keeps a client that registers itself, under a new id, for ClientLife.
// One that authenticates gets a secret, given here and never again; one that
// does not gets the zero Secret. The authorization server has checked the
// redirects. Error: *InputError.
func (s *Store) Register(ctx context.Context, c Client) (Client, secrets.Secret, error) {
	if err := c.check(); err != nil {
		return Client{}, secrets.Secret{}, err
	}
	var secret secrets.Secret
	c.Secret = Hash{}
	if c.AuthMethod != AuthNone {
		secret = NewToken(KindClient)
		c.Secret = HashOf(secret.Reveal())
	}
	c.ID, c.Document = "client-"+shortID()+shortID(), false
	c.Created = s.now().UTC().Truncate(time.Second)
	c.Expires = c.Created.Add(ClientLife)
	if err := s.table.PutNote(ctx, c.note()); err != nil {
		return Client{}, secrets.Secret{}, err
	}
	return c, secret, nil
}

// KeepDocument keeps what a client's metadata document said until Expires.
// Error: *InputError.
func (s *Store) KeepDocument(ctx context.Context, c Client) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.ID == "" || len(c.ID) > maxAddress || c.Expires.IsZero() {
		return &InputError{"client_id", "a document has an address and an end"}
	}
	c.Document, c.Secret, c.Created = true, Hash{}, s.now().UTC().Truncate(time.Second)
	return s.table.PutNote(ctx, c.note())
}

// Client gives a registered client or a document that was kept: ErrNoClient when
// it is unknown or its time is over. The id is compared byte for byte.
func (s *Store) Client(ctx context.Context, id string) (Client, error) {
	if id == "" || len(id) > maxAddress {
		return Client{}, ErrNoClient
	}
	n, err := s.note(ctx, NoteClient, id)
	if errors.Is(err, ErrNoNote) {
		return Client{}, ErrNoClient
	}
	if err != nil {
		return Client{}, err
	}
	c, err := clientOf(n)
	if err == nil && c.ID != id {
		err = fmt.Errorf("%w (client)", ErrDamaged)
	}
	return c, err
}

// RenewClient lets a registered client that was used live for ClientLife from
// now. It writes at most once a day; a document is not renewed.
func (s *Store) RenewClient(ctx context.Context, c Client) error {
	end := s.now().UTC().Truncate(time.Second).Add(ClientLife)
	if c.Document || end.Sub(c.Expires) < 24*time.Hour {
		return nil
	}
	c.Expires = end
	return s.table.PutNote(ctx, c.note())
}

func (c Client) note() Note {
	f := map[string]string{"id": c.ID, "name": c.Name, "redirects": list(c.Redirects), "auth": string(c.AuthMethod), "grants": list(c.Grants),
		"uri": c.URI, "logo": c.Logo, "created": stamp(c.Created)}
	if c.Secret != (Hash{}) {
		f["secret"] = c.Secret.Hex()
	}
	if c.Document {
		f["document"] = "true"
	}
	return newNote(NoteClient, c.ID, f, c.Expires)
}

func clientOf(n Note) (c Client, err error) {
	f := n.Fields
	c = Client{ID: f["id"], Name: f["name"], Redirects: unlist(f["redirects"]), AuthMethod: AuthMethod(f["auth"]), Grants: unlist(f["grants"]),
		URI: f["uri"], Logo: f["logo"], Document: f["document"] == "true", Expires: n.Expires}
	if f["secret"] != "" {
		c.Secret, err = ParseHash(f["secret"])
	}
	if err == nil {
		err = unstamp(f["created"], &c.Created)
	}
	if err == nil {
		err = c.check()
	}
	if err != nil || c.ID == "" || (c.Secret == Hash{}) != (c.AuthMethod == AuthNone) && !c.Document {
		return Client{}, fmt.Errorf("%w (client %.80q)", ErrDamaged, f["id"])
	}
	return c, nil
}
