package repo

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// files gives the project's files, relative to root: what git would commit,
// or without git everything outside the folders that are built.
func files(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "-co", "--exclude-standard")
	cmd.Dir = root
	if out, err := cmd.Output(); err == nil && len(out) > 0 {
		var all []string
		for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			if _, err := os.Stat(filepath.Join(root, name)); err == nil {
				all = append(all, name)
			}
		}
		return all
	}
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", ".tools", "bin", "dist", "node_modules", ".aws-sam"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		all = append(all, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryPackageTellsItsStoryInDocGo(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue
		}
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + filepath.Base(p.ImportPath) + " "
		}
		if !strings.HasPrefix(p.Doc, want) {
			t.Errorf("%s: its documentation begins %q, want %q", p.ImportPath, p.Doc, want+"...")
		}
		if p.Name == "main" && strings.HasPrefix(p.ImportPath, module+"infra/") {
			continue // small checks: one file that begins with its story
		}
		if !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go", p.ImportPath)
		}
	}
}

func TestNoPackageHasANameThatSaysNothing(t *testing.T) {
	for _, p := range packages(t) {
		switch p.Name {
		case "util", "utils", "common", "helpers", "misc", "base", "manager", "data":
			t.Errorf("%s: find the noun that says what is in it", p.ImportPath)
		}
	}
}

// TestNoFileDependsOnTheMachineItWasWrittenOn looks for absolute paths of a
// person's or a builder's machine. The pattern is put together so that this
// file does not match it.
func TestNoFileDependsOnTheMachineItWasWrittenOn(t *testing.T) {
	machine := regexp.MustCompile(`(^|[\s"'=(:` + "`" + `])/(` + strings.Join([]string{"wor" + "k", "roo" + "t", "hom" + "e", "User" + "s", "tm" + "p/[a-z]"}, "|") + `)(/|\b)|\.libr` + `ary/`)
	for _, name := range files(t) {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(b, 0) >= 0 {
			continue // a picture
		}
		for i, line := range strings.Split(string(b), "\n") {
			if machine.MatchString(line) {
				t.Errorf("%s:%d names a path of one machine: %.120s", name, i+1, strings.TrimSpace(line))
			}
		}
	}
}

func TestTheLicenceIsMIT(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(b), "MIT License\n") {
		t.Error("LICENSE is not MIT")
	}
}

// TestMakeHelpListsEveryTarget keeps `make help` honest, and the README's
// commands too.
func TestMakeHelpListsEveryTarget(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	included, err := filepath.Glob(filepath.Join(root, "infra", "*.mk"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range included {
		more, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, more...)
	}
	described := regexp.MustCompile(`(?m)^([a-z0-9-]+):.*## \S`)
	known := map[string]bool{}
	for _, m := range described.FindAllStringSubmatch(string(b), -1) {
		known[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(string(b), -1) {
		if !known[m[1]] {
			t.Errorf("the target %s has no description (## ...)", m[1])
		}
	}
	for _, want := range []string{"help", "run", "test", "build", "check", "generate", "bench", "conformance", "sdk-clients", "rie", "fuzz", "tools", "clean"} {
		if !known[want] {
			t.Errorf("no target %s", want)
		}
	}
	for _, doc := range []string{"README.md", "CHANGELOG.md", "docs/operations.md", "docs/security.md", "docs/clients.md", "infra/README.md"} {
		b, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Errorf("%s is missing", doc)
			continue
		}
		for _, m := range regexp.MustCompile("(?m)(?:`|^\\$? *)make ([a-z0-9-]+)").FindAllStringSubmatch(string(b), -1) {
			if !known[m[1]] {
				t.Errorf("%s speaks of `make %s`, which does not exist", doc, m[1])
			}
		}
	}
}
