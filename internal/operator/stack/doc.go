// Package stack opens a deployment in AWS for the operator's commands, with the
// operator's own credentials, found as every AWS tool finds them (environment,
// profiles, single sign-on).
//
// Names of tables and secrets are read from the CloudFormation stack's outputs.
// It links the whole AWS SDK, so only intervals-mcp-stack imports it.
package stack
