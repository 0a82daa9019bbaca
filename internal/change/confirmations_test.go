package change_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/state"
)

// kind is one kind of change.
type kind struct {
	name        string
	destructive bool // by the setting of that name
	always      bool
	objects     int
	writes      int // requests
	planner     func(s *scene) change.Planner
	matters     func(s *scene) // something that matters changes
	idle        func(s *scene) // something that does not
}

func move(id int) func(*scene) {
	return func(s *scene) {
		s.other("PUT", s.event(id), map[string]any{"start_date_local": "2026-07-21T06:00:00"})
	}
}

func touch(id int) func(*scene) {
	return func(s *scene) {
		s.other("POST", "/_fake/device", map[string]any{"event_id": id, "push_errors": []any{map[string]any{"service": "GARMIN", "message": "later"}}})
	}
}

func edit(id int64, set intervals.Patch) func(*scene) change.Planner {
	return func(*scene) change.Planner { return change.EventEdit{ID: id, Today: "2026-07-15", Set: set} }
}

func note(name string) map[string]any {
	return map[string]any{"category": "NOTE", "name": name, "start_date_local": "2026-07-20T00:00:00"}
}

// undone makes a change first, and undoes it.
func undone(first func(*scene) change.Planner, then func(*scene)) func(*scene) change.Planner {
	return func(s *scene) change.Planner {
		c := s.call
		c.Identity.Confirm = identity.ConfirmNever
		r, err := s.one.Do(s.t.Context(), c, first(s))
		if err != nil || r.Status != change.Applied {
			s.t.Fatalf("%+v, %v", r, err)
		}
		s.setup = r
		if then != nil {
			then(s)
		}
		return undo(s.t, r.ChangeID)
	}
}

func newNote(*scene) change.Planner {
	return change.EventEdit{Day: "2026-07-20", Today: "2026-07-15", Set: intervals.Patch{"category": "NOTE", "name": "new"}}
}

// made is the event that the setup of an undo made.
func (s *scene) made() int {
	n, _ := intervals.Event{Object: s.setup.State}.Int("id")
	return int(n)
}

