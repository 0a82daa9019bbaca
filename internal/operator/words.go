package operator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/intervals"
)

// known are the platform's fields in the order in which a person reads them:
// what they are called, and how a value is written (the platform's units are s,
// m, W, J). nil writes it as it is.
var known = []struct {
	name, label string
	write       func(json.RawMessage) string
}{
	{"start_date_local", "date", dateWords},
	{"end_date_local", "end", dateWords},
	{"category", "category", plainWord},
	{"type", "type", plainWord},
	{"name", "name", nil},
	{"description", "description", nil},
	{"moving_time", "time", timeWords},
	{"distance", "distance", distanceWords},
	{"icu_training_load", "load", nil},
	{"indoor", "indoor", yesNo},
	{"target", "target", plainWord},
	{"sub_type", "kind", plainWord},
	{"tags", "tags", listWords},
	{"color", "color", plainWord},
	{"for_week", "for the week", yesNo},
	{"carbs_per_hour", "carbohydrates", unit("g/h")},
	{"training_availability", "availability", plainWord},
	{"max_training_time", "time available", timeWords},
	{"can_train_sports", "sports possible", listWords},
	{"load_target", "load target", nil},
	{"time_target", "time target", timeWords},
	{"distance_target", "distance target", distanceWords},
	{"icu_ftp", "FTP", unit("W")},
	{"w_prime", "W'", unit("J")},
	{"p_max", "Pmax", unit("W")},
	{"ctl_days", "fitness days", nil},
	{"atl_days", "fatigue days", nil},
	{"not_on_fitness_chart", "off the fitness chart", yesNo},
	{"show_as_note", "shown as note", yesNo},
	{"show_on_ctl_line", "on the fitness line", yesNo},
	{"hide_from_athlete", "hidden from athlete", yesNo},
	{"athlete_cannot_edit", "locked for athlete", yesNo},
	{"structure_read_only", "steps locked", yesNo},
	{"visibility", "visibility", plainWord},
	{"hide_script", "script hidden", yesNo},
}

func orderOf(name string) int {
	for i, k := range known {
		if k.name == name {
			return i
		}
	}
	return len(known)
}

// inOrder sorts fields as a person reads them, those of other kinds of objects
// by name behind them.
func inOrder(a, b string) int {
	if c := cmp.Compare(orderOf(a), orderOf(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// fieldLabel is what a person calls a field.
func fieldLabel(name string) string {
	if i := orderOf(name); i < len(known) {
		return known[i].label
	}
	return intervals.Clean(name, 60)
}

// longValue is from where on a list or an object is written in several lines.
const longValue = 80

// valueLines writes a value for a person, in one line or in several; none for
// no value. What could move a terminal's cursor is taken out.
func valueLines(name string, v json.RawMessage) []string {
	if v == nil {
		return nil
	}
	if i := orderOf(name); i < len(known) && known[i].write != nil {
		if s := known[i].write(v); s != "" {
			return []string{intervals.Clean(s, 500)}
		}
	}
	var s string
	if json.Unmarshal(v, &s) == nil {
		return textLines(s)
	}
	var left struct {
		Bytes int `json:"_not_kept_bytes"`
	}
	if json.Unmarshal(v, &left) == nil && left.Bytes > 0 {
		return []string{fmt.Sprintf("(%d bytes, too large for the log)", left.Bytes)}
	}
	if len(v) > longValue && (v[0] == '{' || v[0] == '[') {
		var b bytes.Buffer
		if json.Indent(&b, v, "", "  ") == nil {
			return cleanLines(b.String())
		}
	}
	return []string{intervals.Clean(string(v), 2000)}
}

// textLines writes text: in quotes if it is one line.
func textLines(s string) []string {
	out := cleanLines(s)
	if len(out) == 1 {
		out[0] = `"` + out[0] + `"`
	}
	return out
}

func cleanLines(s string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(s, "\r\n"), "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		out = append(out, line[:min(indent, 20)]+intervals.Clean(line, 500))
	}
	return out
}

func number64(v json.RawMessage) (float64, bool) {
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil
}

// dateWords writes a local time as "Tue 14 Jul 2026", with the time of day where
// there is one.
func dateWords(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		t, err := time.Parse(layout, s)
		switch {
		case err != nil:
		case t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
			return t.Format("Mon 2 Jan 2006")
		default:
			return t.Format("Mon 2 Jan 2006 15:04")
		}
	}
	return ""
}

// timeWords writes seconds as "1 h 15 min".
func timeWords(v json.RawMessage) string {
	n, ok := number64(v)
	if !ok || n < 0 || n > 1e9 {
		return ""
	}
	s := int(n + 0.5)
	var parts []string
	for _, u := range []struct {
		name string
		n    int
	}{{"h", s / 3600}, {"min", s / 60 % 60}, {"s", s % 60}} {
		if u.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", u.n, u.name))
		}
	}
	if len(parts) == 0 {
		return "0 min"
	}
	return strings.Join(parts, " ")
}

// distanceWords writes meters, long ways in km.
func distanceWords(v json.RawMessage) string {
	n, ok := number64(v)
	switch {
	case !ok:
		return ""
	case n >= 1000 || n <= -1000:
		return short(n/1000, 2) + " km"
	}
	return short(n, 1) + " m"
}

// short writes a number with at most so many decimals.
func short(n float64, decimals int) string {
	s := strconv.FormatFloat(n, 'f', decimals, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func unit(u string) func(json.RawMessage) string {
	return func(v json.RawMessage) string {
		if _, ok := number64(v); !ok {
			return ""
		}
		return string(v) + " " + u
	}
}

func yesNo(v json.RawMessage) string {
	return map[string]string{"true": "yes", "false": "no"}[string(v)]
}

// plainWord writes one of the platform's own words without quotes.
func plainWord(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil || s == "" || strings.ContainsFunc(s, func(r rune) bool { return r != '_' && r != '#' && (r < '0' || r > 'z') }) {
		return ""
	}
	return s
}

func listWords(v json.RawMessage) string {
	var list []string
	if json.Unmarshal(v, &list) != nil {
		return ""
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(slices.Clone(list), ", ")
}
