package change

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"intervals-mcp/internal/intervals"
)

const module = "intervals-mcp/"

// eachFile parses every Go file of the module that is not a test.
func eachFile(t *testing.T, visit func(path string, f *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		visit(filepath.ToSlash(rel), f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func imports(f *ast.File) []string {
	var out []string
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		out = append(out, p)
	}
	return out
}

func TestOnlyThisPackageMakesAWriter(t *testing.T) {
	found := 0
	eachFile(t, func(path string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || (id.Name != "NewWriter" && id.Name != "Writer") {
				return true
			}
			switch {
			case strings.HasPrefix(path, "internal/change/"):
				found++
			case path == "internal/intervals/write.go":
			default:
				if slices.Contains(imports(f), module+"internal/intervals") && usesWriterOf(f) {
					t.Errorf("%s uses intervals.%s", path, id.Name)
				}
			}
			return true
		})
	})
	if found == 0 {
		t.Error("not even this package makes one: the test looks in the wrong place")
	}
}

// usesWriterOf reports whether a file names intervals.Writer or NewWriter; other
// packages have writers of their own (bufio.Writer).
func usesWriterOf(f *ast.File) bool {
	used := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "intervals" && (s.Sel.Name == "Writer" || s.Sel.Name == "NewWriter") {
				used = true
			}
		}
		return true
	})
	return used
}

func TestTheWriterHasExactlyTheKnownMethods(t *testing.T) {
	want := []string{"AddMessage", "CreateCustomItem", "CreateEvent", "CreateEvents", "DeleteCustomItem", "DeleteEvent", "DeleteEvents", "PairActivity", "UpdateCustomItem", "UpdateEvent"}
	var got []string
	w := reflect.TypeFor[*intervals.Writer]()
	for i := range w.NumMethod() {
		got = append(got, w.Method(i).Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("methods %v, want %v: a new one needs its planner here, and must not be one of those that safety.md calls impossible", got, want)
	}
}

func TestTheClientCannotWrite(t *testing.T) {
	c := reflect.TypeFor[*intervals.Client]()
	for i := range c.NumMethod() {
		for _, verb := range []string{"Create", "Update", "Delete", "Add", "Put", "Post", "Set", "Apply", "Do", "Write", "Send"} {
			if strings.HasPrefix(c.Method(i).Name, verb) {
				t.Errorf("Client.%s", c.Method(i).Name)
			}
		}
	}
}

// The requests that must be impossible to build (safety.md) are told by the
// words of their paths and queries: no file but the fake's may hold them.
func TestImpossibleRequestsAreNowhereInTheSource(t *testing.T) {
	words := []string{"training-plan", "athlete-plans", "apply-plan", "tombstone", "notBefore", "streams.csv", "updatePlanApplied", "duplicate-events"}
	eachFile(t, func(path string, f *ast.File) {
		if strings.HasPrefix(path, "internal/intervals/fake/") || strings.HasPrefix(path, "infra/") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || strings.Contains(lit.Value, " ") {
				return true
			}
			for _, word := range words {
				if strings.Contains(lit.Value, word) {
					t.Errorf("%s holds %s", path, lit.Value)
				}
			}
			return true
		})
	})
}

func TestWritesAreSentFromOneFileOnly(t *testing.T) {
	eachFile(t, func(path string, f *ast.File) {
		if !strings.HasPrefix(path, "internal/intervals/") || strings.HasPrefix(path, "internal/intervals/fake/") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"MethodPost", "MethodPut", "MethodDelete", "MethodPatch"}, s.Sel.Name) && path != "internal/intervals/write.go" {
				t.Errorf("%s uses http.%s", path, s.Sel.Name)
			}
			return true
		})
	})
}

// The words by which a write to the platform becomes one that safety.md calls
// impossible: none may stand in the file that sends writes, and the upsert that
// may is by uid.
func TestTheWriterHasNoWordsForImpossibleRequests(t *testing.T) {
	allowed := []string{"upsertOnUid", "bulk", "bulk-delete", "events", "athlete", "activity", "messages", "custom-item", "paired_event_id", "content", "id", "uid", "true", "eventsDeleted"}
	seen := 0
	eachFile(t, func(path string, f *ast.File) {
		if path != "internal/intervals/write.go" {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			word, _ := strconv.Unquote(lit.Value)
			switch {
			case strings.Contains(word, " ") || word == "" || slices.Contains(imports(f), word): // for people
			case slices.Contains(allowed, word):
				seen++
			default:
				t.Errorf("%s holds %q: is it one of the requests that must be impossible?", path, word)
			}
			return true
		})
	})
	if seen == 0 {
		t.Error("the file was not found")
	}
}

// Only the road may write: no other package of the server sends a request to
// the platform by itself, and what reads has no way to send anything but GET.
func TestReadsAreSentWithGETOnly(t *testing.T) {
	eachFile(t, func(path string, f *ast.File) {
		if !strings.HasPrefix(path, "internal/intervals/") || strings.HasPrefix(path, "internal/intervals/fake/") || path == "internal/intervals/write.go" {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && slices.Contains([]string{`"POST"`, `"PUT"`, `"DELETE"`, `"PATCH"`}, lit.Value) {
				t.Errorf("%s holds %s", path, lit.Value)
			}
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "method" {
				if sel, ok := kv.Value.(*ast.SelectorExpr); !ok || sel.Sel.Name != "MethodGet" {
					t.Errorf("%s sends with a method that is not GET", path)
				}
			}
			return true
		})
	})
}

func TestFunctionsNeverCarrySQLite(t *testing.T) {
	imported := map[string]map[string]bool{} // by folder
	eachFile(t, func(path string, f *ast.File) {
		dir := path[:max(strings.LastIndex(path, "/"), 0)]
		if imported[dir] == nil {
			imported[dir] = map[string]bool{}
		}
		for _, p := range imports(f) {
			imported[dir][strings.TrimPrefix(p, module)] = true
		}
	})
	var visit func(from, dir string, seen map[string]bool)
	visit = func(from, dir string, seen map[string]bool) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		if dir == "internal/embedded" || strings.HasPrefix(dir, "modernc.org/") {
			t.Errorf("%s reaches %s", from, dir)
		}
		for p := range imported[dir] {
			visit(from, p, seen)
		}
	}
	for dir := range imported {
		if strings.HasPrefix(dir, "functions/") {
			visit(dir, dir, map[string]bool{})
		}
	}
}

func TestThisPackageLooksDownwardOnly(t *testing.T) {
	eachFile(t, func(path string, f *ast.File) {
		for _, p := range imports(f) {
			if strings.HasPrefix(path, "internal/change/") && strings.HasPrefix(p, module) &&
				!slices.Contains([]string{"intervals", "workout", "training", "audit", "state", "identity", "secrets"}, strings.TrimPrefix(p, module+"internal/")) {
				t.Errorf("%s imports %s", path, p)
			}
		}
	})
}
