// Package gateway is a small API Gateway HTTP API for laptops and tests.
//
// It does with a request what the API of template.yaml does: finds the route,
// asks the Lambda authorizer, hands the request to the function as an event of
// payload version 2.0 and turns the answer back into HTTP, with the gateway's
// own refusals word for word. A test compares routes and authorizer settings
// with template.yaml, so that what is tried here is what is deployed.
//
// The functions behind it are plain Go functions: the handlers of this process
// (`intervals-mcp serve`; structs are passed on, nothing is encoded), or a
// Function, which speaks to a Runtime Interface Emulator. What AWS does and
// this does not: throttling, access logs, CORS, custom domains.
package gateway
