package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"intervals-mcp/infra/signin"
	"intervals-mcp/internal/identity"
)

const (
	oauthDomain  = "bench.execute-api.eu-central-1.amazonaws.com"
	oauthOrigin  = "https://" + oauthDomain
	oauthBack    = "https://claude.ai/api/mcp/auth_callback"
	heaviestPage = 60 << 10
)

// refreshWhy is where the time of a refresh goes, by profile.
const refreshWhy = "four fifths of what the server does are the identity store: the account is read from text and written back, so that one condition covers user, connection and tokens, " +
	"and three tokens are derived and hashed"

// measureOAuth compares the oauth function with the empty one: its start as
// deployed, and its answers with stores in memory, because a real one's time is
// DynamoDB's.
func (b *bench) measureOAuth() error {
	api := newRuntimeAPI()
	defer api.srv.Close()
	empty, _, _, _, err := b.functions(api)
	if err != nil {
		return err
	}
	oauth := &function{name: "oauth", pkg: "./functions/oauth", env: []string{"IDENTITY_TABLE=bench", "AUDIT_TABLE=bench", "STATE_TABLE=bench", "AUDIT_RETENTION_DAYS=365",
		"SECRET_PREFIX=bench", "AWS_ENDPOINT_URL_SECRETS_MANAGER=" + api.srv.URL, "AWS_ENDPOINT_URL_DYNAMODB=" + api.srv.URL}}
	for _, f := range []*function{empty, oauth} {
		if err := f.build(b.dir); err != nil {
			return err
		}
	}
	if err := measureStarts(api, empty, oauth); err != nil {
		return err
	}
	r := float64(oauth.start.p50()) / float64(empty.start.p50())
	b.add(asLong+"oauth function (as deployed): process start to the first request for work",
		fmt.Sprintf("%s, %.2fx the empty bootstrap's %s", ms(oauth.start.p50()), r, ms(empty.start.p50())), "<= 4x", r <= 4, "")
	athlete := b.demo.Ready.Athletes[0]
	oauth.env = []string{"AWS_SAM_LOCAL=true", "API_KEY=" + athlete.APIKey, "INTERVALS_API_BASE_URL=" + b.demo.Ready.URL, "ALLOWED_ATHLETES=" + athlete.ID}
	v, err := newVisitor(empty, oauth)
	if err != nil {
		return err
	}
	defer v.stop()
	if err := v.connect(athlete.APIKey); err != nil {
		return err
	}
	for _, request := range []struct {
		what   string
		status int
		next   func() events.APIGatewayV2HTTPRequest
		why    string
	}{
		{"metadata", http.StatusOK, v.metadata, ""}, {"/token, refused", http.StatusBadRequest, v.refused, ""}, {"/token, a refresh", http.StatusOK, v.refresh, refreshWhy},
	} {
		none, ours, err := v.compare(request.status, request.next)
		if err != nil {
			return fmt.Errorf("%s: %w", request.what, err)
		}
		r := float64(ours.p50()) / float64(none.p50())
		b.add(asLong+"oauth function (stores in memory): warm, "+request.what, fmt.Sprintf("%s, %.2fx the empty function's %s", ms(ours.p50()), r, ms(none.p50())), "<= 1.5x", r <= 1.5, "")
		b.explain(request.why)
	}
	if err := b.weighPages(v); err != nil {
		return err
	}
	b.add(asLong+"oauth function: zip", fmt.Sprintf("%.1f MB", oauth.zip), "<= 6 MB", oauth.zip <= 6, "")
	return nil
}

// measureStarts starts functions in turn, so that all of them see the same machine.
func measureStarts(api *runtimeAPI, all ...*function) error {
	for i := range starts + 2 {
		for _, f := range all {
			p, ready, err := startBootstrap(api, f.bin, f.env)
			if err != nil {
				return err
			}
			p.stop()
			if i >= 2 { // the first ones warm the page cache
				f.start = append(f.start, ready)
			}
		}
	}
	return nil
}

// visitor sends requests to a running oauth function as the gateway does, and
// the same events to the empty one. It keeps cookies and the tokens that it
// was given.
type visitor struct {
	empty, oauth *function
	jar          http.CookieJar
	n            int
	client       string
	token        string // the newest refresh token
}

