// Package identity says who makes a request and what they may do.
//
// Identity comes only from the authorizer (on a laptop: from the program that
// started the server), never from a tool argument or a client's header. The
// edge puts it into the request's context; tools read it from there.
package identity
