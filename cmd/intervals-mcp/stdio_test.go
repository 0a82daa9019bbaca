package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

func TestStdioWritesNothingButTheProtocol(t *testing.T) {
	home := t.TempDir()
	status, out, errs := finish(t, append(environ(t), "HOME="+home, "LOG_LEVEL=debug"),
		hello+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\nrubbish\n"+toolsList+"\n"+gearCall, "stdio", "--toolset", "full")
	if status != 0 {
		t.Errorf("status %d: %s", status, errs)
	}
	answers := 0
	for line := range strings.Lines(out) {
		var m struct{ JSONRPC string }
		if json.Unmarshal([]byte(line), &m) != nil || m.JSONRPC != "2.0" {
			t.Errorf("stdout holds %q", line)
		}
		answers++
	}
	if answers != 4 || !strings.Contains(out, `"id":2`) || strings.Contains(out, `"isError":true`) {
		t.Errorf("%d answers: %.2000s", answers, out)
	}
	for line := range strings.Lines(errs) {
		if !json.Valid([]byte(line)) {
			t.Errorf("stderr holds %q", line)
		}
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("the demo wrote %v", left)
	}
}

func TestStdioEndsWithStatus0OnASignal(t *testing.T) {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.Command(program, "stdio", "--demo")
		cmd.Env = environ(t)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(in, hello)
		_, _ = out.Read(make([]byte, 4096))
		_ = cmd.Process.Signal(s)
		timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		if err := cmd.Wait(); err != nil || !timer.Stop() {
			t.Errorf("%v: %v", s, err)
		}
	}
}

func TestFakeTellsItsAthletes(t *testing.T) {
	up := startFake(t)
	if !strings.HasSuffix(up.text("url"), "/api/v1") || up.ready["pid"] != float64(up.Process.Pid) {
		t.Error(up.ready)
	}
	all, _ := up.ready["athletes"].([]any)
	if len(all) != 2 {
		t.Fatal(up.ready)
	}
	first, coach := all[0].(map[string]any), all[1].(map[string]any)
	if first["id"] != "i7001" || first["api_key"] != "k3y-of-the-test-rider" || first["name"] != "Test Rider" || first["coach_of"] == nil {
		t.Error(first)
	}
	if of, _ := coach["coach_of"].([]any); len(of) != 1 || of[0] != "i7001" {
		t.Error(coach)
	}
	if status := up.stop(interrupt); status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestFakeServesTheDemoByDefault(t *testing.T) {
	up := launch(t, environ(t), "fake", "--addr", "127.0.0.1:0", "--now", "2026-07-15T12:30:00Z")
	if all, _ := up.ready["athletes"].([]any); len(all) < 3 {
		t.Error(up.ready)
	}
}
