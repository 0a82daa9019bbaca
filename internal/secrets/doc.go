// Package secrets holds what must not be printed and finds each user's
// Intervals.icu credential.
//
// A Secret can be carried anywhere and formatted by anything without being
// shown. A Store gives the credential of one user of this deployment; on a
// laptop there is one user whose key comes from the environment.
package secrets
