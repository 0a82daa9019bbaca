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
)

// Config is what an Engine needs from outside.
type Config struct {
	Log       audit.Log
	Now       func() time.Time
	NewID     func(context.Context) string // names a request: short, letters and digits; nil = RandomID
	Retention time.Duration                // of audit items; 0 = audit.DefaultRetention
	Logger    *slog.Logger                 // may be nil; gets no names, arguments or bodies
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

// Do plans and makes a change. What goes wrong on the road is told by the
// Result; the error is one of planning (a failed read, a bad argument), and
// then nothing was written.
func (e *Engine) Do(ctx context.Context, c Call, planner Planner) (*Result, error) {
	plan, err := planner.Plan(ctx, c)
	var no *Refused
	if errors.As(err, &no) {
		return &Result{Status: RefusedNow, Summary: no.Summary, Reason: no.Reason, Objects: []ObjectResult{}, Warnings: []string{}}, nil
	}
	if err != nil {
		return nil, err
	}
	plan.Summary = cut(plan.Summary, maxSummary)
	if len(plan.Objects) == 0 {
		return plan.result(Applied, audit.ID{}), nil // nothing to do, so nothing to record
	}
	if c.mentionsCredential(plan) {
		return plan.refused("the text holds your Intervals.icu key, which must not be written anywhere. Take it out and call again."), nil
	}
	digest := plan.digest(c)
	if digest == "" {
		return e.apply(ctx, c, plan, digest, audit.ID{}), nil
	}
	release, err := e.flights.enter(ctx, digest) // an equal call of this process is waited for
	if err != nil {
		return plan.refused("an equal call is still running. Look at the calendar before repeating it."), nil
	}
	defer release()
	uidOf, again, err := e.replay(ctx, c, plan, digest)
	switch {
	case err != nil:
		e.Logger.ErrorContext(ctx, "audit log cannot be read", "error", err)
		return plan.refused("the audit log cannot be read, so nothing was sent. Try again in a minute."), nil
	case again != nil:
		return again, nil
	}
	return e.apply(ctx, c, plan, digest, uidOf), nil
}

// replay finds an equal create of the last minutes. One that was applied, and
// still stands, answers this call. One whose end is unknown lends its uid, so
// that the platform updates what it may have made instead of making another.
func (e *Engine) replay(ctx context.Context, c Call, plan Plan, digest string) (uidOf audit.ID, again *Result, err error) {
	if plan.AllowDuplicate || len(plan.Objects) != 1 {
		return audit.ID{}, nil, nil
	}
	earlier, ok, err := audit.FindEqual(ctx, e.Log, c.Identity.User, digest, e.Now().Add(-replayWindow))
	if err != nil || !ok {
		return audit.ID{}, nil, err
	}
	o := plan.Objects[0]
	at := o.platform(c, nil, earlier.Change)
	var now intervals.Object
	found := false
	if earlier.Status == audit.Applied && len(earlier.Head.Targets) == 1 {
		o.Target = earlier.Head.Targets[0]
		now, err = at.read(ctx, o.Target)
		found = err == nil
	} else if earlier.Status == audit.Unknown {
		o.Known = nil
		now, found, err = at.find(ctx, o)
		uidOf = earlier.Change
	}
	if err != nil && intervals.KindOf(err) != intervals.NotFound {
		return audit.ID{}, nil, nil //nolint:nilerr // what cannot be read is no reason to refuse: the uid still protects
	}
	if !found || !o.sameThing(now) {
		return uidOf, nil, nil
	}
	o.Target = now.Str("id")
	r := plan.result(Replayed, earlier.Change)
	r.State, r.Objects[0].ID, r.Objects[0].Status = now, o.Target, "applied"
	r.Warnings = append([]string{}, "an equal call made this already; nothing was written now. Pass allow_duplicate: true to make another one.")
	return uidOf, r, nil
}

// apply is the road from intent to outcome.
func (e *Engine) apply(ctx context.Context, c Call, plan Plan, digest string, uidOf audit.ID) *Result {
	id := audit.NewID(e.tick(), e.NewID(ctx))
	if id.IsZero() { // the request has no name of its own
		id = audit.NewID(id.Time, RandomID(ctx))
	}
	if uidOf.IsZero() {
		uidOf = id
	}
	began := time.Now()
	if err := e.writeIntent(ctx, c, plan, id, digest); err != nil {
		e.Logger.ErrorContext(ctx, "audit intent cannot be written", "change", id.String(), "error", err)
		return plan.refused("the audit log cannot be written, so nothing was sent. Try again in a minute; if it stays, tell whoever runs this server.")
	}
	s := &session{ctx: ctx, call: c, w: intervals.NewWriter(c.Client), uidOf: uidOf}
	ends := s.run(plan.Objects)
	r := plan.outcome(id, ends)
	if err := e.writeOutcome(ctx, c, plan, id, digest, ends, r, time.Since(began)); err != nil {
		e.Logger.ErrorContext(ctx, "audit outcome is missing", "change", id.String(), "error", err)
		r.Warnings = append(r.Warnings, "what came of this change could not be written to the audit log, which holds only its intent.")
	}
	return r
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
			Undoable: o.Undoable}
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
		if d.reason != "" && r.Reason == "" {
			r.Reason, r.Cause = d.reason, d.err
		}
	}
	if len(ends) == 1 {
		r.State = ends[0].state
	} else if r.Status != Applied {
		r.Reason = fmt.Sprintf("%d of %d done, %d failed, %d unknown, %d not tried. %s", r.Count("applied"), len(ends),
			r.Count("failed"), r.Count("unknown"), r.Count("not_done"), r.Reason)
	}
	return r
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
