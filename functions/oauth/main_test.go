package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/oauth/apigw"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
	statedynamo "intervals-mcp/internal/state/dynamo"
)

const (
	key    = "key-of-i1-0123456789"
	domain = "abc123.execute-api.example"
)

// stack is the function on emulated stores, with a browser's cookies.
type stack struct {
	t       *testing.T
	vars    map[string]string
	env     awsenv.Env
	table   *dynamo.Table
	keys    *secretsmanager.Keeper
	handler *apigw.Handler
	cookies map[string]string
}

func newStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{t: t, vars: awstest.Vars(t), env: awstest.Env(t), cookies: map[string]string{}}
	platform, err := fake.New(fake.Dataset{Athletes: []fake.AthleteData{{APIKey: key, Athlete: fake.Object{"id": "i1", "name": "A", "timezone": "Europe/London"}}}}, fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	upstream := httptest.NewServer(platform)
	t.Cleanup(upstream.Close)
	s.vars["IDENTITY_TABLE"], s.vars["AUDIT_TABLE"], s.vars["STATE_TABLE"], s.vars["SECRET_PREFIX"] = awstest.Name(t), awstest.Name(t), awstest.Name(t), awstest.Name(t)
	s.vars["ALLOWED_ATHLETES"] = "i7, I1"
	s.vars[awsenv.IntervalsBaseURL] = upstream.URL + "/api/v1"
	db := s.env.NewDynamoDB()
	awstest.CreateTable(t, db, dynamo.Definition(s.vars["IDENTITY_TABLE"]))
	awstest.CreateTable(t, db, auditdynamo.Definition(s.vars["AUDIT_TABLE"]))
	awstest.CreateTable(t, db, statedynamo.Definition(s.vars["STATE_TABLE"]))
	s.table = dynamo.New(db, s.vars["IDENTITY_TABLE"])
	client := secretsmanager.NewClient(s.env)
	if s.keys, err = secretsmanager.New(client, s.vars["SECRET_PREFIX"]); err != nil {
		t.Fatal(err)
	}
	// What the template's SessionKey makes.
	if _, err := client.CreateSecret(t.Context(), &sdk.CreateSecretInput{Name: aws.String(s.vars["SECRET_PREFIX"] + "/session-key"), SecretString: aws.String(strings.Repeat("k", 64))}); err != nil {
		t.Fatal(err)
	}
	s.start()
	return s
}

func (s *stack) start() {
	s.t.Helper()
	h, err := wire(func(name string) string { return s.vars[name] }, slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Fatal(err)
	}
	s.handler = h
}

// send sends a request as the gateway would, and keeps cookies as a browser.
func (s *stack) send(method, target string, form url.Values) events.APIGatewayV2HTTPResponse {
	s.t.Helper()
	path, query, _ := strings.Cut(target, "?")
	ev := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: path, RawQueryString: query, Headers: map[string]string{"host": domain}}
	ev.RequestContext.DomainName, ev.RequestContext.HTTP.Method, ev.RequestContext.HTTP.SourceIP = domain, method, "203.0.113.7"
	for name, value := range s.cookies {
		ev.Cookies = append(ev.Cookies, name+"="+value)
	}
	if form != nil {
		ev.Headers["content-type"], ev.Headers["origin"], ev.Body = "application/x-www-form-urlencoded", "https://"+domain, form.Encode()
	}
	if strings.HasPrefix(form.Get(""), "{") {
		ev.Headers["content-type"], ev.Body = "application/json", form.Get("")
	}
	out, err := s.handler.Invoke(s.t.Context(), ev)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range out.Cookies {
		c, err := http.ParseSetCookie(line)
		if err != nil || !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			s.t.Errorf("the cookie %q", line)
			continue
		}
		if c.MaxAge < 0 {
			delete(s.cookies, c.Name)
		} else {
			s.cookies[c.Name] = c.Value
		}
	}
	return out
}

