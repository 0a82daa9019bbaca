package gateway

import (
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/infra/template"
)

func timeOf(s string) (time.Time, error) { return time.Parse(timeLayout, s) }

// TestRoutesAndAuthorizerAreThoseOfTheTemplate keeps what is tried here and
// what is deployed the same.
func TestRoutesAndAuthorizerAreThoseOfTheTemplate(t *testing.T) {
	tpl, err := template.Load("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[Route]bool{}
	for _, r := range tpl.Routes() {
		want[Route{r.Key, r.Function, r.Authorizer != ""}] = true
	}
	for _, r := range Routes() {
		if !want[r] {
			t.Errorf("the template has no route %+v", r)
		}
		delete(want, r)
	}
	for r := range want {
		t.Errorf("the gateway has no route %+v", r)
	}

	apis := tpl.OfType("AWS::Serverless::HttpApi")
	if len(apis) != 1 {
		t.Fatalf("%d HTTP APIs", len(apis))
	}
	api := apis["Api"].Properties
	if stage := api["StageName"]; stage != nil {
		t.Errorf("stage %v: paths would begin with it", stage)
	}
	token := template.At(api, "Auth", "Authorizers", "Token")
	for key, want := range map[string]any{"AuthorizerPayloadFormatVersion": "2.0", "EnableSimpleResponses": true, "EnableFunctionDefaultPermissions": true} {
		if got := template.At(token, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if got := template.List(template.At(token, "Identity", "Headers")); !slices.Equal(got, []any{"Authorization"}) {
		t.Errorf("identity sources %v", got)
	}
	ttl, _ := template.At(token, "Identity", "ReauthorizeEvery").(map[string]any)
	if name, _ := ttl["Ref"].(string); tpl.Parameters[name].Default != 0 {
		t.Errorf("answers are cached for %v", ttl)
	}
	for id, f := range tpl.OfType("AWS::Serverless::Function") {
		events, _ := f.Properties["Events"].(map[string]any)
		for name, e := range events {
			if template.At(e, "Type") != "HttpApi" {
				continue
			}
			if v := template.At(e, "Properties", "PayloadFormatVersion"); v != "2.0" {
				t.Errorf("%s.%s has payload version %v", id, name, v)
			}
			if ms := template.At(e, "Properties", "TimeoutInMillis"); ms != int(Timeout.Milliseconds()) {
				t.Errorf("%s.%s waits for %v ms, the gateway %v", id, name, ms, Timeout)
			}
		}
	}
}

func TestMatchPrefersTheFullerRoute(t *testing.T) {
	routes := append(Routes(), Route{Key: "POST /mcp", Function: "Other"}, Route{Key: "GET /a/{proxy+}"}, Route{Key: "ANY /a/{proxy+}"})
	for request, want := range map[string]string{
		"POST /mcp": "POST /mcp", "GET /mcp": "ANY /mcp", "GET /a/b": "GET /a/{proxy+}", "PUT /a/b/c": "ANY /a/{proxy+}", "GET /a": "$default", "GET /MCP": "$default",
	} {
		method, path, _ := strings.Cut(request, " ")
		if r, _, _ := match(routes, method, path); r.Key != want {
			t.Errorf("%s goes to %s, want %s", request, r.Key, want)
		}
	}
	if _, _, ok := match(Routes()[:1], "GET", "/"); ok {
		t.Error("without $default there is a route for everything")
	}
}
