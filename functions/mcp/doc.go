// Command mcp is the Lambda function that answers POST /mcp behind API
// Gateway. It only wires; what it serves is internal/mcpserver.
//
// On AWS its stores are the stack's: keys in Secrets Manager, the audit log and
// plans that await their confirmation in tables of DynamoDB, "last used" of
// tokens in the identity table. Under sam local with API_KEY set it keeps
// everything in memory and knows that one key.
package main
