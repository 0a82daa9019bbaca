package oauth

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// SiteOptions say what the pages stand on.
type SiteOptions struct {
	Server   *Server
	Identity *identity.Store
	Keys     secrets.Keeper
	Changes  *change.Engine // with a log, a state store and ApprovePage
	State    state.Store
	Upstream *intervals.Upstream
	// SessionKey gives the key that cookies and forms are signed with.
	SessionKey SessionKey
	// Admit says whether an athlete may enrol here without an invitation.
	Admit func(ctx context.Context, athlete string) (bool, error)
	// Alias names another user of this deployment who is the same person: the
	// built-in one of serve. nil = nobody has one.
	Alias func(ctx context.Context, u identity.User) string
	// Intervals is the app for "Sign in with Intervals.icu"; nil = not offered.
	Intervals *IntervalsApp
	Demo      bool   // it serves an invented athlete
	Hint      string // said on the sign-in page, such as where the demo's key stands
	Log       *slog.Logger
	Now       func() time.Time
}

// Site is what a person sees in the browser: landing page, signing in, consent,
// account. It is an http.Handler for what Server.Handler hands on; every
// request's context must have a Place (At). It is safe for concurrent use.
type Site struct {
	SiteOptions
	pages *pages.Set
	files http.Handler
	keys  keyring
	rooms []room
	now   func() time.Time
}

// NewSite makes the pages.
func NewSite(o SiteOptions) *Site {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Alias == nil {
		o.Alias = func(context.Context, identity.User) string { return "" }
	}
	s := &Site{SiteOptions: o, pages: pages.New(), now: o.Now, keys: keyring{read: o.SessionKey, now: o.Now}, rooms: rooms()}
	s.files = s.pages.Assets()
	return s
}

// ApprovePage is where the person approves a change: on the origin at which a
// request arrived. It is a change.Config's.
func ApprovePage(ctx context.Context, handle string) string {
	p, _ := placeOf(ctx)
	return ApprovePageOf(p.Issuer)(ctx, handle)
}

// ApprovePageOf is ApprovePage for a server that knows its origin.
func ApprovePageOf(origin string) func(context.Context, string) string {
	return func(_ context.Context, handle string) string { return origin + pages.Path(pages.PathChanges, handle) }
}

// room is one page with what can be done there.
type room struct {
	pattern   string // segments; {} stands for one
	get, post func(*visit)
	open      bool // nobody need be signed in
}

func rooms() []room {
	return []room{
		{pattern: pages.PathLanding, get: (*visit).landing, open: true},
		{pattern: pages.PathAuthorize, get: (*visit).authorize, post: (*visit).decide, open: true},
		{pattern: pages.PathInvite + "{}", get: (*visit).invitation, open: true},
		{pattern: pages.PathSignIn, get: (*visit).signInPage, post: (*visit).signIn, open: true},
		{pattern: pages.PathSignOut, post: (*visit).signOut, open: true},
		{pattern: pathIntervals, get: (*visit).toIntervals, open: true},
		{pattern: pathCallback, get: (*visit).fromIntervals, open: true},
		{pattern: pages.PathAccount, get: (*visit).connections},
		{pattern: pages.PathConnections + "/{}", get: (*visit).connection, post: (*visit).changeConnection},
		{pattern: pages.PathConnections + "/{}/revoke", post: (*visit).revokeConnection},
		{pattern: pages.PathTokens, get: (*visit).tokens, post: (*visit).makeToken},
		{pattern: pages.PathTokens + "/{}/revoke", post: (*visit).revokeToken},
		{pattern: pages.PathChanges, get: (*visit).waitingChanges},
		{pattern: pages.PathChanges + "/{}", get: (*visit).waitingChange},
		{pattern: pages.PathChanges + "/{}/approve", post: (*visit).approve},
		{pattern: pages.PathChanges + "/{}/drop", post: (*visit).drop},
		{pattern: pages.PathHistory, get: (*visit).history},
		{pattern: pages.PathHistory + "/{}", get: (*visit).entry},
		{pattern: pages.PathHistory + "/{}/undo", post: (*visit).undo},
		{pattern: pages.PathKey, get: (*visit).key},
		{pattern: pages.PathKey + "/test", post: (*visit).testKey},
		{pattern: pages.PathKey + "/replace", post: (*visit).replaceKey},
		{pattern: pages.PathKey + "/forget", post: (*visit).forgetKey},
		{pattern: pages.PathMine, get: (*visit).mine},
		{pattern: pages.PathMine + "/download", get: (*visit).download},
		{pattern: pages.PathMine + "/delete", post: (*visit).deleteMine},
	}
}

