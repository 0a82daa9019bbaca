package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/state"
)

// Rates of confirming, for each connection: however it is done, 130 random bits
// are not guessed.
const (
	maxTries  = 300 // in tryWindow
	maxMisses = 20  // unknown confirmations in tryWindow
	tryWindow = 10 * time.Minute
)

const (
	noSuchPlan = "there is no such plan: its 10 minutes are over, it was dropped, or the confirmation is not right. Nothing was written. Call the tool again for a fresh preview."
	tooMany    = "this connection has confirmed too often in a short time. Nothing was written; the confirmation still holds. Wait %s and confirm again, or call the tool again for a fresh preview."
	tooManyBad = "too many wrong confirmations. Nothing was written. Wait %s, then call the tool again for a fresh preview."
)

// Waiting is what a connection may know of a plan of its user before
// confirming it: for whom the Call has to be made.
func (e *Engine) Waiting(ctx context.Context, user, handle string) (state.Waiting, error) {
	if e.State == nil || !state.ValidHandle(handle) {
		return state.Waiting{}, state.ErrNotFound
	}
	w, err := e.State.Get(ctx, user, handle)
	w.Plan = nil
	return w, err
}

// Confirm makes the change that was previewed under a confirmation, if the
// summary is the preview's line and nothing that matters has changed since.
// Call needs no tool and no arguments: those of the preview count. Its athlete
// must be the preview's (Waiting).
func (e *Engine) Confirm(ctx context.Context, c Call, handle, summary string) (*Result, error) {
	return e.confirm(ctx, c, handle, func(w state.Waiting) string {
		switch {
		case w.Connection != c.Identity.Connection:
			return noSuchPlan
		case w.Person || c.Identity.Confirm == identity.ConfirmPerson: // also where the setting came after the preview
			return "only the person may approve this change, on the account page: " + e.approveURL(ctx, handle) + ". Nothing was written."
		case sameSummary(summary, w.Summary):
			return ""
		case !w.Change.IsZero(): // it was not in vain: whoever repeats it would do it twice
			return fmt.Sprintf("the summary is not the preview's line. Nothing was written now, but the confirmation was used before, by change %s: list_changes tells what came of it.", w.Change)
		}
		left, err := e.State.Wrong(ctx, w.User, handle)
		switch {
		case err != nil:
			return "the summary is not the preview's line. Nothing was written. Call the tool again for a fresh preview."
		case left == 0:
			return fmt.Sprintf("the summary was wrong %d times, so the plan was dropped. Nothing was written. Call the tool again for a fresh preview.", state.MaxWrong)
		}
		return fmt.Sprintf("the summary is not the preview's line, which is: %s. Nothing was written; the confirmation still holds (%d more tries).", quote(w.Summary, maxSummary), left)
	})
}

// Approve makes the change that awaits the tap of a signed-in person, whatever
// connection asked for it. The caller has established who the person is.
func (e *Engine) Approve(ctx context.Context, c Call, handle string) (*Result, error) {
	return e.confirm(ctx, c, handle, func(state.Waiting) string { return "" })
}

// Answered makes the change that a person agreed to when their client asked
// them (elicitation). The call must be the one that was previewed: same
// connection, tool and arguments.
func (e *Engine) Answered(ctx context.Context, c Call, handle string) (*Result, error) {
	return e.confirm(ctx, c, handle, func(w state.Waiting) string {
		var kept stored
		switch {
		case w.Connection != c.Identity.Connection || w.Tool != c.Tool:
			return noSuchPlan
		case w.Person || c.Identity.Confirm == identity.ConfirmPerson:
			return "only the person may approve this change, on the account page. Nothing was written."
		case len(w.Plan) == 0: // used: what came of it is told
			return ""
		case json.Unmarshal(w.Plan, &kept) != nil || string(canonical(kept.Arguments)) != string(canonical(c.Arguments)):
			return "the arguments are not those of the preview. Nothing was written. Call the tool again without requestState."
		}
		return ""
	})
}

// Drop forgets a plan, so that it can no longer be confirmed.
func (e *Engine) Drop(ctx context.Context, user, handle string) error {
	if e.State == nil || !state.ValidHandle(handle) {
		return nil
	}
	return e.State.Drop(ctx, user, handle)
}

// Pending is a user's plan that awaits its confirmation, as its preview.
func (e *Engine) Pending(ctx context.Context, user, handle string) (state.Waiting, *Result, error) {
	if e.State == nil || !state.ValidHandle(handle) {
		return state.Waiting{}, nil, state.ErrNotFound
	}
	w, err := e.State.Get(ctx, user, handle)
	if err != nil {
		return w, nil, err
	}
	if !w.Change.IsZero() {
		return w, nil, state.ErrUsed
	}
	var kept stored
	if err := json.Unmarshal(w.Plan, &kept); err != nil {
		return w, nil, err
	}
	r := kept.Plan.result(Preview, audit.ID{})
	r.Tool, r.Expires, w.Plan = w.Tool, &w.Expires, nil
	return w, r, nil
}

// confirm is the way of a stored plan. mayNot gives the reason to refuse, "" to
// go on.
func (e *Engine) confirm(ctx context.Context, c Call, handle string, mayNot func(state.Waiting) string) (*Result, error) {
	if e.State == nil || !state.ValidHandle(handle) {
		return e.miss(ctx, c), nil
	}
	ok, until, err := e.State.Allow(ctx, "confirm#"+c.Identity.User+"#"+c.Identity.Connection, maxTries, tryWindow)
	if err != nil {
		return e.stateDown(ctx, err), nil
	}
	if !ok {
		return refusedResult("Confirm a change", fmt.Sprintf(tooMany, e.wait(until))), nil
	}
	w, err := e.State.Get(ctx, c.Identity.User, handle)
	switch {
	case errors.Is(err, state.ErrNotFound):
		return e.miss(ctx, c), nil
	case err != nil:
		return e.stateDown(ctx, err), nil
	}
	if reason := mayNot(w); reason == noSuchPlan {
		return e.miss(ctx, c), nil
	} else if reason != "" {
		return refusedResult(w.Summary, reason), nil
	}
	if !w.Change.IsZero() {
		return e.used(ctx, w), nil
	}
	return e.carryOut(ctx, c, w)
}

