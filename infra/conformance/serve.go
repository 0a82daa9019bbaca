package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/server"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/tools"
)

// noCalls stands behind the product's tools: the suite lists them and calls
// only the fixtures.
type noCalls struct{}

func (noCalls) Call(context.Context, tools.Tool, identity.Identity, json.RawMessage) tools.Answer {
	return tools.Answer{Text: "This server only stands in for the conformance suite.", IsError: true, Kind: "fixture"}
}

// start serves the server under test behind its bearer check, and in front of
// it the proxy that knows the token. It gives the URL of the proxy and of the
// server itself.
func start(ctx context.Context) (proxied, direct string, err error) {
	token := rand.Text()
	under := mcpserver.New(mcpserver.Options{
		Caller: noCalls{}, Tools: tools.All(), Version: "conformance",
		Extend: fixtures, ServerOptions: []server.ServerOption{
			server.WithPromptCapabilities(false),
			server.WithResourceCapabilities(false, false),
			server.WithCompletions(),
			server.WithPromptCompletionProvider(completions{}),
			server.WithLogging(),
		},
	})
	direct, err = listen(ctx, under.Handler(mcpserver.Edge{Loopback: true, Identify: bearer(token)}))
	if err != nil {
		return "", "", err
	}
	target, err := url.Parse(direct)
	if err != nil {
		return "", "", err
	}
	proxied, err = listen(ctx, &httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // scenarios that hang up early are no news
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the DNS rebinding scenario sends one of its own
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
	})
	return proxied + mcpserver.Path, direct + mcpserver.Path, err
}

func bearer(token string) func(*http.Request) (identity.Identity, error) {
	return func(r *http.Request) (identity.Identity, error) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			return identity.Identity{}, identity.ErrInvalidToken
		}
		return identity.Identity{User: "suite", Athlete: "i1", Connection: "conformance", Client: "conformance",
			Scopes: []identity.Scope{identity.ScopeWrite}, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmAll}, nil
	}
}

// listen serves on a free port of this machine until ctx ends.
func listen(ctx context.Context, h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	srv := &http.Server{Handler: h}
	context.AfterFunc(ctx, func() { srv.Close() })
	go srv.Serve(l)
	return "http://" + l.Addr().String(), nil
}
