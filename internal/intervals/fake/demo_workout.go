package fake

import (
	"fmt"
	"math"
	"strings"
)

// demoWorkout is a session as a coach would write it: the text goes into the
// calendar, the steps are what the athlete then does.
type demoWorkout struct {
	name, sport string
	blocks      []demoBlock
	prose       string  // instead of steps (strength)
	load        float64 // for a session without steps
	minutes     float64 // likewise
	tags        []any
}

// demoBlock is a group of steps under a heading, repeated or not.
type demoBlock struct {
	header string
	reps   int // 0 or 1: not repeated
	steps  []demoStep
}

// demoStep has a length in seconds or metres and an effort as fractions of
// the threshold; rest is a stop.
type demoStep struct {
	label        string
	secs, metres float64
	lo, hi       float64
	target       string // as the text says it; "" for a step without target
	ramp         bool
	work         bool
	rest         bool
}

// text is the workout in the platform's language (API.md 4).
func (w demoWorkout) text() string {
	if w.prose != "" {
		return w.prose
	}
	var parts []string
	for _, b := range w.blocks {
		var lines []string
		header := b.header
		if b.reps > 1 {
			header = strings.TrimSpace(fmt.Sprintf("%s %dx", header, b.reps))
		}
		if header != "" {
			lines = append(lines, header)
		}
		for _, s := range b.steps {
			words := []string{"-"}
			if s.label != "" {
				words = append(words, s.label)
			}
			words = append(words, s.length())
			if s.ramp {
				words = append(words, "ramp")
			}
			if s.target != "" {
				words = append(words, s.target)
			}
			lines = append(lines, strings.Join(words, " "))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

func (s demoStep) length() string {
	if s.metres > 0 {
		if s.metres >= 1000 && math.Mod(s.metres, 500) == 0 {
			return fmt.Sprintf("%gkm", s.metres/1000)
		}
		return fmt.Sprintf("%gmtr", s.metres)
	}
	secs := int(s.secs)
	out := ""
	if secs >= 3600 {
		out = fmt.Sprintf("%dh", secs/3600)
	}
	if m := secs % 3600 / 60; m > 0 {
		out += fmt.Sprintf("%dm", m)
	}
	if secs%60 > 0 {
		out += fmt.Sprintf("%ds", secs%60)
	}
	return out
}

// seconds estimates the whole workout at the given threshold speed (m/s).
func (w demoWorkout) seconds(threshold float64) float64 {
	total := w.minutes * 60
	for _, b := range w.blocks {
		for _, s := range b.steps {
			secs := s.secs
			if s.metres > 0 {
				secs = s.metres / (threshold * (s.lo + s.hi) / 2)
			}
			total += secs * float64(max(1, b.reps))
		}
	}
	return total
}

// Shorthands for steps. Percent targets are turned into efforts.

func demoPower(label string, minutes float64, lo, hi int) demoStep {
	s := demoStep{label: label, secs: math.Round(minutes * 60), lo: float64(lo) / 100, hi: float64(hi) / 100, work: lo >= 84}
	s.target = demoPercent(lo, hi)
	return s
}

func demoPace(label string, minutes, metres float64, lo, hi int) demoStep {
	s := demoPower(label, minutes, lo, hi)
	s.metres = metres
	s.target += " Pace"
	s.work = lo >= 88
	return s
}

// hrStep asks for a heart rate zone; lo and hi are the effort that gives it.
func demoHR(label string, minutes float64, zone string, lo, hi float64) demoStep {
	return demoStep{label: label, secs: math.Round(minutes * 60), lo: lo, hi: hi, target: zone + " HR"}
}

func demoRest(seconds float64) demoStep { return demoStep{secs: seconds, rest: true, label: "Rest"} }

func demoPercent(lo, hi int) string {
	if lo == hi {
		return fmt.Sprintf("%d%%", lo)
	}
	return fmt.Sprintf("%d-%d%%", lo, hi)
}

func demoRamp(minutes float64, from, to int, suffix string) demoStep {
	s := demoPower("", minutes, from, to)
	s.target = fmt.Sprintf("%d-%d%%%s", from, to, suffix)
	s.ramp, s.work = true, false
	return s
}

// workout picks and writes the session of a slot for a week. minutes is the
// length wanted; hard sessions keep their own and are filled up with easy
// riding or running.
func (c *demoCalendar) workout(kind string, minutes float64, week int) demoWorkout {
	level := week % 4
	mode := c.quality(week)
	pick := func(kinds ...string) string { return kinds[(week/4*3+level)%len(kinds)] }
	switch kind {
	case "ride.quality":
		kind = map[string]string{
			"base":  pick("ride.sweetspot", "ride.tempo"),
			"build": pick("ride.threshold", "ride.vo2", "ride.overunder"),
			"race":  pick("ride.sweetspot", "ride.threshold"),
			"easy":  [2]string{"ride.recovery", "ride.test"}[week/4%2],
		}[mode]
	case "run.quality":
		kind = map[string]string{
			"base":  pick("run.strides", "run.tempo"),
			"build": pick("run.intervals", "run.tempo"),
			"race":  pick("run.tempo", "run.racepace"),
			"easy":  "run.strides",
		}[mode]
	case "swim.quality":
		kind = map[string]string{"base": "swim.technique", "build": "swim.css", "race": "swim.css", "easy": "swim.technique"}[mode]
	}
	switch kind[:3] {
	case "rid":
		return rideWorkout(kind, minutes, level, c.p.ride.threshold-c.p.ride.step*float64(c.step(mondayOf(week))))
	case "run":
		return runWorkout(kind, minutes, level)
	case "swi":
		return swimWorkout(kind, minutes, c.p.swim.threshold)
	}
	return strengthWorkout(minutes, week)
}

func rideWorkout(kind string, minutes float64, level int, ftp float64) demoWorkout {
	w := demoWorkout{sport: "Ride"}
	var main demoBlock
	switch kind {
	case "ride.sweetspot":
		reps, each := 2+level/2, 15+float64(level%2)*3
		w.name = fmt.Sprintf("Sweet spot %dx%g", reps, each)
		main = demoBlock{"Main set", reps, []demoStep{demoPower("Sweet spot", each, 88, 93), demoPower("Easy", 5, 55, 55)}}
	case "ride.tempo":
		watts := math.Round(ftp*0.82/5) * 5
		step := demoPower("Tempo", 25+5*float64(level), 82, 82)
		step.target, step.work = fmt.Sprintf("%gw", watts), true
		step.lo, step.hi = watts/ftp, watts/ftp
		w.name = "Steady tempo"
		main = demoBlock{"Main set", 1, []demoStep{step}}
	case "ride.threshold":
		w.name = fmt.Sprintf("Threshold %dx8", 3+level/2)
		main = demoBlock{"Main set", 3 + level/2, []demoStep{demoPower("Hard", 8, 98, 102), demoPower("Easy", 4, 55, 55)}}
	case "ride.vo2":
		w.name = fmt.Sprintf("VO2 %dx3", 4+level)
		main = demoBlock{"Main set", 4 + level, []demoStep{demoPower("Hard", 3, 112, 118), demoPower("Easy", 3, 50, 50)}}
	case "ride.overunder":
		w.name = "Over-unders"
		main = demoBlock{"Main set", 3, []demoStep{demoPower("Under", 3, 92, 95), demoPower("Over", 1.5, 105, 108), demoPower("Under", 3, 92, 95), demoPower("Over", 1.5, 105, 108), demoPower("Easy", 5, 55, 55)}}
	case "ride.test":
		w.name, w.tags = "FTP test", []any{"test"}
		main = demoBlock{"Test", 1, []demoStep{demoPower("Opener", 3, 105, 105), demoPower("Easy", 6, 50, 50), demoPower("All out", 20, 100, 105), demoPower("Easy", 8, 50, 50)}}
	case "ride.recovery":
		w.name = "Recovery spin"
		w.blocks = []demoBlock{{"", 1, []demoStep{demoPower("Easy", max(35, roundTo5(minutes*0.6)), 48, 55)}}}
		return w
	case "ride.long":
		w.name = "Long ride"
		half := max(20, roundTo5(minutes/2-15))
		last := demoPower("Steady", half, 68, 74)
		w.blocks = []demoBlock{{"Warmup", 1, []demoStep{demoRamp(15, 50, 65, "")}}, {"Endurance", 1, []demoStep{demoHR("Endurance", half, "Z2", 0.62, 0.70), last}}, {"Cooldown", 1, []demoStep{demoPower("", 10, 50, 50)}}}
		return w
	default:
		w.name = "Endurance ride"
		w.blocks = []demoBlock{{"Warmup", 1, []demoStep{demoRamp(10, 50, 65, "")}}, {"Endurance", 1, []demoStep{demoPower("", max(20, roundTo5(minutes-20)), 62, 70)}}, {"Cooldown", 1, []demoStep{demoPower("", 10, 50, 50)}}}
		return w
	}
	w.tags = append(w.tags, "quality")
	w.blocks = []demoBlock{{"Warmup", 1, []demoStep{demoRamp(12, 50, 75, " 85rpm")}}, main}
	if rest := roundTo5(minutes - 22 - w.seconds(1)/60 + 12); rest >= 10 {
		w.blocks = append(w.blocks, demoBlock{"Endurance", 1, []demoStep{demoPower("", rest, 62, 68)}})
	}
	w.blocks = append(w.blocks, demoBlock{"Cooldown", 1, []demoStep{demoPower("", 10, 50, 50)}})
	return w
}

func runWorkout(kind string, minutes float64, level int) demoWorkout {
	w := demoWorkout{sport: "Run"}
	warm := demoBlock{"Warmup", 1, []demoStep{demoHR("", 12, "Z1", 0.65, 0.68)}}
	cool := demoBlock{"Cooldown", 1, []demoStep{demoHR("", 8, "Z1", 0.64, 0.67)}}
	switch kind {
	case "run.tempo":
		w.name, w.tags = "Tempo run", []any{"quality"}
		w.blocks = []demoBlock{warm, {"Main set", 2 + level/2, []demoStep{demoPace("Tempo", 10, 0, 93, 96), demoPace("Jog", 3, 0, 70, 70)}}, cool}
	case "run.intervals":
		reps := 4 + level
		w.name, w.tags = fmt.Sprintf("%d x 800 m", reps), []any{"quality", "track"}
		w.blocks = []demoBlock{warm, {"Main set", reps, []demoStep{demoPace("Fast", 0, 800, 103, 106), demoPace("Jog", 0, 400, 68, 72)}}, cool}
	case "run.racepace":
		w.name, w.tags = "Race pace blocks", []any{"quality"}
		w.blocks = []demoBlock{warm, {"Main set", 3, []demoStep{demoPace("Race pace", 0, 2000, 97, 99), demoPace("Jog", 2, 0, 70, 70)}}, cool}
	case "run.strides":
		w.name = "Easy run with strides"
		w.blocks = []demoBlock{{"", 1, []demoStep{demoHR("", max(20, roundTo5(minutes-12)), "Z2", 0.75, 0.80)}}, {"Strides", 5, []demoStep{demoPace("Stride", 1.0/3, 0, 110, 115), demoPace("Jog", 1, 0, 70, 70)}}, {"Cooldown", 1, []demoStep{demoHR("", 5, "Z1", 0.64, 0.67)}}}
	case "run.long":
		w.name = "Long run"
		w.blocks = []demoBlock{{"", 1, []demoStep{demoHR("", max(40, roundTo5(minutes*0.75)), "Z2", 0.76, 0.80), demoPace("Steady", max(10, roundTo5(minutes*0.25)), 0, 82, 86)}}}
	case "run.brick":
		w.name, w.tags = "Run off the bike", []any{"brick"}
		w.blocks = []demoBlock{{"", 1, []demoStep{demoPace("", minutes, 0, 82, 88)}}}
	default:
		w.name = "Easy run"
		w.blocks = []demoBlock{{"", 1, []demoStep{demoHR("", max(25, roundTo5(minutes)), "Z2", 0.75, 0.80)}}}
	}
	return w
}

// swimWorkout fills the time: about 40 m a minute and more for the fast.
func swimWorkout(kind string, minutes float64, threshold float64) demoWorkout {
	w := demoWorkout{sport: "Swim"}
	metres := minutes * 60 * threshold * 0.82
	fit := func(fixed, each float64) int { return int(max(2, math.Round((metres-fixed)/each))) }
	warm := demoBlock{"Warmup", 1, []demoStep{demoPace("", 0, 400, 86, 86)}}
	cool := demoBlock{"Cooldown", 1, []demoStep{demoPace("", 0, 200, 84, 84)}}
	switch kind {
	case "swim.css":
		reps := fit(600, 112)
		w.name, w.tags = fmt.Sprintf("Threshold hundreds x%d", reps), []any{"quality"}
		w.blocks = []demoBlock{warm, {"Main set", reps, []demoStep{demoPace("Hard", 0, 100, 98, 101), demoRest(15)}}, cool}
	case "swim.endurance":
		w.name = "Endurance swim"
		w.blocks = []demoBlock{warm, {"Main set", fit(600, 410), []demoStep{demoPace("Steady", 0, 400, 92, 94), demoRest(30)}}, cool}
	default:
		w.name = "Technique swim"
		w.blocks = []demoBlock{warm, {"Drills", 6, []demoStep{demoPace("Drill", 0, 50, 80, 80), demoRest(20)}}, {"Main set", fit(1020, 215), []demoStep{demoPace("Smooth", 0, 200, 93, 95), demoRest(20)}}, cool}
	}
	return w
}

func strengthWorkout(minutes float64, week int) demoWorkout {
	sets := [2]string{
		"Squats, three sets of eight, 70 kg\nRomanian deadlift, three sets of eight\nSplit squats with the back foot up\nPlank and side plank, three rounds",
		"Deadlift, four sets of five, 95 kg\nStep-ups with dumbbells, three sets of ten\nPull-ups, three sets to two in reserve\nCalf raises, slow",
	}
	return demoWorkout{name: "Strength " + string(rune('A'+week%2)), sport: "WeightTraining", prose: sets[week%2], minutes: roundTo5(minutes), load: math.Round(minutes * 0.62)}
}

func roundTo5(minutes float64) float64 { return math.Round(minutes/5) * 5 }
