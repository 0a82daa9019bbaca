package oauth

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"intervals-mcp/internal/authorizer"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
)

// internet is an https server of a test with a certificate of its own
// authority, which answers under every name of example.com.
func internet(t *testing.T, pages map[string]string) *clientdoc.Fetcher {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages["https://"+r.Host+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return clientdoc.NewUnguarded(clientdoc.Options{}, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}, roots)
}

// The way of claude.ai: its probes, its document, two refreshes at once from two
// of its addresses (reference/mcp/05, reference/aws/01).
func TestClaudesSequence(t *testing.T) {
	r := newRig(t, nil)
	for _, probe := range []struct {
		path   string
		status int
	}{
		{"/.well-known/oauth-authorization-server/mcp", 404}, {"/.well-known/openid-configuration/mcp", 404}, {"/mcp/.well-known/openid-configuration", 404},
		{"/.well-known/oauth-protected-resource/mcp", 200}, {"/.well-known/oauth-protected-resource", 200},
		{"/.well-known/oauth-authorization-server", 200}, {"/.well-known/openid-configuration", 200},
	} {
		if got := r.send("GET", probe.path, ""); got.Code != probe.status {
			t.Errorf("%s: %d", probe.path, got.Code)
		}
	}
	tokens := r.connected(claudeID)
	var twin [2]reply
	var wg sync.WaitGroup
	for i := range twin {
		wg.Go(func() { twin[i] = r.refresh(claudeID, tokens.text("refresh_token"), "resource", resource) })
	}
	wg.Wait()
	for _, got := range twin {
		if r.want(got, 200, ""); !r.works(got.text("access_token")) {
			t.Error("one of Claude's two answers is of no use")
		}
	}
	r.want(r.refresh(claudeID, twin[1].text("refresh_token")), 200, "")
}

// The way of a fresh connection without documents: it registers, its client
// dies, and it registers again.
func TestClaudesFallbackToRegistration(t *testing.T) {
	r := newRig(t, nil)
	body := `{"client_name":"Claude","redirect_uris":["` + callback + `"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"client_secret_post","scope":"read write"}`
	first := r.register(body)
	code := r.consent(query(first.text("client_id")))
	tokens := r.redeem(first.text("client_id"), code, "client_secret", first.text("client_secret"))
	r.want(tokens, 200, "")
	r.pass(identity.ClientLife + 1)
	r.want(r.refresh(first.text("client_id"), tokens.text("refresh_token"), "client_secret", first.text("client_secret")), 401, "invalid_client")
	if second := r.register(body); second.text("client_id") == first.text("client_id") {
		t.Error("the dead client's id is given again")
	}
}

// The way of ChatGPT: a document that prefers signed assertions, a long state,
// and the resource just as the metadata has it.
func TestChatGPTsSequence(t *testing.T) {
	const id, back = "https://example.com/oauth/abc/client.json", "https://chatgpt.com/connector/oauth/abc"
	docs := internet(t, map[string]string{id: `{"client_id":"` + id + `","client_name":"ChatGPT","redirect_uris":["` + back + `"],
		"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"],"token_endpoint_auth_signing_alg":"RS256",
		"jwks_uri":"https://chatgpt.com/oauth/jwks.json","grant_types":["authorization_code","refresh_token"],"response_types":["code"]}`})
	r := newRig(t, func(o *Options) { o.Documents = docs })
	metadata := r.send("GET", "/.well-known/oauth-protected-resource/mcp", "")
	state := strings.Repeat("relay-", 80)
	q := query(id, "redirect_uri", back, "resource", metadata.text("resource"), "state", state)
	a, err := r.parse(q)
	if err != nil {
		t.Fatal(err)
	}
	to, err := r.Grant(t.Context(), a, Choices{User: athlete, Permissions: identity.Permissions{Scopes: a.Scopes}})
	if err != nil {
		t.Fatal(err)
	}
	answer := answerOf(t, to)
	if answer.Get("state") != state || answer.Get("iss") != issuer || !strings.HasPrefix(to, back+"?") {
		t.Error(to)
	}
	got := r.redeem(id, answer.Get("code"), "redirect_uri", back, "resource", metadata.text("resource"))
	r.want(got, 200, "")
	tok, err := r.table.Token(t.Context(), identity.HashOf(got.text("access_token")))
	if err != nil || tok.Audience != metadata.text("resource") || tok.Host != "chatgpt.com" || tok.Client != "ChatGPT" {
		t.Errorf("%+v, %v", tok, err)
	}
}

