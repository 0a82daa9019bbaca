// Package secretsmanager keeps users' Intervals.icu keys in AWS Secrets Manager,
// one secret for each user, named <prefix>/users/<user id>.
//
// The mcp function reads (secretsmanager:GetSecretValue on
// <prefix>/users/*, and kms:Decrypt where the operator chose a key of their own)
// through secrets.Cache. The operator's commands and the account page also write:
// CreateSecret with TagResource, PutSecretValue, RestoreSecret, DeleteSecret.
//
// A deleted secret is deleted without a recovery window. Its name may stay
// blocked for a while, so Put tries again, and restores a secret that waits for
// its deletion.
package secretsmanager
