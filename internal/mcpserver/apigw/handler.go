package apigw

import (
	"context"
	"net/http"
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
}

// Handler answers events. It is safe for concurrent use.
type Handler struct {
	adapter *httpadapter.HandlerAdapterV2
	public  string
}

// New puts the edge of a server behind API Gateway.
func New(s *mcpserver.Server, o Options) *Handler {
	h := &Handler{public: strings.TrimRight(o.PublicURL, "/")}
	e := mcpserver.Edge{
		Identify:       identify,
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
	ctx = context.WithValue(ctx, headersKey{}, ev.Headers)
	resp, err := h.adapter.ProxyWithContext(ctx, ev)
	if err != nil { // the event cannot be read as a request: a body that is no base64, a broken path
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest,
			Headers: map[string]string{"Content-Type": "application/json"},
			Body:    `{"error":"bad_request","message":"The request could not be read."}` + "\n"}, nil
	}
	return resp, nil
}

type headersKey struct{}

// mend gives the handler the headers as the event has them: the adapter cuts
// most of them at commas, which breaks Mcp-Name among others.
func mend(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := r.Context().Value(headersKey{}).(map[string]string)
		for name, value := range raw {
			r.Header.Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}

// identify reads the authorizer's context. Without one everything is refused.
func identify(r *http.Request) (identity.Identity, error) {
	gw, ok := core.GetAPIGatewayV2ContextFromContext(r.Context())
	if !ok || gw.Authorizer == nil {
		return identity.Identity{}, identity.ErrInvalidToken
	}
	return identity.Parse(gw.Authorizer.Lambda)
}

// url is a URL of this deployment. The domain name is the gateway's word, not
// the Host header's.
func (h *Handler) url(ctx context.Context, path string) string {
	if h.public != "" {
		return h.public + path
	}
	gw, ok := core.GetAPIGatewayV2ContextFromContext(ctx)
	if !ok || gw.DomainName == "" || strings.ContainsAny(gw.DomainName, "\"\\/ \r\n\t") {
		return ""
	}
	return "https://" + gw.DomainName + path
}

// requestID is Lambda's, so that the function's log, its audit log and AWS's
// own lines name a request alike.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}
