package intervals

import (
	"errors"
	"iter"
	"math"
	"strings"
)

// Object is one JSON object as upstream sent it, private keys apart: every
// key is kept, in order, and absent, null and zero stay different things.
// The zero Object is empty. Objects are read-only and safe to share.
type Object struct{ fields []field }

type field struct {
	key string
	raw string // one valid JSON value, untouched
}

// errNotObject and errNotArray say that a body has another shape.
var (
	errNotJSON   = errors.New("the body is not JSON")
	errNotObject = errors.New("the body is not a JSON object")
	errNotArray  = errors.New("the body is not a JSON array of objects")
)

// ParseObject reads one JSON object.
func ParseObject(body []byte) (Object, error) { return parseObject(string(body)) }

func parseObject(s string) (Object, error) {
	if s = trim(s); s == "" || s[0] != '{' {
		return Object{}, misshapen(s, errNotObject)
	}
	var p splitter
	o, end := p.objectAt(s, 0, 1)
	if end != len(s) {
		return Object{}, errNotJSON
	}
	return o, nil
}

// ParseObjects reads a JSON array of objects; null is an empty list.
func ParseObjects(body []byte) ([]Object, error) {
	s := trim(string(body))
	if s == "null" {
		return nil, nil
	}
	if s == "" || s[0] != '[' {
		return nil, misshapen(s, errNotArray)
	}
	p := splitter{list: true}
	return p.objects(s)
}

// misshapen tells JSON of another shape from what is no JSON.
func misshapen(s string, other error) error {
	if scanValue(s, 0, 1) == len(s) && s != "" {
		return other
	}
	return errNotJSON
}

// Len is the number of keys.
func (o Object) Len() int { return len(o.fields) }

// raw finds a key's value, "" if it is absent; the last one wins, as in
// encoding/json.
func (o Object) raw(key string) string {
	for i := len(o.fields) - 1; i >= 0; i-- {
		if o.fields[i].key == key {
			return o.fields[i].raw
		}
	}
	return ""
}

// Has reports whether the key is present and not null.
func (o Object) Has(key string) bool {
	raw := o.raw(key)
	return raw != "" && raw[0] != 'n'
}

// IsNull reports whether the key is present with the value null.
func (o Object) IsNull(key string) bool {
	raw := o.raw(key)
	return raw != "" && raw[0] == 'n'
}

// Number gives a number, also one that was sent as text; ok is false when the
// key is absent, null or not a finite number.
func (o Object) Number(key string) (v float64, ok bool) { return number(o.raw(key)) }

// Int gives a whole number, rounded where upstream sent a fraction.
func (o Object) Int(key string) (v int64, ok bool) {
	f, ok := number(o.raw(key))
	if !ok || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(math.Round(f)), true
}

// Text gives a string; a number is given as its digits (ids come as either,
// API.md 7). ok is false when the key is absent, null or of another kind.
func (o Object) Text(key string) (v string, ok bool) { return text(o.raw(key)) }

// Bool gives a boolean.
func (o Object) Bool(key string) (v, ok bool) {
	switch o.raw(key) {
	case "true", `"true"`:
		return true, true
	case "false", `"false"`:
		return false, true
	}
	return false, false
}

// Object gives a nested object.
func (o Object) Object(key string) (Object, bool) {
	raw := o.raw(key)
	if len(raw) == 0 || raw[0] != '{' {
		return Object{}, false
	}
	v, err := parseObject(raw)
	return v, err == nil
}

// Objects gives a nested array of objects; elements of another kind are
// skipped.
func (o Object) Objects(key string) []Object {
	var out []Object
	p := splitter{list: true}
	for _, raw := range elements(o.raw(key)) {
		if raw[0] == '{' {
			v, _ := p.objectAt(raw, 0, 1)
			out = append(out, v)
		}
	}
	return out
}

// Numbers gives a nested array of numbers; NaN stands for an element that is
// null or no number. It is nil when the key holds no array.
func (o Object) Numbers(key string) []float64 { return numbers(o.raw(key)) }

// Texts gives a nested array of strings; other elements are skipped.
func (o Object) Texts(key string) []string {
	var out []string
	for _, raw := range elements(o.raw(key)) {
		if s, ok := text(raw); ok {
			out = append(out, s)
		}
	}
	return out
}

// All walks over the keys in the order in which they were sent. A value is
// nil, bool, string, json.Number, []any or map[string]any, private keys
// removed at every depth.
func (o Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, f := range o.fields {
			if !yield(f.key, value(f.raw)) {
				return
			}
		}
	}
}

// Value gives one value as All does; nil when absent or null.
func (o Object) Value(key string) any {
	if raw := o.raw(key); raw != "" {
		return value(raw)
	}
	return nil
}

