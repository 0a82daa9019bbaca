package operator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
)

// object is what a change did to one thing.
type object struct {
	N        int      `json:"n"`
	Kind     string   `json:"kind"`
	Action   string   `json:"action"`
	Target   string   `json:"target,omitempty"`
	Parent   string   `json:"parent,omitempty"`
	State    string   `json:"state"`
	Reason   string   `json:"reason,omitempty"`
	Undoable string   `json:"undoable,omitempty"`
	Meant    bool     `json:"meant,omitempty"`    // the new values are those that were meant, not read back
	Replaces string   `json:"replaces,omitempty"` // id of the deleted object for which this one stands
	Paired   []string `json:"paired,omitempty"`   // activities by which a session was done
	Fields   []field  `json:"fields"`
}

// field is one difference; Old or New is nil where there was nothing.
type field struct {
	Name string          `json:"field"`
	Old  json.RawMessage `json:"old"`
	New  json.RawMessage `json:"new"`
}

// story sorts the items of a change: its head, and its objects in order.
func story(items []audit.Item) (e entry, arguments json.RawMessage, objects []object) {
	type pair struct{ intent, outcome *audit.Item }
	byN := map[int]*pair{}
	for i, item := range items {
		p := byN[item.N]
		if p == nil {
			p = &pair{}
			byN[item.N] = p
		}
		if item.Phase == audit.Intent {
			p.intent = &items[i]
		} else {
			p.outcome = &items[i]
		}
	}
	for _, n := range slices.Sorted(maps.Keys(byN)) {
		p := byN[n]
		if n > 0 {
			objects = append(objects, objectOf(p.intent, p.outcome))
			continue
		}
		if p.intent != nil {
			e, arguments = entryOf(*p.intent), p.intent.Arguments
		}
		if p.outcome != nil {
			e = entryOf(*p.outcome)
		}
	}
	if byN[0] == nil { // no head: nothing was begun
		e = entry{items[0], "not begun"}
	}
	return e, arguments, objects
}

func objectOf(intent, outcome *audit.Item) object {
	var o object
	var before, after json.RawMessage
	var cleared []string
	if intent != nil {
		before, after, cleared = intent.Before, intent.After, intent.Cleared
		o = object{N: intent.N, Kind: intent.Kind, Action: intent.Action, Target: intent.Target, Parent: intent.Parent, Undoable: intent.Undoable,
			State: unfinished, Meant: true, Replaces: intent.Replaces, Paired: intent.Paired}
	}
	if outcome != nil {
		o.N, o.Kind, o.Action, o.Target, o.Parent = outcome.N, outcome.Kind, outcome.Action, outcome.Target, outcome.Parent
		o.State, o.Reason = string(outcome.Status), outcome.Reason
		if len(outcome.Paired) > 0 {
			o.Paired = outcome.Paired
		}
		if outcome.Replaces != "" {
			o.Replaces = outcome.Replaces
		}
		if outcome.Status == audit.Applied {
			o.Meant = false
			if outcome.After != nil || o.Action == string(change.Delete) {
				after, cleared = outcome.After, nil
			}
		}
	}
	o.Fields = difference(before, after, o.Action == string(change.Update) && o.Meant, cleared)
	return o
}

// difference compares two states. With a patch, after names only what was to
// change; the keys in cleared were to be emptied.
func difference(before, after json.RawMessage, patch bool, cleared []string) []field {
	old, next := fieldsOf(before), fieldsOf(after)
	names := map[string]bool{}
	for name := range next {
		names[name] = true
	}
	if !patch {
		for name := range old {
			names[name] = true
		}
	}
	for _, name := range cleared {
		delete(next, name)
	}
	out := []field{}
	for _, name := range slices.SortedFunc(maps.Keys(names), inOrder) {
		if !bytes.Equal(compact(old[name]), compact(next[name])) {
			out = append(out, field{name, old[name], next[name]})
		}
	}
	return out
}

func fieldsOf(state json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(state, &m) != nil {
		return nil
	}
	for name, v := range m {
		if string(v) == "null" {
			delete(m, name)
		}
	}
	return m
}

func compact(v json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}

