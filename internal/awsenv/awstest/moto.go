package awstest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/awsenv"
)

// Env gives the environment of a function that talks to the emulator.
func Env(t testing.TB) awsenv.Env {
	t.Helper()
	vars := Vars(t)
	env, err := awsenv.Read(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Vars is Env as environment variables.
func Vars(t testing.TB) map[string]string {
	t.Helper()
	vars := map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		awsenv.EndpointDynamoDB: os.Getenv(awsenv.EndpointDynamoDB), awsenv.EndpointSecretsManager: os.Getenv(awsenv.EndpointSecretsManager),
	}
	if vars[awsenv.EndpointDynamoDB] != "" && vars[awsenv.EndpointSecretsManager] != "" {
		return vars
	}
	server, err := started()
	if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	vars[awsenv.EndpointDynamoDB], vars[awsenv.EndpointSecretsManager] = server.url, server.url
	return vars
}

var errMissing = errors.New("moto_server is missing: `make moto` fetches it")

// server is a running moto server. It runs until its input ends, so the input
// is kept from the garbage collector here.
type server struct {
	url   string
	input io.Closer
}

// started starts the server when first needed.
var started = sync.OnceValues(func() (server, error) {
	path, err := find()
	if err != nil {
		return server{}, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return server{}, err
	}
	addr := l.Addr().(*net.TCPAddr)
	if err := l.Close(); err != nil {
		return server{}, err
	}
	// The shell ends the server when its input ends: when this process does.
	cmd := exec.Command("sh", "-c", `exec 3<&0; "$@" </dev/null >/dev/null 2>&1 3<&- & pid=$!; cat <&3 >/dev/null; kill $pid`,
		"moto", path, "-H", "127.0.0.1", "-p", fmt.Sprint(addr.Port))
	input, err := cmd.StdinPipe()
	if err != nil {
		return server{}, err
	}
	if err := cmd.Start(); err != nil {
		return server{}, err
	}
	url := "http://" + addr.String()
	for range 300 {
		if up(url) {
			return server{url, input}, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return server{}, fmt.Errorf("%s did not answer within 30 seconds", path)
})

func up(url string) bool {
	r, err := http.Get(url + "/moto-api/")
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, r.Body) // only whether it answers
	return r.Body.Close() == nil && r.StatusCode == http.StatusOK
}

func find() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			if path := filepath.Join(dir, ".tools", "moto", "bin", "moto_server"); exists(path) {
				return path, nil
			}
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	path, err := exec.LookPath("moto_server")
	if err != nil {
		return "", errMissing
	}
	return path, nil
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// Name gives a name that no other test uses.
func Name(t testing.TB) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, t.Name())
	return fmt.Sprintf("%s-%x", clean[max(0, len(clean)-60):], time.Now().UnixNano())
}
