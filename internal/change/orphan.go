package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// longestRun bounds the time in which a change sends requests, and runTime is
// how long it may still be running after its intent: taking back, looking and
// recording come on top, and clocks of two processes differ.
const (
	longestRun = 50 * time.Second
	runTime    = 2 * time.Minute
)

// stands finds out by reading whether what was planned for an object came to
// be: Applied, Failed (it certainly did not), or Unknown.
func (s *session) stands(o Object) (audit.Status, intervals.Object, error) {
	at := o.platform(s.call, nil)
	if o.Action == Create && o.Target == "" {
		now, ok, err := at.find(s.ctx, o)
		switch {
		case err != nil:
			return audit.Unknown, now, err
		case !ok:
			return audit.Failed, now, nil
		}
		return audit.Applied, now, nil
	}
	now, err := at.read(s.ctx, o.Target)
	gone := intervals.KindOf(err) == intervals.NotFound
	if err != nil && !gone {
		return audit.Unknown, now, err
	}
	switch o.Action {
	case Delete:
		if gone {
			return audit.Applied, now, nil
		}
		return audit.Failed, now, nil
	case Create:
		if gone {
			return audit.Failed, now, nil
		}
		return audit.Applied, now, nil
	}
	switch {
	case gone:
		return audit.Unknown, now, nil
	case o.done(now):
		return audit.Applied, now, nil
	case o.untouched(now):
		return audit.Failed, now, nil
	}
	return audit.Unknown, now, nil
}

// Resolve finds out by reading Intervals.icu what came of a change that has an
// intent and no outcome, since its process died, and writes the outcome. A
// change that has an outcome, or may still be running, is only told.
func (e *Engine) Resolve(ctx context.Context, c Call, user string, id audit.ID) (*Result, error) {
	items, err := e.Log.Change(ctx, user, id)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	t := tell(items)
	if !t.begun() {
		return refusedResult("Resolve "+id.String(), "there is no such change in the audit log, or its intent was not finished, so that nothing was sent."), nil
	}
	r := &Result{Status: UnknownDone, ChangeID: id.String(), Summary: t.head.Summary, Objects: t.results(), Warnings: []string{}, Tool: t.head.Tool}
	switch {
	case t.done:
		r.Status, r.Reason = statusOfHead(t.head), t.head.Reason
		return r, nil
	case e.Now().Sub(id.Time) < runTime:
		r.Reason = "it may still be running; ask again in two minutes."
		return r, nil
	case t.head.Athlete != c.Athlete:
		return refusedResult(t.head.Summary, "it is about another athlete."), nil
	}
	c.Identity.User, c.Identity.Connection, c.Identity.Client, c.Tool = t.head.User, t.head.Connection, t.head.Client, t.head.Tool
	s := &session{ctx: ctx, call: c}
	plan, ends, err := s.found(t)
	if err != nil {
		return nil, err
	}
	out := plan.outcome(id, ends)
	out.Reason = "its process ended before the outcome was written; this was found by reading Intervals.icu. " + out.Reason
	out.Tool = t.head.Tool
	err = e.writeOutcome(ctx, c, plan, id, t.head.Digest, ends, out, 0)
	if errors.Is(err, audit.ErrExists) { // somebody else was faster: theirs is in the log
		if items, err = e.Log.Change(ctx, user, id); err == nil && tell(items).done {
			return e.Resolve(ctx, c, user, id)
		}
		err = errors.Join(err, audit.ErrExists)
	}
	if err != nil {
		return nil, fmt.Errorf("write the audit log: %w", err)
	}
	return out, nil
}

// found is the plan of a change as far as the log keeps it, and what stands of it.
func (s *session) found(t told) (Plan, []end, error) {
	plan := Plan{Summary: t.head.Summary, Undoes: t.head.Undoes}
	ends := make([]end, len(t.objects))
	for i, o := range t.objects {
		p := o.object()
		plan.Objects = append(plan.Objects, p)
		if o.outcome.Status != "" { // it was written before the process died
			ends[i] = end{status: o.outcome.Status, target: p.Target, state: objectOf(o.outcome.After), upstream: o.outcome.UpstreamStatus,
				reason: o.outcome.Reason, old: o.outcome.Replaces, recorded: true}
			continue
		}
		status, now, err := s.stands(p)
		if err != nil {
			return Plan{}, nil, err
		}
		ends[i] = end{status: status, target: p.Target, state: now, upstream: 0}
		switch {
		case status == audit.Failed:
			ends[i].err = errors.New("found by reading: it was not done")
		case status == audit.Unknown:
			ends[i].err = errors.New("found by reading: neither the old nor the new state stands")
		case p.Target == "":
			ends[i].target = now.Str("id")
		}
	}
	return plan, ends, nil
}

func statusOfHead(h audit.Item) Status {
	switch h.Status {
	case audit.Applied:
		return Applied
	case audit.Failed:
		return FailedNow
	}
	return UnknownDone
}
