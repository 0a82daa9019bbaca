package oauth

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
)

// maxBody bounds what the endpoints read.
const maxBody = 16 << 10

// registration is the answer of RFC 7591 3.2.1.
type registration struct {
	ID            string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Secret        string   `json:"client_secret,omitempty"`
	SecretExpires *int64   `json:"client_secret_expires_at,omitempty"`
	Name          string   `json:"client_name,omitempty"`
	Redirects     []string `json:"redirect_uris"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	Grants        []string `json:"grant_types"`
	Responses     []string `json:"response_types"`
	Scope         string   `json:"scope"`
}

// register answers POST /register (RFC 7591 3). Anybody may register; a client
// that is not used any more is forgotten.
func (s *Server) register(w http.ResponseWriter, r *http.Request, p Place) *Error {
	if err := s.limiter.count(r.Context(), "register", addressKey(p.Address), s.limiter.limits.Register); err != nil {
		return err
	}
	m, err := readMetadata(r)
	if err != nil {
		return err
	}
	c := identity.Client{Name: m.Name, Redirects: m.Redirects, AuthMethod: authMethod(m), Grants: []string{"authorization_code", "refresh_token"}}
	if c.AuthMethod == "" {
		return refuse(codeInvalidMetadata, "token_endpoint_auth_method must be none, client_secret_basic or client_secret_post.")
	}
	scopes, err := parseScope(m.Scope)
	if err != nil {
		return refuse(codeInvalidMetadata, err.Description)
	}
	if err := s.limiter.count(r.Context(), "register-all", "all", s.limiter.limits.RegisterAll); err != nil {
		return err
	}
	kept, secret, failed := s.store.Register(r.Context(), c)
	if failed != nil {
		return s.registerFailed(failed)
	}
	answer := registration{ID: kept.ID, IssuedAt: kept.Created.Unix(), Secret: secret.Reveal(), Name: kept.Name, Redirects: kept.Redirects,
		AuthMethod: string(kept.AuthMethod), Grants: kept.Grants, Responses: []string{"code"}, Scope: scopeText(scopes)}
	if answer.Secret != "" {
		answer.SecretExpires = new(int64) // 0: as long as the client is used
	}
	writeJSON(w, http.StatusCreated, answer)
	return nil
}

func (s *Server) registerFailed(err error) *Error {
	var input *identity.InputError
	if errors.As(err, &input) {
		return &Error{Code: codeInvalidMetadata, Description: "The client's metadata cannot be kept.", cause: err}
	}
	return unavailable(err)
}

// readMetadata reads what a client says of itself.
func readMetadata(r *http.Request) (clientdoc.Metadata, *Error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != contentJSON {
		return clientdoc.Metadata{}, refuse(codeInvalidMetadata, "Content-Type must be application/json.")
	}
	body, tooLong := readBody(r)
	if tooLong != nil {
		return clientdoc.Metadata{}, tooLong
	}
	m, _, err := clientdoc.ParseMetadata(body)
	if err == nil {
		err = m.CheckRedirects()
	}
	if err == nil {
		err = m.CheckGrants()
	}
	var bad *clientdoc.InvalidError
	switch {
	case errors.As(err, &bad) && bad.Redirect:
		return clientdoc.Metadata{}, refuse(codeInvalidRedirect, plain(bad.Problem))
	case err != nil:
		return clientdoc.Metadata{}, refuse(codeInvalidMetadata, plain(err.Error()))
	}
	return m, nil
}

// plain keeps a description to what RFC 6749 5.2 allows: ASCII without quotes
// and backslashes.
func plain(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			out[i] = '\''
		}
	}
	return string(out)
}

func readBody(r *http.Request) ([]byte, *Error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, refuse(codeInvalidRequest, "The body broke off before its end.")
	case len(body) > maxBody:
		return nil, &Error{Code: codeInvalidRequest, Description: "The body is longer than 16 KB.", Status: http.StatusRequestEntityTooLarge}
	}
	return body, nil
}
