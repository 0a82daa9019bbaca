// Command oauth is the Lambda function of everything that a person or a client
// does to be let in: the authorization server, the landing page, signing in,
// consent and the account. It only wires; what it serves is internal/oauth.
//
// On AWS its stores are the stack's: users and their tokens in the identity
// table, keys in Secrets Manager, the audit log and plans in their tables, since
// approving and undoing a change takes the same road as a tool's. The key that
// cookies are signed with is a secret that the stack makes. Under sam local with
// API_KEY set everything is in memory, and forgotten with the container.
package main
