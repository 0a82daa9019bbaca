package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
)

// A structured workout (workout_doc) is written as workout text, because the
// platform parses text and ignores structure it is sent (API.md 3.4). All of
// its problems are found at once.

// rendered is a workout_doc as text.
type rendered struct {
	Text    string
	Workout change.Workout // what it should come to
	Notes   []string
}

// hrBase is what a heart rate in bpm is written in, since the text has
// no bpm (API.md 4); 0 = unknown.
type hrBase struct{ LTHR, Max float64 }

// renderer writes one document.
type renderer struct {
	base     hrBase
	strength bool // free text, no step has a length
	problems Problems
	notes    []string
	out      change.Workout
	secs     float64
	timed    bool // every step has a duration, so that the total is known
}

// renderWorkout writes a document; err is Problems.
func renderWorkout(doc map[string]any, sport string, base hrBase) (rendered, error) {
	r := &renderer{base: base, strength: sport == "WeightTraining", timed: true}
	prose := strings.TrimSpace(strings.ReplaceAll(stringOf(doc["description"]), "\r\n", "\n"))
	list, isList := doc["steps"].([]any)
	if doc["steps"] != nil && !isList {
		r.problem("workout_doc.steps", "must be a list of steps")
	}
	if len(list) > 0 && change.ReadText(prose).Steps > 0 {
		r.problem("workout_doc.description", "holds step lines (they begin with -) beside steps; give them once")
	}
	if len(list) > 500 {
		return rendered{}, refuse("workout_doc.steps", "holds %d steps; at most 500 are allowed", len(list))
	}
	body := r.sections(list)
	if len(r.problems) > 0 {
		return rendered{}, r.problems
	}
	if r.timed {
		r.out.MovingTimeS = r.secs
	}
	return rendered{parts("\n\n", prose, strings.Trim(body, "\n")), r.out, r.notes}, nil
}

func (r *renderer) problem(where, format string, a ...any) {
	r.problems = append(r.problems, Problem{Arg: where, Message: fmt.Sprintf(format, a...)})
}

// sections writes steps in order; warm-up and cool-down get their header and
// repeats their block, each between blank lines.
func (r *renderer) sections(list []any) string {
	var b strings.Builder
	section := ""
	for i, item := range list {
		where := fmt.Sprintf("workout_doc.steps[%d]", i)
		s, ok := r.step(where, item)
		if !ok {
			continue
		}
		part := ""
		if yes(s["warmup"]) {
			part = "Warmup"
		} else if yes(s["cooldown"]) {
			part = "Cooldown"
		}
		if inner, isRepeat := s["steps"].([]any); isRepeat {
			if part != "" {
				r.problem(where, "is a repeat, which cannot be warmup or cooldown")
			}
			b.WriteString(r.repeat(where, s, inner))
			section = ""
			continue
		}
		if part != section {
			b.WriteString("\n")
			if part != "" {
				b.WriteString(part + "\n")
			}
			section = part
		}
		b.WriteString(r.line(where, s, 1) + "\n")
	}
	return strings.ReplaceAll(b.String(), "\n\n\n", "\n\n")
}

// stepKeys are the keys of a step (API.md 3.4); those with an underscore are
// resolved twins that a read gives.
var stepKeys = []string{"text", "text_locale", "duration", "distance", "until_lap_press", "reps", "steps", "warmup", "cooldown", "intensity",
	"ramp", "freeride", "maxeffort", "power", "hr", "pace", "cadence", "hidepower"}

func (r *renderer) step(where string, item any) (map[string]any, bool) {
	s, ok := item.(map[string]any)
	if !ok {
		r.problem(where, "must be an object")
		return nil, false
	}
	for _, key := range slices.Sorted(mapKeys(s)) {
		if !strings.HasPrefix(key, "_") && !slices.Contains(stepKeys, key) {
			r.problem(where, "has no key %s (known: %s)", shownName(key), strings.Join(stepKeys, ", "))
		}
	}
	return s, true
}

func (r *renderer) repeat(where string, s map[string]any, inner []any) string {
	reps, ok := numberOf(s["reps"])
	if s["reps"] == nil {
		reps, ok = 1, true
	}
	if !ok || reps != math.Trunc(reps) || reps < 1 || reps > 200 {
		r.problem(where+".reps", "must be a whole number from 1 to 200")
		reps = 1
	}
	if len(inner) == 0 {
		r.problem(where, "is a repeat without steps")
	}
	header := strings.TrimSpace(r.cue(where, s["text"]) + " " + strconv.Itoa(int(reps)) + "x")
	lines := []string{"", header}
	r.out.Repeats++
	for i, item := range inner {
		at := fmt.Sprintf("%s.steps[%d]", where, i)
		child, ok := r.step(at, item)
		if !ok {
			continue
		}
		if child["steps"] != nil {
			r.problem(at, "is a repeat inside a repeat. Nested steps not supported: write the inner ones out")
			continue
		}
		lines = append(lines, r.line(at, child, reps))
	}
	return strings.Join(append(lines, "", ""), "\n")
}

