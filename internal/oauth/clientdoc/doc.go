// Package clientdoc reads what an OAuth client says of itself: the metadata of
// RFC 7591, sent to /register or published as a client ID metadata document.
//
// A document lives at a URL that is also the client's id, and anybody may name
// any URL to this server. So it is fetched warily (Fetcher): https to a public
// address only, checked after DNS and again when connecting, no redirects,
// little time and few bytes; what can be learned from a failure is always the
// same. What is read is text of strangers: names are for display, escaped.
package clientdoc
