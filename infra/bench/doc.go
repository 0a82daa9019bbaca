// Command bench measures what design.md promises and writes the table to
// docs/performance.md. Every ratio compares two things measured in turn in the
// same run, so that the speed of the machine cancels out: the start against a
// bare mcp-go server, a tool call against a direct request to the same
// upstream, tokens by the o200k_base vocabulary.
//
// It builds the release binaries, starts the fake Intervals.icu as its own
// process and talks to the product from outside, over stdio and HTTP, as any
// client would.
package main
