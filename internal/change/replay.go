package change

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// replay finds an equal create of the last minutes. One that was applied, and
// still stands, answers this call. One whose end is unknown lends its uids, so
// that the platform updates what it may have made instead of making another,
// and what it made is not sent again.
func (e *Engine) replay(ctx context.Context, c Call, plan Plan, digest string) (_ Plan, uidOf audit.ID, again *Result, err error) {
	if plan.AllowDuplicate {
		return plan, audit.ID{}, nil, nil
	}
	earlier, ok, err := audit.FindEqual(ctx, e.Log, c.Identity.User, digest, e.Now().Add(-replayWindow))
	plan.turn = "create#" + digest + "#" + earlier.Newest.String()
	if err != nil || !ok {
		return plan, audit.ID{}, nil, err
	}
	items, err := e.Log.Change(ctx, c.Identity.User, earlier.Change)
	if err != nil {
		return plan, audit.ID{}, nil, err
	}
	if earlier.Status == audit.Unknown {
		uidOf = earlier.Change
	}
	if earlier.Head.Phase == audit.Intent && e.Now().Sub(earlier.Change.Time) < runTime && slices.ContainsFunc(plan.Objects, Object.nameless) {
		return plan, uidOf, plan.refused(fmt.Sprintf("an equal call, change %s, may still be running. Look again in two minutes before repeating it.", earlier.Change)), nil
	}
	objects := asMade(plan.Objects, tell(items), earlier.Change)
	s := &session{ctx: ctx, call: c}
	found, err := s.findAll(ctx, objects)
	if err != nil {
		return plan, uidOf, plan.refused("an equal call was made in the last minutes, and whether what it made stands could not be read (" + intervals.KindOf(err).String() + "), so nothing was sent. Try again in a minute."), nil
	}
	r := plan.result(Replayed, earlier.Change)
	var gone []string
	made := 0 // creates that stand
	rest := plan
	rest.Objects = slices.Clone(plan.Objects)
	for i, now := range found {
		o := objects[i]
		if !o.stands(now) {
			gone = append(gone, fmt.Sprintf("%s %s", o.Kind, o.name()))
			continue
		}
		if r.Objects[i].Status = "applied"; o.Action == Create {
			r.Objects[i].ID, rest.Objects[i].Made = now.Str("id"), now.Str("id")
			made++
		}
	}
	switch {
	case earlier.Status == audit.Unknown && len(gone) > 0:
		return rest, uidOf, nil, nil
	case made == 0:
		return plan, uidOf, nil, nil
	}
	if len(found) == 1 {
		r.State = found[0]
	}
	r.Outcome = string(audit.Applied)
	r.Warnings = []string{"an equal call made this already; nothing was written now. Pass allow_duplicate: true to make another one."}
	if len(gone) > 0 {
		r.Warnings = append(r.Warnings, "since then was changed or deleted: "+strings.Join(gone[:min(len(gone), 10)], ", ")+more(len(gone)-10)+".")
	}
	return plan, uidOf, r, nil
}

// asMade gives the objects of a plan as an earlier change of an equal one made
// them: with its uids, its ids, and what was there before it. What has come
// into being since then can be its work.
func asMade(objects []Object, earlier told, change audit.ID) []Object {
	out := named(objects, change)
	known := len(earlier.objects) == len(out)
	for i := range out {
		if out[i].Action != Create {
			continue
		}
		if out[i].Known = nil; known {
			out[i].Known, out[i].Target = earlier.objects[i].intent.Known, earlier.objects[i].target()
		}
	}
	return out
}

// stands reports whether an object is as the plan makes it.
func (o Object) stands(now intervals.Object) bool {
	switch o.Action {
	case Delete:
		return now.Len() == 0
	case Update:
		return o.done(now)
	}
	return now.Len() > 0 && o.sameThing(now)
}

// nameless reports a create that the platform does not know again by a name of
// its own: sent twice, it makes two.
func (o Object) nameless() bool {
	return o.Action == Create && !(o.Kind == EventKind && trained(o.Patch["category"]))
}

// turnTime is for how long the turn of a create is taken: by then its intent
// has long been in the log, where the next one finds it.
const turnTime = 5 * time.Second

// takeTurn lets one of the processes in which equal creates begin at the same
// instant go on: none of them finds the others in the log. A result tells the
// others to wait. Where the turns cannot be read, none is kept waiting.
func (e *Engine) takeTurn(ctx context.Context, plan Plan) *Result {
	if plan.turn == "" || e.State == nil {
		return nil
	}
	ok, until, err := e.State.Allow(ctx, plan.turn, 1, turnTime)
	if err != nil {
		e.Logger.WarnContext(ctx, "turns cannot be read", "error", err)
		return nil
	}
	if !ok {
		return plan.refused(fmt.Sprintf("an equal call has just begun elsewhere. Call again in %s: the answer is then what came of it.", e.wait(until)))
	}
	return nil
}
