package oauth

import (
	"context"
	"strings"

	"intervals-mcp/internal/identity"
)

// Place says where a request arrived, in the words of whoever received it and
// never of the client.
type Place struct {
	// Issuer is this server's own origin: https, or http on a laptop, no path
	// and no slash at the end. It stands in every document, and clients compare
	// it byte for byte (RFC 8414 3.3).
	Issuer string
	// Address is the client's IP address, for limits; "" = not known.
	Address string
	// RequestID names the request in the log.
	RequestID string
}

type placeKey struct{}

// At puts a place into a request's context.
func At(ctx context.Context, p Place) context.Context {
	p.Issuer = strings.TrimRight(p.Issuer, "/")
	return context.WithValue(ctx, placeKey{}, p)
}

// placeOf gives a request's place; without an issuer nothing can be answered.
func placeOf(ctx context.Context) (p Place, ok bool) {
	p, _ = ctx.Value(placeKey{}).(Place)
	return p, p.Issuer != ""
}

// Paths of the server. Clients that read no metadata guess them.
const (
	PathAuthorize = "/authorize"
	PathToken     = "/token"
	PathRegister  = "/register"
	PathRevoke    = "/revoke"
)

// resource is the one resource there is, in its canonical form
// (reference/mcp/02 R10).
func (p Place) resource() string { return identity.Resource(p.Issuer) }