// MarshalJSON writes the object without its private keys at any depth.
func (o Object) MarshalJSON() ([]byte, error) { return o.appendJSON(nil), nil }

// UnmarshalJSON reads an object as ParseObject does; null is the empty one.
func (o *Object) UnmarshalJSON(b []byte) (err error) {
	if string(b) == "null" {
		*o = Object{}
		return nil
	}
	*o, err = ParseObject(b)
	return err
}

func (o Object) appendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, f := range o.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, f.key)
		b = append(b, ':')
		b = appendClean(b, f.raw)
	}
	return append(b, '}')
}

// Without gives the object without some keys.
func (o Object) Without(keys ...string) Object {
	out := Object{fields: make([]field, 0, len(o.fields))}
next:
	for _, f := range o.fields {
		for _, k := range keys {
			if f.key == k {
				continue next
			}
		}
		out.fields = append(out.fields, f)
	}
	return out
}

// Only gives the object with no other keys than these.
func (o Object) Only(keep func(key string) bool) Object {
	out := Object{}
	for _, f := range o.fields {
		if keep(f.key) {
			out.fields = append(out.fields, f)
		}
	}
	return out
}

// private reports whether a key holds what must not leave this package:
// e-mail, API keys, invitation and share tokens, passwords, ids at other
// services (API.md 2.1).
func private(key string) bool {
	switch key {
	case "strava_id", "icu_admin", "has_password", "sponsored_by_chat_id", "shareToken":
		return true
	}
	lower := strings.ToLower(key)
	for i := range len(lower) {
		for _, word := range privateWords[lower[i]] {
			if strings.HasPrefix(lower[i:], word) {
				return true
			}
		}
	}
	return false
}

// privateWords by their first letter: every key that comes is looked at.
var privateWords = [256][]string{'e': {"email"}, 'a': {"api_key", "apikey"}, 't': {"token"}, 'p': {"password"}, 's': {"secret"}, '_': {"_user_id"}}

// splitter checks JSON and cuts it into objects in one go. Rows of a list
// repeat their keys, so it keeps what it found out about the previous row's.
type splitter struct {
	list bool // it cuts a list
	last []seenKey
}

type seenKey struct {
	quoted  string // as it stands in the JSON
	name    string
	private bool
}

func (p *splitter) objects(s string) ([]Object, error) {
	var out []Object
	i := skipSpace(s, 1)
	if i+1 == len(s) && s[i] == ']' {
		return nil, nil
	}
	for i < len(s) {
		if s[i] != '{' {
			return nil, misshapen(s, errNotArray)
		}
		o, end := p.objectAt(s, i, 2)
		if end < 0 {
			break
		}
		if out == nil { // the first row says about how many there are
			out = make([]Object, 0, len(s)/(end-i)+1)
		}
		out = append(out, o)
		i = skipSpace(s, end)
		if i+1 == len(s) && s[i] == ']' {
			return out, nil
		}
		if i == len(s) || s[i] != ',' {
			break
		}
		i = skipSpace(s, i+1)
	}
	return nil, errNotJSON
}

// objectAt cuts the object that begins at i, whose nesting is depth, and gives
// the place after it, -1 if it is no JSON.
func (p *splitter) objectAt(s string, i, depth int) (Object, int) {
	if depth > maxDepth {
		return Object{}, -1
	}
	guess := len(p.last)
	if guess == 0 {
		guess = min(len(s)/24+1, 192)
	}
	o := Object{fields: make([]field, 0, guess)}
	if i = skipSpace(s, i+1); i < len(s) && s[i] == '}' {
		return o, i + 1
	}
	for n := 0; ; n++ {
		start := i
		if i = scanString(s, i); i < 0 {
			return o, -1
		}
		key := p.key(n, s[start:i])
		if i = skipSpace(s, i); i == len(s) || s[i] != ':' {
			return o, -1
		}
		start = skipSpace(s, i+1)
		if i = scanValue(s, start, depth+1); i < 0 {
			return o, -1
		}
		if !key.private {
			o.fields = append(o.fields, field{key.name, s[start:i]})
		}
		if i = skipSpace(s, i); i == len(s) {
			return o, -1
		}
		switch s[i] {
		case '}':
			return o, i + 1
		case ',':
			i = skipSpace(s, i+1)
		default:
			return o, -1
		}
	}
}

// key reads the n-th key of an object.
func (p *splitter) key(n int, quoted string) seenKey {
	if n < len(p.last) && p.last[n].quoted == quoted {
		return p.last[n]
	}
	name := unquote(quoted)
	k := seenKey{quoted, name, private(name)}
	switch {
	case n < len(p.last):
		p.last[n] = k
	case p.list:
		p.last = append(p.last, k)
	}
	return k
}
