// Package awsenv reads what a Lambda function's environment says of AWS and of
// the stack's stores (stores.go), and refuses to start where it says what must
// not be there.
//
// A deployed function takes no key and no token from its environment and talks
// to AWS and Intervals.icu only. Under `sam local` (AWS_SAM_LOCAL=true) the same
// variables are how a person without an account tries it out. The rehearsal and
// the tests point endpoints at an emulator on loopback, which is allowed
// anywhere: nothing secret leaves the machine that way.
//
// Clients are built from the environment's credentials, without
// config.LoadDefaultConfig: that costs 7 ms of every cold start and brings in
// sso, sts and instance metadata, none of which a Lambda uses. Package awstest
// starts the emulator that tests talk to.
package awsenv
