package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// binaries are the release builds that are measured.
type binaries struct{ product, bare string }

func build(dir string) (binaries, error) {
	b := binaries{product: filepath.Join(dir, "intervals-mcp"), bare: filepath.Join(dir, "bare")}
	for out, pkg := range map[string]string{b.product: "./cmd/intervals-mcp", b.bare: "./infra/bench/bare"} {
		if err := goBuild(out, pkg); err != nil {
			return b, err
		}
	}
	return b, nil
}

// goBuild makes a release binary for this machine.
func goBuild(out, pkg string, more ...string) error {
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out}, more...)
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, msg)
	}
	return nil
}

// stdio is one MCP server on its standard streams.
type stdio struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	next  int
	start time.Time
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// startStdio starts a server and waits for its answer to initialize; ready is
// the time from process start to that answer.
func startStdio(env []string, name string, args ...string) (s *stdio, ready time.Duration, err error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	s = &stdio{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20), start: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	if _, err := io.WriteString(in, initialize); err != nil {
		return nil, 0, err
	}
	if _, err := s.out.ReadBytes('\n'); err != nil {
		_ = cmd.Wait()
		return nil, 0, fmt.Errorf("%s %s: no answer to initialize: %s", name, strings.Join(args, " "), stderr.String())
	}
	ready = time.Since(s.start)
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, ready, err
}

// call sends one request and gives its result.
func (s *stdio) call(method string, params any) (json.RawMessage, error) {
	s.next++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.next, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	answer, err := s.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	return result(answer)
}

func result(answer []byte) (json.RawMessage, error) {
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(answer, &m); err != nil {
		return nil, fmt.Errorf("answer is no JSON: %.200s", answer)
	}
	if m.Error != nil {
		return nil, fmt.Errorf("answer is an error: %.300s", m.Error)
	}
	return m.Result, nil
}

// stop ends the server.
func (s *stdio) stop() {
	_ = s.in.Close()
	done := make(chan struct{})
	go func() { _ = s.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		_ = s.cmd.Process.Kill()
		<-done
	}
}

// memory reads a process's peak and present resident memory in MB.
func memory(pid int) (peak, now float64) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kb, _ := strconv.ParseFloat(f[1], 64)
		switch f[0] {
		case "VmHWM:":
			peak = kb / 1024
		case "VmRSS:":
			now = kb / 1024
		}
	}
	return peak, now
}

// loadAverage is how many processes wanted a processor in the last minute.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

// daemon is a process that writes a ready file.
type daemon struct {
	cmd   *exec.Cmd
	Ready struct {
		URL      string `json:"url"`
		Token    string `json:"token"`
		Athletes []struct {
			ID     string `json:"id"`
			APIKey string `json:"api_key"`
		} `json:"athletes"`
	}
}

func startDaemon(dir string, env []string, name string, args ...string) (*daemon, error) {
	ready := filepath.Join(dir, fmt.Sprintf("ready-%d.json", time.Now().UnixNano()))
	d := &daemon{cmd: exec.Command(name, append(args, "--ready-file", ready)...)}
	d.cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	d.cmd.Stderr = &stderr
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile(ready); err == nil && json.Unmarshal(b, &d.Ready) == nil {
			return d, nil
		}
	}
	d.stop()
	return nil, fmt.Errorf("%s %s: not ready: %s", name, strings.Join(args, " "), stderr.String())
}

func (d *daemon) stop() {
	_ = d.cmd.Process.Signal(os.Interrupt)
	_ = d.cmd.Wait()
}
