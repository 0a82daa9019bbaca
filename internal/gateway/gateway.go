package gateway

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// What passes between the gateway and its functions.
type (
	Request            = events.APIGatewayV2HTTPRequest
	Response           = events.APIGatewayV2HTTPResponse
	AuthorizerRequest  = events.APIGatewayV2CustomAuthorizerV2Request
	AuthorizerResponse = events.APIGatewayV2CustomAuthorizerSimpleResponse
)

// Authorizer is the handler of a Lambda authorizer with simple responses.
// Integration is the handler of a function. Both must return when their context
// ends, and leave an event's maps as they are.
type (
	Authorizer  func(context.Context, AuthorizerRequest) (AuthorizerResponse, error)
	Integration func(context.Context, Request) (Response, error)
)

// Options say what stands behind the gateway.
type Options struct {
	Authorizer Authorizer
	// TTL is how long an answer of the authorizer is believed; zero = not at all.
	TTL time.Duration
	// Functions answer the routes, by their logical id in template.yaml.
	Functions map[string]Integration
	// Domain is the API's own name in events; default: one like AWS's.
	Domain string
	// RemapChallenge renames WWW-Authenticate in answers, which some of AWS's
	// front doors do (reference/aws/01): clients must find their way without it.
	RemapChallenge bool
	// Challenge is the WWW-Authenticate of the gateway's own 401. AWS's has none.
	Challenge string
	Log       *slog.Logger // what went wrong behind the gateway; default: nothing

	now     func() time.Time // tests set these
	timeout time.Duration
}

// AWS's limits. Timeout is the routes' own in template.yaml.
const (
	MaxHeader         = 10_240 // bytes, request line and headers
	MaxBody           = 10 << 20
	Timeout           = 29 * time.Second
	authorizerTimeout = 10 * time.Second
)

// Gateway is an http.Handler.
type Gateway struct {
	Options
	routes []Route
	cache  cache
}

// New makes a gateway with the routes of template.yaml.
func New(o Options) *Gateway {
	if o.Domain == "" {
		o.Domain = "gateway1id.execute-api.eu-central-1.amazonaws.com"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.timeout == 0 {
		o.timeout = Timeout
	}
	return &Gateway{Options: o, routes: Routes()}
}

// ServeHTTP takes one request through the gateway.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := requestID()
	w.Header()["apigw-requestid"] = []string{id}
	if headerSize(r) > MaxHeader {
		refuse(w, http.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large")
		return
	}
	route, proxy, ok := match(g.routes, r.Method, r.URL.Path)
	function := g.Functions[route.Function]
	if !ok || function == nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	ev := g.event(r, id, route, proxy)
	if route.Authorized && !g.authorized(r.Context(), w, r, &ev) {
		return
	}
	if !readBody(w, r, &ev) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.timeout)
	defer cancel()
	out, err := call(ctx, id, func(ctx context.Context) (Response, error) { return function(ctx, ev) })
	switch {
	case errors.Is(err, errTooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "Request Too Long")
	case err != nil && ctx.Err() != nil:
		refuse(w, http.StatusServiceUnavailable, "Service Unavailable")
	case err != nil:
		g.failed(ctx, "function", err)
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		g.answer(w, out)
	}
}

// authorized asks who makes the request and puts the answer into the event. A
// refusal is written.
func (g *Gateway) authorized(ctx context.Context, w http.ResponseWriter, r *http.Request, ev *Request) bool {
	source := ev.Headers["authorization"]
	if source == "" { // the identity source is missing: nothing is asked
		if g.Challenge != "" {
			w.Header()["WWW-Authenticate"] = []string{g.Challenge}
		}
		refuse(w, http.StatusUnauthorized, "Unauthorized")
		return false
	}
	answer, known := g.cache.get(source, g.now())
	if !known {
		ctx, cancel := context.WithTimeout(ctx, authorizerTimeout)
		defer cancel()
		var err error
		answer, err = call(ctx, ev.RequestContext.RequestID, func(ctx context.Context) (AuthorizerResponse, error) {
			if g.Authorizer == nil {
				return AuthorizerResponse{}, errors.New("there is no authorizer")
			}
			return g.Authorizer(ctx, authorizerEvent(r, *ev, source))
		})
		if err != nil {
			g.failed(ctx, "authorizer", err)
			refuse(w, http.StatusInternalServerError, "Internal Server Error")
			return false
		}
		g.cache.put(source, answer, g.now(), g.TTL)
	}
	if !answer.IsAuthorized {
		refuse(w, http.StatusForbidden, "Forbidden")
		return false
	}
	ev.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: answer.Context}
	return true
}

// failed logs what a client is told nothing of. The client's leaving is no news.
func (g *Gateway) failed(ctx context.Context, what string, err error) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		g.Log.ErrorContext(ctx, "gateway: the "+what+" failed", "error", err.Error())
	}
}

var errTooLarge = errors.New("the event is larger than Lambda takes")

// call runs a function as Lambda would: with a request id, and its panic is an
// error.
func call[A any](ctx context.Context, id string, fn func(context.Context) (A, error)) (answer A, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("panic at %s", debug.Stack()) // its text may hold a client's words
		}
	}()
	return fn(lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: id}))
}

// readBody puts the body into the event: as text where the content type says
// text, else in base64.
func readBody(w http.ResponseWriter, r *http.Request, ev *Request) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "Bad Request")
		return false
	case len(body) > MaxBody:
		_, _ = io.CopyN(io.Discard, r.Body, 8*MaxBody) // so that the client gets to read the answer
		refuse(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return false
	}
	setBody(ev, body)
	return true
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
