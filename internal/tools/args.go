package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"intervals-mcp/internal/intervals"
)

const ignoredKey = "api_key was ignored: this server uses the key stored for your account and never one from a call."

// arguments reads what a client sent: lenient where models slip (numbers as
// text, one value for a list of one, ids as numbers, null or "" for "not
// passed"), strict about everything else. All problems are reported at once.
// The result holds exactly the passed or defaulted parameters, in canonical
// types.
func (t Tool) arguments(raw json.RawMessage) (normal json.RawMessage, notes []string, err error) {
	in := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 && string(bytes.TrimSpace(raw)) != "null" {
		if json.Unmarshal(raw, &in) != nil {
			return nil, nil, Problems{{Message: "the arguments must be one JSON object"}}
		}
	}
	var problems Problems
	for _, name := range slices.Sorted(mapKeys(in)) {
		if name == "api_key" {
			notes = append(notes, ignoredKey)
			delete(in, name)
		} else if !t.has(name) {
			problems = append(problems, Problem{Arg: shownName(name), Message: "is not a parameter of " + t.Name, Next: t.nearest(name)})
			delete(in, name)
		}
	}
	out := make(map[string]json.RawMessage, len(t.Params))
	for _, p := range t.Params {
		v, passed, problem := p.read(in[p.Name])
		switch {
		case problem != "":
			problems = append(problems, Problem{Arg: p.Name, Message: problem})
		case passed:
			out[p.Name] = v
		case p.Required:
			problems = append(problems, Problem{Arg: p.Name, Message: "is required"})
		case p.Default != nil:
			out[p.Name] = mustJSON(p.Default)
		}
	}
	if len(problems) > 0 {
		return nil, notes, problems
	}
	normal, err = json.Marshal(out)
	return normal, notes, err
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (t Tool) has(name string) bool {
	return slices.ContainsFunc(t.Params, func(p Param) bool { return p.Name == name })
}

// nearest suggests the known parameter most like an unknown one, or lists
// them all.
func (t Tool) nearest(name string) string {
	best, dist := "", math.MaxInt
	var all []string
	for _, p := range t.Params {
		if d := EditDistance(strings.ToLower(name), p.Name); d < dist {
			best, dist = p.Name, d
		}
		all = append(all, p.Name)
	}
	switch {
	case best != "" && dist <= max(2, len(name)/2):
		return "did you mean " + best + "?"
	case len(all) == 0:
		return "it takes no parameters"
	}
	return "known: " + strings.Join(all, ", ")
}

// EditDistance is the Levenshtein distance, of at most the first 64 bytes.
func EditDistance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			prev, row[j] = row[j], min(row[j]+1, row[j-1]+1, prev+cost)
		}
	}
	return row[len(b)]
}

func shownName(name string) string { return intervals.Clean(name, 40) }

// read gives a parameter's canonical JSON; passed is false for absent, null
// and empty or blank text (which never clears anything, safety.md 1).
func (p Param) read(raw json.RawMessage) (v json.RawMessage, passed bool, problem string) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return nil, false, ""
	}
	if p.Kind == List {
		return p.readList(raw)
	}
	if p.Accept != nil {
		v, err := p.Accept(raw)
		if err != nil {
			return nil, false, err.Error()
		}
		return v, true, ""
	}
	return p.readOne(p.Kind, raw)
}

func (p Param) readList(raw json.RawMessage) (json.RawMessage, bool, string) {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		parts = []json.RawMessage{raw}
		if s, ok := asString(raw); ok && strings.Contains(s, ",") {
			parts = nil
			for part := range strings.SplitSeq(s, ",") {
				parts = append(parts, mustJSON(strings.TrimSpace(part)))
			}
		}
	}
	if len(parts) > 1000 {
		return nil, false, "holds more than 1000 values"
	}
	for i, part := range parts {
		v, passed, problem := p.readOne(p.Items, bytes.TrimSpace(part))
		if problem != "" {
			return nil, false, fmt.Sprintf("value %d: %s", i+1, problem)
		}
		if !passed {
			return nil, false, fmt.Sprintf("value %d is empty", i+1)
		}
		parts[i] = v
	}
	return mustJSON(parts), true, ""
}

