package operator

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"intervals-mcp/internal/intervals"
)

// table is rows below a header. Cells are foreign text: what could move a
// terminal's cursor is taken out.
type table struct {
	header []string
	rows   [][]string
}

const maxCell = 100

func (t *table) row(cells ...string) {
	for i, cell := range cells {
		if cell = intervals.Clean(cell, maxCell); cell == "" {
			cell = "-"
		}
		cells[i] = cell
	}
	t.rows = append(t.rows, cells)
}

// write aligns the columns. On a terminal the last one is cut at its edge; in
// a pipe nothing is.
func (t *table) write(w io.Writer) error {
	widths := make([]int, len(t.header))
	all := append([][]string{t.header}, t.rows...)
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	edge := width(w)
	var b strings.Builder
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			if i == len(row)-1 {
				line.WriteString(cell)
				break
			}
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(cut(strings.TrimRight(line.String(), " "), edge) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cut shortens a line to n characters; 0 = not at all.
func cut(s string, n int) string {
	if n <= 1 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// when writes a time for a table: UTC, to the minute.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// stamp writes a time for programs; nil when there is none.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
