package apigw

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/tools"
)

// caller answers every call and remembers the context of the last one.
type caller struct {
	ctx context.Context
	id  identity.Identity
}

func (c *caller) Call(ctx context.Context, _ tools.Tool, id identity.Identity, _ json.RawMessage) tools.Answer {
	c.ctx, c.id = ctx, id
	return tools.Answer{Text: "done", Kind: "ok"}
}

func handler(o Options) (*Handler, *caller) {
	c := &caller{}
	s := mcpserver.New(mcpserver.Options{Caller: c, Version: "test", Tools: []tools.Tool{
		{Name: "look", Title: "Look", Scope: identity.ScopeRead, Toolset: identity.ToolsetCore},
		{Name: "alter", Title: "Alter", Scope: identity.ScopeWrite, Toolset: identity.ToolsetCore},
	}})
	return New(s, o), c
}

// event is a POST /mcp of a read connection.
func event(body string, headers ...string) events.APIGatewayV2HTTPRequest {
	ev := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: "/mcp", Body: body,
		Headers: map[string]string{"content-type": "application/json", "host": "forged.example"}}
	for i := 0; i < len(headers); i += 2 {
		ev.Headers[headers[i]] = headers[i+1]
	}
	ev.RequestContext.DomainName = "abc.execute-api.example"
	ev.RequestContext.HTTP.Method = "POST"
	ev.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: map[string]any{
		"auth": "ok", "user": "i1", "athlete": "i1", "scopes": "read", "connection": "c1", "client": "Claude", "toolset": "core"}}
	return ev
}

func invoke(t *testing.T, ctx context.Context, h *Handler, ev events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	resp, err := h.Invoke(ctx, ev)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(resp.Body)) && resp.Body != "" {
		t.Errorf("the body is no JSON: %q", resp.Body)
	}
	return resp
}

func call(tool string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

func TestIdentityComesFromTheAuthorizersContext(t *testing.T) {
	h, c := handler(Options{})
	if resp := invoke(t, t.Context(), h, event(call("look"))); resp.StatusCode != 200 || c.id.User != "i1" || c.id.Client != "Claude" || c.id.Local {
		t.Errorf("%d %s as %+v", resp.StatusCode, resp.Body, c.id)
	}
	if resp := invoke(t, t.Context(), h, event(call("alter"))); resp.StatusCode != 403 || !strings.Contains(resp.Headers["WWW-Authenticate"], "insufficient_scope") {
		t.Errorf("%d %v", resp.StatusCode, resp.Headers)
	}
	forged := event(call("look"), "X-GoLambdaProxy-ApiGw-Context", `{"authorizer":{"lambda":{"auth":"ok","user":"i2","athlete":"i2","scopes":"write"}}}`)
	forged.RequestContext.Authorizer = nil
	if resp := invoke(t, t.Context(), h, forged); resp.StatusCode != 401 {
		t.Errorf("a forged header gave %d", resp.StatusCode)
	}
}

func TestURLsComeFromTheGatewayOrTheOwnDomainNeverFromHost(t *testing.T) {
	for public, want := range map[string]string{"": "https://abc.execute-api.example", "https://mcp.example/": "https://mcp.example"} {
		h, _ := handler(Options{PublicURL: public, SignIn: true})
		refused := event(call("look"))
		refused.RequestContext.Authorizer = nil
		resp := invoke(t, t.Context(), h, refused)
		if m := `resource_metadata="` + want + `/.well-known/oauth-protected-resource/mcp"`; !strings.Contains(resp.Headers["WWW-Authenticate"], m) {
			t.Errorf("challenge %q, want %s", resp.Headers["WWW-Authenticate"], m)
		}
		lost := event("")
		lost.RawPath = "/mcp/"
		if resp := invoke(t, t.Context(), h, lost); resp.StatusCode != 404 || !strings.Contains(resp.Body, want+"/mcp") || strings.Contains(resp.Body, "forged") {
			t.Errorf("%d %s", resp.StatusCode, resp.Body)
		}
	}
}

func TestTheAccountPageIsFoundWithASlashToo(t *testing.T) {
	for signIn, want := range map[bool]int{true: 308, false: 404} {
		h, _ := handler(Options{SignIn: signIn})
		ev := event("")
		ev.RawPath, ev.RequestContext.HTTP.Method, ev.RequestContext.Authorizer = "/account/", "GET", nil
		if resp := invoke(t, t.Context(), h, ev); resp.StatusCode != want || signIn != (resp.Headers["Location"] == "/account") {
			t.Errorf("sign-in %v: %d to %q", signIn, resp.StatusCode, resp.Headers["Location"])
		}
	}
}

func TestWithoutSignInTheChallengeNamesNoDocument(t *testing.T) {
	h, _ := handler(Options{})
	ev := event(call("look"))
	ev.RequestContext.Authorizer = nil
	if resp := invoke(t, t.Context(), h, ev); strings.Contains(resp.Headers["WWW-Authenticate"], "resource_metadata") {
		t.Error(resp.Headers)
	}
}

// The adapter cuts headers at commas; then Mcp-Name would not match the body.
func TestAHeaderWithACommaArrivesWhole(t *testing.T) {
	h, _ := handler(Options{})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a, b","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	resp := invoke(t, t.Context(), h, event(body, "mcp-protocol-version", "2026-07-28", "mcp-method", "tools/call", "mcp-name", "a, b"))
	if !strings.Contains(resp.Body, "-32602") || strings.Contains(resp.Body, "-32020") {
		t.Error(resp.Body)
	}
}

func TestHeadersInAnyCaseAreRead(t *testing.T) { // sam local start-api keeps the client's
	h, _ := handler(Options{})
	ev := event(call("look"))
	delete(ev.Headers, "content-type")
	ev.Headers["Content-Type"] = "application/json"
	if resp := invoke(t, t.Context(), h, ev); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, resp.Body)
	}
}

