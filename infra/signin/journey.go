package signin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Journey is a client's life as its person sees it: connected with the browser
// once, used, refreshed without a word, reduced on the page, asking for more,
// and revoked. transport is the way of the person's browser to the network.
func Journey(t testing.TB, d Deployment, transport http.RoundTripper, c *Client) {
	t.Helper()
	b := NewBrowser(t, d.Origin, transport)
	c.Connect(b, d.Key, "scope", "write", "confirm", "never", "toolset", "full")
	if !slices.Contains(c.Tools, "add_or_update_event") || !slices.Contains(c.Tools, "get_gear_list") {
		t.Errorf("%s is offered %v", c.Name, c.Tools)
	}
	read, note := map[string]any{"limit": 1}, map[string]any{"name": "From " + c.Name, "description": "x", "start_date": "+9d"}
	c.Call("get_activities", read)
	c.Spoil()
	c.Call("get_activities", read) // and the browser was not asked for
	b.Permit(c.Name, "scope", "read")
	if a := c.Ask("add_or_update_note", note); a.Asked != "" {
		if at := wants(t, d, a); at.Get("scope") != "read write" {
			t.Errorf("%s asks for the scopes %q after 403", c.Name, at.Get("scope"))
		}
		c.good(c.Settle(b, b.Consent(a.Asked, d.Key, "scope", "write", "confirm", "never", "toolset", "full")), "add_or_update_note")
	} else { // this SDK refreshes, which gives no more than the person does
		if !strings.Contains(a.Error, "403") {
			t.Errorf("%s writes though it may only read: %+v", c.Name, a)
		}
		b.Permit(c.Name, "scope", "write", "confirm", "never")
		c.Call("add_or_update_note", note)
	}
	b.Revoke(c.Name)
	asks := c.Ask("get_activities", read)
	wants(t, d, asks)
	if a := c.Settle(b, b.Cancel(asks.Asked)); a.Error == "" {
		t.Errorf("%s goes on though the person said no: %+v", c.Name, a)
	}
}

// wants is the authorization request of a client that wants the person.
func wants(t testing.TB, d Deployment, a Answer) url.Values {
	t.Helper()
	u, err := url.Parse(a.Asked)
	if err != nil || !strings.HasPrefix(a.Asked, d.Origin+"/authorize?") {
		t.Fatalf("the client does not ask the person: %+v", a)
	}
	return u.Query()
}
