package change

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// reversal is what is to be done with one object.
type reversal struct {
	Object
	expect  intervals.Object // the state in which the changes left it
	only    []string         // nil = expect is the whole state; else just these keys of it are known
	paired  []string         // activities paired with it when they were made
	baseOK  bool             // paired is known
	now     intervals.Object // the present state
	wasNote string           // what the deleted one cannot get back
	was     string           // of a deleted one: its id
	over    *reversal        // of a created one: what takes back what was changed of it since
}

// reverse adds what takes one change back.
func (u *undoing) reverse(t told) error {
	for _, o := range t.objects {
		status := o.status()
		if status == audit.Failed {
			continue
		}
		plan := o.object()
		if status == audit.Unknown {
			s := &session{ctx: u.ctx, call: u.call}
			found, now, err := s.stands(plan)
			if err != nil {
				return err
			}
			if found != audit.Applied {
				u.skipped = append(u.skipped, fmt.Sprintf("%s %s: what was meant does not stand, so there is nothing to take back.", plan.Kind, plan.name()))
				continue
			}
			if plan.Target == "" {
				plan.Target = now.Str("id")
			}
		}
		if plan.Kind == MessageKind {
			return refused("Undo: "+t.head.Summary, "a comment cannot be taken back: others may have read it, and Intervals.icu lets nobody delete it here.")
		}
		if err := u.add(plan, o); err != nil {
			return err
		}
	}
	return nil
}

// add takes the reverse of one object of a change into what is known so far,
// which is about newer changes.
func (u *undoing) add(done Object, o toldObject) error {
	target := u.present(done.Target)
	key := string(done.Kind) + "/" + target
	newer := u.steps[key]
	r := &reversal{expect: o.after(), paired: o.outcome.Paired, baseOK: done.PairingRead || done.Action == Create}
	if len(o.outcome.After) == 0 {
		r.only = slices.DeleteFunc(slices.Sorted(maps.Keys(done.Patch)), func(key string) bool { return key == "uid" }) // notes get another one
	}
	isStep, err := true, error(nil)
	switch done.Action {
	case Create:
		r.Object = Object{Kind: done.Kind, Action: Delete, Target: target, Parent: done.Parent, Replaces: done.Replaces}
		r.over = newer
		if newer != nil && newer.Action == Create { // made and deleted since: nothing is left of it
			u.drop(key)
			isStep = false
		}
	case Update:
		isStep = r.changeBack(done, o, target, newer)
	case Delete:
		isStep, err = u.bringBack(r, done, target, newer)
	}
	if err != nil || !isStep {
		return err
	}
	if newer != nil { // the newest change left the state that is expected
		r.expect, r.only, r.paired, r.baseOK = newer.expect, newer.only, newer.paired, newer.baseOK
	} else {
		u.order = append(u.order, key)
	}
	u.steps[key] = r
	return nil
}

// changeBack makes r the reverse of an update. It reports whether that is a step
// of its own: it is not where a newer one creates the object again, which then
// gets the values of before.
func (r *reversal) changeBack(done Object, o toldObject, target string, newer *reversal) bool {
	back := done.reverse()
	back.Target, back.Paired, back.PairingRead = target, done.Paired, done.PairingRead
	if r.paired == nil {
		r.paired = done.Paired
	}
	if !r.baseOK {
		r.baseOK = dayOf(r.expect.Str("start_date_local")) > o.intent.Time.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	}
	if newer != nil && newer.Action == Create {
		newer.overlay(back)
		return false
	}
	if newer != nil {
		back.merge(newer.Object)
	}
	r.Object = back
	return true
}

// bringBack makes r the reverse of a deletion. It reports whether that is a step
// of its own: it is not where the object was brought back already.
func (u *undoing) bringBack(r *reversal, done Object, target string, newer *reversal) (bool, error) {
	key := string(done.Kind) + "/" + target
	if newer != nil && newer.Action == Delete && newer.Replaces == done.Target {
		// It was brought back by one of them, and that is undone: what it is
		// now stays, but for what was changed of it since.
		if u.drop(key); newer.over != nil {
			u.steps[key], u.order = newer.over, append(u.order, key)
		}
		return false, nil
	}
	back := newer != nil
	if !back && target != done.Target {
		var err error
		if back, err = u.isThere(done.Kind, target); err != nil {
			return false, err
		}
	}
	if back { // what stands for it is what older changes are taken back of
		u.skipped = append(u.skipped, broughtBack(done, target))
		return false, nil
	}
	r.Object = recreation(done.Kind, done.Before)
	// Where it was brought back and that one was deleted too, this stands for
	// both.
	r.Target, r.Replaces, r.Pair, r.was, r.wasNote = "", target, done.Paired, done.Target, done.Undoable
	return true, nil
}

// isThere reads whether what was brought back for a deleted object stands.
func (u *undoing) isThere(kind Kind, id string) (bool, error) {
	_, err := Object{Kind: kind}.platform(u.call, nil).read(u.ctx, id)
	if intervals.KindOf(err) == intervals.NotFound {
		return false, nil
	}
	return err == nil, err
}

func broughtBack(o Object, as string) string {
	return fmt.Sprintf("%s %s was brought back already, as %s.", o.Kind, o.Target, as)
}

func (u *undoing) drop(key string) {
	delete(u.steps, key)
	u.order = slices.DeleteFunc(u.order, func(k string) bool { return k == key })
}

// merge adds to an older reversal the keys that only the newer one has.
func (o *Object) merge(newer Object) {
	if !o.PairingRead && newer.PairingRead { // only that one parted it from its activity
		o.Paired, o.PairingRead = newer.Paired, true
	}
	for key, v := range newer.Patch {
		if _, mine := o.Patch[key]; mine {
			continue
		}
		none := contains(newer.Cleared, key)
		if old, ok := o.Figures[key]; ok { // older than that one
			if v, none = old, old == nil; none {
				v = clearing(key)
			}
		}
		if o.Patch[key] = v; none {
			o.Cleared = append(o.Cleared, key)
		}
	}
	slices.Sort(o.Cleared)
	if o.Figures == nil && newer.Figures != nil {
		o.Figures = maps.Clone(newer.Figures)
		for key, v := range o.Patch { // those that this one knows are older
			o.setFigure(key, v, contains(o.Cleared, key))
		}
	}
}

// overlay gives a re-creation the values of before an older update.
func (o *Object) overlay(back Object) {
	if back.PairingRead { // it was parted from its activity before it was deleted
		o.Pair = back.Paired
	}
	if back.Figures != nil {
		o.Figures = maps.Clone(back.Figures)
		for key, v := range o.Figures {
			if o.Patch[key] = v; v == nil {
				delete(o.Patch, key)
			}
		}
	}
	if from, to := text(o.Patch["start_date_local"]), text(back.Patch["start_date_local"]); to != "" { // the end moves along
		if end := text(o.Patch["end_date_local"]); end != "" {
			o.Patch["end_date_local"] = training.AddDays(dayOf(end), training.DaysBetween(dayOf(from), dayOf(to))) + strings.TrimPrefix(end, dayOf(end))
		}
	}
	for key, v := range back.Patch {
		none := contains(back.Cleared, key)
		switch {
		case none:
			delete(o.Patch, key)
		case !isNotKept(v):
			o.Patch[key] = v
		}
		o.setFigure(key, v, none)
	}
}
