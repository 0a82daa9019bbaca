// Package intervals is a client of the Intervals.icu REST API. It knows
// nothing of MCP.
//
// An Upstream holds what one process shares: connections, the rate limit, the
// retry rules. Upstream.Client binds it to one person's credential and reads;
// a Writer, which only package change may make, writes.
//
// Answers are decoded leniently: an Object keeps every key that was sent,
// custom fields too, and tells absent, null and zero apart. What is private
// (e-mail, keys, invitation tokens, ids at other services) is dropped while
// decoding, so that no caller can pass it on.
package intervals
