package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"intervals-mcp/internal/authorizer"
	"intervals-mcp/internal/gateway"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/mcpserver/apigw"
	"intervals-mcp/internal/oauth"
	oauthapigw "intervals-mcp/internal/oauth/apigw"
	"intervals-mcp/internal/secrets"
)

// drainTime is how long Ctrl-C waits for what is under way: a little more
// than one request may take.
const drainTime = 27 * time.Second

// serve runs the MCP server over HTTP on this machine.
func serve(ctx context.Context, p process) error {
	o, err := readOptions("serve", p, func(fs *flag.FlagSet, o *options) {
		fs.StringVar(&o.addr, "addr", "127.0.0.1:8765", "")
		fs.BoolVar(&o.anyInterface, "insecure-any-interface", false, "")
		fs.StringVar(&o.readyFile, "ready-file", "", "")
	})
	if err != nil {
		return err
	}
	st := openStores(o)
	defer st.close()
	token, err := personalToken(ctx, o.dataDir, st.identity)
	if err != nil {
		return err
	}
	if err := dropReady(o.readyFile); err != nil {
		return err
	}
	l, err := listen(o.addr, o.anyInterface, "--insecure-any-interface")
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // the process ends
	origin := localURL(l)
	url := origin + mcpserver.Path
	b, err := newBackend(o, st, origin+"/account/key (the key in API_KEY: in the terminal that runs this server)", oauth.ApprovePageOf(origin))
	if err != nil {
		return err
	}
	site, err := newSite(b, o, st, origin)
	if err != nil {
		return err
	}
	handler := behindGateway(b, o, st, token, origin, site)
	return runHTTP(ctx, l, handler, o.log, func() error {
		if err := writeReady(o.readyFile, map[string]any{"url": url, "token": token.Reveal(), "pid": os.Getpid()}); err != nil {
			return err
		}
		banner(p.stdout, o, url, token)
		go b.warm()
		return nil
	})
}

// behindGateway puts the deployment's authorizer, MCP handler and pages behind
// the gateway, all in this process. origin is how this machine reaches it.
func behindGateway(b backend, o options, st stores, token secrets.Secret, origin string, site http.Handler) http.Handler {
	who := &authorizer.Authorizer{Now: time.Now, PublicURL: origin, Log: slog.New(quiet{o.log.Handler()}), Tokens: localTokens{
		Tokens: st.identity, own: identity.HashOf(token.Reveal()), flags: o, used: identity.NewLastUsed(st.identity.Touch, time.Now)}}
	mcp := apigw.New(b.Server, apigw.Options{PublicURL: origin, Laptop: true, SignIn: true})
	return gateway.New(gateway.Options{
		Authorizer: who.Handle,
		Functions:  map[string]gateway.Integration{"McpFunction": mcp.Invoke, "OauthFunction": oauthapigw.New(site, origin).Invoke},
		Domain:     strings.TrimPrefix(origin, "http://"), Log: o.log,
		Challenge: `Bearer resource_metadata="` + origin + `/.well-known/oauth-protected-resource` + mcpserver.Path + `", scope="read write"`,
	})
}

// runHTTP serves until the context ends, then finishes what is under way.
// ready is called once requests are accepted.
func runHTTP(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, ready func() error) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	if err := ready(); err != nil {
		return errors.Join(err, srv.Close())
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were still running after %s: %w", drainTime, err)
	}
	return nil
}

// banner says how to connect. The token is shown on a terminal only; in a log
// file the lines read it from its file. The demo's token guards invented data
// and has no file.
func banner(w io.Writer, o options, url string, token secrets.Secret) {
	inShell, inJSON, said := token.Reveal(), token.Reveal(), "Token: "+token.Reveal()
	if o.dataDir != "" && !terminal(w) {
		file := filepath.Join(o.dataDir, tokenFile)
		inShell, inJSON, said = `$(cat "`+file+`")`, "TOKEN", "Token: in the file "+file
	}
	if o.demo {
		said += "\n" + strings.TrimSpace(o.demoWhy+" Everything about the demo athlete is invented; to sign in as them, the key is "+fake.DemoKey+".")
	}
	if o.anyInterface {
		said += "\nOther machines can reach this server, and it speaks plain HTTP: the token can be read on the way."
	}
	_, _ = fmt.Fprintf(w, `intervals-mcp %[1]s: MCP server at %[2]s
%[3]s
To sign in, or to see and undo what was changed, open %[6]s in a browser.

Connect one client:
  Claude Code  claude mcp add --transport http intervals %[2]s --header "Authorization: Bearer %[4]s"
  VS Code      code --add-mcp '{"name":"intervals","type":"http","url":"%[2]s","headers":{"Authorization":"Bearer %[5]s"}}'
  Cursor       in ~/.cursor/mcp.json: {"mcpServers":{"intervals":{"url":"%[2]s","headers":{"Authorization":"Bearer %[5]s"}}}}
  curl         curl -s %[2]s -H "Authorization: Bearer %[4]s" -H "Content-Type: application/json" -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_activities","arguments":{"start_date":"-7d"}}}'

Ctrl-C stops it.
`, buildVersion(), url, said, inShell, inJSON, strings.TrimSuffix(url, mcpserver.Path)+"/account")
}

// terminal reports whether a person is likely to be reading.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
