package compat

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

//go:embed b_marks.txt
var marks string

const wanted = 38

func TestEachOfThe38CorrectedDefectsHasATestOfItsOwn(t *testing.T) {
	exist := testFunctions(t, "../../internal", "../../cmd")
	used := map[string]int{}
	n := 0
	for line := range strings.Lines(marks) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		parts := strings.Split(line, "|")
		if len(parts) != 4 {
			t.Errorf("not four parts: %s", line)
			continue
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		number, section, what, test := parts[0], parts[1], parts[2], parts[3]
		if number != strconv.Itoa(n) {
			t.Errorf("line %d has the number %s", n, number)
		}
		if s, err := strconv.Atoi(section); err != nil || s < 0 || s > 20 || what == "" {
			t.Errorf("%s: section %q, text %q", number, section, what)
		}
		if !exist[test] {
			t.Errorf("%s, %s: no test function is called %q", number, what, test)
		}
		if before := used[test]; before != 0 {
			t.Errorf("%s has the same test as %d: %s", number, before, test)
		}
		used[test] = n
	}
	if n != wanted {
		t.Errorf("%d lines, want %d", n, wanted)
	}
}

// testFunctions gives the names of the test functions under some folders.
func testFunctions(t *testing.T, folders ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range f.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
					names[fn.Name.Name] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
