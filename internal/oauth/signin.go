package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/secrets"

	_ "time/tzdata" // a Lambda has no zone files of its own
)

// Attempts to sign in. They are wide enough for a club that meets in one room;
// a key is not guessed at any rate.
var (
	signInsOfAddress = Rate{60, 15 * time.Minute}
	signInsOfAthlete = Rate{20, 15 * time.Minute}
	signInsOfAll     = Rate{3000, 15 * time.Minute}
	looksOfAddress   = Rate{60, 15 * time.Minute} // at invitations
	testsOfUser      = Rate{20, 15 * time.Minute} // of the stored key, and of new ones
)

// proveWithin bounds how long Intervals.icu may take to know a key.
const proveWithin = 12 * time.Second

// proof is what Intervals.icu says of a credential.
type proof struct {
	athlete intervals.Athlete
	problem pages.SignInProblem // "" = it is good
	err     error               // for the log
}

// prove asks Intervals.icu whose credential it is.
func (s *Site) prove(ctx context.Context, c secrets.Credential) proof {
	ctx, cancel := context.WithTimeout(ctx, proveWithin)
	defer cancel()
	a, err := s.Upstream.Client(c).Athlete(ctx, "0")
	switch kind := intervals.KindOf(err); {
	case err == nil && identity.ValidUser(identity.UserID(a.ID())) && a.ID() != "0":
		return proof{athlete: a}
	case err == nil:
		return proof{problem: pages.SignInUnreachable, err: errors.New("the answer of Intervals.icu names no athlete")}
	case kind == intervals.Unauthorized || kind == intervals.Forbidden: // API.md 1.1: both mean a wrong key
		return proof{problem: pages.SignInRefused}
	default:
		return proof{problem: pages.SignInUnreachable, err: err}
	}
}

// signInPage is GET /account/signin.
func (v *visit) signInPage() {
	next := onward(v.r.URL.Query().Get(pages.FieldNext))
	if v.signedIn {
		v.redirect(next)
		return
	}
	v.askKey(http.StatusOK, &pages.SignIn{Next: next})
}

// askKey shows the sign-in form, with the client that waits behind it.
func (v *visit) askKey(status int, p *pages.SignIn) {
	p.Frame = v.frame(areaSignIn)
	p.Person = nil // somebody may be signed in whom the client wants to sign in anew
	if v.site.Hint != "" {
		p.Notice = pages.Notice{Kind: pages.Warning, Text: v.site.Hint}
	}
	if query, ok := strings.CutPrefix(p.Next, pages.PathAuthorize+"?"); ok && p.Client == nil {
		if a, err := v.site.Server.readCounted(v.r.Context(), query); err == nil { // over the limit it is not named
			p.Client = v.site.client(a)
		}
	}
	p.IntervalsURL = v.intervalsURL(p.Next, p.Invitation)
	v.show(status, p)
}

// invitation is GET /invite/{code}.
func (v *visit) invitation() {
	if !v.allowed("invite", addressKey(v.place.Address), looksOfAddress) {
		return
	}
	code := secrets.New(v.args[0])
	i, err := v.site.Identity.Invitation(v.r.Context(), code)
	switch {
	case errors.Is(err, identity.ErrNoInvitation):
		v.show(http.StatusNotFound, &pages.Invite{Frame: v.frame(areaSignIn)})
		return
	case err != nil:
		v.broken(err)
		return
	}
	p := &pages.Invite{Frame: v.frame(areaSignIn), Code: code.Reveal(), From: i.By, Expires: v.local(i.Expires), IntervalsURL: v.intervalsURL("", code.Reveal())}
	if i.By == "operator" { // the word for nobody in particular
		p.From = ""
	}
	v.show(http.StatusOK, p)
}

// signIn is POST /account/signin: a key, and maybe an invitation. However it
// ends, what is answered about a key that does not let in is the same.
func (v *visit) signIn() {
	if !v.accept(areaSignIn) {
		return
	}
	next, invitation, key := onward(v.r.PostForm.Get(pages.FieldNext)), v.field(pages.FieldInvitation), v.field(pages.FieldKey)
	again := func(p pages.SignInProblem) {
		v.askKey(signInStatus(p), &pages.SignIn{Next: next, Invitation: invitation, Problem: p})
	}
	cred := secrets.Credential{APIKey: secrets.New(key)}
	if key == "" {
		again(pages.SignInEmpty)
		return
	}
	if _, err := secrets.Encode(secrets.Key{APIKey: cred.APIKey}); err != nil { // no key looks like this
		again(pages.SignInRefused)
		return
	}
	if p := v.letIn(cred, secrets.New(invitation)); p != "" {
		again(p)
		return
	}
	if !v.told {
		v.redirect(next)
	}
}

func signInStatus(p pages.SignInProblem) int {
	switch p {
	case pages.SignInThrottled:
		return http.StatusTooManyRequests
	case pages.SignInUnreachable:
		return http.StatusServiceUnavailable
	}
	return http.StatusForbidden
}