// line writes one step: cue, length, modifiers, targets.
func (r *renderer) line(where string, s map[string]any, reps float64) string {
	r.out.Steps++
	length := r.length(where, s, reps)
	if length == "" && r.strength {
		r.out.Steps--
		return stringOf(s["text"])
	}
	words := []string{"-", r.cue(where, s["text"]), length}
	for _, flag := range [...][2]string{{"until_lap_press", "press lap"}, {"freeride", "freeride"}, {"maxeffort", "maxeffort"}, {"hidepower", "hidepower"}, {"ramp", "ramp"}} {
		if yes(s[flag[0]]) {
			words = append(words, flag[1])
		}
	}
	targets := 0
	for _, kind := range []string{"power", "hr", "pace", "cadence"} {
		if s[kind] != nil {
			text := r.target(where+"."+kind, kind, s[kind], yes(s["ramp"]))
			words = append(words, text)
			if text != "" && kind != "cadence" {
				targets++
			}
		}
	}
	if yes(s["ramp"]) && targets == 0 {
		r.problem(where, "is a ramp without a target; give start and end")
	}
	if word := strings.ToLower(stringOf(s["intensity"])); word != "" {
		switch word {
		case "active", "rest", "warmup", "cooldown", "recovery", "interval", "other":
			words = append(words, "intensity="+word)
		case "auto":
		default:
			r.problem(where+".intensity", "must be active, rest, warmup, cooldown, recovery, interval or other")
		}
	}
	return parts(" ", words...)
}

// length writes a duration or a distance; of both the duration wins.
func (r *renderer) length(where string, s map[string]any, reps float64) string {
	secs, timed := numberOf(s["duration"])
	metres, far := numberOf(s["distance"])
	switch {
	case s["duration"] != nil && !timed, s["distance"] != nil && !far:
		r.problem(where, "has a duration (seconds) or distance (metres) that is no number")
		return "?"
	case timed && secs > 0:
		if secs != math.Trunc(secs) || secs > 7*86400 {
			r.problem(where+".duration", "must be whole seconds, at most 7 days")
		}
		r.secs += secs * reps
		return durationText(int64(secs))
	case far && metres > 0:
		if metres > 2e6 {
			r.problem(where+".distance", "is over 2000 km; it is in metres")
		}
		r.timed = false
		return distanceText(metres)
	case r.strength:
		return ""
	}
	r.timed = false
	if yes(s["until_lap_press"]) { // the platform wants a length beside it (API.md 4)
		r.notes = append(r.notes, fmt.Sprintf("%s has no length: 5m stands as a placeholder until lap is pressed.", where))
		return "5m"
	}
	r.problem(where, "needs a duration (seconds) or a distance (metres); without one the platform drops it")
	return "?"
}

// durationText writes seconds as 45s, 90s, 8m, 1m45s, 1h30m.
func durationText(n int64) string {
	if n < 120 && n%60 != 0 {
		return fmt.Sprintf("%ds", n)
	}
	return shortTime(float64(n))
}

// distanceText writes metres as 400mtr or 1.5km; "m" would be minutes.
func distanceText(m float64) string {
	if m < 1000 {
		return round(m, 2) + "mtr"
	}
	return round(m/1000, 5) + "km"
}

// The words that the platform would take for a length, a target or a repeat
// when they stand in a cue (API.md 4: the label ends at the first of them).
var (
	tokenWord = regexp.MustCompile(`(?i)\d+(\.\d+)?['"]?\s*(%|x\b|h|m|s|w|km|mi|mtr|yrd|y|k|rpm|bpm|')|\b(cz|z)\d|\d:\d|=`)
	bareWhole = regexp.MustCompile(`^[0-9]+$`)
	numerals  = [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)

// cue makes a label of a step's text: one line, in front, without digits,
// which would start the step early.
func (r *renderer) cue(where string, v any) string {
	text := strings.TrimLeft(intervals.Clean(stringOf(v), 200), "- ")
	if text == "" {
		return ""
	}
	if m := tokenWord.FindString(text); m != "" {
		r.problem(where+".text", "holds %q, which the platform would read as a length or target; put it into the step's own fields or spell it out", m)
		return ""
	}
	fields, spelled := strings.Fields(text), false
	for i, w := range fields {
		core := strings.Trim(w, "#/.,:;()")
		n, err := strconv.Atoi(core)
		if bareWhole.MatchString(core) && err == nil && n < len(numerals) {
			fields[i], spelled = strings.Replace(strings.TrimPrefix(w, "#"), core, numerals[n], 1), true
		}
	}
	text = strings.Join(fields, " ")
	if strings.ContainsAny(text, "0123456789") {
		r.problem(where+".text", "holds digits, which the platform would read as the step's length; spell them out")
		return ""
	}
	if spelled && !slices.Contains(r.notes, cueNote) {
		r.notes = append(r.notes, cueNote)
	}
	return text
}

const cueNote = "numbers in cues were spelled out, since the platform would read digits as a length."

func yes(v any) bool { return v == true || v == "true" }

func stringOf(v any) string { s, _ := v.(string); return s }

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return 0, false
}

// readDoc accepts a workout_doc as an object or as its JSON text.
func readDoc(raw json.RawMessage) (json.RawMessage, error) {
	if s, isText := asString(raw); isText {
		raw = json.RawMessage(strings.TrimSpace(s))
	}
	var doc map[string]any
	if len(raw) > 100_000 || json.Unmarshal(raw, &doc) != nil || doc == nil {
		return nil, fmt.Errorf("must be a JSON object, or its text, under 100 kB")
	}
	return raw, nil
}
