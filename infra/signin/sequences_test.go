package signin

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"intervals-mcp/internal/identity"
)

// document is a client's metadata document.
func document(id, name, more string, redirects ...string) string {
	return `{"client_id":"` + id + `","client_name":"` + name + `","redirect_uris":["` + strings.Join(redirects, `","`) + `"],` + more +
		`"grant_types":["authorization_code","refresh_token"],"response_types":["code"]}`
}

const none = `"token_endpoint_auth_method":"none",`

// challenged is what a client learns from its first request without a good
// token: where the protected-resource document is, and which scopes to ask for.
func challenged(t *testing.T, w *town) (metadata, scope string) {
	t.Helper()
	for _, method := range []string{"POST", "GET", "DELETE"} { // 401 before 405 (reference/mcp/05)
		body := ""
		if method == "POST" {
			body = listTools
		}
		if got := w.send(method, "/mcp", body); got.status != http.StatusUnauthorized { // the gateway's own
			t.Errorf("%s without a token: %d", method, got.status)
		}
		got := w.send(method, "/mcp", body, "Authorization", "Bearer gone")
		challenge := got.header.Get("WWW-Authenticate")
		if got.status != http.StatusUnauthorized || !strings.HasPrefix(challenge, "Bearer ") || !strings.Contains(got.body, "resource_metadata") {
			t.Errorf("%s with a dead token: %d %q %s", method, got.status, challenge, got.body)
		}
		metadata, scope = parameter(challenge, "resource_metadata"), parameter(challenge, "scope")
	}
	if !strings.HasPrefix(metadata, w.Origin+"/") {
		t.Fatalf("resource_metadata is %q, not absolute on this origin", metadata)
	}
	return metadata, scope
}

// parameter reads one of a challenge's.
func parameter(challenge, name string) string {
	_, rest, _ := strings.Cut(challenge, name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// discovered follows the documents as clients do, and checks that all of it is
// one issuer.
func discovered(t *testing.T, w *town, metadata string) (resource string) {
	t.Helper()
	protected := w.want(w.send("GET", metadata, ""), http.StatusOK, "")
	servers, _ := protected.json["authorization_servers"].([]any)
	if len(servers) != 1 || servers[0] != w.Origin {
		t.Fatalf("authorization servers %v", servers)
	}
	server := w.want(w.send("GET", servers[0].(string)+"/.well-known/oauth-authorization-server", ""), http.StatusOK, "")
	if server.text("issuer") != w.Origin || server.text("token_endpoint") != w.Origin+"/token" || server.json["client_id_metadata_document_supported"] != true ||
		!strings.Contains(server.body, `"none"`) || !strings.Contains(server.body, `"S256"`) {
		t.Fatalf("%s", server.body)
	}
	return protected.text("resource")
}

// The way of claude.ai: its probes of the origin's root (reference/aws/01), its
// document, its first requests, and two refreshes at once from two of its
// addresses (reference/mcp/05).
func TestClaudesOwnSequence(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		w.docs.publish(claudeID, document(claudeID, "Claude", none, claudeBack, "https://claude.com/api/mcp/auth_callback"))
		metadata, scope := challenged(t, w)
		for probe, status := range map[string]int{
			"/.well-known/oauth-authorization-server/mcp": 404, "/.well-known/openid-configuration/mcp": 404, "/mcp/.well-known/openid-configuration": 404,
			"/.well-known/oauth-protected-resource/mcp": 200, "/.well-known/oauth-protected-resource": 200,
			"/.well-known/oauth-authorization-server": 200, "/.well-known/openid-configuration": 200, "/.well-known/anything": 404,
		} {
			if got := w.send("GET", probe, ""); got.status != status || got.json == nil || got.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %d %s %q", probe, got.status, got.header.Get("Content-Type"), got.body)
			}
		}
		p := w.client(claudeID, claudeBack)
		ask := p.ask("scope", scope, "resource", discovered(t, w, metadata))
		b := w.browser()
		b.Want(b.Open(ask), http.StatusOK, "Claude", "claude.ai")
		tokens := w.want(p.redeem(answer(t, b.Consent(ask, w.Key)).Get("code")), http.StatusOK, "")
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"clientInfo":{"name":"Anthropic/ClaudeAI","version":"1.0.0"}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		} {
			if got := w.send("POST", "/mcp", message, "Authorization", "Bearer "+tokens.text("access_token"), "Accept", "*/*", "User-Agent", "Claude-User"); got.status != http.StatusOK {
				t.Errorf("%s: %d %s", message, got.status, got.body)
			}
		}
		var twin [2]reply
		var failed [2]error
		var wg sync.WaitGroup
		for i, from := range []string{"160.79.104.10", "160.79.106.20"} {
			wg.Go(func() {
				twin[i], failed[i] = w.try("POST", "/token", p.renewal(tokens.text("refresh_token")), "Test-Address", from)
			})
		}
		wg.Wait()
		for i, got := range twin {
			if failed[i] != nil || got.status != http.StatusOK || !w.works(got.text("access_token")) {
				t.Errorf("one of Claude's two answers is of no use: %d %v", got.status, failed[i])
			}
		}
		if twin[0].text("refresh_token") != twin[1].text("refresh_token") {
			t.Error("two refreshes at once rotated twice")
		}
		w.want(p.refresh(twin[1].text("refresh_token")), http.StatusOK, "")
		if n := w.docs.fetched(claudeID); n != 1 {
			t.Errorf("its document was fetched %d times", n)
		}
	})
}

