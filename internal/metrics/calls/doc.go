// Package calls counts calls of tools and the time Intervals.icu takes for them.
// It stands apart from package metrics so that a function that has no tools does
// not start with them.
package calls
