// Package pagestest has sample pages: as an athlete would see them, and with
// everything hostile that a client or another person could put into them. The
// tests of package pages and the real browser (infra/browser) look at the same
// ones.
package pagestest
