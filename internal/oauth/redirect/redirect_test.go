package redirect

import (
	"net/url"
	"strings"
	"testing"
)

// The addresses that Claude and ChatGPT use (reference/mcp/05).
var known = []string{
	"https://claude.ai/api/mcp/auth_callback",
	"https://claude.com/api/mcp/auth_callback",
	"https://chatgpt.com/connector/oauth/abc_DEF-123",
	"https://chatgpt.com/connector_platform_oauth_redirect",
	"https://platform.openai.com/apps-manage/oauth",
	"http://localhost:3118/callback",
	"http://127.0.0.1:6274/oauth/callback",
	"http://[::1]:8080/callback",
	"http://localhost/callback",
	"http://127.0.0.1:33418",
	"https://vscode.dev/redirect?x=1&y",
	"https://xn--bcher-kva.example:8443/cb",
	"https://192.0.2.7/cb",
}

func TestOAuth21_KnownRedirectsAreAccepted(t *testing.T) {
	for _, uri := range known {
		if err := Check(uri); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
		if !Match(known, uri) {
			t.Errorf("%s does not match itself", uri)
		}
	}
}

func TestOAuth21_RedirectIsHttpsOrLoopback(t *testing.T) {
	for _, uri := range []string{
		"", "x", "claude.ai/cb", "//claude.ai/cb", "http://claude.ai/cb", "HTTPS://claude.ai/cb", "Https://claude.ai/cb",
		"javascript:alert(1)", "javascript://claude.ai/%0aalert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://claude.ai/", "cursor://callback",
		"https:claude.ai/cb", "https:/claude.ai/cb", "https:///cb", "https://", "http://",
		"http://localhost.evil.example/cb", "http://127.0.0.1.evil.example/cb", "http://127.0.0.2/cb", "http://0.0.0.0/cb", "http://app.localhost/cb",
		"http://127.1/cb", "http://2130706433/cb", "http://0x7f.1/cb", "http://0177.0.0.1/cb", "http://[::ffff:127.0.0.1]/cb", "http://[0:0:0:0:0:0:0:1]/cb", "http://[::1%25lo]/cb",
		"http://LOCALHOST/cb", "http://localhost./cb",
	} {
		if Check(uri) == nil {
			t.Errorf("%q was accepted", uri)
		}
		if Match([]string{uri}, uri) {
			t.Errorf("%q matches though it cannot be registered", uri)
		}
	}
}

