package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
)

// registeredPrefix begins the id of a client that registered itself.
const registeredPrefix = "client-"

// ParseClients reads the clients of the configuration: a JSON array of RFC 7591
// metadata, each with its client_id and, unless its token_endpoint_auth_method
// is none, client_secret_sha256 in hexadecimal digits. "" has none. No secret
// is in it.
func ParseClients(text string) ([]identity.Client, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, errors.New("the clients are no JSON array")
	}
	var out []identity.Client
	seen := map[string]bool{}
	for i, raw := range all {
		c, err := parseClient(raw)
		if err != nil {
			return nil, fmt.Errorf("client %d: %w", i+1, err)
		}
		if seen[c.ID] {
			return nil, fmt.Errorf("client %d: client_id %q comes twice", i+1, c.ID)
		}
		seen[c.ID] = true
		out = append(out, c)
	}
	return out, nil
}

func parseClient(raw json.RawMessage) (identity.Client, error) {
	m, id, err := clientdoc.ParseMetadata(raw)
	if err == nil {
		err = errors.Join(m.CheckRedirects(), m.CheckGrants())
	}
	if err != nil {
		return identity.Client{}, err
	}
	var more struct {
		Secret string `json:"client_secret_sha256"`
	}
	_ = json.Unmarshal(raw, &more) // another type leaves it empty, which is refused below
	c := identity.Client{ID: id, Name: m.Name, Redirects: m.Redirects, AuthMethod: authMethod(m)}
	switch {
	case !validClientID(id) || clientdoc.IsDocumentID(id) || strings.HasPrefix(id, registeredPrefix):
		return identity.Client{}, errors.New("client_id must be a short name that is no URL and does not begin with client-")
	case c.Name == "":
		return identity.Client{}, errors.New("client_name is missing")
	case c.AuthMethod == "":
		return identity.Client{}, errors.New("token_endpoint_auth_method must be none, client_secret_basic or client_secret_post")
	}
	if c.AuthMethod != identity.AuthNone {
		if c.Secret, err = identity.ParseHash(more.Secret); err != nil {
			return identity.Client{}, errors.New("client_secret_sha256 must be 64 hexadecimal digits")
		}
	}
	return c, nil
}

// validClientID is RFC 6749 A.1 without spaces, and short.
func validClientID(id string) bool {
	return id != "" && len(id) <= clientdoc.MaxID && !strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' })
}

// authMethod gives how a client will authenticate; "" = in no way that is
// known here. RFC 7591 2 has a default, and a server may replace a value it
// does not offer.
func authMethod(m clientdoc.Metadata) identity.AuthMethod {
	switch m.AuthMethod {
	case clientdoc.AuthNone, clientdoc.AuthBasic, clientdoc.AuthPost:
		return identity.AuthMethod(m.AuthMethod)
	case "":
		if len(m.AuthOffered) == 0 {
			return identity.AuthBasic
		}
	}
	for _, offered := range m.AuthOffered {
		switch offered {
		case clientdoc.AuthNone, clientdoc.AuthBasic, clientdoc.AuthPost:
			return identity.AuthMethod(offered)
		}
	}
	return ""
}

// client finds who a client id names: in the configuration, in the document at
// its URL, or among those that registered. identity.ErrNoClient when nobody.
func (s *Server) client(ctx context.Context, id string) (identity.Client, error) {
	if c, ok := s.own[id]; ok {
		return c, nil
	}
	if clientdoc.IsDocumentID(id) {
		d, err := s.docs.Get(ctx, id)
		if err != nil {
			return identity.Client{}, err
		}
		return documentClient(d), nil
	}
	if !validClientID(id) {
		return identity.Client{}, identity.ErrNoClient
	}
	return s.store.Client(ctx, id)
}

func documentClient(d clientdoc.Document) identity.Client {
	return identity.Client{ID: d.ID, Name: d.Name, Redirects: d.Redirects, AuthMethod: identity.AuthNone, Document: true}
}

// NewDocumentCache keeps documents in the identity store, where every process
// finds them, and those used lately in memory.
func NewDocumentCache(store Store, now func() time.Time) clientdoc.Cache {
	return &documentCache{store: store, now: now}
}

type documentCache struct {
	clientdoc.Memory
	store Store
	now   func() time.Time
}

// Get implements clientdoc.Cache.
func (c *documentCache) Get(ctx context.Context, id string) (clientdoc.Document, time.Time, bool) {
	if d, until, ok := c.Memory.Get(ctx, id); ok && c.now().Before(until) {
		return d, until, true
	}
	kept, err := c.store.Client(ctx, id)
	if err != nil || !kept.Document || kept.ID != id {
		return clientdoc.Document{}, time.Time{}, false // a store that is down will be told where it matters
	}
	d := clientdoc.Document{ID: kept.ID, Name: kept.Name, Redirects: kept.Redirects}
	c.Memory.Put(ctx, id, d, kept.Expires)
	return d, kept.Expires, true
}

// Put implements clientdoc.Cache.
func (c *documentCache) Put(ctx context.Context, id string, d clientdoc.Document, until time.Time) {
	c.Memory.Put(ctx, id, d, until)
	kept := documentClient(d)
	kept.Expires = until
	_ = c.store.KeepDocument(ctx, kept) // if not, the next process fetches it again
}
