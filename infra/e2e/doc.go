// Package e2e runs the Lambda functions as AWS does, in the Runtime Interface
// Emulator (`make rie`): each file of events/ is answered by the release build
// of its function.
package e2e
