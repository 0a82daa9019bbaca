package oauth_test

import (
	"testing"
	"time"

	"intervals-mcp/internal/oauth"
)

func (w *town) inForce(user string) (n int) {
	for _, c := range w.connectionsOf(user) {
		if c.Usable(w.now()) == nil {
			n++
		}
	}
	return n
}

func TestAYesThatCannotBeCarriedOutEndsNothing(t *testing.T) {
	w := newTown(t)
	limits := oauth.DefaultLimits
	limits.Grants = oauth.Rate{Attempts: 1, Window: time.Hour}
	w.serve(func(o *oauth.SiteOptions) {
		o.Server = oauth.New(oauth.Options{Store: w.ids, Allow: w.state.Allow, Now: w.now, Limits: limits})
	})
	b := w.browser().signIn(keyOf1)
	client := w.register("Claude", callback)
	access, _ := b.connect(client)
	p := b.want(b.get(b.ask(client)), 200, "connected already")
	b.want(b.submit(p, "/authorize", "decision", "connect"), 429)
	if !w.works(access) {
		t.Error("the connection ended, and there is no other")
	}
	w.pass(time.Hour)
	again, _ := b.connect(client) // the access token lives an hour
	if n := w.inForce("i1"); !w.works(again) || n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestConnectingAgainMakesItsOwnRoom(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	clients := make([]string, 16)
	for i := range clients {
		clients[i] = w.register("Claude", callback)
		b.connect(clients[i])
	}
	w.pass(time.Hour)
	if access, _ := b.connect(clients[3]); !w.works(access) || w.inForce("i1") != 16 {
		t.Errorf("%d connections", w.inForce("i1"))
	}
}
