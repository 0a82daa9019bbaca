package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"intervals-mcp/internal/identity"
)

// Edge says how the server is reached over HTTP.
type Edge struct {
	// Identify says who makes a request. identity.ErrUnavailable becomes 503;
	// any other error, and a nil function, becomes 401.
	Identify func(*http.Request) (identity.Identity, error)
	// Endpoint is the public URL of the endpoint, for people who missed it,
	// and Metadata that of the protected-resource document; "" where there is
	// none. They must not come from the Host header.
	Endpoint func(context.Context) string
	Metadata func(context.Context) string
	// AllowedOrigins are exact origins such as https://app.example. A request
	// without an Origin header is not from a browser and passes.
	AllowedOrigins []string
	// Loopback also allows origins on this machine, and refuses a Host that
	// is not this machine on a connection that is (DNS rebinding).
	Loopback bool
	// Root lets GET / explain the server; elsewhere another function does.
	Root    bool
	MaxBody int64         // bytes, default DefaultMaxBody
	Timeout time.Duration // for a whole request, default and at most 25 s
	// Margin is what must be left of an earlier deadline of the context.
	Margin time.Duration
	// RequestID names a request; default, and where it gives "": random.
	RequestID func(context.Context) string
}

// Limits of the edge.
const (
	DefaultMaxBody = 4 << 20
	maxTimeout     = 25 * time.Second
	// grace is left after a tool's deadline to answer that it has passed.
	grace = time.Second
)

// Path is where the endpoint is.
const Path = "/mcp"

type edge struct {
	Edge
	s    *Server
	next http.Handler
}

// Handler serves the endpoint at Path and answers helpfully elsewhere.
func (s *Server) Handler(e Edge) http.Handler {
	if e.MaxBody <= 0 {
		e.MaxBody = DefaultMaxBody
	}
	if e.Timeout <= 0 || e.Timeout > maxTimeout {
		e.Timeout = maxTimeout
	}
	for _, f := range []*func(context.Context) string{&e.Endpoint, &e.Metadata} {
		if *f == nil {
			*f = func(context.Context) string { return "" }
		}
	}
	if e.RequestID == nil {
		e.RequestID = func(context.Context) string { return "" }
	}
	return &edge{Edge: e, s: s, next: server.NewStreamableHTTPServer(s.mcp,
		server.WithStateLess(true), server.WithDisableStreaming(true),
		server.WithDisableLocalhostProtection(true), // ours answers JSON, and on every path
		server.WithStreamableHTTPProtocolVersions(s.legacy...),
		server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))} // its words may be a client's
}

// ServeHTTP keeps design.md's order: recover, deadline, origin, who, method,
// body, then mcp-go.
func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ex := &exchange{id: e.RequestID(r.Context()), start: time.Now()}
	if ex.id == "" {
		ex.id = newID()
	}
	a := &answer{w: w, ex: ex}
	defer e.finish(a, r)
	ctx, cancel := e.deadline(r.Context(), ex)
	defer cancel()
	e.serve(a, r.WithContext(withExchange(ctx, ex)))
}

// deadline bounds the request. The tool's own deadline is earlier by grace,
// because mcp-go drops its answer once the request's context is done.
func (e *edge) deadline(ctx context.Context, ex *exchange) (context.Context, context.CancelFunc) {
	end := ex.start.Add(e.Timeout)
	if given, ok := ctx.Deadline(); ok && given.Add(-e.Margin).Before(end) {
		end = given.Add(-e.Margin)
	}
	ex.deadline = end.Add(-min(grace, e.Timeout/4))
	return context.WithDeadline(ctx, end)
}

// finish answers what broke or was left without an answer, and writes the log
// line.
func (e *edge) finish(a *answer, r *http.Request) {
	broken := recover()
	if broken == http.ErrAbortHandler { //nolint:errorlint // net/http compares it this way too
		panic(broken)
	}
	if broken != nil {
		a.ex.outcome("panic")
		// The panic's own text may hold a client's words; the place is enough.
		e.s.log.ErrorContext(r.Context(), "panic", "request_id", a.ex.id, "stack", string(debug.Stack()))
	}
	switch {
	case a.started():
	case broken != nil:
		writeError(a, http.StatusInternalServerError, "internal_error", "This server failed to answer. Nothing is known of what was done; try again, and report it if it stays.")
	case r.Context().Err() != nil && !errors.Is(r.Context().Err(), context.DeadlineExceeded):
		a.ex.outcome("canceled") // the client has gone
	default:
		a.ex.outcome("deadline")
		writeError(a, http.StatusGatewayTimeout, "deadline", "No answer within this server's time limit. Try again, with a shorter range if it was long.")
	}
	a.close()
	a.ex.log(r.Context(), e.s.log)
}

func (e *edge) serve(a *answer, r *http.Request) {
	for name := range r.Header {
		if isAdapterHeader(name) {
			delete(r.Header, name) // a client's, not the adapter's (reference/aws/02)
		}
	}
	if e.Loopback && rebound(r) {
		a.ex.outcome("forbidden host")
		writeError(a, http.StatusForbidden, "forbidden_host", "This server answers on this machine only; the Host header names another.")
		return
	}
	if !e.originAllowed(r) {
		a.ex.outcome("forbidden origin")
		writeError(a, http.StatusForbidden, "forbidden_origin", "Requests from this Origin are not allowed here.")
		return
	}
	if r.URL.Path != Path {
		e.elsewhere(a, r)
		return
	}
	id, ok := e.identify(a, r)
	if !ok {
		return
	}
	if r.Method != http.MethodPost {
		a.ex.outcome("method")
		a.Header().Set("Allow", http.MethodPost)
		writeError(a, http.StatusMethodNotAllowed, "method_not_allowed",
			"The MCP endpoint takes POST only: it keeps no sessions and opens no streams.")
		return
	}
	if !e.body(a, r) {
		return
	}
	oneVersion(r.Header)
	e.next.ServeHTTP(a, r.WithContext(identity.With(r.Context(), id)))
}

// identify is the default-deny check. A failure is answered here.
func (e *edge) identify(a *answer, r *http.Request) (identity.Identity, bool) {
	err := identity.ErrInvalidToken
	var id identity.Identity
	if e.Identify != nil {
		id, err = e.Identify(r)
	}
	switch {
	case errors.Is(err, identity.ErrUnavailable):
		a.ex.outcome("unavailable")
		a.Header().Set("Retry-After", "5")
		writeError(a, http.StatusServiceUnavailable, "unavailable", "Sign-in cannot be checked at the moment. Try again in a few seconds.")
		return id, false
	case err != nil, id.User == "", !id.May(identity.ScopeRead), !id.Expires.IsZero() && !time.Now().Before(id.Expires):
		a.ex.outcome("invalid_token")
		e.challenge(a, r)
		return id, false
	}
	a.ex.user, a.ex.challenge = id.User, e.scopeChallenge(r.Context())
	return id, true
}
