package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "intervals-mcp/"

// rank orders the rooms: a package may import only packages of a lower rank or
// of its own. A new package needs a place here.
var rank = map[string]int{
	"internal/workout":  0,
	"internal/training": 0,
	"internal/printed":  0, // what tests read of a running program
	"internal/identity": 1,
	"internal/secrets":  1,
	"internal/awsenv":   1, // AWS clients from a function's environment

	"internal/intervals": 2,
	"internal/state":     2,
	"internal/audit":     2,
	"internal/embedded":  2, // the SQLite file behind audit, identity, secrets and state

	"internal/change":     3,
	"internal/authorizer": 3,
	"internal/tools":      4,
	"internal/charts":     4,
	"internal/mcpserver":  5,
	"internal/operator":   5, // what the operator commands do
	"internal/oauth":      5,
	"internal/gateway":    5,
	"internal/metrics":    5, // counts calls and audit failures of what it wraps

	"functions": 6,
	"cmd":       6,
	"infra":     7,

	"internal/intervals/fake": 3,
}

// stdlibOnly are the pure rooms.
var stdlibOnly = []string{"internal/workout", "internal/training"}

type goPackage struct {
	ImportPath, Name, Dir, Doc         string
	Imports, TestImports, XTestImports []string
	GoFiles                            []string
	Standard                           bool
	Module                             *struct{ Path, Version, Dir string }
}

// listed gives what `go list` says of all packages of the module.
var listed = sync.OnceValues(func() ([]goPackage, error) { return golist("./...") })

func golist(args ...string) ([]goPackage, error) {
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Name,Dir,Doc,Imports,TestImports,XTestImports,GoFiles,Standard,Module"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux") // what ships is linked for Linux
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New("go list: " + err.Error() + ": " + stderr.String())
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// room gives the longest entry of rank that a path of this module lies in.
func room(path string) (name string, ok bool) {
	path = strings.TrimPrefix(path, module)
	for r := range rank {
		if (path == r || strings.HasPrefix(path, r+"/")) && len(r) > len(name) {
			name, ok = r, true
		}
	}
	return name, ok
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from, ok := room(p.ImportPath)
		if !ok {
			t.Errorf("%s has no place in the import graph: add it to rank", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if !strings.HasPrefix(imp, module) {
				continue
			}
			if to, _ := room(imp); rank[to] > rank[from] {
				t.Errorf("%s imports %s: dependencies point the other way", p.ImportPath, imp)
			}
		}
	}
}

func TestOnlyCmdAndTestsImportTheFake(t *testing.T) {
	for _, p := range packages(t) {
		from, _ := room(p.ImportPath)
		if from == "cmd" || from == "infra" || from == "internal/intervals/fake" {
			continue
		}
		if slices.Contains(p.Imports, module+"internal/intervals/fake") {
			t.Errorf("%s imports the fake outside its tests", p.ImportPath)
		}
	}
}

func TestPureRoomsImportOnlyTheStandardLibrary(t *testing.T) {
	for _, p := range packages(t) {
		if from, _ := room(p.ImportPath); !slices.Contains(stdlibOnly, from) {
			continue
		}
		for _, imp := range p.Imports {
			if first, _, _ := strings.Cut(imp, "/"); strings.Contains(first, ".") || strings.HasPrefix(imp, module) {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
		}
	}
}

// linked gives the packages that the programs under a folder are built from.
func linked(t *testing.T, folder string) []goPackage {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
		t.Fatalf("%s is missing", folder)
	}
	all, err := golist("-deps", "./"+folder+"/...")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestShippedProgramsLinkNothingTheyShouldNot(t *testing.T) {
	benchOnly := []string{"github.com/tiktoken-go/", "github.com/modelcontextprotocol/go-sdk", "testing", module + "infra/"}
	for folder, forbidden := range map[string][]string{
		"cmd":       benchOnly,
		"functions": append([]string{"modernc.org/", module + "internal/intervals/fake", module + "internal/embedded"}, benchOnly...),
	} {
		t.Run(folder, func(t *testing.T) {
			for _, p := range linked(t, folder) {
				for _, f := range forbidden {
					if p.ImportPath == f || strings.HasSuffix(f, "/") && strings.HasPrefix(p.ImportPath, f) || strings.HasPrefix(p.ImportPath, f+"/") {
						t.Errorf("programs of %s link %s", folder, p.ImportPath)
					}
				}
			}
		})
	}
}

func TestLinkedModulesHavePermissiveLicences(t *testing.T) {
	seen := map[string]bool{}
	for _, folder := range []string{"cmd", "functions"} {
		for _, p := range linked(t, folder) {
			if p.Module == nil || p.Module.Version == "" || seen[p.Module.Path] {
				continue
			}
			seen[p.Module.Path] = true
			if err := permissive(p.Module.Dir); err != nil {
				t.Errorf("%s %s: %v", p.Module.Path, p.Module.Version, err)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no linked module was found")
	}
}

func permissive(dir string) error {
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		base := strings.ToUpper(filepath.Base(name))
		if !strings.HasPrefix(base, "LICENSE") && !strings.HasPrefix(base, "LICENCE") && !strings.HasPrefix(base, "COPYING") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		text := strings.ToUpper(strings.Join(strings.Fields(string(b)), " "))
		for _, bad := range []string{"GNU GENERAL PUBLIC", "GNU AFFERO", "GNU LESSER"} {
			if strings.Contains(text, bad) {
				return errors.New("its licence is " + bad)
			}
		}
		for _, good := range []string{"PERMISSION IS HEREBY GRANTED, FREE OF CHARGE", "APACHE LICENSE", "REDISTRIBUTION AND USE IN SOURCE AND BINARY FORMS", "MOZILLA PUBLIC LICENSE"} {
			if strings.Contains(text, good) {
				return nil
			}
		}
		return errors.New("its licence " + base + " is none of those known here")
	}
	return errors.New("it has no licence file")
}
