package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/tools"
)

func TestAForeignOriginIsRefused(t *testing.T) { // gap a
	r := newRig(t, func(_ *Options, e *Edge) { e.AllowedOrigins = []string{"https://app.example"} })
	for origin, status := range map[string]int{
		"":                           200,
		"http://localhost:6274":      200,
		"http://127.0.0.1":           200,
		"http://[::1]:8080":          200,
		"https://app.example":        200,
		"https://mcp.example":        200, // its own
		"https://evil.example":       403,
		"http://localhost.evil.com":  403,
		"http://127.0.0.1.evil.com":  403,
		"null":                       403,
		"https://app.example.evil":   403,
		"http://user@localhost:1234": 403,
		"file://localhost":           403,
	} {
		t.Run(origin, func(t *testing.T) { wantStatus(t, r.post(t, list, "Origin", origin), status) })
	}
	wantStatus(t, r.post(t, list, "Origin", "http://localhost", "Origin", "https://evil.example"), 403)
	wantStatus(t, r.post(t, list, "Origin", "https://evil.example", "Authorization", "Bearer wrong"), 403)
}

func TestALocalOriginIsForeignOnADeployment(t *testing.T) {
	r := newRig(t, func(_ *Options, e *Edge) { e.Loopback = false })
	wantStatus(t, r.post(t, list, "Origin", "http://localhost:6274"), 403)
}

func TestAnotherHostNameOnALoopbackConnectionIsRefused(t *testing.T) {
	r := newRig(t, nil)
	for _, path := range []string{Path, "/", "/.well-known/x"} {
		wantStatus(t, r.send(t, "POST", path, list, "Host", "rebound.example"), 403)
	}
	wantStatus(t, r.post(t, list, "Host", "localhost:1"), 200)
}

func TestAnyAcceptHeaderWillDo(t *testing.T) { // gap b
	r := newRig(t, nil)
	for _, accept := range []string{"", "*/*", "text/html", "application/json, text/event-stream"} {
		got := r.post(t, list, "Accept", accept)
		wantStatus(t, got, 200)
		if got.json == nil {
			t.Errorf("Accept %q: no JSON", accept)
		}
	}
}

func TestOnlyPostIsServed(t *testing.T) { // gaps d and e
	r := newRig(t, nil)
	for _, method := range []string{"GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD", "TRACE"} {
		for _, version := range []string{"", "2025-11-25", "2026-07-28"} {
			got := r.send(t, method, Path, "", "Mcp-Protocol-Version", version, "Accept", "text/event-stream")
			wantStatus(t, got, 405)
			if got.Header.Get("Allow") != "POST" {
				t.Errorf("%s: Allow is %q", method, got.Header.Get("Allow"))
			}
		}
	}
}

func TestTheChallengeComesBeforeTheMethodCheck(t *testing.T) {
	r := newRig(t, nil)
	for _, method := range []string{"GET", "DELETE", "OPTIONS", "POST"} {
		got := r.send(t, method, Path, list, "Authorization", "")
		wantStatus(t, got, 401)
		if !strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s: no challenge", method)
		}
	}
}

func TestWithoutAGoodTokenEverythingIsRefused(t *testing.T) {
	r := newRig(t, nil)
	for _, auth := range []string{"", "Bearer ", "Bearer wrong"} {
		got := r.post(t, call("aa_write"), "Authorization", auth)
		wantStatus(t, got, 401)
		h := got.Header.Get("WWW-Authenticate")
		if strings.Contains(h, `error="invalid_token"`) != (auth != "") || !strings.HasPrefix(h, "Bearer ") || !strings.Contains(h, `scope="read write"`) || strings.Contains(h, "resource_metadata") {
			t.Errorf("challenge %q", h)
		}
		if got.at("error") != "invalid_token" || got.at("scope") != "read write" {
			t.Errorf("body %s", got.body)
		}
	}
	if len(r.caller.calls()) > 0 {
		t.Errorf("something ran: %v", r.caller.calls())
	}
}

