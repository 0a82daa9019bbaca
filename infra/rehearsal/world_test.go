package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/gateway"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/printed"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
)

const (
	root   = "../.."
	region = "eu-central-1"
)

// Functions as the emulator created them.
type function struct {
	Name        string
	Environment map[string]any
	Timeout     int
	Memory      int
	Role        string
	Policies    []json.RawMessage
}

// created is what came of a stack (infra/python/stack.py).
type created struct {
	Status, Reason string
	Outputs        map[string]string
	Resources      map[string]string
	Functions      map[string]function
}

// translated is the template as CloudFormation gets it.
func translated(t *testing.T, parameters ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "template.json")
	b := python(t, "sam", "translate.py", append([]string{filepath.Join(root, ".aws-sam/host/template.yaml")}, parameters...)...)
	if err := os.WriteFile(out, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// create makes a stack on moto.
func create(t *testing.T, name string, parameters ...string) created {
	t.Helper()
	endpoint := awstest.Vars(t)[awsenv.EndpointDynamoDB]
	var c created
	b := python(t, "moto", "stack.py", append([]string{endpoint, name, translated(t, parameters...)}, parameters...)...)
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	if c.Status != "CREATE_COMPLETE" {
		t.Fatalf("the stack is %s: %s", c.Status, c.Reason)
	}
	return c
}

// python runs a script of infra/python with the interpreter of a folder of .tools.
func python(t *testing.T, tool, script string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(filepath.Join(root, ".tools", tool, "bin/python"), append([]string{filepath.Join(root, "infra/python", script)}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, errs.String())
	}
	return out
}

// world is a deployed stack with people in it.
type world struct {
	created
	fake     *fake.Server
	guard    *Guard
	roles    map[string]*Role    // by logical id of the function
	env      map[string][]string // the functions' environments
	gateway  *gateway.Gateway
	url      string
	logs     *printed.Lines
	identity *identity.Store
	expired  *identity.Store // its clock is 31 days late
	keys     *secretsmanager.Keeper
}

// accessKeys tell the functions apart, as the credentials of their roles would.
var accessKeys = map[string]string{"AuthorizerFunction": "AKIAAUTHORIZER", "McpFunction": "AKIAMCP", "OauthFunction": "AKIAOAUTH"}

func deploy(t *testing.T, name string, parameters ...string) *world {
	t.Helper()
	w := &world{created: create(t, name, parameters...), roles: map[string]*Role{}, env: map[string][]string{}, logs: &printed.Lines{}}
	w.people(t)
	guards := map[string]*Role{}
	for id, f := range w.Functions {
		role, err := NewRole(f.Role, f.Policies)
		if err != nil {
			t.Fatal(err)
		}
		w.roles[id], guards[accessKeys[id]] = role, role
	}
	emulator, err := url.Parse(awstest.Vars(t)[awsenv.EndpointDynamoDB])
	if err != nil {
		t.Fatal(err)
	}
	w.guard = NewGuard(emulator, guards)
	door := httptest.NewServer(w.guard)
	door.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(door.Close)
	upstream := httptest.NewServer(w.fake)
	t.Cleanup(upstream.Close)
	for id, f := range w.Functions {
		env := map[string]string{}
		for k, v := range f.Environment {
			env[k] = fmt.Sprint(v)
		}
		// What Lambda itself adds, and where the rehearsal's stores are.
		for k, v := range map[string]string{
			"AWS_REGION": region, "AWS_ACCESS_KEY_ID": accessKeys[id], "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "session",
			"AWS_LAMBDA_FUNCTION_NAME": f.Name, "AWS_LAMBDA_FUNCTION_TIMEOUT": fmt.Sprint(f.Timeout), "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": fmt.Sprint(f.Memory),
			"AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": "DEBUG",
			awsenv.EndpointDynamoDB: door.URL, awsenv.EndpointSecretsManager: door.URL, awsenv.IntervalsBaseURL: upstream.URL + "/api/v1",
		} {
			env[k] = v
		}
		for k, v := range env {
			w.env[id] = append(w.env[id], k+"="+v)
		}
	}
	authorizer, mcp, oauth := gateway.NewFunction(w.start(t, "AuthorizerFunction")), gateway.NewFunction(w.start(t, "McpFunction")), gateway.NewFunction(w.start(t, "OauthFunction"))
	w.gateway = gateway.New(gateway.Options{
		Authorizer: authorizer.Authorize, Functions: map[string]gateway.Integration{"McpFunction": mcp.Invoke, "OauthFunction": oauth.Invoke},
		Log: slog.New(slog.NewTextHandler(w.logs, nil)),
	})
	front := httptest.NewServer(w.gateway)
	t.Cleanup(front.Close)
	w.url = front.URL + "/mcp"
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the functions' log:\n%s", w.logs.Tail(6000))
		}
	})
	return w
}

