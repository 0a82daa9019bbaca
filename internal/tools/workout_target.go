package tools

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// target writes one target of a step: a value or a range, never both.
func (r *renderer) target(where, kind string, v any, ramp bool) string {
	t, ok := v.(map[string]any)
	if !ok {
		r.problem(where, "must be an object: value, or start and end, with units")
		return ""
	}
	units := strings.ToLower(strings.ReplaceAll(stringOf(t["units"]), " ", ""))
	if units == "" && kind == "cadence" {
		units = "rpm"
	}
	from, to, ok := r.ends(where, t, units)
	if !ok {
		return ""
	}
	if ramp && kind != "cadence" && from == to {
		r.problem(where, "is a ramp and needs start and end")
	}
	text := r.span(where, kind, units, from, to)
	if word := stringOf(t["target"]); word != "" && text != "" && (kind == "power" || kind == "hr") {
		switch word {
		case "lap", "1s", "3s", "10s", "30s":
			text += " " + kind + "=" + word
		default:
			r.problem(where+".target", "must be lap, 1s, 3s, 10s or 30s")
		}
	}
	return text
}

// ends reads value, or start and end. Where both are given the range counts,
// if the value lies in it.
func (r *renderer) ends(where string, t map[string]any, units string) (from, to float64, ok bool) {
	read := func(key string) (float64, bool) {
		if t[key] == nil {
			return 0, false
		}
		n, ok := targetNumber(t[key], units)
		if !ok || n <= 0 {
			r.problem(where+"."+key, "must be a number above 0")
			return 0, false
		}
		return n, true
	}
	if t["start"] == nil && t["end"] == nil {
		if t["value"] == nil {
			r.problem(where, "has no value and no start and end")
			return 0, 0, false
		}
		v, ok := read("value")
		return v, v, ok
	}
	from, ok1 := read("start")
	to, ok2 := read("end")
	if (t["start"] == nil) != (t["end"] == nil) {
		r.problem(where, "needs both start and end")
	}
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	if v, ok := targetNumber(t["value"], units); ok && (v < min(from, to) || v > max(from, to)) {
		r.problem(where, "has a value outside its start and end; give one of them")
		return 0, 0, false
	}
	return from, to, true
}

// targetNumber reads a number; of a pace also m:ss, and minutes where a pace
// per kilometre or mile is so small that seconds cannot be meant. Paces are
// seconds afterwards.
func targetNumber(v any, units string) (float64, bool) {
	if _, _, isPace := paceUnit(units); isPace {
		if m, s, found := strings.Cut(stringOf(v), ":"); found {
			minutes, err1 := strconv.Atoi(m)
			secs, err2 := strconv.Atoi(s)
			return float64(60*minutes + secs), err1 == nil && err2 == nil && len(s) == 2 && secs < 60 && minutes >= 0
		}
		n, ok := numberOf(v)
		if (strings.HasPrefix(units, "mins_") || strings.HasSuffix(units, "/km") || strings.HasSuffix(units, "/mi")) && n < 30 {
			n *= 60
		}
		return n, ok
	}
	return numberOf(v)
}

// paceUnit names the unit of an absolute pace and its length in metres.
func paceUnit(units string) (suffix string, metres float64, ok bool) {
	switch strings.TrimPrefix(strings.TrimPrefix(units, "secs"), "mins") {
	case "_km", "/km":
		return "/km", 1000, true
	case "_mile", "/mi", "/mile":
		return "/mi", metresPerMile, true
	case "_100m", "/100m":
		return "/100m", 100, true
	case "_100y", "/100y":
		return "/100y", 100 * metresPerYard, true
	case "_500m", "/500m":
		return "/500m", 500, true
	case "_400m", "/400m":
		return "/400m", 400, true
	case "_250m", "/250m":
		return "/250m", 250, true
	}
	return "", 0, false
}

// span writes both ends, once when they are equal.
func (r *renderer) span(where, kind, units string, from, to float64) string {
	numbers := func(before, behind string) string {
		if from == to {
			return before + plainNumber(from) + behind
		}
		return before + plainNumber(from) + "-" + before + plainNumber(to) + behind
	}
	fits := func(kinds ...string) bool {
		for _, k := range kinds {
			if k == kind {
				return true
			}
		}
		r.problem(where+".units", "%s does not fit %s", units, kind)
		return false
	}
	switch units {
	case "%ftp", "%mmp", "w", "watts", "power_zone":
		if !fits("power") {
			return ""
		}
		switch units {
		case "%ftp":
			return numbers("", "%")
		case "%mmp":
			return numbers("", "% MMP")
		case "power_zone":
			return numbers("Z", "")
		}
		return numbers("", "w")
	case "%hr", "%lthr", "hr_zone", "bpm":
		if !fits("hr") {
			return ""
		}
		return map[string]func() string{
			"%hr": func() string { return numbers("", "% HR") }, "%lthr": func() string { return numbers("", "% LTHR") },
			"hr_zone": func() string { return numbers("Z", " HR") }, "bpm": func() string { return r.beats(where, from, to) },
		}[units]()
	case "%pace", "pace_zone":
		if !fits("pace") {
			return ""
		}
		if units == "%pace" {
			return numbers("", "% Pace")
		}
		return numbers("Z", " Pace")
	case "rpm", "cadence":
		if !fits("cadence") {
			return ""
		}
		return numbers("", "rpm")
	}
	suffix, metres, ok := paceUnit(units)
	if !ok {
		r.problem(where+".units", "must be one of %s", map[string]string{"power": "%ftp, w, power_zone, %mmp", "hr": "%lthr, %hr, hr_zone, bpm",
			"pace": "%pace, pace_zone, MINS_KM, MINS_MILE, SECS_100M, SECS_100Y, SECS_500M", "cadence": "rpm"}[kind])
		return ""
	}
	if !fits("pace") {
		return ""
	}
	for _, secs := range []float64{from, to} {
		if speed := metres / secs; speed > 30 || speed < 0.1 {
			r.problem(where, "is a pace of %s%s, which cannot be meant", minutes(secs), suffix)
			return ""
		}
	}
	if from == to {
		return minutes(from) + suffix + " Pace"
	}
	return minutes(from) + "-" + minutes(to) + suffix + " Pace"
}

// beats writes a heart rate in bpm as a percentage of the athlete's threshold
// or maximum: the text knows no bpm (API.md 4).
func (r *renderer) beats(where string, from, to float64) string {
	base, name := r.base.LTHR, "LTHR"
	if base <= 0 {
		base, name = r.base.Max, "HR"
	}
	if base <= 0 {
		r.problem(where, "is in bpm, but the athlete has no LTHR or maximum heart rate for this sport; use %%lthr, %%hr or hr_zone")
		return ""
	}
	percent := func(bpm float64) string { return strconv.Itoa(int(math.Round(100 * bpm / base))) }
	text, beats := percent(from)+"-"+percent(to), plainNumber(from)+"-"+plainNumber(to)
	if from == to {
		text, beats = percent(from), plainNumber(from)
	}
	r.notes = append(r.notes, fmt.Sprintf("%s bpm was written as %s%% %s (%s bpm), since workout text knows no bpm.", beats, text, name, plainNumber(base)))
	return text + "% " + name
}
