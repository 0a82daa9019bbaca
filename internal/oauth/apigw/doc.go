// Package apigw serves the authorization server and its pages as a Lambda
// function behind an API Gateway HTTP API (payload 2.0), on AWS and behind the
// laptop's own gateway.
//
// Which origin this is and which address asks come from the event's request
// context, which the gateway fills, and from the configuration; no header of
// the client's is asked for either.
package apigw
