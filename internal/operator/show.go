package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// object is what a change did to one thing.
type object struct {
	N        int     `json:"n"`
	Kind     string  `json:"kind"`
	Action   string  `json:"action"`
	Target   string  `json:"target,omitempty"`
	State    string  `json:"state"`
	Reason   string  `json:"reason,omitempty"`
	Undoable string  `json:"undoable,omitempty"`
	Meant    bool    `json:"meant,omitempty"` // the new values are those that were meant, not read back
	Fields   []field `json:"fields"`
}

// field is one difference; Old or New is nil where there was nothing.
type field struct {
	Name string          `json:"field"`
	Old  json.RawMessage `json:"old"`
	New  json.RawMessage `json:"new"`
}

// story sorts the items of a change: its head, and its objects in order.
func story(items []audit.Item) (ch change, arguments json.RawMessage, objects []object) {
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
			ch, arguments = changeOf(*p.intent), p.intent.Arguments
		}
		if p.outcome != nil {
			ch = changeOf(*p.outcome)
		}
	}
	if byN[0] == nil { // no head: nothing was begun
		ch = change{items[0], "not begun"}
	}
	return ch, arguments, objects
}

func objectOf(intent, outcome *audit.Item) object {
	var o object
	var before, after json.RawMessage
	if intent != nil {
		before, after = intent.Before, intent.After
		o = object{N: intent.N, Kind: intent.Kind, Action: intent.Action, Target: intent.Target, Undoable: intent.Undoable, State: unfinished, Meant: true}
	}
	if outcome != nil {
		o.N, o.Kind, o.Action, o.Target = outcome.N, outcome.Kind, outcome.Action, outcome.Target
		o.State, o.Reason = string(outcome.Status), outcome.Reason
		if outcome.Status == audit.Applied {
			o.Meant = false
			if outcome.After != nil || o.Action == "delete" {
				after = outcome.After
			}
		}
	}
	o.Fields = difference(before, after, o.Action == "update" && o.Meant)
	return o
}

// difference compares two states. With a patch, after names only what was to
// change.
func difference(before, after json.RawMessage, patch bool) []field {
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
	out := []field{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
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

// auditShow shows what one change did.
func auditShow(ctx context.Context, c *command) error {
	arg, err := c.argument("a change id (audit list shows them)")
	if err != nil {
		return err
	}
	id, err := audit.ParseID(arg)
	if err != nil {
		return misuse("%.80q is no change_id; audit list shows them", arg)
	}
	user := ""
	if c.given["user"] {
		if user, err = userID(c.opt.user); err != nil {
			return err
		}
	}
	items, err := find(ctx, c.stores.Audit, id, user)
	if err != nil {
		return err
	}
	ch, arguments, objects := story(items)
	if c.json {
		v := changeJSON(ch)
		v["arguments"], v["objects"] = arguments, objects
		return c.writeJSON(v)
	}
	return c.say("%s", strings.TrimRight(showText(ch, arguments, objects), "\n"))
}

func showText(ch change, arguments json.RawMessage, objects []object) string {
	var b strings.Builder
	line := func(name, text string) {
		if text = intervals.Clean(text, 2000); text != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, text)
		}
	}
	line("change", ch.Change.String())
	state := ch.State
	if ch.Reason != "" {
		state += ": " + ch.Reason
	}
	line("state", state)
	line("time", ch.Change.Time.Format("2006-01-02 15:04:05Z")+took(ch))
	line("user", ch.User)
	line("athlete", ch.Athlete)
	line("client", strings.TrimSpace(ch.Client+" ("+ch.Connection+")"))
	line("tool", ch.Tool)
	line("summary", ch.Summary)
	line("arguments", string(arguments))
	for _, o := range objects {
		b.WriteString("\n" + objectText(o))
	}
	return b.String()
}

func took(ch change) string {
	if ch.DurationMS == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f s)", float64(ch.DurationMS)/1000)
}

// objectText is an object as a difference: one line for a field, or its lines
// where it has several.
func objectText(o object) string {
	var b strings.Builder
	b.WriteString(intervals.Clean(fmt.Sprintf("%d. %s %s %s: %s", o.N, o.Action, o.Kind, o.Target, o.State), 300))
	if o.Reason != "" {
		b.WriteString(" (" + intervals.Clean(o.Reason, 300) + ")")
	}
	if o.Meant && len(o.Fields) > 0 {
		b.WriteString("; this was meant:")
	}
	b.WriteByte('\n')
	width := 0
	for _, f := range o.Fields {
		width = max(width, len(f.Name))
	}
	for _, f := range o.Fields {
		fieldText(&b, f, min(width, 30))
	}
	if o.Undoable != "" {
		b.WriteString("   undoable: " + intervals.Clean(o.Undoable, 300) + "\n")
	}
	return b.String()
}

func fieldText(b *strings.Builder, f field, width int) {
	name, old, next := intervals.Clean(f.Name, 60), lines(f.Old), lines(f.New)
	if len(old) <= 1 && len(next) <= 1 {
		switch {
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

// lines writes a value for a person: text without quotes, line by line, other
// values as JSON. What could move a terminal's cursor is taken out.
func lines(v json.RawMessage) []string {
	if v == nil {
		return nil
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return []string{intervals.Clean(string(v), 2000)}
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(s, "\r\n"), "\n") {
		out = append(out, intervals.Clean(line, 500))
	}
	if len(out) == 1 {
		out[0] = `"` + out[0] + `"`
	}
	return out
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
