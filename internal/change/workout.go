package change

import (
	"fmt"
	"regexp"
	"strings"

	"intervals-mcp/internal/intervals"
)

// Workout is what workout text comes to: as meant, or as the platform
// understood it.
type Workout struct {
	Steps       int      `json:"steps"` // as written: those of a repeat count once
	Repeats     int      `json:"repeats,omitempty"`
	MovingTimeS float64  `json:"moving_time_s,omitempty"`
	DistanceM   float64  `json:"distance_m,omitempty"`
	Load        *float64 `json:"training_load,omitempty"`

	sport  string
	watts  int // steps that aim at power given as % of FTP or as a zone
	aiming int // steps that aim at heart rate or pace
}

var repeatHeader = regexp.MustCompile(`(?i)(^|\s)\d+\s*x\s*$`)

// ReadText counts the step lines and repeat headers of workout text. It does
// not parse it: that is the platform's, whose reading is compared.
func ReadText(text string) Workout {
	var w Workout
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "-"):
			w.Steps++
		case repeatHeader.MatchString(line):
			w.Repeats++
		}
	}
	return w
}

// understood is what the platform made of an event's text.
func understood(e intervals.Event) *Workout {
	w := Workout{sport: e.Str("type")}
	for _, s := range e.Steps() {
		inner := s.Objects("steps")
		if len(inner) > 0 {
			w.Repeats++
		} else {
			inner = []intervals.Object{s}
		}
		w.Steps += len(inner)
		for _, s := range inner {
			w.count(s)
		}
	}
	w.MovingTimeS, _ = e.Number("moving_time")
	w.DistanceM, _ = e.Number("distance")
	if doc, ok := e.Object.Object("workout_doc"); ok && w.Steps > 0 {
		if secs, ok := doc.Number("duration"); ok && secs > 0 {
			w.MovingTimeS = secs
		}
		if m, ok := doc.Number("distance"); ok && m > 0 {
			w.DistanceM = m
		}
	}
	if load, ok := e.Number("icu_training_load"); ok {
		w.Load = &load
	}
	return &w
}

// count notes what a step aims at.
func (w *Workout) count(step intervals.Object) {
	if power, ok := step.Object("power"); ok && power.Str("units") != "w" {
		w.watts++
	}
	if step.Has("hr") || step.Has("pace") {
		w.aiming++
	}
}

// compare says where the platform's reading differs from what was meant.
func (meant Workout) compare(got *Workout) []string {
	var out []string
	switch {
	case meant.Steps > 0 && got.Steps == 0:
		out = append(out, "Intervals.icu understood none of the step lines: devices will show text only.")
	case got.Steps < meant.Steps:
		out = append(out, fmt.Sprintf("Intervals.icu understood %d of %d step lines. A step needs a length such as 10m or 400mtr.", got.Steps, meant.Steps))
	}
	if got.Steps > 0 && got.Repeats < meant.Repeats {
		out = append(out, fmt.Sprintf("Intervals.icu understood %d of %d repeats. A header such as 4x stands on its own line between blank lines, its steps right below.", got.Repeats, meant.Repeats))
	}
	if got.watts > 0 && got.aiming == 0 && (intervals.FootSport(got.sport) || strings.Contains(got.sport, "Swim")) {
		out = append(out, fmt.Sprintf("in a %s the bare %% and Z of %d steps aim at power. For pace or heart rate write 90%% Pace, Z2 Pace, 80%% LTHR or Z2 HR.", got.sport, got.watts))
	}
	if d := got.MovingTimeS - meant.MovingTimeS; meant.MovingTimeS > 0 && got.Steps > 0 && (d > 1 || d < -1) {
		out = append(out, fmt.Sprintf("the steps come to %s, meant were %s.", clock(got.MovingTimeS), clock(meant.MovingTimeS)))
	}
	if got.Steps > 0 && meant.Steps > 0 {
		out = append(out, implausible(got.MovingTimeS)...)
	}
	return out
}

// implausible warns of a session that can hardly be meant (domain.md "Time"):
// "400m" is 400 minutes.
func implausible(secs float64) []string {
	switch {
	case secs > 8*3600:
		return []string{fmt.Sprintf("the session comes to %s, over 8 hours. In workout text m means minutes; metres are mtr.", clock(secs))}
	case secs > 0 && secs < 300:
		return []string{fmt.Sprintf("the session comes to %s, under 5 minutes.", clock(secs))}
	}
	return nil
}

// clock writes seconds as h:mm:ss.
func clock(secs float64) string {
	n := int64(secs + 0.5)
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}
