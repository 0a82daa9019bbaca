package change

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/state"
)

// Config is what an Engine needs from outside.
type Config struct {
	Log       audit.Log
	State     state.Store // where plans await their confirmation; nil = what wants one is refused
	Now       func() time.Time
	NewID     func(context.Context) string // names a request: short, letters and digits; nil = RandomID
	Retention time.Duration                // of audit items; 0 = audit.DefaultRetention
	Logger    *slog.Logger                 // may be nil; gets no names, arguments or bodies
	// ApprovePage is the page on which a person approves a plan (the setting
	// person); nil = there is none.
	ApprovePage func(ctx context.Context, handle string) string
	// Step is called between the steps of the road with the name of the next
	// one, so that tests can cut it anywhere; nil in every program.
	Step func(next string)
}

// Engine takes plans down the road. It is safe for concurrent use.
type Engine struct {
	Config
	flights flights
	last    atomic.Int64 // the newest change's time, Unix ns
}

// New makes an Engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = RandomID
	}
	if c.Retention == 0 {
		c.Retention = audit.DefaultRetention
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Engine{Config: c}
}

// RandomID names a request by 60 random bits.
func RandomID(context.Context) string { return strings.ToLower(rand.Text()[:12]) }

// replayWindow is how long an equal create is taken for a repeat.
const replayWindow = 10 * time.Minute

// Do plans a change and, where the connection's setting asks for it, previews
// it, else makes it. What goes wrong on the road is told by the Result; the
// error is one of planning (a failed read, a bad argument), and then nothing
// was written.
func (e *Engine) Do(ctx context.Context, c Call, planner Planner) (*Result, error) {
	plan, no, err := e.plan(ctx, c, planner)
	if err != nil || no != nil {
		return no, err
	}
	if len(plan.Objects) == 0 {
		return plan.result(Applied, audit.ID{}), nil // nothing to do, so nothing to record
	}
	return e.guarded(ctx, c, plan, func(plan Plan, digest string, uidOf audit.ID) *Result {
		if c.mustAsk(plan) {
			return e.preview(ctx, c, planner, plan)
		}
		return e.make(ctx, c, plan, digest, uidOf, "")
	})
}

// plan makes a plan, or says why it is refused.
func (e *Engine) plan(ctx context.Context, c Call, planner Planner) (Plan, *Result, error) {
	c.log, c.now = e.Log, e.Now
	plan, err := planner.Plan(ctx, c)
	var no *Refused
	switch {
	case errors.As(err, &no):
		return Plan{}, refusedResult(no.Summary, no.Reason), nil
	case err != nil:
		return Plan{}, nil, err
	}
	plan.Summary = cut(plan.Summary, maxSummary)
	if len(plan.Objects) > MaxObjects {
		return Plan{}, plan.refused(fmt.Sprintf("it is about %d objects; at most %d can be changed at once. Do it in parts.", len(plan.Objects), MaxObjects)), nil
	}
	if c.mentionsCredential(plan) {
		return Plan{}, plan.refused("the text holds your Intervals.icu key, which must not be written anywhere. Take it out and call again."), nil
	}
	return plan, nil, nil
}

// guarded goes on with a plan unless an equal create was made within the last
// minutes: then that one is the answer.
func (e *Engine) guarded(ctx context.Context, c Call, plan Plan, next func(plan Plan, digest string, uidOf audit.ID) *Result) (*Result, error) {
	digest := plan.digest(c)
	if digest == "" {
		return next(plan, "", audit.ID{}), nil
	}
	release, err := e.flights.enter(ctx, digest) // an equal call of this process is waited for
	if err != nil {
		return plan.refused("an equal call is still running. Look at the calendar before repeating it."), nil //nolint:nilerr // told to the caller
	}
	defer release()
	plan, uidOf, again, err := e.replay(ctx, c, plan, digest)
	switch {
	case err != nil:
		e.Logger.ErrorContext(ctx, "audit log cannot be read", "error", err)
		return plan.refused("the audit log cannot be read, so nothing was sent. Try again in a minute."), nil
	case again != nil:
		return again, nil
	}
	return next(plan, digest, uidOf), nil
}

// make is the road from intent to outcome; handle is the confirmation that is
// spent, "" for none.
func (e *Engine) make(ctx context.Context, c Call, plan Plan, digest string, uidOf audit.ID, handle string) *Result {
	if handle == "" { // else the use of the confirmation decides
		if no := e.takeTurn(ctx, plan); no != nil {
			return no
		}
	}
	id := audit.NewID(e.tick(), e.NewID(ctx))
	if id.IsZero() { // the request has no name of its own
		id = audit.NewID(id.Time, RandomID(ctx))
	}
	if uidOf.IsZero() {
		uidOf = id
	}
	plan.Objects = named(plan.Objects, uidOf)
	began := time.Now()
	if no := e.begin(ctx, c, plan, id, digest, handle); no != nil {
		return no
	}
	e.step("apply")
	ctx, cancel := context.WithTimeout(ctx, longestRun)
	defer cancel()
	s := &session{ctx: ctx, call: c, w: intervals.NewWriter(c.Client), id: id, step: e.step}
	ends := s.run(plan.Objects)
	e.step("outcome")
	r := plan.outcome(id, ends)
	r.Tool = c.Tool
	if err := e.writeOutcome(ctx, c, plan, id, digest, ends, r, time.Since(began)); err != nil {
		e.Logger.ErrorContext(ctx, "audit outcome is missing", "change", id.String(), "error", err)
		said := "what came of this change could not be written to the audit log, which holds only its intent."
		if errors.Is(err, audit.ErrExists) {
			said = "somebody looked for what came of this change while it ran: the audit log holds what was found then."
		}
		r.Warnings = append(r.Warnings, said)
	}
	e.step("answer")
	return r
}

