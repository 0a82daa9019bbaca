package tools

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"intervals-mcp/internal/intervals"
)

// voice is to whom and about which sport a number is said.
type voice struct {
	Units
	sport string
	pace  string // the sport's pace units, "" when it has no pace
}

func (p Profile) voice(sport string) voice {
	return voice{Units: p.Units, sport: sport, pace: p.paceUnits(sport)}
}

// quantity is how a kind of number is given: unit ends the structured key,
// si turns the API's number into that unit, say words the API's number for
// the athlete ("" = there is nothing to say).
type quantity struct {
	unit     string
	decimals int
	si       func(float64) float64 // nil = the API's unit already
	say      func(float64) string
}

// metric is one number of an activity or interval, declared once for the
// text, the structured result and the list of API keys that are spoken for.
type metric struct {
	key   string // structured key, without its unit
	label string
	from  []string // API keys; the first that holds a number wins
	q     func(voice) quantity
	// derive computes the number where the platform did not; may be nil.
	derive func(intervals.Object) (float64, bool)
}

func num(key, label, from string, q func(voice) quantity) metric {
	return metric{key: key, label: label, from: strings.Split(from, "|"), q: q}
}

// read finds the number; ok is false when it is absent, null or, for a pace,
// impossible. Zero is a number.
func (m metric) read(o intervals.Object) (float64, bool) {
	for _, key := range m.from {
		if x, ok := o.Number(key); ok {
			return x, true
		}
	}
	if m.derive != nil {
		return m.derive(o)
	}
	return 0, false
}

// add puts the metric into a structured facts.
func (m metric) add(r *facts, o intervals.Object, v voice) {
	x, ok := m.read(o)
	if !ok {
		return
	}
	q := m.q(v)
	if q.si != nil {
		x = q.si(x)
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return
	}
	key := m.key
	if q.unit != "" {
		key += "_" + q.unit
	}
	r.add(key, rounded(x, q.decimals))
}

// say words the metric's value, "" when there is none.
func (m metric) say(o intervals.Object, v voice) string {
	x, ok := m.read(o)
	if !ok {
		return ""
	}
	return m.q(v).say(x)
}

// asUnit is a quantity with the same unit everywhere.
func asUnit(key string, decimals int, shown string) func(voice) quantity {
	q := quantity{unit: key, decimals: decimals, say: func(x float64) string { return round(x, decimals) + shown }}
	return func(voice) quantity { return q }
}

// The quantities of activities (API.md 2.3).
var (
	asCount        = asUnit("", 0, "")
	asRatio        = asUnit("", 2, "")
	asTenths       = asUnit("", 1, "")
	asWatts        = asUnit("w", 0, " W")
	asWattsPerKg   = asUnit("w_per_kg", 2, " W/kg")
	asBeats        = asUnit("bpm", 0, " bpm")
	asPercent      = asUnit("percent", 1, " %")
	asKcal         = asUnit("kcal", 0, " kcal")
	asStride       = asUnit("m", 2, " m")
	asDegrees      = asUnit("deg", 0, "°")
	asTorque       = asUnit("nm", 1, " Nm")
	asPerMinute    = asUnit("per_min", 1, " /min")
	asLactate      = asUnit("mmol_per_l", 1, " mmol/L")
	asHaemoglobin  = asUnit("g_per_dl", 2, " g/dL")
	asFitness      = func(voice) quantity { return quantity{decimals: 1, say: func(x float64) string { return fixed(x, 1) }} }
	asWholePercent = func(voice) quantity {
		return quantity{unit: "percent", decimals: 1, say: func(x float64) string { return round(x, 0) + " %" }}
	}
	asOfTen = func(voice) quantity {
		return quantity{decimals: 1, say: func(x float64) string { return round(x, 1) + "/10" }}
	}
	asKilojoules = func(voice) quantity {
		return quantity{"kj", 1, func(j float64) float64 { return j / 1000 }, func(j float64) string { return kjText(j) }}
	}
	asGradient = func(voice) quantity { // the API's 0.004 is 0.4 %
		return quantity{"percent", 1, func(f float64) float64 { return 100 * f }, func(f float64) string { return round(100*f, 1) + " %" }}
	}
	asDuration = func(voice) quantity { return quantity{unit: "s", say: Duration} }
	asDistance = func(v voice) quantity {
		return quantity{"m", 2, nil, func(m float64) string { return v.Distance(m, v.sport) }}
	}
	asHeight      = func(v voice) quantity { return quantity{"m", 1, nil, v.Climb} }
	asWeight      = func(v voice) quantity { return quantity{"kg", 1, nil, v.Weight} }
	asTemperature = func(v voice) quantity { return quantity{"c", 1, nil, v.Temperature} }
	asWind        = func(v voice) quantity { return quantity{"m_per_s", 1, nil, v.WindSpeed} }
	asSpeed       = func(v voice) quantity { return quantity{"m_per_s", 3, nil, v.Speed} }
)

