// Package secretstest holds what every secrets.Keeper must do, as one test suite
// that each implementation runs.
package secretstest