// people makes the stores and a fake with its athletes.
func (w *world) people(t *testing.T) {
	t.Helper()
	env := awstest.Env(t)
	w.identity = identity.NewStore(dynamo.New(env.NewDynamoDB(), w.Outputs["IdentityTableName"]), time.Now)
	w.expired = identity.NewStore(dynamo.New(env.NewDynamoDB(), w.Outputs["IdentityTableName"]), func() time.Time { return time.Now().AddDate(0, 0, -31) })
	var err error
	if w.keys, err = secretsmanager.New(secretsmanager.NewClient(env), w.Outputs["SecretPrefix"]); err != nil {
		t.Fatal(err)
	}
	// moto makes no secrets of a template: this one is the template's SessionKey.
	if _, err := secretsmanager.NewClient(env).CreateSecret(t.Context(), &sdk.CreateSecretInput{
		Name: aws.String(w.Outputs["SecretPrefix"] + "/" + string(secretsmanager.SessionKey)), SecretString: aws.String(strings.Repeat("k", 64))}); err != nil {
		t.Fatal(err)
	}
	if w.fake, err = fake.New(fake.Demo(time.Now()), fake.Options{}); err != nil {
		t.Fatal(err)
	}
}

// start runs a function's release build in the Runtime Interface Emulator.
func (w *world) start(t *testing.T, id string) (address string) {
	t.Helper()
	boot, err := filepath.Abs(filepath.Join(root, ".aws-sam/host", id, "bootstrap"))
	if err != nil {
		t.Fatal(err)
	}
	events, runtime := freeAddress(t), freeAddress(t)
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, rie, "--log-level", "error", "--runtime-interface-emulator-address", events, "--runtime-api-address", runtime, boot)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, w.env[id]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = w.logs, w.logs, 2*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	for range 400 {
		if c, err := net.Dial("tcp", events); err == nil {
			_ = c.Close()
			return "http://" + events
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("%s does not start: %s", id, w.logs.Tail(2000))
	return ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // only its number was wanted
	return l.Addr().String()
}

// enrol does what `users add` does.
func (w *world) enrol(t *testing.T, a fake.AthleteInfo, coach bool) {
	t.Helper()
	if err := w.keys.Put(t.Context(), a.ID, secrets.Key{APIKey: secrets.New(a.APIKey), Athlete: a.ID}); err != nil {
		t.Fatal(err)
	}
	u := identity.User{ID: a.ID, Athlete: a.ID, Coach: coach}
	if coach {
		u.Athletes = a.CoachOf
	}
	if _, err := w.identity.AddUser(t.Context(), u); err != nil && !errors.Is(err, identity.ErrExists) {
		t.Fatal(err)
	}
}

// token does what `tokens create` does.
func (w *world) token(t *testing.T, store *identity.Store, r identity.Request) (token, id string) {
	t.Helper()
	r.Label = "rehearsal"
	if r.Days == 0 {
		r.Days = 30
	}
	if slices.Contains(r.Scopes, identity.ScopeWrite) {
		r.Scopes = []identity.Scope{identity.ScopeRead, identity.ScopeWrite}
	}
	secret, record, err := store.CreateToken(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal(), record.ID
}

// post sends one message to the endpoint.
func (w *world) post(t *testing.T, token, message string) (status int, body string) {
	t.Helper()
	return w.postFrom(t, "", token, message)
}

// postFrom is post from a web page of an origin.
func (w *world) postFrom(t *testing.T, origin, token, message string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
		req.Header.Set(k, v)
	}
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b.String()
}

func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}
