package fake

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// text, number and whole read a key of an object, ok false when it is absent,
// null or of another type. A number may stand as text.

func text(o Object, key string) string {
	s, _ := o[key].(string)
	return s
}

func number(o Object, key string) (float64, bool) { return toNumber(o[key]) }

func toNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	case *float64:
		if v != nil {
			return *v, true
		}
	}
	return 0, false
}

// numberOr0 is number for sums.
func numberOr0(o Object, key string) float64 {
	f, _ := number(o, key)
	return f
}

func whole(o Object, key string) (int64, bool) {
	f, ok := number(o, key)
	return int64(f), ok
}

func yes(o Object, key string) bool {
	b, _ := o[key].(bool)
	return b
}

// idText reads an id that may be text or number.
func idText(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// texts reads a list of strings.
func texts(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		out := make([]string, 0, len(v))
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// numbers reads a list of numbers; nil when it is none.
func numbers(v any) []float64 {
	switch v := v.(type) {
	case []float64:
		return v
	case []int:
		out := make([]float64, len(v))
		for i, n := range v {
			out[i] = float64(n)
		}
		return out
	case []any:
		out := make([]float64, 0, len(v))
		for _, e := range v {
			f, ok := toNumber(e)
			if !ok {
				return nil
			}
			out = append(out, f)
		}
		return out
	}
	return nil
}

// objects reads a list of objects.
func objects(v any) []Object {
	switch v := v.(type) {
	case []Object:
		return v
	case []any:
		out := make([]Object, 0, len(v))
		for _, e := range v {
			if o, ok := e.(Object); ok {
				out = append(out, o)
			}
		}
		return out
	}
	return nil
}

// clone copies a value deeply, so that a data set and the server's state, or
// two objects of it, never share anything. Numbers become float64.
func clone(v any) any {
	switch v := v.(type) {
	case Object:
		return keepNulls(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	case []Object:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = keepNulls(e)
		}
		return out
	case []string:
		return append([]string{}, v...)
	case []float64:
		return append([]float64{}, v...)
	case []int:
		return append([]int{}, v...)
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case float32:
		return float64(v)
	case *float64:
		if v == nil {
			return nil
		}
		return *v
	}
	return v
}

// cloneObject copies an object without its own nulls: a full object spells
// them out again. Nulls further in stay.
func cloneObject(o Object) Object {
	out := make(Object, len(o))
	for k, v := range o {
		if c := clone(v); c != nil {
			out[k] = c
		}
	}
	return out
}

// keepNulls is cloneObject for objects whose nulls mean something.
func keepNulls(o Object) Object {
	out := make(Object, len(o))
	for k, v := range o {
		out[k] = clone(v)
	}
	return out
}

// wrongType describes a value for an error text.
func wrongType(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("String %q", s)
	}
	return fmt.Sprintf("value %s", encode(nil, v))
}
