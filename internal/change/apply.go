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

// session is one change on its way to the platform.
type session struct {
	ctx  context.Context // of the call
	call Call
	w    *intervals.Writer
	id   audit.ID // of the change
	step func(next string)
}

// platform is how one kind of object is read and written.
type platform interface {
	create(ctx context.Context, p intervals.Patch) (intervals.Object, error)
	read(ctx context.Context, id string) (intervals.Object, error)
	update(ctx context.Context, id string, p intervals.Patch) error
	remove(ctx context.Context, id string) error
	// find looks for what a create made when its answer was lost.
	find(ctx context.Context, o Object) (intervals.Object, bool, error)
	// check compares what stands with what was meant. It may mend it, and
	// gives what is to be said; failed means that the old state was put back.
	check(ctx context.Context, o Object, now intervals.Object) (state intervals.Object, warnings []string, workout *Workout, failed string)
}

// platform makes the way to an object's kind.
func (o Object) platform(c Call, w *intervals.Writer) platform {
	switch o.Kind {
	case MessageKind:
		return messages{c.Client, w, o.Parent}
	case ItemKind:
		return items{c.Client, w, c.Athlete}
	}
	return events{c.Client, w, c.Athlete}
}

// run applies objects, all or nothing as far as the platform allows: it stops
// where one is not done, and takes back what was.
func (s *session) run(objects []Object) []end {
	ends := make([]end, len(objects))
	ctx, cancel := s.sending(len(objects))
	defer cancel()
	if err := ctx.Err(); err != nil {
		ends[0] = end{target: objects[0].Target}.fail(err, "The call was over before anything was sent. Nothing was written.")
		return ends
	}
	if len(objects) > 1 && onlyEvents(objects) {
		s.runEvents(ctx, objects, ends)
	} else {
		s.runEach(ctx, objects, ends)
	}
	for i, o := range objects {
		if ends[i].status == audit.Applied {
			s.pair(ctx, o, &ends[i])
		}
	}
	if len(objects) > 1 && slices.ContainsFunc(ends, func(d end) bool { return d.status != audit.Applied }) {
		s.rollBack(objects, ends)
	}
	return ends
}

// runEach applies objects one after the other.
func (s *session) runEach(ctx context.Context, objects []Object, ends []end) {
	for i, o := range objects {
		if i > 0 && ctx.Err() != nil {
			return // there is just time to take back what was done
		}
		s.step("send")
		at := o.platform(s.call, s.w)
		switch o.Action {
		case Create:
			ends[i] = s.create(ctx, at, o)
		case Update:
			ends[i] = s.update(ctx, at, o)
		case Delete:
			ends[i] = s.remove(ctx, at, o)
		}
		s.step("sent")
		if ends[i].status != audit.Applied {
			return
		}
	}
}

// sending is the time in which requests may be sent: a part of the call's time
// is kept for finding out what a lost answer meant and, with many objects, for
// taking back what was done.
func (s *session) sending(objects int) (context.Context, context.CancelFunc) {
	deadline, ok := s.ctx.Deadline()
	if !ok {
		return context.WithCancel(s.ctx)
	}
	left := time.Until(deadline)
	reserve := min(5*time.Second, left/3)
	if objects > 1 {
		reserve = min(12*time.Second, left/2)
	}
	return context.WithDeadline(s.ctx, deadline.Add(-reserve))
}

// looking is the time in which to find out, also after the caller has gone.
func (s *session) looking() (context.Context, context.CancelFunc) {
	left := 4 * time.Second
	if deadline, ok := s.ctx.Deadline(); ok {
		left = max(min(left, time.Until(deadline)), time.Second)
	}
	return context.WithTimeout(context.WithoutCancel(s.ctx), left)
}

func (s *session) create(ctx context.Context, at platform, o Object) end {
	if o.Made != "" {
		look, cancel := s.looking()
		defer cancel()
		return s.readBack(look, at, o, madeAlready(o))
	}
	made, err := at.create(ctx, o.Patch)
	d := end{upstream: statusOf(err)}
	if o.isAnswer(made) {
		d.target = made.Str("id")
	}
	look, cancel := s.looking()
	defer cancel()
	if err != nil && !maybe(err) {
		return d.fail(err, "")
	}
	if err != nil || d.target == "" {
		found, ok, lookErr := at.find(look, o)
		switch {
		case ok:
			d.target = found.Str("id")
			d.warn(err, "the answer of Intervals.icu was lost, but it is there.")
		case lookErr == nil && refusedForSure(err):
			return d.fail(err, "")
		default:
			return d.unknown(err, o.lookAgain())
		}
	}
	return s.readBack(look, at, o, d)
}

func madeAlready(o Object) end {
	return end{target: o.Made, warnings: []string{fmt.Sprintf("%s %s was made by an equal call before, whose answer was lost.", o.Kind, o.Made)}}
}

// lookAgain is the next step after a create of which nobody knows whether it
// came to be. Only sessions have a name of their own by which the platform
// knows them again.
func (o Object) lookAgain() string {
	if o.Kind == EventKind && trained(o.Patch["category"]) {
		return "It was not there when looked for a moment later. Look again before repeating the call; repeating it unchanged within 10 minutes makes no second one."
	}
	return "It was not there when looked for a moment later, but may still arrive. Wait a minute and look again before repeating the call; then repeating it unchanged within 10 minutes makes no second one."
}

