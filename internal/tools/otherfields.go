package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"intervals-mcp/internal/intervals"
)

// otherBudget bounds what an answer adds of keys that it does not know.
const otherBudget = 12_000

// otherFields gives what the API sent beside the keys that an answer shows
// already, nulls left out (tools.md "detail").
func otherFields(o intervals.Object, shown func(key string) bool) intervals.Object {
	return o.Only(func(key string) bool { return !shown(key) && o.Has(key) })
}

// otherText writes one "key: value" line for each, foreign text quoted,
// objects as JSON.
func otherText(o intervals.Object) []string {
	var lines []string
	for key, v := range o.All() {
		lines = append(lines, intervals.Clean(key, 60)+": "+foreign(v, 300))
	}
	return lines
}

// foreign words a value of an unknown key as data.
func foreign(v any, limit int) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return Quote(v, limit)
	case json.Number:
		return shortDecimal(v)
	case bool:
		return fmt.Sprint(v)
	}
	return intervals.Clean(string(mustJSON(withoutNulls(v))), limit)
}

// withoutNulls drops the keys of objects that say nothing, at every depth; a
// list keeps its nulls, since their places count.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for key, one := range v {
			if one != nil {
				kept[key] = withoutNulls(one)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, one := range v {
			kept[i] = withoutNulls(one)
		}
		return kept
	}
	return v
}

// shortDecimal writes a number of unknown meaning without float32 noise.
func shortDecimal(n json.Number) string {
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	if f != 0 && f > -0.01 && f < 0.01 {
		return fmt.Sprintf("%.3g", f)
	}
	return round(f, 3)
}

// recordSize is what a record of a list costs of textBudget: text and
// structured result together must stay under what clients cut at.
func recordSize(text string, structured []byte) int { return (len(text) + len(structured)) / 2 }
