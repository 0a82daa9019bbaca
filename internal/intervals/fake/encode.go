package fake

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// row is an object that is served with a fixed key set: every key of keys is
// written, null when absent, then what else the object holds (custom fields).
// What is computed at the time of asking lies over the object, what its kind
// always has lies under it.
type row struct {
	keys []string
	Object
	over, under Object
	known       map[string]bool // keys as a set, for kinds that are served in hundreds
}

// full gives obj the key set of its kind.
func full(keys []string, obj Object) row { return row{keys: keys, Object: obj} }

// rows gives every object the key set of its kind.
func rows(keys []string, objs []Object) []row {
	out := make([]row, len(objs))
	for i, o := range objs {
		out[i] = full(keys, o)
	}
	return out
}

// pick keeps the asked keys that are not null, as `fields` does (API.md 1.5).
func (r row) pick(fields []string) Object {
	out := Object{}
	for _, k := range fields {
		if v := r.get(k); v != nil {
			out[k] = v
		}
	}
	return out
}

func (r row) get(k string) any {
	if v, ok := r.over[k]; ok {
		return v
	}
	if v, ok := r.Object[k]; ok {
		return v
	}
	return r.under[k]
}

// encode writes v as JSON. It knows the handful of types the package holds,
// which makes it several times faster than encoding/json on wide objects and
// keeps the wire's order of keys; anything else goes to encoding/json.
func encode(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendText(b, v)
	case float64:
		return appendNumber(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case row:
		return appendRow(b, v)
	case Object:
		return appendRow(b, row{Object: v})
	case []row:
		return appendList(b, v, appendRow)
	case []Object:
		return appendList(b, v, func(b []byte, o Object) []byte { return appendRow(b, row{Object: o}) })
	case []any:
		return appendList(b, v, encode)
	case []string:
		return appendList(b, v, appendText)
	case []float64:
		return appendList(b, v, appendNumber)
	case []int:
		return appendList(b, v, func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	case []*float64:
		return appendList(b, v, appendMaybe)
	case *float64:
		return appendMaybe(b, v)
	case json.RawMessage:
		return append(b, v...)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return append(b, "null"...)
	}
	return append(b, text...)
}

func appendList[T any](b []byte, list []T, add func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, v)
	}
	return append(b, ']')
}

func appendRow(b []byte, r row) []byte {
	b = append(b, '{')
	start, held := len(b), 0
	for _, k := range r.keys {
		if _, ok := r.Object[k]; ok {
			held++
		}
		b = appendKey(b, start, k)
		b = encode(b, r.get(k))
	}
	if held < len(r.Object) {
		for _, k := range r.extra() {
			b = appendKey(b, start, k)
			b = encode(b, r.Object[k])
		}
	}
	return append(b, '}')
}

// extra are the keys beyond the key set, in order.
func (r row) extra() []string {
	var out []string
	for k := range r.Object {
		if r.known != nil && !r.known[k] || r.known == nil && !slices.Contains(r.keys, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func appendKey(b []byte, start int, k string) []byte {
	if len(b) > start {
		b = append(b, ',')
	}
	return append(appendText(b, k), ':')
}

// appendNumber writes whole numbers without a fraction and the rest as
// encoding/json does. What JSON cannot say is null.
func appendNumber(b []byte, f float64) []byte {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	case size < 1e15 && f == math.Trunc(f):
		return strconv.AppendInt(b, int64(f), 10)
	case size < 1e-6 || size >= 1e21:
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

func appendMaybe(b []byte, f *float64) []byte {
	if f == nil {
		return append(b, "null"...)
	}
	return appendNumber(b, *f)
}

func appendText(b []byte, s string) []byte {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	text, err := json.Marshal(s)
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, text...)
}

// round8 cuts a computed value to the eight digits of the platform's 32-bit
// numbers (API.md trap 12).
func round8(f float64) float64 {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	scale := math.Pow(10, 7-math.Floor(math.Log10(math.Abs(f))))
	if math.IsInf(scale, 0) || scale == 0 {
		return f
	}
	return math.Round(f*scale) / scale
}
