// Command intervals-mcp-stack is the part of intervals-mcp that works on a stack
// in AWS: users, tokens, audit and doctor with --stack. `intervals-mcp` hands over
// to it; nobody needs to start it by hand.
package main
