// Package oauth is the authorization server: a person connects an assistant to
// this deployment by pasting one URL and signing in (auth.md).
//
// It stands on the same origin as the endpoint, with default paths, because
// clients guess them (reference/mcp/05). The protocol is here: metadata
// documents (RFC 9728, RFC 8414), registration (RFC 7591) and client ID metadata
// documents (clientdoc), authorization code with PKCE S256 only (RFC 7636),
// resource indicators (RFC 8707), the issuer in every answer (RFC 9207), token
// and refresh with rotation, revocation (RFC 7009). What a grant is, and how it
// is kept so that a code is used once and a refresh token is not stolen
// unnoticed, is package identity's matter.
//
// A Site is what a person sees in the browser: signing in (signin.go), consent,
// the account page. Who they are stands in a signed cookie that names the user's
// epoch (session.go); a form counts only with the proof of its own page and
// session (session_form.go). A change that waits is approved, and one of the
// history undone, on the same road as a tool's: package change.
//
// The order of checks at /authorize is the heart of it: client, then redirect
// address, then everything else. Before the first two hold, nothing is ever
// redirected.
package oauth