// isAnswer reports whether a create was answered with what it made: an answer
// of another shape says nothing, and what was made has to be looked for.
func (o Object) isAnswer(made intervals.Object) bool {
	switch {
	case made.Str("id") == "":
		return false
	case o.Kind == MessageKind: // answered with no more than an id
		return true
	case o.Kind == EventKind && trained(o.Patch["category"]):
		return made.Str("uid") == text(o.Patch["uid"])
	}
	return sameValue("name", o.Patch["name"], made.Value("name"))
}

func (s *session) update(ctx context.Context, at platform, o Object) end {
	d, settled := s.put(ctx, at, o)
	if settled {
		return d
	}
	look, cancel := s.looking()
	defer cancel()
	return s.readBack(look, at, o, d)
}

// put sends an update. Where the answer was clear and good it is not settled
// yet: what stands has to be read back.
func (s *session) put(ctx context.Context, at platform, o Object) (d end, settled bool) {
	d = end{target: o.Target}
	for attempt := 0; ; attempt++ {
		err := at.update(ctx, o.Target, o.Patch)
		if d.odd = errors.Is(err, errOddAnswer); d.odd {
			err = nil
		}
		d.upstream = statusOf(err)
		switch {
		case err == nil:
			d.status = audit.Applied
			return d, false
		case !maybe(err):
			return d.refused(err), true
		}
		now, there := s.look(at, o.Target)
		switch {
		case !there.known:
			return d.unknown(err, "What stands could not be read either. Read it before repeating the call."), true
		case o.done(now):
			d.warn(err, "the answer of Intervals.icu was lost, but the change is there.")
			return s.finish(at, o, d, now), true
		case !there.exists || !o.untouched(now):
			return d.unknown(err, "What stands now is neither the old nor the new state. Read it before repeating the call."), true
		}
		d.pending = d.pending || !refusedForSure(err)
		if attempt == 0 && ctx.Err() == nil {
			continue // the old state stands: once more
		}
		d.state = now
		if d.pending {
			return d.unknown(err, "The old state stood when read a moment later. Read it again before repeating the call."), true
		}
		return d.fail(err, ""), true
	}
}

// refused is the end of an object whose request was refused; unless an earlier
// one, whose answer was lost, may still arrive.
func (d end) refused(err error) end {
	if d.pending {
		return d.unknown(err, "An earlier request of this call was not answered and may still arrive. Look again before repeating the call.")
	}
	return d.fail(err, "")
}

func (s *session) remove(ctx context.Context, at platform, o Object) end {
	d := end{target: o.Target}
	lost := false
	for attempt := 0; ; attempt++ {
		err := at.remove(ctx, o.Target)
		d.upstream = statusOf(err)
		gone := intervals.KindOf(err) == intervals.NotFound
		switch {
		case gone && lost: // 404 after our own lost answer: it was done
			d.status, d.pending = audit.Applied, false
			return d
		case gone:
			return d.fail(err, "It was gone already: somebody else deleted it in between.")
		case err != nil && !maybe(err):
			return d.refused(err)
		}
		now, there := s.look(at, o.Target)
		switch {
		case there.known && !there.exists:
			d.status, d.pending = audit.Applied, false
			d.warn(err, "the answer of Intervals.icu was lost, but it is gone.")
			return d
		case !there.known && err == nil:
			d.status = audit.Applied
			d.warnings = append(d.warnings, "it could not be read back whether it is gone.")
			return d
		case err == nil:
			d.state = now
			return d.fail(errors.New("it is still there"), "Intervals.icu accepted the request, but it is still there.")
		}
		d.state = now
		d.pending = d.pending || !there.known || !refusedForSure(err)
		if there.known && attempt == 0 && ctx.Err() == nil {
			lost = true
			continue // still there: deleting by id again harms nobody
		}
		if d.pending {
			return d.unknown(err, "Look whether it is still there before repeating the call.")
		}
		return d.fail(err, "")
	}
}

// presence is what a look found.
type presence struct{ known, exists bool }

func (s *session) look(at platform, id string) (intervals.Object, presence) {
	ctx, cancel := s.looking()
	defer cancel()
	now, err := at.read(ctx, id)
	switch {
	case err == nil:
		return now, presence{true, true}
	case intervals.KindOf(err) == intervals.NotFound:
		return intervals.Object{}, presence{true, false}
	}
	return intervals.Object{}, presence{}
}

// readBack reads what stands after a write that was answered.
func (s *session) readBack(ctx context.Context, at platform, o Object, d end) end {
	now, err := at.read(ctx, d.target)
	if err != nil && d.odd {
		return d.unknown(errOddAnswer, "What stands could not be read either. Read it before repeating the call.")
	}
	if err != nil {
		d.status = audit.Applied
		d.warnings = append(d.warnings, "it could not be read back ("+intervals.KindOf(err).String()+"); look at it to be sure.")
		return d
	}
	return s.finish(at, o, d, now)
}

func (s *session) finish(at platform, o Object, d end, now intervals.Object) end {
	ctx, cancel := s.looking()
	defer cancel()
	if o.ignored(now) {
		d.state = now
		return d.fail(errors.New("nothing changed"), "Intervals.icu accepted the request, but nothing changed: the old state stands.")
	}
	state, warnings, workout, failed := at.check(ctx, o, now)
	d.status, d.state, d.workout = audit.Applied, state, workout
	d.warnings = append(d.warnings, warnings...)
	if failed == backUnknown {
		return d.unknown(errors.New("the old text may stand or the new one"), failed)
	}
	if failed != "" && d.pending {
		return d.unknown(errors.New("an earlier request of this call was not answered and may still arrive"), failed)
	}
	if failed != "" {
		return d.fail(errors.New("the old state was put back"), failed)
	}
	return d
}
