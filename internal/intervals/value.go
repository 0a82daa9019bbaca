package intervals

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions below read values that the splitter has checked.

// elements cuts an array into its values; nil when raw is no array.
func elements(raw string) []string {
	if raw == "" || raw[0] != '[' {
		return nil
	}
	var out []string
	for i := skipSpace(raw, 1); i < len(raw) && raw[i] != ']'; {
		end := scanValue(raw, i, 1)
		out = append(out, raw[i:end])
		i = skipComma(raw, end)
	}
	return out
}

func number(raw string) (float64, bool) {
	if raw == "" {
		return 0, false
	}
	if raw[0] == '"' {
		raw = strings.TrimSpace(unquote(raw))
		if raw == "" || scanNumber(raw, 0) != len(raw) { // keeps out Inf, NaN, 0x1p3
			return 0, false
		}
	}
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	if v, end := shortNumber(raw, 0); end == len(raw) {
		return v, true
	}
	v, err := strconv.ParseFloat(raw, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

func numbers(raw string) []float64 {
	if raw == "" || raw[0] != '[' {
		return nil
	}
	out := make([]float64, 0, strings.Count(raw, ",")+1)
	for i := skipSpace(raw, 1); i < len(raw) && raw[i] != ']'; {
		v, end := shortNumber(raw, i)
		if end < 0 {
			var ok bool
			end = scanValue(raw, i, 1)
			if v, ok = number(raw[i:end]); !ok {
				v = math.NaN()
			}
		}
		out = append(out, v)
		i = skipComma(raw, end)
	}
	return out
}

// shortNumber reads what nearly all numbers are, a decimal of at most 15
// digits, exactly and without going through strconv. It gives the place after
// it, -1 for anything else.
func shortNumber(s string, i int) (float64, int) {
	neg := s[i] == '-'
	if neg {
		i++
	}
	var n int64
	digits, point := 0, -1
loop:
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
			if digits++; digits > 15 {
				return 0, -1
			}
		case c == '.' && point < 0:
			point = digits
		case c == ',' || c == ']' || isSpace(c):
			break loop
		default:
			return 0, -1
		}
	}
	if digits == 0 {
		return 0, -1
	}
	v := float64(n)
	if point >= 0 {
		v /= pow10[digits-point] // exact: n < 2^53 and the power is exact
	}
	if neg {
		v = -v
	}
	return v, i
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func text(raw string) (string, bool) {
	if raw == "" {
		return "", false
	}
	switch c := raw[0]; {
	case c == '"':
		return unquote(raw), true
	case c == '-' || (c >= '0' && c <= '9'):
		return raw, true
	}
	return "", false
}

func value(raw string) any {
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
		o, err := parseObject(raw)
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
func appendClean(b []byte, raw string) []byte {
	switch raw[0] {
	case '{':
		o, err := parseObject(raw)
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
func unquote(raw string) string {
	if len(raw) < 2 {
		return ""
	}
	inner := raw[1 : len(raw)-1]
	if strings.IndexByte(inner, '\\') < 0 && utf8.ValidString(inner) {
		return inner
	}
	b := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); {
		c := inner[i]
		if c != '\\' {
			r, size := utf8.DecodeRuneInString(inner[i:])
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

func hex4(s string) rune {
	if len(s) < 4 {
		return utf8.RuneError
	}
	v, err := strconv.ParseUint(s[:4], 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(v)
}
