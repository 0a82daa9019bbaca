package main

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestVersionAndHelp(t *testing.T) {
	status, out, _ := finish(t, environ(t), "", "version")
	if status != 0 || out != "intervals-mcp 1.2.3-test\n" {
		t.Errorf("%d %q", status, out)
	}
	for _, args := range [][]string{{"--help"}, {"help"}} {
		status, out, errs := finish(t, environ(t), "", args...)
		if status != 0 || !strings.Contains(out, "intervals-mcp serve") || !strings.Contains(out, "intervals-mcp doctor") || errs != "" {
			t.Errorf("%v: %d %q", args, status, errs)
		}
	}
}

func TestTheHelpOfACommandIsAboutThatCommand(t *testing.T) {
	for _, args := range [][]string{{"serve", "--help"}, {"stdio", "-h"}, {"fake", "--help"}, {"users", "--help"}, {"users", "add", "--help"},
		{"tokens", "create", "--user", "serve", "-h"}, {"audit", "help"}, {"doctor", "--help"}, {"help", "tokens"}} {
		want, other := "intervals-mcp "+args[0]+" ", "intervals-mcp stdio "
		if args[0] == "help" {
			want = "intervals-mcp tokens "
		}
		if args[0] == "stdio" {
			other = "intervals-mcp serve "
		}
		status, out, errs := finish(t, environ(t), "", args...)
		if status != 0 || !strings.HasPrefix(out, "  "+want) || strings.Contains(out, other) || errs != "" {
			t.Errorf("%v: %d %q %q", args, status, out, errs)
		}
	}
	flagName := regexp.MustCompile(`--[a-z-]+`)
	for _, c := range commands {
		for _, name := range flagName.FindAllString(c.usage, -1) {
			if c.name != "audit" && name != "--user" && !strings.Contains(c.flags, name+" ") {
				t.Errorf("%s --help does not say what %s means", c.name, name)
			}
		}
	}
}

// Every misuse is one clear line on stderr and exit status 2.
func TestMisuseIsOneLineAndStatus2(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // a test
	file := filepath.Join(t.TempDir(), "file")
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.MkdirAll(bad, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{file: "{", filepath.Join(bad, "token"): "not a token\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const key = "API_KEY=abc"
	for name, c := range map[string]struct {
		env  []string
		args []string
		says string
	}{
		"no command":            {nil, nil, "a command is missing"},
		"unknown command":       {nil, []string{"run"}, `unknown command "run"`},
		"unknown flag":          {nil, []string{"serve", "--port", "1"}, "-port"},
		"stdio has no address":  {nil, []string{"stdio", "--addr", ":0"}, "-addr"},
		"an argument":           {nil, []string{"serve", "now"}, `unexpected argument "now"`},
		"toolset":               {nil, []string{"stdio", "--toolset", "all"}, "core or full"},
		"scope":                 {nil, []string{"stdio", "--scope", "admin"}, "read or write"},
		"bad time":              {nil, []string{"stdio", "--demo", "--now", "today"}, "RFC 3339"},
		"now on the platform":   {[]string{key}, []string{"stdio", "--now", "2026-07-15T12:30:00Z"}, "--now is for tests"},
		"now elsewhere":         {[]string{key, "INTERVALS_API_BASE_URL=https://example.com/api/v1"}, []string{"serve", "--now", "2026-07-15T12:30:00Z"}, "--now is for tests"},
		"athlete id":            {[]string{"ATHLETE_ID=x1"}, []string{"stdio"}, "ATHLETE_ID must be all digits (e.g. 123456) or start with 'i' followed by digits (e.g. i123456)"},
		"athlete id, serve":     {[]string{"ATHLETE_ID=i12/3"}, []string{"serve", "--demo"}, "ATHLETE_ID must be all digits"},
		"log level":             {[]string{"LOG_LEVEL=loud"}, []string{"stdio"}, "LOG_LEVEL"},
		"key with a newline":    {[]string{"API_KEY=a\nb"}, []string{"stdio"}, "API_KEY"},
		"base url":              {[]string{key, "INTERVALS_API_BASE_URL=ftp://x"}, []string{"stdio"}, "INTERVALS_API_BASE_URL"},
		"plain http elsewhere":  {[]string{key, "INTERVALS_API_BASE_URL=http://example.com/api/v1"}, []string{"stdio"}, "plain http"},
		"address":               {nil, []string{"serve", "--demo", "--addr", "8765"}, "HOST:PORT"},
		"port taken":            {nil, []string{"serve", "--demo", "--addr", taken.Addr().String()}, "in use"},
		"fake port taken":       {nil, []string{"fake", "--load", filepath.Join("testdata", "athlete.json"), "--addr", taken.Addr().String()}, "in use"},
		"any interface":         {nil, []string{"serve", "--demo", "--addr", "0.0.0.0:0"}, "--insecure-any-interface"},
		"a host name":           {nil, []string{"serve", "--demo", "--addr", "example.com:0"}, "--insecure-any-interface"},
		"IPv6 any":              {nil, []string{"serve", "--demo", "--addr", "[::]:0"}, "--insecure-any-interface"},
		"data is a file":        {nil, []string{"serve", "--demo", "--addr", "127.0.0.1:0", "--data", file}, "data folder"},
		"data is a file, stdio": {nil, []string{"stdio", "--demo", "--data", file}, "data folder"},
		"data cannot be made":   {nil, []string{"stdio", "--data", "/proc/nowhere/data"}, "data folder"},
		"token file":            {nil, []string{"serve", "--demo", "--addr", "127.0.0.1:0", "--data", bad}, "holds no token"},
		"ready file":            {nil, []string{"serve", "--demo", "--addr", "127.0.0.1:0", "--ready-file", "/proc/nowhere/ready"}, "ready file"},
		"load":                  {nil, []string{"fake", "--load", file}, "--load"},
		"load nothing":          {nil, []string{"fake", "--load", file + "x"}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errs := finish(t, environ(t, c.env...), "", c.args...)
			if status != 2 {
				t.Errorf("status %d, want 2", status)
			}
			if strings.Count(errs, "\n") != 1 || !strings.HasSuffix(errs, "\n") || !strings.Contains(errs, c.says) {
				t.Errorf("stderr %q, want one line with %q", errs, c.says)
			}
			if out != "" {
				t.Errorf("stdout %q", out)
			}
		})
	}
}

func TestNowIsAcceptedOnDemoAndLoopback(t *testing.T) {
	for name, c := range map[string]struct{ env, args []string }{
		"demo":     {nil, []string{"--demo"}},
		"no key":   {nil, nil},
		"loopback": {[]string{"API_KEY=k", "INTERVALS_API_BASE_URL=http://127.0.0.1:1/api/v1"}, nil},
	} {
		status, _, errs := finish(t, environ(t, c.env...), "", append([]string{"stdio", "--now", "2026-07-15T12:30:00+02:00"}, c.args...)...)
		if status != 0 {
			t.Errorf("%s: %d %s", name, status, errs)
		}
	}
}
