package signin

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// root is the repository, as the tests of packages in infra see it.
const root = "../.."

// tool gives the absolute path of what was fetched into .tools. Where it is
// missing the test is skipped, and with CI=true it fails.
func tool(t testing.TB, pattern ...string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(append([]string{root, ".tools"}, pattern...)...))
	if err == nil && len(found) == 0 {
		err = errors.New(filepath.Join(pattern...) + " is missing: `make signin` fetches it")
		if os.Getenv("CI") != "true" {
			t.Skip(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// node gives a Node of 22 or newer: the one among the packages, else PATH's.
func node(t testing.TB) string {
	t.Helper()
	if found, _ := filepath.Glob(filepath.Join(root, ".tools/npm/node_modules/node-linux-*/bin/node")); len(found) > 0 {
		return tool(t, "npm", "node_modules", "node-linux-*", "bin", "node")
	}
	path, err := exec.LookPath("node")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
