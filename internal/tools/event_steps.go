package tools

import (
	"fmt"
	"math"
	"strings"

	"intervals-mcp/internal/intervals"
)

// step is one step of a planned workout as the platform understood it: SI
// units, targets with the platform's own unit names.
//
// API.md 3.4 has what it is read from.
type step struct {
	Reps      *float64 `json:"reps,omitempty"`
	Text      string   `json:"text,omitempty"`
	DurationS *float64 `json:"duration_s,omitempty"`
	DistanceM *float64 `json:"distance_m,omitempty"`
	Power     *target  `json:"power,omitempty"`
	HR        *target  `json:"hr,omitempty"`
	Pace      *target  `json:"pace,omitempty"`
	Cadence   *target  `json:"cadence,omitempty"`
	Flags     []string `json:"flags,omitempty"` // warmup, ramp, ...
	Intensity string   `json:"intensity,omitempty"`
	Steps     []step   `json:"steps,omitempty"`
}

// target is a single value or a range as written: a ramp down starts high.
type target struct {
	Value *float64 `json:"value,omitempty"`
	Start *float64 `json:"start,omitempty"`
	End   *float64 `json:"end,omitempty"`
	Units string   `json:"units,omitempty"`
	Over  string   `json:"target,omitempty"` // lap, 1s, 3s ...
}

var stepFlags = [...]string{"warmup", "cooldown", "ramp", "freeride", "maxeffort", "until_lap_press", "hidepower"}

// newSteps reads steps; repeats do not nest on the platform, so depth is
// bounded.
func newSteps(list []intervals.Object, depth int) []step {
	var out []step
	for _, o := range list {
		s := step{Text: intervals.Clean(o.Str("text"), 200), DurationS: field(o, "duration", 0), Reps: field(o, "reps", 0),
			Power: newTarget(o, "power"), HR: newTarget(o, "hr"), Pace: newTarget(o, "pace"), Cadence: newTarget(o, "cadence"),
			Intensity: intervals.Clean(o.Str("intensity"), 20)}
		if m := field(o, "distance", 1); m != nil && *m != 0 { // 0 stands for "by time"
			s.DistanceM = m
		}
		for _, flag := range stepFlags {
			if on, _ := o.Bool(flag); on {
				s.Flags = append(s.Flags, flag)
			}
		}
		if depth > 0 {
			s.Steps = newSteps(o.Objects("steps"), depth-1)
		}
		out = append(out, s)
	}
	return out
}

func newTarget(o intervals.Object, key string) *target {
	v, ok := o.Object(key)
	if !ok {
		return nil
	}
	t := target{Value: field(v, "value", 3), Start: field(v, "start", 3), End: field(v, "end", 3),
		Units: intervals.Clean(v.Str("units"), 20), Over: intervals.Clean(v.Str("target"), 10)}
	if t.Value == nil && t.Start == nil && t.End == nil {
		return nil
	}
	return &t
}

func (s step) has(flag string) bool {
	for _, f := range s.Flags {
		if f == flag {
			return true
		}
	}
	return false
}

// stepsLine puts a workout into one line, such as
// "10m · 3x(8m 100%, 4m 55%) · 10m": warm-up and cool-down by their length,
// ranges by their middle, cadence left out.
func stepsLine(steps []step, limit int) string {
	if len(steps) == 1 && steps[0].Steps == nil { // its length is the workout's
		steps = []step{steps[0]}
		steps[0].DurationS, steps[0].DistanceM = nil, nil
		return intervals.Clean(prefixed("all ", steps[0].line()), limit)
	}
	words := make([]string, len(steps))
	for i, s := range steps {
		words[i] = s.line()
	}
	return intervals.Clean(strings.Join(words, " · "), limit)
}

