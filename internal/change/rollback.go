package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// backTime is how long taking back may go on after the caller has gone, where
// the call has no deadline of its own.
const backTime = 12 * time.Second

// rollBack takes back what was done of a change that failed, the newest first.
// What cannot be taken back stays marked as applied, and that is said.
func (s *session) rollBack(objects []Object, ends []end) {
	ctx, cancel := s.backing()
	defer cancel()
	s.step("roll back")
	if made := applied(objects, ends, Create); len(made) > 1 && onlyEvents(objects) {
		s.takeBackCreated(ctx, objects, ends, made)
	}
	for i, o := range slices.Backward(objects) {
		if ends[i].status != audit.Applied {
			continue
		}
		s.step("send back")
		at := o.platform(s.call, s.w)
		var err error
		switch o.Action {
		case Create:
			err = s.unmake(ctx, at, o, &ends[i])
		case Update:
			err = s.restore(ctx, at, o, &ends[i])
		case Delete:
			err = s.makeAgain(ctx, at, o, i, &ends[i])
		}
		var open *openEnd
		if errors.As(err, &open) {
			ends[i] = ends[i].unknown(err, "It was done, and whether it could be taken back is not known. Read it before going on.")
			continue
		}
		if err != nil {
			ends[i].warnings = append(ends[i].warnings, fmt.Sprintf("%s %s could not be taken back (%s): it stands as changed.", o.Kind, ends[i].target, cut(err.Error(), 150)))
			continue
		}
		ends[i] = ends[i].takenBack()
	}
}

// openEnd is the error of taking back whose own end nobody knows.
type openEnd struct{ error }

// undone is the error of an object that takes another one back.
func (d end) undone() error {
	switch d.status {
	case audit.Applied:
		return nil
	case audit.Unknown:
		return &openEnd{d.err}
	}
	return d.err
}

func (d end) takenBack() end {
	d.status, d.back, d.workout = audit.Failed, true, nil
	if d.pending {
		d.back = false
		return d.unknown(errors.New("an earlier request was not answered"), "It was done and taken back, but that request may still arrive. Read it before going on.")
	}
	return d
}

func applied(objects []Object, ends []end, a Action) []int {
	return slices.DeleteFunc(which(objects, a), func(i int) bool { return ends[i].status != audit.Applied })
}

func (s *session) backing() (context.Context, context.CancelFunc) {
	left := backTime
	if deadline, ok := s.ctx.Deadline(); ok {
		left = max(time.Until(deadline), time.Second)
	}
	return context.WithTimeout(context.WithoutCancel(s.ctx), left)
}

// takeBackCreated deletes the events that were made, in one request.
func (s *session) takeBackCreated(ctx context.Context, objects []Object, ends []end, made []int) {
	gone := make([]Object, len(made))
	for n, i := range made {
		gone[n] = Object{Kind: EventKind, Action: Delete, Target: ends[i].target, Before: ends[i].state}
		if ends[i].state.Len() == 0 { // it could not be read back: the day is the one that was meant
			gone[n].Patch = intervals.Patch{"start_date_local": objects[i].Patch["start_date_local"]}
		}
	}
	back := make([]end, len(gone))
	s.removeMany(ctx, gone, back)
	for n, i := range made {
		if back[n].status == audit.Applied {
			ends[i].state = intervals.Object{}
			ends[i] = ends[i].takenBack()
		}
	}
}

func (s *session) unmake(ctx context.Context, at platform, o Object, d *end) error {
	back := s.remove(ctx, at, Object{Kind: o.Kind, Action: Delete, Target: d.target})
	if back.status == audit.Applied {
		d.state = intervals.Object{}
	}
	return back.undone()
}

// restore writes the old values of every field that the change touched.
func (s *session) restore(ctx context.Context, at platform, o Object, d *end) error {
	old := o.reverse()
	if old.Before = d.state; d.state.Len() == 0 { // it could not be read back: what was meant
		old.Before = objectOf(canonical(o.Patch))
	}
	back := s.update(ctx, at, old)
	if back.status != audit.Applied {
		return back.undone()
	}
	if wrong := old.differences(back.state); back.state.Len() > 0 && len(wrong) > 0 {
		return errors.New(wrong[0])
	}
	d.state = back.state
	return nil
}