// begin records the intent and spends the confirmation. A result says why
// nothing may be sent.
func (e *Engine) begin(ctx context.Context, c Call, plan Plan, id audit.ID, digest, handle string) *Result {
	e.step("intent")
	err := e.writeIntent(ctx, c, plan, id, digest, handle)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, state.ErrUsed), errors.Is(err, state.ErrNotFound):
		w, getErr := e.State.Get(ctx, c.Identity.User, handle)
		switch {
		case getErr == nil && w.Change.String() == id.String():
			return nil // it was this call, whose answer was lost
		case getErr == nil && !w.Change.IsZero():
			return e.used(ctx, w)
		case getErr == nil || errors.Is(getErr, state.ErrNotFound):
			return plan.refused(noSuchPlan)
		}
		err = errors.Join(err, getErr)
	}
	e.Logger.ErrorContext(ctx, "audit intent cannot be written", "change", id.String(), "error", err)
	return plan.refused("the audit log cannot be written, so nothing was sent. Try again in a minute; if it stays, tell whoever runs this server.")
}

func (e *Engine) step(next string) {
	if e.Step != nil {
		e.Step(next)
	}
}

// tick is now, but after every other change of this process, so that the log
// keeps their order also where the clock stands or is set back.
func (e *Engine) tick() time.Time {
	for {
		last, now := e.last.Load(), e.Now().UnixNano()
		if now <= last {
			now = last + 1
		}
		if e.last.CompareAndSwap(last, now) {
			return time.Unix(0, now)
		}
	}
}

// refused is the result of a plan of which nothing was sent.
func (p Plan) refused(reason string) *Result {
	r := p.result(RefusedNow, audit.ID{})
	r.Reason = reason
	return r
}

func (p Plan) result(status Status, id audit.ID) *Result {
	r := &Result{Status: status, ChangeID: id.String(), Summary: p.Summary, Objects: make([]ObjectResult, len(p.Objects)),
		Warnings: append([]string{}, p.Warnings...)}
	for i, o := range p.Objects {
		r.Objects[i] = ObjectResult{Kind: o.Kind, ID: o.Target, Action: o.Action, Status: "not_done", Fields: resultFields(o.Fields),
			Undoable: o.Undoable, Replaces: o.Replaces, Before: o.Before, Patch: o.Patch, Parent: o.Parent}
	}
	return r
}

// outcome tells what stands, object by object.
func (p Plan) outcome(id audit.ID, ends []end) *Result {
	r := p.result(Applied, id)
	for i, d := range ends {
		o := &r.Objects[i]
		if d.status != "" {
			o.Status = string(d.status)
		}
		if d.back {
			o.Status = "rolled_back"
		}
		if d.target != "" {
			o.ID = d.target
		}
		o.Workout, o.Upstream = d.workout, d.upstream
		r.Warnings = append(r.Warnings, d.warnings...)
		switch {
		case d.status == audit.Unknown:
			r.Status = UnknownDone
		case d.status != audit.Applied && r.Status == Applied:
			r.Status = FailedNow
		}
		if d.reason != "" && !d.back && r.Reason == "" {
			r.Reason, r.Cause = d.reason, d.err
		}
	}
	if len(ends) == 1 {
		r.State = ends[0].state
	} else if r.Status != Applied {
		r.Reason = fmt.Sprintf("of %d objects %s. %s", len(ends), r.tally(), Sentence(r.Reason))
	}
	return r
}

// tally counts the objects by what became of them.
func (r *Result) tally() string {
	var out []string
	for _, k := range []struct{ status, words string }{
		{"applied", "%d are done and stand"}, {"rolled_back", "%d were done and taken back"}, {"failed", "%d failed"},
		{"unknown", "%d are unknown"}, {"not_done", "%d were not tried"},
	} {
		if n := r.Count(k.status); n > 0 {
			out = append(out, fmt.Sprintf(k.words, n))
		}
	}
	return strings.Join(out, ", ")
}

// mentionsCredential reports whether the plan or the arguments carry the key
// with which it would be sent.
func (c Call) mentionsCredential(p Plan) bool {
	if c.Client.Mentions(c.Arguments) {
		return true
	}
	for _, o := range p.Objects {
		if c.Client.Mentions(canonical(o.Patch)) {
			return true
		}
	}
	return false
}
