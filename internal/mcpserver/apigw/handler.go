package apigw

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/mcpserver"
)

// margin is left of the function's own deadline to answer.
const margin = 3 * time.Second

// Options say how the deployment is reached.
type Options struct {
	// PublicURL is the deployment's own origin when it has a domain of its
	// own, such as https://mcp.example; default: the gateway's domain name.
	PublicURL      string
	AllowedOrigins []string
	// SignIn says that the protected-resource document is served, so that the
	// challenge names it.
	SignIn bool
	// Laptop is for serve: the built-in user reaches whom their key reaches,
	// browsers on this machine may ask, a foreign Host on a loopback connection
	// is refused, and GET / explains the server.
	Laptop bool
	// LastUsed, where set, notes that a token was used, beside the request.
	LastUsed *identity.LastUsed
	Log      *slog.Logger // may be nil
}

// Handler answers events. It is safe for concurrent use.
type Handler struct {
	adapter  *httpadapter.HandlerAdapterV2
	public   string
	lastUsed *identity.LastUsed
	log      *slog.Logger
}

// New puts the edge of a server behind API Gateway.
func New(s *mcpserver.Server, o Options) *Handler {
	h := &Handler{public: strings.TrimRight(o.PublicURL, "/"), lastUsed: o.LastUsed, log: o.Log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	e := mcpserver.Edge{
		Identify:       identify(o.Laptop),
		Loopback:       o.Laptop,
		Root:           o.Laptop,
		Endpoint:       func(ctx context.Context) string { return h.url(ctx, mcpserver.Path) },
		AllowedOrigins: o.AllowedOrigins,
		Margin:         margin,
		RequestID:      requestID,
	}
	if o.SignIn {
		e.Metadata = func(ctx context.Context) string {
			return h.url(ctx, "/.well-known/oauth-protected-resource"+mcpserver.Path)
		}
	}
	h.adapter = httpadapter.NewV2(mend(s.Handler(e)))
	return h
}

// Invoke is the function's handler. It never returns an error: that would
// become a bare 500 of the gateway.
func (h *Handler) Invoke(ctx context.Context, ev events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	if ev.Version != "2.0" || ev.RequestContext.HTTP.Method == "" {
		return unreadable("not_an_api_gateway_event", "This function answers API Gateway: an event of an HTTP API, payload version 2.0. To test it, use one of the events in the repository's folder events/."), nil
	}
	// Checked here, because the adapter would print what it cannot read.
	if _, err := url.Parse("https://host" + ev.RawPath + "?" + ev.RawQueryString); err != nil {
		return unreadable("bad_request", "The path could not be read."), nil
	}
	noted := h.noteUse(ctx, ev)
	defer func() { <-noted }() // once the answer is out, the process is frozen
	ctx = context.WithValue(ctx, headersKey{}, ev.Headers)
	resp, err := h.adapter.ProxyWithContext(ctx, ev)
	if err != nil { // a body that is no base64
		return unreadable("bad_request", "The request could not be read."), nil
	}
	return resp, nil
}

// noteUse notes in the background that the request's token was used; the
// channel is closed when that is done. It never fails a request.
func (h *Handler) noteUse(ctx context.Context, ev events.APIGatewayV2HTTPRequest) <-chan struct{} {
	done := make(chan struct{})
	if h.lastUsed == nil || ev.RequestContext.Authorizer == nil {
		close(done)
		return done
	}
	id, err := identity.Parse(ev.RequestContext.Authorizer.Lambda)
	if err != nil || id.Connection == "" {
		close(done)
		return done
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	go func() {
		defer close(done)
		defer cancel()
		if err := h.lastUsed.Note(ctx, id.Connection); err != nil {
			h.log.WarnContext(ctx, "last use of a token was not noted", "error", err)
		}
	}()
	return done
}

func unreadable(code, message string) events.APIGatewayV2HTTPResponse {
	return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest,
		Headers: map[string]string{"Content-Type": "application/json"},
		Body:    `{"error":"` + code + `","message":"` + message + `"}` + "\n"}
}

type headersKey struct{}

// mend gives the handler the headers as the event has them: the adapter cuts
// most of them at commas, which breaks Mcp-Name among others.
func mend(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := r.Context().Value(headersKey{}).(map[string]string)
		for name, value := range raw {
			r.Header.Set(name, value)
			if strings.EqualFold(name, "Host") {
				r.Host = value
			}
		}
		next.ServeHTTP(w, r)
	})
}

// identify reads the authorizer's context. Without one everything is refused.
func identify(laptop bool) func(*http.Request) (identity.Identity, error) {
	return func(r *http.Request) (identity.Identity, error) {
		gw, ok := core.GetAPIGatewayV2ContextFromContext(r.Context())
		if !ok || gw.Authorizer == nil {
			return identity.Identity{}, identity.ErrInvalidToken
		}
		id, err := identity.Parse(gw.Authorizer.Lambda)
		id.Local = laptop && id.User == identity.Local
		return id, err
	}
}

// url is a URL of this deployment. The domain name is the gateway's word, not
// the Host header's.
func (h *Handler) url(ctx context.Context, path string) string {
	if origin := Origin(ctx, h.public); origin != "" {
		return origin + path
	}
	return ""
}

// Origin is where a request arrived: publicURL, or else the gateway's domain
// name; "" outside of a request.
func Origin(ctx context.Context, publicURL string) string {
	if publicURL != "" {
		return strings.TrimRight(publicURL, "/")
	}
	gw, ok := core.GetAPIGatewayV2ContextFromContext(ctx)
	if !ok || gw.DomainName == "" || strings.ContainsAny(gw.DomainName, "\"\\/ \r\n\t") {
		return ""
	}
	return "https://" + gw.DomainName
}

// requestID is Lambda's, so that the function's log, its audit log and AWS's
// own lines name a request alike.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}
