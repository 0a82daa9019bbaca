package change

import (
	"context"
	"errors"
	"slices"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

func onlyEvents(objects []Object) bool {
	return !slices.ContainsFunc(objects, func(o Object) bool { return o.Kind != EventKind })
}

// runEvents changes many events: first the updates, which are the easiest to
// take back, then all creates in one request, last all deletes in one. What
// stands is then read by one list.
func (s *session) runEvents(ctx context.Context, objects []Object, ends []end) {
	var open []int // sent and answered well, not read back yet
	for i, o := range objects {
		if o.Action != Update {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		s.step("send")
		d, settled := s.put(ctx, o.platform(s.call, s.w), o)
		s.step("sent")
		ends[i] = d
		if !settled {
			open = append(open, i)
		}
		if d.status != audit.Applied {
			break
		}
	}
	if allDone(objects, ends, Update) {
		open = append(open, s.createMany(ctx, objects, ends)...)
	}
	s.readBackMany(objects, ends, open)
	if allDone(objects, ends, Update) && allDone(objects, ends, Create) {
		s.removeMany(ctx, objects, ends)
	}
}

// allDone reports whether every object with an action was applied.
func allDone(objects []Object, ends []end, a Action) bool {
	for i, o := range objects {
		if o.Action == a && ends[i].status != audit.Applied {
			return false
		}
	}
	return true
}

func which(objects []Object, a Action) []int {
	var out []int
	for i, o := range objects {
		if o.Action == a {
			out = append(out, i)
		}
	}
	return out
}

// createMany makes all events in one request and gives those to be read back.
// After a lost answer it looks for their uids.
func (s *session) createMany(ctx context.Context, objects []Object, ends []end) (open []int) {
	mine := which(objects, Create)
	if len(mine) == 0 || ctx.Err() != nil {
		return nil
	}
	var list []intervals.Patch
	for _, i := range mine {
		if o := objects[i]; o.Made != "" {
			ends[i] = madeAlready(o)
			continue
		}
		list = append(list, objects[i].Patch)
	}
	var made []intervals.Event
	var err, lookErr error
	if len(list) > 0 {
		s.step("send")
		made, err = s.w.CreateEvents(ctx, s.call.Athlete, list)
		s.step("sent")
	}
	if missing := place(objects, ends, mine, made); err == nil && missing || maybe(err) {
		var there []intervals.Event
		look, cancel := s.looking()
		there, lookErr = s.list(look, objects, mine)
		cancel()
		place(objects, ends, mine, there)
	}
	for _, i := range mine {
		d := ends[i]
		d.upstream = statusOf(err)
		switch {
		case objects[i].Made != "":
			d.status = audit.Applied
			open = append(open, i)
		case d.target != "":
			d.status = audit.Applied
			d.warn(err, "the answer of Intervals.icu was lost, but event "+d.target+" is there.")
			open = append(open, i)
		case err != nil && (!maybe(err) || lookErr == nil && refusedForSure(err)):
			d = d.fail(err, "")
		default:
			d = d.unknown(err, objects[i].lookAgain())
		}
		ends[i] = d
	}
	return open
}

// place notes the ids of the events that were made, and says whether some are
// missing.
func place(objects []Object, ends []end, mine []int, list []intervals.Event) (missing bool) {
	taken := map[string]bool{}
	for _, i := range mine {
		if ends[i].target != "" {
			taken[ends[i].target] = true
		}
	}
	for _, i := range mine {
		if ends[i].target != "" {
			continue
		}
		free := slices.DeleteFunc(slices.Clone(list), func(e intervals.Event) bool { return e.ID() == 0 || taken[digits(e.ID())] })
		now, ok := objects[i].among(free)
		if !ok {
			missing = true
			continue
		}
		ends[i].target = now.Str("id")
		taken[ends[i].target] = true
	}
	return missing
}

// list reads the days on which some of the objects lie, before and after.
func (s *session) list(ctx context.Context, objects []Object, mine []int) ([]intervals.Event, error) {
	from, to := "9999-12-31", "0000-01-01"
	for _, i := range mine {
		o := objects[i]
		for _, day := range []string{dayOf(o.Before.Str("start_date_local")), dayOf(text(o.Patch["start_date_local"]))} {
			if day != "" {
				from, to = min(from, day), max(to, day)
			}
		}
	}
	if from > to {
		return nil, nil
	}
	return s.call.Client.Events(ctx, s.call.Athlete, from, to)
}

// findAll reads what stands of objects, in their order; the empty object where
// there is nothing. Many events are read by one list.
func (s *session) findAll(ctx context.Context, objects []Object) ([]intervals.Object, error) {
	out := make([]intervals.Object, len(objects))
	if len(objects) > 1 && onlyEvents(objects) {
		list, err := s.list(ctx, objects, all(objects))
		for i, o := range objects {
			out[i], _ = o.among(list)
		}
		return out, err
	}
	for i, o := range objects {
		at := o.platform(s.call, nil)
		var err error
		if o.Target != "" {
			out[i], err = at.read(ctx, o.Target)
		} else {
			out[i], _, err = at.find(ctx, o)
		}
		if err != nil && intervals.KindOf(err) != intervals.NotFound {
			return nil, err
		}
	}
	return out, nil
}

func all(objects []Object) []int {
	out := make([]int, len(objects))
	for i := range out {
		out[i] = i
	}
	return out
}

// readBackMany reads by one list what stands after writes that were answered.
func (s *session) readBackMany(objects []Object, ends []end, open []int) {
	if len(open) == 0 {
		return
	}
	ctx, cancel := s.looking()
	list, err := s.list(ctx, objects, open)
	cancel()
	for _, i := range open {
		o := objects[i]
		o.Target = ends[i].target
		now, ok := o.among(list)
		if (err != nil || !ok) && ends[i].odd {
			ends[i] = ends[i].unknown(errOddAnswer, "What stands could not be read either. Read it before repeating the call.")
			continue
		}
		if err != nil || !ok {
			ends[i].warnings = append(ends[i].warnings, "event "+o.Target+" could not be read back; look at it to be sure.")
			continue
		}
		ends[i] = s.finish(o.platform(s.call, s.w), objects[i], ends[i], now)
	}
}

// removeMany deletes events in one request by their ids, then lists what is
// left; after a lost answer it sends what is left once more, since deleting by
// id twice harms nobody.
func (s *session) removeMany(ctx context.Context, objects []Object, ends []end) {
	mine := which(objects, Delete)
	if len(mine) == 0 || ctx.Err() != nil {
		return
	}
	left := make([]int64, 0, len(mine))
	for _, i := range mine {
		left, ends[i].target = append(left, number(objects[i].Target)), objects[i].Target
	}
	pending := false // an earlier request may still arrive
	for attempt := 0; ; attempt++ {
		s.step("send")
		n, err := s.w.DeleteEvents(ctx, s.call.Athlete, left)
		s.step("sent")
		look, cancel := s.looking()
		list, lookErr := s.list(look, objects, mine)
		cancel()
		if err == nil && lookErr != nil && n != int64(len(left)) { // neither the answer nor a look tells
			err = &intervals.Error{Op: "delete events", Kind: intervals.BadBody, Status: 200, Reason: "the answer does not say what was deleted", MaybeApplied: true}
		}
		left = left[:0:0]
		for _, i := range mine {
			ends[i] = removed(objects[i], list, err, lookErr, pending)
			if ends[i].status != audit.Applied {
				left = append(left, number(objects[i].Target))
			}
		}
		if len(left) == 0 || !maybe(err) || lookErr != nil || attempt > 0 || ctx.Err() != nil {
			return
		}
		pending = pending || !refusedForSure(err)
	}
}

// removed judges one delete of many: err is the request's, lookErr that of the
// list of what is left, pending tells that an earlier request may still arrive.
func removed(o Object, list []intervals.Event, err, lookErr error, pending bool) end {
	_, there := o.among(list)
	d := end{target: o.Target, upstream: statusOf(err), pending: pending}
	switch {
	case lookErr != nil && err == nil:
		d.status = audit.Applied
		d.warnings = []string{"it could not be read back whether event " + o.Target + " is gone."}
	case lookErr != nil && maybe(err):
		return d.unknown(err, "What stands could not be read. List the range before repeating the call.")
	case lookErr == nil && !there:
		d.status = audit.Applied
	case err == nil:
		return d.fail(errors.New("still there"), "Intervals.icu accepted the request, but event "+o.Target+" is still there.")
	case maybe(err) && !refusedForSure(err):
		return d.unknown(err, "It was still there a moment later. List the range before repeating the call.")
	default:
		return d.refused(err)
	}
	return d
}
