package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
	"intervals-mcp/internal/oauth/redirect"
)

// MaxState bounds a request's state. ChatGPT's has more than 400 characters
// (reference/mcp/05); API Gateway takes 10 KB of request line and headers.
const MaxState = 8 << 10

// AuthorizeRequest is an authorization request that may be put to a person:
// its client and its redirect address were checked, and everything else is in
// order.
type AuthorizeRequest struct {
	Client    identity.Client // its words about itself are untrusted text
	Redirect  string          // where the answer goes, byte for byte
	State     string
	Scopes    []identity.Scope // the most that may be granted
	Resource  string           // canonical
	Challenge string           // PKCE, S256
	Login     bool             // prompt=login: the person is to sign in anew
	Issuer    string
	// Query is the request as it came. Resume reads it again when the person
	// has answered, so that nothing of it need be believed from a form.
	Query string
}

// ClientHost is the host that answers for a document client's name; "" for
// others, whose names nobody vouches for.
func (a *AuthorizeRequest) ClientHost() string {
	if !a.Client.Document {
		return ""
	}
	return redirect.Host(a.Client.ID)
}

// RedirectHost is where the person will be sent back to.
func (a *AuthorizeRequest) RedirectHost() string { return redirect.Host(a.Redirect) }

// Loopback reports whether the person will be sent to a program on their own
// machine, of which the page warns (reference/mcp/02 A9).
func (a *AuthorizeRequest) Loopback() bool { return redirect.Loopback(a.Redirect) }

// Reason says to a person why there is no consent page; its values are those
// of the error pages.
type Reason string

// The reasons.
const (
	BadRequest    Reason = "bad_request"
	UnknownClient Reason = "unknown_client"
	BadReturn     Reason = "bad_return"  // the redirect address is not the client's
	ClientGone    Reason = "client_gone" // its document cannot be had or breaks the rules
	Throttled     Reason = "throttled"
	Unavailable   Reason = "unavailable"
	Broken        Reason = "internal"
)

// AuthorizeError is an authorization request that is refused.
type AuthorizeError struct {
	Err    *Error
	Reason Reason
	// Back is where the client is told, "" when it must not be: then there is
	// only a page. Where Trusted is not set, the person decides whether to go.
	Back    string
	Trusted bool
}

// Error implements error.
func (e *AuthorizeError) Error() string { return e.Err.Error() }

// Unwrap gives the protocol's error.
func (e *AuthorizeError) Unwrap() error { return e.Err }

// ParseAuthorize reads an authorization request from a URL. Its error is an
// *AuthorizeError, which Answer answers.
func (s *Server) ParseAuthorize(r *http.Request) (*AuthorizeRequest, error) {
	return s.readCounted(r.Context(), r.URL.RawQuery)
}

// readCounted reads a request of which nobody knows yet who made it, wherever it
// stands: each may fetch a document, so each counts.
func (s *Server) readCounted(ctx context.Context, query string) (*AuthorizeRequest, error) {
	p, _ := placeOf(ctx)
	if err := s.limiter.count(ctx, "authorize", addressKey(p.Address), s.limiter.limits.Authorize); err != nil {
		return nil, &AuthorizeError{Err: err, Reason: reasonOf(err)}
	}
	return s.Resume(ctx, query)
}

func reasonOf(e *Error) Reason {
	switch e.Status {
	case http.StatusTooManyRequests:
		return Throttled
	case http.StatusServiceUnavailable:
		return Unavailable
	}
	return BadRequest
}

// Resume reads an authorization request again from its Query.
func (s *Server) Resume(ctx context.Context, query string) (*AuthorizeRequest, error) {
	p, ok := placeOf(ctx)
	values, err := url.ParseQuery(query)
	switch {
	case !ok:
		return nil, &AuthorizeError{Err: refuse(codeServerError, "This server does not know its own address."), Reason: Broken}
	case err != nil:
		return nil, &AuthorizeError{Err: refuse(codeInvalidRequest, "The query cannot be read."), Reason: BadRequest}
	}
	a := &AuthorizeRequest{Issuer: p.Issuer, Resource: p.resource(), Query: query}
	if err := s.parties(ctx, a, values); err != nil {
		return nil, err
	}
	if err := a.parse(p, values); err != nil {
		return nil, a.refused(err, s.trusts(a))
	}
	return a, nil
}

