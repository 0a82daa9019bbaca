package fake

import (
	"math"
	"strings"
)

// fieldType is what the platform's code takes for a key of a body, which
// decides what it refuses with 422.
type fieldType struct {
	java    string
	read    func(v any) (any, bool)
	members map[string]bool // of an enum, or of a list of them
}

// fieldSet are the keys of a body that a caller may write.
type fieldSet map[string]fieldType

// accept reads the keys of body that are in the set, and leaves the others.
// Null is no value: it changes nothing (API.md 8 leaves that open), so it is
// not in the result.
func (fs fieldSet) accept(body Object) (Object, *refusal) {
	out := Object{}
	for k, v := range body {
		f, ok := fs[k]
		if !ok || v == nil {
			continue
		}
		read, ok := f.read(v)
		switch {
		case !ok && f.members != nil:
			return nil, notInEnum(k, v, f.members)
		case !ok:
			return nil, cannotRead(k, v, f.java)
		}
		out[k] = read
	}
	return out, nil
}

// with adds the keys of words with one type.
func (fs fieldSet) with(t fieldType, words string) fieldSet {
	for _, w := range strings.Fields(words) {
		fs[w] = t
	}
	return fs
}

func intField() fieldType {
	return fieldType{java: "java.lang.Integer", read: func(v any) (any, bool) {
		f, ok := toNumber(v)
		return math.Trunc(f), ok && math.Abs(f) <= math.MaxInt32
	}}
}

func floatField() fieldType {
	return fieldType{java: "java.lang.Float", read: func(v any) (any, bool) {
		f, ok := toNumber(v)
		return f, ok && !math.IsInf(f, 0) && !math.IsNaN(f)
	}}
}

func textField() fieldType {
	return fieldType{java: "java.lang.String", read: func(v any) (any, bool) {
		switch v := v.(type) {
		case string:
			return v, true
		case float64:
			return string(appendNumber(nil, v)), true
		}
		return nil, false
	}}
}

func boolField() fieldType {
	return fieldType{java: "java.lang.Boolean", read: func(v any) (any, bool) {
		switch v {
		case true, "true":
			return true, true
		case false, "false":
			return false, true
		}
		return nil, false
	}}
}

// timeField wants a date with a time: a bare date is refused (API.md 1.4).
func timeField() fieldType {
	return fieldType{java: "java.time.LocalDateTime", read: func(v any) (any, bool) {
		s, _ := v.(string)
		t, err := localTime(s)
		return t.Format(localForm), err == nil
	}}
}

func enumField(members map[string]bool) fieldType {
	return fieldType{members: members, read: func(v any) (any, bool) {
		s, _ := v.(string)
		return s, members[s]
	}}
}

func listField(members map[string]bool) fieldType {
	return fieldType{java: "java.util.ArrayList", members: members, read: func(v any) (any, bool) {
		list, ok := v.([]any)
		if !ok {
			return nil, false
		}
		for _, e := range list {
			s, isText := e.(string)
			if !isText || members != nil && !members[s] {
				return nil, false
			}
		}
		return list, true
	}}
}

func numbersField() fieldType {
	return fieldType{java: "java.util.ArrayList", read: func(v any) (any, bool) {
		list, ok := v.([]any)
		return list, ok && (numbers(v) != nil || len(list) == 0)
	}}
}

func objectField() fieldType {
	return fieldType{java: "java.util.Map", read: func(v any) (any, bool) {
		o, ok := v.(Object)
		return o, ok
	}}
}

// clears tells if a value empties its field: -1 for a number (API.md 2.3 and
// 5), "" for a text, [] for a list.
func clears(v any) bool {
	switch v := v.(type) {
	case float64:
		return v == -1
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

// merge writes changes into o, clearing what a value clears, and tells which
// keys are now different.
func merge(o, changes Object) map[string]bool {
	changed := map[string]bool{}
	for k, v := range changes {
		if clears(v) {
			if o[k] != nil {
				changed[k] = true
			}
			delete(o, k)
			continue
		}
		if string(encode(nil, o[k])) != string(encode(nil, v)) {
			changed[k] = true
		}
		o[k] = v
	}
	return changed
}
