package fake

import (
	"encoding/json"
	"slices"
	"strings"
)

// filter is an ActivityFilter: of its fields the fake knows those in meets.
type filter struct {
	raw      Object
	field    string
	operator string
	value    any
	not      bool
}

// filters reads a JSON list of filters from the query.
func (c *call) filters(name string) ([]filter, error) {
	s := c.query.Get(name)
	if s == "" {
		return nil, nil
	}
	var list []Object
	if err := json.Unmarshal([]byte(s), &list); err != nil {
		return nil, badParameter(name, s, "ActivityFilter")
	}
	var out []filter
	for _, o := range list {
		f := filter{o, text(o, "field_id"), text(o, "operator"), o["value"], yes(o, "not")}
		if _, known := filterKeys[f.field]; !known {
			return nil, badParameter(name, f.field, "ActivityFilter")
		}
		out = append(out, f)
	}
	return out, nil
}

// filterKeys are the keys of an activity behind the filters' fields.
var filterKeys = map[string]string{
	"type": "type", "source": "source", "name": "name", "notName": "name", "description": "description",
	"tags": "tags", "indoor": "trainer", "race": "race", "moving_time": "moving_time", "distance": "distance",
	"elapsed_time": "elapsed_time", "load": "icu_training_load", "climbing": "total_elevation_gain",
	"average_heartrate": "average_heartrate", "average_power": "icu_average_watts", "intensity": "icu_intensity",
	"norm_power": "icu_weighted_avg_watts", "rpe": "icu_rpe", "feel": "feel", "device_name": "device_name",
}

func meets(act *activity, set []filter) bool {
	for _, f := range set {
		if f.meets(act) == f.not {
			return false
		}
	}
	return true
}

func (f filter) meets(act *activity) bool {
	v := act.Object[filterKeys[f.field]]
	wanted, isList := f.value.([]any)
	if !isList {
		wanted = []any{f.value}
	}
	switch f.field {
	case "indoor":
		indoor := yes(act.Object, "trainer") || strings.HasPrefix(text(act.Object, "type"), "Virtual")
		return slices.ContainsFunc(wanted, func(w any) bool { return (w == true || w == "true") == indoor })
	case "race":
		return slices.ContainsFunc(wanted, func(w any) bool { return (w == true || w == "true") == (v == true) })
	case "name", "notName", "description", "device_name":
		s, _ := v.(string)
		hit := slices.ContainsFunc(wanted, func(w any) bool {
			part, _ := w.(string)
			return strings.Contains(strings.ToLower(s), strings.ToLower(part))
		})
		return hit != (f.field == "notName")
	case "type", "source":
		return slices.Contains(wanted, v)
	case "tags":
		return slices.ContainsFunc(texts(v), func(t string) bool { return slices.Contains(wanted, any(t)) })
	}
	return f.compares(v, wanted)
}

// compares a number by the filter's operator; two values are a range.
func (f filter) compares(v any, wanted []any) bool {
	have, ok := toNumber(v)
	first, ok1 := toNumber(wanted[0])
	if !ok || !ok1 {
		return false
	}
	if len(wanted) > 1 {
		second, ok := toNumber(wanted[1])
		return ok && have >= first && have <= second
	}
	switch f.operator {
	case ">", "gt":
		return have > first
	case "<", "lt":
		return have < first
	case "<=", "le", "lte":
		return have <= first
	case "=", "==", "eq", "is":
		return have == first
	}
	return have >= first
}
