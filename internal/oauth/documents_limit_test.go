package oauth_test

import (
	"context"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/oauth/clientdoc"
)

// countedDocuments are on no server, and every look for one is counted.
type countedDocuments struct{ asked atomic.Int32 }

func (d *countedDocuments) Get(context.Context, string) (clientdoc.Document, error) {
	d.asked.Add(1)
	return clientdoc.Document{}, &clientdoc.FetchError{}
}

// Whoever is signed in nowhere must not make this server ask others without end:
// the sign-in page names the client that waits behind it, and looks for it.
func TestEveryWayToAClientsDocumentIsCounted(t *testing.T) {
	w := newTown(t)
	docs, limits := &countedDocuments{}, oauth.DefaultLimits
	limits.Authorize = oauth.Rate{Attempts: 5, Window: 10 * time.Minute}
	w.serve(func(o *oauth.SiteOptions) {
		o.Server = oauth.New(oauth.Options{Store: w.ids, Allow: w.state.Allow, Now: w.now, Documents: docs, Limits: limits})
	})
	b := w.browser()
	next := w.ask("https://evil.example/client.json")
	for range 4 {
		p := b.want(b.get("/account/signin?"+url.Values{"next": {next}}.Encode()), 200, "Sign in")
		b.want(b.submit(p, "/account/signin", "key", ""), 403, "Paste your key")
		b.get(next)
	}
	if n := docs.asked.Load(); n != 5 {
		t.Errorf("%d looks for a document, want 5", n)
	}
	elsewhere := w.browser() // and who comes from elsewhere still can
	elsewhere.headers["Test-Address"] = "198.51.100.9"
	if elsewhere.get(next); docs.asked.Load() != 6 {
		t.Error("one address shut out another")
	}
}
