// Command mcp is the Lambda function that answers POST /mcp behind API
// Gateway. It only wires; what it serves is internal/mcpserver.
//
// Its stores are in memory until the AWS ones exist, so it starts nowhere but
// under `sam local` and the Runtime Interface Emulator.
package main