func newVisitor(empty, oauth *function) (*visitor, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	v := &visitor{empty: empty, oauth: oauth, jar: jar}
	for _, f := range []*function{empty, oauth} {
		if f.p, _, err = startBootstrap(newRuntimeAPI(), f.bin, f.env); err != nil {
			v.stop()
			return nil, err
		}
	}
	return v, nil
}

func (v *visitor) stop() {
	for _, f := range []*function{v.empty, v.oauth} {
		if f.p != nil {
			f.p.stop()
			f.p.api.srv.Close()
		}
	}
}

// event is a request from an address of its own, so that no limit of one counts.
func (v *visitor) event(method, target, body, media string) events.APIGatewayV2HTTPRequest {
	v.n++
	at, _ := url.Parse(oauthOrigin + target)
	ev := events.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: method + " " + at.Path, RawPath: at.Path, RawQueryString: at.RawQuery, Body: body,
		Headers: map[string]string{"host": oauthDomain, "accept": "*/*", "user-agent": "bench", "origin": oauthOrigin}}
	if media != "" {
		ev.Headers["content-type"] = media
	}
	for _, c := range v.jar.Cookies(at) {
		ev.Cookies = append(ev.Cookies, c.String())
	}
	ev.RequestContext.DomainName, ev.RequestContext.RequestID = oauthDomain, fmt.Sprint("bench-", v.n)
	ev.RequestContext.HTTP = events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: method, Path: at.Path, Protocol: "HTTP/1.1", UserAgent: "bench",
		SourceIP: fmt.Sprintf("198.18.%d.%d", v.n>>8&255, v.n&255)}
	return ev
}

// send lets the oauth function answer one event.
func (v *visitor) send(ev events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, time.Duration, error) {
	var out events.APIGatewayV2HTTPResponse
	raw, err := json.Marshal(ev)
	if err != nil {
		return out, 0, err
	}
	answer, took, err := v.oauth.p.invoke(raw)
	if err == nil {
		err = json.Unmarshal(answer, &out)
	}
	for _, line := range out.Cookies {
		if c, err := http.ParseSetCookie(line); err == nil {
			at, _ := url.Parse(oauthOrigin)
			v.jar.SetCookies(at, []*http.Cookie{c})
		}
	}
	return out, took, err
}

// get opens a page.
func (v *visitor) get(target string) (string, error) {
	out, _, err := v.send(v.event("GET", target, "", ""))
	if err == nil && out.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %d %.200s", target, out.StatusCode, out.Body)
	}
	if out.IsBase64Encoded {
		b, bad := base64.StdEncoding.DecodeString(out.Body)
		if err == nil {
			err = bad
		}
		out.Body = string(b)
	}
	return out.Body, err
}

// post sends a body and gives where the answer leads, or its JSON.
func (v *visitor) post(target, body, media string) (to string, answer map[string]string, err error) {
	out, _, err := v.send(v.event("POST", target, body, media))
	if err == nil && out.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("POST %s: %d %.300s", target, out.StatusCode, out.Body)
	}
	var all map[string]any
	_ = json.Unmarshal([]byte(out.Body), &all) // a redirect has none
	answer = map[string]string{}
	for k, x := range all {
		if s, ok := x.(string); ok {
			answer[k] = s
		}
	}
	for name, value := range out.Headers {
		if strings.EqualFold(name, "location") {
			to = value
		}
	}
	return to, answer, err
}

const formMedia = "application/x-www-form-urlencoded"

// submit fills in a page's form.
func (v *visitor) submit(page, action string, pairs ...string) (to string, err error) {
	form, err := signin.Fill(page, action, pairs...)
	if err == nil {
		to, _, err = v.post(action, form.Encode(), formMedia)
	}
	return to, err
}

