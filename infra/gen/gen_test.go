package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/tools"
)

const projectRoot = "../.."

var update = flag.Bool("update", false, "renew docs/tools.md and the snapshots")

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	if *update {
		if err := write(projectRoot); err != nil {
			t.Fatal(err)
		}
	}
	want, err := generate(projectRoot)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range want {
		got, err := os.ReadFile(filepath.Join(projectRoot, name))
		if err != nil {
			t.Errorf("%v; run make generate", err)
		} else if !bytes.Equal(got, b) {
			t.Errorf("%s differs from the declarations at line %d; run make generate and look at the difference", name, firstDifference(got, b))
		}
	}
	committed, _ := filepath.Glob(filepath.Join(projectRoot, snapshotsDir, "*.json"))
	for _, name := range committed {
		if _, ok := want[filepath.Join(snapshotsDir, filepath.Base(name))]; !ok {
			t.Errorf("%s is the snapshot of no tool; run make generate", name)
		}
	}
}

func firstDifference(a, b []byte) int {
	n := 1
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '\n' {
			n++
		}
	}
	return n
}

func TestEveryDeclaredResultKeyIsAFieldOfTheResult(t *testing.T) {
	src, err := parse(projectRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.All() {
		rows := src.fields(tool.Name)
		if len(rows) == 0 {
			t.Errorf("%s: its result type cannot be seen in the source, so docs/tools.md has no fields", tool.Name)
			continue
		}
		inSource, declared := map[string]bool{}, map[string]bool{}
		for _, r := range rows {
			if !strings.Contains(r.path, ".") {
				inSource[r.path] = true
			}
		}
		for _, o := range tool.Result {
			declared[o.Name] = true
			if !inSource[o.Name] {
				t.Errorf("%s: the output schema has %q, the result type has not", tool.Name, o.Name)
			}
		}
		for name := range inSource {
			if !declared[name] {
				t.Errorf("%s: the result type has %q, the output schema has not", tool.Name, name)
			}
		}
	}
}

func TestTheReadmeCountsTheToolsThatThereAre(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(projectRoot, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	core := 0
	for _, tool := range tools.All() {
		if tool.Toolset == identity.ToolsetCore {
			core++
		}
	}
	for _, said := range []string{fmt.Sprintf("\n%d tools, each described", len(tools.All())), fmt.Sprintf(" %d of them are offered by default", core)} {
		if !strings.Contains(string(readme), said) {
			t.Errorf("README.md does not say %q", said)
		}
	}
}

func TestTheListOfToolsSendsNobodyToDesignNotes(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(projectRoot, "docs", "tools.md"))
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`\w+\.md [0-9"][^|]{0,20}`).Find(list); m != nil {
		t.Errorf("docs/tools.md cites %q, which its readers do not have: put it below the first sentence of the comment", m)
	}
}

var toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func TestToolsAreLeanAndSayWhatTheyDo(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range tools.All() {
		t.Run(tool.Name, func(t *testing.T) {
			if !toolName.MatchString(tool.Name) || seen[tool.Name] {
				t.Error("names are unique, at most 64 characters of [a-z0-9_]")
			}
			seen[tool.Name] = true
			if n := utf8.RuneCountInString(tool.Description); n == 0 || n >= 400 {
				t.Errorf("the description is %d characters long; under 400 are wanted", n)
			}
			if tool.Title == "" || strings.HasSuffix(tool.Title, ".") {
				t.Errorf("title %q", tool.Title)
			}
			orders := regexp.MustCompile(`(?i)\b(you must|always call|call this first|never call|ignore )`)
			if m := orders.FindString(tool.Description); m != "" {
				t.Errorf("the description gives the model orders: %q", m)
			}
			if tool.Scope != identity.ScopeRead && tool.Scope != identity.ScopeWrite || tool.Toolset != identity.ToolsetCore && tool.Toolset != identity.ToolsetFull {
				t.Errorf("scope %q, toolset %q", tool.Scope, tool.Toolset)
			}
			if tool.Hints.ReadOnly != (tool.Scope == identity.ScopeRead) {
				t.Error("a tool needs the read scope exactly when it only reads")
			}
			if tool.Hints.ReadOnly && (tool.Hints.Destructive || !tool.Hints.Idempotent) {
				t.Error("a tool that only reads is repeatable and destroys nothing")
			}
			if strings.HasPrefix(tool.Name, "delete_") && !tool.Hints.Destructive {
				t.Error("a tool that deletes is destructive")
			}
			if tool.Hints.OpenWorld != (tool.Name == "add_activity_message") {
				t.Error("only a message on an activity is seen by others")
			}
			if tool.Failure == "" {
				t.Error("no words for a failure")
			}
			schema := string(tool.InputSchema())
			for _, word := range []string{`"anyOf"`, `"null"`, `"api_key"`} {
				if strings.Contains(schema, word) {
					t.Errorf("the input schema has %s", word)
				}
			}
			if !strings.Contains(schema, `"additionalProperties":false`) {
				t.Error("unknown arguments must be refused")
			}
			for _, raw := range []json.RawMessage{tool.InputSchema(), tool.OutputSchema()} {
				if !json.Valid(raw) {
					t.Errorf("no JSON: %s", raw)
				}
			}
			for _, p := range tool.Params {
				if !toolName.MatchString(p.Name) {
					t.Errorf("parameter %q", p.Name)
				}
			}
		})
	}
}

// TestToolListsStayWithinTheirTokenBudget estimates: JSON schema text has 4.0
// to 4.6 characters a token (o200k_base), so 4.0 errs on the safe side. The
// exact figures are in docs/performance.md.
func TestToolListsStayWithinTheirTokenBudget(t *testing.T) {
	tokens := func(v any) int {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return len(b) / 4
	}
	type in struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	var lean, whole map[identity.Toolset]int = map[identity.Toolset]int{}, map[identity.Toolset]int{}
	for _, tool := range tools.All() {
		short := in{tool.Name, tool.Description, tool.InputSchema()}
		l := tokens(short)
		w := tokens(struct {
			in
			Title        string          `json:"title"`
			OutputSchema json.RawMessage `json:"outputSchema"`
			Annotations  struct {
				hints
				Title string `json:"title"`
			} `json:"annotations"`
		}{in: short, Title: tool.Title, OutputSchema: tool.OutputSchema()}) + len(tool.Title)/4
		lean[identity.ToolsetFull] += l
		whole[identity.ToolsetFull] += w
		if tool.Toolset == identity.ToolsetCore {
			lean[identity.ToolsetCore] += l
			whole[identity.ToolsetCore] += w
		}
		if l > 900 {
			t.Errorf("%s alone takes about %d tokens", tool.Name, l)
		}
	}
	for set, limit := range map[identity.Toolset][2]int{identity.ToolsetCore: {6000, 8000}, identity.ToolsetFull: {12000, 16000}} {
		t.Logf("%s: about %d tokens of name, description and input schema; %d in all", set, lean[set], whole[set])
		if lean[set] > limit[0] || whole[set] > limit[1] {
			t.Errorf("%s is over its budget of %d and %d tokens", set, limit[0], limit[1])
		}
	}
}
