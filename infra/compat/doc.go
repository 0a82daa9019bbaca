// Package compat keeps the promise to be a better drop-in for the Python
// reference server: b_marks.txt lists the 38 defects that are corrected here,
// each with the test that keeps it corrected. Its own test counts them.
package compat
