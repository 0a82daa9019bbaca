package clientdoc

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCIMD_ClaudesAndChatGPTsDocumentsAreAccepted(t *testing.T) {
	for id, body := range map[string]string{
		"https://claude.ai/oauth/claude-code-client-metadata": `{"client_id":"https://claude.ai/oauth/claude-code-client-metadata","client_name":"Claude Code","client_uri":"https://claude.ai",
			"redirect_uris":["http://localhost/callback","http://127.0.0.1/callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`,
		"https://chatgpt.com/oauth/abc/client.json": `{"client_id":"https://chatgpt.com/oauth/abc/client.json","client_name":"ChatGPT","client_uri":"https://chatgpt.com/",
			"redirect_uris":["https://chatgpt.com/connector/oauth/abc"],"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"],
			"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_signing_alg":"RS256","jwks_uri":"https://chatgpt.com/oauth/jwks.json"}`,
		"https://min.example/c": `{"client_id":"https://min.example/c","client_name":"M","redirect_uris":["cursor://cb","https://min.example/cb"]}`,
	} {
		d, err := ParseDocument(id, []byte(body))
		if err != nil || d.ID != id || d.Name == "" || len(d.Redirects) == 0 || slices.ContainsFunc(d.Redirects, func(r string) bool { return strings.HasPrefix(r, "cursor") }) {
			t.Errorf("%s: %+v, %v", id, d, err)
		}
	}
}

