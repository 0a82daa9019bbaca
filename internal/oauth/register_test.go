package oauth

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
)

func TestA13_RegistrationAnswersWithAllThatWasRegistered(t *testing.T) {
	r := newRig(t, nil)
	got := r.register(`{"client_name":"  Claude \u202e","redirect_uris":["` + callback + `","http://localhost/callback"],"grant_types":["authorization_code","refresh_token","x"],
		"response_types":["code"],"token_endpoint_auth_method":"client_secret_post","scope":"read offline_access","software_id":"ignored","logo_uri":"https://evil.example/x.svg"}`)
	if got.text("client_name") != "Claude" || !slices.Equal(texts(got.json["redirect_uris"]), []string{callback, "http://localhost/callback"}) ||
		!slices.Equal(texts(got.json["grant_types"]), []string{"authorization_code", "refresh_token"}) || !slices.Equal(texts(got.json["response_types"]), []string{"code"}) ||
		got.text("token_endpoint_auth_method") != "client_secret_post" || got.text("scope") != "read" || got.text("client_secret") == "" ||
		got.json["client_secret_expires_at"] != 0.0 || got.json["client_id_issued_at"] != float64(r.now().Unix()) || got.json["logo_uri"] != nil {
		t.Error(got.Body)
	}
	public := r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`)
	if _, has := public.json["client_secret_expires_at"]; has || public.text("client_secret") != "" {
		t.Error(public.Body)
	}
	// What ChatGPT's document says, sent to /register.
	got = r.register(`{"client_name":"ChatGPT","redirect_uris":["https://chatgpt.com/connector/oauth/abc"],"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"]}`)
	if got.text("token_endpoint_auth_method") != "none" {
		t.Error(got.Body)
	}
}

func TestRFC7591_WhatCannotBeRegisteredIsRefusedByTheRFCsCodes(t *testing.T) {
	r := newRig(t, nil)
	for name, c := range map[string]struct{ body, code string }{
		"no redirect":     {`{"client_name":"x"}`, "invalid_redirect_uri"},
		"empty redirects": {`{"redirect_uris":[]}`, "invalid_redirect_uri"},
		"redirect, text":  {`{"redirect_uris":"https://claude.ai/cb"}`, "invalid_redirect_uri"},
		"http":            {`{"redirect_uris":["http://claude.ai/cb"]}`, "invalid_redirect_uri"},
		"wildcard":        {`{"redirect_uris":["https://*.claude.ai/cb"]}`, "invalid_redirect_uri"},
		"fragment":        {`{"redirect_uris":["https://claude.ai/cb#x"]}`, "invalid_redirect_uri"},
		"userinfo":        {`{"redirect_uris":["https://claude.ai@evil.example/cb"]}`, "invalid_redirect_uri"},
		"javascript":      {`{"redirect_uris":["javascript:alert(1)"]}`, "invalid_redirect_uri"},
		"one of two":      {`{"redirect_uris":["` + callback + `","http://evil.example"]}`, "invalid_redirect_uri"},
		"eleven":          {`{"redirect_uris":[` + strings.Repeat(`"`+callback+`",`, 10) + `"` + callback + `"]}`, "invalid_redirect_uri"},
		"too long":        {`{"redirect_uris":["https://claude.ai/` + strings.Repeat("a", 600) + `"]}`, "invalid_redirect_uri"},
		"assertion":       {`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"private_key_jwt"}`, "invalid_client_metadata"},
		"implicit":        {`{"redirect_uris":["` + callback + `"],"response_types":["token"]}`, "invalid_client_metadata"},
		"credentials":     {`{"redirect_uris":["` + callback + `"],"grant_types":["client_credentials"]}`, "invalid_client_metadata"},
		"scope":           {`{"redirect_uris":["` + callback + `"],"scope":"admin"}`, "invalid_client_metadata"},
		"name, number":    {`{"redirect_uris":["` + callback + `"],"client_name":1}`, "invalid_client_metadata"},
		"member twice":    {`{"redirect_uris":["` + callback + `"],"redirect_uris":["https://evil.example/"]}`, "invalid_client_metadata"},
		"cut off":         {`{"redirect_uris":["`, "invalid_client_metadata"},
		"no JSON":         {`{]`, "invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) { r.want(r.send("POST", "/register", c.body), 400, c.code) })
	}
	r.want(r.send("POST", "/register", "[]", "Content-Type", "application/json"), 400, "invalid_client_metadata")
	r.want(r.send("POST", "/register", `{"redirect_uris":["`+callback+`"]}`, "Content-Type", "text/plain"), 400, "invalid_client_metadata")
	r.want(r.send("POST", "/register", `{"x":"`+strings.Repeat("x", maxBody)+`"}`), 413, "invalid_request")
	r.want(r.send("GET", "/register", ""), 405, "invalid_request")
}

func TestAClientsNameIsOnlyEverText(t *testing.T) {
	r := newRig(t, nil)
	name := `<script>alert(1)</script>`
	id := r.register(`{"client_name":"` + name + `","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`).text("client_id")
	a, err := r.parse(query(id))
	if err != nil || a.Client.Name != name { // the pages escape it
		t.Errorf("%+v, %v", a, err)
	}
}

func TestARegisteredClientIsForgottenWhenNobodyUsesIt(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		id := r.publicClient()
		r.pass(identity.ClientLife - time.Hour)
		if _, err := r.parse(query(id)); err != nil {
			t.Error(err)
		}
		r.pass(2 * time.Hour)
		r.refusedAs(query(id), codeInvalidClient, UnknownClient)
	})
}

