package gateway

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// rig is a gateway over real HTTP whose functions keep what they got.
type rig struct {
	*httptest.Server
	gateway *Gateway
	asked   []AuthorizerRequest
	got     []Request
	lambda  *lambdacontext.LambdaContext
	says    AuthorizerResponse
	fails   error
	answer  func(context.Context, Request) (Response, error)
}

func newRig(t *testing.T, change func(*Options)) *rig {
	t.Helper()
	s := &rig{says: AuthorizerResponse{IsAuthorized: true, Context: map[string]any{"auth": "ok", "user": "i1"}}}
	o := Options{
		Domain: "abc123.execute-api.example",
		Authorizer: func(_ context.Context, r AuthorizerRequest) (AuthorizerResponse, error) {
			s.asked = append(s.asked, r)
			return s.says, s.fails
		},
	}
	function := func(ctx context.Context, r Request) (Response, error) {
		s.got = append(s.got, r)
		s.lambda, _ = lambdacontext.FromContext(ctx)
		if s.answer != nil {
			return s.answer(ctx, r)
		}
		return Response{StatusCode: 200, Headers: map[string]string{"Content-Type": "application/json"}, Body: `{"ok":true}`}, nil
	}
	o.Functions = map[string]Integration{"McpFunction": function, "OauthFunction": function}
	if change != nil {
		change(&o)
	}
	s.gateway = New(o)
	s.Server = httptest.NewServer(s.gateway)
	t.Cleanup(s.Close)
	return s
}

