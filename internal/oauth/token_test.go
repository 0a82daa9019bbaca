package oauth

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
}

// challenged reports a challenge, in whatever letters its name is spelled.
func challenged(got reply) bool {
	for name, values := range got.Header() {
		if strings.EqualFold(name, "WWW-Authenticate") {
			return len(values) == 1 && strings.HasPrefix(values[0], "Basic ")
		}
	}
	return false
}

func TestA1_PublicAndConfidentialClientsCompleteTheFlow(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		for _, method := range []string{"none", "client_secret_basic", "client_secret_post", ""} {
			body := `{"client_name":"C","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"` + method + `"}`
			reg := r.register(strings.Replace(body, `,"token_endpoint_auth_method":""`, "", 1))
			id, secret := reg.text("client_id"), reg.text("client_secret")
			code := r.consent(query(id))
			v := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {resource}}
			var header []string
			switch reg.text("token_endpoint_auth_method") {
			case "none":
				v.Set("client_id", id)
			case "client_secret_post":
				v.Set("client_id", id)
				v.Set("client_secret", secret)
			default:
				header = []string{"Authorization", basic(id, secret)}
			}
			got := r.send("POST", "/token", v.Encode(), header...)
			r.want(got, 200, "")
			if !r.works(got.text("access_token")) || got.text("token_type") != "Bearer" || got.text("scope") != "read write" {
				t.Errorf("%q: %s", method, got.Body)
			}
		}
		got := r.connected(claudeID) // a document's client, which is asked for nothing at /token
		if !r.works(got.text("access_token")) {
			t.Error(got.Body)
		}
	})
}

func TestA11_AccessTokensLastAnHour(t *testing.T) {
	r := newRig(t, nil)
	got := r.connected(claudeID)
	if got.json["expires_in"] != 3600.0 {
		t.Error(got.Body)
	}
	if r.pass(time.Hour); r.works(got.text("access_token")) {
		t.Error("it still works")
	}
}

func TestA14_ARefreshTokenIsGivenThoughNobodyAskedForOfflineAccess(t *testing.T) {
	r := newRig(t, nil)
	if got := r.connected(claudeID); got.text("refresh_token") == "" {
		t.Error(got.Body)
	}
}

func TestA15_AGrantIsForOneClientOnly(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		a, b := r.publicClient(), r.publicClient() // the same words, the same address
		if a == b {
			t.Fatal("two registrations are one client")
		}
		code := r.consent(query(a))
		r.want(r.redeem(b, code), 400, "invalid_grant")
		got := r.redeem(a, code) // the other's attempt ended nothing
		r.want(got, 200, "")
		r.want(r.refresh(b, got.text("refresh_token")), 400, "invalid_grant")
		r.want(r.refresh(a, got.text("refresh_token")), 200, "")
	})
}

func TestRFC6749_NoAnswerWithTokensMayBeStored(t *testing.T) {
	r := newRig(t, nil)
	for _, got := range []reply{r.connected(claudeID), r.redeem(claudeID, "x"), r.send("POST", "/revoke", "client_id="+claudeID+"&token=x"),
		r.register(`{"redirect_uris":["` + callback + `"]}`), r.send("POST", "/register", "{}"), r.send("GET", "/token", "")} {
		if h := got.Header(); h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Credentials") != "" || len(h.Values("Set-Cookie")) > 0 {
			t.Errorf("%d %v", got.Code, h)
		}
	}
}

func TestRFC6749_CodeReplayEndsTheConnection(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		code := r.consent(query(claudeID))
		got := r.redeem(claudeID, code)
		r.want(got, 200, "")
		r.want(r.redeem("https://evil.example/client", code), 400, "invalid_grant")
		if !r.works(got.text("access_token")) {
			t.Error("another client's replay ended the connection: whoever guesses a code could")
		}
		r.want(r.redeem(claudeID, code), 400, "invalid_grant")
		if r.works(got.text("access_token")) {
			t.Error("the access token outlived the replay")
		}
		r.want(r.refresh(claudeID, got.text("refresh_token")), 400, "invalid_grant")
	})
}

