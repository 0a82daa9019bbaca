// Package pages renders what a person sees in the browser: the landing page,
// signing in, consent, the account, invitations and errors (auth.md "Consent
// page", "Account page").
//
// Every page is a plain struct that a handler fills and Set.Render writes. The
// templates escape everything; names that a client or another person chose are
// shown as data, bounded in length and without characters that hide or turn
// text round. Nothing here decides or reads a request: paths.go says which
// fields the forms send and where to.
//
// There is one stylesheet and one script of a few lines for the copy buttons;
// without it every page does all it does. No page asks another host for
// anything, none holds inline script or style, and each is at most MaxPage
// bytes: long differences are spread over pages.
package pages
