package intervals

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Object is one JSON object as upstream sent it, private keys apart: every
// key is kept, in order, and absent, null and zero stay different things.
// The zero Object is empty. Objects are read-only and safe to share.
type Object struct{ fields []field }

type field struct {
	key string
	raw []byte // one valid JSON value, untouched
}

// errNotObject and errNotArray say that a body has another shape.
var (
	errNotJSON   = errors.New("the body is not JSON")
	errNotObject = errors.New("the body is not a JSON object")
	errNotArray  = errors.New("the body is not a JSON array of objects")
)

// ParseObject reads one JSON object.
func ParseObject(body []byte) (Object, error) {
	if !json.Valid(body) {
		return Object{}, errNotJSON
	}
	var p splitter
	return p.object(body)
}

// ParseObjects reads a JSON array of objects; null is an empty list.
func ParseObjects(body []byte) ([]Object, error) {
	if !json.Valid(body) {
		return nil, errNotJSON
	}
	var p splitter
	return p.objects(body)
}

// Len is the number of keys.
func (o Object) Len() int { return len(o.fields) }

// raw finds a key's value; the last one wins, as in encoding/json.
func (o Object) raw(key string) []byte {
	for i := len(o.fields) - 1; i >= 0; i-- {
		if o.fields[i].key == key {
			return o.fields[i].raw
		}
	}
	return nil
}

// Has reports whether the key is present and not null.
func (o Object) Has(key string) bool {
	raw := o.raw(key)
	return raw != nil && raw[0] != 'n'
}

