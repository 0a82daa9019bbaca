package fake

import (
	"math"
	"strings"
)

// unitAtEnd is where the number begins in a word that ends in a whole number
// with a unit, -1 in other words.
func unitAtEnd(word string) int {
	end := len(word)
	for end > 0 && (word[end-1] == '%' || isLetter(word[end-1])) {
		end--
	}
	switch strings.ToLower(word[end:]) {
	case "%", "w", "h", "s", "m", "min", "mtr", "mi", "km", "rpm":
	default:
		return -1
	}
	start := end
	for start > 0 && isDigit(word[start-1]) {
		start--
	}
	if start == end || start > 0 && word[start-1] == '.' {
		return -1
	}
	return start
}

// token is one thing that a step says.
type token struct {
	kind  string // duration, distance, power, hr, pace, cadence, power=, hr=, intensity, flag; "" for none
	n     float64
	value Object
	text  string
	words int  // how many words it took
	ends  bool // whether the label ends before it
	zone  bool
}

// readToken reads the token that words begin with.
func readToken(words []string, sport string) token {
	word := strings.ToLower(plainDashes(words[0]))
	next := func(i int) string {
		if i < len(words) {
			return strings.ToLower(words[i])
		}
		return ""
	}
	if secs, ok := durationOf(word); ok {
		return token{kind: "duration", n: secs, words: 1, ends: true}
	}
	if metres, ok := distanceOf(word); ok {
		return token{kind: "distance", n: metres, words: 1, ends: true}
	}
	if value, ok := rangeOf(word, "rpm", ""); ok {
		value["units"] = "rpm"
		return token{kind: "cadence", value: value, words: 1, ends: true}
	}
	if value, ok := rangeOf(word, "w", ""); ok {
		value["units"] = "w"
		return token{kind: "power", value: value, words: 1, ends: true}
	}
	if value, ok := rangeOf(word, "%", ""); ok {
		return percentToken(value, next)
	}
	if value, ok := rangeOf(word, "", "z"); ok {
		kind, units, n := "power", "power_zone", 1
		switch next(1) {
		case "hr":
			kind, units, n = "hr", "hr_zone", 2
		case "pace":
			kind, units, n = "pace", "pace_zone", 2
		}
		value["units"] = units
		return token{kind: kind, value: value, words: n, ends: true, zone: true}
	}
	if value, ok := paceOf(word, sport); ok && next(1) == "pace" {
		return token{kind: "pace", value: value, words: 2, ends: true}
	}
	return modifierToken(word, next(1))
}

// percentToken says what a percentage is of: of FTP unless a word follows.
func percentToken(value Object, next func(int) string) token {
	kind, units, n := "power", "%ftp", 1
	switch next(1) {
	case "hr":
		kind, units, n = "hr", "%hr", 2
	case "lthr":
		kind, units, n = "hr", "%lthr", 2
	case "pace":
		kind, units, n = "pace", "%pace", 2
	case "mmp":
		if secs, ok := durationOf(next(2)); ok {
			units, n = "%mmp", 3
			value["mmp_duration"] = secs
		}
	}
	value["units"] = units
	return token{kind: kind, value: value, words: n, ends: true}
}

func modifierToken(word, next string) token {
	switch word {
	case "ramp", "hidepower", "maxeffort":
		return token{kind: "flag", text: word, words: 1}
	case "freeride":
		return token{kind: "flag", text: "freeride", words: 1, ends: true}
	case "free":
		return token{kind: "flag", text: "freeride", words: 1}
	case "press":
		if next == "lap" {
			return token{kind: "flag", text: "until_lap_press", words: 2, ends: true}
		}
	}
	key, value, ok := strings.Cut(word, "=")
	if !ok || value == "" {
		return token{}
	}
	switch key {
	case "intensity":
		switch value {
		case "active", "rest", "warmup", "cooldown", "recovery", "interval", "other", "auto":
			return token{kind: "intensity", text: value, words: 1, ends: true}
		}
	case "power", "hr":
		switch value {
		case "lap", "1s", "3s", "10s", "30s":
			return token{kind: key + "=", text: value, words: 1, ends: true}
		}
	}
	return token{}
}

