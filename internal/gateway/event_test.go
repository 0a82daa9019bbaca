package gateway

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

func TestAnEventIsOfPayloadVersion2(t *testing.T) {
	s := newRig(t, nil)
	s.send(t, "POST", "/mcp?a=1&a=2&b=x%20y&c", `{"x":"ä"}`,
		"X-Two", "one", "X-Two", "two, three", "Cookie", "a=1; b=2", "Cookie", "c=3", "User-Agent", "tester/1", "X-Forwarded-For", "203.0.113.7",
		"X-Forwarded-Proto", "gopher", "X-Forwarded-Port", "99")
	got, asked := s.got[0], s.asked[0]
	rc := got.RequestContext
	if _, err := timeOf(rc.Time); err != nil || rc.TimeEpoch == 0 || rc.RequestID == "" {
		t.Errorf("time %q %d, request %q", rc.Time, rc.TimeEpoch, rc.RequestID)
	}
	rc.Time, rc.TimeEpoch, rc.RequestID, rc.Authorizer = "", 0, "", nil
	if want := (events.APIGatewayV2HTTPRequestContext{
		RouteKey: "ANY /mcp", AccountID: account, Stage: "$default", APIID: "abc123", DomainName: "abc123.execute-api.example", DomainPrefix: "abc123",
		HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: "POST", Path: "/mcp", Protocol: "HTTP/1.1", SourceIP: "127.0.0.1", UserAgent: "tester/1"},
	}); !reflect.DeepEqual(rc, want) {
		t.Errorf("request context %+v\nwant %+v", rc, want)
	}
	if got.Version != "2.0" || got.RouteKey != "ANY /mcp" || got.RawPath != "/mcp" || got.RawQueryString != "a=1&a=2&b=x%20y&c" || got.Body != `{"x":"ä"}` || got.IsBase64Encoded {
		t.Errorf("event %+v", got)
	}
	if want := map[string]string{"a": "1,2", "b": "x y", "c": ""}; !reflect.DeepEqual(got.QueryStringParameters, want) {
		t.Errorf("query %v", got.QueryStringParameters)
	}
	if want := []string{"a=1", "b=2", "c=3"}; !reflect.DeepEqual(got.Cookies, want) {
		t.Errorf("cookies %v", got.Cookies)
	}
	for name, want := range map[string]string{
		"x-two": "one,two, three", "authorization": "Bearer t", "content-type": "application/json", "content-length": "10", "host": strings.TrimPrefix(s.URL, "http://"),
		"x-forwarded-for": "203.0.113.7, 127.0.0.1", "x-forwarded-proto": "http", "cookie": "",
	} {
		if got.Headers[name] != want {
			t.Errorf("header %s is %q, want %q", name, got.Headers[name], want)
		}
	}
	if got.Headers["x-forwarded-port"] == "99" || got.Headers["x-amzn-trace-id"] == "" {
		t.Errorf("headers %v", got.Headers)
	}
	if asked.Type != "REQUEST" || asked.Version != "2.0" || !reflect.DeepEqual(asked.IdentitySource, []string{"Bearer t"}) || asked.RouteKey != "ANY /mcp" ||
		asked.RouteArn != "arn:aws:execute-api:eu-central-1:123456789012:abc123/$default/POST/mcp" || asked.RequestContext.DomainName != "abc123.execute-api.example" ||
		!reflect.DeepEqual(asked.Headers, got.Headers) {
		t.Errorf("the authorizer is asked %+v", asked)
	}
}

func TestTwoAuthorizationHeadersAreOneIdentitySource(t *testing.T) {
	s := newRig(t, nil)
	s.send(t, "POST", "/mcp", "{}", "Authorization", "Bearer u")
	if got := s.asked[0].IdentitySource; !reflect.DeepEqual(got, []string{"Bearer t,Bearer u"}) {
		t.Errorf("identity source %q", got)
	}
}

func TestOnlyTextTravelsAsText(t *testing.T) {
	s := newRig(t, nil)
	for contentType, text := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "text/plain": true, "application/xml": true, "application/javascript": true,
		"application/x-www-form-urlencoded": false, "application/octet-stream": false, "": false, "rubbish;;": false,
	} {
		s.send(t, "POST", "/mcp", "a=1", "-", "Content-Type", "Content-Type", contentType)
		got := s.got[len(s.got)-1]
		if want := map[bool]string{true: "a=1", false: "YT0x"}[text]; got.Body != want || got.IsBase64Encoded == text {
			t.Errorf("%q: %q, base64 %v", contentType, got.Body, got.IsBase64Encoded)
		}
	}
	s.send(t, "POST", "/mcp", "")
	if got := s.got[len(s.got)-1]; got.Body != "" || got.IsBase64Encoded {
		t.Errorf("an empty body is %+v", got)
	}
}
