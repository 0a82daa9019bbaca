package authorizer

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// Request and Response are API Gateway's.
type (
	Request  = events.APIGatewayV2CustomAuthorizerV2Request
	Response = events.APIGatewayV2CustomAuthorizerSimpleResponse
)

// Authorizer decides who a request comes from.
type Authorizer struct {
	Tokens identity.Tokens // nil with Local = nobody else
	Now    func() time.Time
	Log    *slog.Logger
	// PublicURL is the origin under which people know this server; "" = the
	// gateway's domain name. An access token must be for its resource.
	PublicURL string
	Strict    bool   // the gateway refuses: 403 for a bad token, 500 without the store
	Local     *Local // under sam local
}

// Local is the one token of `sam local start-api`, and whose it is. Two
// containers share no memory, so that nothing else could be known there.
type Local struct {
	Token   secrets.Secret
	Athlete string // "0" = whose key it is
}

// within bounds the read, so that an answer leaves before API Gateway gives up
// on the authorizer (10 s).
const within = 5 * time.Second

// errUnavailable is what the gateway gets under Strict: it answers 500.
var errUnavailable = errors.New("the identity store cannot be reached")

// Reasons, for the log.
const (
	accepted    = "ok"
	malformed   = "malformed"
	unknown     = "unknown"
	expired     = "expired"
	revoked     = "revoked"
	elsewhere   = "for another audience"
	damaged     = "damaged record"
	newer       = "record of a newer release"
	unreachable = "identity store unreachable"
)

// Handle answers one request. An error becomes a 500 at the gateway.
func (a *Authorizer) Handle(ctx context.Context, r Request) (Response, error) {
	if r.Type != "REQUEST" || r.Version != "2.0" {
		return Response{}, fmt.Errorf("this function answers API Gateway: an event of type REQUEST, version 2.0 (got type %.20q, version %.20q). To test it, use an event from events/authorizer", r.Type, r.Version)
	}
	start := a.Now()
	values, reason, cause := a.decide(ctx, header(r), a.resource(r))
	level := slog.LevelInfo
	if values["auth"] == "unavailable" || reason == damaged {
		level = slog.LevelError
	}
	attrs := []slog.Attr{slog.String("auth", values["auth"]), slog.String("reason", reason), slog.String("route", r.RouteKey),
		slog.String("user", values["user"]), slog.String("connection", values["connection"]),
		slog.String("gatewayRequestId", r.RequestContext.RequestID), slog.Int64("ms", a.Now().Sub(start).Milliseconds())}
	if cause != nil {
		attrs = append(attrs, slog.String("error", cause.Error()))
	}
	a.Log.LogAttrs(ctx, level, "authorize", attrs...)

	allowed := values["auth"] == "ok"
	if a.Strict && values["auth"] == "unavailable" {
		return Response{}, errUnavailable
	}
	out := Response{IsAuthorized: allowed || !a.Strict, Context: make(map[string]any, len(values))}
	for k, v := range values {
		if allowed || k == "auth" {
			out.Context[k] = v
		}
	}
	return out, nil
}

// decide gives the context to send on, a word for the log and the error behind
// it. For a token that is not in force it also names whose it was, for the log
// alone.
func (a *Authorizer) decide(ctx context.Context, authorization, resource string) (values map[string]string, reason string, cause error) {
	token, ok := bearer(authorization)
	if ok && a.Local != nil && a.Local.is(token) {
		return a.Local.context(), accepted, nil
	}
	if k, err := identity.KindOf(token); err != nil || k != identity.KindPersonal && k != identity.KindAccess {
		ok = false
	}
	refuse := func(auth string, t identity.Token) map[string]string {
		return map[string]string{"auth": auth, "user": t.User, "connection": t.ID}
	}
	if a.Tokens == nil {
		return refuse("invalid_token", identity.Token{}), unknown, nil
	}
	// A malformed token is looked up too: refusing it takes as long as any other.
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found, err := a.Tokens.Token(ctx, identity.HashOf(token))
	switch {
	case errors.Is(err, identity.ErrNewer):
		return refuse("unavailable", found), newer, err
	case errors.Is(err, identity.ErrNoToken) && !ok:
		return refuse("invalid_token", found), malformed, nil
	case errors.Is(err, identity.ErrNoToken):
		return refuse("invalid_token", found), unknown, nil
	case errors.Is(err, identity.ErrDamaged):
		return refuse("invalid_token", found), damaged, err
	case err != nil:
		return refuse("unavailable", found), unreachable, err
	case !ok:
		return refuse("invalid_token", identity.Token{}), malformed, nil
	}
	switch err := found.Usable(a.Now()); {
	case errors.Is(err, identity.ErrRevoked):
		return refuse("invalid_token", found), revoked, nil
	case err != nil:
		return refuse("invalid_token", found), expired, nil
	case found.OAuth() && found.Audience != resource:
		return refuse("invalid_token", found), elsewhere, nil
	}
	return found.Context(), accepted, nil
}

// resource is what an access token must have been issued for (RFC 8707 2).
// The Host header, which a client writes, has no part in it.
func (a *Authorizer) resource(r Request) string {
	if a.PublicURL != "" {
		return identity.Resource(a.PublicURL)
	}
	return identity.Resource("https://" + r.RequestContext.DomainName)
}

// header gives the Authorization header: what the gateway took it for, or the
// header itself, in whatever case it came (sam local passes the client's). Two of
// them, which a gateway joins by a comma, are none: nobody may choose which one
// counts, the gateway included.
func header(r Request) string {
	value, n := "", 0
	for name, v := range r.Headers {
		if strings.EqualFold(name, "Authorization") {
			value = v
			n++
		}
	}
	switch {
	case n > 1 || strings.Contains(value, ",") || len(r.IdentitySource) > 1:
		return ""
	case len(r.IdentitySource) == 1:
		return r.IdentitySource[0]
	}
	return value
}

// bearer takes the token from "Bearer <token>"; the scheme's case does not
// matter (RFC 9110 11.1). What is no bearer token is given as it came.
func bearer(authorization string) (token string, ok bool) {
	authorization = strings.TrimSpace(authorization)
	scheme, token, found := strings.Cut(authorization, " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return authorization, false
	}
	return strings.TrimLeft(token, " "), true
}

func (l *Local) is(token string) bool {
	want, got := identity.HashOf(l.Token.Reveal()), identity.HashOf(token)
	return !l.Token.IsZero() && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

func (l *Local) context() map[string]string {
	return identity.Token{ID: "sam-local", User: "local", Athlete: l.Athlete, Scopes: []identity.Scope{identity.ScopeRead, identity.ScopeWrite},
		Client: "sam local", Toolset: identity.ToolsetFull, Confirm: identity.ConfirmAll}.Context()
}
