package tools

import (
	"strings"

	"intervals-mcp/internal/intervals"
)

// Quote delivers untrusted text as data: one line in double quotes, inner
// double quotes made single, control characters gone, cut at limit runes.
func Quote(s string, limit int) string {
	return `"` + strings.ReplaceAll(intervals.Clean(s, limit), `"`, "'") + `"`
}

// QuoteBlock delivers longer untrusted text as data, its lines kept, each
// behind "> ", so that none of it can be taken for this server's own words.
func QuoteBlock(s string, limit int) string {
	var b strings.Builder
	left := limit
	for line := range strings.Lines(strings.ReplaceAll(s, "\r\n", "\n")) {
		if left <= 0 {
			b.WriteString("> …\n")
			break
		}
		clean := intervals.Clean(line, left)
		left -= len([]rune(clean)) + 1
		b.WriteString("> " + clean + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// cleanAll delivers short untrusted texts, such as tags, as data; empty ones
// say nothing.
func cleanAll(list []string) []string {
	var out []string
	for _, s := range list {
		if s = intervals.Clean(s, 40); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// parts joins the non-empty pieces of a record's line.
func parts(sep string, pieces ...string) string {
	kept := pieces[:0:0]
	for _, p := range pieces {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}
