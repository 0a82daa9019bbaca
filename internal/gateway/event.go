package gateway

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

const (
	account = "123456789012"
	region  = "eu-central-1"
	stage   = "$default" // has no place in paths
	// timeLayout is that of the common log format.
	timeLayout = "02/Jan/2006:15:04:05 -0700"
)

// event builds what a function gets, but for the body and who it is.
func (g *Gateway) event(r *http.Request, id string, route Route, proxy string) Request {
	now := g.now().UTC()
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	prefix, _, _ := strings.Cut(g.Domain, ".")
	ev := Request{
		Version: "2.0", RouteKey: route.Key, RawPath: r.URL.EscapedPath(), RawQueryString: r.URL.RawQuery,
		Headers: headers(r, address), Cookies: cookies(r), QueryStringParameters: query(r.URL.RawQuery),
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: route.Key, AccountID: account, Stage: stage, RequestID: id, APIID: prefix,
			DomainName: g.Domain, DomainPrefix: prefix, Time: now.Format(timeLayout), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: r.URL.EscapedPath(), Protocol: r.Proto, SourceIP: address, UserAgent: r.UserAgent()},
		},
	}
	if proxy != "" {
		ev.PathParameters = map[string]string{route.variable(): proxy}
	}
	return ev
}

// authorizerEvent builds what the authorizer gets.
func authorizerEvent(r *http.Request, ev Request, source string) AuthorizerRequest {
	return AuthorizerRequest{
		Version: "2.0", Type: "REQUEST", IdentitySource: []string{source}, RouteKey: ev.RouteKey,
		RouteArn: "arn:aws:execute-api:" + region + ":" + account + ":" + ev.RequestContext.APIID + "/" + stage + "/" + r.Method + ev.RawPath,
		RawPath:  ev.RawPath, RawQueryString: ev.RawQueryString, Cookies: ev.Cookies, Headers: ev.Headers,
		QueryStringParameters: ev.QueryStringParameters, RequestContext: ev.RequestContext, PathParameters: ev.PathParameters,
	}
}

// headers gives the names in lower case, several values joined by commas, and
// the gateway's own words about the connection: of what a client says of it
// only X-Forwarded-For is kept, and continued.
func headers(r *http.Request, address string) map[string]string {
	h := make(map[string]string, len(r.Header)+6)
	for name, values := range r.Header {
		h[strings.ToLower(name)] = strings.Join(values, ",")
	}
	delete(h, "cookie") // stands in an array of its own
	h["host"] = r.Host
	if r.ContentLength >= 0 && (r.ContentLength > 0 || r.Method == http.MethodPost) {
		h["content-length"] = strconv.FormatInt(r.ContentLength, 10)
	}
	if before := h["x-forwarded-for"]; before != "" {
		address = before + ", " + address
	}
	h["x-forwarded-for"], h["x-forwarded-proto"], h["x-forwarded-port"] = address, "http", "80"
	if r.TLS != nil {
		h["x-forwarded-proto"], h["x-forwarded-port"] = "https", "443"
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		h["x-forwarded-port"] = port
	}
	if h["x-amzn-trace-id"] == "" {
		var b [16]byte
		_, _ = rand.Read(b[:]) // never fails
		h["x-amzn-trace-id"] = "Root=1-" + hex.EncodeToString(b[:4]) + "-" + hex.EncodeToString(b[4:])
	}
	return h
}

func cookies(r *http.Request) (all []string) {
	for _, line := range r.Header["Cookie"] {
		for c := range strings.SplitSeq(line, ";") {
			if c = strings.TrimSpace(c); c != "" {
				all = append(all, c)
			}
		}
	}
	return all
}

// query gives the parameters decoded, several values joined by commas.
func query(raw string) map[string]string {
	if raw == "" {
		return nil
	}
	values, _ := url.ParseQuery(raw) // what cannot be read is left out
	q := make(map[string]string, len(values))
	for name, all := range values {
		q[name] = strings.Join(all, ",")
	}
	return q
}

// setBody is the base64 rule (reference/aws/02): text only where the content
// type says so.
func setBody(ev *Request, body []byte) {
	if len(body) == 0 {
		return
	}
	if textual(ev.Headers["content-type"]) {
		ev.Body = string(body)
		return
	}
	ev.Body, ev.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
}

func textual(contentType string) bool {
	if contentType == "application/json" { // nearly always
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch media {
	case "application/json", "application/xml", "application/javascript":
		return true
	}
	return strings.HasPrefix(media, "text/")
}

// headerSize is what counts towards MaxHeader: request line and headers.
func headerSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len("Host") + len(r.Host)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	return n
}