func TestOAuth21_RedirectIsWrittenInOneWay(t *testing.T) {
	for name, uri := range map[string]string{
		"fragment":            "https://claude.ai/cb#x",
		"empty fragment":      "https://claude.ai/cb#",
		"userinfo":            "https://claude.ai@evil.example/cb",
		"userinfo, password":  "https://claude.ai:443@evil.example/cb",
		"backslash":           `https://evil.example\@claude.ai/cb`,
		"backslash in path":   `https://claude.ai/\evil.example`,
		"encoded host":        "https://claude%2eai/cb",
		"encoded at":          "https://claude.ai%40evil.example/cb",
		"wildcard":            "https://*.claude.ai/cb",
		"wildcard port":       "http://localhost:*/cb",
		"wildcard path":       "https://claude.ai/*",
		"dot segment":         "https://claude.ai/api/../evil",
		"encoded dot":         "https://claude.ai/api/%2e%2e/evil",
		"half encoded dot":    "https://claude.ai/api/.%2E/evil",
		"single dot":          "https://claude.ai/./cb",
		"encoded slash":       "https://claude.ai/a%2fb",
		"encoded backslash":   "https://claude.ai/a%5cb",
		"doubly encoded":      "https://claude.ai/a%252e%252e",
		"encoded nul":         "https://claude.ai/a%00b",
		"bad encoding":        "https://claude.ai/a%zz",
		"bad query":           "https://claude.ai/cb?a=%zz",
		"semicolon query":     "https://claude.ai/cb?a;b",
		"space":               "https://claude.ai/c b",
		"tab":                 "https://claude.ai/c\tb",
		"newline":             "https://claude.ai/cb\r\nSet-Cookie: x",
		"nul":                 "https://claude.ai/cb\x00",
		"unicode host":        "https://сlaude.ai/cb",
		"unicode full stop":   "https://claude。ai/cb",
		"unicode slash":       "https://claude.ai／cb",
		"unicode path":        "https://claude.ai/ü",
		"upper-case host":     "https://Claude.ai/cb",
		"trailing dot":        "https://claude.ai./cb",
		"empty label":         "https://claude..ai/cb",
		"hyphen":              "https://-claude.ai/cb",
		"underscore":          "https://cla_ude.ai/cb",
		"empty port":          "https://claude.ai:/cb",
		"port 0":              "https://claude.ai:0/cb",
		"port too big":        "https://claude.ai:65536/cb",
		"port with zero":      "https://claude.ai:0443/cb",
		"port with sign":      "https://claude.ai:+443/cb",
		"decimal address":     "https://3232235521/cb",
		"hex address":         "https://0xc0a80001/cb",
		"octal address":       "https://0300.0250.0.1/cb",
		"short address":       "https://192.168.1/cb",
		"code parameter":      "https://claude.ai/cb?code=x",
		"encoded code":        "https://claude.ai/cb?c%6fde=x",
		"state parameter":     "https://claude.ai/cb?a=1&state=x",
		"iss parameter":       "https://claude.ai/cb?iss=https://evil.example",
		"error parameter":     "https://claude.ai/cb?error",
		"too long":            "https://claude.ai/" + strings.Repeat("a", MaxLength),
		"markup":              "https://claude.ai/<script>",
		"IPv6 without closer": "https://[::1/cb",
	} {
		t.Run(name, func(t *testing.T) {
			if Check(uri) == nil {
				t.Errorf("%q was accepted", uri)
			}
		})
	}
}

func TestOAuth21_RedirectLookAlikesDoNotMatch(t *testing.T) {
	registered := []string{"https://claude.ai/api/mcp/auth_callback", "https://chatgpt.com/connector/oauth/abc"}
	for name, asked := range map[string]string{
		"suffix host":      "https://claude.ai.evil.example/api/mcp/auth_callback",
		"prefix host":      "https://evilclaude.ai/api/mcp/auth_callback",
		"subdomain":        "https://www.claude.ai/api/mcp/auth_callback",
		"userinfo":         "https://claude.ai@evil.example/api/mcp/auth_callback",
		"default port":     "https://claude.ai:443/api/mcp/auth_callback",
		"port":             "https://claude.ai:8443/api/mcp/auth_callback",
		"scheme":           "http://claude.ai/api/mcp/auth_callback",
		"scheme case":      "HTTPS://claude.ai/api/mcp/auth_callback",
		"host case":        "https://CLAUDE.ai/api/mcp/auth_callback",
		"path case":        "https://claude.ai/api/mcp/Auth_callback",
		"path traversal":   "https://claude.ai/api/mcp/auth_callback/../../evil",
		"encoded path":     "https://claude.ai/api/mcp/auth%5Fcallback",
		"encoded slash":    "https://claude.ai/api%2Fmcp/auth_callback",
		"longer path":      "https://claude.ai/api/mcp/auth_callback/x",
		"trailing slash":   "https://claude.ai/api/mcp/auth_callback/",
		"shorter path":     "https://claude.ai/api/mcp",
		"query":            "https://claude.ai/api/mcp/auth_callback?x=1",
		"empty query":      "https://claude.ai/api/mcp/auth_callback?",
		"fragment":         "https://claude.ai/api/mcp/auth_callback#",
		"trailing dot":     "https://claude.ai./api/mcp/auth_callback",
		"unicode":          "https://сlaude.ai/api/mcp/auth_callback",
		"full-width":       "https://ｃlaude.ai/api/mcp/auth_callback",
		"sibling callback": "https://chatgpt.com/connector/oauth/abcd",
		"loopback":         "http://localhost/api/mcp/auth_callback",
		"leading space":    " https://claude.ai/api/mcp/auth_callback",
		"trailing newline": "https://claude.ai/api/mcp/auth_callback\n",
		"empty":            "",
	} {
		t.Run(name, func(t *testing.T) {
			if Match(registered, asked) {
				t.Errorf("%q matches", asked)
			}
		})
	}
}

