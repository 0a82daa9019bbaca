package change

import (
	"context"
	"fmt"
	"slices"

	"intervals-mcp/internal/intervals"
)

// ItemEdit makes or changes one custom item. Content replaces what was there,
// whole.
type ItemEdit struct {
	ID             int64 // 0 = make one
	Set            intervals.Patch
	Clear          []string
	AllowDuplicate bool
}

var itemKeys = []string{"name", "type", "description", "visibility", "content"}

// Plan implements Planner.
func (w ItemEdit) Plan(ctx context.Context, c Call) (Plan, error) {
	if w.ID == 0 {
		return w.planCreate(ctx, c)
	}
	before, err := readItem(ctx, c, w.ID)
	if err != nil {
		return Plan{}, err
	}
	patch := intervals.Patch{}
	for k, v := range w.Set {
		patch[k] = v
	}
	for _, key := range w.Clear {
		patch[key] = clearing(key)
	}
	o := Object{Kind: ItemKind, Action: Update, Target: digits(w.ID), Patch: patch, Cleared: w.Clear, Before: before.Object,
		Fields: difference(before.Object, itemKeys, patch, w.Clear), Undoable: undoableUpdate(ItemKind, before.Object)}
	p := Plan{Summary: c.changeWords(itemWords(before.Object), o), Objects: []Object{o}}
	if _, sent := patch["content"]; sent && before.Has("content") {
		p.Warnings = append(p.Warnings, "content is replaced as a whole: keys that are not passed are gone.")
	}
	return p, nil
}

// readItem reads a custom item for a change. What is another athlete's is not
// there.
func readItem(ctx context.Context, c Call, id int64) (intervals.CustomItem, error) {
	i, err := c.Client.CustomItem(ctx, c.Athlete, id)
	if err == nil && i.Foreign(c.Athlete) {
		err = &intervals.Error{Op: "get custom item", Kind: intervals.NotFound, Status: 404}
	}
	if err == nil && (i.ID() != id || i.Str("name") == "") {
		err = &intervals.Error{Op: "get custom item", Kind: intervals.BadBody, Status: 200, Reason: "the item has no id or name"}
	}
	return i, err
}

func (w ItemEdit) planCreate(ctx context.Context, c Call) (Plan, error) {
	there, err := c.Client.CustomItems(ctx, c.Athlete)
	if err != nil {
		return Plan{}, err
	}
	o := Object{Kind: ItemKind, Action: Create, Patch: w.Set, Fields: difference(intervals.Object{}, itemKeys, w.Set, nil), Undoable: "yes"}
	for _, i := range there {
		o.Known = append(o.Known, digits(i.ID()))
		if o.sameThing(i.Object) {
			o.Twins = append(o.Twins, digits(i.ID()))
		}
	}
	return Plan{Summary: fmt.Sprintf("Create custom item %s %s", text(w.Set["type"]), quote(text(w.Set["name"]), 80)), Objects: []Object{o},
		AllowDuplicate: w.AllowDuplicate}, nil
}

// ItemDelete deletes one custom item.
type ItemDelete struct{ ID int64 }

// Plan implements Planner.
func (w ItemDelete) Plan(ctx context.Context, c Call) (Plan, error) {
	before, err := readItem(ctx, c, w.ID)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Summary: "Delete " + itemWords(before.Object), Objects: []Object{itemDeletion(before.Object)}}
	switch before.Str("type") {
	case "INPUT_FIELD", "ACTIVITY_FIELD", "INTERVAL_FIELD", "ACTIVITY_STREAM":
		p.Warnings = append(p.Warnings, "values recorded in this field are no longer shown.")
	}
	return p, nil
}

// itemDeletion is the object of a plan that deletes a custom item.
func itemDeletion(before intervals.Object) Object {
	o := Object{Kind: ItemKind, Action: Delete, Target: before.Str("id"), Before: before, Undoable: "partly (it gets a new id)"}
	for _, key := range []string{"name", "type", "visibility"} {
		if before.Has(key) {
			o.Fields = append(o.Fields, Field{Field: key, Old: before.Value(key)})
		}
	}
	return o
}

func itemWords(o intervals.Object) string {
	return fmt.Sprintf("custom item %s %s (%s)", cut(o.Str("type"), 20), quote(o.Str("name"), 50), o.Str("id"))
}

// items is the platform of custom items.
type items struct {
	c       *intervals.Client
	w       *intervals.Writer
	athlete string
}

func (p items) create(ctx context.Context, patch intervals.Patch) (intervals.Object, error) {
	i, err := p.w.CreateCustomItem(ctx, p.athlete, patch)
	return i.Object, err
}

func (p items) read(ctx context.Context, id string) (intervals.Object, error) {
	i, err := p.c.CustomItem(ctx, p.athlete, number(id))
	if err == nil && (digits(i.ID()) != id || i.Str("name") == "") {
		err = &intervals.Error{Op: "get custom item", Kind: intervals.BadBody, Status: 200, Reason: "the item has no id or name"}
	}
	return i.Object, err
}

func (p items) update(ctx context.Context, id string, patch intervals.Patch) error {
	i, err := p.w.UpdateCustomItem(ctx, p.athlete, number(id), patch)
	return answered(id, i.Object, err)
}

func (p items) remove(ctx context.Context, id string) error {
	return p.w.DeleteCustomItem(ctx, p.athlete, number(id))
}

func (p items) find(ctx context.Context, o Object) (intervals.Object, bool, error) {
	all, err := p.c.CustomItems(ctx, p.athlete)
	for _, i := range slices.Backward(all) { // the newest
		if !contains(o.Known, digits(i.ID())) && o.Patch["name"] == i.Str("name") && o.Patch["type"] == i.Str("type") {
			return i.Object, true, nil
		}
	}
	return intervals.Object{}, false, err
}

func (p items) check(_ context.Context, o Object, now intervals.Object) (intervals.Object, []string, *Workout, string) {
	return now, o.differences(now), nil, ""
}
