// Package secrets holds what must not be printed and finds each user's
// Intervals.icu credential.
//
// A Secret can be carried anywhere and formatted by anything without being
// shown. A Store gives the credential of one user of this deployment; on a
// laptop there is one user whose key comes from the environment (Single).
//
// A Keeper can also be written, by operator commands and the account page. There
// are three: Memory here, Secrets Manager in secrets/secretsmanager, and SQLite
// in internal/embedded, whose file is readable by its owner only and holds the
// keys as they are. Package secretstest holds what all three must do. On Lambda
// a Cache stands before the Keeper, so that Secrets Manager is asked once in five
// minutes for each user.
//
// A value is stored as JSON {"v":1,"api_key":"...","athlete_id":"..."} under
// <prefix>/users/<user id>. What can be wrong with it is an Error of its own
// Kind, whose text says what to do and never what the value is.
package secrets