// find gives the room of a path and what stands for its {}.
func (s *Site) find(escaped string) (found room, args []string, ok bool) {
	have := strings.Split(escaped, "/")
	for _, r := range s.rooms {
		want := strings.Split(r.pattern, "/")
		if len(want) != len(have) {
			continue
		}
		args, ok = nil, true
		for i, w := range want {
			if w == "{}" {
				arg, err := url.PathUnescape(have[i])
				ok = ok && err == nil && arg != ""
				args = append(args, arg)
			} else {
				ok = ok && w == have[i]
			}
		}
		if ok {
			return r, args, true
		}
	}
	return room{}, nil, false
}

// visit is one request to the pages.
type visit struct {
	site  *Site
	w     *watched
	r     *http.Request
	place Place
	jar   cookieJar
	keys  sealer
	args  []string

	session     session
	user        identity.User
	signedIn    bool
	browserName string
	told        bool  // the person was answered
	cause       error // for the log
}

// watched knows what status was answered.
type watched struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// ServeHTTP answers one request of a browser.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	place, ok := placeOf(r.Context())
	v := &visit{site: s, w: &watched{ResponseWriter: w}, r: r, place: place, jar: jarOf(place.Issuer)}
	if strings.HasPrefix(r.URL.Path, pages.PathAssets) {
		s.files.ServeHTTP(v.w, r)
		return
	}
	start, name := s.now(), "nowhere"
	defer func() {
		if recover() != nil {
			// The panic's own text may hold a person's words; the place is enough.
			s.Log.ErrorContext(r.Context(), "panic", "request_id", place.RequestID, "page", name, "stack", string(debug.Stack()))
			if v.w.status == 0 {
				v.fail(pages.Internal)
			}
		}
		attrs := []any{"request_id", place.RequestID, "page", name, "status", v.w.status, "duration_ms", s.now().Sub(start).Milliseconds()}
		if v.user.ID != "" {
			attrs = append(attrs, "user", v.user.ID)
		}
		if v.cause != nil {
			attrs = append(attrs, "error", v.cause.Error())
		}
		s.Log.InfoContext(r.Context(), "request", attrs...)
	}()
	room, args, found := s.find(r.URL.EscapedPath())
	switch {
	case !ok:
		v.fail(pages.Internal)
	case !found:
		v.fail(pages.NotFound)
	case v.elsewhere():
	default:
		name, v.args = r.Method+" "+room.pattern, args
		v.enter(room)
	}
}

// elsewhere sends a browser that came by another name of this machine to the
// one that cookies and forms are made for. Behind API Gateway there is only one.
func (v *visit) elsewhere() bool {
	u, err := url.Parse(v.place.Issuer)
	if err != nil || v.jar.secure || v.r.Host == "" || v.r.Host == u.Host || v.r.Method != http.MethodGet {
		return false
	}
	v.redirect(v.place.Issuer + v.r.URL.RequestURI())
	return true
}

// enter checks method and session and goes to the page.
func (v *visit) enter(r room) {
	do, allow := r.get, "GET, HEAD"
	if v.r.Method == http.MethodPost {
		do = r.post
	}
	if r.get == nil {
		allow = "POST"
	} else if r.post != nil {
		allow += ", POST"
	}
	switch v.r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		do = nil
	}
	if do == nil {
		v.w.Header().Set("Allow", allow)
		v.fail(pages.WrongMethod)
		return
	}
	if !v.known(r) {
		return
	}
	if r.open || v.signedIn {
		do(v)
		return
	}
	if v.r.Method == http.MethodPost {
		v.fail(pages.FormExpired)
		return
	}
	v.redirect(pages.PathSignIn + "?" + url.Values{pages.FieldNext: {v.r.URL.RequestURI()}}.Encode())
}

// known gets the signing key and finds out whose browser it is. The landing
// page needs neither where nobody is signed in.
func (v *visit) known(r room) bool {
	if r.pattern == pages.PathLanding && v.jar.get(v.r, cookieSession) == "" {
		return true
	}
	var err error
	if v.keys, err = v.site.keys.sealer(v.r.Context()); err == nil {
		err = v.recognise()
	}
	if err != nil {
		v.broken(err)
		return false
	}
	return true
}

// landing is `/`.
func (v *visit) landing() {
	p := &pages.Landing{Frame: v.bare(), MCPURL: v.place.resource(), Local: !v.jar.secure, Demo: v.site.Demo}
	v.show(http.StatusOK, p)
}

// retention is how long entries of the history stay.
func (s *Site) retention() int {
	d := s.Changes.Retention
	if d == 0 {
		d = audit.DefaultRetention
	}
	return int(d / (24 * time.Hour))
}
