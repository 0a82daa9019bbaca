package apigw

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"intervals-mcp/internal/identity"
)

func TestAnEventOfSomethingElseGetsAReadableAnswer(t *testing.T) {
	h, _ := handler(Options{})
	for name, text := range map[string]string{
		"the console's test":  `{"key1":"value1","key2":"value2","key3":"value3"}`,
		"nothing":             `{}`,
		"a REST API's event":  `{"resource":"/mcp","path":"/mcp","httpMethod":"POST","headers":{},"requestContext":{"httpMethod":"POST"},"body":"{}"}`,
		"payload version 1.0": `{"version":"1.0","path":"/mcp","httpMethod":"POST","requestContext":{}}`,
		"a schedule":          `{"version":"0","id":"x","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`,
		"a queue's":           `{"Records":[{"eventSource":"aws:sqs","body":"x"}]}`,
	} {
		var ev events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal([]byte(text), &ev); err != nil {
			t.Fatal(err)
		}
		resp := invoke(t, t.Context(), h, ev)
		if resp.StatusCode != 400 || !strings.Contains(resp.Body, "answers API Gateway") || !strings.Contains(resp.Body, "events/") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, resp.Body)
		}
	}
}

func TestAPathThatCannotBeReadIsNotPrinted(t *testing.T) {
	h, _ := handler(Options{})
	ev := event("{}")
	ev.RawPath, ev.RawQueryString = "/%zz", "token=secret"
	if resp := invoke(t, t.Context(), h, ev); resp.StatusCode != 400 || strings.Contains(resp.Body, "secret") {
		t.Errorf("%d %s", resp.StatusCode, resp.Body)
	}
}

// On a laptop the built-in user reaches whom their key reaches, and only there.
func TestOnlyALaptopHasABuiltInUser(t *testing.T) {
	for user, laptop := range map[string]bool{identity.Local: true, "i1": false} {
		for _, o := range []Options{{}, {Laptop: true}} {
			h, c := handler(o)
			ev := event(call("look"))
			ev.RequestContext.Authorizer.Lambda["user"] = user
			if resp := invoke(t, t.Context(), h, ev); resp.StatusCode != 200 || c.id.Local != (laptop && o.Laptop) {
				t.Errorf("user %s, laptop %v: %d, local %v", user, o.Laptop, resp.StatusCode, c.id.Local)
			}
		}
	}
}