func (s step) line() string {
	if s.Steps == nil {
		s.Cadence = nil
		switch {
		case s.has("warmup") || s.has("cooldown"):
			return s.length()
		case !s.has("ramp"):
			s.Power, s.HR, s.Pace = s.Power.middle(), s.HR.middle(), s.Pace.middle()
		}
		return s.short()
	}
	inner := make([]string, len(s.Steps))
	for i, child := range s.Steps {
		inner[i] = child.line()
	}
	return s.times() + "(" + strings.Join(inner, ", ") + ")"
}

func (s step) times() string {
	if s.Reps == nil {
		return ""
	}
	return round(*s.Reps, 0) + "x"
}

// short is length and targets in the words of the platform's own syntax: "m"
// after a length is minutes, metres are "mtr".
func (s step) short() string {
	words := []string{s.length()}
	if s.has("ramp") {
		words = append(words, "ramp")
	}
	for _, t := range []struct {
		kind string
		*target
	}{{"power", s.Power}, {"hr", s.HR}, {"pace", s.Pace}} {
		if t.target != nil {
			words = append(words, t.words(t.kind))
		}
	}
	if s.Cadence != nil {
		words = append(words, s.Cadence.span(plainNumber)+"rpm")
	}
	for _, f := range [...][2]string{{"freeride", "free"}, {"maxeffort", "max effort"}, {"until_lap_press", "press lap"}} {
		if s.has(f[0]) {
			words = append(words, f[1])
		}
	}
	return parts(" ", words...)
}

func (s step) length() string {
	switch {
	case s.DistanceM != nil && *s.DistanceM < 1000:
		return round(*s.DistanceM, 0) + "mtr"
	case s.DistanceM != nil:
		return round(*s.DistanceM/1000, 3) + "km"
	case s.DurationS != nil:
		return shortTime(*s.DurationS)
	}
	return ""
}

// shortTime writes seconds as 1h30m, 8m, 1m30s or 45s.
func shortTime(secs float64) string {
	n := int64(math.Round(secs))
	out := ""
	if h := n / 3600; h > 0 {
		out += fmt.Sprintf("%dh", h)
	}
	if m := n / 60 % 60; m > 0 {
		out += fmt.Sprintf("%dm", m)
	}
	if s := n % 60; s > 0 || n == 0 {
		out += fmt.Sprintf("%ds", s)
	}
	return out
}

func plainNumber(v float64) string { return round(v, 1) }

// span writes the value or the range.
func (t *target) span(say func(float64) string) string {
	if t.Value != nil {
		return say(*t.Value)
	}
	switch {
	case t.Start == nil:
		return say(*t.End)
	case t.End == nil:
		return say(*t.Start)
	}
	return say(*t.Start) + "-" + say(*t.End)
}

// middle is the target with a range made a single value; zones stay as they
// are.
func (t *target) middle() *target {
	if t == nil || t.Value != nil || t.Start == nil || t.End == nil || strings.Contains(strings.ToLower(t.Units), "zone") {
		return t
	}
	mid := rounded((*t.Start+*t.End)/2, 0)
	return &target{Value: &mid, Units: t.Units, Over: t.Over}
}

// words names the target; kind is power, hr or pace.
func (t *target) words(kind string) string {
	zone := func(v float64) string { return "Z" + round(v, 0) }
	suffix := map[string]string{"power": "", "hr": " HR", "pace": " pace"}[kind]
	units := strings.ToLower(t.Units)
	switch units {
	case "%ftp":
		return t.span(plainNumber) + "%"
	case "%mmp":
		return t.span(plainNumber) + "% MMP"
	case "w":
		return t.span(plainNumber) + "W"
	case "%hr":
		return t.span(plainNumber) + "% HR"
	case "%lthr":
		return t.span(plainNumber) + "% LTHR"
	case "bpm":
		return t.span(plainNumber) + " bpm"
	case "%pace":
		return t.span(plainNumber) + "% pace"
	case "power_zone", "hr_zone", "pace_zone":
		return t.span(zone) + suffix
	}
	if per, ok := strings.CutPrefix(units, "secs/"); ok {
		return t.span(minutes) + "/" + per
	}
	return t.span(plainNumber) + " " + t.Units + suffix
}