// reverse is the update that writes back what an update changed.
func (o Object) reverse() Object {
	old := Object{Kind: o.Kind, Action: Update, Target: o.Target, Patch: intervals.Patch{}, Back: true}
	for key := range o.Patch {
		v := o.Before.Value(key)
		switch {
		case key == "description" && v == nil && o.Before.Has("workout_doc"): // its steps came from a file, not from text
			old.Patch["workout_doc"] = o.Before.Value("workout_doc")
		case !isNone(key, v) || v == false:
			old.Patch[key] = v
		default:
			old.Patch[key] = clearing(key)
			old.Cleared = append(old.Cleared, key)
		}
	}
	slices.Sort(old.Cleared)
	old.figures(o.Before)
	return old
}

// makeAgain creates what was deleted. It is the old object but for its id and
// creator.
func (s *session) makeAgain(ctx context.Context, at platform, o Object, n int, d *end) error {
	again := recreation(o.Kind, o.Before)
	if o.Kind == EventKind {
		again.Patch["uid"] = uid(s.id, MaxObjects+n) // not one of those that the change itself gives
	}
	back := s.create(ctx, at, again)
	if back.status != audit.Applied {
		return back.undone()
	}
	d.old, d.target, d.state = o.Target, back.target, back.state
	d.warnings = append(d.warnings, fmt.Sprintf("%s %s was deleted and made again as %s.", o.Kind, o.Target, back.target))
	again.Pair = o.Paired
	s.pair(ctx, again, d)
	return nil
}

// recreation is the create that brings back a deleted object: all writable
// fields that can be kept, edit flags among them, so that they hold from the
// first request on. Copies drop what names the old one (safety.md 7).
func recreation(kind Kind, before valued) Object {
	o := Object{Kind: kind, Action: Create, Patch: intervals.Patch{}}
	keys := writable(kind)
	if kind == EventKind {
		keys = append(slices.Clone(keys), "workout_doc")
	}
	for _, key := range keys {
		v := before.Value(key)
		switch {
		case v == nil, key == "uid", key == "external_id":
		case key == "workout_doc" && before.Value("description") != nil: // the text says it
		case isNotKept(v):
		default:
			o.Patch[key] = v
		}
	}
	if kind == EventKind && trained(before.Value("category")) {
		o.Figures = figuresOf(before)
	}
	return o
}

// isNotKept reports a value that was too large for the audit log.
func isNotKept(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	_, cut := m["_not_kept_bytes"]
	return cut
}

// isPaired looks whether an activity is paired with an event.
func (s *session) isPaired(activity, event string) bool {
	ctx, cancel := s.looking()
	defer cancel()
	a, err := s.call.Client.Activity(ctx, activity)
	with, paired := a.Int("paired_event_id")
	return err == nil && paired && digits(with) == event
}

// pair pairs activities with an event again, and says which could not be.
func (s *session) pair(ctx context.Context, o Object, d *end) {
	for _, activity := range o.Pair {
		a, err := s.call.Client.Activity(ctx, activity)
		owner := a.Str("icu_athlete_id")
		other, paired := a.Int("paired_event_id")
		switch {
		case err == nil && owner != "" && owner != s.call.Athlete:
			err = errors.New("it is another athlete's")
		case err == nil && paired && digits(other) == d.target:
			d.paired = append(d.paired, activity)
			continue
		case err == nil && paired:
			err = fmt.Errorf("it is paired with event %d now", other)
		case err == nil:
			s.step("send")
			err = s.w.PairActivity(ctx, activity, number(d.target))
			s.step("sent")
			if maybe(err) && s.isPaired(activity, d.target) {
				err = nil
			}
		}
		if err != nil {
			d.warnings = append(d.warnings, fmt.Sprintf("activity %s could not be paired with event %s (%s): pair it on the website of Intervals.icu.", cut(activity, 30), d.target, cut(err.Error(), 100)))
			continue
		}
		d.paired = append(d.paired, activity)
	}
}
