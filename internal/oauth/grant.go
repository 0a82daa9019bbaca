package oauth

import (
	"context"

	"intervals-mcp/internal/identity"
)

// Choices are what a person said yes to, and who they are.
type Choices struct {
	User string // of the session, never of the form
	identity.Permissions
}

// ErrTooWide says that more was chosen than the client asked for.
var ErrTooWide = &identity.InputError{Field: "scope", Want: "at most what the application asked for"}

// Grant makes the connection and gives the address that takes the code back to
// the client. Errors: *identity.InputError for a choice that cannot be made,
// identity.ErrNoUser, *identity.TooManyConnectionsError, *Error for a limit.
func (s *Server) Grant(ctx context.Context, a *AuthorizeRequest, c Choices) (string, error) {
	if !within(c.Scopes, a.Scopes) {
		return "", ErrTooWide
	}
	if err := s.limiter.count(ctx, "grant", c.User, s.limiter.limits.Grants); err != nil {
		return "", err
	}
	code, _, err := s.store.Authorize(ctx, identity.Grant{User: c.User, Client: a.Client.ID, Name: a.Client.Name, Redirect: a.Redirect,
		Challenge: a.Challenge, Resource: a.Resource, Permissions: c.Permissions})
	if err != nil {
		return "", err
	}
	s.renew(ctx, a.Client)
	return a.answer("code", code.Reveal()), nil
}

// Deny is the address that tells the client that the person said no; code is
// access_denied, or "" for it.
func (s *Server) Deny(a *AuthorizeRequest, code string) string {
	if code == "" {
		code = codeAccessDenied
	}
	description := "The person said no."
	if code != codeAccessDenied {
		description = "The request could not be completed."
	}
	return a.answer("error", code, "error_description", description)
}

// renew keeps a registered client that is used. It is no reason to fail.
func (s *Server) renew(ctx context.Context, c identity.Client) {
	if _, own := s.own[c.ID]; own || c.Document {
		return
	}
	if err := s.store.RenewClient(ctx, c); err != nil {
		s.log.WarnContext(ctx, "a client was not renewed", "error", err)
	}
}
