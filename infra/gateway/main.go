// Command gateway puts internal/gateway, the small API Gateway, before
// functions that run under the Runtime Interface Emulator:
//
//	go run ./infra/gateway -authorizer http://127.0.0.1:9101 -mcp http://127.0.0.1:9102 -oauth http://127.0.0.1:9103 -addr 127.0.0.1:8080
//
// -remap renames WWW-Authenticate as some of AWS's front doors do, -ttl is the
// template's AuthorizerTtl, -domain the API's own name. It prints its URL once
// it answers, and ends on a signal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"intervals-mcp/internal/gateway"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	addr := flag.String("addr", "127.0.0.1:0", "")
	who := flag.String("authorizer", "", "")
	mcp := flag.String("mcp", "", "")
	oauth := flag.String("oauth", "", "")
	domain := flag.String("domain", "", "")
	ttl := flag.Duration("ttl", 0, "")
	remap := flag.Bool("remap", false, "")
	flag.Parse()
	if *who == "" || *mcp == "" {
		return errors.New("-authorizer, -mcp and, for signing in, -oauth are addresses of emulators, such as http://127.0.0.1:9101")
	}
	functions := map[string]gateway.Integration{"McpFunction": gateway.NewFunction(*mcp).Invoke}
	if *oauth != "" {
		functions["OauthFunction"] = gateway.NewFunction(*oauth).Invoke
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: gateway.New(gateway.Options{
		Authorizer: gateway.NewFunction(*who).Authorize, Functions: functions,
		Domain: *domain, TTL: *ttl, RemapChallenge: *remap, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