// planned is an object of a change's answer, whose fields are given whole where
// the answer itself cuts them.
func planned(n int, r change.ObjectResult) object {
	o := object{N: n, Kind: string(r.Kind), Action: string(r.Action), Target: r.ID, State: strings.ReplaceAll(r.Status, "_", " "), Undoable: r.Undoable,
		Replaces: r.Replaces, Parent: r.Parent, Fields: []field{}}
	for _, f := range r.Fields {
		if r.Before.Has(f.Field) && f.Old != nil {
			f.Old = r.Before.Value(f.Field)
		}
		if sent, ok := r.Patch[f.Field]; ok && f.New != nil {
			f.New = sent
		}
		o.Fields = append(o.Fields, field{f.Field, raw(f.Old), raw(f.New)})
	}
	return o
}

// raw is a value as JSON; nil where there is none.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil || string(b) == "null" {
		return nil
	}
	return b
}

// text is an object as a difference: one line for a field, or its lines where
// it has several.
func (o object) text() string {
	var b strings.Builder
	b.WriteString(intervals.Clean(fmt.Sprintf("%d. %s: %s", o.N, o.what(), o.State), 300))
	if o.Reason != "" {
		b.WriteString(" (" + intervals.Clean(o.Reason, 300) + ")")
	}
	fields := slices.DeleteFunc(slices.Clone(o.Fields), func(f field) bool { return f.silent(o.Action) })
	if o.Meant && len(fields) > 0 {
		b.WriteString("; this was meant:")
	}
	b.WriteByte('\n')
	width := 0
	for _, f := range fields {
		width = max(width, len(fieldLabel(f.Name)))
	}
	for _, f := range fields {
		f.text(&b, min(width, 30))
	}
	if o.Replaces != "" {
		b.WriteString("   stands for: " + intervals.Clean(o.Replaces, 30) + ", which was deleted\n")
	}
	if len(o.Paired) > 0 {
		b.WriteString("   paired with: activity " + intervals.Clean(strings.Join(o.Paired, ", "), 300) + "\n")
	}
	if o.Undoable != "" {
		b.WriteString("   undoable: " + intervals.Clean(o.Undoable, 300) + "\n")
	}
	return b.String()
}

// what names the object and what is done with it: "update event 7".
func (o object) what() string {
	kind := strings.ReplaceAll(o.Kind, "_", " ")
	if o.Parent != "" {
		kind += " on activity " + o.Parent
	}
	return strings.TrimSpace(o.Action + " " + kind + " " + o.Target)
}

// silent reports what a person does not miss: our own mark of a new event, and
// what was never filled in where a whole object comes or goes.
func (f field) silent(action string) bool {
	if f.Name == "uid" {
		return true
	}
	return action != string(change.Update) && empty(f.Old) && empty(f.New)
}

func empty(v json.RawMessage) bool {
	switch string(v) {
	case "", "null", `""`, "false", "0", "0.0", "[]", "{}", `"NONE"`, `"AUTO"`:
		return true
	}
	return false
}

func (f field) text(b *strings.Builder, width int) {
	name, old, next := fieldLabel(f.Name), valueLines(f.Name, f.Old), valueLines(f.Name, f.New)
	if len(old) <= 1 && len(next) <= 1 {
		switch {
		case len(old) == 0 && len(next) == 0:
		case len(old) == 0:
			fmt.Fprintf(b, "   + %-*s %s\n", width, name, next[0])
		case len(next) == 0:
			fmt.Fprintf(b, "   - %-*s %s\n", width, name, old[0])
		default:
			fmt.Fprintf(b, "   ~ %-*s %s -> %s\n", width, name, old[0], next[0])
		}
		return
	}
	fmt.Fprintf(b, "   ~ %s\n", name)
	for _, d := range lineDiff(old, next) {
		b.WriteString("       " + d + "\n")
	}
}

// lineDiff marks lines that went (-), came (+) and stayed. Workout text is short;
// the longest common subsequence is found the plain way.
func lineDiff(old, next []string) []string {
	if len(old)*len(next) > 1_000_000 {
		next, old = append([]string{"(too long to compare)"}, next...), nil
	}
	common := make([][]int, len(old)+1)
	for i := range common {
		common[i] = make([]int, len(next)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(next) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); old[i] == next[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(old) || j < len(next); {
		switch {
		case i < len(old) && j < len(next) && old[i] == next[j]:
			out = append(out, "  "+old[i])
			i, j = i+1, j+1
		case i < len(old) && (j == len(next) || common[i+1][j] >= common[i][j+1]):
			out = append(out, "- "+old[i])
			i++
		default:
			out = append(out, "+ "+next[j])
			j++
		}
	}
	return out
}
