package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

const undoFailure = "Error undoing the change"

var undoChange = Tool{
	Name:  "undo_change",
	Title: "Take back changes",
	Description: "Takes back changes that this user's connections made, by change_id (list_changes gives them): what was created is deleted, what was deleted is created again " +
		"with a new id, what was changed gets its old values. What others or devices changed since is shown first. An undo can be undone.",
	Params: []Param{
		{Name: "change_id", Kind: List, Items: String, Required: true, MaxLen: maxChangeID, Schema: `{"type":"string","description":"Several, at most 50: separated by commas; they are taken back as one change."}`},
	},
	Result:  writeOut("event", "item"),
	Hints:   deletes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetCore,
	Failure: undoFailure,
	run:     handle(undo),
}

// maxChangeID is longer than any change_id.
const maxChangeID = 80

type undoIn struct {
	IDs []string `json:"change_id"`
}

type undone struct {
	written
	Event *eventItem        `json:"event,omitempty"` // the one object as it now is
	Item  *customItemDetail `json:"item,omitempty"`
}

func undo(ctx context.Context, rq *Request, in undoIn) (undone, error) {
	if rq.svc.Changes == nil {
		return undone{}, errUnwired
	}
	ids, err := changeIDs("change_id", in.IDs)
	if err != nil {
		return undone{}, err
	}
	past, _, err := rq.svc.Changes.Detail(ctx, rq.Identity.User, ids[0])
	switch {
	case errors.Is(err, change.ErrNoChange):
		return rq.notMine(ctx, ids[0])
	case err != nil:
		return undone{}, unreadable(rq, ctx, err)
	}
	at, err := rq.placeOf(ctx, past.Athlete)
	if err != nil {
		return undone{}, err
	}
	r, err := rq.do(ctx, at, change.Undo{IDs: ids, Today: at.p.today(rq.now())})
	if err != nil {
		return undone{}, err
	}
	return rq.undone(at, r), nil
}

// changeIDs reads change_ids, each once.
func changeIDs(arg string, list []string) (ids []audit.ID, err error) {
	if len(list) > change.MaxUndo {
		return nil, refuse(arg, "names %d changes; at most %d can be undone at once", len(list), change.MaxUndo)
	}
	var problems Problems
	seen := map[audit.ID]bool{}
	for _, s := range list {
		id, err := audit.ParseID(strings.TrimSpace(s))
		if err != nil {
			problems = append(problems, Problem{Arg: arg, Message: Quote(s, 40) + " is no change_id", Next: "list_changes gives them"})
			continue
		}
		if !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
	}
	switch {
	case len(problems) > 0:
		return nil, problems[:min(len(problems), 5)]
	case len(ids) == 0:
		return nil, refuse(arg, "is empty")
	}
	return ids, nil
}

// notMine says that a change is not this user's: somebody else changed this
// athlete, or there is no such change.
func (rq *Request) notMine(ctx context.Context, id audit.ID) (undone, error) {
	r := &change.Result{Status: change.RefusedNow, Summary: "Undo " + id.String(), Objects: []change.ObjectResult{}, Warnings: []string{},
		Reason: fmt.Sprintf("there is no change %s of yours in the audit log. Nothing was written. list_changes lists them.", id)}
	me, err := rq.self(ctx).wait(ctx)
	if err != nil {
		return undone{}, err
	}
	after := audit.ID{Time: id.Time, Request: id.Request + "~"} // the page after it begins with the change itself
	page, _, err := rq.svc.Changes.History(ctx, change.Scope{Athlete: me.ID}, after, 1)
	if err != nil {
		return undone{}, unreadable(rq, ctx, err)
	}
	if len(page) == 1 && page[0].ID == id {
		if hidden, err := rq.hidesFrom(ctx, page[0]); err != nil {
			return undone{}, err
		} else if !hidden {
			r.Reason = fmt.Sprintf("change %s was made by another user (%s), and only they can take it back. Nothing was written. Ask them, or change the event yourself.",
				id, intervals.Clean(page[0].User, 40))
		}
	}
	return undone{written: written{Result: r, text: say(r, undoFailure, "")}}, nil
}

// unreadable logs why the audit log could not be read, and says it without
// its words.
func unreadable(rq *Request, ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	rq.svc.Log.ErrorContext(ctx, "audit log cannot be read", "error", err)
	return Problems{{Message: "the audit log cannot be read now, so nothing was written", Next: "try again in a minute"}}
}

// undone words the answer of an undo.
func (rq *Request) undone(at place, r *change.Result) undone {
	if w, ok := rq.unmade(at, r); ok {
		return undone{written: w}
	}
	out := undone{written: written{Result: r}}
	if slices.ContainsFunc(r.Objects, func(o change.ObjectResult) bool { return o.Kind == change.ItemKind }) {
		rq.forgetProfile(at) // it carries the custom items
	}
	facts := rq.done(at, r)
	if len(r.Objects) == 1 && r.State.Len() > 0 {
		switch r.Objects[0].Kind {
		case change.EventKind:
			item := newEventItem(intervals.Event{Object: r.State}, at.p, diary{})
			item.Status, item.ActivityID = "", ""
			out.Event = &item
		case change.ItemKind:
			item := newCustomItemDetail(intervals.CustomItem{Object: r.State})
			out.Item = &item
		}
	}
	out.text = say(r, undoFailure, "Taken back. "+r.Summary, facts...)
	return out
}
