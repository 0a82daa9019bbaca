package pages_test

import (
	"strings"
	"testing"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/oauth/pages/pagestest"
)

func TestTheConsentPageWarnsWhereAccessGoesToAnotherHostThanThePublisher(t *testing.T) {
	for _, tt := range []struct {
		publisher, returnTo string
		warns               bool
	}{
		{"claude.ai", "https://claude.ai/api/mcp/auth_callback", false},
		{"claude.ai", "https://claude.com/api/mcp/auth_callback", false},
		{"chatgpt.com", "https://chatgpt.com/connector/oauth/abc", false},
		{"wall.example", "https://WALL.example/cb", false},
		{"files.example", "https://evil.example/cb", true},
		{"claude.ai", "https://claude.ai.evil.example/cb", true},
		{"claude.ai", "https://claude.ai:8443/cb", true},
	} {
		s := pagestest.Sample{Name: "consent", Status: 200, Page: &pages.Consent{Frame: pages.Frame{Origin: "https://mcp.example"}, Flow: "f",
			Client: pages.Client{Name: "Claude", Host: tt.publisher, Verified: true}, ReturnTo: tt.returnTo}}
		if got := strings.Contains(render(t, s).Body.String(), "is where you want to return to"); got != tt.warns {
			t.Errorf("%s, back to %s: warns %v", tt.publisher, tt.returnTo, got)
		}
	}
}
