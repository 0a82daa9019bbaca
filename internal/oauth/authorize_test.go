package oauth

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/clientdoc"
)

// refusedAs fails unless a request is refused with a code, and gives what goes
// back to the client: nil when it is only a page.
func (r *rig) refusedAs(query, code string, reason Reason) url.Values {
	r.t.Helper()
	a, err := r.parse(query)
	var refused *AuthorizeError
	if !errors.As(err, &refused) {
		r.t.Fatalf("%+v, %v: not refused", a, err)
	}
	if refused.Err.Code != code || refused.Reason != reason {
		r.t.Errorf("refused with %s (%s), want %s (%s)", refused.Err, refused.Reason, code, reason)
	}
	if refused.Back == "" {
		return nil
	}
	back := answerOf(r.t, refused.Back)
	if back.Get("error") != code || back.Get("error_description") == "" || back.Has("code") {
		r.t.Errorf("back goes %v", back)
	}
	return back
}

func TestAGoodRequestIsUnderstood(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.parse(query(claudeID))
	if err != nil {
		t.Fatal(err)
	}
	if a.Client.ID != claudeID || a.Client.Name != "Claude" || a.Redirect != callback || a.State != "s" || a.Resource != resource || a.Challenge != challengeOf(verifier) ||
		!slices.Equal(a.Scopes, allScopes) || a.Login || a.Issuer != issuer || a.Loopback() {
		t.Errorf("%+v", a)
	}
	again, err := r.Resume(At(t.Context(), r.place), a.Query)
	if err != nil || again.State != a.State || again.Client.ID != a.Client.ID {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestA7_ADocumentClientIsShownWithItsHostsAndUsesItsOwnRedirectsOnly(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.parse(query(claudeID))
	if err != nil || a.ClientHost() != "claude.ai" || a.RedirectHost() != "claude.ai" {
		t.Errorf("%+v, %v", a, err)
	}
	// The address of another client, whoever owns it.
	if back := r.refusedAs(query("https://evil.example/client"), codeInvalidRequest, BadReturn); back != nil {
		t.Error("it was sent back")
	}
	a, err = r.parse(query(r.publicClient()))
	if err != nil || a.ClientHost() != "" {
		t.Errorf("nobody vouches for a registered client: %+v, %v", a, err)
	}
}

func TestA7_ADocumentThatCannotBeUsedIsAPageAndNoRedirect(t *testing.T) {
	r := newRig(t, nil)
	for _, err := range []error{&clientdoc.FetchError{}, &clientdoc.InvalidError{Problem: "x"}} {
		r.docs.err = err
		if r.refusedAs(query(claudeID), codeInvalidClient, ClientGone) != nil {
			t.Error("it was sent back")
		}
	}
	r.docs.err = nil
	for _, id := range []string{"https://169.254.169.254/latest", "https://localhost/x", "https://claude.ai/x#y", "https://2130706433/c", "https://[::ffff:127.0.0.1]/c"} {
		r.refusedAs(query(id), codeInvalidClient, ClientGone)
	}
}

func TestA9_LoopbackRedirectsAreToldFromOthers(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.parse(query("https://claude.ai/oauth/claude-code-client-metadata", "redirect_uri", "http://localhost:3118/callback"))
	if err != nil || !a.Loopback() || a.RedirectHost() != "localhost" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestA9_ADocumentIsKeptInTheStoreForTheNextProcess(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		put := NewDocumentCache(r.ids, r.now)
		d := clientdoc.Document{ID: claudeID, Name: "Claude", Redirects: []string{callback}}
		put.Put(t.Context(), claudeID, d, r.now().Add(time.Hour))
		for _, c := range []clientdoc.Cache{put, NewDocumentCache(r.ids, r.now)} {
			got, until, ok := c.Get(t.Context(), claudeID)
			if !ok || got.ID != d.ID || got.Name != d.Name || !slices.Equal(got.Redirects, d.Redirects) || !until.Equal(r.now().Add(time.Hour)) {
				t.Errorf("%+v %s %v", got, until, ok)
			}
		}
		r.pass(time.Hour)
		if _, _, ok := put.Get(t.Context(), claudeID); ok {
			t.Error("it is kept too long")
		}
		// A registered client is no document, whatever it is called.
		if _, _, ok := put.Get(t.Context(), r.publicClient()); ok {
			t.Error("a registered client is taken for a document")
		}
	})
}

func TestRFC6749_AnUnknownClientOrRedirectIsNeverRedirected(t *testing.T) {
	r := newRig(t, nil)
	id := r.publicClient()
	for name, c := range map[string]struct {
		query  string
		code   string
		reason Reason
	}{
		"no client":          {query("", "client_id", ""), codeInvalidRequest, UnknownClient},
		"unknown client":     {query("client-unknown"), codeInvalidClient, UnknownClient},
		"odd client":         {query("a\x00b"), codeInvalidClient, UnknownClient},
		"no redirect":        {query(id, "redirect_uri", ""), codeInvalidRequest, BadReturn},
		"foreign redirect":   {query(id, "redirect_uri", "https://evil.example/cb"), codeInvalidRequest, BadReturn},
		"two redirects":      {query(id) + "&redirect_uri=https%3A%2F%2Fevil.example%2Fcb", codeInvalidRequest, BadRequest},
		"two clients":        {query(id) + "&client_id=client-other", codeInvalidRequest, BadRequest},
		"unreadable":         {query(id) + "&x=%zz", codeInvalidRequest, BadRequest},
		"semicolons":         {strings.ReplaceAll(query(id), "&", ";"), codeInvalidRequest, BadRequest},
		"other errors, too":  {query(id, "redirect_uri", "https://evil.example/cb", "response_type", "token", "scope", "x"), codeInvalidRequest, BadReturn},
		"javascript":         {query(id, "redirect_uri", "javascript:alert(1)"), codeInvalidRequest, BadReturn},
		"loopback, not ours": {query(id, "redirect_uri", "http://localhost:1/api/mcp/auth_callback"), codeInvalidRequest, BadReturn},
	} {
		t.Run(name, func(t *testing.T) {
			if back := r.refusedAs(c.query, c.code, c.reason); back != nil {
				t.Errorf("it was sent back: %v", back)
			}
		})
	}
}

func TestA4_RedirectLookAlikesAreRefused(t *testing.T) {
	r := newRig(t, nil)
	id := r.publicClient()
	for name, uri := range map[string]string{
		"suffix host": "https://claude.ai.evil.example/api/mcp/auth_callback", "userinfo": "https://claude.ai@evil.example/api/mcp/auth_callback", "port": "https://claude.ai:8443/api/mcp/auth_callback",
		"path traversal": callback + "/../x", "encoded": "https://claude.ai/api%2Fmcp/auth_callback", "unicode": "https://сlaude.ai/api/mcp/auth_callback", "case": "https://claude.ai/api/mcp/AUTH_callback",
		"trailing dot": "https://claude.ai./api/mcp/auth_callback", "fragment": callback + "#x", "query": callback + "?x=1", "http": "http://claude.ai/api/mcp/auth_callback", "slash": callback + "/",
	} {
		t.Run(name, func(t *testing.T) {
			if r.refusedAs(query(id, "redirect_uri", uri), codeInvalidRequest, BadReturn) != nil {
				t.Error("it was sent back")
			}
		})
	}
}

func TestRFC8252_ALoopbackClientUsesAnyPort(t *testing.T) {
	r := newRig(t, nil)
	for _, uri := range []string{"http://localhost:49152/callback", "http://127.0.0.1:1/callback"} {
		a, err := r.parse(query("https://claude.ai/oauth/claude-code-client-metadata", "redirect_uri", uri))
		if err != nil || a.Redirect != uri {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestRFC7636_PlainChallengeRefused(t *testing.T) {
	r := newRig(t, nil)
	for _, pairs := range [][]string{
		{"code_challenge_method", "plain"}, {"code_challenge_method", ""}, {"code_challenge_method", "s256"}, {"code_challenge_method", "S512"},
		{"code_challenge_method", "plain", "code_challenge", verifier},
	} {
		if r.refusedAs(query(claudeID, pairs...), codeInvalidRequest, BadRequest) == nil {
			t.Error("the client is not told")
		}
	}
}

func TestRFC7636_MissingOrMalformedChallengeRefused(t *testing.T) {
	r := newRig(t, nil)
	good := challengeOf(verifier)
	for _, challenge := range []string{"", good[:42], good + "A", good + "=", strings.ReplaceAll(good, "-", "+"), good[:42] + "!", strings.Repeat("A", 128), " " + good[1:], good[:42] + "\n"} {
		r.refusedAs(query(claudeID, "code_challenge", challenge), codeInvalidRequest, BadRequest)
	}
}

func TestRFC8707_TheResourceMustBeOurs(t *testing.T) {
	r := newRig(t, nil)
	for _, good := range []string{resource, resource + "/", "HTTPS://MCP.Example/mcp", "https://mcp.example:443/mcp", ""} {
		a, err := r.parse(query(claudeID, "resource", good))
		if err != nil || a.Resource != resource {
			t.Errorf("%q: %+v, %v", good, a, err)
		}
	}
	for _, bad := range []string{
		resource + "2", resource + "/x", resource + "#", resource + "#x", resource + "?x=1", resource + "//", issuer, issuer + "/", issuer + "/MCP", issuer + "/%6dcp", issuer + "//mcp", issuer + "/x/../mcp",
		"https://evil.example/mcp", "https://mcp.example.evil.example/mcp", "https://mcp.example@evil.example/mcp", "http://mcp.example/mcp", "https://mcp.example:8443/mcp", "mcp.example/mcp", "urn:x", "https://mcp.example./mcp",
	} {
		if back := r.refusedAs(query(claudeID, "resource", bad), codeInvalidTarget, BadRequest); back.Get("state") != "s" {
			t.Errorf("%s: back goes %v", bad, back)
		}
	}
	both := query(claudeID) + "&resource=" + url.QueryEscape("https://evil.example/mcp")
	r.refusedAs(both, codeInvalidTarget, BadRequest)
	if _, err := r.parse(query(claudeID) + "&resource=" + url.QueryEscape(resource)); err != nil {
		t.Errorf("the same twice: %v", err)
	}
}

func TestR10_AnIssuerWrittenInCapitalsIsTheSameResource(t *testing.T) {
	r := newRig(t, nil)
	r.place.Issuer = "https://MCP.Example"
	if _, err := r.parse(query(claudeID)); err != nil {
		t.Error(err)
	}
}

func TestRFC9207_IssOnErrorRedirect(t *testing.T) {
	r := newRig(t, nil)
	for _, pairs := range [][]string{{"scope", "admin"}, {"response_type", "token"}, {"code_challenge", ""}, {"resource", "https://evil.example/"}, {"prompt", "none"}} {
		a, err := r.parse(query(claudeID, pairs...))
		var refused *AuthorizeError
		if !errors.As(err, &refused) {
			t.Fatalf("%+v %v", a, err)
		}
		if back := answerOf(t, refused.Back); !slices.Equal(back["iss"], []string{issuer}) || !slices.Equal(back["state"], []string{"s"}) {
			t.Errorf("%v: back goes %v", pairs, back)
		}
	}
	a, err := r.parse(query(claudeID))
	if err != nil {
		t.Fatal(err)
	}
	denied := answerOf(t, r.Deny(a, ""))
	if denied.Get("error") != "access_denied" || denied.Get("iss") != issuer || denied.Get("state") != "s" {
		t.Errorf("denied goes %v", denied)
	}
	if other := answerOf(t, r.Deny(a, codeServerError)); other.Get("error") != "server_error" || strings.Contains(other.Get("error_description"), "no") && strings.Contains(other.Get("error_description"), "said") {
		t.Error(other)
	}
}

func TestRFC9207_IssOnSuccess(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.parse(query(claudeID))
	if err != nil {
		t.Fatal(err)
	}
	to, err := r.Grant(t.Context(), a, Choices{User: athlete, Permissions: identity.Permissions{Scopes: a.Scopes}})
	if err != nil {
		t.Fatal(err)
	}
	back := answerOf(t, to)
	if !strings.HasPrefix(to, callback+"?") || back.Get("code") == "" || back.Get("iss") != issuer || back.Get("state") != "s" || back.Has("error") {
		t.Error(to)
	}
}

func TestRFC6749_StateComesBackHoweverLong(t *testing.T) {
	r := newRig(t, nil)
	for _, state := range []string{"x", strings.Repeat("A1-_", 128), strings.Repeat("x", MaxState), `{"a":"b c&d=e#f"}`, "é\r\nSet-Cookie: x", "%2525+ "} {
		a, err := r.parse(query(claudeID, "state", state))
		if err != nil {
			t.Errorf("%.20q: %v", state, err)
			continue
		}
		if to := r.Deny(a, ""); answerOf(t, to).Get("state") != state || strings.ContainsAny(to, "\r\n") {
			t.Errorf("%.20q comes back as %.40q", state, to)
		}
	}
	if back := r.refusedAs(query(claudeID, "state", strings.Repeat("x", MaxState+1)), codeInvalidRequest, BadRequest); back.Has("state") {
		t.Error("a state that is too long is sent back")
	}
	if back := r.refusedAs(query(claudeID)+"&state=t", codeInvalidRequest, BadRequest); back.Has("state") {
		t.Error("one of two states is sent back")
	}
	a, err := r.parse(query(claudeID, "state", ""))
	if err != nil || answerOf(t, r.Deny(a, "")).Has("state") {
		t.Errorf("no state became one: %v", err)
	}
}

func TestRFC6749_EveryErrorHasTheRFCsOwnCode(t *testing.T) {
	r := newRig(t, nil)
	for name, c := range map[string]struct {
		pairs []string
		code  string
	}{
		"no response_type":  {[]string{"response_type", ""}, "invalid_request"},
		"token":             {[]string{"response_type", "token"}, "unsupported_response_type"},
		"code id_token":     {[]string{"response_type", "code id_token"}, "unsupported_response_type"},
		"fragment":          {[]string{"response_mode", "fragment"}, "invalid_request"},
		"form_post":         {[]string{"response_mode", "form_post"}, "invalid_request"},
		"unknown scope":     {[]string{"scope", "admin"}, "invalid_scope"},
		"request object":    {[]string{"request", "eyJ"}, "request_not_supported"},
		"request by URL":    {[]string{"request_uri", "https://evil.example/"}, "request_uri_not_supported"},
		"prompt none":       {[]string{"prompt", "none"}, "interaction_required"},
		"prompt none, more": {[]string{"prompt", "none login"}, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) { r.refusedAs(query(claudeID, c.pairs...), c.code, BadRequest) })
	}
	r.refusedAs(query(claudeID)+"&scope=read", codeInvalidRequest, BadRequest)
}

func TestWhatIsUnknownButHarmlessChangesNothing(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.parse(query(claudeID, "response_mode", "query", "prompt", "consent select_account something", "nonce", "n", "audience", "x", "access_type", "offline"))
	if err != nil || a.Login {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = r.parse(query(claudeID, "prompt", "login consent")); err != nil || !a.Login {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestScopesThatMeanNothingHereAreLeftOut(t *testing.T) {
	r := newRig(t, nil)
	for scope, want := range map[string]string{
		"": "read write", "offline_access": "read write", "openid profile": "read write", "read": "read", "write": "write", "read offline_access": "read", "write read": "read write", "read admin": "read",
	} {
		a, err := r.parse(query(claudeID, "scope", scope))
		if err != nil || scopeText(a.Scopes) != want {
			t.Errorf("%q: %+v, %v", scope, a, err)
		}
	}
	r.refusedAs(query(claudeID, "scope", "admin offline_access"), codeInvalidScope, BadRequest)
}

func TestNobodyIsGrantedMoreThanTheClientAskedFor(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.parse(query(claudeID, "scope", "read"))
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range [][]identity.Scope{allScopes, {identity.ScopeWrite}, {}, {"admin"}} {
		if _, err := r.Grant(t.Context(), a, Choices{User: athlete, Permissions: identity.Permissions{Scopes: given}}); !errors.Is(err, ErrTooWide) {
			t.Errorf("%v: %v", given, err)
		}
	}
	a.Scopes = []identity.Scope{identity.ScopeWrite} // which holds read
	if _, err := r.Grant(t.Context(), a, Choices{User: athlete, Permissions: identity.Permissions{Scopes: []identity.Scope{identity.ScopeRead}}}); err != nil {
		t.Error(err)
	}
}

// Anybody may register an address. Without A12 a link to this server would
// redirect to it unasked.
func TestA12_OnlyTrustedAddressesAreRedirectedToUnasked(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Clients = []identity.Client{{ID: "ours", Name: "Ours", Redirects: []string{"https://ours.example/cb"}, AuthMethod: identity.AuthNone}}
	})
	stranger := r.register(`{"client_name":"x","redirect_uris":["https://evil.example/cb"],"token_endpoint_auth_method":"none"}`).text("client_id")
	for name, c := range map[string]struct {
		query    string
		redirect bool
	}{
		"claude":      {query(claudeID, "scope", "x"), true},
		"loopback":    {query("https://claude.ai/oauth/claude-code-client-metadata", "redirect_uri", "http://localhost:1/callback", "scope", "x"), true},
		"configured":  {query("ours", "redirect_uri", "https://ours.example/cb", "scope", "x"), true},
		"registered":  {query(stranger, "redirect_uri", "https://evil.example/cb", "scope", "x"), false},
		"document":    {query("https://evil.example/client", "redirect_uri", "https://evil.example/cb", "scope", "x"), false},
		"no redirect": {query(claudeID, "redirect_uri", "https://evil.example/cb"), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.parse(c.query)
			w := httptest.NewRecorder()
			shown := ""
			Answer(w, httptest.NewRequest("GET", "/authorize", nil), err, func(reason Reason, back string) { shown = string(reason) + " " + back })
			if c.redirect != (w.Header().Get("Location") != "") || c.redirect == (shown != "") {
				t.Errorf("location %q, shown %q", w.Header().Get("Location"), shown)
			}
			if c.redirect && (w.Code != 302 || w.Header().Get("Referrer-Policy") != "no-referrer" || w.Header().Get("Cache-Control") != "no-store") {
				t.Errorf("%d %v", w.Code, w.Header())
			}
		})
	}
}

func TestAfterAFormTheBrowserDoesNotSendItOn(t *testing.T) {
	w := httptest.NewRecorder()
	if SendBack(w, httptest.NewRequest("POST", "/authorize", nil), callback); w.Code != 303 || w.Header().Get("Location") != callback {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestAStoreThatIsDownIsNeitherAYesNorAnUnknownClient(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Store = &failing{Store: o.Store} })
	r.refusedAs(query("client-abc"), codeUnavailable, Unavailable)
	Answer(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), errors.New("x"), func(reason Reason, _ string) {
		if reason != Broken {
			t.Error(reason)
		}
	})
}

func TestMixUp_TwoIssuersAnswersCanBeTold(t *testing.T) { // RFC 9207 1: a code for one must not be taken to the other
	r := newRig(t, nil)
	mine, err := r.parse(query(claudeID))
	if err != nil {
		t.Fatal(err)
	}
	r.place.Issuer = "https://other.example"
	other, err := r.parse(query(claudeID, "resource", ""))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := answerOf(t, r.Deny(mine, "")).Get("iss"), answerOf(t, r.Deny(other, "")).Get("iss"); a == b || a != issuer {
		t.Errorf("%s and %s", a, b)
	}
	// And a code made on one origin is of no use for the resource of the other.
	r.place.Issuer = issuer
	code := r.consent(query(claudeID))
	r.place.Issuer = "https://other.example"
	r.want(r.redeem(claudeID, code, "resource", "https://other.example/mcp"), 400, "invalid_target")
}

func TestRFC6749_AResourceWithoutAValueIsLeftOut(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.parse(query(claudeID, "resource", "") + "&resource=")
	if err != nil || a.Resource != resource {
		t.Fatalf("%v, %v", a, err)
	}
	code := r.consent(query(claudeID))
	v := "grant_type=authorization_code&code=" + code + "&redirect_uri=" + url.QueryEscape(callback) + "&client_id=" + url.QueryEscape(claudeID) + "&code_verifier=" + verifier
	r.want(r.send("POST", "/token", v+"&resource="), 200, "")
	if _, err := r.parse(query(claudeID, "resource", "https://evil.example/mcp") + "&resource="); err == nil {
		t.Error("an empty one hides a foreign one")
	}
}
