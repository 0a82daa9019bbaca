package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
)

// figures are what a soak comes to.
type figures struct {
	Runs, Killed                                   int
	Changes, Previews, Written, Repeated, Resolved int
	Told, Broke, Contradictions                    map[string]int
}

func newFigures() *figures {
	return &figures{Told: map[string]int{}, Broke: map[string]int{}, Contradictions: map[string]int{}}
}

func (f *figures) told(a answer) {
	switch {
	case a.died:
		f.Told["(its process died)"]++
	case a.err != nil:
		f.Told["(could not be planned)"]++
	case a.res.Status == change.Replayed:
		f.Told["replayed, "+a.res.Outcome]++
	default:
		f.Told[string(a.res.Status)]++
	}
}

// kinds are the contradictions that are looked for.
var kinds = []string{"lost", "doubled", "unaudited", "not done", "left"}

func sum(m map[string]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}

// table writes the figures for docs/safety.md.
func (f *figures) table(seed uint64, took time.Duration) string {
	var b strings.Builder
	line := func(what string, n int) { fmt.Fprintf(&b, "| %s | %d |\n", what, n) }
	b.WriteString("| | |\n|---|--:|\n")
	line("seeded runs, in one process", f.Runs)
	line("runs with a process killed by SIGKILL, or that came to its end before", f.Killed)
	line("changes judged", f.Changes)
	line("faults that were met", sum(f.Broke))
	line("requests that wrote", f.Written)
	line("previews", f.Previews)
	line("calls repeated after an unknown end", f.Repeated)
	line("unfinished changes resolved by reading", f.Resolved)
	for _, k := range kinds {
		line("**"+k+"**", f.Contradictions[k])
	}
	list := func(m map[string]int) string {
		var out []string
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out = append(out, fmt.Sprintf("%s %d", k, m[k]))
		}
		return strings.Join(out, ", ")
	}
	fmt.Fprintf(&b, "\nAnswers: %s.\n\nFaults: %s.\n\nSeeds from %d on; %s.\n", list(f.Told), strings.ReplaceAll(list(f.Broke), "<html>", "`<html>`"), seed, took.Round(time.Second))
	return b.String()
}

// The figures stand between these lines of a file.
const from, to = "<!-- soak: written by `make soak` -->\n", "<!-- end of soak -->"

func write(path, table string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(b, []byte(from))
	_, after, ok2 := bytes.Cut(rest, []byte(to))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the figures", path)
	}
	return os.WriteFile(path, slices.Concat(before, []byte(from), []byte(table), []byte(to), after), 0o600)
}

// sqliteEach is of how many runs one has its stores in an SQLite file.
const sqliteEach = 20

func soak(runs, kills int, seed uint64, trace func(string, ...any)) (*figures, []string, error) {
	count := newFigures()
	var found []string
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	file := embedded.New(dir)
	defer file.Close() //nolint:errcheck // likewise
	for i := range runs {
		open, users := memory, ""
		if i%sqliteEach == sqliteEach-1 {
			open, users = sqlite(file), fmt.Sprintf("r%d-", i)
		}
		u, err := newRun(seed+uint64(i), open, users, count)
		if err != nil {
			return nil, nil, fmt.Errorf("seed %d: %w", seed+uint64(i), err)
		}
		u.trace = trace
		if err := u.story(); err != nil {
			return nil, nil, fmt.Errorf("seed %d: %w", u.seed, err)
		}
		found = append(found, u.found...)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	for i := range kills {
		dir, err := os.MkdirTemp(dir, "killed")
		if err != nil {
			return nil, nil, err
		}
		u, err := killed(program, seed+uint64(i), dir, count, trace)
		if err != nil {
			return nil, nil, fmt.Errorf("seed %d, killed: %w", seed+uint64(i), err)
		}
		found = append(found, u.found...)
	}
	return count, found, nil
}

func main() {
	runs := flag.Int("runs", 10000, "how many runs in this process")
	kills := flag.Int("kills", 300, "how many runs with a process that is killed")
	seed := flag.Uint64("seed", 1, "the first run's seed; each further one has the next")
	doc := flag.String("write", "", "a file into which the figures are written")
	verbose := flag.Bool("v", false, "tell each run step by step")
	child := flag.String("child", "", "be the process that is killed: the platform's address")
	dir := flag.String("dir", "", "of the child: its data folder")
	flag.Parse()
	if err := command(*runs, *kills, *seed, *doc, *verbose, *child, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func command(runs, kills int, seed uint64, doc string, verbose bool, child, dir string) error {
	if child != "" {
		return beKilled(child, dir, seed)
	}
	trace := func(string, ...any) {}
	if verbose {
		trace = func(format string, a ...any) { fmt.Printf(format+"\n", a...) }
	}
	start := time.Now()
	count, found, err := soak(runs, kills, seed, trace)
	if err != nil {
		return err
	}
	table := count.table(seed, time.Since(start))
	fmt.Print(table)
	for _, line := range found[:min(len(found), 40)] {
		fmt.Println(line)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d contradictions; -runs 1 -kills 0 -seed N -v tells the story of one (-runs 0 -kills 1 of a killed one)", len(found))
	}
	if doc != "" {
		return write(doc, table)
	}
	return nil
}
