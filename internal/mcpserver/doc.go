// Package mcpserver turns tools into an MCP server and puts an HTTP edge in
// front of it.
//
// New assembles the mcp-go server: every tool with its ready-made schemas and
// all hints, no capability that is not there, one filter by scope and toolset
// for list and call alike (server.go, filter.go). Handler puts the edge before
// it: what mcp-go leaves open is closed here - origin, bearer challenge,
// methods, body limit, deadline, recovery, readable refusals (edge.go and the
// files beside it). ServeStdio speaks the same over stdin and stdout.
//
// Nothing here reads the body on its own to decide who may do what: the
// decision is made where mcp-go has decoded the call, and the edge only learns
// of it through the exchange in the request's context (exchange.go). Two
// readers of one body can disagree; one cannot.
package mcpserver