// carryOut applies a stored plan, unless what it was made from has changed.
func (e *Engine) carryOut(ctx context.Context, c Call, w state.Waiting) (*Result, error) {
	var kept stored
	if err := json.Unmarshal(w.Plan, &kept); err != nil {
		return refusedResult(w.Summary, "the plan was kept by another release of this server. Nothing was written. Call the tool again for a fresh preview."), nil //nolint:nilerr // told to the caller
	}
	if c.Athlete != w.Athlete || c.Me != kept.Me {
		return refusedResult(w.Summary, "the plan is about another athlete, or was made with another key. Nothing was written. Call the tool again for a fresh preview."), nil
	}
	planner, err := kept.planner()
	if err != nil {
		return nil, err
	}
	c.Tool, c.Arguments = w.Tool, kept.Arguments
	now, no, err := e.plan(ctx, c, planner)
	since := kept.Plan.drift(now)
	if err != nil || no != nil || len(since) > 0 {
		// What changed may be the work of this very confirmation.
		if used := e.usedBy(ctx, w); used != nil {
			return used, nil
		}
	}
	switch {
	case no != nil:
		no.Reason = "Since the preview this has changed: " + no.Reason
		return no, nil
	case intervals.KindOf(err) == intervals.NotFound:
		return refusedResult(w.Summary, "Since the preview this has changed: what it is about is no longer there. Nothing was written."), nil
	case err != nil:
		return nil, err
	}
	if len(since) > 0 {
		if err := e.State.Drop(ctx, w.User, w.Handle); err != nil {
			return e.stateDown(ctx, err), nil
		}
		if len(now.Objects) == 0 {
			return refusedResult(w.Summary, "since the preview this has changed: there is nothing left to do. "+strings.Join(since, " ")), nil
		}
		return e.preview(ctx, c, planner, now, append(since, "Nothing was written; this is a fresh preview.")...), nil
	}
	plan := kept.Plan
	for i := range plan.Objects { // what does not matter is taken as it now is
		plan.Objects[i].Before, plan.Objects[i].Known, plan.Objects[i].Figures = now.Objects[i].Before, now.Objects[i].Known, now.Objects[i].Figures
	}
	made := false
	r, err := e.guarded(ctx, c, plan, func(plan Plan, digest string, uidOf audit.ID) *Result {
		made = true
		return e.make(ctx, c, plan, digest, uidOf, w.Handle)
	})
	if err == nil && !made && r.Status == RefusedNow {
		// The equal call that keeps this one waiting may be the use of this very
		// confirmation, in another process.
		if used := e.usedBy(ctx, w); used != nil {
			return used, nil
		}
	}
	return r, err
}

// usedBy tells of the use of a confirmation since it was read; nil = there is
// none.
func (e *Engine) usedBy(ctx context.Context, w state.Waiting) *Result {
	now, err := e.State.Get(ctx, w.User, w.Handle)
	if err != nil || now.Change.IsZero() {
		return nil
	}
	return e.used(ctx, now)
}

// used answers a confirmation that was used before: nothing is written now.
func (e *Engine) used(ctx context.Context, w state.Waiting) *Result {
	r := &Result{Status: Replayed, ChangeID: w.Change.String(), Summary: w.Summary, Tool: w.Tool, Used: true, Objects: []ObjectResult{},
		Warnings: []string{"the confirmation was used already; nothing was written now."}, Outcome: string(audit.Unknown)}
	items, err := e.Log.Change(ctx, w.User, w.Change)
	if err != nil {
		r.Warnings = append(r.Warnings, "what came of it cannot be read from the audit log now. list_changes tells it later.")
		return r
	}
	told := tell(items)
	r.Objects = told.results()
	if told.done {
		r.Outcome, r.Reason = string(told.head.Status), told.head.Reason
	} else {
		r.Warnings = append(r.Warnings, "it is still running, or was cut off: what came of it is not known yet. list_changes tells it later.")
	}
	return r
}

// miss is the answer to a confirmation that is none of this user's and
// connection's.
func (e *Engine) miss(ctx context.Context, c Call) *Result {
	if e.State == nil {
		return refusedResult("Confirm a change", noSuchPlan)
	}
	ok, until, err := e.State.Allow(ctx, "miss#"+c.Identity.User+"#"+c.Identity.Connection, maxMisses, tryWindow)
	switch {
	case err != nil:
		return e.stateDown(ctx, err)
	case !ok:
		return refusedResult("Confirm a change", fmt.Sprintf(tooManyBad, e.wait(until)))
	}
	return refusedResult("Confirm a change", noSuchPlan)
}

func (e *Engine) wait(until time.Time) string {
	return max(until.Sub(e.Now()), time.Second).Round(time.Second).String()
}

func (e *Engine) stateDown(ctx context.Context, err error) *Result {
	e.Logger.ErrorContext(ctx, "state store cannot be used", "error", err)
	return refusedResult("Confirm a change", "the plan cannot be read now, so nothing was written; the confirmation still holds. Try again in a minute.")
}

func refusedResult(summary, reason string) *Result {
	return &Result{Status: RefusedNow, Summary: cut(summary, maxSummary), Reason: reason, Objects: []ObjectResult{}, Warnings: []string{}}
}
