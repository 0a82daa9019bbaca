package fake

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
)

// authenticate finds whose request it is (API.md 1.1): Basic with the literal
// user API_KEY and the key, or a bearer token. A data set defines no OAuth
// tokens, so a bearer is either a key in the wrong place (403) or unknown.
func (s *Server) authenticate(r *http.Request) (*athlete, *refusal) {
	header := r.Header.Get("Authorization")
	scheme, credential, _ := strings.Cut(header, " ")
	credential = strings.TrimSpace(credential)
	switch {
	case strings.EqualFold(scheme, "Basic"):
		plain, err := base64.StdEncoding.DecodeString(credential)
		if err != nil {
			return nil, javaBase64Error(err, credential)
		}
		user, key, _ := strings.Cut(string(plain), ":")
		who := s.byKey[key]
		if user != "API_KEY" || who == nil {
			return nil, s.keyRejected()
		}
		return who, nil
	case strings.EqualFold(scheme, "Bearer"):
		if s.byKey[credential] != nil {
			return nil, errAccessDenied
		}
	}
	return nil, s.keyRejected()
}

// keyRejected is what a wrong or missing credential gets: 401 in most
// reports, 403 in some (Options.KeyRejectedStatus).
func (s *Server) keyRejected() *refusal {
	if s.opts.KeyRejectedStatus == http.StatusForbidden {
		return errAccessDenied
	}
	return errUnauthorized
}

// javaBase64Error is the exception text that the platform lets out.
func javaBase64Error(err error, credential string) *refusal {
	at := len(credential)
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		at = int(corrupt)
	}
	return refuse(http.StatusInternalServerError,
		"java.lang.IllegalArgumentException: Input byte array has incorrect ending byte at %d", at)
}

// athlete finds the athlete that a path names: `0` is the caller; a coach
// reaches the athletes who gave them rights and nobody else.
func (c *call) athlete(id string) (*athlete, *refusal) {
	if id == "0" || id == c.who.id {
		return c.who, nil
	}
	a := c.s.byID[id]
	if a == nil {
		return nil, errNotFound
	}
	if !c.who.coaches(a) {
		return nil, errAccessDenied
	}
	return a, nil
}

// mayReach tells if the caller may see what belongs to a.
func (c *call) mayReach(a *athlete) bool { return a == c.who || c.who.coaches(a) }

// own tells if the caller is the athlete and not the coach.
func (c *call) own(a *athlete) bool { return a == c.who }
