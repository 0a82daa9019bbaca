// Package clients lets the official MCP clients use the program as people's
// clients do: the Go SDK in its tests, the TypeScript SDK in client.mjs
// (`make sdk-clients`). Each lists the tools and calls the 20 compatible ones
// against the demo athlete, over HTTP and over stdio; a structured result that
// does not meet its output schema, or any error, fails.
package clients