// asCadence doubles what foot sports count for one leg (API.md 6, trap 2).
func asCadence(v voice) quantity {
	if !intervals.FootSport(v.sport) {
		return asUnit("rpm", 0, " rpm")(v)
	}
	return quantity{"spm", 0, func(x float64) float64 { return 2 * x }, func(x float64) string { return round(2*x, 0) + " spm" }}
}

// asPace gives a speed as a pace, for sports that have one.
func asPace(v voice) quantity {
	per, key := 1000.0, "s_per_km"
	switch v.pace {
	case "SECS_100M", "SECS_100Y":
		per, key = 100, "s_per_100m"
	case "SECS_500M":
		per, key = 500, "s_per_500m"
	case "":
		per = math.NaN() // no pace: nothing is added or said
	}
	return quantity{key, 1, func(ms float64) float64 { return per / ms }, func(ms float64) string { return Pace(ms, v.pace) }}
}

// meanSpeed is distance over moving time, m/s.
func meanSpeed(o intervals.Object) (float64, bool) {
	m, far := o.Number("distance")
	s, moved := o.Number("moving_time")
	return m / s, far && moved && s > 0
}

func kjText(j float64) string {
	if math.Abs(j) < 100_000 {
		return round(j/1000, 1) + " kJ"
	}
	return round(j/1000, 0) + " kJ"
}

// feelWords are the platform's five feelings after a session, 1 the best
// (domain.md "Scales").
var feelWords = [...]string{"", "strong", "good", "normal", "poor", "weak"}

// feel reads how it felt; word is "" for a number outside the scale.
func feel(o intervals.Object) (n int64, word string, ok bool) {
	if n, ok = o.Int("feel"); n < 1 {
		return 0, "", false // the scale begins at 1
	}
	if n < int64(len(feelWords)) {
		word = feelWords[n]
	}
	return n, word, ok
}

// facts is one structured object whose keys keep their order.
type facts []keyValue

type keyValue struct {
	key   string
	value any
}

func (r *facts) add(key string, value any) { *r = append(*r, keyValue{key, value}) }

// text adds a string unless it is empty.
func (r *facts) text(key, value string) {
	if value != "" {
		r.add(key, value)
	}
}

// count adds a number of things unless there are none.
func (r *facts) count(key string, n int) {
	if n != 0 {
		r.add(key, int64(n))
	}
}

// encoded is a record's JSON, written once: its size says how many records fit
// into an answer.
type encoded []byte

// MarshalJSON gives it as it is.
func (e encoded) MarshalJSON() ([]byte, error) { return e, nil }

func encode(f facts) encoded { return f.append(make([]byte, 0, 512)) }

// MarshalJSON writes the fields in order.
func (r facts) MarshalJSON() ([]byte, error) { return r.append(nil), nil }

func (r facts) append(b []byte) []byte {
	b = append(b, '{')
	for i, f := range r {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, f.key), ':')
		b = appendValue(b, f.value)
	}
	return append(b, '}')
}

func appendValue(b []byte, value any) []byte {
	switch x := value.(type) {
	case float64:
		return appendNumber(b, x)
	case int64:
		return strconv.AppendInt(b, x, 10)
	case string:
		return appendText(b, x)
	case series:
		return x.append(b)
	case facts:
		return x.append(b)
	case []encoded:
		b = slices.Grow(b, len(x)*400)
		b = append(b, '[')
		for i, one := range x {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, one...)
		}
		return append(b, ']')
	case []facts:
		b = append(b, '[')
		for i, one := range x {
			if i > 0 {
				b = append(b, ',')
			}
			b = one.append(b)
		}
		return append(b, ']')
	}
	return append(b, mustJSON(value)...)
}

// appendText writes a JSON string. Nearly all of ours are plain, which needs
// no encoder.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, mustJSON(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendNumber writes a number of JSON; a missing one is null.
func appendNumber(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, "null"...)
	}
	if x == 0 {
		return append(b, '0') // never -0
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}
