// Package identitytest holds what every identity.Table must do, as one test
// suite that each implementation runs.
package identitytest