var kinds = []kind{
	{"an event is made", false, false, 1, 1, func(*scene) change.Planner { return create("new") },
		func(s *scene) {
			s.other("POST", "/api/v1/athlete/i1/events", map[string]any{"category": "WORKOUT", "type": "Ride", "name": "new", "start_date_local": "2026-07-20T00:00:00"})
		}, func(s *scene) { s.other("POST", "/api/v1/athlete/i1/events", note("another")) }},
	{"an empty field of an event is filled", false, false, 1, 1, edit(1, intervals.Patch{"color": "red"}), move(1), touch(1)},
	{"a field of an event is replaced", true, false, 1, 1, edit(1, intervals.Patch{"name": "renamed"}), move(1), touch(1)},
	{"an event is deleted", true, false, 1, 1, func(*scene) change.Planner { return change.EventDelete{ID: 1, Today: "2026-07-15"} },
		func(s *scene) { s.other("PUT", s.event(1), map[string]any{"name": "other"}) }, touch(1)},
	{"a done session is deleted", true, false, 1, 1, func(*scene) change.Planner { return change.EventDelete{ID: 6, Today: "2026-07-20"} },
		func(s *scene) {
			s.other("POST", "/_fake/device", map[string]any{"event_id": 6, "activity_id": "i78"})
		}, touch(6)},
	{"a note is made", false, false, 1, 1, newNote, func(s *scene) { s.other("POST", "/api/v1/athlete/i1/events", note("new")) },
		func(s *scene) { s.other("POST", "/api/v1/athlete/i1/events", note("another")) }},
	{"several events are made", true, false, 2, 1, func(*scene) change.Planner {
		a, b := create("a"), create("b")
		return change.EventBatch{Today: "2026-07-15", Edits: []change.EventEdit{a, b}}
	}, func(s *scene) {
		s.other("POST", "/api/v1/athlete/i1/events", map[string]any{"category": "WORKOUT", "type": "Ride", "name": "b", "start_date_local": "2026-07-20T00:00:00"})
	}, touch(1)},
	{"several events are changed", true, false, 2, 2, func(*scene) change.Planner {
		return change.EventBatch{Today: "2026-07-15", From: "2026-07-19", To: "2026-07-22", Edits: []change.EventEdit{
			{ID: 1, Set: intervals.Patch{"color": "red"}}, {ID: 6, Set: intervals.Patch{"color": "red"}}}}
	}, move(6), touch(6)},
	{"a range is deleted", true, true, 4, 1, func(*scene) change.Planner {
		return change.RangeDelete{From: "2026-07-20", To: "2026-07-20", Today: "2026-07-15"}
	}, func(s *scene) {
		s.other("POST", "/_fake/device", map[string]any{"event_id": 6, "activity_id": "i78"})
	}, touch(6)},
	{"a comment is sent", true, false, 1, 1, func(*scene) change.Planner { return change.MessageAdd{Activity: "i77", Content: "well done"} },
		func(s *scene) {
			s.other("POST", "/api/v1/activity/i77/messages", map[string]any{"content": "well done"})
		},
		func(s *scene) {
			s.other("POST", "/api/v1/activity/i77/messages", map[string]any{"content": "thanks"})
		}},
	{"an item is made", false, false, 1, 1, func(*scene) change.Planner {
		return change.ItemEdit{Set: intervals.Patch{"type": "ACTIVITY_FIELD", "name": "new", "content": map[string]any{"code": "Net", "type": "text"}}}
	}, func(s *scene) {
		s.other("POST", "/api/v1/athlete/i1/custom-item", map[string]any{"type": "ACTIVITY_FIELD", "name": "new", "content": map[string]any{"code": "Net", "type": "text"}})
	}, func(s *scene) {
		s.other("PUT", "/api/v1/athlete/i1/custom-item/21", map[string]any{"description": "d"})
	}},
	{"an item is changed", true, false, 1, 1, func(*scene) change.Planner { return change.ItemEdit{ID: 21, Set: intervals.Patch{"name": "renamed"}} },
		func(s *scene) {
			s.other("PUT", "/api/v1/athlete/i1/custom-item/21", map[string]any{"name": "other"})
		},
		func(s *scene) {
			s.other("PUT", "/api/v1/athlete/i1/custom-item/21", map[string]any{"description": "d"})
		}},
	{"an item is deleted", true, false, 1, 1, func(*scene) change.Planner { return change.ItemDelete{ID: 21} },
		func(s *scene) {
			s.other("PUT", "/api/v1/athlete/i1/custom-item/21", map[string]any{"description": "d"})
		}, func(*scene) {}},
	{"somebody else's event is filled", false, true, 1, 1, edit(3, intervals.Patch{"color": "red"}), move(3), touch(3)},
	{"a shared event is filled", false, true, 1, 1, edit(4, intervals.Patch{"color": "red"}), move(4), touch(4)},
	{"a create is undone", true, false, 1, 1, undone(newNote, nil), func(s *scene) { move(s.made())(s) }, func(s *scene) { touch(s.made())(s) }},
	{"a change is undone", true, false, 1, 1, undone(edit(1, intervals.Patch{"name": "renamed"}), nil), move(1), touch(1)},
	{"a delete is undone", false, false, 1, 1, undone(func(*scene) change.Planner { return change.EventDelete{ID: 5, Today: "2026-07-15"} }, nil),
		func(s *scene) {
			s.other("POST", "/api/v1/athlete/i1/events", map[string]any{"category": "NOTE", "name": "event 5", "start_date_local": "2026-07-20T06:00:00"})
		}, touch(1)},
	{"a change that was changed since is undone", true, true, 1, 1, undone(edit(1, intervals.Patch{"name": "renamed"}), func(s *scene) {
		s.other("PUT", s.event(1), map[string]any{"name": "by hand"})
	}), move(1), touch(1)},
}

// ways to answer a preview: what they come to, and how often the change is made.
var ways = []struct {
	name    string
	answer  func(s *scene, p *change.Result) *change.Result
	want    change.Status
	person  change.Status // under the setting person, where that differs
	applied bool
}{
	{"nothing is answered", func(_ *scene, p *change.Result) *change.Result { return p }, change.Preview, "", false},
	{"the summary is right", func(s *scene, p *change.Result) *change.Result { return s.yes(s.one, p) }, change.Applied, "", true},
	{"the summary is wrong", func(s *scene, p *change.Result) *change.Result { return s.wrong(p, 1) }, change.RefusedNow, "", false},
	{"the summary is wrong four times, then right", func(s *scene, p *change.Result) *change.Result {
		s.wrong(p, 4)
		return s.yes(s.one, p)
	}, change.Applied, "", true},
	{"the summary is wrong five times, then right", func(s *scene, p *change.Result) *change.Result {
		s.wrong(p, 5)
		return s.yes(s.one, p)
	}, change.RefusedNow, change.Applied, false},
	{"it is another user's", func(s *scene, p *change.Result) *change.Result {
		c := s.call
		c.Identity.User += "-else"
		return s.answer(s.one, c, p)
	}, change.RefusedNow, "", false},
	{"it is another connection's", func(s *scene, p *change.Result) *change.Result {
		c := s.call
		c.Identity.Connection = "c2"
		return s.answer(s.one, c, p)
	}, change.RefusedNow, change.Applied, false},
	{"it is used twice", func(s *scene, p *change.Result) *change.Result {
		s.yes(s.one, p)
		return s.yes(s.process(0), p)
	}, change.Replayed, "", true},
	{"it is used twice at the same instant", func(s *scene, p *change.Result) *change.Result { return s.both(p) }, change.Applied, "", true},
	{"its time is over", func(s *scene, p *change.Result) *change.Result {
		s.pass(state.PlanLife)
		return s.yes(s.one, p)
	}, change.RefusedNow, "", false},
	{"the process that is asked has a clock two minutes ahead", func(s *scene, p *change.Result) *change.Result {
		return s.yes(s.process(2*time.Minute), p)
	}, change.Applied, "", true},
	{"the process that is asked has a clock two minutes behind", func(s *scene, p *change.Result) *change.Result {
		return s.yes(s.process(-2*time.Minute), p)
	}, change.Applied, "", true},
}