func TestRFC7636_ACodeIsOfNoUseWithoutItsVerifier(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		code := r.consent(query(claudeID)) // injected by whoever stole it
		for _, v := range []string{strings.Repeat("a", 43), challengeOf(verifier), verifier[:42], verifier + "!", strings.Repeat("a", 129), verifier + " "} {
			r.want(r.redeem(claudeID, code, "code_verifier", v), 400, "invalid_grant")
		}
		r.want(r.redeem(claudeID, code, "code_verifier", ""), 400, "invalid_request") // CVE-2025-4144
		r.want(r.redeem(claudeID, code), 200, "")
	})
}

func TestRFC6749_TheRedirectAtTheTokenEndpointIsThatOfTheRequest(t *testing.T) {
	r := newRig(t, nil)
	code := r.consent(query(claudeID))
	r.want(r.redeem(claudeID, code, "redirect_uri", callback+"/"), 400, "invalid_grant")
	r.want(r.redeem(claudeID, code, "redirect_uri", ""), 400, "invalid_request")
	r.want(r.redeem(claudeID, code), 200, "")
}

func TestAnExpiredCodeIsRefused(t *testing.T) {
	r := newRig(t, nil)
	code := r.consent(query(claudeID))
	r.pass(10 * time.Minute)
	r.want(r.redeem(claudeID, code), 400, "invalid_grant")
}

func TestRFC8707_AnotherResourceAtTheTokenEndpointUsesNothingUp(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		code := r.consent(query(claudeID))
		for _, bad := range []string{"https://evil.example/mcp", resource + "2", issuer, resource + "#x", "x"} {
			r.want(r.redeem(claudeID, code, "resource", bad), 400, "invalid_target")
		}
		got := r.redeem(claudeID, code, "resource", "HTTPS://MCP.example/mcp/")
		r.want(got, 200, "")
		r.want(r.refresh(claudeID, got.text("refresh_token"), "resource", resource+"2"), 400, "invalid_target")
		r.want(r.refresh(claudeID, got.text("refresh_token"), "resource", resource), 200, "")
		code = r.consent(query(claudeID, "resource", "")) // missing on both ends: ours
		got = r.redeem(claudeID, code, "resource", "")
		if r.want(got, 200, ""); !r.works(got.text("access_token")) {
			t.Error("a token without resource is not for ours")
		}
	})
}

func TestOneCodeAtTheSameInstantGivesOneAnswer(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		code := r.consent(query(claudeID))
		var good atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if r.redeem(claudeID, code).Code == 200 {
					good.Add(1)
				}
			})
		}
		wg.Wait()
		if good.Load() != 1 {
			t.Errorf("redeemed %d times", good.Load())
		}
	})
}

func TestRFC6749_OnlyAPostedFormIsReadAndEveryAnswerIsJSON(t *testing.T) {
	r := newRig(t, nil)
	form := "grant_type=refresh_token&refresh_token=x&client_id=" + claudeID
	for _, path := range []string{"/token", "/revoke"} {
		for _, method := range []string{"GET", "PUT", "DELETE", "HEAD", "OPTIONS"} {
			if got := r.send(method, path+"?"+form, ""); got.Code != 405 || got.Header().Get("Allow") != "POST" {
				t.Errorf("%s %s: %d", method, path, got.Code)
			}
		}
		for _, media := range []string{"", "application/json", "text/plain", "multipart/form-data; boundary=x", ";;;", "application/x-www-form-urlencoded; ="} {
			r.want(r.send("POST", path, form, "Content-Type", media), 400, "invalid_request")
		}
		r.want(r.send("POST", path, "a=%zz"), 400, "invalid_request")
		r.want(r.send("POST", path, form+"&refresh_token=y"), 400, "invalid_request")
		r.want(r.send("POST", path, form+"&client_id="+claudeID), 400, "invalid_request")
		r.want(r.send("POST", path, form+"&x="+strings.Repeat("a", maxBody)), 413, "invalid_request")
		// Nothing of the address is read: it ends up in logs.
		r.want(r.send("POST", path+"?"+form+"&token=x", "x=1"), 401, "invalid_client")
	}
	r.want(r.send("POST", "/token", form, "Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"), 400, "invalid_grant")
}

