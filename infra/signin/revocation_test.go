package signin

import (
	"net/http"
	"testing"
)

const (
	claudeBack = "https://claude.ai/api/mcp/auth_callback"
	claudeID   = "https://claude.ai/oauth/mcp-oauth-client-metadata"
	codeID     = "https://claude.ai/oauth/claude-code-client-metadata"
)

func TestAConnectionRevokedOnThePageFailsAtItsNextRequestOnEachStore(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser()
		gone, stays := w.registered("Goes", claudeBack, "none"), w.registered("Stays", "https://chatgpt.com/connector/oauth/abc", "none")
		first, other := gone.connect(b), stays.connect(b)
		second := w.want(gone.refresh(first.text("refresh_token")), http.StatusOK, "")
		for _, access := range []string{first.text("access_token"), second.text("access_token"), other.text("access_token")} {
			if !w.works(access) {
				t.Fatal("a token does not work")
			}
		}
		b.Revoke("Goes")
		for _, access := range []string{first.text("access_token"), second.text("access_token")} {
			if w.works(access) {
				t.Error("an access token outlives its connection")
			}
		}
		for _, token := range []string{first.text("refresh_token"), second.text("refresh_token")} {
			w.want(gone.refresh(token), http.StatusBadRequest, "invalid_grant")
		}
		if !w.works(other.text("access_token")) {
			t.Error("another client's token ended too")
		}
		if len(b.Connections("Goes")) != 0 || len(b.Connections("Stays")) != 1 {
			t.Error("the page does not show what is in force")
		}
	})
}

func TestAPermissionChangedOnThePageCountsAtTheNextRequestOnEachStore(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser()
		p := w.registered("Claude", claudeBack, "none")
		tokens := p.connect(b)
		write := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_event","arguments":{"event_id":1}}}`
		call := func() reply {
			return w.send("POST", "/mcp", write, "Authorization", "Bearer "+tokens.text("access_token"), "Accept", "application/json, text/event-stream")
		}
		if got := call(); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		b.Permit("Claude", "scope", "read")
		if got := call(); got.status != http.StatusForbidden {
			t.Errorf("after it was reduced to reading: %d %s", got.status, got.body)
		}
		if got := w.want(p.refresh(tokens.text("refresh_token")), http.StatusOK, ""); got.text("scope") != "read" {
			t.Errorf("a refresh gives the scope %q", got.text("scope"))
		}
	})
}