func TestRFC8252_LoopbackPortIsFree(t *testing.T) {
	registered := []string{"http://localhost/callback", "http://127.0.0.1:1234/callback", "http://[::1]/cb?x=1"}
	for asked, want := range map[string]bool{
		"http://localhost/callback":           true,
		"http://localhost:49152/callback":     true,
		"http://127.0.0.1/callback":           true,
		"http://127.0.0.1:9/callback":         true,
		"http://[::1]:9/cb?x=1":               true,
		"http://[::1]:9/callback":             false, // another path
		"http://[::1]:9/cb":                   false, // another query
		"http://localhost:9/callback/":        false,
		"http://localhost:9/callback?x":       false,
		"https://localhost:9/callback":        false,
		"http://localhost:0/callback":         false,
		"http://localhost:/callback":          false,
		"http://localhost:9@evil.ex/callback": false,
		"http://127.0.0.2:9/callback":         false,
		"http://localhost.evil.ex:9/callback": false,
	} {
		if got := Match(registered, asked); got != want {
			t.Errorf("%s: %v", asked, got)
		}
	}
	if Match([]string{"https://localhost/callback"}, "https://localhost:9/callback") {
		t.Error("the port is free for https too")
	}
}

func TestHostOriginAndAnswerOfAnAddress(t *testing.T) {
	for uri, want := range map[string][3]string{
		"https://claude.ai/api/mcp/auth_callback": {"claude.ai", "https://claude.ai", "https://claude.ai/api/mcp/auth_callback?code=c+1&iss=i"},
		"http://localhost:9?x=1":                  {"localhost", "http://localhost:9", "http://localhost:9?x=1&code=c+1&iss=i"},
		"http://[::1]:9/cb?":                      {"[::1]", "http://[::1]:9", "http://[::1]:9/cb?code=c+1&iss=i"},
	} {
		if got := [3]string{Host(uri), Origin(uri), With(uri, "code", "c 1", "state", "", "iss", "i")}; got != want {
			t.Errorf("%s: %q", uri, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, uri := range known {
		f.Add(uri, "x")
	}
	f.Add(`https://evil.example\@claude.ai/cb`, "https://claude.ai/cb")
	f.Fuzz(func(t *testing.T, uri, other string) {
		if Check(uri) != nil {
			if Match([]string{uri}, uri) {
				t.Errorf("%q matches and cannot be registered", uri)
			}
			return
		}
		// What is accepted is read by everybody as it is written.
		u, err := url.Parse(uri)
		if err != nil || u.User != nil || u.Fragment != "" || u.String() != uri && u.RawPath == "" && !strings.HasSuffix(uri, "?") && u.Path != "" {
			t.Errorf("%q is read as %v, %v", uri, u, err)
		}
		if u.Host != authority(uri) || u.Scheme != "https" && !loopbackHost(Host(uri)) {
			t.Errorf("%q goes to %q", uri, u.Host)
		}
		answered, err := url.Parse(With(uri, "code", other))
		if err != nil || answered.Host != u.Host || answered.Path != u.Path || other != "" && answered.Query().Get("code") != other {
			t.Errorf("%q with a code becomes %v, %v", uri, answered, err)
		}
		if Match([]string{uri}, other) && uri != other && !(Loopback(uri) && withoutPort(uri) == withoutPort(other)) {
			t.Errorf("%q matches %q", other, uri)
		}
	})
}