func TestRFC6749_EveryTokenErrorHasTheRFCsOwnCode(t *testing.T) {
	r := newRig(t, nil)
	for name, c := range map[string]struct {
		form   string
		status int
		code   string
	}{
		"no grant_type":      {"client_id=" + claudeID, 400, "invalid_request"},
		"empty grant_type":   {"grant_type=&client_id=" + claudeID, 400, "invalid_request"},
		"password":           {"grant_type=password&client_id=" + claudeID, 400, "unsupported_grant_type"},
		"client_credentials": {"grant_type=client_credentials&client_id=" + claudeID, 400, "unsupported_grant_type"},
		"no code":            {"grant_type=authorization_code&client_id=" + claudeID, 400, "invalid_request"},
		"no refresh token":   {"grant_type=refresh_token&client_id=" + claudeID, 400, "invalid_request"},
		"no client":          {"grant_type=refresh_token&refresh_token=x", 401, "invalid_client"},
		"unknown code":       {"grant_type=authorization_code&code=x&redirect_uri=x&code_verifier=x&client_id=" + claudeID, 400, "invalid_grant"},
		"unknown token":      {"grant_type=refresh_token&refresh_token=x&client_id=" + claudeID, 400, "invalid_grant"},
		"bad client":         {"grant_type=refresh_token&refresh_token=x&client_id=a%00b", 401, "invalid_client"},
		"bad document":       {"grant_type=refresh_token&refresh_token=x&client_id=https%3A%2F%2F127.0.0.1%2Fx", 401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) { r.want(r.send("POST", "/token", c.form), c.status, c.code) })
	}
	if r.docs.asked > 0 {
		t.Error("/token fetched a document")
	}
}

// Claude registers anew on it (reference/mcp/05).
func TestRFC6749_ADeadClientIs401InvalidClient(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		id := r.publicClient()
		r.pass(identity.ClientLife + time.Hour)
		r.want(r.refresh(id, "x"), 401, "invalid_client")
		r.want(r.refresh("client-neverthere", "x"), 401, "invalid_client")
		r.want(r.send("POST", "/revoke", "token=x&client_id="+id), 401, "invalid_client")
	})
}

func TestAClientInUseIsKept(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		id := r.publicClient()
		token := r.connected(id).text("refresh_token")
		for range 5 {
			r.pass(25 * 24 * time.Hour)
			got := r.refresh(id, token)
			r.want(got, 200, "")
			token = got.text("refresh_token")
		}
	})
}

