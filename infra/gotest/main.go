// Command gotest reads `go test -json` and prints what a person wants to see:
// one line for each package as go test prints it, the whole output of tests
// that failed, the tests that were skipped with their reason, and at the end
// one line that counts them: "N passed, N failed, N skipped".
//
//	go test -json ./... | go run ./infra/gotest
//
// With CI=true a skipped test is a failure, because a check that silently did
// not run is how things rot. Only tests that read ../shared (other people's
// data, which the project does not carry) may be skipped where it is missing.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	_, err := os.Stat("../shared")
	os.Exit(report(os.Stdin, os.Stdout, os.Getenv("CI") == "true", err == nil))
}

// event is one line of `go test -json` (see `go doc test2json`).
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Output      string
	FailedBuild string
}

// counts are tests and subtests that have no subtests of their own, so that a
// table of ten cases counts ten and not eleven.
type counts struct{ passed, failed, skipped int }

func report(in io.Reader, out io.Writer, ci, hasShared bool) (exit int) {
	var (
		n       counts
		output  = map[string][]string{} // by package and test
		parents = map[string]bool{}
		skips   []string
		lines   = bufio.NewScanner(in)
	)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(out, lines.Text()) // the go command's own words
			continue
		}
		key := e.Package + "\x00" + e.Test
		switch e.Action {
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "run":
			if i := strings.LastIndexByte(e.Test, '/'); i > 0 {
				parents[e.Package+"\x00"+e.Test[:i]] = true
			}
		case "output":
			if e.Test != "" {
				output[key] = append(output[key], e.Output)
			} else if keep(e.Output) {
				fmt.Fprint(out, e.Output)
			}
		case "pass":
			if e.Test != "" && !parents[key] {
				n.passed++
			}
			delete(output, key)
		case "skip":
			if e.Test == "" {
				continue
			}
			n.skipped++
			why := strings.Join(output[key], "")
			skips = append(skips, e.Package+" "+e.Test+": "+reason(why))
			if ci && (hasShared || !strings.Contains(why, "../shared")) {
				exit = 1
			}
		case "fail":
			exit = 1
			if e.Test == "" {
				if e.FailedBuild != "" {
					n.failed++
				}
				continue
			}
			fmt.Fprint(out, strings.Join(output[key], ""))
			if !parents[key] {
				n.failed++
			}
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(out, "gotest:", err)
		exit = 1
	}
	for _, s := range skips {
		fmt.Fprintln(out, "skipped:", s)
	}
	if len(skips) > 0 && exit != 0 && n.failed == 0 {
		fmt.Fprintln(out, "CI=true: nothing may be skipped here")
	}
	if n == (counts{}) {
		fmt.Fprintln(out, "no test was run")
		exit = 1
	}
	fmt.Fprintf(out, "%d passed, %d failed", n.passed, n.failed)
	if n.skipped > 0 {
		fmt.Fprintf(out, ", %d skipped", n.skipped)
	}
	fmt.Fprintln(out)
	return exit
}

// keep drops what says nothing: bare PASS lines and packages without tests.
func keep(line string) bool {
	return line != "PASS\n" && line != "testing: warning: no tests to run\n" && !strings.Contains(line, "[no test files]")
}

func reason(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			return line
		}
	}
	return "no reason given"
}
