package apigw

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"intervals-mcp/internal/oauth"
)

// margin is left of the function's own deadline to answer.
const margin = time.Second

// Handler answers events. It is safe for concurrent use.
type Handler struct {
	next   http.Handler
	public string
}

// New puts a handler behind API Gateway. publicURL is the deployment's own
// origin when it has one, such as https://mcp.example, or a laptop's http one;
// "" = the gateway's domain name.
func New(next http.Handler, publicURL string) *Handler {
	return &Handler{next: next, public: strings.TrimRight(publicURL, "/")}
}

// Invoke is the function's handler. It never returns an error: that would
// become a bare 500 of the gateway.
func (h *Handler) Invoke(ctx context.Context, ev events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	if ev.Version != "2.0" || ev.RequestContext.HTTP.Method == "" {
		return unreadable("This function answers API Gateway: an event of an HTTP API, payload version 2.0."), nil
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-margin))
		defer cancel()
	}
	r, ok := request(oauth.At(ctx, h.place(ctx, ev)), ev)
	if !ok {
		return unreadable("The request could not be read."), nil
	}
	w := &response{header: http.Header{}}
	h.next.ServeHTTP(w, r)
	return w.event(), nil
}

func (h *Handler) place(ctx context.Context, ev events.APIGatewayV2HTTPRequest) oauth.Place {
	p := oauth.Place{Issuer: h.public, Address: ev.RequestContext.HTTP.SourceIP, RequestID: ev.RequestContext.RequestID}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		p.RequestID = lc.AwsRequestID
	}
	if domain := ev.RequestContext.DomainName; p.Issuer == "" && domain != "" && !strings.ContainsAny(domain, "\"\\/@ \r\n\t") {
		p.Issuer = "https://" + domain
	}
	return p
}

// request makes what net/http would have made of an event.
func request(ctx context.Context, ev events.APIGatewayV2HTTPRequest) (*http.Request, bool) {
	body := []byte(ev.Body)
	if ev.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(ev.Body); err != nil {
			return nil, false
		}
	}
	u, err := url.ParseRequestURI(ev.RawPath)
	if err != nil || !strings.HasPrefix(ev.RawPath, "/") {
		return nil, false
	}
	u.RawQuery = ev.RawQueryString
	r := &http.Request{Method: ev.RequestContext.HTTP.Method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, len(ev.Headers)), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		RemoteAddr: ev.RequestContext.HTTP.SourceIP, RequestURI: u.RequestURI()}
	for name, value := range ev.Headers {
		r.Header.Set(name, value)
	}
	r.Host = r.Header.Get("Host")
	r.Header.Del("Host")
	if len(ev.Cookies) > 0 { // a comma within one must not part it
		r.Header.Set("Cookie", strings.Join(ev.Cookies, "; "))
	}
	return r.WithContext(ctx), true
}

func unreadable(message string) events.APIGatewayV2HTTPResponse {
	return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest,
		Headers: map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store"},
		Body:    `{"error":"invalid_request","error_description":"` + message + `"}` + "\n"}
}

// response collects an answer.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *response) event() events.APIGatewayV2HTTPResponse {
	w.WriteHeader(http.StatusOK)
	out := events.APIGatewayV2HTTPResponse{StatusCode: w.status, Headers: make(map[string]string, len(w.header)), Cookies: w.header.Values("Set-Cookie")}
	for name, values := range w.header {
		if name != "Set-Cookie" {
			out.Headers[name] = strings.Join(values, ", ")
		}
	}
	if utf8.Valid(w.body.Bytes()) {
		out.Body = w.body.String()
	} else {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(w.body.Bytes()), true
	}
	return out
}