func (p Param) readOne(kind Kind, raw json.RawMessage) (json.RawMessage, bool, string) {
	s, isText := asString(raw)
	if isText {
		if problem := badText(s); problem != "" {
			return nil, false, problem
		}
		if intervals.Clean(s, 8) == "" { // what shows nothing is no text, and clears nothing
			return nil, false, ""
		}
		if kind != String {
			s = strings.TrimSpace(s)
		}
	}
	switch kind {
	case Integer, Number:
		return p.readNumber(kind, raw, s, isText)
	case Boolean:
		word := string(raw)
		if isText {
			word = strings.ToLower(s)
		}
		switch word {
		case "true", "yes", "1":
			return json.RawMessage("true"), true, ""
		case "false", "no", "0":
			return json.RawMessage("false"), true, ""
		}
		return nil, false, "must be true or false"
	case Object:
		if raw[0] != '{' {
			return nil, false, "must be a JSON object"
		}
		return raw, true, ""
	}
	if !isText {
		n, ok := asNumber(raw)
		if !ok {
			return nil, false, "must be text"
		}
		s = n
	}
	return p.readText(kind, s)
}

// readText reads the kinds that are text in JSON too.
func (p Param) readText(kind Kind, s string) (json.RawMessage, bool, string) {
	switch kind {
	case Date:
		if _, err := parseDay(s); err != nil {
			return nil, false, err.Error()
		}
	case ID:
		if intervals.CheckID("", s) != nil {
			return nil, false, "must be an id: letters, digits, - and _, such as i12345"
		}
	case Enum:
		i := slices.IndexFunc(p.Enum, func(e string) bool { return strings.EqualFold(e, s) })
		if i < 0 {
			return nil, false, "must be one of " + strings.Join(p.Enum, ", ")
		}
		s = p.Enum[i]
	default:
		limit := p.MaxLen
		if limit == 0 {
			limit = 4000
		}
		if n := utf8.RuneCountInString(s); n > limit {
			return nil, false, fmt.Sprintf("is %d characters long; at most %d are allowed", n, limit)
		}
	}
	return mustJSON(s), true, ""
}

func (p Param) readNumber(kind Kind, raw json.RawMessage, s string, isText bool) (json.RawMessage, bool, string) {
	what := map[Kind]string{Integer: "a whole number", Number: "a number"}[kind]
	if !isText {
		n, ok := asNumber(raw)
		if !ok {
			return nil, false, "must be " + what
		}
		s = n
	}
	if !json.Valid([]byte(s)) { // keeps out NaN, Inf, hex, 1_000
		return nil, false, "must be " + what
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, false, "must be " + what
	}
	if kind == Integer && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
		return nil, false, "must be a whole number"
	}
	if (p.Min != 0 || p.Max != 0) && (f < p.Min || f > p.Max) {
		return nil, false, "must be from " + round(p.Min, 6) + " to " + round(p.Max, 6)
	}
	if kind == Integer {
		return json.RawMessage(strconv.FormatInt(int64(f), 10)), true, ""
	}
	return mustJSON(f), true, ""
}

func asString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

func asNumber(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) {
		return "", false
	}
	return string(raw), true
}

// badText refuses what no name or comment needs: NUL and control characters.
func badText(s string) string {
	for _, r := range s {
		if (r < 0x20 && r != '\n' && r != '\t' && r != '\r') || r == 0x7f {
			return fmt.Sprintf("holds the control character U+%04X", r)
		}
		if r == utf8.RuneError {
			return "holds bytes that are no UTF-8 text"
		}
	}
	return ""
}
