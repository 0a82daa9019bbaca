package oauth

import (
	"time"

	"intervals-mcp/internal/oauth/pages"
)

// broken tells that a store does not answer, and logs why.
func (v *visit) broken(err error) {
	v.cause = err
	v.fail(pages.Unavailable)
}

func (v *visit) fail(kind pages.FailureKind) {
	v.show(kind.Status(), &pages.Failure{Frame: v.bare(), Kind: kind, RequestID: v.place.RequestID})
}

// show answers with a page.
func (v *visit) show(status int, p pages.Page) {
	v.told = true
	if err := v.site.pages.Render(v.w, status, p); err != nil && v.cause == nil {
		v.cause = err
	}
}

// redirect sends the browser to a page of ours; after a form by 303, so that
// going back does not send it again.
func (v *visit) redirect(to string) {
	v.told = true
	pages.SetHeaders(v.w.Header(), v.place.Issuer)
	SendBack(v.w, v.r, to)
}

// done goes on to a page that says what was just done.
func (v *visit) done(to string, n notice) {
	v.jar.set(v.w, cookieNotice, string(n), time.Minute)
	v.redirect(to)
}

// notice is what the next page says, by a word of ours: whatever stands in the
// cookie, nothing else is ever shown.
type notice string

const (
	noticeRevoked      notice = "revoked"
	noticeChanged      notice = "changed"
	noticeTokenRevoked notice = "token-revoked"
	noticeReplaced     notice = "replaced"
	noticeForgotten    notice = "forgotten"
	noticeDropped      notice = "dropped"
)

var noticeTexts = map[notice]string{
	noticeRevoked:      "The connection is revoked. It stopped working at once.",
	noticeChanged:      "Saved. It counts from the next request on.",
	noticeTokenRevoked: "The token is revoked. It stopped working at once.",
	noticeReplaced:     "The key is stored. Your connections go on working.",
	noticeForgotten:    "The key is deleted here. All connections and tokens are revoked.",
	noticeDropped:      "Dropped. Nothing was changed.",
}

// bare is the frame of a page without forms of an area.
func (v *visit) bare() pages.Frame {
	f := pages.Frame{Origin: v.place.Issuer}
	if v.signedIn {
		f.Person = &pages.Person{Name: v.user.Name, Athlete: v.user.Athlete, Coach: v.user.Coach}
		f.CSRF = v.csrf(areaOther)
	}
	return f
}

// frame is what an area's page has around it.
func (v *visit) frame(a area) pages.Frame {
	f := v.bare()
	f.CSRF = v.csrf(a)
	if text, ok := noticeTexts[notice(v.jar.get(v.r, cookieNotice))]; ok {
		f.Notice = pages.Notice{Kind: pages.Done, Text: text}
		v.jar.set(v.w, cookieNotice, "", -1)
	}
	if !v.signedIn {
		return f
	}
	f.Zone = v.zone().String()
	if waiting, err := v.waiting(); err == nil { // the number in the menu is no reason to fail
		f.Waiting = len(waiting)
	}
	return f
}

// zone is the person's time zone, as Intervals.icu knew it when they signed in.
func (v *visit) zone() *time.Location {
	return visitZone(v.session.Zone)
}

func visitZone(name string) *time.Location {
	if loc, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return loc
	}
	return time.UTC
}

func (v *visit) local(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(v.zone())
}