func (s *stack) want(out events.APIGatewayV2HTTPResponse, status int) events.APIGatewayV2HTTPResponse {
	s.t.Helper()
	if out.StatusCode != status {
		s.t.Fatalf("status %d, want %d: %.2000s", out.StatusCode, status, out.Body)
	}
	return out
}

var hidden = regexp.MustCompile(`name="(csrf|flow)" value="([^"]+)"`)

// fields are the hidden ones of a page's last form.
func fields(body string, more ...string) url.Values {
	v := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(body, -1) {
		v.Set(m[1], m[2])
	}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

func TestAnAthleteConnectsAClientOnTheStack(t *testing.T) {
	s := newStack(t)
	client := registered(t, s.want(s.send("POST", "/register", url.Values{"": {`{"client_name":"C","redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"token_endpoint_auth_method":"none"}`}}), 201))
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	sum := sha256.Sum256([]byte(verifier))
	ask := "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {client}, "redirect_uri": {"https://claude.ai/api/mcp/auth_callback"}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {"https://" + domain + "/mcp"}}.Encode()
	page := s.want(s.send("GET", ask, nil), 200)
	on := s.want(s.send("POST", "/account/signin", fields(page.Body, "key", key, "next", ask)), 303).Headers["Location"]
	if on != ask {
		t.Fatalf("after signing in: %s", on)
	}
	if c, err := s.keys.Credential(t.Context(), "i1"); err != nil || c.APIKey.Reveal() != key {
		t.Fatalf("the key is not stored: %v", err)
	}
	s.start() // the next request may come to another process
	page = s.want(s.send("GET", ask, nil), 200)
	back, err := url.Parse(s.want(s.send("POST", "/authorize", fields(page.Body, "decision", "connect", "scope", "write", "toolset", "core", "confirm", "person")), 303).Headers["Location"])
	if err != nil || back.Host != "claude.ai" || back.Query().Get("iss") != "https://"+domain {
		t.Fatalf("sent to %s (%v)", back, err)
	}
	var got struct {
		Access string `json:"access_token"`
	}
	out := s.want(s.send("POST", "/token", url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {"https://claude.ai/api/mcp/auth_callback"},
		"client_id": {client}, "code_verifier": {verifier}}), 200)
	if err := json.Unmarshal([]byte(out.Body), &got); err != nil {
		t.Fatal(err)
	}
	tok, err := s.table.Token(t.Context(), identity.HashOf(got.Access))
	if err != nil || tok.User != "i1" || tok.Confirm != identity.ConfirmPerson || tok.Audience != "https://"+domain+"/mcp" {
		t.Fatalf("%+v, %v", tok, err)
	}
	page = s.want(s.send("GET", "/account", nil), 200)
	s.want(s.send("POST", "/account/connections/"+tok.ID+"/revoke", fields(page.Body)), 303)
	if tok, err := s.table.Token(t.Context(), identity.HashOf(got.Access)); err != nil || tok.Usable(time.Now()) == nil {
		t.Errorf("after revoking: %v", err)
	}
	// Forgetting and giving the key again: no recovery window stands in the way.
	page = s.want(s.send("GET", "/account/key", nil), 200)
	s.want(s.send("POST", "/account/key/forget", fields(page.Body, "sure", "yes")), 303)
	if _, err := s.keys.Credential(t.Context(), "i1"); secrets.KindOf(err) != secrets.Missing {
		t.Errorf("after forgetting: %v", err)
	}
	page = s.want(s.send("GET", "/account/key", nil), 200)
	s.want(s.send("POST", "/account/key/replace", fields(page.Body, "key", key)), 303)
	page = s.want(s.send("GET", "/account/mine", nil), 200)
	s.want(s.send("POST", "/account/mine/delete", fields(page.Body, "typed", "delete")), 200)
	if _, err := s.table.Account(t.Context(), "i1"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("after deleting: %v", err)
	}
	if _, err := s.keys.Credential(t.Context(), "i1"); secrets.KindOf(err) != secrets.Missing {
		t.Errorf("after deleting: %v", err)
	}
}

