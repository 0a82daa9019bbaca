package oauth

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
	"intervals-mcp/internal/secrets"
)

// Store is what is needed of identity's store; *identity.Store is one.
type Store interface {
	Register(ctx context.Context, c identity.Client) (identity.Client, secrets.Secret, error)
	Client(ctx context.Context, id string) (identity.Client, error)
	RenewClient(ctx context.Context, c identity.Client) error
	KeepDocument(ctx context.Context, c identity.Client) error
	Authorize(ctx context.Context, g identity.Grant) (secrets.Secret, identity.Connection, error)
	Redeem(ctx context.Context, r identity.Redemption) (identity.Issued, error)
	Refresh(ctx context.Context, r identity.Renewal) (identity.Issued, error)
	Revoke(ctx context.Context, token secrets.Secret, client string) error
}

// Documents gives clients' metadata documents; *clientdoc.Fetcher is one.
type Documents interface {
	Get(ctx context.Context, id string) (clientdoc.Document, error)
}

// Options say what a Server stands on.
type Options struct {
	Store     Store
	Allow     Allow     // counts attempts; a state.Store's
	Documents Documents // default: from the public internet, kept in Store
	Clients   []identity.Client
	Limits    Limits       // the zero value: DefaultLimits
	Log       *slog.Logger // one line for each request; default: nothing
	Now       func() time.Time
}

// Server is the authorization server of a deployment. It is safe for
// concurrent use and keeps nothing that another process must know.
type Server struct {
	store   Store
	docs    Documents
	own     map[string]identity.Client // those of the configuration, by id
	limiter *limiter
	log     *slog.Logger
	now     func() time.Time
}

// New makes a Server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits
	}
	if o.Documents == nil {
		o.Documents = clientdoc.New(clientdoc.Options{Cache: NewDocumentCache(o.Store, o.Now), Now: o.Now})
	}
	s := &Server{store: o.Store, docs: o.Documents, own: make(map[string]identity.Client, len(o.Clients)), log: o.Log, now: o.Now,
		limiter: &limiter{allow: o.Allow, limits: o.Limits, now: o.Now}}
	for _, c := range o.Clients {
		s.own[c.ID] = c
	}
	return s
}

// Handler serves the documents, /register, /token and /revoke, and hands
// everything else to next: /authorize, which ParseAuthorize reads, and the
// pages. Every request's context must have a Place (At).
func (s *Server) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := placeOf(r.Context())
		if !ok {
			(&Error{Code: codeServerError, Description: "This server does not know its own address.", Status: http.StatusInternalServerError}).write(w)
			return
		}
		switch r.URL.Path {
		case PathToken:
			s.serve(w, r, "token", s.token)
		case PathRegister:
			s.serve(w, r, "register", s.register)
		case PathRevoke:
			s.serve(w, r, "revoke", s.revoke)
		default:
			if isWellKnown(r.URL.Path) || next == nil {
				start := s.now()
				s.note(r.Context(), p, "document", serveDocument(w, r, p), nil, start)
				return
			}
			next.ServeHTTP(w, r)
		}
	})
}

// serve runs one endpoint that takes POST and answers JSON, and writes its log
// line: no word of the request is in it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, endpoint string, do func(http.ResponseWriter, *http.Request, Place) *Error) {
	start := s.now()
	p, _ := placeOf(r.Context())
	var failed *Error
	defer func() {
		if recover() != nil {
			// The panic's own text may hold a client's words; the place is enough.
			s.log.ErrorContext(r.Context(), "panic", "request_id", p.RequestID, "stack", string(debug.Stack()))
			failed = &Error{Code: codeServerError, Description: "This server failed to answer.", Status: http.StatusInternalServerError}
		}
		outcome, cause := "ok", error(nil)
		if failed != nil {
			failed.write(w)
			outcome, cause = failed.Code, failed.cause
		}
		s.note(r.Context(), p, endpoint, outcome, cause, start)
	}()
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		failed = &Error{Code: codeInvalidRequest, Description: "This endpoint takes POST only.", Status: http.StatusMethodNotAllowed}
		return
	}
	failed = do(w, r, p)
}

// note writes the log line of a request.
func (s *Server) note(ctx context.Context, p Place, endpoint, outcome string, cause error, start time.Time) {
	attrs := []slog.Attr{slog.String("request_id", p.RequestID), slog.String("endpoint", endpoint), slog.String("outcome", outcome),
		slog.Int64("duration_ms", s.now().Sub(start).Milliseconds())}
	if cause != nil {
		attrs = append(attrs, slog.String("error", cause.Error()))
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}
