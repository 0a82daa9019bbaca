package signin

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A new user has nothing but the landing page. They paste its address into a
// client, sign in with their key, let it write with each change shown first,
// have a change made, take back the right to write, and then everything. What
// was done stands in the log: on the page, and for the operator.
func TestDoneWhen_ANewUserConnectsChangesAndRevokesWithNothingButTheLandingPage(t *testing.T) {
	s := Serve(t)
	b := NewBrowser(t, s.Origin, http.DefaultTransport)
	landing := b.Want(b.Open("/"), http.StatusOK, "paste into your assistant")
	pasted := TextAt(landing.Body, "url")
	if pasted != s.URL() {
		t.Fatalf("the landing page says to paste %q", pasted)
	}
	d := s.Deployment
	d.Origin = strings.TrimSuffix(pasted, "/mcp")
	c := TypeScript(t, d)
	c.Connect(b, s.Key, "scope", "write", "confirm", "all")

	const title = "Openers before the race"
	change := map[string]any{"workout_type": "Ride", "name": title, "moving_time": 2400, "start_date": "+20d"}
	preview := c.Call("add_or_update_event", change)
	if preview.Result["status"] != "preview" || onCalendar(t, c, title) {
		t.Fatalf("it was not shown first: %+v", preview)
	}
	made := c.Call("confirm_change", map[string]any{"confirmation": preview.Result["confirmation"], "summary": preview.Result["summary"]})
	id, _ := made.Result["change_id"].(string)
	if made.Result["status"] != "applied" || id == "" || !onCalendar(t, c, title) {
		t.Fatalf("it was not made: %+v", made)
	}

	b.Want(b.Open("/account/history"), http.StatusOK, title, "TypeScript SDK")
	b.Want(b.Open("/account/history/"+id), http.StatusOK, title, "TypeScript SDK")
	if shown := s.Run(t, "audit", "show", id); !strings.Contains(shown, title) || !strings.Contains(shown, "TypeScript SDK") {
		t.Errorf("the operator reads: %s", shown)
	}
	if list := c.Call("list_changes", nil); !strings.Contains(list.Text, title) {
		t.Errorf("the assistant reads: %s", list.Text)
	}

	b.Permit(c.Name, "scope", "read")
	if a := c.Ask("delete_event", map[string]any{"event_id": 1}); !strings.Contains(a.Error, "403") {
		t.Errorf("it may still write: %+v", a)
	}
	b.Revoke(c.Name)
	a := c.Ask("get_events", nil)
	if a.Asked == "" {
		t.Errorf("it goes on: %+v", a)
	}
	if a = c.Settle(b, b.Cancel(a.Asked)); !strings.Contains(a.Error, "access_denied") {
		t.Errorf("it does not learn that the person said no: %+v", a)
	}
	b.Want(b.Open("/account/history"), http.StatusOK, title) // the log outlives the connection
}

// onCalendar reports whether the athlete's calendar has an event of that name.
func onCalendar(t *testing.T, c *Client, name string) bool {
	t.Helper()
	events, _ := c.Call("get_events", map[string]any{"start_date": "+20d", "end_date": "+20d"}).Result["events"].([]any)
	return slices.ContainsFunc(events, func(e any) bool {
		event, _ := e.(map[string]any)
		return event["name"] == name
	})
}
