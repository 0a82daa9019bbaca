package oauth

import (
	"slices"
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/oauth/pages"
)

// objectViews gives a change's objects as the pages show them.
func objectViews(list []change.ObjectResult) []pages.Object {
	out := make([]pages.Object, len(list))
	for i, o := range list {
		v := pages.Object{Kind: kindOf(o), ID: o.ID, Title: titleOf(o), Action: string(o.Action), Undo: o.Undoable, Status: statusOf(o.Status)}
		fields := o.Fields
		if lost := o.Lost(); lost != nil {
			fields = lost
		}
		for _, f := range slices.SortedStableFunc(slices.Values(fields), func(a, b change.Field) int { return pages.CompareFields(a.Field, b.Field) }) {
			if o.Action == change.Delete && f.Old == false {
				continue // what was never set is not lost
			}
			before, after := whole(o, f)
			v.Fields = append(v.Fields, pages.NewField(f.Field, before, after))
		}
		out[i] = v
	}
	return out
}

// planViews are the objects of a plan, of which nothing was tried yet.
func planViews(list []change.ObjectResult) []pages.Object {
	out := objectViews(list)
	for i := range out {
		out[i].Status = ""
	}
	return out
}

// builtIn are the connections that no client chose a name for.
var builtIn = map[string]string{"serve": "this computer's assistant", "stdio": "this computer's assistant", "operator": "the operator"}

// whoAsked names who made a change, in the middle of a sentence. A client's own
// name is untrusted; a connection's id is ours.
func whoAsked(connection, client string) string {
	if words, ok := builtIn[connection]; ok {
		return words
	}
	return client
}

// whoAsks is whoAsked at the beginning of a sentence.
func whoAsks(connection, client string) string {
	if words, ok := builtIn[connection]; ok {
		return change.Sentence(words)
	}
	return client
}

// kindOf says what an object is: of an event its category, which is the word
// that people know it by.
func kindOf(o change.ObjectResult) string {
	if o.Kind != change.EventKind {
		return strings.ReplaceAll(string(o.Kind), "_", " ")
	}
	category := o.Before.Str("category")
	for _, f := range o.Fields {
		if f.Field == "category" {
			f := pages.NewField("", f.Old, f.New)
			if category = f.New; category == "" {
				category = f.Old
			}
		}
	}
	switch {
	case category == "":
		return "event"
	case strings.HasPrefix(category, "RACE_"):
		return "race"
	}
	return strings.ReplaceAll(strings.ToLower(category), "_", " ")
}

// statusOf gives an object's status in the words of the pages.
func statusOf(s string) string {
	switch s {
	case "planned":
		return ""
	case "rolled_back":
		return "not_done"
	}
	return s
}

// titleOf names an object of a difference by its name, as far as it is known
// and not among the fields.
func titleOf(o change.ObjectResult) string {
	if o.Action == change.Update {
		return o.Before.Str("name")
	}
	for _, f := range o.Fields {
		if f.Field == "name" {
			return pages.NewField("", f.Old, nil).Old + pages.NewField("", nil, f.New).New
		}
	}
	return ""
}

// whole gives a value of a difference uncut: results shorten long text, and on
// the page where it is approved all of it must be read.
func whole(o change.ObjectResult, f change.Field) (before, after any) {
	before, after = f.Old, f.New
	if v := o.Before.Value(f.Field); before != nil && v != nil {
		before = v
	}
	if v := o.Patch[f.Field]; after != nil && v != nil {
		after = v
	}
	return before, after
}