func TestA6_NeitherTokensNorCodesNorClientSecretsAreKeptReadably(t *testing.T) {
	dir := t.TempDir()
	s := embedded.New(dir)
	r := newRigOn(t, s.Identity(), nil)
	reg := r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"client_secret_post"}`)
	id, secret := reg.text("client_id"), reg.text("client_secret")
	code := r.consent(query(id))
	first := r.redeem(id, code, "client_secret", secret)
	r.want(first, 200, "")
	second := r.refresh(id, first.text("refresh_token"), "client_secret", secret)
	r.want(second, 200, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var all []byte
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(os.DirFS(dir), path)
		all = append(all, b...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(all, []byte(id)) {
		t.Fatal("nothing was read")
	}
	for _, kept := range []string{secret, code, first.text("access_token"), first.text("refresh_token"), second.text("access_token"), second.text("refresh_token")} {
		if kept == "" || bytes.Contains(all, []byte(kept)) {
			t.Errorf("%.9s... is in the file", kept)
		}
		if strings.Contains(r.log.String(), kept) {
			t.Errorf("%.9s... is in the log", kept)
		}
	}
}

func TestTheLogSaysWhatHappenedInOurWordsOnly(t *testing.T) {
	r := newRig(t, nil)
	r.send("POST", "/register", `{"client_name":"word-of-theirs","redirect_uris":["word-of-theirs"]}`)
	r.redeem("client-word-of-theirs", "word-of-theirs", "resource", "word-of-theirs", "redirect_uri", "word-of-theirs")
	r.send("POST", "/token?word-of-theirs", "grant_type=word-of-theirs&client_id="+claudeID)
	if log := r.log.String(); strings.Contains(log, "word-of-theirs") || strings.Count(log, "\n") != 3 || !strings.Contains(log, `"outcome":"invalid_redirect_uri"`) || !strings.Contains(log, `"request_id":"r1"`) {
		t.Error(log)
	}
}

func TestARegistrationFloodIsStopped(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits = DefaultLimits; o.Limits.RegisterAll.Attempts = 150 })
	body := `{"redirect_uris":["` + callback + `"]}`
	for range DefaultLimits.Register.Attempts {
		r.register(body)
	}
	got := r.send("POST", "/register", body)
	if r.want(got, 429, "temporarily_unavailable"); got.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	r.place.Address = "203.0.113.9" // another address is not shut out
	r.register(body)
	for i := range 60 { // but there is an end for all together
		r.place.Address = fmt.Sprintf("203.0.113.%d", i)
		got = r.send("POST", "/register", body)
	}
	r.want(got, 429, "temporarily_unavailable")
	r.pass(time.Hour)
	r.register(body)
}

func TestAnIPv6NetworkCountsAsOneAddress(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits = DefaultLimits; o.Limits.Register.Attempts = 1 })
	body := `{"redirect_uris":["` + callback + `"]}`
	r.place.Address = "2001:db8:0:1::1"
	r.register(body)
	r.place.Address = "2001:db8:0:1:ffff::2"
	r.want(r.send("POST", "/register", body), 429, "temporarily_unavailable")
	r.place.Address = "2001:db8:0:2::1"
	r.register(body)
}

func TestFailuresAtTheTokenEndpointAreCountedAndSuccessCostsNothing(t *testing.T) {
	counted := map[string]int{}
	r := newRig(t, nil)
	allow := r.limiter.allow
	r.limiter.allow = func(ctx context.Context, key string, limit int, window time.Duration) (bool, time.Time, error) {
		counted[key]++
		return allow(ctx, key, limit, window)
	}
	r.limiter.limits.Failures.Attempts = 3
	id := r.publicClient()
	token := r.connected(id).text("refresh_token")
	clear(counted)
	r.want(r.refresh(id, token), 200, "")
	if len(counted) > 0 {
		t.Errorf("a success was counted: %v", counted)
	}
	for range 4 {
		r.want(r.refresh(id, "x"), 400, "invalid_grant")
	}
	blocked := r.refresh(id, "x")
	if r.want(blocked, 429, "temporarily_unavailable"); blocked.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	r.place.Address = "203.0.113.9"
	r.want(r.refresh(id, "x"), 429, "temporarily_unavailable") // the client, wherever it asks from
	r.want(r.refresh(claudeID, "x"), 400, "invalid_grant")     // and nobody else
	for key := range counted {
		if strings.Contains(key, "198.51") || strings.Contains(key, id) || len(key) > 80 {
			t.Errorf("the key %s says who it was", key)
		}
	}
	r.place.Address = "198.51.100.7"
	r.pass(10 * time.Minute)
	r.want(r.refresh(id, "x"), 400, "invalid_grant")
}

// Everybody shares a document's id: who fails under it must not shut out Claude.
func TestFailuresUnderADocumentsNameShutOutTheAddressOnly(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits = DefaultLimits; o.Limits.Failures.Attempts = 1 })
	for range 5 {
		r.refresh(claudeID, "x")
	}
	r.want(r.refresh(claudeID, "x"), 429, "temporarily_unavailable")
	r.place.Address = "203.0.113.9"
	r.connected(claudeID)
}

// Somebody can make an assistant fail at its address, which is everybody's who
// uses it, and can name another's client: neither ends a session.
func TestWhoHasAGoodTokenIsShutOutByNobodysFailures(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits = DefaultLimits; o.Limits.Failures.Attempts = 1 })
	id := r.publicClient()
	own, shared := r.connected(id), r.connected(claudeID)
	r.refresh(id, "x")
	r.refresh(id, "x")
	r.want(r.refresh(claudeID, "x"), 429, "temporarily_unavailable")
	r.want(r.refresh(claudeID, shared.text("refresh_token")), 200, "")
	r.want(r.refresh(id, own.text("refresh_token")), 200, "")
	r.connected(claudeID)
	r.place.Address = "203.0.113.9"
	r.want(r.refresh(id, "x"), 429, "temporarily_unavailable")
	r.want(r.send("POST", "/revoke", "token="+own.text("access_token")+"&client_id="+id), 200, "")
}

func TestAuthorizationRequestsAndGrantsAreLimited(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Limits = DefaultLimits
		o.Limits.Authorize.Attempts, o.Limits.Grants.Attempts = 3, 1
	})
	a, err := r.parse(query(claudeID))
	if err != nil {
		t.Fatal(err)
	}
	c := Choices{User: athlete, Permissions: identity.Permissions{Scopes: a.Scopes}}
	if _, err := r.Grant(t.Context(), a, c); err != nil {
		t.Error(err)
	}
	if _, err := r.Grant(t.Context(), a, c); err == nil || !strings.Contains(err.Error(), codeUnavailable) {
		t.Errorf("a second grant: %v", err)
	}
	_, _ = r.parse(query(claudeID))
	_, _ = r.parse(query(claudeID))
	asked := r.docs.asked
	r.refusedAs(query(claudeID), codeUnavailable, Throttled)
	if r.docs.asked != asked {
		t.Error("a document was fetched beyond the limit")
	}
}

// counting notes what a store is asked.
type counting struct {
	Store
	asked []string
}

func (c *counting) Client(ctx context.Context, id string) (identity.Client, error) {
	c.asked = append(c.asked, "client")
	return c.Store.Client(ctx, id)
}

// An unknown client, a wrong secret and a wrong method must not be told apart:
// neither by the answer nor by the work that is done for it.
func TestAnUnknownClientAndAWrongSecretAreOneAnswerAndOneWay(t *testing.T) {
	var c *counting
	r := newRig(t, func(o *Options) { c = &counting{Store: o.Store}; o.Store = c })
	known := r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"client_secret_post"}`).text("client_id")
	var bodies []string
	var work []int
	for _, id := range []string{known, known[:len(known)-1] + "0", "client-x"} {
		c.asked = nil
		got := r.refresh(id, "x", "client_secret", "wrong")
		r.want(got, 401, "invalid_client")
		bodies, work = append(bodies, got.Body.String()), append(work, len(c.asked))
	}
	if bodies[0] != bodies[1] || bodies[1] != bodies[2] || !slices.Equal(work, []int{1, 1, 1}) {
		t.Errorf("%q after %v look-ups", bodies, work)
	}
}

