// Package state keeps what lives for minutes: plans that await their
// confirmation, the uses of confirmations, and counts for rate limits. It is
// kept in DynamoDB (package dynamo) or in the SQLite file of a laptop (package
// embedded); Memory serves tests and the demo. Package statetest holds the
// behaviour that all of them share.
//
// A confirmation is used and the head intent of its change is written by one
// method, Use, in one transaction: there is no moment in which a confirmation
// is spent and nothing is recorded, nor one in which a change has begun and its
// confirmation could be used again (safety.md 3).
package state
