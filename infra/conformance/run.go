package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// suite runs the conformance suite's command against a server.
type suite struct{ node, script, lists, url, out string }

// flaky are the scenarios, and their checks, that wait for notifications sent
// shortly before a result: mcp-go loses some of those (its pull request 969,
// open). They cannot stand in the lists, because an entry that passes fails
// the run; when nothing else failed in them, they are repeated by name until
// they pass once. A lost notification now and then keeps an exchange open until
// the suite's own time-out, which it reports as a check of its own.
var flaky = map[string][]string{
	"tools-call-with-progress": {"tools-call-with-progress", "scenario-timeout"},
	"tools-call-with-logging":  {"tools-call-with-logging", "scenario-timeout"},
	"server-stateless":         {"sep-2575-server-sends-subscription-ack", "sep-2575-server-tags-subscription-id", "scenario-timeout"},
}

const tries = 20

// requirements runs everything that a protocol version requires of a server.
func (s suite) requirements(ctx context.Context, version string) error {
	list := filepath.Join(s.lists, "expected-"+version+".yml")
	expected, err := readList(list)
	if err != nil {
		return err
	}
	// Without the suite's own --expected-failures: with it the suite also fails
	// on warnings and no longer says which scenarios are not scored.
	output, exit := s.command(ctx, "--requirements", version)
	sum := summarize(output)
	if len(sum.passed)+len(sum.failed) == 0 {
		return fmt.Errorf("%s: the suite reported nothing:\n%s", version, output)
	}
	var unexpected, stale, missing []string
	for _, name := range sum.failed {
		if !slices.Contains(expected, name) {
			unexpected = append(unexpected, name)
		}
	}
	for _, name := range expected {
		if slices.Contains(sum.passed, name) {
			stale = append(stale, name)
		} else if !slices.Contains(sum.failed, name) {
			missing = append(missing, name)
		}
	}
	var repeated []string
	unexpected = slices.DeleteFunc(unexpected, func(name string) bool {
		if s.mayRepeat(name) && s.repeat(ctx, version, name) {
			repeated = append(repeated, name)
			return true
		}
		return false
	})
	fmt.Printf("%s: %d of %d required server scenarios pass; %d expected failures", version, len(sum.passed)+len(repeated), len(sum.passed)+len(sum.failed), len(expected))
	if len(repeated) > 0 {
		fmt.Printf("; passed when repeated: %s", strings.Join(repeated, ", "))
	}
	fmt.Println()
	switch {
	case len(unexpected)+len(stale)+len(missing) > 0:
		return fmt.Errorf("%s: failing unexpectedly: %v; listed but passing: %v; listed but not run: %v%s", version, unexpected, stale, missing, s.why(unexpected))
	case exit != nil && len(repeated)+len(expected) == 0:
		return fmt.Errorf("%s: %w\n%s", version, exit, output)
	}
	return nil
}

type check struct{ ID, Status, ErrorMessage string }

// failures gives the checks that failed in a scenario.
func (s suite) failures(scenario string) (failed []check) {
	files, _ := filepath.Glob(filepath.Join(s.out, "server-"+scenario+"-20*", "checks.json"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		var checks []check
		if err != nil || json.Unmarshal(raw, &checks) != nil {
			continue
		}
		failed = append(failed, slices.DeleteFunc(checks, func(c check) bool { return c.Status != "FAILURE" })...)
	}
	return failed
}

func (s suite) why(scenarios []string) string {
	var b strings.Builder
	for _, name := range scenarios {
		for _, c := range s.failures(name) {
			fmt.Fprintf(&b, "\n  %s: %s: %s", name, c.ID, c.ErrorMessage)
		}
	}
	return b.String()
}

func (s suite) mayRepeat(scenario string) bool {
	failed := s.failures(scenario)
	return len(failed) > 0 && !slices.ContainsFunc(failed, func(c check) bool { return !slices.Contains(flaky[scenario], c.ID) })
}

// repeat runs one scenario until it passes.
func (s suite) repeat(ctx context.Context, version, name string) bool {
	for range tries {
		if _, err := s.command(ctx, "--scenario", name, "--spec-version", version); err == nil {
			return true
		}
	}
	return false
}

func (s suite) command(ctx context.Context, args ...string) (string, error) {
	args = append([]string{s.script, "server", "--url", s.url, "-o", s.out}, args...)
	out, err := exec.CommandContext(ctx, s.node, args...).CombinedOutput()
	return string(out), err
}

// summary is what the suite says of the scored scenarios.
type summary struct{ passed, failed []string }

var (
	scenarioLine = regexp.MustCompile(`^([✓✗]) ([a-z0-9-]+): \d+ passed, \d+ failed`)
	unscoredLine = regexp.MustCompile(`^\s+[✓✗] ([a-z0-9-]+) \(`)
	colours      = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

func summarize(output string) summary {
	_, output, _ = strings.Cut(colours.ReplaceAllString(output, ""), "=== SUMMARY ===")
	marks := map[string]string{}
	var order []string
	for line := range strings.Lines(output) {
		if m := scenarioLine.FindStringSubmatch(line); m != nil {
			marks[m[2]] = m[1]
			order = append(order, m[2])
		}
		if m := unscoredLine.FindStringSubmatch(line); m != nil {
			delete(marks, m[1])
		}
	}
	var s summary
	for _, name := range order {
		switch marks[name] {
		case "✓":
			s.passed = append(s.passed, name)
		case "✗":
			s.failed = append(s.failed, name)
		}
	}
	return s
}

// readList reads a list of expected failures in the suite's own format:
//
//	server:
//	  # the reason
//	  - scenario
//
// Each entry must have a comment above it.
func readList(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var names []string
	reason := false
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		name, entry := strings.CutPrefix(line, "- ")
		switch {
		case strings.HasPrefix(line, "#"):
			reason = true
		case entry && !reason:
			return nil, fmt.Errorf("%s: %s has no reason above it", path, name)
		case entry:
			names = append(names, name)
			reason = false
		case line == "server:", line == "server: []", line == "":
			reason = false
		default:
			return nil, errors.New(path + ": cannot read: " + line)
		}
	}
	return names, nil
}
