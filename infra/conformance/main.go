package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// versions are the newest protocol version and the last of the older era, the
// two for which the suite has a frozen set of requirements.
var versions = []string{"2026-07-28", "2025-11-25"}

func main() {
	var s suite
	flag.StringVar(&s.node, "node", "node", "Node 22 or newer")
	flag.StringVar(&s.script, "suite", "", "dist/index.js of @modelcontextprotocol/conformance")
	flag.StringVar(&s.lists, "lists", "infra/conformance", "folder of the expected-*.yml")
	flag.Parse()
	if err := run(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s suite) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	proxied, direct, err := start(ctx)
	if err != nil {
		return err
	}
	if err := refusesStrangers(direct); err != nil {
		return err
	}
	s.url = proxied
	out, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	var failed error
	for _, v := range versions {
		s.out = filepath.Join(out, v)
		failed = errors.Join(failed, s.requirements(ctx, v))
	}
	return failed
}

// refusesStrangers makes sure that the server under test is the one that is
// shipped: without the proxy's token it lets nobody in.
func refusesStrangers(url string) error {
	r, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer ") {
		return fmt.Errorf("without a token the server answers %s, not 401 with a challenge", r.Status)
	}
	return nil
}
