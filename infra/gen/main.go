// Command gen writes what follows from the tools' declarations: docs/tools.md
// and one snapshot of each tool in internal/tools/testdata/snapshots. Run it
// by `make generate`; its test fails while a committed file differs from what
// it would write, so that no change to a tool goes unnoticed.
//
// The fields of results come from the source (fields.go): their names, types
// and comments stand there once. Where a record has no struct they are those
// that the tools really answer about the demo athlete (observe.go).
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"intervals-mcp/internal/tools"
)

const (
	docPath      = "docs/tools.md"
	snapshotsDir = "internal/tools/testdata/snapshots"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write renews the files under root and removes snapshots of tools that are
// gone.
func write(root string) error {
	want, err := generate(root)
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(root, snapshotsDir, "*.json"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, ok := want[filepath.Join(snapshotsDir, filepath.Base(name))]; !ok {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	for name, b := range want {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate gives the files by their path from the root of the project.
func generate(root string) (map[string][]byte, error) {
	src, err := parse(root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	all := tools.All()
	for _, t := range all {
		b, err := snapshot(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		files[filepath.Join(snapshotsDir, t.Name+".json")] = b
	}
	if files[docPath], err = document(all, src); err != nil {
		return nil, err
	}
	return files, nil
}

// hints are the MCP annotations under their wire names.
type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

func snapshot(t tools.Tool) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(struct {
		Name         string          `json:"name"`
		Title        string          `json:"title"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
		Annotations  hints           `json:"annotations"`
		Scope        string          `json:"scope"`
		Toolset      string          `json:"toolset"`
	}{t.Name, t.Title, t.Description, t.InputSchema(), t.OutputSchema(), hints(t.Hints), string(t.Scope), string(t.Toolset)})
	return b.Bytes(), err
}