// send sends a request with a token unless headers say otherwise.
func (s *rig) send(t *testing.T, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer t")
	for i := 0; i < len(headers); i += 2 {
		if name := headers[i]; name == "-" {
			req.Header.Del(headers[i+1])
		} else {
			req.Header[name] = append(req.Header[name], headers[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// wantOwn expects an answer of the gateway itself.
func wantOwn(t *testing.T, resp *http.Response, body string, status int, message string) {
	t.Helper()
	if resp.StatusCode != status || body != `{"message":"`+message+`"}` || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Apigw-Requestid") == "" {
		t.Errorf("%d %s (%v), want %d %s", resp.StatusCode, body, resp.Header, status, message)
	}
}

func TestWithoutTheIdentitySourceNothingIsRun(t *testing.T) {
	s := newRig(t, nil)
	for _, header := range [][]string{{"-", "Authorization"}, {"-", "Authorization", "Authorization", ""}} {
		resp, body := s.send(t, "POST", "/mcp", "{}", header...)
		wantOwn(t, resp, body, 401, "Unauthorized")
		if resp.Header.Get("WWW-Authenticate") != "" {
			t.Error("AWS's own 401 has no challenge")
		}
	}
	if len(s.asked)+len(s.got) > 0 {
		t.Error("something was run")
	}
	s = newRig(t, func(o *Options) { o.Challenge = "Bearer" })
	if resp, _ := s.send(t, "POST", "/mcp", "{}", "-", "Authorization"); resp.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Error("no challenge")
	}
}

func TestTheAuthorizersAnswerDecides(t *testing.T) {
	s := newRig(t, nil)
	if resp, body := s.send(t, "POST", "/mcp", "{}"); resp.StatusCode != 200 || body != `{"ok":true}` {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if who := s.got[0].RequestContext.Authorizer; who == nil || who.Lambda["user"] != "i1" {
		t.Errorf("the function learns %+v", who)
	}
	s.says.IsAuthorized = false
	resp, body := s.send(t, "POST", "/mcp", "{}")
	wantOwn(t, resp, body, 403, "Forbidden")
	s.fails = errors.New("broken")
	resp, body = s.send(t, "POST", "/mcp", "{}")
	wantOwn(t, resp, body, 500, "Internal Server Error")
	if len(s.got) != 1 {
		t.Error("the function was run for somebody who was refused")
	}
	s = newRig(t, func(o *Options) { o.Authorizer = nil })
	resp, body = s.send(t, "POST", "/mcp", "{}")
	wantOwn(t, resp, body, 500, "Internal Server Error")
}

func TestPublicRoutesAskNobody(t *testing.T) {
	s := newRig(t, nil)
	for path, want := range map[string]string{"/.well-known/oauth-protected-resource/mcp": "GET /.well-known/{proxy+}", "/": "GET /", "/authorize": "GET /authorize", "/account": "GET /account",
		"/account/changes/x/approve": "GET /account/{proxy+}", "/invite/c0de": "GET /invite/{code}", "/invite/a/b": "$default", "/invite/": "$default", "/token": "$default", "/mcp/": "$default", "/mcp/x": "$default", "/.well-known/": "$default"} {
		s.send(t, "GET", path, "")
		got := s.got[len(s.got)-1]
		if got.RouteKey != want || got.RequestContext.RouteKey != want || got.RequestContext.Authorizer != nil {
			t.Errorf("%s came by %s", path, got.RouteKey)
		}
	}
	if s.send(t, "POST", "/.well-known/x", ""); s.got[len(s.got)-1].RouteKey != "$default" {
		t.Error("only GET has the route of well-known documents")
	}
	s.send(t, "GET", "/.well-known/a/b", "")
	if p := s.got[len(s.got)-1].PathParameters["proxy"]; p != "a/b" {
		t.Errorf("proxy is %q", p)
	}
	s.send(t, "GET", "/invite/c0de", "")
	if p := s.got[len(s.got)-1].PathParameters["code"]; p != "c0de" {
		t.Errorf("code is %q", p)
	}
	if len(s.asked) > 0 {
		t.Error("the authorizer was asked")
	}
}

func TestARouteWithoutFunctionIsNotFound(t *testing.T) {
	s := newRig(t, func(o *Options) { o.Functions = nil })
	resp, body := s.send(t, "POST", "/mcp", "{}")
	wantOwn(t, resp, body, 404, "Not Found")
}

func TestWhatTheFunctionDoesBecomesHTTP(t *testing.T) {
	s := newRig(t, nil)
	for name, c := range map[string]struct {
		answer Response
		err    error
		status int
		body   string
	}{
		"plain":            {Response{StatusCode: 404, Body: "x"}, nil, 404, "x"},
		"base64":           {Response{StatusCode: 200, Body: base64.StdEncoding.EncodeToString([]byte{0, 255}), IsBase64Encoded: true}, nil, 200, "\x00\xff"},
		"broken base64":    {Response{StatusCode: 200, Body: "%", IsBase64Encoded: true}, nil, 500, `{"message":"Internal Server Error"}`},
		"no status":        {Response{Body: "x"}, nil, 500, `{"message":"Internal Server Error"}`},
		"error":            {Response{}, errors.New("secret words"), 500, `{"message":"Internal Server Error"}`},
		"an event too big": {Response{}, errTooLarge, 413, `{"message":"Request Too Long"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s.answer = func(context.Context, Request) (Response, error) { return c.answer, c.err }
			if resp, body := s.send(t, "POST", "/mcp", "{}"); resp.StatusCode != c.status || body != c.body {
				t.Errorf("%d %q", resp.StatusCode, body)
			}
		})
	}
	s.answer = func(context.Context, Request) (Response, error) { panic("secret words") }
	resp, body := s.send(t, "POST", "/mcp", "{}")
	wantOwn(t, resp, body, 500, "Internal Server Error")
	s.answer = func(context.Context, Request) (Response, error) {
		return Response{StatusCode: 200, Cookies: []string{"a=1", "b=2"}, Headers: map[string]string{"Content-Length": "99", "X-A": "1,2"}}, nil
	}
	if resp, _ := s.send(t, "POST", "/mcp", "{}"); len(resp.Header["Set-Cookie"]) != 2 || resp.Header.Get("X-A") != "1,2" || resp.ContentLength != 0 {
		t.Errorf("headers %v", resp.Header)
	}
}

func TestTheChallengeCanBeRenamed(t *testing.T) {
	for _, remap := range []bool{false, true} {
		s := newRig(t, func(o *Options) { o.RemapChallenge = remap })
		s.answer = func(context.Context, Request) (Response, error) {
			return Response{StatusCode: 401, Headers: map[string]string{"WWW-Authenticate": "Bearer"}}, nil
		}
		resp, _ := s.send(t, "POST", "/mcp", "{}")
		if (resp.Header.Get("WWW-Authenticate") == "") != remap || (resp.Header.Get("X-Amzn-Remapped-Www-Authenticate") == "") == remap {
			t.Errorf("remap %v: %v", remap, resp.Header)
		}
	}
}

func TestLimits(t *testing.T) {
	s := newRig(t, nil)
	resp, body := s.send(t, "POST", "/mcp", "{}", "X-Long", strings.Repeat("a", MaxHeader))
	wantOwn(t, resp, body, 431, "Request Header Fields Too Large")
	resp, body = s.send(t, "POST", "/mcp", strings.Repeat("a", MaxBody+1))
	wantOwn(t, resp, body, 413, "Request Entity Too Large")
	if len(s.got) > 0 {
		t.Error("the function was run")
	}
	if resp, _ = s.send(t, "POST", "/mcp", strings.Repeat("a", MaxBody), "X-Long", strings.Repeat("a", MaxHeader-500)); resp.StatusCode != 200 || len(s.got[0].Body) != MaxBody {
		t.Errorf("within the limits: %d", resp.StatusCode)
	}
}

func TestAFunctionThatHangsIs503(t *testing.T) {
	s := newRig(t, func(o *Options) { o.timeout = 20 * time.Millisecond })
	s.answer = func(ctx context.Context, _ Request) (Response, error) { <-ctx.Done(); return Response{}, ctx.Err() }
	resp, body := s.send(t, "POST", "/mcp", "{}")
	wantOwn(t, resp, body, 503, "Service Unavailable")

	done := make(chan struct{})
	hung := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	defer hung.Close()
	defer close(done)
	s = newRig(t, func(o *Options) {
		o.timeout, o.Functions = 20*time.Millisecond, map[string]Integration{"McpFunction": NewFunction(hung.URL).Invoke}
	})
	for range 2 { // the second waits for the first
		resp, body = s.send(t, "POST", "/mcp", "{}")
		wantOwn(t, resp, body, 503, "Service Unavailable")
	}
}

func TestTheAuthorizersAnswersAreCachedForTheirTime(t *testing.T) {
	now := time.Now()
	s := newRig(t, func(o *Options) { o.TTL, o.now = time.Minute, func() time.Time { return now } })
	for range 3 {
		s.send(t, "POST", "/mcp", "{}")
	}
	s.send(t, "POST", "/mcp", "{}", "-", "Authorization", "Authorization", "Bearer other")
	if len(s.asked) != 2 {
		t.Errorf("asked %d times for two tokens", len(s.asked))
	}
	now = now.Add(time.Minute)
	s.says.IsAuthorized = false
	resp, body := s.send(t, "POST", "/mcp", "{}")
	wantOwn(t, resp, body, 403, "Forbidden")
	if resp, _ := s.send(t, "POST", "/mcp", "{}"); len(s.asked) != 3 || resp.StatusCode != 403 {
		t.Errorf("asked %d times", len(s.asked))
	}
	s = newRig(t, nil)
	s.send(t, "POST", "/mcp", "{}")
	if s.send(t, "POST", "/mcp", "{}"); len(s.asked) != 2 {
		t.Error("without a TTL nothing is cached")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	var c cache
	now := time.Now()
	for i := range 3 * cacheBound {
		c.put(string(rune(i+0x100)), AuthorizerResponse{}, now.Add(time.Duration(i)), time.Hour)
	}
	if len(c.entries) > cacheBound {
		t.Errorf("%d entries", len(c.entries))
	}
}

func TestAClientThatLeavesEndsTheCall(t *testing.T) {
	s := newRig(t, nil)
	var ended atomic.Bool
	began, over := make(chan struct{}), make(chan struct{})
	s.answer = func(ctx context.Context, _ Request) (Response, error) {
		close(began)
		<-ctx.Done()
		ended.Store(true)
		close(over)
		return Response{}, ctx.Err()
	}
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/mcp", strings.NewReader("{}"))
	req.Header.Set("Authorization", "Bearer t")
	go func() { <-began; leave() }()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
	}
	<-over
	if !ended.Load() {
		t.Error("the call goes on")
	}
}

func TestTheRequestHasOneName(t *testing.T) {
	s := newRig(t, nil)
	resp, _ := s.send(t, "POST", "/mcp", "{}")
	if id := s.got[0].RequestContext.RequestID; id == "" || s.lambda == nil || s.lambda.AwsRequestID != id || resp.Header.Get("Apigw-Requestid") != id {
		t.Errorf("%q, %+v, %v", id, s.lambda, resp.Header)
	}
	if b, err := json.Marshal(s.got[0]); err != nil || !json.Valid(b) {
		t.Error(err)
	}
}
