package change

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// Undo takes back changes of the audit log: what was created is deleted, what
// was deleted is created again with a new id, what was changed gets its old
// values. It is a change like any other, so it can be undone too.
type Undo struct {
	IDs   []audit.ID
	User  string // whose changes; "" = the caller's
	Today string // the athlete's local day
}

// MaxUndo is how many changes are undone at once.
const MaxUndo = 50

// clockSkew is how far the clocks of two processes may be apart: what came
// after a change may carry an earlier time.
const clockSkew = time.Hour

// Plan implements Planner. Several changes are taken back as one: where they
// touched the same object, only the difference to its state before the oldest
// of them is made.
func (w Undo) Plan(ctx context.Context, c Call) (Plan, error) {
	if len(w.IDs) == 0 || len(w.IDs) > MaxUndo {
		return Plan{}, refused("Undo", "1 to %d changes can be undone at once, by their change_id. list_changes lists them.", MaxUndo)
	}
	u := &undoing{Undo: w, ctx: ctx, call: c, steps: map[string]*reversal{}}
	if u.User == "" {
		u.User = c.Identity.User
	}
	if err := u.readLog(); err != nil {
		return Plan{}, err
	}
	if n := len(u.order); n > MaxObjects {
		return Plan{}, refused(fmt.Sprintf("Undo %d changes", len(u.heads)), "they are about %d objects; at most %d can be changed at once. Undo them in parts, the newest first.", n, MaxObjects)
	}
	if err := u.readPresent(); err != nil {
		return Plan{}, err
	}
	return u.plan()
}

// undoing is one Undo being planned.
type undoing struct {
	Undo
	ctx     context.Context
	call    Call
	heads   []audit.Item      // of the changes, newest first
	links   map[string]string // old id -> id of the object that stands for it
	undone  map[audit.ID]audit.ID
	steps   map[string]*reversal // by kind and present id
	order   []string
	skipped []string
	lost    []string // of skipped: what somebody else deleted, so that it cannot be changed back
	paired  map[int64][]string
	pairErr error
	byDay   map[string][]intervals.Event
}

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

// readLog reads the changes and what they come to when taken back together.
func (u *undoing) readLog() error {
	ids := slices.SortedFunc(slices.Values(u.IDs), func(a, b audit.ID) int { return b.Time.Compare(a.Time) })
	ids = slices.Compact(ids)
	var all []told
	for _, id := range ids {
		items, err := u.call.log.Change(u.ctx, u.User, id)
		if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
		t := tell(items)
		if !t.begun() {
			return refused("Undo "+id.String(), "there is no change %s of yours in the audit log. list_changes lists them.", id)
		}
		if !t.done && u.call.now().Sub(id.Time) < runTime {
			return refused("Undo: "+t.head.Summary, "change %s may still be running. Ask again in two minutes.", id)
		}
		if t.head.Athlete != u.call.Athlete {
			return refused("Undo: "+t.head.Summary, "change %s is about athlete %s, another one. Undo the changes of one athlete at a time.", id, t.head.Athlete)
		}
		all, u.heads = append(all, t), append(u.heads, t.head)
	}
	if err := u.readLinks(ids[len(ids)-1].Time); err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	for _, t := range all {
		if err := u.reverse(t); err != nil {
			return err
		}
	}
	return nil
}

// readLinks learns from the changes since then which objects stand for deleted
// ones, and which changes were undone already.
func (u *undoing) readLinks(since time.Time) error {
	u.links, u.undone = map[string]string{}, map[audit.ID]audit.ID{}
	since = since.Add(-clockSkew)
	for _, q := range []audit.Query{{User: u.User, From: since}, {User: u.call.Identity.User, From: since}, {Athlete: u.call.Athlete, From: since}} {
		for h, err := range audit.Changes(u.ctx, u.call.log, q) {
			if err != nil {
				return err
			}
			if h.Athlete != u.call.Athlete {
				continue
			}
			maps.Copy(u.links, h.Links)
			if h.Status == audit.Applied {
				for _, id := range h.Undoes {
					u.undone[id] = h.Change
				}
			}
		}
	}
	return nil
}

