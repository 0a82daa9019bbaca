package signin

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

func TestClients_TheGoSDKConnectsToServe(t *testing.T) {
	s := Serve(t)
	b := NewBrowser(t, s.Origin, http.DefaultTransport)
	var asked atomic.Int32
	const redirect = "http://127.0.0.1:4711/callback" // nobody listens: the answer is taken from the browser
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Go SDK", RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"}}},
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if asked.Add(1) > 1 {
				return nil, errors.New("the person is not asked twice")
			}
			back, err := url.Parse(b.Consent(args.URL, s.Key, "scope", "read"))
			if err != nil {
				return nil, err
			}
			q := back.Query()
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1.0.0"}, nil)
	conn, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL(), OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	reads(t, conn)
	if asked.Load() != 1 {
		t.Errorf("the person was asked %d times", asked.Load())
	}
	b.Revoke("Go SDK")
	if _, err := conn.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_activities"}); err == nil {
		t.Error("it goes on after it was revoked")
	}
	if asked.Load() != 2 {
		t.Errorf("after it was revoked the person was asked %d times in all", asked.Load())
	}
}

// reads lists the tools of a reader and calls one.
func reads(t *testing.T, conn *mcp.ClientSession) {
	t.Helper()
	names := map[string]bool{}
	for tool, err := range conn.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names[tool.Name] = true
	}
	if !names["get_activities"] || names["delete_event"] {
		t.Errorf("a reader is offered %v", names)
	}
	if r, err := conn.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_activities", Arguments: map[string]any{"limit": 1}}); err != nil || r.IsError {
		t.Errorf("%v, %v", r, err)
	}
}

// mcp-remote is how clients that speak stdio only reach a remote server.
func TestClients_McpRemoteConnectsToServe(t *testing.T) {
	s := Serve(t)
	b := NewBrowser(t, s.Origin, http.DefaultTransport)
	cmd := exec.Command(node(t), tool(t, "npm", "node_modules", "mcp-remote", "dist", "proxy.js"), s.URL(), "--transport", "http-only")
	// PATH and BROWSER are empty of browsers: the person copies the address from the log.
	cmd.Env = append(os.Environ(), "MCP_REMOTE_CONFIG_DIR="+t.TempDir(), "BROWSER=true", "DISPLAY=", "NO_PROXY=127.0.0.1,localhost")
	log, write := io.Pipe()
	cmd.Stderr = write
	opened := make(chan string, 10)
	go func() {
		scan := bufio.NewScanner(log)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			if line := strings.TrimSpace(scan.Text()); strings.HasPrefix(line, s.Origin+"/authorize?") {
				opened <- line
			}
		}
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Deliver(b.Consent(<-opened, s.Key, "scope", "read"))
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "stdio-client", Version: "1.0.0"}, nil)
	conn, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(); _ = write.Close() })
	<-done
	reads(t, conn)
	name := ""
	for _, c := range []string{"MCP CLI Proxy", "mcp-remote"} {
		if len(b.Connections(c)) > 0 {
			name = c
		}
	}
	if name == "" {
		t.Fatalf("the account page shows no connection of mcp-remote: %s", b.Open("/account").Text())
	}
	b.Revoke(name)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		select {
		case <-opened: // it wants the person again
		case <-ctx.Done():
		}
		stop()
	}()
	if r, err := conn.CallTool(ctx, &mcp.CallToolParams{Name: "get_activities"}); err == nil && !r.IsError {
		t.Error("it goes on after it was revoked")
	}
	stop()
}
