package signin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/intervals/fake"
)

// Served is `intervals-mcp serve` as it is shipped, on this machine, with the
// embedded store and a fake Intervals.icu.
type Served struct {
	Deployment
	Data string // its data folder
	Fake *fake.Server
	bin  string
}

// built makes the program as it is shipped, once. TestMain removes it.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "signin")
	if err != nil {
		return "", err
	}
	folders = append(folders, dir)
	bin := filepath.Join(dir, "intervals-mcp")
	build := exec.Command("go", "build", "-o", bin, "intervals-mcp/cmd/intervals-mcp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return bin, nil
})

// folders are to be removed when the tests are over.
var folders []string

// Serve builds the program and starts it. The person is the demo's athlete.
func Serve(t testing.TB) *Served {
	t.Helper()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	s := &Served{Data: t.TempDir(), bin: bin}
	if s.Fake, err = fake.New(fake.Demo(time.Now()), fake.Options{}); err != nil {
		t.Fatal(err)
	}
	upstream := httptest.NewServer(s.Fake)
	t.Cleanup(upstream.Close)
	ready := filepath.Join(t.TempDir(), "ready.json")
	cmd := exec.Command(s.bin, "serve", "--addr", "127.0.0.1:0", "--data", s.Data, "--ready-file", ready)
	cmd.Env = append(os.Environ(), "API_KEY="+fake.DemoKey, "INTERVALS_API_BASE_URL="+upstream.URL+"/api/v1")
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve after an interrupt: %v\n%s", err, &log)
		}
		for _, secret := range []string{"imcp_at_", "imcp_rt_", "imcp_pat_", fake.DemoKey} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("%s... stands in the log", secret)
			}
		}
		if t.Failed() {
			t.Logf("the end of its log:\n%s", log.String()[max(0, log.Len()-4000):])
		}
	})
	s.Key = fake.DemoKey
	for range 400 {
		var at struct{ URL string }
		if b, err := os.ReadFile(ready); err == nil && json.Unmarshal(b, &at) == nil {
			s.Origin = strings.TrimSuffix(at.URL, "/mcp")
			return s
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("serve is not ready: %s", &log)
	return nil
}

// Run runs another command of the program on the same data folder.
func (s *Served) Run(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.bin, append(args, "--data", s.Data)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &errs)
	}
	return string(out)
}
