// Package clients lets the official MCP clients use the program as people's
// clients do: the Go SDK in its tests, the TypeScript SDK in client.mjs
// (`make sdk-clients`). Each lists the tools and calls the 20 compatible ones and
// those of the change protocol against the demo athlete, over HTTP and over
// stdio, each change shown first and confirmed; a structured result that does
// not meet its output schema, or any error, fails. A client that can ask its
// person (elicitation, 2026-07-28) gets their consent that way, and what is
// tampered with on the way back is none.
package clients
