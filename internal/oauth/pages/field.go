package pages

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// fieldWords are Intervals.icu's names of fields in an athlete's words, with
// the way their values are written. Others are named by their own words.
var fieldWords = map[string]struct {
	label string
	write func(any) string
}{
	"category":          {"Kind", category},
	"type":              {"Sport", nil},
	"start_date_local":  {"Day", localDay},
	"end_date_local":    {"Until", localDay},
	"moving_time":       {"Planned time", duration},
	"distance":          {"Distance", kilometres},
	"icu_training_load": {"Load", nil},
	"indoor":            {"Indoors", nil},
	"color":             {"Colour", nil},
	"content":           {"Text", nil},
	"weight":            {"Weight", unit("kg")},
	"restingHR":         {"Resting heart rate", unit("bpm")},
	"hrv":               {"HRV", unit("ms")},
	"hrvSDNN":           {"HRV (SDNN)", unit("ms")},
	"sleepSecs":         {"Sleep", duration},
	"kcalConsumed":      {"Energy eaten", unit("kcal")},
	"ftp":               {"FTP", unit("W")},
	"indoor_ftp":        {"Indoor FTP", unit("W")},
	"lthr":              {"Threshold heart rate", unit("bpm")},
	"max_hr":            {"Highest heart rate", unit("bpm")},
	"icu_rpe":           {"RPE", nil},
	"spO2":              {"SpO2", unit("%")},
}

// fieldOrder are the fields that are told first, in this order.
var fieldOrder = []string{"category", "start_date_local", "end_date_local", "type", "name", "description", "moving_time", "distance", "icu_training_load"}

// NewField words one field of an object of Intervals.icu: its name there and
// its values as JSON has them, nil for none.
func NewField(name string, before, after any) Field {
	words, known := fieldWords[name]
	if !known {
		words.label = labelOf(name)
	}
	write := func(v any) string {
		if words.write != nil {
			if s := words.write(v); s != "" {
				return s
			}
		}
		return plain(v)
	}
	return Field{Label: words.label, Old: write(before), New: write(after)}
}

// Difference words the fields in which two states of an object differ. Either
// may be nil: it did not exist.
func Difference(before, after map[string]any) []Field {
	names := slices.Collect(maps.Keys(before))
	for name := range after {
		if _, both := before[name]; !both {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, CompareFields)
	var out []Field
	for _, name := range names {
		if f := NewField(name, before[name], after[name]); f.Old != f.New {
			out = append(out, f)
		}
	}
	return out
}

// CompareFields orders the names of fields: what athletes ask for first, then by
// name.
func CompareFields(a, b string) int {
	place := func(name string) int {
		if i := slices.Index(fieldOrder, name); i >= 0 {
			return i
		}
		return len(fieldOrder)
	}
	if d := place(a) - place(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// labelOf makes words of a name: "sleep_quality", "sleepQuality", "icu_rpe".
func labelOf(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range strings.TrimPrefix(name, "icu_") {
		switch {
		case r == '_':
			r = ' '
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
			r = unicode.ToLower(r)
			lower = false
		default:
			lower = unicode.IsLower(r)
		}
		b.WriteRune(r)
	}
	return strings.TrimSuffix(sentence(b.String()), ".")
}

func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		var parts []string
		for _, e := range v {
			switch e.(type) {
			case map[string]any, []any:
				return indented(v)
			}
			parts = append(parts, plain(e))
		}
		return strings.Join(parts, ", ")
	}
	if n, ok := number(v); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return indented(v)
}

func indented(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "a value that cannot be shown"
	}
	return string(b)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}

func unit(u string) func(any) string {
	return func(v any) string {
		if _, ok := number(v); !ok {
			return ""
		}
		return plain(v) + " " + u
	}
}

// duration writes seconds without rounding: "1 h 13 min 30 s".
func duration(v any) string {
	n, ok := number(v)
	if !ok || n < 0 || n != math.Trunc(n) || n > 1e9 {
		return ""
	}
	s := int(n)
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{s / 3600, " h"}, {s / 60 % 60, " min"}, {s % 60, " s"}} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+p.unit)
		}
	}
	if len(parts) == 0 {
		return "0 s"
	}
	return strings.Join(parts, " ")
}

// kilometres writes metres without rounding.
func kilometres(v any) string {
	n, ok := number(v)
	switch {
	case !ok:
		return ""
	case n < 1000:
		return plain(v) + " m"
	}
	return strconv.FormatFloat(n/1000, 'f', -1, 64) + " km"
}

// localDay writes a local day; the time of day only where there is one.
func localDay(v any) string {
	s, _ := v.(string)
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		t, err := time.Parse(layout, s)
		switch {
		case err != nil:
			continue
		case t.Second() != 0:
			return t.Format("Mon 2 Jan 2006, 15:04:05")
		case t.Hour() != 0 || t.Minute() != 0:
			return when(t)
		}
		return t.Format("Mon 2 Jan 2006")
	}
	return ""
}

func category(v any) string {
	s, ok := v.(string)
	if !ok || s == "" {
		return ""
	}
	if rank, isRace := strings.CutPrefix(s, "RACE_"); isRace {
		return "Race " + rank
	}
	return labelOf(strings.ToLower(s))
}
