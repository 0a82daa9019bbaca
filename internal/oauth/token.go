package oauth

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// tokens is the answer of RFC 6749 5.1.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Seconds int64  `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// token answers POST /token.
func (s *Server) token(w http.ResponseWriter, r *http.Request, p Place) *Error {
	return s.guarded(r, p, func(f form, c identity.Client) *Error {
		if err := p.checkResource(f.resources); err != nil { // before anything is used up
			return err
		}
		resource := ""
		if len(f.resources) > 0 {
			resource = p.resource()
		}
		issued, err := s.exchange(r.Context(), f, c, resource)
		if err != nil {
			return err
		}
		s.renew(r.Context(), c)
		writeJSON(w, http.StatusOK, tokens{Access: issued.Access.Reveal(), Type: "Bearer", Refresh: issued.Refresh.Reveal(),
			Seconds: int64(issued.Expires.Sub(s.now()).Seconds()), Scope: scopeText(issued.Connection.Scopes)})
		return nil
	})
}

// exchange gives tokens for a code or a refresh token. A scope parameter
// narrows nothing: the answer says what was given (RFC 6749 3.3), which the
// person chose and may have changed since.
func (s *Server) exchange(ctx context.Context, f form, c identity.Client, resource string) (out identity.Issued, _ *Error) {
	var err error
	switch f.one["grant_type"] {
	case "authorization_code":
		for _, name := range []string{"code", "redirect_uri", "code_verifier"} {
			if f.one[name] == "" {
				return out, refuse(codeInvalidRequest, name+" is missing.")
			}
		}
		out, err = s.store.Redeem(ctx, identity.Redemption{Code: secrets.New(f.one["code"]), Client: c.ID, Redirect: f.one["redirect_uri"],
			Verifier: secrets.New(f.one["code_verifier"]), Resource: resource})
	case "refresh_token":
		if f.one["refresh_token"] == "" {
			return out, refuse(codeInvalidRequest, "refresh_token is missing.")
		}
		out, err = s.store.Refresh(ctx, identity.Renewal{Token: secrets.New(f.one["refresh_token"]), Client: c.ID, Resource: resource})
	case "":
		return out, refuse(codeInvalidRequest, "grant_type is missing.")
	default:
		return out, refuse(codeUnsupportedGrantType, "grant_type must be authorization_code or refresh_token.")
	}
	switch {
	case errors.Is(err, identity.ErrInvalidGrant):
		return out, &Error{Code: codeInvalidGrant, Description: "The code or refresh token is not good: used, expired, revoked, or not issued for this client and address.", cause: err}
	case errors.Is(err, identity.ErrInvalidTarget):
		return out, refuse(codeInvalidTarget, "The grant is for another resource.")
	case err != nil:
		return out, unavailable(err)
	}
	return out, nil
}

// revoke answers POST /revoke (RFC 7009 2). A token that is not known is as
// good as revoked; one of another client is refused (2.1).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request, p Place) *Error {
	return s.guarded(r, p, func(f form, c identity.Client) *Error {
		if f.one["token"] == "" {
			return refuse(codeInvalidRequest, "token is missing.")
		}
		err := s.store.Revoke(r.Context(), secrets.New(f.one["token"]), c.ID)
		switch {
		case errors.Is(err, identity.ErrOtherClient):
			return refuse(codeInvalidGrant, "The token was issued to another client.")
		case err != nil:
			return unavailable(err)
		}
		writeJSON(w, http.StatusOK, struct{}{})
		return nil
	})
}

// guarded reads and authenticates a request, and counts it when it fails. Over
// the limit a failure is told no more than that; a success stays one. All of an
// assistant's people come from its few addresses, and one who makes it fail
// there on purpose must not end the sessions of the others.
func (s *Server) guarded(r *http.Request, p Place, do func(form, identity.Client) *Error) *Error {
	address := limitKey("failure", addressKey(p.Address))
	if p.Address == "" {
		address = ""
	}
	f, err := readForm(r)
	if err != nil {
		return err
	}
	who, err := readCredentials(r, f)
	client := ""
	// Only an id that nobody else knows: one can shut out oneself, not Claude.
	if strings.HasPrefix(who.id, registeredPrefix) {
		client = limitKey("failure-client", who.id)
	}
	blocked := s.limiter.free(address, client)
	var c identity.Client
	if err == nil {
		c, err = s.authenticate(r.Context(), who)
	}
	if err == nil {
		err = do(f, c)
	}
	if err == nil || err.Status >= http.StatusInternalServerError {
		return err
	}
	if blocked != nil {
		return blocked
	}
	s.limiter.failed(r.Context(), address, client)
	return err
}