// parties finds client and redirect address. Until both are good, nothing is
// redirected (RFC 6749 4.1.2.1; CVE-2025-4143).
func (s *Server) parties(ctx context.Context, a *AuthorizeRequest, values url.Values) error {
	page := func(reason Reason, e *Error) error { return &AuthorizeError{Err: e, Reason: reason} }
	ids, redirects := values["client_id"], values["redirect_uri"]
	if len(ids) > 1 || len(redirects) > 1 {
		return page(BadRequest, refuse(codeInvalidRequest, "client_id and redirect_uri come once."))
	}
	if len(ids) == 0 || ids[0] == "" {
		return page(UnknownClient, refuse(codeInvalidRequest, "client_id is missing."))
	}
	c, err := s.client(ctx, ids[0])
	switch {
	case err == nil:
	case errors.Is(err, identity.ErrNoClient):
		return page(UnknownClient, refuse(codeInvalidClient, "The client is not known here; register it again."))
	case errors.As(err, new(*clientdoc.InvalidError)), errors.As(err, new(*clientdoc.FetchError)):
		return page(ClientGone, &Error{Code: codeInvalidClient, Description: "The client's metadata document cannot be used.", cause: err})
	default:
		return page(Unavailable, unavailable(err))
	}
	if len(redirects) == 0 || !redirect.Match(c.Redirects, redirects[0]) {
		return page(BadReturn, refuse(codeInvalidRequest, "redirect_uri is not one of the client's."))
	}
	a.Client, a.Redirect = c, redirects[0]
	return nil
}

// parse reads what is not about the parties. Whatever is wrong, a state that is
// in order goes back with the error.
func (a *AuthorizeRequest) parse(p Place, values url.Values) *Error {
	one, twice := single(values)
	if state := values["state"]; len(state) == 1 && len(state[0]) <= MaxState {
		a.State = state[0]
	} else if len(state) > 0 {
		return refuse(codeInvalidRequest, "state comes once and has at most 8 KB.")
	}
	mode := one["response_mode"]
	switch {
	case twice != "":
		return refuse(codeInvalidRequest, "A parameter comes more than once.")
	case one["request"] != "":
		return refuse(codeNoRequestObject, "Request objects are not read here.")
	case one["request_uri"] != "":
		return refuse(codeNoRequestURI, "Request objects are not read here.")
	case one["response_type"] == "":
		return refuse(codeInvalidRequest, "response_type is missing.")
	case one["response_type"] != "code":
		return refuse(codeUnsupportedResponse, "response_type must be code.")
	case mode != "" && mode != "query":
		return refuse(codeInvalidRequest, "response_mode must be query.")
	}
	if err := checkChallenge(one["code_challenge"], one["code_challenge_method"]); err != nil {
		return err
	}
	a.Challenge = one["code_challenge"]
	var err *Error
	if a.Scopes, err = parseScope(one["scope"]); err != nil {
		return err
	}
	if err := p.checkResource(values["resource"]); err != nil {
		return err
	}
	return a.prompt(strings.Fields(one["prompt"]))
}

// prompt reads OpenID Connect's parameter: none cannot be done, since a person
// is always asked; words that are not known change nothing.
func (a *AuthorizeRequest) prompt(words []string) *Error {
	for _, w := range words {
		switch w {
		case "none":
			if len(words) > 1 {
				return refuse(codeInvalidRequest, "prompt=none comes alone.")
			}
			return refuse(codeInteraction, "The person must be asked: prompt=none cannot be done.")
		case "login":
			a.Login = true
		}
	}
	return nil
}

func (a *AuthorizeRequest) refused(e *Error, trusted bool) *AuthorizeError {
	return &AuthorizeError{Err: e, Reason: BadRequest, Back: a.answer("error", e.Code, "error_description", e.Description), Trusted: trusted}
}

// answer is the redirect address with parameters of an answer. State and issuer
// are in every one of them (RFC 6749 4.1.2, RFC 9207 2).
func (a *AuthorizeRequest) answer(pairs ...string) string {
	return redirect.With(a.Redirect, append(pairs, "state", a.State, "iss", a.Issuer)...)
}

// trustedHosts are where a browser may be sent without its person having been
// asked. Anybody can register an address of theirs here, and would have an open
// redirector in this server's name (RFC 9700 4.11.2, reference/mcp/02 A12).
var trustedHosts = map[string]bool{"claude.ai": true, "claude.com": true, "chatgpt.com": true, "platform.openai.com": true}

func (s *Server) trusts(a *AuthorizeRequest) bool {
	_, own := s.own[a.Client.ID]
	return own || a.Loopback() || trustedHosts[a.RedirectHost()]
}

// Answer answers a request that ParseAuthorize or Resume refused: the client is
// told where that is safe, else show shows the person a page. back is where the
// person may go on to if they want, "" for nowhere.
func Answer(w http.ResponseWriter, r *http.Request, err error, show func(reason Reason, back string)) {
	var refused *AuthorizeError
	if !errors.As(err, &refused) {
		show(Broken, "")
		return
	}
	if refused.Back != "" && refused.Trusted {
		SendBack(w, r, refused.Back)
		return
	}
	show(refused.Reason, refused.Back)
}

// SendBack redirects to a client. After a form it is 303, so that the form is
// not sent on (RFC 9700 4.12).
func SendBack(w http.ResponseWriter, r *http.Request, to string) {
	h := w.Header()
	h.Set("Location", to)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther
	}
	w.WriteHeader(status)
}