func TestRFC7591_TheRegisteredAuthMethodIsEnforced(t *testing.T) {
	r := newRig(t, nil)
	registered := map[string]reply{}
	for _, method := range []string{"none", "client_secret_basic", "client_secret_post"} {
		registered[method] = r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"` + method + `"}`)
	}
	for method, reg := range registered {
		id, secret := reg.text("client_id"), reg.text("client_secret")
		if (secret == "") != (method == "none") {
			t.Errorf("%s has the secret %q", method, secret)
		}
		for used, ask := range map[string]func() reply{
			"none":               func() reply { return r.refresh(id, "x") },
			"client_secret_post": func() reply { return r.refresh(id, "x", "client_secret", cmp.Or(secret, "anything")) },
			"client_secret_basic": func() reply {
				return r.send("POST", "/token", "grant_type=refresh_token&refresh_token=x", "Authorization", basic(id, secret))
			},
		} {
			got := ask()
			if used == method {
				r.want(got, 400, "invalid_grant")
				continue
			}
			r.want(got, 401, "invalid_client")
			if challenged(got) != (used == "client_secret_basic") {
				t.Errorf("%s for %s: %v", used, method, got.Header())
			}
		}
	}
}

func TestRFC6749_AWrongSecretIsInvalidClient(t *testing.T) {
	r := newRig(t, nil)
	post := r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"client_secret_post"}`)
	id := post.text("client_id")
	for _, secret := range []string{"x", post.text("client_secret") + "x", strings.ToUpper(post.text("client_secret")), ""} {
		r.want(r.refresh(id, "x", "client_secret", secret), 401, "invalid_client")
	}
	with := r.register(`{"redirect_uris":["` + callback + `"]}`)
	good := basic(with.text("client_id"), with.text("client_secret"))
	for _, header := range []string{"Basic", "Basic ", "Basic !", "Bearer x", "basic", basic("", "x"), "Basic " + base64.StdEncoding.EncodeToString([]byte("nocolon")),
		"Basic " + base64.StdEncoding.EncodeToString([]byte("%zz:x")), basic(with.text("client_id"), "x"), basic("client-none", with.text("client_secret"))} {
		got := r.send("POST", "/token", "grant_type=refresh_token&refresh_token=x", "Authorization", header)
		if r.want(got, 401, "invalid_client"); !challenged(got) {
			t.Errorf("%q: no challenge", header)
		}
	}
	r.want(r.send("POST", "/token", "grant_type=refresh_token&refresh_token=x", "Authorization", "b"+good[1:]), 400, "invalid_grant") // the scheme in lower case
	r.want(r.send("POST", "/token", "grant_type=refresh_token&refresh_token=x&client_secret=y&client_id=z", "Authorization", good), 400, "invalid_request")
	r.want(r.send("POST", "/token", "grant_type=refresh_token&refresh_token=x&client_id=z", "Authorization", good), 400, "invalid_request")
	r.want(r.refresh(claudeID, "x", "client_assertion", "eyJ", "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"), 401, "invalid_client")
}

// failing is a store that is down.
type failing struct{ Store }

var errDown = errors.New("down")

func (failing) Client(context.Context, string) (identity.Client, error) {
	return identity.Client{}, errDown
}
func (failing) Register(context.Context, identity.Client) (identity.Client, secrets.Secret, error) {
	return identity.Client{}, secrets.Secret{}, errDown
}
func (failing) Redeem(context.Context, identity.Redemption) (identity.Issued, error) {
	return identity.Issued{}, errDown
}
func (failing) Refresh(context.Context, identity.Renewal) (identity.Issued, error) {
	return identity.Issued{}, errDown
}
func (failing) Revoke(context.Context, secrets.Secret, string) error { return errDown }

func TestAStoreThatIsDownIs503AndEndsNoSession(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Store = failing{o.Store} })
	for _, got := range []reply{r.refresh(claudeID, "x"), r.redeem(claudeID, "x"), r.refresh("client-abc", "x"),
		r.send("POST", "/revoke", "client_id="+claudeID+"&token=x"), r.send("POST", "/register", `{"redirect_uris":["`+callback+`"]}`)} {
		if r.want(got, 503, "temporarily_unavailable"); got.Header().Get("Retry-After") != "5" {
			t.Error(got.Header())
		}
	}
	if !strings.Contains(r.log.String(), `"error":"down"`) {
		t.Errorf("the log does not say why: %s", r.log.String())
	}
}

// panicking is a store with a bug.
type panicking struct{ Store }

func (panicking) Refresh(context.Context, identity.Renewal) (identity.Issued, error) {
	panic("secret-word")
}

func TestAPanicIsAnAnswerAndTellsNothing(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Store = panicking{o.Store} })
	got := r.refresh(claudeID, "x")
	if r.want(got, 500, "server_error"); strings.Contains(got.Body.String()+r.log.String(), "secret-word") {
		t.Errorf("the panic's text is out: %s %s", got.Body, r.log.String())
	}
}
