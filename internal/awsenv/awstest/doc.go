// Package awstest gives tests AWS over a real wire: emulators on loopback.
//
// Env is moto, the moto_server of .tools/moto (`make moto`) or of PATH. Where
// AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SECRETS_MANAGER are set, those
// servers are used instead. Strict is dynalite (`make tools`), a second opinion
// on DynamoDB. Each is started once for each test process and ends with it.
// Where one is missing, tests are skipped with a word that says how to get it;
// with CI=true they fail.
//
//	                                        moto     dynalite
//	Secrets Manager                         yes      no
//	TransactWriteItems                      yes      no: this package plays it, write by write
//	transactions kept apart                 no: this package does it      no: this package does it
//	a range that ends before it begins      taken    refused, as by DynamoDB
//	a reserved word in a key condition      taken    refused, as by DynamoDB
//	an empty key of an index                refused  taken, unlike DynamoDB
//
// Both refuse, as DynamoDB does, an empty key, a key twice in BatchGetItem, an
// item over 400 KB, reserved words in other expressions and unused placeholders.
// Neither knows a transaction's request token, its conflicts with other
// transactions, throttling, or who may do what: Faults, Canceling and the
// rehearsal do.
//
// Faults stands in the way of requests, to play a store that throttles, refuses
// or cannot be reached.
package awstest
