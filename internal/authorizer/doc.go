// Package authorizer answers API Gateway's question "may this request pass, and
// whose is it?" (HTTP API, REQUEST authorizer, payload 2.0, simple response).
//
// A bearer token becomes its SHA-256, and one strongly consistent read gives the
// whole identity, which travels on as the authorizer's context. A request without
// a good token passes too, marked auth: "invalid_token", because an HTTP API
// turns a refusal into 403 and clients refresh their token only on 401, which the
// mcp function then answers. A store that cannot be asked is auth: "unavailable",
// never an allow. StrictGateway makes the gateway itself refuse instead.
//
// An access token of the authorization server is good only for the resource it
// was issued for: that of PublicURL, or of the gateway's domain name. A personal
// token has none.
//
// Unknown, expired, revoked, foreign and malformed tokens are answered alike after the
// same work; the log tells them apart. Neither token nor hash is ever logged.
//
// The Lambda function functions/authorizer and the gateway of `serve` run this
// same code.
package authorizer
