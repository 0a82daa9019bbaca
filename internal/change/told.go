package change

import (
	"cmp"
	"encoding/json"
	"slices"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// told is a change as the audit log tells it.
type told struct {
	head    audit.Item // the outcome's, or the intent's where there is none
	intent  audit.Item
	done    bool // there is an outcome
	objects []toldObject
}

type toldObject struct{ intent, outcome audit.Item }

// tell puts the items of one change together.
func tell(items []audit.Item) told {
	var t told
	byN := map[int]*toldObject{}
	for _, i := range items {
		switch {
		case i.Head() && i.Phase == audit.Outcome:
			t.head, t.done = i, true
		case i.Head():
			t.intent = i
		default:
			o := byN[i.N]
			if o == nil {
				o = &toldObject{}
				byN[i.N] = o
			}
			if i.Phase == audit.Outcome {
				o.outcome = i
			} else {
				o.intent = i
			}
		}
	}
	if !t.done {
		t.head = t.intent
	}
	for _, o := range byN {
		t.objects = append(t.objects, *o)
	}
	slices.SortFunc(t.objects, func(a, b toldObject) int { return cmp.Compare(a.intent.N, b.intent.N) })
	return t
}

// begun reports whether there is a head: without one nothing was applied.
func (t told) begun() bool { return !t.head.Change.IsZero() }

// status is what came of an object, Unknown while nobody has said.
func (o toldObject) status() audit.Status {
	if o.outcome.Status == "" {
		return audit.Unknown
	}
	return o.outcome.Status
}

func (o toldObject) target() string {
	if o.outcome.Target != "" {
		return o.outcome.Target
	}
	return o.intent.Target
}

// object is the object of the plan, as far as the log keeps it.
func (o toldObject) object() Object {
	i := o.intent
	out := Object{Kind: Kind(i.Kind), Action: Action(i.Action), Target: o.target(), Parent: i.Parent, Undoable: i.Undoable,
		Before: objectOf(i.Before), Cleared: i.Cleared, Known: i.Known, Paired: i.Paired, PairingRead: i.PairingRead, Replaces: i.Replaces}
	if out.Action != Delete && json.Unmarshal(i.After, &out.Patch) != nil {
		out.Patch = nil
	}
	return out
}

// after is the state in which the change left the object; what was meant where
// it was not read back.
func (o toldObject) after() intervals.Object {
	if len(o.outcome.After) > 0 {
		return objectOf(o.outcome.After)
	}
	if o.intent.Action == string(Delete) {
		return intervals.Object{}
	}
	return objectOf(o.intent.After)
}

func objectOf(b json.RawMessage) intervals.Object {
	if len(b) == 0 {
		return intervals.Object{}
	}
	o, err := intervals.ParseObject(b)
	if err != nil {
		return intervals.Object{}
	}
	return o
}

// results are the objects as a write's result would have told them.
func (t told) results() []ObjectResult {
	out := make([]ObjectResult, 0, len(t.objects))
	for _, o := range t.objects {
		plan := o.object()
		r := ObjectResult{Kind: plan.Kind, ID: o.target(), Action: plan.Action, Status: string(o.status()), Undoable: plan.Undoable,
			Replaces: o.outcome.Replaces, Before: plan.Before, Fields: resultFields(o.fields())}
		out = append(out, r)
	}
	return out
}

// fields are the differences that the change made, or was to make.
func (o toldObject) fields() []Field {
	plan, after := o.object(), o.after()
	out := []Field{}
	switch plan.Action {
	case Delete:
		for key, v := range plan.Before.All() {
			out = append(out, Field{Field: key, Old: v})
		}
	case Create:
		for _, key := range writable(plan.Kind) {
			if v, sent := plan.Patch[key]; sent && key != "uid" {
				out = append(out, Field{Field: key, New: v})
			}
		}
	case Update:
		for _, key := range writable(plan.Kind) {
			if _, sent := plan.Patch[key]; !sent {
				continue
			}
			was, is := plan.Before.Value(key), after.Value(key)
			if isNone(key, was) && isNone(key, is) || sameValue(key, was, is) {
				continue
			}
			out = append(out, Field{Field: key, Old: was, New: is})
		}
	}
	return out
}
