package oauth

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// accountName is the connection and client of what a person does here by
// themselves, in the audit log.
const accountName = "account page"

// mineUsers lists the users of this deployment who are this person.
func (v *visit) mineUsers() []string {
	users := []string{v.user.ID}
	if alias := v.site.Alias(v.r.Context(), v.user); alias != "" && alias != v.user.ID {
		users = append(users, alias)
	}
	return users
}

// waiting lists the plans that wait for the person, newest first.
func (v *visit) waiting() ([]state.Waiting, error) {
	var all []state.Waiting
	for _, user := range v.mineUsers() {
		list, err := v.site.State.Waiting(v.r.Context(), user)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b state.Waiting) int { return b.Created.Compare(a.Created) })
	return all, nil
}

// pending finds a plan of the person's by its handle.
func (v *visit) pending(handle string) (state.Waiting, *change.Result, error) {
	for _, user := range v.mineUsers() {
		w, r, err := v.site.Changes.Pending(v.r.Context(), user, handle)
		if !errors.Is(err, state.ErrNotFound) {
			return w, r, err
		}
	}
	return state.Waiting{}, nil, state.ErrNotFound
}

// waitingChanges is GET /account/changes.
func (v *visit) waitingChanges() {
	list, err := v.waiting()
	if err != nil {
		v.broken(err)
		return
	}
	p := &pages.Changes{Now: v.local(v.site.now())}
	for _, w := range list {
		w, r, err := v.pending(w.Handle)
		if errors.Is(err, state.ErrNotFound) || errors.Is(err, state.ErrUsed) {
			continue // it was answered a moment ago
		}
		if err != nil {
			v.broken(err)
			return
		}
		p.Pending = append(p.Pending, v.pendingView(w, r))
	}
	p.Frame = v.frame(areaChanges)
	v.show(http.StatusOK, p)
}

// waitingChange is GET /account/changes/{handle}: where a link from a chat
// leads.
func (v *visit) waitingChange() {
	w, r, err := v.pending(v.args[0])
	if err != nil {
		v.noPlan(err)
		return
	}
	from, _ := strconv.Atoi(v.r.URL.Query().Get(pages.FieldFrom)) // what is no number is the beginning
	v.show(http.StatusOK, &pages.Change{Frame: v.frame(areaChanges), Pending: v.pendingView(w, r), From: from, Now: v.local(v.site.now())})
}

func (v *visit) noPlan(err error) {
	if errors.Is(err, state.ErrNotFound) || errors.Is(err, state.ErrUsed) {
		v.fail(pages.ChangeGone)
		return
	}
	v.broken(err)
}

func (v *visit) pendingView(w state.Waiting, r *change.Result) pages.Pending {
	return pages.Pending{ID: w.Handle, Client: whoAsks(w.Connection, w.Client), Athlete: v.other(w.Athlete), Summary: w.Summary, Warnings: r.Warnings,
		Objects: planViews(r.Objects), Asked: v.local(w.Created), Expires: v.local(w.Expires)}
}

// other gives an athlete who is not the person, "" for the person.
func (v *visit) other(athlete string) string {
	if athlete == v.user.Athlete {
		return ""
	}
	return athlete
}

// drop is POST /account/changes/{handle}/drop.
func (v *visit) drop() {
	if !v.accept(areaChanges) {
		return
	}
	w, _, err := v.pending(v.args[0])
	if err != nil {
		v.noPlan(err)
		return
	}
	if err := v.site.Changes.Drop(v.r.Context(), w.User, w.Handle); err != nil {
		v.broken(err)
		return
	}
	v.done(pages.PathChanges, noticeDropped)
}

// approve is POST /account/changes/{handle}/approve: the tap without which
// nothing is written under the setting person. In the log it is the change of
// the connection that asked.
func (v *visit) approve() {
	if !v.accept(areaChanges) {
		return
	}
	handle := v.args[0]
	w, ok := v.waitingOf(handle)
	if !ok {
		return
	}
	c, err := v.call(w.User, w.Athlete)
	if err != nil {
		v.cannot(pages.Approved, w.Summary, err)
		return
	}
	c.Identity.Connection, c.Identity.Client = w.Connection, w.Client
	if !w.Person { // a fresh preview may be confirmed by whom the first one was given to
		c.Identity.Confirm = identity.ConfirmAll
	}
	r, err := v.site.Changes.Approve(v.r.Context(), c, handle)
	if err != nil {
		v.cannot(pages.Approved, w.Summary, err)
		return
	}
	v.outcome(pages.Approved, r, w.Athlete)
}

