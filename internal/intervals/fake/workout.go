package fake

import (
	"math"
	"strings"
)

// parseWorkout reads workout text (API.md 4) into a workout_doc (API.md 3.4):
// description, duration (s), distance (m), target and steps. Text that it
// cannot read as steps gives steps: [] and is the description. A distance step
// gets a duration from its own pace or a usual speed of the sport; planWorkout
// makes it better, knowing the athlete's threshold.
//
// Left for the workout engine: nested repeats, custom zones, timed text cues,
// option lines, bpm targets.
func parseWorkout(text, sport string) Object {
	p := workoutReader{sport: sport}
	for line := range strings.Lines(text) {
		p.line(strings.TrimRight(line, " \t\r\n"))
	}
	p.closeBlock()
	steps := append(p.steps, p.stray...)
	doc := Object{"target": targetOf(steps), "steps": steps}
	if len(steps) == 0 {
		doc["description"], doc["steps"] = strings.TrimSpace(text), []any{}
	} else {
		doc["description"] = strings.TrimSpace(strings.Join(p.prose, "\n"))
	}
	doc["duration"], doc["distance"] = stepTotals(steps, 1)
	return doc
}

// workoutReader goes through workout text line by line. A block is what
// stands under a header up to the next blank line.
type workoutReader struct {
	sport string
	steps []any
	stray []any // children that lost their repeat: they end up last, unrepeated
	prose []string

	reps     float64 // of the open repeat block, 0 without
	header   string
	children []any
	section  string // "warmup" or "cooldown" under such a header
	glued    bool   // the header has no blank line before it
	inside   bool   // the line before was not blank
}

func (p *workoutReader) line(line string) {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" {
		p.closeBlock()
		p.inside = false
		return
	}
	glued := p.inside
	p.inside = true
	if strings.HasPrefix(trimmed, "-") {
		p.step(trimmed[1:], line[0] != '-')
		return
	}
	if reps := repeatCount(trimmed); reps > 0 {
		p.closeBlock()
		p.reps, p.header, p.glued = reps, trimmed, glued
		return
	}
	p.closeBlock()
	if p.section = sectionOf(trimmed); p.section == "" {
		p.prose = append(p.prose, line)
	}
}

// step adds a step line. In a repeat, children must be flush left and the
// header must stand alone, else they are flattened (API.md 4).
func (p *workoutReader) step(body string, indented bool) {
	steps := readStep(body, p.sport)
	switch {
	case p.reps > 0 && (indented || p.glued):
		p.stray = append(p.stray, steps...)
	case p.reps > 0:
		p.children = append(p.children, steps...)
	default:
		for _, s := range steps {
			if p.section != "" {
				s.(Object)[p.section] = true
			}
		}
		p.steps = append(p.steps, steps...)
	}
}

func (p *workoutReader) closeBlock() {
	if len(p.children) > 0 {
		block := Object{"reps": p.reps, "text": p.header, "steps": p.children}
		block["duration"], block["distance"] = stepTotals(p.children, p.reps)
		p.steps = append(p.steps, block)
	}
	p.reps, p.header, p.children, p.section, p.glued = 0, "", nil, "", false
}

// repeatCount reads a repeat header, "4x" or "Main set 4x"; 0 for other lines.
func repeatCount(line string) float64 {
	if last := line[len(line)-1]; last != 'x' && last != 'X' {
		return 0
	}
	line = strings.TrimRight(line[:len(line)-1], " ")
	start := len(line)
	for start > 0 && isDigit(line[start-1]) {
		start--
	}
	n, _ := wholeOf(line[start:])
	return n
}

// sectionOf is the flag that a header line sets on its steps.
func sectionOf(line string) string {
	word := strings.ToLower(strings.TrimRight(line, ": "))
	switch strings.NewReplacer("-", "", " ", "").Replace(word) {
	case "warmup":
		return "warmup"
	case "cooldown":
		return "cooldown"
	}
	return ""
}

// readStep reads a step line without its dash: the step, and a second one
// where a rest follows it ("20s rest"; its form is ours [U]). A line without a
// length is no step (API.md 4).
func readStep(body, sport string) []any {
	body = strings.TrimLeft(body, " \t")
	cut, noLabel := labelEnd(body, sport)
	s := Object{}
	if label := strings.TrimSpace(body[:cut]); label != "" && !noLabel {
		s["text"] = label
	}
	var rest float64
	average := map[string]string{}
	words := strings.Fields(body[cut:])
	for i := 0; i < len(words); {
		t := readToken(words[i:], sport)
		i += max(1, t.words)
		switch t.kind {
		case "duration":
			if _, has := s["duration"]; i < len(words) && strings.EqualFold(words[i], "rest") && (has || s["distance"] != nil) {
				rest = t.n
				i++
				continue
			}
			s["duration"] = t.n
		case "distance":
			s["distance"] = t.n
		case "power", "hr", "pace", "cadence":
			s[t.kind] = t.value
		case "power=", "hr=":
			average[strings.TrimSuffix(t.kind, "=")] = t.text
		case "intensity":
			s["intensity"] = t.text
		case "flag":
			s[t.text] = true
		}
	}
	for kind, window := range average {
		if target, ok := s[kind].(Object); ok {
			target["target"] = window
		}
	}
	if numberOr0(s, "duration") <= 0 {
		delete(s, "duration")
		metres := numberOr0(s, "distance")
		if metres <= 0 {
			return nil
		}
		s["duration"] = estimateSecs(metres, s, sport, thresholds{})
	}
	if rest > 0 {
		return []any{s, Object{"duration": rest, "intensity": "rest"}}
	}
	return []any{s}
}

// labelEnd is where the label of a step ends: at the first token, or inside a
// word that ends in a number with its unit ("<40%"). A zone that stands before
// the length takes the label away (seen live, API.md 9).
func labelEnd(body, sport string) (end int, noLabel bool) {
	words := strings.Fields(body)
	at := 0
	for i, word := range words {
		at += strings.Index(body[at:], word)
		if t := readToken(words[i:], sport); t.ends {
			return at, t.zone
		}
		if n := unitAtEnd(word); n >= 0 {
			return at + n, false
		}
		at += len(word)
	}
	return len(body), false
}

// stepTotals are the seconds and metres of steps, times reps. Blocks are added
// up from what is in them.
func stepTotals(steps []any, reps float64) (secs, metres float64) {
	for _, s := range steps {
		step, _ := s.(Object)
		duration, distance := numberOr0(step, "duration"), numberOr0(step, "distance")
		if children, ok := step["steps"].([]any); ok {
			duration, distance = stepTotals(children, numberOr0(step, "reps"))
		}
		secs += math.Round(within(duration, 1e12))
		metres += within(distance, 1e12)
	}
	reps = within(reps, 1e9)
	return secs * reps, round2(metres * reps)
}

// targetOf is what the steps aim at: POWER when any step does, else what the
// first target is, AUTO without targets.
func targetOf(steps []any) string {
	found := "AUTO"
	for _, s := range steps {
		step, _ := s.(Object)
		target := "AUTO"
		switch {
		case step["steps"] != nil:
			children, _ := step["steps"].([]any)
			target = targetOf(children)
		case step["power"] != nil:
			target = "POWER"
		case step["hr"] != nil:
			target = "HR"
		case step["pace"] != nil:
			target = "PACE"
		}
		if target == "POWER" {
			return target
		}
		if found == "AUTO" {
			found = target
		}
	}
	return found
}
