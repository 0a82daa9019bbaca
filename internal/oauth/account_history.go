package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/pages"
)

const queryBefore = "before"

// A change of another user than the person has that user before its id, so that
// its page is found by one read: "i7:c-...".
const ofUser = ":"

func (v *visit) entryID(user string, id audit.ID) string {
	if id.IsZero() {
		return ""
	}
	if user == v.user.ID {
		return id.String()
	}
	return user + ofUser + id.String()
}

func (v *visit) parseEntry(text string) (user string, id audit.ID, err error) {
	user, rest, found := strings.Cut(text, ofUser)
	if !found {
		user, rest = v.user.ID, text
	}
	if !identity.ValidUser(user) { // a key that a store would choke on, and no user's
		return user, id, errNotTheirs
	}
	id, err = audit.ParseID(rest)
	return user, id, err
}

// before is the change before which a list of several pages goes on, zero where
// it begins. Where that is no id the answer is given, and ok is false.
func (v *visit) before() (id audit.ID, ok bool) {
	text := v.r.URL.Query().Get(queryBefore)
	if text == "" {
		return id, true
	}
	id, err := audit.ParseID(text)
	if err != nil {
		v.fail(pages.BadRequest)
		return id, false
	}
	return id, true
}

// history is GET /account/history: what was changed for the person, and what
// anybody changed of them.
func (v *visit) history() {
	before, ok := v.before()
	if !ok {
		return
	}
	past, more, err := v.site.Changes.History(v.r.Context(), change.Scope{Users: v.mineUsers(), Athlete: v.user.Athlete}, before, pages.EntriesPerPage)
	if err != nil {
		v.broken(err)
		return
	}
	details, err := v.details(past)
	if err != nil {
		v.broken(err)
		return
	}
	p := &pages.History{Frame: v.frame(areaHistory), Days: v.site.retention(), Entries: make([]pages.Entry, len(past))}
	for i, h := range past {
		p.Entries[i] = v.entryView(h, details[i], past)
	}
	if more {
		p.Older = pages.PathHistory + "?" + url.Values{queryBefore: {past[len(past)-1].ID.String()}}.Encode()
	}
	if !before.IsZero() {
		p.Newest = pages.PathHistory
	}
	v.show(http.StatusOK, p)
}

// details reads the differences of a page's changes at the same time.
func (v *visit) details(past []change.Past) ([][]change.ObjectResult, error) {
	out, errs := make([][]change.ObjectResult, len(past)), make([]error, len(past))
	var wg sync.WaitGroup
	for i, h := range past {
		wg.Go(func() { _, out[i], errs[i] = v.site.Changes.Detail(v.r.Context(), h.User, h.ID) })
	}
	wg.Wait()
	for i, err := range errs {
		if errors.Is(err, change.ErrNoChange) { // purged between the two reads
			errs[i] = nil
		}
	}
	return out, errors.Join(errs...)
}

// entryView is a change as the pages show it; newer are changes that may have
// undone it.
func (v *visit) entryView(h change.Past, objects []change.ObjectResult, newer []change.Past) pages.Entry {
	e := pages.Entry{ID: v.entryID(h.User, h.ID), When: v.local(h.Time), Client: whoAsked(h.Connection, h.Client), Athlete: v.other(h.Athlete), Summary: h.Summary, Status: h.Status,
		Reason: h.Reason, Objects: objectViews(objects), UndoneBy: v.undoer(h, newer), CanUndo: v.canUndo(h)}
	if !v.isMine(h.User) {
		e.By = h.User
	}
	if len(h.Undoes) > 0 {
		e.Undid = v.entryID(h.User, h.Undoes[0])
	}
	return e
}

// undoer is the page of the change that undid one, whoever made it; "" where
// that is not known.
func (v *visit) undoer(h change.Past, newer []change.Past) string {
	if h.UndoneBy.IsZero() {
		return ""
	}
	for _, n := range newer {
		if n.ID == h.UndoneBy {
			return v.entryID(n.User, n.ID)
		}
	}
	for _, user := range append(v.mineUsers(), h.User) {
		if n, _, err := v.site.Changes.Detail(v.r.Context(), user, h.UndoneBy); err == nil {
			return v.entryID(n.User, n.ID)
		}
	}
	return ""
}

func (v *visit) isMine(user string) bool {
	for _, u := range v.mineUsers() {
		if u == user {
			return true
		}
	}
	return false
}

// canUndo says whether the button is of use; the plan for undoing decides.
func (v *visit) canUndo(h change.Past) bool {
	return (h.Status == string(audit.Applied) || h.Status == string(audit.Unknown)) && h.UndoneBy.IsZero() && !strings.HasPrefix(h.Undoable, "no")
}

// theEntry gives the change that the path names, if the person may see it: they
// made it, or it is about them.
func (v *visit) theEntry() (h change.Past, objects []change.ObjectResult, ok bool) {
	user, id, err := v.parseEntry(v.args[0])
	if err != nil {
		v.fail(pages.NotFound)
		return h, nil, false
	}
	h, objects, err = v.site.Changes.Detail(v.r.Context(), user, id)
	switch {
	case errors.Is(err, change.ErrNoChange), err == nil && !v.isMine(h.User) && h.Athlete != v.user.Athlete:
		v.fail(pages.NotFound)
		return h, nil, false
	case err != nil:
		v.broken(err)
		return h, nil, false
	}
	return h, objects, true
}

// entry is GET /account/history/{id}.
func (v *visit) entry() {
	h, objects, ok := v.theEntry()
	if !ok {
		return
	}
	from, _ := strconv.Atoi(v.r.URL.Query().Get(pages.FieldFrom)) // what is no number is the beginning
	v.show(http.StatusOK, &pages.HistoryEntry{Frame: v.frame(areaHistory), Entry: v.entryView(h, objects, nil), From: from})
}

// undo is POST /account/history/{id}/undo. What it would do is shown first,
// whatever it is; it is made when that is approved.
func (v *visit) undo() {
	if !v.accept(areaHistory) {
		return
	}
	h, _, ok := v.theEntry()
	if !ok {
		return
	}
	c, err := v.call(v.user.ID, h.Athlete)
	if err == nil {
		c.Tool = "undo_change"
		var today string
		if today, err = v.today(v.r.Context(), c); err == nil {
			var r *change.Result
			if r, err = v.site.Changes.Do(v.r.Context(), c, change.Undo{IDs: []audit.ID{h.ID}, User: h.User, Today: today}); err == nil {
				v.outcome(pages.Undone, r, h.Athlete)
				return
			}
		}
	}
	v.cannot(pages.Undone, h.Summary, err)
}