// Claude Code's document has both loopback forms, and each session another port.
func TestClaudeCodesOwnSequence(t *testing.T) {
	w := newTown(t)
	w.docs.publish(codeID, document(codeID, "Claude Code", none, "http://localhost/callback", "http://127.0.0.1/callback"))
	b := w.browser().SignIn(w.Key)
	var access []string
	for _, back := range []string{"http://localhost:54021/callback", "http://127.0.0.1:60999/callback"} {
		p := w.client(codeID, back)
		b.Want(b.Open(p.ask()), http.StatusOK, "program on this computer", "claude.ai")
		to := b.Consent(p.ask(), w.Key)
		if !strings.HasPrefix(to, back+"?") {
			t.Errorf("sent back to %s", to)
		}
		access = append(access, w.want(p.redeem(answer(t, to).Get("code")), http.StatusOK, "").text("access_token"))
	}
	for i, token := range access { // two terminals of one person do not end each other
		if !w.works(token) {
			t.Errorf("session %d ended", i+1)
		}
	}
}

// Where Claude registers, it does so anew whenever its client is gone.
func TestClaudesFallbackToRegistrationOverTheWire(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		first := w.registered("Claude", claudeBack, "client_secret_post")
		tokens := first.connect(w.browser())
		w.want(first.refresh(tokens.text("refresh_token"), "client_secret", "wrong"), http.StatusUnauthorized, "invalid_client")
		w.pass(identity.ClientLife + 1)
		w.want(first.refresh(tokens.text("refresh_token")), http.StatusUnauthorized, "invalid_client")
		second := w.registered("Claude", claudeBack, "client_secret_post")
		if second.id == first.id || second.secret == "" || second.secret == first.secret {
			t.Error("it was not registered anew")
		}
		if !w.works(second.connect(w.browser()).text("access_token")) {
			t.Error("the new client's token does not work")
		}
	})
}

// The way of ChatGPT: a document that prefers signed assertions and offers none
// too, a long state, the resource just as the metadata has it.
func TestChatGPTsOwnSequence(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		const id, back = "https://chatgpt.com/oauth/abc/client.json", "https://chatgpt.com/connector/oauth/abc"
		w.docs.publish(id, document(id, "ChatGPT", `"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"],
			"token_endpoint_auth_signing_alg":"RS256","jwks_uri":"https://chatgpt.com/oauth/jwks.json",`, back))
		metadata, scope := challenged(t, w)
		resource, state := discovered(t, w, metadata), strings.Repeat("relay+/=", 60)
		p := w.client(id, back)
		b := w.browser()
		ask := p.ask("resource", resource, "scope", scope, "state", state)
		b.Want(b.Open(ask), http.StatusOK, "ChatGPT", "chatgpt.com")
		to := answer(t, b.Consent(ask, w.Key))
		if to.Get("state") != state || to.Get("iss") != w.Origin {
			t.Errorf("sent back with %v", to)
		}
		tokens := w.want(p.redeem(to.Get("code"), "resource", resource), http.StatusOK, "")
		if !w.works(tokens.text("access_token")) {
			t.Error("the token does not work")
		}
		w.want(p.refresh(tokens.text("refresh_token"), "resource", resource), http.StatusOK, "")
		read := w.registered("ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect", "none")
		reader := w.want(read.redeem(read.code(b, "scope", "read")), http.StatusOK, "")
		got := w.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_event","arguments":{"event_id":1}}}`,
			"Authorization", "Bearer "+reader.text("access_token"), "Accept", "application/json, text/event-stream")
		if got.status != http.StatusForbidden || !strings.Contains(got.body, "mcp/www_authenticate") || !strings.Contains(got.body, "insufficient_scope") {
			t.Errorf("a write by a reader: %d %s", got.status, got.body)
		}
	})
}

// A client that opens the consent page and is told no learns so, at the address
// that it gave, with its state and our issuer (RFC 6749 4.1.2.1, RFC 9207 2).
func TestEachAssistantLearnsThatThePersonSaidNo(t *testing.T) {
	w := newTown(t)
	b := w.browser().SignIn(w.Key)
	for _, back := range []string{claudeBack, "https://claude.com/api/mcp/auth_callback", "https://chatgpt.com/connector/oauth/abc", "https://platform.openai.com/apps-manage/oauth", "http://localhost:4711/callback"} {
		p := w.registered("Assistant", back, "none")
		to, err := url.Parse(b.Cancel(p.ask()))
		if err != nil || to.Query().Get("error") != "access_denied" || to.Query().Get("state") != "st&te" || to.Query().Get("iss") != w.Origin || !strings.HasPrefix(to.String(), back+"?") {
			t.Errorf("%s gets %v, %v", back, to, err)
		}
	}
}
