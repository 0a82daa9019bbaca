// Package blackbox checks a running intervals-mcp from outside: it knows the
// rules (auth.md, MCP's authorization, Streamable HTTP in both eras), a URL and
// some tokens, and nothing of the program. It imports nothing of the project.
//
// Suite runs against whatever Target names: `intervals-mcp serve` behind its
// own gateway, `sam local start-api`, the rehearsed stack, or a deployment. What
// a Target does not offer (a second user, a way to revoke, an upstream that may
// be written to) is left out and said, so that
//
//	make smoke URL=https://.../mcp TOKEN=imcp_pat_...
//
// is safe against a real account: it reads, and writes nothing.
//
// As a test of its own the package starts serve and a fake Intervals.icu, with
// every token and hook there is. BLACKBOX_URL and BLACKBOX_TOKEN, or
// BLACKBOX_TARGET (a JSON file, see Target), name something else to check.
package blackbox
