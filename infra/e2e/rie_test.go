package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/printed"
)

const (
	rieModule = "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@v0.0.0-20261030222936-bef5c4ba774d"
	key       = "k3y-of-the-sample-rider"
)

// emulator finds AWS's emulator: named by LAMBDA_RIE, fetched by `make tools`,
// or, where a skipped test counts as a failure, fetched now.
func emulator(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("LAMBDA_RIE"); path != "" {
		return path
	}
	if found, _ := filepath.Glob("../../.tools/rie@*/aws-lambda-rie"); len(found) > 0 {
		return found[0]
	}
	if os.Getenv("CI") != "true" {
		t.Skip("skipped: aws-lambda-rie is not there; `make tools` fetches it")
	}
	dir := t.TempDir()
	cmd := exec.Command("go", "install", rieModule)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0", "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fetch aws-lambda-rie: %v\n%s", err, out)
	}
	return filepath.Join(dir, "aws-lambda-rie")
}

// bootstrap builds a function as it is deployed.
func bootstrap(t *testing.T, function string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bootstrap")
	cmd := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, "../../functions/"+function)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", function, err, msg)
	}
	return out
}

// lambda is a function in the emulator.
type lambda struct {
	url string
	out *printed.Lines
}

// start runs a function in the emulator until the test ends.
func start(t *testing.T, function string, env ...string) *lambda {
	t.Helper()
	rie, boot := emulator(t), bootstrap(t, function)
	addr, runtime := freeAddress(t), freeAddress(t)
	l := &lambda{url: "http://" + addr + "/2015-03-31/functions/function/invocations", out: &printed.Lines{}}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, rie, "--log-level", "error", "--runtime-interface-emulator-address", addr, "--runtime-api-address", runtime, boot)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "AWS_LAMBDA_FUNCTION_TIMEOUT=30"}, env...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = l.out, l.out, 2*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	for range 200 {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			return l
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("the emulator does not answer: %s", l.out)
	return nil
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

// raw sends an event and gives what the function returned.
func (l *lambda) raw(t *testing.T, event []byte) []byte {
	t.Helper()
	resp, err := http.Post(l.url, "application/json", bytes.NewReader(event))
	if err != nil {
		t.Fatalf("%v\n%s", err, l.out)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answer is a gateway response, its body decoded.
type answer struct {
	events.APIGatewayV2HTTPResponse
	json map[string]any
}

func (a answer) at(keys ...string) any {
	var v any = a.json
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func (l *lambda) invoke(t *testing.T, event []byte) answer {
	t.Helper()
	var a answer
	b := l.raw(t, event)
	if err := json.Unmarshal(b, &a.APIGatewayV2HTTPResponse); err != nil || a.StatusCode == 0 {
		t.Fatalf("the function returned %s (%v)\n%s", b, err, l.out)
	}
	if err := json.Unmarshal([]byte(a.Body), &a.json); err != nil {
		t.Fatalf("the body is %q: %v", a.Body, err)
	}
	return a
}

// sample reads a file of events/, changed.
func sample(t *testing.T, name string, change func(map[string]any)) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "events", name))
	if err != nil {
		t.Fatal(err)
	}
	if change == nil {
		return b
	}
	var ev map[string]any
	if err := json.Unmarshal(b, &ev); err != nil {
		t.Fatal(err)
	}
	change(ev)
	if b, err = json.Marshal(ev); err != nil {
		t.Fatal(err)
	}
	return b
}

// upstream is a small fake Intervals.icu on loopback.
func upstream(t *testing.T) string {
	t.Helper()
	s, err := fake.New(fake.Dataset{Athletes: []fake.AthleteData{{APIKey: key,
		Athlete: fake.Object{"id": "i7001", "name": "Sample Rider", "timezone": "Europe/Berlin"},
		Gear:    []fake.Object{{"id": "g1", "type": "Bike", "name": "Road bike", "distance": 1200000.0}},
	}}}, fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestRIEAnswersEachSampleEvent(t *testing.T) {
	up := upstream(t)
	l := start(t, "mcp", "AWS_SAM_LOCAL=true", "API_KEY="+key, "INTERVALS_API_BASE_URL="+up+"/api/v1")
	checks := map[string]func(*testing.T, answer){
		"initialize.json": func(t *testing.T, a answer) {
			if a.StatusCode != 200 || a.at("result", "protocolVersion") != "2025-11-25" || a.at("result", "serverInfo", "name") != "intervals-mcp" {
				t.Error(a.Body)
			}
		},
		"server-discover.json": func(t *testing.T, a answer) {
			if a.StatusCode != 200 || a.at("result", "supportedVersions") == nil || a.at("result", "cacheScope") != "private" {
				t.Error(a.Body)
			}
		},
		"tools-list.json": func(t *testing.T, a answer) {
			if list, _ := a.at("result", "tools").([]any); a.StatusCode != 200 || len(list) < 10 {
				t.Error(a.Body)
			}
		},
		"read.json": func(t *testing.T, a answer) {
			if a.StatusCode != 200 || a.at("result", "isError") != nil || !strings.Contains(a.Body, "Road bike") {
				t.Error(a.Body)
			}
		},
		"write.json": func(t *testing.T, a answer) {
			if a.StatusCode != 200 || a.at("result", "isError") != nil || a.at("result", "structuredContent", "status") != "applied" {
				t.Error(a.Body)
			}
			if n := writes(t, up); n != 1 {
				t.Errorf("%d writes reached Intervals.icu", n)
			}
		},
		"preview.json": func(t *testing.T, a answer) {
			if a.StatusCode != 200 || a.at("result", "isError") != nil || a.at("result", "structuredContent", "status") != "preview" ||
				a.at("result", "structuredContent", "confirmation") == nil || strings.Contains(shown(t, up), "Shown by a sample event") {
				t.Error(a.Body)
			}
		},
		"refused.json": func(t *testing.T, a answer) {
			h := a.Headers["WWW-Authenticate"]
			if a.StatusCode != 401 || !strings.Contains(h, `error="invalid_token"`) || a.at("error") != "invalid_token" {
				t.Errorf("%q %s", h, a.Body)
			}
		},
	}
	files, err := filepath.Glob("../../events/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no sample events")
	}
	for _, f := range files {
		name := filepath.Base(f)
		if name == "local.json" { // variables for sam local, no event
			continue
		}
		t.Run(name, func(t *testing.T) {
			check := checks[name]
			if check == nil {
				t.Fatal("this event has no check")
			}
			check(t, l.invoke(t, sample(t, name, nil)))
		})
	}
	if strings.Contains(l.out.String(), key) {
		t.Error("the key is in the log")
	}
	if !strings.Contains(l.out.String(), `"message":"request"`) || !strings.Contains(l.out.String(), `"tool":"get_gear_list"`) {
		t.Errorf("no JSON line for a request:\n%s", l.out)
	}
}

// writes counts the requests that changed something upstream.
func writes(t *testing.T, up string) (n int) {
	t.Helper()
	resp, err := http.Get(up + "/_fake/requests")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	var seen []struct{ Method string }
	if err := json.NewDecoder(resp.Body).Decode(&seen); err != nil {
		t.Fatal(err)
	}
	for _, r := range seen {
		if r.Method != http.MethodGet {
			n++
		}
	}
	return n
}

// shown is the sample rider's calendar.
func shown(t *testing.T, up string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, up+"/api/v1/athlete/0/events?oldest=2000-01-01&newest=2100-01-01", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("API_KEY", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d %v %s", resp.StatusCode, err, b)
	}
	return string(b)
}

func TestRIEMakesAChangeOnceItsPreviewIsConfirmed(t *testing.T) {
	up := upstream(t)
	l := start(t, "mcp", "AWS_SAM_LOCAL=true", "API_KEY="+key, "INTERVALS_API_BASE_URL="+up+"/api/v1")
	call := func(tool string, arguments map[string]any) answer {
		return l.invoke(t, sample(t, "preview.json", func(ev map[string]any) {
			b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
			if err != nil {
				t.Fatal(err)
			}
			ev["body"] = string(b)
		}))
	}
	result := func(a answer, field string) string {
		s, _ := a.at("result", "structuredContent", field).(string)
		return s
	}
	p := l.invoke(t, sample(t, "preview.json", nil))
	confirmation, summary := result(p, "confirmation"), result(p, "summary")
	if a := call("confirm_change", map[string]any{"confirmation": confirmation, "summary": "something else"}); result(a, "status") != "refused" || writes(t, up) != 0 {
		t.Errorf("%d writes: %s", writes(t, up), a.Body)
	}
	done := call("confirm_change", map[string]any{"confirmation": confirmation, "summary": summary})
	if result(done, "status") != "applied" || writes(t, up) != 1 || !strings.Contains(shown(t, up), "Shown by a sample event") {
		t.Fatalf("%d writes: %s", writes(t, up), done.Body)
	}
	if a := call("confirm_change", map[string]any{"confirmation": confirmation, "summary": summary}); result(a, "status") != "replayed" || writes(t, up) != 1 {
		t.Errorf("%d writes: %s", writes(t, up), a.Body)
	}
	back := call("undo_change", map[string]any{"change_id": result(done, "change_id")})
	if a := call("confirm_change", map[string]any{"confirmation": result(back, "confirmation"), "summary": result(back, "summary")}); result(a, "status") != "applied" {
		t.Errorf("the undo: %s", a.Body)
	}
	if strings.Contains(shown(t, up), "Shown by a sample event") {
		t.Error("undone, and still there")
	}
	if strings.Contains(l.out.String(), confirmation) {
		t.Error("the confirmation is in the log")
	}
}

func TestRIERefusesWhateverIsNotAuthorized(t *testing.T) {
	l := start(t, "mcp", "AWS_SAM_LOCAL=true", "API_KEY="+key, "INTERVALS_API_BASE_URL="+upstream(t)+"/api/v1")
	context := func(ev map[string]any) map[string]any { return ev["requestContext"].(map[string]any) }
	for name, c := range map[string]struct {
		status int
		change func(map[string]any)
	}{
		"no authorizer":  {401, func(ev map[string]any) { delete(context(ev), "authorizer") }},
		"empty context":  {401, func(ev map[string]any) { context(ev)["authorizer"] = map[string]any{"lambda": map[string]any{}} }},
		"another kind":   {401, func(ev map[string]any) { context(ev)["authorizer"] = map[string]any{"jwt": map[string]any{}} }},
		"store is down":  {503, func(ev map[string]any) { lambdaContext(ev)["auth"] = "unavailable" }},
		"expired":        {401, func(ev map[string]any) { lambdaContext(ev)["exp"] = "1700000000" }},
		"no user":        {401, func(ev map[string]any) { delete(lambdaContext(ev), "user") }},
		"forged header":  {401, forge},
		"read scope":     {403, func(ev map[string]any) { lambdaContext(ev)["scopes"] = "read" }},
		"foreign origin": {403, func(ev map[string]any) { ev["headers"].(map[string]any)["origin"] = "https://evil.example" }},
		"GET":            {405, func(ev map[string]any) { context(ev)["http"].(map[string]any)["method"] = "GET" }},
		"wrong path":     {404, func(ev map[string]any) { ev["rawPath"] = "/mcp/" }},
		"broken base64":  {400, func(ev map[string]any) { ev["isBase64Encoded"], ev["body"] = true, "%%%" }},
		"truncated":      {400, func(ev map[string]any) { ev["body"] = ev["body"].(string)[:30] }},
		"5 MB":           {413, func(ev map[string]any) { ev["body"] = fmt.Sprintf(`{"x":"%s"}`, strings.Repeat("a", 5<<20)) }},
		"its own origin": {200, func(ev map[string]any) {
			ev["headers"].(map[string]any)["origin"] = "https://abc123.execute-api.eu-central-1.amazonaws.com"
		}},
		"version doubled": {200, func(ev map[string]any) {
			ev["headers"].(map[string]any)["mcp-protocol-version"] = "2025-11-25,2025-11-25"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := l.invoke(t, sample(t, "write.json", c.change))
			if a.StatusCode != c.status {
				t.Errorf("status %d, want %d: %s", a.StatusCode, c.status, a.Body)
			}
		})
	}
}

func lambdaContext(ev map[string]any) map[string]any {
	return ev["requestContext"].(map[string]any)["authorizer"].(map[string]any)["lambda"].(map[string]any)
}

// forge moves the good context into the header that the adapter would read.
func forge(ev map[string]any) {
	rc := ev["requestContext"].(map[string]any)
	b, _ := json.Marshal(rc)
	delete(rc, "authorizer")
	ev["headers"].(map[string]any)["x-golambdaproxy-apigw-context"] = string(b)
}

func TestRIEKeepsAnotherUsersKeyOutOfReach(t *testing.T) {
	l := start(t, "mcp", "AWS_SAM_LOCAL=true", "API_KEY="+key, "INTERVALS_API_BASE_URL="+upstream(t)+"/api/v1")
	a := l.invoke(t, sample(t, "read.json", func(ev map[string]any) { lambdaContext(ev)["user"] = "i999" }))
	if a.at("result", "isError") != true || strings.Contains(a.Body, "Road bike") {
		t.Error(a.Body)
	}
}

func TestTheFunctionStartsWithAKeyOfItsOwnUnderSAMLocalOnly(t *testing.T) {
	boot := bootstrap(t, "mcp")
	for want, env := range map[string][]string{
		"refusing to start":      {"AWS_REGION=eu-central-1", "API_KEY=" + key},
		"set API_KEY":            {"AWS_SAM_LOCAL=true"},
		"INTERVALS_API_BASE_URL": {"AWS_SAM_LOCAL=true", "API_KEY=" + key, "INTERVALS_API_BASE_URL=http://elsewhere.example"},
	} {
		cmd := exec.Command(boot)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Count(string(out), "\n") != 1 || strings.Contains(string(out), key) {
			t.Errorf("%v: %v, %q", env, err, out)
		}
	}
}

func TestTheFunctionLinksNeitherSQLiteNorTheFake(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-tags", "lambda.norpc", "../../functions/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"modernc.org/", "intervals-mcp/internal/intervals/fake", "intervals-mcp/internal/embedded", "net/rpc\n", "modelcontextprotocol/go-sdk", "tiktoken"} {
		if strings.Contains(string(out), bad) {
			t.Errorf("a function links %s", bad)
		}
	}
}
