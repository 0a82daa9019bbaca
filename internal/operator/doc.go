// Package operator holds the commands of the person who runs a deployment:
// users, tokens, connections, audit, undo and doctor.
//
// Run reads a command's flags, opens the stores it works on and does what it
// says. The stores are a data folder (package folder) or a stack in AWS
// (package stack); a program gives Run those that it links. The program for
// people links no AWS SDK, whose package variables alone would cost every start
// of stdio some milliseconds and megabytes: with --stack it hands over to
// intervals-mcp-stack (docs/decisions/010-stack-program.md).
//
// What a person reads goes to stdout, as a table or, with --json, for programs;
// questions, notes and progress go to stderr, the latter on a terminal only. A
// key comes from a prompt without echo or from stdin, and no output ever holds
// one. A token or an invitation is printed once, by the command that makes it.
//
// An undo, and the outcome of a change whose process was killed, take the road of
// every change (package change), with the key of the user whose change it is.
// The log names the operator as their client.
//
// The audit log is append-only to everything else in this repository; `audit
// purge` is the one way to delete from it, by Stores.Purger.
package operator
