package change

import "intervals-mcp/internal/intervals"

// done reports whether the present state is what the patch makes.
func (o Object) done(now intervals.Object) bool {
	for key, v := range o.Patch {
		if contains(o.Cleared, key) {
			if !isNone(key, now.Value(key)) {
				return false
			}
		} else if !sameValue(key, v, now.Value(key)) {
			return false
		}
	}
	return now.Len() > 0
}

// untouched reports whether the fields of the patch still hold what they held.
func (o Object) untouched(now intervals.Object) bool {
	for key := range o.Patch {
		if was, is := o.Before.Value(key), now.Value(key); isNone(key, was) != isNone(key, is) || (!isNone(key, was) && !sameValue(key, was, is)) {
			return false
		}
	}
	return true
}

// ignored reports an update of which nothing came: every field still holds
// what it held, and that is not what was sent. A field that did not clear is
// for differences to tell.
func (o Object) ignored(now intervals.Object) bool {
	return o.Action == Update && len(o.Cleared) == 0 && o.untouched(now) && !o.done(now)
}

// sameThing reports whether an object that stands is the one that a create
// would make.
func (o Object) sameThing(now intervals.Object) bool {
	for _, key := range []string{"category", "type", "name", "start_date_local", "description", "content"} {
		if v, sent := o.Patch[key]; sent && !sameValue(key, v, now.Value(key)) {
			return false
		}
	}
	return true
}

// differences names what reads back otherwise than it was sent.
func (o Object) differences(now intervals.Object) []string {
	var out []string
	for _, key := range writable(o.Kind) {
		v, sent := o.Patch[key]
		switch {
		case !sent || key == "uid":
		case contains(o.Cleared, key):
			if !isNone(key, now.Value(key)) {
				out = append(out, key+" did not clear: it is still "+words(now.Value(key))+".")
			}
		case !sameValue(key, v, now.Value(key)):
			out = append(out, key+" reads back as "+words(now.Value(key))+", sent was "+words(v)+".")
		}
	}
	return out
}

// words shows a value on one line.
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return "empty"
	case string:
		return quote(v, 80)
	}
	return cut(string(canonical(v)), 80)
}