// durationOf reads 1h30m, 5m30s, 1m30, 30s, 5' and 1'30" into seconds.
func durationOf(word string) (float64, bool) {
	total, unit := 0.0, 3600.0 // unit: the greatest that may still come
	smallest := 0.0
	for word != "" {
		n, rest := leadingWhole(word)
		if rest == word {
			return 0, false
		}
		var size float64
		switch {
		case rest == "":
			// The unit below the last one: 1m30, 1h30.
			if size = smallest / 60; size < 1 {
				return 0, false
			}
		case rest[0] == 'h':
			size = 3600
		case rest[0] == 'm', rest[0] == '\'':
			size = 60
		case rest[0] == 's', rest[0] == '"':
			size = 1
		default:
			return 0, false
		}
		if size > unit {
			return 0, false
		}
		total, smallest, unit = total+n*size, size, size/60
		if rest == "" {
			break
		}
		word = rest[1:]
	}
	return total, smallest > 0
}

// distanceOf reads 400mtr, 1.5km, 2mi, 100yrd, 100y into metres. A mile is
// 1609.34 m here (samples/workout_parser_vectors.json).
func distanceOf(word string) (float64, bool) {
	for _, u := range [...]struct {
		unit   string
		metres float64
	}{{"mtr", 1}, {"km", 1000}, {"mi", 1609.34}, {"yrd", 0.9144}, {"y", 0.9144}} {
		if digits, ok := strings.CutSuffix(word, u.unit); ok {
			n, ok := decimalOf(digits)
			return round2(n * u.metres), ok
		}
	}
	return 0, false
}

// rangeOf reads a number or a range with a unit behind or before it, which
// the first number may leave out or repeat: 60%, 60-90%, 157w-213w, z2-z3.
func rangeOf(word, behind, before string) (Object, bool) {
	bare := func(s string, needed bool) (float64, bool) {
		if before != "" {
			var ok bool
			if s, ok = strings.CutPrefix(s, before); !ok {
				return 0, false
			}
			return wholeOf(s)
		}
		t, ok := strings.CutSuffix(s, behind)
		if !ok && needed {
			return 0, false
		}
		return decimalOf(t)
	}
	low, high, isRange := strings.Cut(word, "-")
	if !isRange {
		v, ok := bare(word, true)
		return Object{"value": v}, ok
	}
	start, ok1 := bare(low, false)
	end, ok2 := bare(high, true)
	return Object{"start": start, "end": end}, ok1 && ok2
}

// paceOf reads 5:55/mi, 4:30-4:50/km or 1:45 into seconds per unit; without a
// unit it is the sport's usual one (the athlete's pace_units are not known
// here).
func paceOf(word, sport string) (Object, bool) {
	low, high, isRange := strings.Cut(word, "-")
	start, unit1, ok1 := onePace(low)
	if !isRange {
		high = low
	}
	end, unit2, ok2 := onePace(high)
	if !ok1 || !ok2 {
		return nil, false
	}
	if unit2 == "" {
		unit2 = unit1
	}
	if unit2 == "" {
		unit2 = usualPaceUnit(sport)
	}
	if _, ok := paceUnitMetres("secs/" + unit2); !ok {
		return nil, false
	}
	if !isRange {
		return Object{"value": start, "units": "secs/" + unit2}, true
	}
	return Object{"start": start, "end": end, "units": "secs/" + unit2}, true
}

func onePace(s string) (secs float64, unit string, ok bool) {
	clock, unit, _ := strings.Cut(s, "/")
	minutes, seconds, ok := strings.Cut(clock, ":")
	m, ok1 := wholeOf(minutes)
	n, ok2 := wholeOf(seconds)
	return 60*m + n, unit, ok && ok1 && ok2 && len(seconds) == 2 && n < 60
}

func usualPaceUnit(sport string) string {
	switch sportFamily(sport) {
	case "swim":
		return "100m"
	case "row":
		return "500m"
	}
	return "km"
}

// plainDashes turns the dashes that people paste into hyphens.
func plainDashes(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\u2010' && r <= '\u2015' || r == '\u2212' {
			return '-'
		}
		return r
	}, word)
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// leadingWhole cuts up to seven digits from the front of s.
func leadingWhole(s string) (n float64, rest string) {
	i := 0
	for i < len(s) && i < 7 && isDigit(s[i]) {
		n = 10*n + float64(s[i]-'0')
		i++
	}
	return n, s[i:]
}

func wholeOf(s string) (float64, bool) {
	n, rest := leadingWhole(s)
	return n, s != "" && rest == ""
}

func decimalOf(s string) (float64, bool) {
	n, rest := leadingWhole(s)
	if rest == s {
		return 0, false
	}
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		f, ok := wholeOf(fraction)
		return n + f/math.Pow10(len(fraction)), ok
	}
	return n, rest == ""
}
