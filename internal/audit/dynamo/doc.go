// Package dynamo keeps the audit log in a DynamoDB table.
//
//	pk   u#<user>                       (string, partition key)
//	sk   <time>#<request>#<n>#<phase>   (string, sort key)
//	item                                the item as JSON (audit.Item)
//	ttl                                 when it expires, Unix seconds: the table's time to live
//
// Heads alone also carry day and athlete, the partition keys of the two indexes
// of those names (sort key sk, all attributes projected), and tool, status and
// summary for whoever looks at the table in the console.
//
// Items are only ever added: each write is a TransactWriteItems of Puts under
// the condition that no such item exists, which takes dynamodb:PutItem and
// nothing else; reading takes dynamodb:Query on the table and its indexes. A
// single item is written as a transaction too, because its request token makes
// the SDK's own retry after a lost answer harmless.
//
// A user's own changes are read strongly consistent. The indexes follow within
// a second or so.
package dynamo
