package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// exchange is one request to an endpoint and what came back.
type exchange struct {
	status int
	header http.Header
	body   []byte
}

// checkEndpoint checks a deployment from outside, as a client meets it.
func (c *command) checkEndpoint(ctx context.Context, r *Report, endpoint string, token secrets.Secret) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "https" && !intervals.Loopback(endpoint) || u.User != nil || u.RawQuery != "" {
		r.Wrong("URL", "give it as the client gets it, such as https://mcp.example.com/mcp", "is no https address")
		return
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	if !c.checkWellKnown(ctx, r, *u) {
		return
	}
	c.checkChallenge(ctx, r, u.String())
	if token.IsZero() {
		r.Note("tools", "give a token: --token asks for one, or set "+TokenVariable, "not tried without a token")
		return
	}
	c.checkTools(ctx, r, u.String(), token)
}

// send makes one request. Its error never shows what was sent.
func (c *command) send(ctx context.Context, method, target, token, body string) (exchange, error) {
	var payload io.Reader
	if body != "" {
		payload = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, target, payload)
	if err != nil {
		return exchange{}, innermost(err)
	}
	req.Header.Set("User-Agent", c.UserAgent)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.client().Do(req)
	if err != nil {
		return exchange{}, innermost(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is lost when closing a body that was read fails
	b, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	return exchange{resp.StatusCode, resp.Header, b}, err
}

// checkWellKnown asks for the document that clients look for first. A server that
// has no sign-in answers 404, in JSON.
func (c *command) checkWellKnown(ctx context.Context, r *Report, u url.URL) bool {
	u.Path = "/.well-known/oauth-protected-resource" + u.Path
	got, err := c.send(ctx, http.MethodGet, u.String(), "", "")
	switch {
	case err != nil:
		r.Wrong("URL", "compare it with the stack's output McpUrl; check network and DNS", "%s cannot be reached: %v", u.Host, err)
		return false
	case got.status >= 500:
		r.Wrong("well-known", "look into the mcp function's log: sam logs --stack-name STACK", "answers %d", got.status)
	case got.status != http.StatusNotFound && got.status != http.StatusOK || !json.Valid(got.body):
		r.Wrong("well-known", "clients need JSON here; does something else answer on this host?", "answers %d, %s", got.status, shape(got))
	default:
		r.OK("well-known", "answers %d in JSON", got.status)
	}
	c.checkClock(r, got.header.Get("Date"))
	return true
}

func shape(e exchange) string {
	if json.Valid(e.body) {
		return "in JSON"
	}
	return "and not in JSON"
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// checkChallenge sends a token that is well made and nobody's: gateway,
// authorizer, identity table and mcp function must all work for the right answer.
func (c *command) checkChallenge(ctx context.Context, r *Report, endpoint string) {
	got, err := c.send(ctx, http.MethodPost, endpoint, identity.NewToken(identity.KindPersonal).Reveal(), listTools)
	if err != nil {
		r.Wrong("refusal", "try again", "no answer: %v", err)
		return
	}
	var body struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(got.body, &body) // another shape has no error
	switch {
	case got.status == http.StatusOK:
		r.Wrong("refusal", "stop the stack at once (ReservedConcurrency=0) and look at the authorizer", "a token that nobody holds is accepted")
	case got.status == http.StatusForbidden:
		r.Note("refusal", "", "a wrong token gets 403 (StrictGateway): clients cannot tell that they must sign in again")
	case got.status == http.StatusServiceUnavailable:
		r.Wrong("refusal", "look into the authorizer's log; can it read the identity table?", "503: the identity store cannot be reached")
	case got.status != http.StatusUnauthorized:
		r.Wrong("refusal", "look into the logs of both functions: sam logs --stack-name STACK; is this the URL of the endpoint, with /mcp?", "a wrong token gets %d, %s", got.status, shape(got))
	case got.header.Get("WWW-Authenticate") != "":
		r.OK("refusal", "a wrong token gets 401 with the challenge")
	case renamed(got.header) != "" && body.Error != "":
		r.OK("refusal", "a wrong token gets 401; the gateway renames the challenge to %s, and the body says the same", renamed(got.header))
	case body.Error != "":
		r.Note("refusal", "clients go by the body and the well-known documents", "a wrong token gets 401 without the challenge; the body holds it")
	default:
		r.Wrong("refusal", "does something else answer at this URL?", "a wrong token gets 401 without challenge and reason")
	}
}

// renamed finds the challenge under another name (API Gateway, proxies).
func renamed(h http.Header) string {
	for name := range h {
		if strings.HasSuffix(strings.ToLower(name), "www-authenticate") {
			return name
		}
	}
	return ""
}

// checkTools lists the tools with a token.
func (c *command) checkTools(ctx context.Context, r *Report, endpoint string, token secrets.Secret) {
	got, err := c.send(ctx, http.MethodPost, endpoint, token.Reveal(), listTools)
	if err != nil {
		r.Wrong("tools", "try again", "no answer: %v", err)
		return
	}
	if got.status == http.StatusUnauthorized {
		r.Wrong("tools", c.again("tokens list")+" shows which tokens are in force", "this token is wrong, expired or revoked")
		return
	}
	var answer struct {
		Result struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"result"`
	}
	if got.status != http.StatusOK || json.Unmarshal(sse(got.body), &answer) != nil || len(answer.Result.Tools) == 0 {
		r.Wrong("tools", "look into the mcp function's log", "tools/list answers %d without tools", got.status)
		return
	}
	r.OK("tools", "this token is offered %s", count(len(answer.Result.Tools), "tool", "tools"))
}

// sse takes the message out of an event stream; JSON stays what it is.
func sse(body []byte) []byte {
	if i := bytes.Index(body, []byte("data: ")); i >= 0 && !json.Valid(body) {
		line, _, _ := bytes.Cut(body[i+len("data: "):], []byte("\n"))
		return line
	}
	return body
}
