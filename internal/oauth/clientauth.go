package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
	"intervals-mcp/internal/secrets"
)

// form is a request to /token or /revoke.
type form struct {
	one       map[string]string
	resources []string
}

// readForm reads the body, and nothing of the query: what stands there ends up
// in logs (reference/mcp/02 R5).
func readForm(r *http.Request) (form, *Error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != contentForm {
		return form{}, refuse(codeInvalidRequest, "Content-Type must be application/x-www-form-urlencoded.")
	}
	body, tooLong := readBody(r)
	if tooLong != nil {
		return form{}, tooLong
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return form{}, refuse(codeInvalidRequest, "The body cannot be read as a form.")
	}
	one, twice := single(values)
	if twice != "" {
		return form{}, refuse(codeInvalidRequest, "A parameter comes more than once.")
	}
	return form{one, values["resource"]}, nil
}

// credentials are how a client names and proves itself.
type credentials struct {
	id     string
	secret secrets.Secret
	method identity.AuthMethod
}

// readCredentials reads them from the header or the body, never both
// (RFC 6749 2.3).
func readCredentials(r *http.Request, f form) (credentials, *Error) {
	c := credentials{id: f.one["client_id"], secret: secrets.New(f.one["client_secret"]), method: identity.AuthNone}
	if !c.secret.IsZero() {
		c.method = identity.AuthPost
	}
	if f.one["client_assertion"] != "" || f.one["client_assertion_type"] != "" {
		return credentials{}, refusedClient(false, "Assertions are not read here; the methods are none, client_secret_basic and client_secret_post.")
	}
	header := r.Header.Values("Authorization")
	if len(header) == 0 {
		if c.id == "" {
			return credentials{}, refusedClient(false, "client_id is missing.")
		}
		return c, nil
	}
	id, secret, ok := parseBasic(header)
	switch {
	case !ok:
		return credentials{}, refusedClient(true, "The Authorization header is not Basic with client id and secret.")
	case c.method == identity.AuthPost || c.id != "" && c.id != id:
		return credentials{}, refuse(codeInvalidRequest, "The client names itself in two ways.")
	}
	return credentials{id, secrets.New(secret), identity.AuthBasic}, nil
}

// parseBasic reads RFC 7617's header with both halves form-encoded within
// (RFC 6749 2.3.1).
func parseBasic(header []string) (id, secret string, ok bool) {
	const scheme = "basic "
	if len(header) != 1 || len(header[0]) < len(scheme) || !strings.EqualFold(header[0][:len(scheme)], scheme) {
		return "", "", false
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(header[0][len(scheme):]))
	if err != nil {
		return "", "", false
	}
	id, secret, ok = strings.Cut(string(raw), ":")
	id, errID := url.QueryUnescape(id)
	secret, errSecret := url.QueryUnescape(secret)
	return id, secret, ok && errID == nil && errSecret == nil && id != ""
}

// refusedClient is invalid_client: Claude registers anew on it
// (reference/mcp/05).
func refusedClient(basic bool, description string) *Error {
	return &Error{Code: codeInvalidClient, Description: description, Status: http.StatusUnauthorized, Basic: basic}
}

// authenticate proves who asks. An unknown client, a wrong secret and a method
// other than the registered one are one answer, reached by one way.
func (s *Server) authenticate(ctx context.Context, c credentials) (identity.Client, *Error) {
	known, err := s.tokenClient(ctx, c.id)
	if err != nil && !errors.Is(err, identity.ErrNoClient) {
		return identity.Client{}, unavailable(err)
	}
	proved := known.Verify(c.secret)
	if known.AuthMethod == identity.AuthNone {
		proved = true // there is nothing to prove; the method must still be none
	}
	if err != nil || !proved || known.AuthMethod != c.method {
		return identity.Client{}, refusedClient(c.method == identity.AuthBasic, "The client is not known, or did not authenticate as it registered. Register it again.")
	}
	return known, nil
}

// tokenClient is client, but for a document: here only its id counts, which the
// grant must name, and so a site that is down does not end connections.
func (s *Server) tokenClient(ctx context.Context, id string) (identity.Client, error) {
	if !clientdoc.IsDocumentID(id) {
		return s.client(ctx, id)
	}
	if clientdoc.CheckID(id) != nil {
		return identity.Client{}, identity.ErrNoClient
	}
	return identity.Client{ID: id, AuthMethod: identity.AuthNone, Document: true}, nil
}
