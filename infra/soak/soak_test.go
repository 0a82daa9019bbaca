package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	audits "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/state/dynamo"
)

// stories runs some seeds and fails for every contradiction.
func stories(t *testing.T, open openStores, runs int) {
	t.Helper()
	count := newFigures()
	for seed := range uint64(runs) {
		u, err := newRun(seed, open, fmt.Sprintf("t%d-", seed), count)
		if err == nil {
			err = u.story()
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, line := range u.found {
			t.Error(line)
		}
	}
	if count.Written == 0 || sum(count.Broke) == 0 || count.Told["applied"] == 0 || count.Told["unknown"] == 0 {
		t.Errorf("the runs did not do or break much: %+v", count)
	}
}

func TestBrokenAtRandomNothingContradictsInMemory(t *testing.T) { stories(t, memory, 250) }

func TestBrokenAtRandomNothingContradictsOverSQLite(t *testing.T) {
	file := embedded.New(t.TempDir())
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	stories(t, sqlite(file), 60)
}

func TestBrokenAtRandomNothingContradictsOverDynamoDB(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		client, _, table, _ := awstest.NewTable(t, env, dynamo.Definition)
		log := awstest.Name(t)
		awstest.CreateTable(t, client, audits.Definition(log))
		stories(t, func(now func() time.Time) (stores, error) {
			return stores{audits.New(client, log), dynamo.New(client, table, log, now)}, nil
		}, 12)
	})
}

