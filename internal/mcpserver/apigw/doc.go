// Package apigw serves the MCP edge as a Lambda function behind an API Gateway
// HTTP API (payload 2.0).
//
// It is the one place that knows aws-lambda-go-api-proxy, and mends what that
// does to a request (reference/aws/02): headers cut at commas, headers a
// client could forge identity with, and the error it makes of an event it
// cannot read. Who makes a request comes from the authorizer's context in the
// event and from nowhere else.
package apigw