// IsNull reports whether the key is present with the value null.
func (o Object) IsNull(key string) bool {
	raw := o.raw(key)
	return raw != nil && raw[0] == 'n'
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
	switch string(o.raw(key)) {
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
	var p splitter
	v, err := p.object(raw)
	return v, err == nil
}

// Objects gives a nested array of objects; elements of another kind are
// skipped.
func (o Object) Objects(key string) []Object {
	var out []Object
	var p splitter
	for _, raw := range elements(o.raw(key)) {
		if raw[0] == '{' {
			if v, err := p.object(raw); err == nil {
				out = append(out, v)
			}
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
	if raw := o.raw(key); raw != nil {
		return value(raw)
	}
	return nil
}

// MarshalJSON writes the object without its private keys at any depth.
func (o Object) MarshalJSON() ([]byte, error) { return o.appendJSON(nil), nil }

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
	for _, word := range [...]string{"email", "api_key", "apikey", "token", "password", "secret", "_user_id"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// splitter cuts valid JSON into objects. Rows of a list repeat their keys, so
// it keeps the previous row's and copies neither keys nor verdicts again.
type splitter struct{ last []seenKey }

type seenKey struct {
	name    string
	private bool
}

func (p *splitter) objects(body []byte) ([]Object, error) {
	body = trim(body)
	if string(body) == "null" {
		return nil, nil
	}
	if len(body) == 0 || body[0] != '[' {
		return nil, errNotArray
	}
	var out []Object
	for i := skipSpace(body, 1); body[i] != ']'; {
		if body[i] != '{' {
			return nil, errNotArray
		}
		o, end := p.objectAt(body, i)
		if out == nil { // the first row says about how many there are
			out = make([]Object, 0, len(body)/(end-i)+1)
		}
		out = append(out, o)
		if i = skipSpace(body, end); body[i] == ',' {
			i = skipSpace(body, i+1)
		}
	}
	return out, nil
}

func (p *splitter) object(body []byte) (Object, error) {
	body = trim(body)
	if len(body) == 0 || body[0] != '{' {
		return Object{}, errNotObject
	}
	o, _ := p.objectAt(body, 0)
	return o, nil
}

// objectAt cuts the object that begins at i and gives the place after it.
func (p *splitter) objectAt(body []byte, i int) (Object, int) {
	o := Object{fields: make([]field, 0, max(len(p.last), 4))}
	n := 0
	for i = skipSpace(body, i+1); body[i] != '}'; n++ {
		end := skipString(body, i)
		key := p.key(n, body[i:end])
		i = skipSpace(body, end) + 1 // past the colon
		i = skipSpace(body, i)
		end = skipValue(body, i)
		if !key.private {
			o.fields = append(o.fields, field{key.name, body[i:end:end]})
		}
		if i = skipSpace(body, end); body[i] == ',' {
			i = skipSpace(body, i+1)
		}
	}
	return o, i + 1
}

func (p *splitter) key(n int, quoted []byte) seenKey {
	inner := quoted[1 : len(quoted)-1]
	if n < len(p.last) && p.last[n].name == string(inner) {
		return p.last[n]
	}
	name := unquote(quoted)
	k := seenKey{name, private(name)}
	if n < len(p.last) {
		p.last[n] = k
	} else {
		p.last = append(p.last, k)
	}
	return k
}

// The functions below walk over JSON that is known to be valid.

func trim(b []byte) []byte {
	i := 0
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	j := len(b)
	for j > i && isSpace(b[j-1]) {
		j--
	}
	return b[i:j]
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for ; i < len(b); i++ {
			switch b[i] {
			case '"':
				i = skipString(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return i
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] != ':' && !isSpace(b[i]) {
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return i
}

// elements cuts an array into its values; nil when raw is no array.
func elements(raw []byte) [][]byte {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var out [][]byte
	for i := skipSpace(raw, 1); i < len(raw) && raw[i] != ']'; {
		end := skipValue(raw, i)
		out = append(out, raw[i:end:end])
		i = skipSpace(raw, end)
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return out
}

func number(raw []byte) (float64, bool) {
	if len(raw) == 0 {
		return 0, false
	}
	if raw[0] == '"' {
		raw = []byte(strings.TrimSpace(unquote(raw)))
		if len(raw) == 0 || !json.Valid(raw) { // keeps out Inf, NaN, 0x1p3
			return 0, false
		}
	}
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil && !math.IsInf(v, 0)
}

func numbers(raw []byte) []float64 {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	out := make([]float64, 0, len(raw)/5+1)
	for i := skipSpace(raw, 1); i < len(raw) && raw[i] != ']'; {
		end := skipValue(raw, i)
		v, ok := shortNumber(raw[i:end])
		if !ok {
			if v, ok = number(raw[i:end]); !ok {
				v = math.NaN()
			}
		}
		out = append(out, v)
		i = skipSpace(raw, end)
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return out
}

// shortNumber reads what nearly all stream samples are, a decimal of at most
// 15 digits, exactly and without going through strconv.
func shortNumber(raw []byte) (float64, bool) {
	i, neg := 0, false
	if len(raw) > 0 && raw[0] == '-' {
		i, neg = 1, true
	}
	if len(raw)-i > 16 || i == len(raw) {
		return 0, false
	}
	digits, point := 0, -1
	var n int64
	for ; i < len(raw); i++ {
		switch c := raw[i]; {
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
			digits++
		case c == '.' && point < 0:
			point = digits
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > 15 {
		return 0, false
	}
	v := float64(n)
	if point >= 0 {
		v /= pow10[digits-point] // exact: n < 2^53 and the power is exact
	}
	if neg {
		v = -v
	}
	return v, true
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func text(raw []byte) (string, bool) {
	if len(raw) == 0 {
		return "", false
	}
	switch c := raw[0]; {
	case c == '"':
		return unquote(raw), true
	case c == '-' || (c >= '0' && c <= '9'):
		return string(raw), true
	}
	return "", false
}

func value(raw []byte) any {
	switch raw[0] {
	case 'n':
		return nil
	case 't':
		return true
	case 'f':
		return false
	case '"':
		return unquote(raw)
	case '[':
		parts := elements(raw)
		out := make([]any, len(parts))
		for i, part := range parts {
			out[i] = value(part)
		}
		return out
	case '{':
		var p splitter
		o, err := p.object(raw)
		if err != nil {
			return nil
		}
		out := make(map[string]any, len(o.fields))
		for _, f := range o.fields {
			out[f.key] = value(f.raw)
		}
		return out
	}
	return json.Number(raw)
}

// appendClean writes a value again without private keys.
func appendClean(b, raw []byte) []byte {
	switch raw[0] {
	case '{':
		var p splitter
		o, err := p.object(raw)
		if err != nil {
			return append(b, "null"...)
		}
		return o.appendJSON(b)
	case '[':
		b = append(b, '[')
		for i, part := range elements(raw) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendClean(b, part)
		}
		return append(b, ']')
	}
	return append(b, raw...)
}

func appendQuoted(b []byte, s string) []byte {
	q, err := json.Marshal(s)
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, q...)
}

// unquote reads a valid JSON string; bytes that are no UTF-8 become U+FFFD.
func unquote(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	inner := raw[1 : len(raw)-1]
	plain := true
	for _, c := range inner {
		if c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return string(inner)
	}
	b := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); {
		c := inner[i]
		if c != '\\' {
			r, size := utf8.DecodeRune(inner[i:])
			b = utf8.AppendRune(b, r)
			i += size
			continue
		}
		i++
		switch inner[i] {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r := hex4(inner[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				if i+6 < len(inner) && inner[i+1] == '\\' && inner[i+2] == 'u' {
					if both := utf16.DecodeRune(r, hex4(inner[i+3:])); both != utf8.RuneError {
						r = both
						i += 6
					}
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, inner[i])
		}
		i++
	}
	return string(b)
}

func hex4(b []byte) rune {
	if len(b) < 4 {
		return utf8.RuneError
	}
	v, err := strconv.ParseUint(string(b[:4]), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(v)
}