func (s *scene) wrong(p *change.Result, times int) *change.Result {
	s.t.Helper()
	handle := p.Confirmation
	if handle == "" {
		handle = s.handle()
	}
	var r *change.Result
	for range times {
		var err error
		if r, err = s.one.Confirm(s.t.Context(), s.call, handle, "Delete nothing"); err != nil {
			s.t.Fatal(err)
		}
		if r.Status != change.RefusedNow {
			s.t.Errorf("a wrong summary is answered %s", r.Text())
		}
	}
	return r
}

// both confirms in two processes at the same instant; one of them applies it.
func (s *scene) both(p *change.Result) *change.Result {
	s.t.Helper()
	engines := []*change.Engine{s.process(0), s.process(0)}
	if p.Confirmation == "" {
		s.handle()
	}
	results := make([]*change.Result, len(engines))
	var start, done sync.WaitGroup
	start.Add(1)
	for i, e := range engines {
		done.Go(func() {
			start.Wait()
			if p.Confirmation == "" {
				results[i], _ = e.Approve(s.t.Context(), s.call, s.kept)
			} else {
				results[i], _ = e.Confirm(s.t.Context(), s.call, p.Confirmation, p.Summary)
			}
		})
	}
	start.Done()
	done.Wait()
	applied, other := results[0], results[1]
	if applied == nil || other == nil {
		s.t.Fatal("an error")
	}
	if applied.Status != change.Applied {
		applied, other = other, applied
	}
	if other.Status != change.Replayed || other.ChangeID != applied.ChangeID {
		s.t.Errorf("the other one is answered %s", other.Text())
	}
	return applied
}

func combinations(t *testing.T, fresh func(*testing.T) openStores, kinds []kind, settings ...identity.Confirm) {
	n := 0
	for _, k := range kinds {
		for _, setting := range settings {
			asked := k.always || setting == identity.ConfirmAll || setting == identity.ConfirmPerson || setting == identity.ConfirmDestructive && k.destructive
			for _, w := range ways {
				n++
				s := newScene(t, fresh(t), fmt.Sprintf("u%d", n), setting)
				planner := k.planner(s)
				label := fmt.Sprintf("%s under %s: %s", k.name, setting, w.name)
				writes, items := s.writes(), s.items()
				r, err := s.one.Do(t.Context(), s.call, planner)
				if err != nil {
					t.Fatalf("%s: %v", label, err)
				}
				want, applied := change.Applied, true
				if asked {
					if r.Status != change.Preview || s.writes() != writes || s.items() != items || (r.Confirmation == "") != (setting == identity.ConfirmPerson) {
						t.Fatalf("%s: not previewed: %s", label, r.Text())
					}
					if want, applied = w.want, w.applied; setting == identity.ConfirmPerson && w.person != "" {
						want, applied = w.person, true
					}
					r = w.answer(s, r)
				} else if got, err := s.one.Confirm(t.Context(), s.call, state.NewHandle(), r.Summary); err != nil || got.Status != change.RefusedNow {
					t.Errorf("%s: a confirmation that nobody gave: %+v, %v", label, got, err)
				}
				if r.Status != want {
					t.Errorf("%s: %s, want %s", label, r.Text(), want)
				}
				wantWrites, wantItems := 0, 0
				if applied {
					wantWrites, wantItems = k.writes, 2*(k.objects+1)
				}
				extra := 0
				if w.name == "it is used twice at the same instant" && asked { // objects without a head: nothing was applied
					extra = s.items() - items - wantItems
				}
				if got := s.writes() - writes; got != wantWrites {
					t.Errorf("%s: %d requests wrote, want %d", label, got, wantWrites)
				}
				if got := s.items() - items - extra; got != wantItems || extra < 0 {
					t.Errorf("%s: %d audit items, want %d", label, got, wantItems)
				}
			}
			for _, change := range []bool{true, false} {
				if asked {
					n++
					stale(t, fresh(t), k, setting, fmt.Sprintf("u%d", n), change)
				}
			}
		}
	}
	t.Logf("%d combinations", n)
}

