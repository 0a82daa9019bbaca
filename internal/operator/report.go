package operator

import (
	"fmt"
	"io"
	"slices"

	"intervals-mcp/internal/intervals"
)

// Finding is what doctor found out about one part.
type Finding struct {
	Part   string `json:"part"`
	State  string `json:"state"` // ok, note or wrong
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"` // what to do
}

// Report gathers findings and shows each as soon as it is there.
type Report struct {
	out      io.Writer // nil = they are only gathered
	findings []Finding
}

// OK notes a part that is as it should be.
func (r *Report) OK(part, found string, a ...any) { r.add("ok", part, "", found, a...) }

// Note notes what is not wrong and worth knowing.
func (r *Report) Note(part, remedy, found string, a ...any) { r.add("note", part, remedy, found, a...) }

// Wrong notes what must be mended.
func (r *Report) Wrong(part, remedy, found string, a ...any) {
	r.add("wrong", part, remedy, found, a...)
}

func (r *Report) add(state, part, remedy, found string, a ...any) {
	f := Finding{part, state, intervals.Clean(fmt.Sprintf(found, a...), 400), intervals.Clean(remedy, 400)}
	r.findings = append(r.findings, f)
	if r.out == nil {
		return
	}
	mark := map[string]string{"ok": "ok   ", "note": "note ", "wrong": "WRONG"}[state]
	_, _ = fmt.Fprintf(r.out, "%s  %-16s %s\n", mark, f.Part, f.Found) // nobody reads it then
	if f.Remedy != "" {
		_, _ = fmt.Fprintf(r.out, "       %-16s -> %s\n", "", f.Remedy)
	}
}

// has reports whether a part was looked at already.
func (r *Report) has(part string) bool {
	return slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Part == part })
}

// wrong counts what must be mended.
func (r *Report) wrong() (n int) {
	for _, f := range r.findings {
		if f.State == "wrong" {
			n++
		}
	}
	return n
}