// present follows the links to the object that now stands for an id.
func (u *undoing) present(id string) string {
	for range 1000 { // a bound, should the log hold a circle
		next, ok := u.links[id]
		if !ok {
			break
		}
		id = next
	}
	return id
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
	after := o.after()
	r := &reversal{expect: after, paired: o.outcome.Paired, baseOK: done.PairingRead || done.Action == Create}
	if len(o.outcome.After) == 0 {
		r.only = slices.DeleteFunc(slices.Sorted(maps.Keys(done.Patch)), func(key string) bool { return key == "uid" }) // notes get another one
	}
	switch done.Action {
	case Create:
		r.Object = Object{Kind: done.Kind, Action: Delete, Target: target, Parent: done.Parent, Replaces: done.Replaces}
		r.over = newer
		if newer != nil && newer.Action == Create { // made and deleted since: nothing is left of it
			u.drop(key)
			return nil
		}
	case Update:
		back := done.reverse()
		back.Target, back.Paired, back.PairingRead = target, done.Paired, done.PairingRead
		if r.paired == nil {
			r.paired = done.Paired
		}
		if !r.baseOK {
			r.baseOK = dayOf(after.Str("start_date_local")) > o.intent.Time.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
		}
		r.Object = back
		if newer != nil && newer.Action == Create {
			newer.overlay(back)
			return nil
		}
		if newer != nil {
			back.merge(newer.Object)
			r.Object = back
		}
	case Delete:
		if newer != nil && newer.Action == Delete && newer.Replaces == done.Target {
			// It was brought back by one of them, and that is undone: what it is
			// now stays, but for what was changed of it since.
			if u.drop(key); newer.over != nil {
				u.steps[key], u.order = newer.over, append(u.order, key)
			}
			return nil
		}
		back := newer != nil
		if !back && target != done.Target {
			var err error
			if back, err = u.isThere(done.Kind, target); err != nil {
				return err
			}
		}
		if back { // what stands for it is what older changes are taken back of
			u.skipped = append(u.skipped, broughtBack(done, target))
			return nil
		}
		r.Object = recreation(done.Kind, done.Before)
		// Where it was brought back and that one was deleted too, this stands
		// for both.
		r.Target, r.Replaces, r.Pair, r.was, r.wasNote = "", target, done.Paired, done.Target, done.Undoable
	}
	if newer != nil { // the newest change left the state that is expected
		r.expect, r.only, r.paired, r.baseOK = newer.expect, newer.only, newer.paired, newer.baseOK
	} else {
		u.order = append(u.order, key)
	}
	u.steps[key] = r
	return nil
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

// readPresent reads what stands now.
func (u *undoing) readPresent() error {
	from, to := u.days()
	if from <= to && u.wantsList() {
		list, err := u.call.Client.Events(u.ctx, u.call.Athlete, from, to)
		if err != nil {
			return err
		}
		u.byDay = map[string][]intervals.Event{}
		for _, e := range list {
			u.byDay[e.Day()] = append(u.byDay[e.Day()], e)
			if r := u.steps[string(EventKind)+"/"+digits(e.ID())]; r != nil && r.Action != Create {
				r.now = e.Object
			}
		}
	}
	for _, key := range u.order {
		r := u.steps[key]
		if r.Target == "" || r.now.Len() > 0 {
			continue
		}
		now, err := r.platform(u.call, nil).read(u.ctx, r.Target)
		if err != nil && intervals.KindOf(err) != intervals.NotFound {
			return err
		}
		if err == nil {
			r.now = now
		}
	}
	if from, to = u.days(); from <= to { // where they lie now, too
		u.paired, u.pairErr = pairings(u.ctx, u.call, from, to, u.Today)
	}
	return nil
}

// wantsList reports whether a list of days is worth its request: for several
// events, and for what is created again.
func (u *undoing) wantsList() bool {
	events := 0
	for _, r := range u.steps {
		if r.Kind == EventKind {
			if r.Action == Create {
				return true
			}
			events++
		}
	}
	return events > 1
}

// days are the days on which the events lie.
func (u *undoing) days() (from, to string) {
	from, to = "9999-12-31", "0000-01-01"
	for _, r := range u.steps {
		for _, start := range []string{r.expect.Str("start_date_local"), text(r.Patch["start_date_local"]), r.now.Str("start_date_local")} {
			if day := dayOf(start); r.Kind == EventKind && day != "" {
				from, to = min(from, day), max(to, day)
			}
		}
	}
	return from, to
}

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
