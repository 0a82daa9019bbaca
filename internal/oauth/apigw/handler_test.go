package apigw

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"intervals-mcp/internal/oauth"
)

func event(method, path, query, body string, headers ...string) events.APIGatewayV2HTTPRequest {
	ev := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: path, RawQueryString: query, Body: body, Headers: map[string]string{"host": "forged.example", "x-forwarded-for": "6.6.6.6"}}
	for i := 0; i < len(headers); i += 2 {
		ev.Headers[headers[i]] = headers[i+1]
	}
	ev.RequestContext.DomainName = "abc.execute-api.example"
	ev.RequestContext.RequestID = "gw-1"
	ev.RequestContext.HTTP.Method, ev.RequestContext.HTTP.SourceIP = method, "198.51.100.7"
	return ev
}

func TestTheIssuerIsTheGatewaysOrTheConfiguredOneNeverTheHostHeader(t *testing.T) {
	server := oauth.New(oauth.Options{}).Handler(nil)
	for public, want := range map[string]string{"": "https://abc.execute-api.example", "https://mcp.example/": "https://mcp.example", "http://127.0.0.1:8765": "http://127.0.0.1:8765"} {
		got, _ := New(server, public).Invoke(t.Context(), event("GET", "/.well-known/oauth-authorization-server", "", ""))
		var doc struct{ Issuer string }
		if err := json.Unmarshal([]byte(got.Body), &doc); err != nil || doc.Issuer != want || strings.Contains(got.Body, "forged") {
			t.Errorf("%s: %s", want, got.Body)
		}
	}
	for _, domain := range []string{"", `evil"x`, "a/b", "user@evil.example"} {
		ev := event("GET", "/.well-known/oauth-authorization-server", "", "")
		ev.RequestContext.DomainName = domain
		if got, _ := New(server, "").Invoke(t.Context(), ev); got.StatusCode != 500 || !json.Valid([]byte(got.Body)) {
			t.Errorf("%q: %d %s", domain, got.StatusCode, got.Body)
		}
	}
}

func TestARequestArrivesWhole(t *testing.T) {
	var got *http.Request
	var body string
	h := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, body = r, string(b)
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1", Path: "/"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2", Path: "/"})
		w.Header().Set("Location", "https://c.example/?a=1,2")
		w.WriteHeader(http.StatusSeeOther)
	}), "")
	ev := event("POST", "/authorize", "state=a%2Cb&x=1", base64.StdEncoding.EncodeToString([]byte("k=v")), "user-agent", "A, B")
	ev.IsBase64Encoded, ev.Cookies = true, []string{"s=1", "t=2,3"}
	resp, err := h.Invoke(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	cookie, err := got.Cookie("s")
	if got.Method != "POST" || got.URL.Path != "/authorize" || got.URL.RawQuery != "state=a%2Cb&x=1" || body != "k=v" ||
		got.Header.Get("User-Agent") != "A, B" || got.RemoteAddr != "198.51.100.7" || err != nil || cookie.Value != "1" {
		t.Errorf("%+v %q", got, body)
	}
	if resp.StatusCode != 303 || !slices.Equal(resp.Cookies, []string{"a=1; Path=/", "b=2; Path=/"}) || resp.Headers["Location"] != "https://c.example/?a=1,2" || resp.Headers["Set-Cookie"] != "" {
		t.Errorf("%+v", resp)
	}
}

func TestTextIsSentAsTextAndAnythingElseInBase64(t *testing.T) {
	for body, encoded := range map[string]bool{"héllo": false, "\x89PNG\xff": true, "": false} {
		resp, _ := New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }), "").Invoke(t.Context(), event("GET", "/", "", ""))
		got := resp.Body
		if resp.IsBase64Encoded {
			raw, _ := base64.StdEncoding.DecodeString(got)
			got = string(raw)
		}
		if resp.StatusCode != 200 || resp.IsBase64Encoded != encoded || got != body {
			t.Errorf("%q: %+v", body, resp)
		}
	}
}

func TestWhatIsNoRequestIsRefusedInJSON(t *testing.T) {
	h := New(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it arrived") }), "")
	badBody := event("POST", "/token", "", "%%%")
	badBody.IsBase64Encoded = true
	for name, ev := range map[string]events.APIGatewayV2HTTPRequest{
		"nothing": {}, "no method": event("", "/token", "", ""), "bad path": event("GET", "/%zz", "", ""), "no path": event("GET", "token", "", ""), "bad base64": badBody,
	} {
		if got, err := h.Invoke(t.Context(), ev); err != nil || got.StatusCode != 400 || !json.Valid([]byte(got.Body)) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

func TestTheHandlerEndsBeforeTheFunctionDoes(t *testing.T) {
	end := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	h := New(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if got, ok := r.Context().Deadline(); !ok || !got.Equal(end.Add(-margin)) {
			t.Errorf("ends at %s", got)
		}
	}), "")
	_, _ = h.Invoke(ctx, event("GET", "/", "", ""))
}
