package change

import (
	"context"
	"fmt"
	"slices"

	"intervals-mcp/internal/intervals"
)

// MessageAdd comments on an activity; others see it.
type MessageAdd struct {
	Activity       string
	Content        string
	AllowDuplicate bool
}

// Plan implements Planner.
func (w MessageAdd) Plan(ctx context.Context, c Call) (Plan, error) {
	there, err := c.Client.Messages(ctx, w.Activity)
	if err != nil {
		return Plan{}, err
	}
	o := Object{Kind: MessageKind, Action: Create, Parent: w.Activity, Patch: intervals.Patch{"content": w.Content},
		Fields: []Field{{Field: "content", New: w.Content}}, Undoable: "no (others may have read it)"}
	for _, m := range there {
		o.Known = append(o.Known, m.Str("id"))
		if o.sameThing(m.Object) {
			o.Twins = append(o.Twins, m.Str("id"))
		}
	}
	return Plan{Summary: fmt.Sprintf("Comment on activity %s: %s", w.Activity, quote(w.Content, 90)), Objects: []Object{o},
		AllowDuplicate: w.AllowDuplicate}, nil
}

// messages is the platform of an activity's comments: they can be added and
// read.
type messages struct {
	c        *intervals.Client
	w        *intervals.Writer
	activity string
}

func (p messages) create(ctx context.Context, patch intervals.Patch) (intervals.Object, error) {
	m, err := p.w.AddMessage(ctx, p.activity, text(patch["content"]))
	return m.Object, err
}

func (p messages) read(ctx context.Context, id string) (intervals.Object, error) {
	all, err := p.c.Messages(ctx, p.activity)
	for _, m := range all {
		if m.Str("id") == id {
			return m.Object, nil
		}
	}
	if err == nil {
		err = &intervals.Error{Op: "get message", Kind: intervals.NotFound, Status: 404}
	}
	return intervals.Object{}, err
}

func (p messages) find(ctx context.Context, o Object) (intervals.Object, bool, error) {
	all, err := p.c.Messages(ctx, p.activity)
	for _, m := range slices.Backward(all) { // the newest
		if !contains(o.Known, m.Str("id")) && sameValue("content", o.Patch["content"], m.Value("content")) {
			return m.Object, true, nil
		}
	}
	return intervals.Object{}, false, err
}

func (p messages) check(_ context.Context, o Object, now intervals.Object) (intervals.Object, []string, *Workout, string) {
	return now, o.differences(now), nil, ""
}

var errMessage = &intervals.Error{Op: "change message", Kind: intervals.BadArgument, Reason: "comments are only added"}

func (messages) update(context.Context, string, intervals.Patch) error { return errMessage }
func (messages) remove(context.Context, string) error                  { return errMessage }
