package oauth

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		s, _ := e.(string)
		out = append(out, s)
	}
	return out
}

func TestR1R2_ProtectedResourceMetadataAtThePathAndTheRootForm(t *testing.T) {
	r := newRig(t, nil)
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"} {
		got := r.send("GET", path, "")
		r.want(got, 200, "")
		if got.text("resource") != resource || !slices.Equal(texts(got.json["authorization_servers"]), []string{issuer}) ||
			!slices.Equal(texts(got.json["bearer_methods_supported"]), []string{"header"}) || !slices.Equal(texts(got.json["scopes_supported"]), []string{"read", "write"}) {
			t.Errorf("%s: %s", path, got.Body)
		}
	}
}

func TestR9_OfflineAccessIsNotAdvertised(t *testing.T) {
	r := newRig(t, nil)
	for path := range wellKnown {
		if strings.Contains(r.send("GET", path, "").Body.String(), "offline_access") {
			t.Errorf("%s names offline_access", path)
		}
	}
}

func TestR11_EveryAddressInTheDocumentsIsOnTheIssuersOrigin(t *testing.T) {
	r := newRig(t, nil)
	for path := range wellKnown {
		got := r.send("GET", path, "", "Host", "evil.example", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "http")
		for name, v := range got.json {
			if s, _ := v.(string); (strings.HasSuffix(name, "_endpoint") || name == "issuer" || name == "resource") && s != issuer && !strings.HasPrefix(s, issuer+"/") {
				t.Errorf("%s: %s is %s", path, name, s)
			}
		}
	}
}

func TestA2_TheIssuerInBothDocumentsIsTheIssuerByteForByte(t *testing.T) {
	for given, want := range map[string]string{issuer: issuer, issuer + "/": issuer, "http://127.0.0.1:8765": "http://127.0.0.1:8765"} {
		r := newRig(t, nil)
		r.place.Issuer = given
		for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
			got := r.send("GET", path, "")
			if got.Code != 200 || got.text("issuer") != want || got.text("authorization_endpoint") != want+"/authorize" || got.text("token_endpoint") != want+"/token" ||
				got.text("registration_endpoint") != want+"/register" || got.text("revocation_endpoint") != want+"/revoke" {
				t.Errorf("%s: %s", path, got.Body)
			}
		}
	}
}

func TestA3_S256IsAdvertisedAndNothingElse(t *testing.T) {
	got := newRig(t, nil).send("GET", "/.well-known/oauth-authorization-server", "")
	if !slices.Equal(texts(got.json["code_challenge_methods_supported"]), []string{"S256"}) || !slices.Equal(texts(got.json["response_types_supported"]), []string{"code"}) {
		t.Error(got.Body)
	}
}

func TestA8A9_IssuerParameterAndDocumentsAreAdvertised(t *testing.T) {
	got := newRig(t, nil).send("GET", "/.well-known/oauth-authorization-server", "")
	if got.json["authorization_response_iss_parameter_supported"] != true || got.json["client_id_metadata_document_supported"] != true ||
		!slices.Contains(texts(got.json["token_endpoint_auth_methods_supported"]), "none") { // Claude uses documents only beside none
		t.Error(got.Body)
	}
}

// The forms of an issuer with a path (RFC 8414 3.1) name an issuer that there
// is not. A client that got a document there would have to throw it away.
func TestRFC8414_UnknownWellKnownPathsAre404InJSON(t *testing.T) {
	r := newRig(t, nil)
	for _, path := range []string{"/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration/mcp", "/mcp/.well-known/openid-configuration",
		"/.well-known/oauth-protected-resource/mcp2", "/.well-known/oauth-protected-resource/", "/.well-known/jwks.json", "/.well-known/security.txt", "/.well-known/../token", "/nothing"} {
		got := r.send("GET", path, "")
		if r.want(got, 404, "not_found"); got.text("mcp_endpoint") != resource {
			t.Error(got.Body)
		}
	}
}

func TestADocumentIsOnlyRead(t *testing.T) {
	r := newRig(t, nil)
	r.want(r.send("POST", "/.well-known/oauth-authorization-server", "{}"), 405, "invalid_request")
	r.want(r.send("HEAD", "/.well-known/oauth-authorization-server", ""), 200, "")
}

func TestDocumentsMayBeReadByABrowserAndKeptForAShortWhile(t *testing.T) {
	got := newRig(t, nil).send("GET", "/.well-known/oauth-protected-resource", "")
	if got.Header().Get("Access-Control-Allow-Origin") != "*" || got.Header().Get("Cache-Control") != "public, max-age=300" {
		t.Error(got.Header())
	}
}

func TestWithoutAnOriginNothingIsAnswered(t *testing.T) {
	r := newRig(t, nil)
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, httptest.NewRequest("GET", "https://forged.example/.well-known/oauth-authorization-server", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "forged") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
