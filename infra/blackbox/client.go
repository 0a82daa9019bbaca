package blackbox

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// rig is a target with the means to talk to it.
type rig struct {
	Target
	http   *http.Client
	origin string // of the URL, such as https://mcp.example
}

func newRig(t Target) *rig {
	u, _ := url.Parse(t.URL)
	return &rig{Target: t.hooks(), origin: u.Scheme + "://" + u.Host, http: &http.Client{
		Timeout:       45 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// sent is a request to be: a POST of a list of tools to the endpoint with the
// best token, unless said otherwise. No token at all is token "-".
type sent struct {
	method, path, query, token, body string
	header                           http.Header
	host                             string
	page                             bool // the answer may be a page for people
}

// reply is an answer, its JSON decoded.
type reply struct {
	status int
	header http.Header
	body   string
	json   map[string]any
}

const toolsList = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

// send sends a request. No answer may hold a token.
func (r *rig) send(t *testing.T, s sent) reply {
	t.Helper()
	method, path, body := s.method, s.path, s.body
	if method == "" {
		method = http.MethodPost
	}
	if path == "" {
		path = "/mcp"
	}
	if body == "" && method == http.MethodPost {
		body = toolsList
	}
	req, err := http.NewRequest(method, r.origin+path+s.query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	switch s.token {
	case "":
		req.Header.Set("Authorization", "Bearer "+r.Token)
	case "-":
	default:
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for name, values := range s.header {
		req.Header[name] = values
	}
	req.Host = s.host
	resp, err := r.http.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, r.hide(err.Error()))
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	out := reply{status: resp.StatusCode, header: resp.Header, body: string(b)}
	if len(bytes.TrimSpace(b)) > 0 && json.Unmarshal(b, &out.json) != nil && !s.page {
		t.Errorf("%s %s: the body is no JSON object: %.200s", method, path, r.hide(out.body))
	}
	r.noToken(t, out)
	return out
}

// noToken fails when an answer repeats a token, in whatever part.
func (r *rig) noToken(t *testing.T, got reply) {
	t.Helper()
	var whole strings.Builder
	_ = got.header.Write(&whole)
	whole.WriteString(got.body)
	for _, token := range r.tokens() {
		if strings.Contains(whole.String(), token) {
			t.Error("an answer repeats a token")
		}
	}
}

func (r *rig) tokens() (all []string) {
	for _, token := range []string{r.Token, r.Core, r.Reader, r.Expired, r.Other, r.Destructive, r.Never, r.Person, r.Coach.Token, r.Coach.Own} {
		if token != "" {
			all = append(all, token)
		}
	}
	return all
}

// hide takes tokens out of what is printed.
func (r *rig) hide(s string) string {
	for _, token := range r.tokens() {
		s = strings.ReplaceAll(s, token, "[token]")
	}
	return s
}

// at walks the JSON by keys.
func (p reply) at(keys ...string) any {
	var v any = p.json
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func (p reply) text(keys ...string) string {
	s, _ := p.at(keys...).(string)
	return s
}

// failedCall reports a tool's own failure.
func (p reply) failedCall() bool { return p.at("result", "isError") == true }

// want fails unless the status is one of those, with a body in JSON.
func (p reply) want(t *testing.T, statuses ...int) {
	t.Helper()
	for _, s := range statuses {
		if p.status == s {
			if p.json == nil {
				t.Errorf("status %d without a body in JSON", s)
			}
			return
		}
	}
	t.Errorf("status %d, want %v: %.300s", p.status, statuses, p.body)
}

// challenge gives the challenge, by whichever name the front door left it.
func (r *rig) challenge(t *testing.T, p reply) string {
	t.Helper()
	own, remapped := p.header.Values("WWW-Authenticate"), p.header.Values("X-Amzn-Remapped-Www-Authenticate")
	if r.Remapped {
		own = remapped
	}
	if len(own) != 1 {
		t.Errorf("%d challenges, want one: %v %v", len(own), own, remapped)
		return ""
	}
	return own[0]
}