func TestTheChallengeHeaderIsSpelledAsClientsExpect(t *testing.T) { // claude-ai-mcp#219
	r := newRig(t, nil)
	c, err := net.Dial("tcp", r.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // a test
	_, _ = fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	for s := bufio.NewScanner(c); s.Scan(); {
		if strings.HasPrefix(s.Text(), "WWW-Authenticate: Bearer") {
			return
		}
	}
	t.Error("no header named WWW-Authenticate in these letters")
}

func TestAnUnavailableStoreIs503AndNeverAllowed(t *testing.T) {
	r := newRig(t, nil)
	got := r.post(t, list, "Authorization", "Bearer down")
	wantStatus(t, got, 503)
	if got.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestAnIdentityWithoutUserScopeOrTimeIsRefused(t *testing.T) {
	for name, id := range map[string]identity.Identity{
		"nobody":   {Scopes: []identity.Scope{identity.ScopeRead}},
		"no scope": {User: "u"},
		"expired":  {User: "u", Scopes: []identity.Scope{identity.ScopeWrite}, Expires: time.Now().Add(-time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(_ *Options, e *Edge) {
				e.Identify = func(*http.Request) (identity.Identity, error) { return id, nil }
			})
			wantStatus(t, r.post(t, list), 401)
		})
	}
	r := newRig(t, func(_ *Options, e *Edge) { e.Identify = nil })
	wantStatus(t, r.post(t, list), 401)
}

func TestTheMetadataDocumentIsNamedOnlyWhereThereIsOne(t *testing.T) {
	const doc = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
	r := newRig(t, func(_ *Options, e *Edge) { e.Metadata = func(context.Context) string { return doc } })
	got := r.post(t, list, "Authorization", "")
	if h := got.Header.Get("WWW-Authenticate"); !strings.Contains(h, `resource_metadata="`+doc+`"`) {
		t.Errorf("challenge %q", h)
	}
	if got.at("resource_metadata") != doc {
		t.Errorf("body %s", got.body)
	}
}

func TestAWrongAddressIsExplained(t *testing.T) {
	r := newRig(t, nil)
	for path, word := range map[string]string{"/mcp/": "without a slash", "/sse": "endpoint is", "/.well-known/oauth-authorization-server": "endpoint is", "/mcp/x": "endpoint is"} {
		for _, method := range []string{"GET", "POST"} {
			got := r.send(t, method, path, list, "Authorization", "")
			wantStatus(t, got, 404)
			message, _ := got.at("message").(string)
			if !strings.Contains(message, "https://mcp.example/mcp") || !strings.Contains(message, word) {
				t.Errorf("%s %s: %s", method, path, got.body)
			}
		}
	}
	got := r.send(t, "GET", "/", "", "Authorization", "")
	wantStatus(t, got, 200)
	if got.at("mcp_endpoint") != "https://mcp.example/mcp" {
		t.Errorf("root says %s", got.body)
	}
	wantStatus(t, r.send(t, "POST", "/", list), 404)
}

func TestTheHostHeaderIsNeverRepeated(t *testing.T) {
	r := newRig(t, func(_ *Options, e *Edge) { e.Loopback = false })
	got := r.send(t, "GET", "/", "", "Host", "evil.example")
	if strings.Contains(got.body, "evil") {
		t.Error(got.body)
	}
}

func TestAdapterHeadersOfAClientAreDropped(t *testing.T) {
	var seen http.Header
	r := newRig(t, func(_ *Options, e *Edge) {
		e.Identify = func(r *http.Request) (identity.Identity, error) {
			seen = r.Header.Clone()
			return identities("reader")
		}
	})
	r.post(t, list, "X-Golambdaproxy-Apigw-Context", `{"authorizer":{}}`, "X-Golambdaproxy-Apigw-Stagevars", "{}")
	for name := range seen {
		if isAdapterHeader(name) {
			t.Errorf("%s reached the server", name)
		}
	}
}

func TestAPanicIsAnAnswerAndTellsNothing(t *testing.T) {
	r := newRig(t, func(_ *Options, e *Edge) {
		e.Identify = func(*http.Request) (identity.Identity, error) { panic("secret-word") }
	})
	got := r.post(t, list)
	wantStatus(t, got, 500)
	if strings.Contains(got.body+r.log.String(), "secret-word") {
		t.Errorf("the panic's text is out: %s %s", got.body, r.log)
	}
}

func TestAPanickingToolIsAToolError(t *testing.T) {
	r := newRig(t, nil)
	r.caller.fn = func(context.Context, tools.Tool, json.RawMessage) tools.Answer { panic("secret-word") }
	got := r.post(t, call("aa_write"))
	wantStatus(t, got, 200)
	if got.at("result", "isError") != true || strings.Contains(got.body+r.log.String(), "secret-word") {
		t.Error(got.body)
	}
}

// A hung upstream: the tool learns of its deadline and its answer still gets
// out, which mcp-go alone would drop.
func TestTheDeadlineReachesTheToolAndTheAnswerStillComes(t *testing.T) {
	r := newRig(t, func(_ *Options, e *Edge) { e.Timeout = 400 * time.Millisecond })
	r.caller.fn = func(ctx context.Context, _ tools.Tool, _ json.RawMessage) tools.Answer {
		<-ctx.Done()
		return tools.Answer{Text: ctx.Err().Error(), IsError: true, Kind: "deadline"}
	}
	start := time.Now()
	got := r.post(t, call("zz_read"))
	wantStatus(t, got, 200)
	if took := time.Since(start); took > 390*time.Millisecond || got.at("result", "isError") != true {
		t.Errorf("%s: %s", took, got.body)
	}
}

func TestAToolThatIgnoresItsDeadlineIsA504(t *testing.T) {
	r := newRig(t, func(_ *Options, e *Edge) { e.Timeout = 100 * time.Millisecond })
	r.caller.fn = func(context.Context, tools.Tool, json.RawMessage) tools.Answer {
		time.Sleep(200 * time.Millisecond)
		return tools.Answer{Text: "late"}
	}
	wantStatus(t, r.post(t, call("zz_read")), 504)
}

func TestTheGivenDeadlineLessTheMarginWins(t *testing.T) {
	e := &edge{Edge: Edge{Timeout: 25 * time.Second, Margin: 3 * time.Second}}
	start := time.Now()
	for given, want := range map[time.Duration]time.Duration{0: 25, 60: 25, 10: 7} {
		ctx, cancel := context.WithCancel(context.Background())
		if given > 0 {
			ctx, cancel = context.WithDeadline(context.Background(), start.Add(given*time.Second))
		}
		ex := &exchange{start: start}
		bound, stop := e.deadline(ctx, ex)
		end, _ := bound.Deadline()
		if got := end.Sub(start).Round(time.Second); got != want*time.Second {
			t.Errorf("given %d s: ends after %s, want %d s", given, got, want)
		}
		if ex.deadline.After(end) {
			t.Error("the tool may run longer than the request")
		}
		stop()
		cancel()
	}
}

func TestAClientThatLeavesCancelsItsTool(t *testing.T) {
	r := newRig(t, nil)
	started, ended := make(chan bool), make(chan error, 1)
	r.caller.fn = func(ctx context.Context, _ tools.Tool, _ json.RawMessage) tools.Answer {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return tools.Answer{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, "POST", r.URL+Path, strings.NewReader(call("zz_read")))
	req.Header.Set("Authorization", "Bearer reader")
	req.Header.Set("Content-Type", "application/json")
	go func() { <-started; cancel() }()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Error("an answer came")
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the tool went on")
	}
}

// Without sessions an id of one client is also that of another.
func TestOneClientCannotCancelAnothersCall(t *testing.T) {
	r := newRig(t, nil)
	started, goOn := make(chan bool), make(chan bool)
	r.caller.fn = func(ctx context.Context, _ tools.Tool, _ json.RawMessage) tools.Answer {
		close(started)
		select {
		case <-ctx.Done():
			return tools.Answer{Text: "cancelled", IsError: true}
		case <-goOn:
			return tools.Answer{Text: "finished"}
		}
	}
	answer := make(chan reply)
	go func() { answer <- r.post(t, call("zz_read")) }()
	<-started
	got := r.post(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Authorization", "Bearer reader")
	if got.StatusCode != 202 || got.body != "" {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	close(goOn)
	if a := <-answer; !strings.Contains(a.body, "finished") {
		t.Error(a.body)
	}
}

func TestTheHandlerWorksOnARecorderToo(t *testing.T) { // as behind the Lambda adapter: no flusher, no address
	r := newRig(t, nil)
	w := httptest.NewRecorder()
	req := httptest.NewRequest("POST", "https://gw.example/mcp", strings.NewReader(list))
	req.Header.Set("Authorization", "Bearer reader")
	req.Header.Set("Content-Type", "application/json")
	r.Config.Handler.ServeHTTP(w, req)
	if w.Code != 200 || !slices.Contains(w.Header()["Content-Type"], "application/json") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
