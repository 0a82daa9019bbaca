package samlocal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"intervals-mcp/infra/blackbox"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/printed"
)

const root = "../.."

// built is the template that `sam build` made for this machine, relative to root.
var built = os.Getenv("SAM_LOCAL_TEMPLATE")

func TestMain(m *testing.M) {
	if built == "" {
		fmt.Println("these tests want Docker and the SAM CLI; they are run by `make sam-local-check`")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// world is what stands around the containers: the fake on this machine, and the
// variables that SAM CLI hands to the functions.
type world struct {
	upstream string // as this machine sees it
	env      string // file for --env-vars
}

const token = "imcp_pat_only-for-this-test"

func newWorld(t *testing.T) world {
	t.Helper()
	up, err := fake.New(fake.Demo(time.Now()), fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The containers come in by the bridge; with Docker Desktop by loopback.
	l, err := net.Listen("tcp", net.JoinHostPort(bridge(), "0"))
	if err != nil {
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	srv := &http.Server{Handler: up, ReadHeaderTimeout: time.Second}
	go func() { _ = srv.Serve(l) }() // until it is closed
	t.Cleanup(func() { _ = srv.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	vars, err := json.Marshal(map[string]map[string]string{
		"McpFunction":        {"API_KEY": up.Athletes()[0].APIKey, "INTERVALS_API_BASE_URL": "http://host.docker.internal:" + port + "/api/v1"},
		"AuthorizerFunction": {"LOCAL_TOKEN": token},
		"OauthFunction":      {"API_KEY": up.Athletes()[0].APIKey, "INTERVALS_API_BASE_URL": "http://host.docker.internal:" + port + "/api/v1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := world{"http://" + l.Addr().String(), filepath.Join(t.TempDir(), "env.json")}
	if err := os.WriteFile(w.env, vars, 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// bridge is this machine's address in Docker's default network.
func bridge() string {
	out, err := exec.Command("docker", "network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}").Output()
	if a := strings.TrimSpace(string(out)); err == nil && net.ParseIP(a) != nil {
		return a
	}
	return "172.17.0.1"
}

// sam is a `sam local` command; what it says goes to log.
func (w world) sam(ctx context.Context, t *testing.T, log io.Writer, args ...string) *exec.Cmd {
	t.Helper()
	args = append([]string{"local"}, args...)
	args = append(args, "--template", built, "--env-vars", w.env, "--add-host", "host.docker.internal:host-gateway")
	if os.Getenv("CI") == "true" {
		args = append(args, "--skip-pull-image")
	}
	cmd := exec.CommandContext(ctx, "sam", args...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = root, log, 20*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) } // it then removes its containers
	// No account: SAM CLI asks who it is and must not wait for an answer.
	cmd.Env = append(os.Environ(), "SAM_CLI_TELEMETRY=0", "AWS_DEFAULT_REGION=eu-central-1", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ENDPOINT_URL_STS=http://127.0.0.1:9", "AWS_MAX_ATTEMPTS=1")
	return cmd
}

type answer struct {
	StatusCode int               `json:"statusCode"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`

	IsAuthorized bool           `json:"isAuthorized"`
	Context      map[string]any `json:"context"`
}

func (w world) invoke(t *testing.T, function, event string) answer {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var log bytes.Buffer
	out, err := w.sam(ctx, t, &log, "invoke", function, "--event", event).Output()
	if err != nil {
		t.Fatalf("sam local invoke: %v\n%s\n%s", err, out, &log)
	}
	var a answer
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &a); err != nil {
		t.Fatalf("the answer is %q: %v\n%s", out, err, &log)
	}
	return a
}

func TestSamLocalInvokeAnswersEachSampleEvent(t *testing.T) {
	w := newWorld(t)
	want := map[string]func(a answer) bool{
		"initialize.json":      func(a answer) bool { return a.StatusCode == 200 && strings.Contains(a.Body, `"name":"intervals-mcp"`) },
		"server-discover.json": func(a answer) bool { return a.StatusCode == 200 && strings.Contains(a.Body, "supportedVersions") },
		"tools-list.json":      func(a answer) bool { return a.StatusCode == 200 && strings.Count(a.Body, `"inputSchema"`) > 10 },
		"read.json":            func(a answer) bool { return a.StatusCode == 200 && !strings.Contains(a.Body, `"isError":true`) },
		"write.json":           func(a answer) bool { return a.StatusCode == 200 && strings.Contains(a.Body, `"status":"applied"`) },
		"preview.json":         func(a answer) bool { return a.StatusCode == 200 && strings.Contains(a.Body, `"status":"preview"`) },
		"refused.json":         func(a answer) bool { return a.StatusCode == 401 && strings.Contains(a.Body, "invalid_token") },
		"oauth/landing.json":   func(a answer) bool { return a.StatusCode == 200 && strings.Contains(a.Body, "Connect your assistant") },
		"oauth/metadata.json": func(a answer) bool {
			return a.StatusCode == 200 && strings.Contains(a.Body, `"code_challenge_methods_supported":["S256"]`)
		},
		"oauth/register.json":       func(a answer) bool { return a.StatusCode == 201 && strings.Contains(a.Body, `"client_id":"client-`) },
		"oauth/sign-in.json":        func(a answer) bool { return a.StatusCode == 200 && strings.Contains(a.Body, `name="csrf"`) },
		"oauth/unknown-client.json": func(a answer) bool { return a.StatusCode == 400 && a.Headers["Location"] == "" },
		// Its token is not ours: the same answer as for any other that is unknown.
		"authorizer/request.json": func(a answer) bool { return a.IsAuthorized && a.Context["auth"] == "invalid_token" },
	}
	files, err := filepath.Glob(root + "/events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob(root + "/events/*/*.json")
	slots := make(chan struct{}, 2) // containers at a time
	var all sync.WaitGroup
	for _, file := range slices.Concat(files, more) {
		name, _ := filepath.Rel(root+"/events", file)
		if name == "local.json" { // the variables for `intervals-mcp fake`, no event
			continue
		}
		function := "McpFunction"
		if strings.HasPrefix(name, "authorizer/") {
			function = "AuthorizerFunction"
		}
		if strings.HasPrefix(name, "oauth/") {
			function = "OauthFunction"
		}
		all.Add(1)
		t.Run(name, func(t *testing.T) {
			t.Cleanup(all.Done)
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			if want[name] == nil {
				t.Fatal("this event has no check")
			}
			if a := w.invoke(t, function, "events/"+name); !want[name](a) {
				t.Errorf("%+v", a)
			}
		})
	}
	t.Run("the write reached Intervals.icu once", func(t *testing.T) {
		t.Parallel()
		all.Wait()
		resp, err := http.Get(w.upstream + "/_fake/requests")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:errcheck // it was only read
		var seen []struct{ Method string }
		if err := json.NewDecoder(resp.Body).Decode(&seen); err != nil {
			t.Fatal(err)
		}
		if n := len(slices.DeleteFunc(seen, func(r struct{ Method string }) bool { return r.Method == http.MethodGet })); n != 1 {
			t.Errorf("%d writes", n)
		}
	})
}

// api is a running `sam local start-api`.
type api struct{ url string }

func startAPI(t *testing.T) api {
	t.Helper()
	w := newWorld(t)
	port := freePort(t)
	ctx, stop := context.WithCancel(context.Background())
	var log printed.Lines
	cmd := w.sam(ctx, t, &log, "start-api", "--port", port, "--warm-containers", "EAGER")
	cmd.Stdout = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() {
		stop()
		<-done
		if t.Failed() {
			t.Logf("sam local start-api said:\n%s", log.String())
		}
		for line := range strings.Lines(log.String()) {
			// SAM CLI's own access log shows the query, in which the suite tries a token.
			if !strings.Contains(line, "HTTP/1.1") && (strings.Contains(line, token) || strings.Contains(line, "demo-key")) {
				t.Errorf("a token or a key is in the log: %s", line)
			}
		}
	})
	a := api{"http://127.0.0.1:" + port}
	for range 600 {
		if resp, err := http.Get(a.url + "/mcp"); err == nil {
			_ = resp.Body.Close() // only whether it answers
			return a
		}
		select {
		case <-done:
			t.Fatalf("sam local start-api ended:\n%s", log.String())
		case <-time.After(200 * time.Millisecond):
		}
	}
	t.Fatalf("sam local start-api does not answer:\n%s", log.String())
	return a
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // only its number was wanted
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// do sends a request; token "" sends none.
func (a api) do(t *testing.T, method, path, token, body string) (status int, h http.Header, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, a.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

func TestSamLocalStartApiServesTheWholeEndpoint(t *testing.T) {
	a := startAPI(t)
	t.Run("the black-box suite holds", func(t *testing.T) {
		blackbox.Suite(t, blackbox.Target{URL: a.url + "/mcp", Token: token, Writes: true, Emulated: true, SignIn: true})
	})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	call := func(tool, args string) string {
		return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
	}
	for _, tt := range []struct {
		name, method, path, token, body string
		status                          int
		says                            string
	}{
		{"without a token the gateway itself refuses", "POST", "/mcp", "", list, 401, `"Unauthorized"`},
		{"an unknown token is told what is wrong", "POST", "/mcp", "imcp_pat_other", list, 401, "invalid_token"},
		{"the token lists tools", "POST", "/mcp", token, list, 200, `"get_activities"`},
		{"the token reads the fake's data", "POST", "/mcp", token, call("get_gear_list", `{}`), 200, `"structuredContent"`},
		{"GET is not a method of this endpoint", "GET", "/mcp", token, "", 405, ""},
		{"the oauth function answers where to sign in", "GET", "/.well-known/oauth-protected-resource/mcp", "", "", 200, `"authorization_servers"`},
		{"a well-known path that is not there answers JSON", "GET", "/.well-known/oauth-authorization-server/mcp", "", "", 404, `"error"`},
		{"any other path names /mcp", "GET", "/sse", "", "", 404, "/mcp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, h, body := a.do(t, tt.method, tt.path, tt.token, tt.body)
			if status != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("%d %s", status, body)
			}
			if tt.status != 405 && !json.Valid([]byte(body)) {
				t.Errorf("not JSON: %q", body)
			}
			if tt.says == "invalid_token" && !strings.Contains(h.Get("WWW-Authenticate"), `error="invalid_token"`) {
				t.Errorf("challenge %q", h.Get("WWW-Authenticate"))
			}
		})
	}
}
