// Command authorizer is the Lambda authorizer of the HTTP API: who is this, and
// what may they do? It only wires internal/authorizer to DynamoDB.
//
// Environment: IDENTITY_TABLE, STRICT_GATEWAY ("true": the gateway itself
// refuses), and what internal/awsenv reads. Under sam local LOCAL_TOKEN is the
// one token that is accepted, or AWS_ENDPOINT_URL_DYNAMODB names an emulator.
package main
