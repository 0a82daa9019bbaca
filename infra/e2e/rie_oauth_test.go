package e2e

import (
	"strings"
	"testing"
)

// TestRIEOauthAnswersClients: the documents and a registration, from the release
// build; pages are answered in functions/oauth's own tests.
func TestRIEOauthAnswersClients(t *testing.T) {
	l := start(t, "oauth", "AWS_SAM_LOCAL=true", "AWS_LAMBDA_LOG_FORMAT=JSON", "API_KEY="+key, "INTERVALS_API_BASE_URL="+upstream(t)+"/api/v1")
	a := l.invoke(t, sample(t, "oauth/metadata.json", nil))
	if a.StatusCode != 200 || a.at("issuer") != "https://abc123.execute-api.eu-central-1.amazonaws.com" || a.at("authorization_response_iss_parameter_supported") != true {
		t.Error(a.Body)
	}
	a = l.invoke(t, sample(t, "oauth/register.json", nil))
	if id, _ := a.at("client_id").(string); a.StatusCode != 201 || !strings.HasPrefix(id, "client-") || a.Headers["Cache-Control"] != "no-store" {
		t.Error(a.Body)
	}
	a = l.invoke(t, sample(t, "oauth/metadata.json", func(ev map[string]any) {
		ev["rawPath"] = "/.well-known/oauth-authorization-server/mcp"
		ev["headers"].(map[string]any)["host"] = "evil.example"
	}))
	if a.StatusCode != 404 || a.at("mcp_endpoint") != "https://abc123.execute-api.eu-central-1.amazonaws.com/mcp" || strings.Contains(a.Body, "evil") {
		t.Error(a.Body)
	}
	if strings.Contains(l.out.String(), key) || !strings.Contains(l.out.String(), `"endpoint":"register"`) {
		t.Errorf("the log:\n%s", l.out)
	}
}
