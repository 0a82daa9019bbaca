package change

import (
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/intervals"
)

// plan makes the plan of what was found.
func (u *undoing) plan() (Plan, error) {
	var p Plan
	for _, key := range u.order {
		r := u.steps[key]
		o, s, why, err := u.object(r)
		if err != nil {
			return Plan{}, err
		}
		if why != "" {
			u.skipped = append(u.skipped, why)
			continue
		}
		p.add(o, s)
	}
	p.Summary = u.words(p.Objects)
	switch {
	case len(p.Objects) == 0 && len(u.lost) > 0:
		return Plan{}, refused(p.Summary, "%s", strings.Join(u.skipped, " "))
	case len(p.Objects) == 0:
		return Plan{}, refused(p.Summary, "%s", u.nothing())
	}
	p.Warnings, p.Always = append(p.Warnings, u.skipped...), append(p.Always, u.lost...)
	for _, h := range u.heads {
		p.Undoes = append(p.Undoes, h.Change)
	}
	return p, nil
}

func (u *undoing) nothing() string {
	var by []string
	for _, h := range u.heads {
		if id, ok := u.undone[h.Change]; ok && !contains(by, id.String()) {
			by = append(by, id.String())
		}
	}
	out := "there is nothing to undo: it is as it was before."
	if len(by) > 0 {
		out = "it was undone already, by change " + strings.Join(by, ", ") + "."
	}
	return strings.Join(append([]string{out}, u.skipped...), " ")
}

// object is the planned reverse of one object; why says why there is none.
func (u *undoing) object(r *reversal) (o Object, s said, why string, err error) {
	o = r.Object
	o.Replaces = "" // of what is deleted it says nothing
	switch {
	case r.Action == Create:
		return u.again(r)
	case r.now.Len() == 0 && r.Action == Delete:
		return o, s, fmt.Sprintf("%s %s is gone already.", r.Kind, r.Target), nil
	case r.now.Len() == 0:
		why = fmt.Sprintf("%s %s no longer exists: somebody deleted it since. It cannot be changed back.", r.Kind, r.Target)
		u.lost = append(u.lost, why)
		return o, s, why, nil
	}
	now := intervals.Event{Object: r.now}
	if r.Kind == EventKind {
		if err := seeable(u.call, now, number(r.Target)); err != nil {
			return o, s, "", err
		}
		if err := u.mayUndo(r, now); err != nil {
			return o, s, "", err
		}
		s = eventSaid(u.call, now, u.Today, text(r.Patch["start_date_local"]))
	}
	if r.Action == Delete {
		if o = deletion(now); r.Kind == ItemKind {
			o = itemDeletion(r.now)
		}
	} else {
		for key := range o.Patch {
			if isNotKept(o.Patch[key]) {
				delete(o.Patch, key)
				s.warnings = append(s.warnings, fmt.Sprintf("%s was too large to be kept in the audit log and stays as it is.", key))
			}
		}
		o.Before, o.Undoable = r.now, undoableUpdate(r.Kind, r.now)
		o.Fields = difference(r.now, writable(r.Kind), o.Patch, o.Cleared)
		if len(o.Fields) == 0 {
			return o, s, fmt.Sprintf("%s %s is as it was before.", r.Kind, r.Target), nil
		}
		o.leave(r)
		if o.moves() {
			o.Pair = r.Object.Paired
		}
	}
	u.since(r, &o, &s)
	return o, s, "", nil
}

func (u *undoing) mayUndo(r *reversal, now intervals.Event) error {
	if r.Action == Delete {
		return mayTouch(u.call, "Delete", now)
	}
	return EventEdit{ID: now.ID()}.mayChange(u.call, now, r.Patch)
}

