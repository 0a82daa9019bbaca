package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Policy is the Content-Security-Policy of a page: its own stylesheet and
// pictures, its script where it has one, no frames in either direction, and
// forms that lead here or, from the consent page, on to the validated redirect
// address: Chromium holds redirects after a form to form-action.
func Policy(script bool, returnTo string) string {
	p := "default-src 'none'; style-src 'self'; img-src 'self'; "
	if script {
		p += "script-src 'self'; "
	}
	return p + "form-action " + strings.Join(append([]string{"'self'"}, formTargets(returnTo)...), " ") +
		"; frame-ancestors 'none'; base-uri 'none'"
}

// families are origins that answer each other: the address that a code is sent
// to sends the person on to another one, or to its own program, and a browser
// that holds form-action to every redirect would stop there without a word.
var families = [][]string{
	{"https://claude.ai", "https://claude.com", "claude:"},
	{"https://chatgpt.com", "https://platform.openai.com"},
}

// formTargets gives the sources of form-action for a redirect address; none
// for what is not an address.
func formTargets(address string) []string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return nil
	}
	var source string
	switch {
	case (u.Scheme == "https" || u.Scheme == "http") && sourceText(u.Host):
		source = u.Scheme + "://" + strings.ToLower(u.Host)
	case u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "javascript" && u.Scheme != "data" && u.Scheme != "" && sourceText(u.Scheme):
		source = u.Scheme + ":"
	default:
		return nil
	}
	for _, f := range families {
		if slices.Contains(f, source) {
			return f
		}
	}
	return []string{source}
}

// astray reports whether an address leads to others than the host that published
// a client and those who answer for it. Anybody can put a document on a host that
// serves files of strangers, which says nothing of where the access goes.
func astray(publisher, returnTo string) bool {
	return !slices.Contains(formTargets(returnTo), "https://"+strings.ToLower(publisher))
}

// sourceText refuses what would end the source or the directive in a policy.
func sourceText(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789.-:+[]") == ""
}

// SetHeaders sets the headers of a page on an origin (of the form
// https://mcp.example.com). Handlers need it only for answers that are not
// pages: redirects and downloads.
func SetHeaders(h http.Header, origin string) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY") // for browsers older than frame-ancestors
	// Not no-referrer: with it a browser sends `Origin: null` with our own
	// forms, and a handler could not tell them from a foreign one.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if strings.HasPrefix(origin, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

func (a about) setHeaders(h http.Header, origin string) {
	SetHeaders(h, origin)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", Policy(a.script, a.returnTo))
	// A client may have opened the sign-in in a popup and wait for its own
	// callback page to speak to the opener: cutting the tie would leave it
	// waiting. No other page has anything to do with whoever opened it.
	if !a.flow {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
}
