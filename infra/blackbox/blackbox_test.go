package blackbox

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheRulesHoldFromOutside checks what the environment names, or else a
// serve with a fake Intervals.icu, with everything that can be checked.
func TestTheRulesHoldFromOutside(t *testing.T) {
	target, ok, err := FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		target, _ = serve(t)
	}
	Suite(t, target)
}

// build builds a program of the project: from outside it is only a file.
func build(t *testing.T, path string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	cmd := exec.Command("go", "build", "-o", out, path)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", path, err, msg)
	}
	return out
}

// start runs a program of the command line until the test ends, and decodes
// its ready file.
func start(t *testing.T, ready any, env []string, program string, args ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ready.json")
	cmd := exec.Command(program, append(args, "--addr", "127.0.0.1:0", "--ready-file", file)...)
	var errs bytes.Buffer
	cmd.Env, cmd.Stderr = env, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 600 {
		if b, err := os.ReadFile(file); err == nil {
			if err := json.Unmarshal(b, ready); err != nil {
				t.Fatal(err)
			}
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("%v does not get ready", args)
}

type object = map[string]any

// serve starts a fake and a serve for it: the user of the machine is the demo
// athlete, two others are enrolled, one of them a coach.
func serve(t *testing.T) (Target, platform) {
	t.Helper()
	program, enrol, data := build(t, "../../cmd/intervals-mcp"), build(t, "./enrol"), t.TempDir()
	env := append(os.Environ(), "HOME="+t.TempDir(), "LOG_LEVEL=error")
	var fake struct {
		URL      string
		Athletes []struct {
			ID      string
			APIKey  string   `json:"api_key"`
			CoachOf []string `json:"coach_of"`
		}
	}
	start(t, &fake, env, program, "fake")
	var s struct{ URL, Token string }
	start(t, &s, append(env, "API_KEY="+fake.Athletes[0].APIKey, "INTERVALS_API_BASE_URL="+fake.URL), program, "serve", "--toolset", "full", "--data", data)

	run := func(world any, args ...string) (made map[string]struct{ Token, ID string }) {
		in, err := json.Marshal(world)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(enrol, append([]string{"-data", data}, args...)...)
		var errs strings.Builder
		cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("enrol: %v %s", err, errs.String())
		}
		if len(out) > 0 {
			if err := json.Unmarshal(out, &made); err != nil {
				t.Fatal(err)
			}
		}
		return made
	}
	world := []object{{"user": "local", "tokens": object{
		"core": object{"scope": "write", "toolset": "core"}, "reader": object{"scope": "read", "toolset": "full"},
		"destructive": object{"scope": "write", "toolset": "full", "confirm": "destructive"},
		"never":       object{"scope": "write", "toolset": "full", "confirm": "never"},
		"person":      object{"scope": "write", "toolset": "full", "confirm": "person"},
		"expired":     object{"scope": "write", "toolset": "full", "expired": true}}}}
	target := Target{URL: s.URL, Token: s.Token, Writes: true, SignIn: true}
	for _, a := range fake.Athletes[1:] {
		switch {
		case len(a.CoachOf) >= 2:
			target.Coach.May, target.Coach.MayNot = a.CoachOf[0], a.CoachOf[1]
			world = append(world, object{"user": a.ID, "athlete": a.ID, "key": a.APIKey, "coach": true, "athletes": a.CoachOf,
				"tokens": object{"coach": object{"scope": "write", "toolset": "full", "athletes": a.CoachOf[:1]}}})
		case target.Other == "":
			target.Other = a.ID
			world = append(world, object{"user": a.ID, "athlete": a.ID, "key": a.APIKey,
				"tokens": object{"other": object{"scope": "write", "toolset": "full"}}})
		}
	}
	made := run(world)
	target.Core, target.Reader, target.Expired = made["core"].Token, made["reader"].Token, made["expired"].Token
	target.Destructive, target.Never, target.Person = made["destructive"].Token, made["never"].Token, made["person"].Token
	if target.Coach.May == fake.Athletes[0].ID {
		target.Coach.Own = s.Token
	}
	target.Other, target.Coach.Token = made["other"].Token, made["coach"].Token
	target.Create = func(t *testing.T) (token, id string) {
		m := run([]object{{"user": "local", "tokens": object{"new": object{"scope": "read", "toolset": "core"}}}})["new"]
		return m.Token, m.ID
	}
	target.Revoke = func(t *testing.T, id string) { run(nil, "-revoke", id) }
	target.Break = func(t *testing.T) { run(nil, "-sql", "ALTER TABLE tokens RENAME TO tokens_gone") }
	target.Mend = func(t *testing.T) { run(nil, "-sql", "ALTER TABLE tokens_gone RENAME TO tokens") }
	return target, platform{fake.URL, fake.Athletes[0].APIKey}
}
