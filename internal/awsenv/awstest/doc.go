// Package awstest gives tests AWS over a real wire: a moto server on loopback.
//
// It starts the moto_server of .tools/moto (`make moto`) or of PATH, once for
// each test process, and it ends with that process. Where
// AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SECRETS_MANAGER are set, those
// servers are used instead. Without any, tests are skipped with a word that
// says how to get one; with CI=true they fail.
//
// Faults stands in the way of requests, to play a store that throttles, refuses
// or cannot be reached.
package awstest