// since says what matters and has changed since, so that the undo is previewed
// whatever the setting (safety.md 7).
func (u *undoing) since(r *reversal, o *Object, s *said) {
	keys := slices.Clone(r.only)
	if keys == nil {
		keys = (&Object{Kind: r.Kind, Action: o.Action, Patch: o.Patch, Before: r.expect}).matters()
	}
	var out []string
	for _, key := range changedKeys(r.expect, r.now, keys) {
		out = append(out, fmt.Sprintf("%s was %s and is now %s", key, words(r.expect.Value(key)), words(r.now.Value(key))))
	}
	if r.Kind == EventKind && trained(r.now.Str("category")) {
		if u.pairErr != nil {
			s.warnings = append(s.warnings, "whether activities are paired with it could not be read.")
		} else {
			id := number(r.Target)
			o.Paired, o.PairingRead = u.paired[id], true
			if o.Action == Delete || o.moves() {
				for _, a := range o.Paired {
					s.warnings = append(s.warnings, fmt.Sprintf("unpairs activity %s: the session was done.", cut(a, 30)))
				}
			}
			if r.baseOK && !sameSet(o.Paired, r.paired) {
				out = append(out, fmt.Sprintf("its activities were %s and are now %s", listWords(r.paired), listWords(o.Paired)))
			}
		}
	}
	if len(out) > 0 {
		line := fmt.Sprintf("%s %s changed since: %s. This undo replaces that.", r.Kind, r.Target, strings.Join(out, "; "))
		s.always, s.warnings = append(s.always, line), append([]string{line}, s.warnings...)
	}
}

func listWords(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return cut(strings.Join(ids, ", "), 80)
}

// again plans to create what was deleted.
func (u *undoing) again(r *reversal) (o Object, s said, why string, err error) {
	o = r.Object
	o.Undoable = "yes"
	o.Fields = difference(intervals.Object{}, writable(r.Kind), o.Patch, nil)
	if r.Kind == ItemKind {
		list, err := u.call.Client.CustomItems(u.ctx, u.call.Athlete)
		if err != nil {
			return o, s, "", err
		}
		for _, i := range list {
			o.Known = append(o.Known, digits(i.ID()))
		}
	} else {
		for _, e := range u.byDay[o.day()] {
			if e.Str("uid") == uidOfReturned(r.Replaces) { // by a change whose answer was lost
				return o, s, broughtBack(Object{Kind: r.Kind, Target: r.was}, digits(e.ID())), nil
			}
			o.Known = append(o.Known, digits(e.ID()))
			if o.sameThing(e.Object) {
				o.Twins = append(o.Twins, digits(e.ID()))
			}
		}
		o.Pair = slices.DeleteFunc(slices.Clone(o.Pair), func(string) bool { return !trained(o.Patch["category"]) })
	}
	note := fmt.Sprintf("%s %s is created again: its id and creator are new.", r.Kind, r.Replaces)
	if _, loss, ok := strings.Cut(r.wasNote, "attachments"); ok {
		note += " Its attachments" + strings.TrimSuffix(strings.SplitN(loss, ",", 2)[0], ")") + "."
	}
	s.warnings = append(s.warnings, note)
	if len(o.Twins) > 0 {
		s.warnings = append(s.warnings, "an equal event is on that day already: "+strings.Join(o.Twins, ", ")+".")
	}
	return o, s, "", nil
}

// words is the summary of an undo.
func (u *undoing) words(objects []Object) string {
	if len(u.heads) == 1 {
		return "Undo: " + u.heads[0].Summary
	}
	verbs := map[Action]string{Create: "create again", Update: "change back", Delete: "delete"}
	var parts []string
	for _, a := range []Action{Create, Update, Delete} {
		if n := len(which(objects, a)); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", verbs[a], n))
		}
	}
	oldest, newest := u.heads[len(u.heads)-1].Change, u.heads[0].Change
	out := fmt.Sprintf("Undo %d changes, %s to %s", len(u.heads), oldest, newest)
	if len(parts) > 0 {
		out += ": " + strings.Join(parts, ", ")
	}
	from, to := u.days()
	if from <= to {
		out += " (events of " + spanWords(from, to) + ")"
	}
	return out
}