// letIn proves a credential and begins a session, or says why not. A store
// that fails has been told (v.told).
func (v *visit) letIn(cred secrets.Credential, invitation secrets.Secret) pages.SignInProblem {
	ctx := v.r.Context()
	for _, l := range []struct {
		what, who string
		rate      Rate
	}{{"signin-address", addressKey(v.place.Address), signInsOfAddress}, {"signin-all", "all", signInsOfAll}} {
		if problem := v.tooOften(l.what, l.who, l.rate); problem != "" || v.told {
			return problem
		}
	}
	p := v.site.prove(ctx, cred)
	v.cause = p.err
	athlete := p.athlete
	who := athlete.ID()
	if p.problem != "" {
		// The same steps as for an athlete who is not admitted, about nobody:
		// how long it takes tells nothing.
		who = "nobody"
	}
	counted := identity.UserID(who)
	if p.problem != "" {
		counted += " " + addressKey(v.place.Address) // whose mistakes are nobody else's
	}
	if problem := v.tooOften("signin-athlete", counted, signInsOfAthlete); problem != "" || v.told {
		return problem
	}
	u, known, err := v.admitted(who, invitation)
	if p.problem != "" {
		return p.problem
	}
	if err == nil && !known {
		u, err = v.enrol(athlete, cred, invitation)
	}
	switch {
	case errors.Is(err, errNotAdmitted):
		return pages.SignInRefused
	case errors.Is(err, identity.ErrNoInvitation):
		return pages.SignInInvitation
	case err != nil:
		v.broken(err)
		return ""
	}
	if !v.keepKey(u, cred) {
		return ""
	}
	if err := v.admitTo(u, athlete.Timezone()); err != nil {
		v.broken(err)
	}
	return ""
}

// keepKey stores a user's credential. A person who deleted everything while
// Intervals.icu was asked about it leaves none: who deletes removes the key
// after the user once more, and who stores looks for the user afterwards, so
// that in whatever order they come, no key stays behind. Where it returns false
// the person has been told.
func (v *visit) keepKey(u identity.User, cred secrets.Credential) bool {
	ctx := v.r.Context()
	err := v.site.keep(ctx, u, cred)
	if err == nil {
		_, err = v.site.Identity.User(ctx, u.ID)
	}
	gone := errors.Is(err, identity.ErrNoUser)
	if gone {
		err = v.site.Keys.Delete(ctx, u.ID)
	}
	switch {
	case err != nil:
		v.broken(err)
	case gone:
		v.fail(pages.FormExpired)
	}
	return err == nil && !gone
}

// keep stores a user's credential unless it is the one that is there.
func (s *Site) keep(ctx context.Context, u identity.User, cred secrets.Credential) error {
	have, err := s.Keys.Credential(ctx, u.ID)
	if err == nil && sameText(have.APIKey.Reveal(), cred.APIKey.Reveal()) && sameText(have.Bearer.Reveal(), cred.Bearer.Reveal()) {
		return nil
	}
	if secrets.KindOf(err) == secrets.Throttled || secrets.KindOf(err) == secrets.Denied {
		return err
	}
	// A token reaches less than a key, such as none of a coach's athletes: it
	// takes the place of a key that is dead only.
	if cred.APIKey.IsZero() && err == nil && !have.APIKey.IsZero() && s.prove(ctx, have).problem != pages.SignInRefused {
		return nil
	}
	return s.Keys.Put(ctx, u.ID, secrets.Key{APIKey: cred.APIKey, Bearer: cred.Bearer, Athlete: u.Athlete, Stored: s.now()})
}

// tooOften counts an attempt to sign in.
func (v *visit) tooOften(what, who string, r Rate) pages.SignInProblem {
	ok, err := v.count(what, who, r)
	switch {
	case err != nil:
		v.broken(err)
	case !ok:
		return pages.SignInThrottled
	}
	return ""
}

// allowed counts an attempt at something else, and tells the person where it
// was one too many.
func (v *visit) allowed(what, who string, r Rate) bool {
	ok, err := v.count(what, who, r)
	switch {
	case err != nil:
		v.broken(err)
	case !ok:
		v.fail(pages.Throttled)
	}
	return ok && err == nil
}

func (v *visit) count(what, who string, r Rate) (bool, error) {
	if who == "" {
		return true, nil
	}
	ok, until, err := v.site.State.Allow(v.r.Context(), limitKey(what, who), r.Attempts, r.Window)
	if err == nil && !ok {
		v.w.Header().Set("Retry-After", strconv.Itoa(int(max(until.Sub(v.site.now()), time.Second)/time.Second)))
	}
	return ok, err
}

// signOut is POST /account/signout. From the consent page it goes on to the
// sign-in, for the person who is really meant.
func (v *visit) signOut() {
	if !v.signedIn {
		v.redirect(pages.PathLanding)
		return
	}
	if !v.accept(everyArea...) {
		return
	}
	to := pages.PathLanding
	if f, err := v.openFlow(v.field(pages.FieldFlow)); err == nil {
		to = pages.PathSignIn + "?" + url.Values{pages.FieldNext: {pages.PathAuthorize + "?" + f.Query}}.Encode()
	}
	v.leave()
	v.redirect(to)
}
