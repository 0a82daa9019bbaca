package change

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"intervals-mcp/internal/intervals"
)

// EventBatch makes and changes many events at once: all of them, or none. What
// is there is read by one list from From to To, which must hold the days of the
// events that are changed; an event outside of it is read by itself.
type EventBatch struct {
	Edits          []EventEdit
	From, To       string // local days, inclusive; "" when nothing is changed
	Today          string
	AllowDuplicate bool
}

// Plan implements Planner. Every problem is reported, not just the first.
func (w EventBatch) Plan(ctx context.Context, c Call) (Plan, error) {
	if n := len(w.Edits); n == 0 || n > MaxObjects {
		return Plan{}, refused(fmt.Sprintf("Change %d events", n), "1 to %d events can be changed at once. Do it in parts.", MaxObjects)
	}
	from, to := w.span()
	list, err := c.Client.Events(ctx, c.Athlete, from, to)
	if err != nil {
		return Plan{}, err
	}
	byDay, byID := map[string][]intervals.Event{}, map[int64]intervals.Event{}
	for _, e := range list {
		byDay[e.Day()], byID[e.ID()] = append(byDay[e.Day()], e), e
	}
	p := Plan{AllowDuplicate: w.AllowDuplicate}
	var problems []string
	seen := map[int64]bool{}
	for _, edit := range w.Edits {
		edit.Today = w.Today
		if edit.ID == 0 {
			p.add(edit.create(byDay[edit.day()]))
			continue
		}
		if seen[edit.ID] {
			problems = append(problems, fmt.Sprintf("event %d is named twice.", edit.ID))
			continue
		}
		seen[edit.ID] = true
		before, err := w.before(ctx, c, edit.ID, byID)
		if err == nil {
			var o Object
			var s said
			if o, s, err = edit.update(c, before); err == nil {
				p.add(o, s)
			}
		}
		var no *Refused
		switch {
		case errors.As(err, &no):
			problems = append(problems, no.Reason)
		case intervals.KindOf(err) == intervals.NotFound:
			problems = append(problems, fmt.Sprintf("there is no event %d.", edit.ID))
		case err != nil:
			return Plan{}, err
		}
	}
	if len(problems) > 0 {
		return Plan{}, refused(fmt.Sprintf("Change %d events", len(w.Edits)), "%s Nothing was written.", strings.Join(problems, " "))
	}
	w.pairings(ctx, c, &p)
	p.Summary = c.batchWords(p.Objects)
	return p, nil
}

// span is the range of days that has to be read.
func (w EventBatch) span() (from, to string) {
	from, to = w.From, w.To
	for _, e := range w.Edits {
		if e.ID != 0 {
			continue
		}
		day := e.Day
		if day == "" {
			day = w.Today
		}
		if from == "" || day < from {
			from = day
		}
		to = max(to, day)
	}
	if from == "" {
		return w.Today, w.Today
	}
	return from, to
}

func (w EventBatch) before(ctx context.Context, c Call, id int64, byID map[int64]intervals.Event) (intervals.Event, error) {
	e, ok := byID[id]
	if !ok {
		return readEvent(ctx, c, id)
	}
	return e, seeable(c, e, id)
}

// pairings notes by which activities the sessions that move were done.
func (w EventBatch) pairings(ctx context.Context, c Call, p *Plan) {
	from, to := "9999-12-31", "0000-01-01"
	for _, o := range p.Objects {
		if o.moves() {
			from, to = min(from, o.day()), max(to, o.day())
		}
	}
	if from > to {
		return
	}
	by, err := pairings(ctx, c, from, to, w.Today)
	for i := range p.Objects {
		if o := &p.Objects[i]; o.moves() {
			var s said
			s.pairing(o, intervals.Event{Object: o.Before}, by, err)
			p.Warnings = append(p.Warnings, s.warnings...)
		}
	}
}