func TestTheToolStopsThreeSecondsBeforeTheFunction(t *testing.T) {
	h, c := handler(Options{})
	for given, atMost := range map[time.Duration]time.Duration{10 * time.Second: 7 * time.Second, 60 * time.Second: 25 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), given)
		invoke(t, ctx, h, event(call("look")))
		end, ok := c.ctx.Deadline()
		if left := time.Until(end); !ok || left > atMost || left < atMost-2*time.Second {
			t.Errorf("of %s the tool has %s", given, left)
		}
		cancel()
	}
}

func TestTheRequestIsNamedAsLambdaNamesIt(t *testing.T) {
	h, c := handler(Options{})
	invoke(t, lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "req-1"}), h, event(call("look")))
	if got := mcpserver.RequestID(c.ctx); got != "req-1" {
		t.Errorf("request id %q", got)
	}
}

func TestABodyInBase64IsRead(t *testing.T) {
	h, _ := handler(Options{})
	ev := event("eyJqc29ucnBjIjoiMi4wIiwiaWQiOjEsIm1ldGhvZCI6InRvb2xzL2xpc3QifQ==")
	ev.IsBase64Encoded = true
	if resp := invoke(t, t.Context(), h, ev); resp.StatusCode != http.StatusOK || !strings.Contains(resp.Body, `"look"`) {
		t.Errorf("%d %s", resp.StatusCode, resp.Body)
	}
}

func TestAnEventThatIsNoRequestIsA400(t *testing.T) {
	h, _ := handler(Options{})
	bad := event("%")
	bad.IsBase64Encoded = true
	path := event("{}")
	path.RawPath = "/%zz"
	for _, ev := range []events.APIGatewayV2HTTPRequest{bad, path} {
		if resp := invoke(t, t.Context(), h, ev); resp.StatusCode != 400 {
			t.Errorf("%d %s", resp.StatusCode, resp.Body)
		}
	}
	if resp := invoke(t, t.Context(), h, events.APIGatewayV2HTTPRequest{}); resp.StatusCode < 400 {
		t.Errorf("an empty event gave %d", resp.StatusCode)
	}
}

func TestLogsAreJSONWithLambdasKeys(t *testing.T) {
	var out bytes.Buffer
	Logger(&out).Info("hello", "n", 1)
	var m map[string]any
	if err := json.Unmarshal(out.Bytes(), &m); err != nil || m["message"] != "hello" || m["timestamp"] == nil {
		t.Errorf("%s", &out)
	}
}
