package oauth_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/secrets"
)

// TestADeleteShowsAllThatIsLost: on the page where it is approved, and afterwards
// in the history, whole.
func TestADeleteShowsAllThatIsLost(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		long := session("Threshold")
		long.Set["description"] = "- 20m 60%\n" + strings.Repeat("Ride by feel where the road is wet.\n", 30) + "- 10m 80%"
		long.Set["tags"] = []string{"key session"}
		made := w.asks("i1", keyOf1, "i1", identity.ConfirmNever, long)
		id, _ := intervals.Event{Object: made.State}.Int("id")
		handle := path.Base(w.asks("i1", keyOf1, "i1", identity.ConfirmPerson, change.EventDelete{ID: id, Today: "2026-11-30"}).ApproveURL)
		for _, where := range []string{"/account/changes", "/account/changes/" + handle} {
			p := b.want(b.get(where), 200, "Delete workout Threshold", "20m 60%", "10m 80%", "key session", "Sat 5 Dec 2026")
			if strings.Contains(plainText(p.body), "(1098 characters)") {
				t.Errorf("%s cuts what is lost", where)
			}
		}
		b.want(b.submit(b.get("/account/changes/"+handle), "/account/changes/"+handle+"/approve"), 200, "Done", "10m 80%")
		b.want(b.get("/account/history"), 200, "Delete workout Threshold", "20m 60%", "10m 80%", "key session")
	})
}

func TestWhatHasNoNameOfItsOwnIsNamedInWords(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		for connection, words := range map[string][2]string{"serve": {"This computer's assistant asked", "by this computer's assistant"}, "stdio": {"This computer's assistant asked", "by this computer's assistant"},
			"operator": {"The operator asked", "by the operator"}, "i1-abcdefghij": {"serve asked", "by serve"}} {
			c := change.Call{Identity: identity.Identity{User: "i1", Athlete: "i1", Connection: connection, Client: "serve", Confirm: identity.ConfirmPerson},
				Client: w.up.Client(secrets.Credential{APIKey: secrets.New(keyOf1)}), Athlete: "i1", Me: "i1", Tool: "add_or_update_event", Arguments: json.RawMessage(`{}`)}
			r, err := w.engine.Do(oauth.At(t.Context(), oauth.Place{Issuer: w.url}), c, session("By "+connection))
			if err != nil || r.Status != change.Preview {
				t.Fatalf("%+v, %v", r, err)
			}
			handle := path.Base(r.ApproveURL)
			p := b.want(b.get("/account/changes/"+handle), 200, words[0])
			b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 200, "Done")
			b.want(b.get("/account/history"), 200, words[1])
		}
	})
}
