// Package identity says who makes a request and what they may do.
//
// Identity comes only from the authorizer (on a laptop: from the program that
// started the server), never from a tool argument or a client's header. The
// edge puts it into the request's context; tools read it from there.
//
// Behind the authorizer stand users and their bearer tokens. A token is shown
// once and stored as its SHA-256; its record holds everything the authorizer
// needs, so that one read decides. Store is what operators and the account page
// use: it keeps a user and their tokens consistent. It stands on a Table, of
// which there are three: Memory here, DynamoDB in identity/dynamo, and SQLite
// in internal/embedded. Package identitytest holds what all three must do.
//
// For the authorization server Store keeps more. A Connection is a client to
// which a person said yes. Authorize makes it, with a code; Redeem exchanges the
// code and Refresh each refresh token for the next, with an access token, whose
// record is as self-contained as a personal token's. Everything of a user changes
// under one condition, the account's Rev: when RevokeConnection, ChangeConnection
// or RemoveUser returns, no token works in the old way, and none that another
// process was about to issue does. Clients, invitations, and what leads from a
// code or refresh token to its connection are notes: small records with an end.
//
// A record carries its schema version. An older one is read, with defaults for
// what it lacks; a newer one is refused (ErrNewer) and nothing is changed.
package identity
