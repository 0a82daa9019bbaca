// Command conformance runs the official MCP conformance suite against this
// project's server, for the newest protocol version and for the last one of
// the older era.
//
// The server under test is internal/mcpserver as it is shipped - edge, bearer
// check, tool filter, every product tool - plus the fixture tools, resources
// and prompts that the suite calls by name (fixtures.go). The suite cannot
// send an Authorization header, so a proxy that adds one stands in front
// (serve.go). expected-*.yml list what cannot pass, each with its reason; an
// entry that passes fails the run, so the lists only shrink. Scenarios that
// depend on notifications are repeated by name (run.go).
//
//	make conformance
package main
