package change

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
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
