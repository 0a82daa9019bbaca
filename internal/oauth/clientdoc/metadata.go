package clientdoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"intervals-mcp/internal/oauth/redirect"
)

// The ways in which a client may authenticate at the token endpoint here.
const (
	AuthNone  = "none"
	AuthBasic = "client_secret_basic"
	AuthPost  = "client_secret_post"
)

// Metadata is what a client says of itself (RFC 7591 2), as far as it is used
// here.
type Metadata struct {
	Name          string   // for display, on one line; "" = not said
	Redirects     []string // as sent; not checked yet
	AuthMethod    string   // token_endpoint_auth_method, "" = not said
	AuthOffered   []string // token_endpoint_auth_methods_supported, as ChatGPT lists them
	GrantTypes    []string // nil = not said
	ResponseTypes []string // nil = not said
	Scope         string
}

// InvalidError says what is wrong with a client's metadata. Redirect is set
// where it is about redirect_uris, which has an error code of its own.
type InvalidError struct {
	Problem  string
	Redirect bool
}

// Error is for the client's maker.
func (e *InvalidError) Error() string { return e.Problem }

func invalid(problem string) error { return &InvalidError{Problem: problem} }

// ParseMetadata reads a client's metadata and, where the object has one, its
// client_id. Member names count as they are written and only once: a second
// spelling of a name must not say something else (CVE-2026-27896).
func ParseMetadata(body []byte) (m Metadata, id string, err error) {
	members, err := object(body)
	if err != nil {
		return Metadata{}, "", err
	}
	for name, into := range map[string]any{
		"client_id": &id, "client_name": &m.Name, "redirect_uris": &m.Redirects, "token_endpoint_auth_method": &m.AuthMethod,
		"token_endpoint_auth_methods_supported": &m.AuthOffered, "grant_types": &m.GrantTypes, "response_types": &m.ResponseTypes, "scope": &m.Scope,
	} {
		raw, ok := members[name]
		if !ok || string(raw) == "null" {
			continue
		}
		if json.Unmarshal(raw, into) != nil {
			return Metadata{}, "", &InvalidError{name + " is of another type than RFC 7591 gives it", name == "redirect_uris"}
		}
	}
	m.Name = DisplayName(m.Name)
	return m, id, nil
}

var errNoObject = &InvalidError{Problem: "the client's metadata is no JSON object"}

// object gives the members of a JSON object, refusing one that comes twice.
func object(body []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') || !utf8.Valid(body) {
		return nil, errNoObject
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, errNoObject
		}
		if _, twice := members[name]; twice {
			return nil, invalid("the client's metadata has a member twice")
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil, errNoObject
		}
		members[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, errNoObject
	}
	if _, err := d.Token(); err != io.EOF { // More is content with a bracket that nothing opened
		return nil, errNoObject
	}
	return members, nil
}

// maxName bounds a client's name in bytes; identity's labels are as long.
const maxName = 80

// DisplayName makes a stranger's name fit to be shown on one line: without
// characters that hide, break or turn around what follows, and cut.
func DisplayName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxName {
		return s
	}
	cut := maxName - len("…")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimSpace(s[:cut]) + "…"
}

// CheckGrants refuses a client that wants what is not served. Unknown grant
// types beside the known ones are left out, as RFC 7591 2 allows.
func (m Metadata) CheckGrants() error {
	if m.GrantTypes != nil && !slices.Contains(m.GrantTypes, "authorization_code") {
		return invalid("grant_types must hold authorization_code")
	}
	if m.ResponseTypes != nil && !slices.Contains(m.ResponseTypes, "code") {
		return invalid("response_types must hold code")
	}
	return nil
}

// CheckRedirects refuses metadata with an address that cannot be used.
func (m Metadata) CheckRedirects() error {
	if len(m.Redirects) == 0 || len(m.Redirects) > redirect.MaxCount {
		return &InvalidError{"redirect_uris must hold 1 to 10 addresses", true}
	}
	for _, r := range m.Redirects {
		if err := redirect.Check(r); err != nil {
			return &InvalidError{err.Error(), true}
		}
	}
	return nil
}

// Document is a client that lives at a URL.
type Document struct {
	ID        string // the URL
	Name      string
	Redirects []string // those that may be used
}

// ParseDocument reads the document found at id (reference/mcp/02 A7). An
// address in it that cannot be used here is left out.
func ParseDocument(id string, body []byte) (Document, error) {
	m, said, err := ParseMetadata(body)
	switch {
	case err != nil:
		return Document{}, err
	case said != id:
		return Document{}, invalid("client_id in the document is not the document's own URL")
	case m.Name == "":
		return Document{}, invalid("client_name is missing")
	case !m.offersNone():
		return Document{}, invalid("the client does not offer token_endpoint_auth_method none, the only one that can be used with a document")
	}
	if err := m.CheckGrants(); err != nil {
		return Document{}, err
	}
	if len(m.Redirects) > 4*redirect.MaxCount {
		return Document{}, &InvalidError{"redirect_uris holds too many addresses", true}
	}
	d := Document{ID: id, Name: m.Name, Redirects: slices.DeleteFunc(m.Redirects, func(r string) bool { return redirect.Check(r) != nil })}
	if len(d.Redirects) == 0 {
		return Document{}, &InvalidError{"redirect_uris holds no address that may be used: https, or http on localhost", true}
	}
	return d, nil
}

// offersNone reports whether the client can do without authenticating, even
// where it would rather sign an assertion, as ChatGPT would (reference/mcp/05).
// A shared secret cannot be agreed on in a public document, so a client that
// says nothing is not taken for RFC 7591's default.
func (m Metadata) offersNone() bool {
	if m.AuthMethod == "" && len(m.AuthOffered) == 0 {
		return true
	}
	return m.AuthMethod == AuthNone || slices.Contains(m.AuthOffered, AuthNone)
}

// IsDocumentID reports whether a client id names a document at all.
func IsDocumentID(id string) bool { return strings.HasPrefix(id, "https://") }

// MaxID bounds a client id in bytes.
const MaxID = 512

// CheckID refuses a URL that cannot be a client's id: https to a name that has
// a dot, with a path, and nothing that two programs could read differently.
func CheckID(id string) error {
	switch {
	case len(id) > MaxID:
		return errors.New("the client id is too long")
	case !IsDocumentID(id):
		return errors.New("the client id is no https URL")
	case redirect.Check(id) != nil: // the same care: userinfo, fragment, dot segments, spelling
		return errors.New("the client id is a URL that cannot be used: no user, fragment, dot segments, encoded slashes or upper-case host")
	}
	host := redirect.Host(id)
	if !strings.ContainsFunc(host[strings.LastIndexByte(host, '.')+1:], unicode.IsLetter) || !strings.Contains(host, ".") || strings.HasPrefix(host, "[") {
		return errors.New("the client id names no host of the public internet")
	}
	if path, _, _ := strings.Cut(strings.TrimPrefix(id, redirect.Origin(id)), "?"); path == "" || path == "/" {
		return errors.New("the client id has no path")
	}
	return nil
}
