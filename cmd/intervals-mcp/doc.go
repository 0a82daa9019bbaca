// Command intervals-mcp is the one program for people: an MCP server for
// Intervals.icu on this machine, over HTTP (serve) or stdio, and a fake
// Intervals.icu to try things on (fake).
//
// This package only reads flags and environment and wires: what is served
// lives in internal/mcpserver and internal/tools.
package main