// asked gives what the authorizer of a deployment says of a token.
func (r *rig) asked(public, access string) string {
	a := &authorizer.Authorizer{Tokens: r.table, Now: r.now, Log: slog.New(slog.DiscardHandler), PublicURL: public}
	out, err := a.Handle(r.t.Context(), authorizer.Request{Type: "REQUEST", Version: "2.0", Headers: map[string]string{"authorization": "Bearer " + access}, IdentitySource: []string{"Bearer " + access}})
	if err != nil {
		r.t.Fatal(err)
	}
	word, _ := out.Context["auth"].(string)
	return word
}

func TestR3_ATokenIsForOurResourceOnly(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		access := r.connected(claudeID).text("access_token")
		for public, want := range map[string]string{issuer: "ok", "https://other.example": "invalid_token", issuer + ".evil.example": "invalid_token", "http://mcp.example": "invalid_token"} {
			if got := r.asked(public, access); got != want {
				t.Errorf("%s: %s", public, got)
			}
		}
		list, err := r.ids.Connections(t.Context(), athlete)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if err := r.ids.RevokeConnection(t.Context(), athlete, list[0].ID); err != nil {
			t.Fatal(err)
		}
		if got := r.asked(issuer, access); got != "invalid_token" { // at its very next request
			t.Error(got)
		}
	})
}

