package change

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// sameValue compares what was meant with what the platform holds: numbers
// within the precision of a 32-bit float, times of day with or without
// seconds, text without trailing white space.
func sameValue(key string, want, got any) bool {
	if a, ok := asNumber(want); ok {
		b, ok := asNumber(got)
		return ok && math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b))
	}
	switch want := want.(type) {
	case string:
		got, ok := got.(string)
		if !ok {
			return want == "" && got == ""
		}
		if strings.HasSuffix(key, "_local") {
			return sameTime(want, got)
		}
		return plainText(want) == plainText(got)
	case bool:
		g, ok := got.(bool)
		return ok && g == want
	}
	return bytes.Equal(canonical(want), canonical(got))
}

// isNone reports that a field holds nothing. What people write is text
// whatever it says: a session may be called "NONE".
func isNone(key string, v any) bool {
	if s, ok := v.(string); ok && (key == "name" || key == "description" || key == "content") {
		return strings.TrimSpace(s) == ""
	}
	return isEmpty(v)
}

// isEmpty reports a value that means "none", were it of a field of the
// platform's own words or of numbers.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == "" || v == "NONE" || v == "AUTO"
	case []any:
		return len(v) == 0
	case bool:
		return !v
	}
	n, ok := asNumber(v)
	return ok && n == 0
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

func sameTime(a, b string) bool {
	ta, errA := parseLocal(a)
	tb, errB := parseLocal(b)
	return errA == nil && errB == nil && ta.Equal(tb)
}

// plainText is text as an editor would show it: lines without trailing white
// space, no empty lines at the ends.
func plainText(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// canonical is a value's JSON with sorted keys and numbers written one way.
func canonical(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var plain any
	if json.Unmarshal(b, &plain) != nil {
		return nil
	}
	b, _ = json.Marshal(plain) // was decoded from JSON: cannot fail
	return b
}

// Local times on the wire.
const (
	localLayout = "2006-01-02T15:04:05"
)

func parseLocal(s string) (time.Time, error) {
	for _, layout := range []string{localLayout, "2006-01-02T15:04", training.DayLayout} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Parse(localLayout, s)
}

func dayOf(local string) string { d, _, _ := strings.Cut(local, "T"); return d }

const maxSummary = 160

// cut makes one line of at most n characters.
func cut(s string, n int) string { return intervals.Clean(s, n-1) }

// quote delivers a name as data: untrusted text on one line, in quotes.
func quote(s string, n int) string {
	return `"` + strings.ReplaceAll(intervals.Clean(s, n), `"`, "'") + `"`
}

// dayWords writes a day as "Tue 14 Jul 2026".
func dayWords(day string) string {
	t, err := time.Parse(training.DayLayout, dayOf(day))
	if err != nil {
		return day
	}
	return t.Format("Mon 2 Jan 2006")
}

func number(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }
