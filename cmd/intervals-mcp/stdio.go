package main

import (
	"context"
)

// stdio runs the MCP server over stdin and stdout, for one desktop client.
// Stdout carries the protocol and nothing else.
func stdio(ctx context.Context, p process) error {
	o, err := readOptions("stdio", p, nil)
	if err != nil {
		return err
	}
	if o.demoWhy != "" {
		o.log.Info(o.demoWhy)
	}
	st := openStores(o)
	defer st.close()
	b, err := newBackend(o, st, "the settings of the client that starts this server (API_KEY)", nil)
	if err != nil {
		return err
	}
	return b.ServeStdio(ctx, o.identity("stdio"), p.stdin, p.stdout)
}