// connect registers a client and signs a person in, who says yes.
func (v *visitor) connect(key string) error {
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
	sum := sha256.Sum256([]byte(verifier))
	_, made, err := v.post("/register", `{"client_name":"Claude","redirect_uris":["`+oauthBack+`"],"token_endpoint_auth_method":"none"}`, "application/json")
	if err != nil {
		return err
	}
	v.client = made["client_id"]
	page, err := v.get(v.ask(base64.RawURLEncoding.EncodeToString(sum[:])))
	if err != nil {
		return err
	}
	next, err := v.submit(page, "/account/signin", "key", key)
	if err != nil {
		return err
	}
	if page, err = v.get(next); err != nil {
		return err
	}
	back, err := v.submit(page, "/authorize", "decision", "connect")
	if err != nil {
		return err
	}
	at, err := url.Parse(back)
	if err != nil {
		return err
	}
	_, tokens, err := v.post("/token", url.Values{"grant_type": {"authorization_code"}, "code": {at.Query().Get("code")}, "redirect_uri": {oauthBack},
		"client_id": {v.client}, "code_verifier": {verifier}}.Encode(), formMedia)
	v.token = tokens["refresh_token"]
	return err
}

func (v *visitor) ask(challenge string) string {
	return "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {v.client}, "redirect_uri": {oauthBack}, "state": {"s"}, "scope": {"read write"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}}.Encode()
}

func (v *visitor) metadata() events.APIGatewayV2HTTPRequest {
	return v.event("GET", "/.well-known/oauth-authorization-server", "", "")
}

func (v *visitor) renewal(client, token string) events.APIGatewayV2HTTPRequest {
	return v.event("POST", "/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {client}}.Encode(), formMedia)
}

func (v *visitor) refresh() events.APIGatewayV2HTTPRequest { return v.renewal(v.client, v.token) }

// refused comes from a client with a document, whose failures are not counted
// against it: it is everybody's.
func (v *visitor) refused() events.APIGatewayV2HTTPRequest {
	return v.renewal("https://claude.ai/oauth/mcp-oauth-client-metadata", identity.NewToken(identity.KindRefresh).Reveal())
}

// compare gives both functions the same events in turn.
func (v *visitor) compare(status int, next func() events.APIGatewayV2HTTPRequest) (none, ours sample, err error) {
	jar := v.jar
	v.jar, _ = cookiejar.New(nil) // programs have none
	defer func() { v.jar = jar }()
	for i := range invokes + invokes/10 {
		ev := next()
		raw, err := json.Marshal(ev)
		if err != nil {
			return nil, nil, err
		}
		_, bare, err := v.empty.p.invoke(raw)
		if err != nil {
			return nil, nil, err
		}
		out, took, err := v.send(ev)
		if err != nil || out.StatusCode != status {
			return nil, nil, fmt.Errorf("%d, want %d: %.300s (%v)", out.StatusCode, status, out.Body, err)
		}
		var tokens struct {
			Refresh string `json:"refresh_token"`
		}
		if json.Unmarshal([]byte(out.Body), &tokens) == nil && tokens.Refresh != "" {
			v.token = tokens.Refresh
		}
		if i >= invokes/10 {
			none, ours = append(none, bare), append(ours, took)
		}
	}
	return none, ours, nil
}

// loaded are the addresses that a page makes a browser load.
var loaded = regexp.MustCompile(`<(?:link|script|img|source|iframe|video|audio|object|embed)\b[^>]*?\s(?:href|src|data)="([^"]*)"`)

// weighPages opens each page as a signed-in person and weighs it with all that
// a browser then loads.
func (b *bench) weighPages(v *visitor) error {
	heaviest, which, foreign := 0, "", []string{}
	for _, path := range []string{"/", v.ask(strings.Repeat("A", 43)), "/account", "/account/tokens", "/account/changes", "/account/history", "/account/key", "/account/mine"} {
		page, err := v.get(path)
		if err != nil {
			return err
		}
		weight := len(page)
		for _, m := range loaded.FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "/") || strings.HasPrefix(m[1], "//") {
				foreign = append(foreign, m[1])
				continue
			}
			asset, err := v.get(m[1])
			if err != nil {
				return err
			}
			weight += len(asset)
		}
		if weight > heaviest {
			heaviest, which = weight, path
		}
	}
	which, _, _ = strings.Cut(which, "?")
	b.add("the heaviest page, with style, script and icon, uncompressed", fmt.Sprintf("%.1f KB (%s), %d requests to others", float64(heaviest)/1024, which, len(foreign)),
		"<= 60 KB, none", heaviest <= heaviestPage && len(foreign) == 0, strings.Join(foreign, " "))
	return nil
}