func TestAnUnknownAndAForeignTokenAreOneAnswer(t *testing.T) {
	r := newRig(t, nil)
	foreign := r.connected(r.publicClient()).text("refresh_token")
	unknown := identity.NewToken(identity.KindRefresh).Reveal()
	if a, b := r.refresh(claudeID, foreign), r.refresh(claudeID, unknown); a.Code != b.Code || a.Body.String() != b.Body.String() {
		t.Errorf("%s and %s", a.Body, b.Body)
	}
}

func TestConfiguredClientsNeedNoRegistration(t *testing.T) {
	secret := "a long secret of the configuration"
	clients, err := ParseClients(`[{"client_id":"desk","client_name":"Desk","redirect_uris":["https://desk.example/cb"],"token_endpoint_auth_method":"none"},
		{"client_id":"backend","client_name":"Backend","redirect_uris":["https://b.example/cb"],"token_endpoint_auth_method":"client_secret_basic","client_secret_sha256":"` + identity.HashOf(secret).Hex() + `"}]`)
	if err != nil || len(clients) != 2 {
		t.Fatal(clients, err)
	}
	r := newRig(t, func(o *Options) { o.Clients = clients })
	code := r.consent(query("desk", "redirect_uri", "https://desk.example/cb"))
	got := r.redeem("desk", code, "redirect_uri", "https://desk.example/cb")
	r.want(got, 200, "")
	r.want(r.refresh("desk", got.text("refresh_token")), 200, "")
	code = r.consent(query("backend", "redirect_uri", "https://b.example/cb"))
	v := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {"https://b.example/cb"}, "code_verifier": {verifier}}
	r.want(r.send("POST", "/token", v.Encode(), "Authorization", basic("backend", "wrong")), 401, "invalid_client")
	r.want(r.send("POST", "/token", v.Encode(), "Authorization", basic("backend", secret)), 200, "")
}

func TestAConfigurationWithAMistakeIsRefused(t *testing.T) {
	good := `{"client_id":"desk","client_name":"Desk","redirect_uris":["https://desk.example/cb"],"token_endpoint_auth_method":"none"}`
	if none, err := ParseClients(" "); err != nil || none != nil {
		t.Error(none, err)
	}
	for name, text := range map[string]string{
		"no JSON": `x`, "object": good, "twice": `[` + good + `,` + good + `]`,
		"no id":        `[` + strings.Replace(good, "desk", "", 1) + `]`,
		"URL":          `[` + strings.Replace(good, `"desk"`, `"https://desk.example/c"`, 1) + `]`,
		"like ours":    `[` + strings.Replace(good, `"desk"`, `"client-desk"`, 1) + `]`,
		"no name":      `[` + strings.Replace(good, `"Desk"`, `""`, 1) + `]`,
		"bad redirect": `[` + strings.Replace(good, `https://desk`, `http://desk`, 1) + `]`,
		"no secret":    `[` + strings.Replace(good, `"none"`, `"client_secret_post"`, 1) + `]`,
		"method":       `[` + strings.Replace(good, `"none"`, `"tls_client_auth"`, 1) + `]`,
	} {
		if got, err := ParseClients(text); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