// waitingOf finds a plan that may have been used: then what came of it is told.
func (v *visit) waitingOf(handle string) (state.Waiting, bool) {
	for _, user := range v.mineUsers() {
		w, err := v.site.Changes.Waiting(v.r.Context(), user, handle)
		if errors.Is(err, state.ErrNotFound) {
			continue
		}
		if err != nil {
			v.broken(err)
			return w, false
		}
		return w, true
	}
	v.fail(pages.ChangeGone)
	return state.Waiting{}, false
}

// errNotTheirs says that an athlete is not (or no longer) the person's to change.
var errNotTheirs = errors.New("oauth: the athlete is not within reach of the user")

// call is what a change is made with: the key of one of the person's users.
func (v *visit) call(user, athlete string) (change.Call, error) {
	if athlete == "" {
		athlete = v.user.Athlete
	}
	// A plan of the same person's other user was made with that user's key and
	// reaches no further.
	if user == v.user.ID && athlete != v.user.Athlete && (!v.user.Coach || !slices.Contains(v.user.Athletes, athlete)) {
		return change.Call{}, errNotTheirs
	}
	cred, err := v.site.Keys.Credential(v.r.Context(), user)
	if err != nil {
		return change.Call{}, err
	}
	return change.Call{Client: v.site.Upstream.Client(cred), Athlete: athlete, Me: v.user.Athlete, Identity: identity.Identity{
		User: user, Athlete: v.user.Athlete, Athletes: v.user.Athletes, Coach: v.user.Coach, Scopes: []identity.Scope{identity.ScopeRead, identity.ScopeWrite},
		Connection: accountName, Client: accountName, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmPerson}}, nil
}

// cannot tells why a change was not even begun.
func (v *visit) cannot(verb pages.Verb, summary string, err error) {
	v.cause = err
	reason := ""
	switch kind := intervals.KindOf(err); {
	case errors.Is(err, errNotTheirs):
		reason = "The athlete is not, or no longer, among those whom you reach here. Nothing was changed."
	case errors.Is(err, secrets.ErrNotFound):
		reason = "No Intervals.icu key of yours is stored here, so nothing was changed. Give it on the page of your key, then try again."
	case kind == intervals.Unauthorized || kind == intervals.Forbidden:
		reason = "Intervals.icu no longer accepts your key, so nothing was changed. Replace it on the page of your key, then try again."
	case kind == intervals.NotFound:
		reason = "What should be changed is no longer there at Intervals.icu. Nothing was changed."
	case kind != 0:
		v.fail(pages.Upstream)
		return
	default:
		v.fail(pages.Unavailable)
		return
	}
	v.show(http.StatusConflict, &pages.Outcome{Frame: v.frame(areaChanges), Verb: verb, Status: string(change.RefusedNow), Summary: summary, Reason: reason, Now: v.local(v.site.now())})
}

// outcome shows what came of approving or undoing. A preview is one more change
// that waits.
func (v *visit) outcome(verb pages.Verb, r *change.Result, athlete string) {
	now := v.site.now()
	p := &pages.Outcome{Verb: verb, Status: string(r.Status), ChangeID: r.ChangeID, Summary: r.Summary, Reason: r.Reason, Warnings: r.Warnings,
		Objects: objectViews(r.Objects), Now: v.local(now)}
	if r.Status == change.Preview {
		handle := r.Confirmation
		if handle == "" {
			handle = path.Base(r.ApproveURL)
		}
		p.Again = &pages.Pending{ID: handle, Athlete: v.other(athlete), Summary: r.Summary, Warnings: r.Warnings,
			Objects: planViews(r.Objects), Asked: v.local(now)}
		if r.Expires != nil {
			p.Again.Expires = v.local(*r.Expires)
		}
	}
	p.Frame = v.frame(areaChanges)
	v.show(http.StatusOK, p)
}

// today is the day of an athlete, at whose place it is.
func (v *visit) today(ctx context.Context, c change.Call) (string, error) {
	zone := v.zone()
	if c.Athlete != v.user.Athlete || v.session.Zone == "" {
		a, err := c.Client.Athlete(ctx, c.Athlete)
		if err != nil {
			return "", err
		}
		zone = visitZone(a.Timezone())
	}
	return v.site.now().In(zone).Format("2006-01-02"), nil
}