func registered(t *testing.T, out events.APIGatewayV2HTTPResponse) string {
	t.Helper()
	var got struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(out.Body), &got); err != nil || got.ID == "" {
		t.Fatalf("%s", out.Body)
	}
	return got.ID
}

func TestSampleEventsAreAnswered(t *testing.T) {
	s := newStack(t)
	want := map[string]func(events.APIGatewayV2HTTPResponse) bool{
		"landing": func(o events.APIGatewayV2HTTPResponse) bool {
			return o.StatusCode == 200 && strings.Contains(o.Body, "Connect your assistant")
		},
		"metadata": func(o events.APIGatewayV2HTTPResponse) bool {
			return o.StatusCode == 200 && strings.Contains(o.Body, `"issuer":"https://abc123.execute-api.eu-central-1.amazonaws.com"`)
		},
		"register": func(o events.APIGatewayV2HTTPResponse) bool {
			return o.StatusCode == 201 && strings.Contains(o.Body, `"client_id":"client-`)
		},
		"sign-in": func(o events.APIGatewayV2HTTPResponse) bool {
			return o.StatusCode == 200 && strings.Contains(o.Body, `value="/account/history"`)
		},
		"unknown-client": func(o events.APIGatewayV2HTTPResponse) bool {
			return o.StatusCode == 400 && o.Headers["Location"] == "" && !strings.Contains(o.Body, "evil.example")
		},
	}
	files, err := filepath.Glob("../../events/oauth/*.json")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var ev events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(b, &ev); err != nil {
			t.Fatal(err)
		}
		out, err := s.handler.Invoke(t.Context(), ev)
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); err != nil || want[name] == nil || !want[name](out) {
			t.Errorf("%s: %d %.1000s, %v", name, out.StatusCode, out.Body, err)
		}
	}
}

func TestTheFunctionRefusesToStartWithoutItsStoresOrWithWhatItCannotRead(t *testing.T) {
	good := newStack(t).vars
	for name, change := range map[string]map[string]string{
		"no identity table": {"IDENTITY_TABLE": ""}, "no audit table": {"AUDIT_TABLE": ""}, "no state table": {"STATE_TABLE": ""}, "no prefix": {"SECRET_PREFIX": ""},
		"a bad prefix": {"SECRET_PREFIX": "a/*"}, "clients that are no list": {"OAUTH_CLIENTS": "{}"}, "days": {"AUDIT_RETENTION_DAYS": "soon"},
		"a key": {"API_KEY": "k"}, "an upstream elsewhere": {"INTERVALS_API_BASE_URL": "https://evil.example"},
	} {
		_, err := wire(func(v string) string {
			if value, changed := change[v]; changed {
				return value
			}
			return good[v]
		}, slog.New(slog.DiscardHandler))
		if err == nil {
			t.Errorf("it starts with %s", name)
		}
	}
	if _, err := wire(func(v string) string {
		return map[string]string{"AWS_SAM_LOCAL": "true", "API_KEY": "k"}[v]
	}, slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("under sam local: %v", err)
	}
}

func TestNobodyIsAdmittedByAnEmptyList(t *testing.T) {
	for _, list := range []string{"", " ", ",", ", ,"} {
		if ok, err := admits(list)(t.Context(), ""); ok || err != nil {
			t.Errorf("%q admits nobody's id", list)
		}
		if ok, _ := admits(list)(t.Context(), "i1"); ok {
			t.Errorf("%q admits i1", list)
		}
	}
}

func TestTheFunctionLinksNeitherSQLiteNorTheToolsNorTheFake(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "lambda.norpc", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"modernc.org/sqlite", "mark3labs/mcp-go", "intervals-mcp/internal/tools", "intervals-mcp/internal/intervals/fake", "aws-sdk-go-v2/config"} {
		if strings.Contains(string(out), bad) {
			t.Errorf("it links %s", bad)
		}
	}
}
