package rehearsal

import (
	"crypto/tls"
	"log/slog"
	"net/http/httptest"
	"testing"

	"intervals-mcp/infra/signin"
	"intervals-mcp/internal/gateway"
)

// officialClients lets the official TypeScript and Python clients, with their
// own OAuth code, sign in to the deployed functions. They insist on an address
// that is the deployment's own, so a gateway of another name stands before the
// same functions, over https.
func (w *world) officialClients(t *testing.T) {
	authority := signin.NewAuthority(t)
	front := httptest.NewUnstartedServer(nil)
	front.TLS = &tls.Config{Certificates: []tls.Certificate{authority.Issue(t)}, MinVersion: tls.VersionTLS12}
	front.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	front.Config.Handler = gateway.New(gateway.Options{Authorizer: w.gateway.Authorizer, Functions: w.gateway.Functions, Log: w.gateway.Log, Domain: front.Listener.Addr().String()})
	front.StartTLS()
	t.Cleanup(front.Close)
	d := signin.Deployment{Origin: front.URL, Key: w.fake.Athletes()[2].APIKey, CA: authority.File(t)}
	t.Run("TypeScript", func(t *testing.T) { signin.Journey(t, d, authority.Transport(), signin.TypeScript(t, d)) })
	t.Run("Python", func(t *testing.T) { signin.Journey(t, d, authority.Transport(), signin.Python(t, d)) })
}
