// Package dynamo keeps users, tokens, connections and notes in one DynamoDB
// table.
//
// Key pk (string) and sk (string); attribute ttl (number, Unix seconds) is the
// table's time to live; no index.
//
//	pk               sk     what
//	tok#<sha256hex>  tok    a token's record (identity.Token.Fields); ttl once it ends
//	user#<user id>   user   a user's record (identity.Account.Fields), rev, tokens: a
//	                        list of the hashes of the user's tokens, and
//	                        connections: a list of maps
//	used#<token id>  used   when the token or connection was last used: at; ttl
//	ref#<hash>       ref    from a code or refresh token to its connection, sealed; ttl
//	invite#<hash>    invite an invitation; ttl
//	client#<hash>    client a registered client or a cached metadata document; ttl
//
// The authorizer reads tok# items only (GetItem, strongly consistent), and the
// mcp function only updates used# items, so that its role can be confined to
// them by dynamodb:LeadingKeys. Every change of a user, of their tokens or of
// their connections is one TransactWriteItems under the condition that the user's rev is still the one
// that was read; rev is random, so that a user removed and added again is not
// taken for the one before. Listing all users scans the table: it is for the
// operator, and a thousand users are a few megabytes.
package dynamo
