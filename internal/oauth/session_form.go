package oauth

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"intervals-mcp/internal/oauth/pages"
)

// maxForm bounds a form: a consent form carries the client's request.
const maxForm = 64 << 10

// area is a page whose forms have a proof of their own: what a form of one
// page holds is no good for another.
type area string

// The areas.
const (
	areaSignIn      area = "signin" // before there is a session
	areaConsent     area = "consent"
	areaConnections area = "connections"
	areaTokens      area = "tokens"
	areaChanges     area = "changes"
	areaHistory     area = "history"
	areaKey         area = "key"
	areaMine        area = "mine"
	areaOther       area = "other" // pages whose only form is that for signing out
)

var everyArea = []area{areaConsent, areaConnections, areaTokens, areaChanges, areaHistory, areaKey, areaMine, areaOther}

// csrf is the proof in an area's forms. It is bound to the session, or for
// signing in to a cookie that the form's page set (signed double submit).
func (v *visit) csrf(a area) string {
	about := v.session.Nonce
	if a == areaSignIn {
		about = v.browser()
	}
	return v.keys.word("csrf "+string(a), about)
}

// browser is the random name of a browser in which nobody has signed in yet;
// it gets one when a form first needs it.
func (v *visit) browser() string {
	if v.browserName != "" {
		return v.browserName
	}
	var name string
	if v.keys.open("browser", v.jar.get(v.r, cookieBrowser), &name) == nil && name != "" {
		v.browserName = name
		return name
	}
	v.browserName = nonce()
	if value, err := v.keys.seal("browser", v.browserName); err == nil {
		v.jar.set(v.w, cookieBrowser, value, 0)
	}
	return v.browserName
}

// accept reads a form and checks that one of our own pages sent it, in an area
// of those given. Where it returns false the person has been told.
func (v *visit) accept(areas ...area) bool {
	if v.ownForm() && slices.ContainsFunc(areas, func(a area) bool { return sameText(v.r.PostForm.Get(pages.FieldCSRF), v.csrf(a)) }) {
		return true
	}
	if !v.told {
		v.fail(pages.FormExpired)
	}
	return false
}

// ownForm reads the form. A browser says where a form comes from; the proof in
// the form would be enough, this is the second lock.
func (v *visit) ownForm() bool {
	if origin := v.r.Header.Values("Origin"); len(origin) > 1 || len(origin) == 1 && !strings.EqualFold(origin[0], v.place.Issuer) {
		return false
	}
	switch v.r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	if media, _, err := mime.ParseMediaType(v.r.Header.Get("Content-Type")); err != nil || media != contentForm {
		v.fail(pages.BadRequest)
		return false
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	err := v.r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		v.fail(pages.TooLarge)
	case err != nil:
		v.fail(pages.BadRequest)
	}
	return err == nil
}

// field gives a form's field, without the spaces that copying adds.
func (v *visit) field(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }

// onward checks where a form wants to go on: only to pages of ours that a
// person may be sent to, else to the account. An address that another server
// could answer is none of them.
func onward(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Opaque != "" || u.Host != "" || u.User != nil || u.Fragment != "" ||
		strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return pages.PathAccount
	}
	path := u.EscapedPath()
	if strings.Contains(path, "..") || strings.Contains(path, "//") {
		return pages.PathAccount
	}
	if path == pages.PathAuthorize || path == pages.PathAccount ||
		strings.HasPrefix(path, pages.PathAccount+"/") && !strings.HasPrefix(path, pages.PathSignIn) && !strings.HasPrefix(path, pages.PathSignOut) {
		return next
	}
	return pages.PathAccount
}