// Neither a code nor a refresh token nor a client's secret opens the endpoint.
func TestOnlyAnAccessTokenIsABearerToken(t *testing.T) {
	r := newRig(t, nil)
	reg := r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"client_secret_post"}`)
	code := r.consent(query(reg.text("client_id")))
	got := r.redeem(reg.text("client_id"), code, "client_secret", reg.text("client_secret"))
	for _, token := range []string{code, got.text("refresh_token"), reg.text("client_secret")} {
		if word := r.asked(issuer, token); word != "invalid_token" {
			t.Errorf("%.9s...: %s", token, word)
		}
	}
}

func TestFiftyPeopleConnectAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		const people = 50
		var wg sync.WaitGroup
		for i := range people {
			user := fmt.Sprintf("i%d", 100+i)
			if _, err := r.ids.AddUser(t.Context(), identity.User{ID: user, Athlete: user}); err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				client := r.publicClient()
				a, err := r.parse(query(client))
				if err != nil {
					t.Error(err)
					return
				}
				to, err := r.Grant(t.Context(), a, Choices{User: user, Permissions: identity.Permissions{Scopes: a.Scopes}})
				if err != nil {
					t.Error(err)
					return
				}
				got := r.redeem(client, answerOf(t, to).Get("code"))
				r.want(got, 200, "")
				tok, err := r.table.Token(t.Context(), identity.HashOf(got.text("access_token")))
				if err != nil || tok.User != user {
					t.Errorf("%s got a token of %s: %v", user, tok.User, err)
				}
			})
		}
		wg.Wait()
	})
}

// private resolves every name to the metadata service of a cloud.
type private struct{}

func (private) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
}

func TestSSRF_ADocumentOnAPrivateAddressIsAPageThatTellsNothing(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Documents = clientdoc.New(clientdoc.Options{Resolver: private{}}) })
	if r.refusedAs(query("https://metadata.example/latest"), codeInvalidClient, ClientGone) != nil {
		t.Error("it was sent back")
	}
	_, err := r.parse(query("https://metadata.example/latest"))
	if err == nil || strings.Contains(err.Error(), "169.254") || strings.Contains(err.Error(), "metadata.example") {
		t.Errorf("tells %v", err)
	}
}

// The official Go SDK's own client, over HTTP: it finds its way from the
// challenge to a token by itself, as a registered client and with a document.
func TestTheGoSDKsClientCompletesTheFlow(t *testing.T) {
	const document = "https://example.com/client"
	docs := internet(t, map[string]string{document: `{"client_id":"` + document + `","client_name":"Go","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`})
	for name, config := range map[string]*auth.AuthorizationCodeHandlerConfig{
		"registered": {DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Go", RedirectURIs: []string{"http://127.0.0.1:4711/callback"}, GrantTypes: []string{"authorization_code", "refresh_token"}}}},
		"document": {ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: document}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.Documents = docs })
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.URL.Path == "/mcp" {
					w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp", scope="read write"`, r.place.Issuer))
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				r.handler.ServeHTTP(w, req.WithContext(At(req.Context(), r.place)))
			}))
			defer s.Close()
			r.place.Issuer = s.URL
			config.RedirectURL = "http://127.0.0.1:4711/callback"
			config.AuthorizationCodeFetcher = func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				u, err := url.Parse(args.URL)
				if err != nil || u.Path != "/authorize" {
					return nil, fmt.Errorf("%s: %w", args.URL, err)
				}
				a, err := r.parse(u.RawQuery)
				if err != nil {
					return nil, err
				}
				to, err := r.Grant(t.Context(), a, Choices{User: athlete, Permissions: identity.Permissions{Scopes: a.Scopes}})
				if err != nil {
					return nil, err
				}
				back := answerOf(t, to)
				return &auth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
			}
			h, err := auth.NewAuthorizationCodeHandler(config)
			if err != nil {
				t.Fatal(err)
			}
			req := httptest.NewRequest("POST", s.URL+"/mcp", nil)
			resp, err := http.Post(s.URL+"/mcp", "application/json", strings.NewReader("{}")) //nolint:noctx // a test
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Authorize(t.Context(), req, resp); err != nil {
				t.Fatal(err)
			}
			source, err := h.TokenSource(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			token, err := source.Token()
			if err != nil {
				t.Fatal(err)
			}
			kept, err := r.table.Token(t.Context(), identity.HashOf(token.AccessToken))
			if err != nil || kept.Audience != s.URL+"/mcp" || token.RefreshToken == "" {
				t.Errorf("%+v, %v", kept, err)
			}
		})
	}
}

func FuzzAuthorize(f *testing.F) {
	f.Add(query(claudeID))
	f.Add(query(claudeID, "scope", "x", "state", "\r\n"))
	f.Add("client_id=" + url.QueryEscape(claudeID) + "&redirect_uri=" + url.QueryEscape(callback) + "&state=%ff&response_type=token")
	f.Fuzz(func(t *testing.T, q string) {
		s := New(Options{Store: nowhere{}, Documents: &documents{known: map[string]string{
			claudeID: `{"client_id":"` + claudeID + `","client_name":"Claude","redirect_uris":["` + callback + `"]}`}}})
		a, err := s.Resume(At(t.Context(), Place{Issuer: issuer}), q)
		if err == nil {
			if a.Client.ID != claudeID || a.Redirect != callback || a.Resource != resource || len(a.Challenge) != 43 || len(a.Scopes) == 0 {
				t.Errorf("%q is understood as %+v", q, a)
			}
			return
		}
		refused, ok := err.(*AuthorizeError)
		if !ok || refused.Back != "" && (!strings.HasPrefix(refused.Back, callback+"?error=") || strings.ContainsAny(refused.Back, " \r\n\"<>")) {
			t.Errorf("%q is refused with %v", q, err)
		}
	})
}

// nowhere is a store that knows nobody.
type nowhere struct{ Store }

func (nowhere) Client(context.Context, string) (identity.Client, error) {
	return identity.Client{}, identity.ErrNoClient
}
