package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/state"
)

const confirmFailure = "Error confirming the change"

var confirmChange = Tool{
	Name:  "confirm_change",
	Title: "Make a previewed change",
	Description: "Makes exactly the change that another tool previewed, within 10 minutes and once. summary is that preview's line, which the person who approves this call reads; " +
		"a different one is refused. If what it touches has changed since, nothing is written and the answer is a fresh preview.",
	Params: []Param{
		{Name: "confirmation", Kind: String, Required: true, MaxLen: 64, Doc: "As the preview gave it."},
		{Name: "summary", Kind: String, Required: true, MaxLen: 400, Doc: "The preview's summary; case, spacing and punctuation do not matter."},
	},
	Result:  append(writeOut("event", "message", "item"), Out{"deleted", Integer, false}),
	Hints:   deletes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetCore,
	Failure: confirmFailure,
	run:     handle(confirm),
}

type confirmIn struct {
	Confirmation string `json:"confirmation"`
	Summary      string `json:"summary"`
}

// confirmed is the answer that the tool which previewed the change would have
// given: the one object under its noun.
type confirmed struct {
	written
	Event   *eventItem        `json:"event,omitempty"`
	Message *facts            `json:"message,omitempty"`
	Item    *customItemDetail `json:"item,omitempty"`
	Deleted *int              `json:"deleted,omitempty"` // of delete_events_by_date_range
}

func confirm(ctx context.Context, rq *Request, in confirmIn) (confirmed, error) {
	if rq.svc.Changes == nil {
		return confirmed{}, errUnwired
	}
	in.Confirmation = strings.TrimSpace(in.Confirmation)
	// Until it is known that the plan is this connection's, nothing is read of
	// anybody, and the engine words the refusal.
	at := place{call: change.Call{Identity: rq.Identity, Client: rq.Client}}
	w, err := rq.svc.Changes.Waiting(ctx, rq.Identity.User, in.Confirmation)
	if err == nil && w.Connection == rq.Identity.Connection {
		if at, err = rq.placeOf(ctx, w.Athlete); err != nil {
			return rq.outOfReach(err, w)
		}
	}
	r, err := rq.explained(rq.svc.Changes.Confirm(ctx, at.call, in.Confirmation, in.Summary))
	if err != nil {
		return confirmed{}, err
	}
	return rq.confirmed(at, r), nil
}

var errUnwired = errors.New("writes are not wired")

// outOfReach refuses a plan about an athlete whom the connection reaches no
// longer; other errors stay what they are.
func (rq *Request) outOfReach(err error, w state.Waiting) (confirmed, error) {
	var problems Problems
	if !errors.As(err, &problems) {
		return confirmed{}, err
	}
	return rq.confirmed(place{}, &change.Result{Status: change.RefusedNow, Summary: w.Summary, Objects: []change.ObjectResult{}, Warnings: []string{},
		Reason: "it is about an athlete whom this connection can no longer change. Nothing was written. Connect again with that athlete."}), nil
}

// confirmed words a result as the tool would that asked for it.
func (rq *Request) confirmed(at place, r *change.Result) confirmed {
	if w, ok := rq.unmade(at, r); ok {
		return confirmed{written: w}
	}
	one := len(r.Objects) == 1
	switch {
	case len(r.Objects) == 0:
		return confirmed{written: written{Result: r, text: say(r, confirmFailure, r.Summary)}}
	case r.Tool == "undo_change":
		u := rq.undone(at, r)
		return confirmed{written: u.written, Event: u.Event, Item: u.Item}
	case r.Tool == "delete_events_by_date_range":
		d := rq.rangeDeleted(at, r, change.Spared{})
		return confirmed{written: d.written, Deleted: &d.Deleted}
	case one && r.Objects[0].Kind == change.MessageKind:
		m := rq.messageWritten(at, r, r.Objects[0].Parent)
		return confirmed{written: m.written, Message: m.Message}
	case one && r.Objects[0].Kind == change.ItemKind:
		i := rq.itemConfirmed(at, r)
		return confirmed{written: i.written, Item: i.Item}
	case one:
		e := rq.eventConfirmed(at, r)
		return confirmed{written: e.written, Event: e.Event}
	}
	first := fmt.Sprintf("Done: %s", r.Summary)
	return confirmed{written: written{Result: r, text: say(r, confirmFailure, first, rq.done(at, r)...)}}
}

func (rq *Request) eventConfirmed(at place, r *change.Result) eventWritten {
	o := r.Objects[0]
	id, _ := strconv.ParseInt(o.ID, 10, 64)
	switch o.Action {
	case change.Delete:
		return rq.eventDeleted(at, r, id)
	case change.Create:
		id = 0
	}
	return rq.eventWritten(at, r, id)
}

func (rq *Request) itemConfirmed(at place, r *change.Result) itemWritten {
	switch o := r.Objects[0]; o.Action {
	case change.Create:
		return rq.itemWritten(at, r, createFailure, itemCreated)
	case change.Delete:
		return rq.itemWritten(at, r, deleteFailure, fmt.Sprintf(itemDeleted, o.ID))
	}
	return rq.itemWritten(at, r, updateFailure, itemUpdated)
}

// doneLines bounds the objects that are told one by one once they are done;
// what went wrong is always told.
const doneLines = 40

// done tells what became of several objects.
func (rq *Request) done(at place, r *change.Result) (lines []string) {
	pv := previewer{p: at.p, year: at.p.today(rq.now())[:4]}
	verbs := map[change.Action]string{change.Create: "created", change.Update: "changed", change.Delete: "deleted"}
	left := 0
	for _, o := range r.Objects {
		status := verbs[o.Action]
		if o.Status != "applied" {
			status = string(o.Action) + ": " + strings.ReplaceAll(o.Status, "_", " ")
		} else if len(lines) >= doneLines {
			left++
			continue
		}
		lines = append(lines, fmt.Sprintf("- %s: %s", pv.line(newPlannedThing(o), false), status))
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("- %d more, done", left))
	}
	return lines
}
