package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"intervals-mcp/internal/printed"
)

var program string // the built binary

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "intervals-mcp-test-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "intervals-mcp")
	build := exec.Command("go", "build", "-ldflags", "-X main.version=1.2.3-test", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// running is a started program.
type running struct {
	*exec.Cmd
	t        *testing.T
	out, err *printed.Lines
	ready    map[string]any
	waited   chan struct{}
	status   int
}

// environ is a clean environment whose home is a folder of the test.
func environ(t *testing.T, extra ...string) []string {
	t.Helper()
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, extra...)
}

// launch starts the program with a ready file and waits until it is there.
func launch(t *testing.T, env []string, args ...string) *running {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ready.json")
	r := &running{t: t, Cmd: exec.Command(program, append(args, "--ready-file", file)...), out: &printed.Lines{}, err: &printed.Lines{}, waited: make(chan struct{})}
	r.Env, r.Stdout, r.Stderr = env, r.out, r.err
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	go r.await()
	t.Cleanup(func() { _ = r.Process.Kill(); <-r.waited })
	for range 600 {
		b, err := os.ReadFile(file)
		if err == nil {
			if err := json.Unmarshal(b, &r.ready); err != nil {
				t.Fatalf("the ready file holds %q", b)
			}
			if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
				t.Errorf("the ready file has mode %v", info.Mode())
			}
			return r
		}
		select {
		case <-r.waited:
			t.Fatalf("it ended: %s", r.err)
		case <-time.After(25 * time.Millisecond):
		}
	}
	t.Fatalf("it does not get ready: %s", r.err)
	return nil
}

func (r *running) await() {
	err := r.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.status = exit.ExitCode()
	}
	close(r.waited)
}

// stop sends a signal and gives the exit status.
func (r *running) stop(s os.Signal) int {
	r.t.Helper()
	if err := r.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
	select {
	case <-r.waited:
	case <-time.After(10 * time.Second):
		r.t.Fatal("it does not stop")
	}
	return r.status
}

func (r *running) text(key string) string {
	s, _ := r.ready[key].(string)
	return s
}

// rpc posts one message to a serve.
func (r *running) rpc(body string) (status int, answer string) {
	r.t.Helper()
	req, err := http.NewRequest("POST", r.text("url"), strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.text("token"))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

const (
	toolsList = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	gearCall  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_gear_list","arguments":{}}}`
)

// finish runs the program to its end.
func finish(t *testing.T, env []string, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, strings.NewReader(stdin), &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !timer.Stop() {
		t.Errorf("%v does not end", args)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	return status, out.String(), errs.String()
}

// startFake runs the fake with a small data set.
func startFake(t *testing.T, args ...string) *running {
	t.Helper()
	return launch(t, environ(t), append([]string{"fake", "--addr", "127.0.0.1:0", "--load", filepath.Join("testdata", "athlete.json")}, args...)...)
}

// fault makes the fake misbehave.
func (r *running) fault(body string) {
	r.t.Helper()
	resp, err := http.Post(strings.TrimSuffix(r.text("url"), "/api/v1")+"/_fake/faults", "application/json", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	if resp.StatusCode > 299 {
		r.t.Fatalf("faults: %s", resp.Status)
	}
}

var interrupt os.Signal = syscall.SIGINT
