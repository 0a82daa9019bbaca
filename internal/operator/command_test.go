package operator

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// U+009B begins a control sequence, U+202E turns the line around.
func TestJSONDoesNotMoveATerminalsCursor(t *testing.T) {
	var out bytes.Buffer
	c := &command{Process: Process{Stdout: &out}}
	for _, name := range []string{"a\u009b2J", "a\x1b[2J", "\u202ea", "\x7f", "\U000e0041", "<é 1 > 2> \U0001f600"} {
		out.Reset()
		if err := c.writeJSON(map[string]any{"name": name, "raw": json.RawMessage(`"` + strings.ReplaceAll(name, "\x1b", "") + `"`)}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }) {
			t.Errorf("%q", out.String())
		}
		var back struct{ Name string }
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.Name != name {
			t.Errorf("%q came back as %q, %v", name, back.Name, err)
		}
	}
}

func TestAnExportedCellIsNoFormula(t *testing.T) {
	for _, cell := range []string{"=1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x"} {
		if got := harmless(cell); got != "'"+cell {
			t.Errorf("%q stays %q", cell, got)
		}
	}
	for _, cell := range []string{"", "i1", "{}", "é=1", "1-2"} {
		if got := harmless(cell); got != cell {
			t.Errorf("%q becomes %q", cell, got)
		}
	}
}
