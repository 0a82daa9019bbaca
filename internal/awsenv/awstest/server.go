package awstest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// server is a running emulator. It runs until its input ends, so the input is
// kept from the garbage collector here.
type server struct {
	url   string
	input io.Closer
}

// start runs an emulator on a free port until this process ends, and waits for
// it to answer ping. command gives what to run for a port.
func start(ping string, command func(port string) []string) (server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return server{}, err
	}
	addr := l.Addr().(*net.TCPAddr)
	if err := l.Close(); err != nil {
		return server{}, err
	}
	// The shell ends the server when its input ends: when this process does.
	args := command(fmt.Sprint(addr.Port))
	cmd := exec.Command("sh", append([]string{"-c", `exec 3<&0; "$@" </dev/null >/dev/null 2>&1 3<&- & pid=$!; cat <&3 >/dev/null; kill $pid`, "emulator"}, args...)...)
	input, err := cmd.StdinPipe()
	if err != nil {
		return server{}, err
	}
	if err := cmd.Start(); err != nil {
		return server{}, err
	}
	url := "http://" + addr.String()
	for range 300 {
		if up(url + ping) {
			return server{url, input}, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return server{}, fmt.Errorf("%s did not answer within 30 seconds", args[0])
}

func up(url string) bool {
	r, err := http.Get(url)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, r.Body) // only whether it answers
	return r.Body.Close() == nil && r.StatusCode == http.StatusOK
}

// tool gives the path of what was fetched into the module's .tools, or "". The
// pattern is as in filepath.Glob.
func tool(pattern ...string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", nil
		}
	}
	found, err := filepath.Glob(filepath.Join(append([]string{dir, ".tools"}, pattern...)...))
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0], nil
}