func TestASeedTellsTheSameStoryAgain(t *testing.T) {
	tell := func(seed uint64) string {
		var b strings.Builder
		u, err := newRun(seed, memory, "", newFigures())
		if err != nil {
			t.Fatal(err)
		}
		u.trace = func(format string, a ...any) {
			if line := fmt.Sprintf(format, a...); !strings.Contains(line, "more tries") {
				b.WriteString(line + "\n")
			}
		}
		if err := u.story(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for seed := range uint64(40) {
		if a, b := tell(seed), tell(seed); a != b {
			t.Errorf("seed %d:\n%s\nand\n%s", seed, a, b)
		}
	}
}

// A judge that finds nothing proves nothing: each kind of contradiction is put
// before it.
func TestTheJudgeSeesEachContradiction(t *testing.T) {
	event := func(id, name string) (string, thing) {
		return "event/" + id, thing{"event", id, map[string]any{"name": name, "start_date_local": "2026-07-20T00:00:00"}}
	}
	pic := func(ids ...string) picture {
		p := picture{}
		for _, s := range ids {
			id, name, _ := strings.Cut(s, "=")
			k, v := event(id, name)
			p[k] = v
		}
		return p
	}
	_, old := event("1", "a")
	create := want{kind: "event", action: "create", name: "n", set: map[string]any{"name": "n"}}
	rename := want{kind: "event", action: "update", id: "1", before: old, set: map[string]any{"name": "b"}}
	remove := want{kind: "event", action: "delete", id: "1", before: old}
	says := func(s change.Status, objects ...change.ObjectResult) answer {
		return answer{res: &change.Result{Status: s, Objects: objects}}
	}
	for _, tt := range []struct {
		what   string
		w      want
		after  picture
		told   answer
		expect string // "" = nothing
	}{
		{"a create that was done", create, pic("1=a", "2=n"), says(change.Applied), ""},
		{"a create that was not done", create, pic("1=a"), says(change.Applied), "not done"},
		{"a create that failed and stands", create, pic("1=a", "2=n"), says(change.FailedNow), "left"},
		{"a create that was refused and stands", create, pic("1=a", "2=n"), says(change.RefusedNow), "left"},
		{"a create that stands twice", create, pic("1=a", "2=n", "3=n"), says(change.Applied), "doubled"},
		{"a create of which nobody knows", create, pic("1=a", "2=n"), says(change.UnknownDone), ""},
		{"a create whose process died", create, pic("1=a"), answer{died: true}, ""},
		{"a create that took another event along", create, pic("2=n"), says(change.Applied), "lost"},
		{"a create that changed another event", create, pic("1=x", "2=n"), says(change.Applied), "lost"},
		{"a change that was done", rename, pic("1=b"), says(change.Applied), ""},
		{"a change that was not done", rename, pic("1=a"), says(change.Applied), "not done"},
		{"a change that failed and stands", rename, pic("1=b"), says(change.FailedNow), "left"},
		{"a change that failed and made a third state", rename, pic("1=c"), says(change.FailedNow), "left"},
		{"a change that deleted", rename, pic(), says(change.UnknownDone), "lost"},
		{"a delete that was done", remove, pic(), says(change.Applied), ""},
		{"a delete that was not done", remove, pic("1=a"), says(change.Applied), "not done"},
		{"a delete that failed and is gone", remove, pic(), says(change.FailedNow), "left"},
		{"a delete that was taken back under a new id", remove, pic("2=a"), says(change.FailedNow), ""},
		{"something that nobody wanted", remove, pic("5=z"), says(change.Applied), "left"},
		{"an object told taken back in an unknown change, that stands", rename, pic("1=b"),
			says(change.UnknownDone, change.ObjectResult{Kind: "event", Action: change.Update, ID: "1", Status: "rolled_back"}), "left"},
		{"an object told applied in an unknown change, that does not stand", rename, pic("1=a"),
			says(change.UnknownDone, change.ObjectResult{Kind: "event", Action: change.Update, ID: "1", Status: "applied"}), "not done"},
	} {
		var v verdict
		v.judge(op{wants: []want{tt.w}}, pic("1=a"), tt.after, []answer{tt.told})
		if (tt.expect == "") != (len(v.found) == 0) || tt.expect != "" && v.found[0].kind != tt.expect && (len(v.found) < 2 || v.found[1].kind != tt.expect) {
			t.Errorf("%s: found %v, want %q", tt.what, v.found, tt.expect)
		}
	}
}

func TestTheJudgeReadsTheLog(t *testing.T) {
	id := audit.NewID(startTime, "r1")
	item := func(n int, p audit.Phase, s audit.Status) audit.Item {
		return audit.Item{Change: id, N: n, Phase: p, Status: s}
	}
	applied := answer{res: &change.Result{Status: change.Applied, ChangeID: id.String(), Objects: []change.ObjectResult{{Status: "applied"}}}}
	whole := []audit.Item{item(0, audit.Intent, ""), item(1, audit.Intent, ""), item(0, audit.Outcome, audit.Applied), item(1, audit.Outcome, audit.Applied)}
	for what, tt := range map[string]struct {
		items []audit.Item
		fine  bool
	}{
		"all is there":                 {whole, true},
		"no intent":                    {whole[2:], false},
		"no outcome, and nothing said": {whole[:2], false},
		"another outcome":              {append(whole[:2:2], item(0, audit.Outcome, audit.Failed), whole[3]), false},
		"another outcome of an object": {append(whole[:3:3], item(1, audit.Outcome, audit.Failed)), false},
	} {
		var v verdict
		v.audited(applied, tt.items)
		if (len(v.found) == 0) != tt.fine {
			t.Errorf("%s: %v", what, v.found)
		}
	}
}

func TestFiguresAreWrittenBetweenTheirMarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(path, []byte("a\n"+from+"old\n"+to+"\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := write(path, "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "a\n"+from+"new\n"+to+"\nb\n" {
		t.Errorf("%q, %v", b, err)
	}
	if write(filepath.Join(t.TempDir(), "none"), "") == nil {
		t.Error("a file that is not there was written")
	}
}

func TestEveryTestThatTheDocumentNamesIsThere(t *testing.T) {
	doc, err := os.ReadFile("../../docs/safety.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, pattern := range []string{"../../internal/change/*_test.go", "*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(b)
		}
	}
	names := regexp.MustCompile(`Test[A-Z]\w+`).FindAllString(string(doc), -1)
	for _, name := range names {
		if !strings.Contains(source.String(), "func "+name+"(t *testing.T)") {
			t.Errorf("docs/safety.md names %s, which is not there", name)
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d tests are named", len(names))
	}
}