// stale confirms after something changed.
func stale(t *testing.T, open openStores, k kind, setting identity.Confirm, user string, matters bool) {
	s := newScene(t, open, user, setting)
	p, err := s.one.Do(t.Context(), s.call, k.planner(s))
	if err != nil {
		t.Fatal(err)
	}
	what := "something that matters changed"
	if matters {
		k.matters(s)
	} else {
		what = "something that does not matter changed"
		k.idle(s)
	}
	label := fmt.Sprintf("%s under %s: %s", k.name, setting, what)
	writes, items := s.writes(), s.items()
	r := s.yes(s.one, p)
	if !matters {
		if r.Status != change.Applied || s.writes()-writes != k.writes {
			t.Errorf("%s: %s", label, r.Text())
		}
		return
	}
	if r.Status != change.Preview || s.writes() != writes || s.items() != items {
		t.Errorf("%s: %s", label, r.Text())
		return
	}
	if again := s.yes(s.one, p); setting != identity.ConfirmPerson && again.Status != change.RefusedNow {
		t.Errorf("%s: the old confirmation still holds: %s", label, again.Text())
	}
	if setting != identity.ConfirmPerson {
		if r = s.yes(s.one, r); r.Status != change.Applied {
			t.Errorf("%s: the fresh preview: %s", label, r.Text())
		}
	}
}

var allSettings = []identity.Confirm{identity.ConfirmAll, identity.ConfirmDestructive, identity.ConfirmNever, identity.ConfirmPerson}

func TestEverySettingKindOfChangeAndConfirmationInMemory(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { combinations(t, inMemory, []kind{k}, allSettings...) })
	}
}

func TestEverySettingKindOfChangeAndConfirmationOverSQLite(t *testing.T) {
	open := inSQLite(t)
	combinations(t, same(open), kinds, identity.ConfirmDestructive)
	open = inSQLite(t)
	combinations(t, same(open), some("an event is deleted", "several events are changed", "a change that was changed since is undone"), allSettings...)
}

func TestEverySettingKindOfChangeAndConfirmationOverDynamoDB(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		open := inDynamoDB(t, env)
		combinations(t, same(open), some("several events are changed", "a change that was changed since is undone"), identity.ConfirmAll, identity.ConfirmPerson)
	})
}

// usedAfter is a state store in which a plan is used right after it was read.
type usedAfter struct {
	state.Store
	use func()
}

func (u *usedAfter) Get(ctx context.Context, user, handle string) (state.Waiting, error) {
	w, err := u.Store.Get(ctx, user, handle)
	if use := u.use; use != nil {
		u.use = nil
		use()
	}
	return w, err
}

// A note has no name by which the platform knows it again, so an equal call waits
// while one runs; the same confirmation is told of its use all the same.
func TestAConfirmationThatIsUsedThisVeryMomentIsToldOfItsUse(t *testing.T) {
	s := newScene(t, inMemory(t), "u", identity.ConfirmAll)
	p, err := s.one.Do(t.Context(), s.call, newNote(s))
	if err != nil || p.Status != change.Preview {
		t.Fatalf("%+v, %v", p, err)
	}
	log, store := s.open(t, s.now)
	begun := func() {
		defer func() { _ = recover() }() // it does not get further
		s.yes(change.New(change.Config{Log: log, State: store, Now: s.now, Step: func(next string) {
			if next == "apply" {
				panic("cut")
			}
		}}), p)
	}
	r := s.yes(change.New(change.Config{Log: log, State: &usedAfter{store, begun}, Now: s.now}), p)
	if w, err := store.Get(t.Context(), s.user, p.Confirmation); err != nil || w.Change.IsZero() || r.Status != change.Replayed || r.ChangeID != w.Change.String() {
		t.Errorf("%s, where the plan is %+v, %v", r.Text(), w, err)
	}
}

// same gives every scene the same stores, with a user of its own.
func same(open openStores) func(*testing.T) openStores {
	return func(*testing.T) openStores { return open }
}

func some(names ...string) []kind {
	var out []kind
	for _, k := range kinds {
		for _, name := range names {
			if k.name == name {
				out = append(out, k)
			}
		}
	}
	return out
}