func TestCIMD_ADocumentThatBreaksTheRulesIsRefused(t *testing.T) {
	const id = "https://c.example/client.json"
	for name, body := range map[string]string{
		"empty":                  ``,
		"no JSON":                `<html>`,
		"array":                  `[{"client_id":"https://c.example/client.json"}]`,
		"text":                   `"https://c.example/client.json"`,
		"cut off":                strings.TrimSuffix(document(id), "}"),
		"two objects":            document(id) + document(id),
		"brackets after it":      document(id) + "]}",
		"text after it":          document(id) + "}evil",
		"no client_id":           `{"client_name":"C","redirect_uris":["https://c.example/cb"]}`,
		"another client_id":      document("https://d.example/client.json"),
		"client_id, other case":  document("https://c.example/Client.json"),
		"client_id with slash":   document(id + "/"),
		"client_id with port":    document("https://c.example:443/client.json"),
		"client_id encoded":      document("https://c.example/client%2Ejson"),
		"member in capitals":     strings.Replace(document(id), `"client_id"`, `"Client_ID"`, 1),
		"member twice":           strings.Replace(document(id), "{", `{"client_id":"https://evil.example/x",`, 1),
		"no name":                strings.Replace(document(id), `"client_name":"Claude",`, "", 1),
		"blank name":             strings.Replace(document(id), "Claude", ` \u200b\u202e `, 1),
		"name a number":          strings.Replace(document(id), `"Claude"`, "1", 1),
		"no redirect":            strings.Replace(document(id), `["https://claude.ai/api/mcp/auth_callback"]`, "[]", 1),
		"redirect is text":       strings.Replace(document(id), `["https://claude.ai/api/mcp/auth_callback"]`, `"https://claude.ai/cb"`, 1),
		"only unusable redirect": strings.Replace(document(id), `https://claude.ai/api`, "http://claude.ai/api", 1),
		"too many redirects":     strings.Replace(document(id), `["https`, `[`+strings.Repeat(`"https://c.example/cb",`, 50)+`"https`, 1),
		"only signed assertions": strings.Replace(document(id), `"none"`, `"private_key_jwt"`, 1),
		"only a shared secret":   strings.Replace(document(id), `"none"`, `"client_secret_basic"`, 1),
		"offers only assertions": strings.Replace(document(id), `"token_endpoint_auth_method":"none"`, `"token_endpoint_auth_methods_supported":["private_key_jwt"]`, 1),
		"implicit only":          strings.Replace(document(id), `{`, `{"response_types":["token"],`, 1),
		"client credentials":     strings.Replace(document(id), `{`, `{"grant_types":["client_credentials"],`, 1),
		"invalid UTF-8":          strings.Replace(document(id), "Claude", "\xff", 1),
	} {
		t.Run(name, func(t *testing.T) {
			var bad *InvalidError
			if d, err := ParseDocument(id, []byte(body)); !errors.As(err, &bad) || bad.Problem == "" {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

func TestCIMD_AnIDThatIsNoPlainHttpsURLIsNotFetched(t *testing.T) {
	w := newWeb(t, says(document(clientID)))
	for _, id := range []string{
		"", "abc", "http://example.com/client.json", "HTTPS://example.com/client.json", "ftp://example.com/x", "https:/example.com/x", "https://",
		"https://example.com", "https://example.com/", "https://example.com?x=1", "https://example.com/?x=1",
		"https://user@example.com/c", "https://user:pw@example.com/c", "https://example.com/c#x", "https://example.com/c#",
		"https://example.com/a/../c", "https://example.com/./c", "https://example.com/%2e%2e/c", "https://example.com/a%2fc", `https://example.com\@evil/c`,
		"https://EXAMPLE.com/c", "https://example.com./c", "https://exämple.com/c", "https://example.com/ c", "https://example.com:0/c", "https://example.com:99999/c",
		"https://localhost/c", "https://metadata/c", "https://127.0.0.1/c", "https://169.254.169.254/latest", "https://[::1]/c", "https://[::ffff:169.254.169.254]/c", "https://[fe80::1%25eth0]/c",
		"https://2130706433/c", "https://0x7f000001/c", "https://0177.0.0.1/c", "https://127.1/c", "https://93.184.216.34/c", "https://example.com/" + strings.Repeat("a", MaxID),
	} {
		var bad *InvalidError
		if _, err := w.Get(t.Context(), id); !errors.As(err, &bad) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if n := w.served.Load(); n > 0 {
		t.Errorf("%d of them were fetched", n)
	}
	for _, id := range []string{"https://claude.ai/oauth/mcp-oauth-client-metadata", "https://chatgpt.com/oauth/abc/client.json", "https://c.example:8443/c?v=2"} {
		if err := CheckID(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestAStrangersNameIsMadeFitForDisplay(t *testing.T) {
	for in, want := range map[string]string{
		"Claude":                     "Claude",
		"  a\tb\r\nc\u00a0d ":        "a b c d",
		"ev\u202eil\u200b\ufeff\x00": "evil",
		"<script>alert(1)</script>":  "<script>alert(1)</script>", // escaped where it is shown
		strings.Repeat("x", 300):     strings.Repeat("x", 77) + "…",
		strings.Repeat("é", 100):     strings.Repeat("é", 38) + "…",
		"\u200b":                     "",
	} {
		if got := DisplayName(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}

func FuzzParseDocument(f *testing.F) {
	const id = "https://c.example/client.json"
	f.Add([]byte(document(id)))
	f.Add([]byte(`{"client_id":"https://c.example/client.json","client_name":"x","redirect_uris":["http://localhost/"],"client_id":1}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := ParseDocument(id, body)
		if err != nil {
			return
		}
		if d.ID != id || d.Name == "" || !utf8.ValidString(d.Name) || len(d.Name) > maxName || strings.ContainsAny(d.Name, "\n\r\x00") || len(d.Redirects) == 0 {
			t.Errorf("%q becomes %+v", body, d)
		}
	})
}

func FuzzCheckID(f *testing.F) {
	f.Add("https://c.example/client.json")
	f.Add("https://127.0.0.1/x")
	f.Fuzz(func(t *testing.T, id string) {
		if CheckID(id) != nil {
			return
		}
		if !strings.HasPrefix(id, "https://") || strings.ContainsAny(id, "@#\\ ") || len(id) > MaxID {
			t.Errorf("%q was accepted", id)
		}
	})
}
