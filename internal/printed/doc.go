// Package printed holds what a program or a function prints, for tests that read
// it while it is still being written.
package printed
