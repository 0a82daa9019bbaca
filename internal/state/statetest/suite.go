package statetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
)

// start has nanoseconds, and lies one minute before the end of an hour.
var start = time.Date(2026, 7, 15, 12, 59, 0, 123456789, time.UTC)

// Clock is a clock that stands still until it is moved.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock makes a Clock that stands where the suite's stories begin.
func NewClock() *Clock { return &Clock{at: start} }

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Set moves the clock.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = t
}

// World is an empty store, the audit log that it writes to, and its clock.
type World struct {
	Store state.Store
	Log   audit.Log
	Clock *Clock
}

// Suite runs the tests against the stores that open makes; each is empty.
func Suite(t *testing.T, open func(t *testing.T, clock *Clock) (state.Store, audit.Log)) {
	tests := []struct {
		name string
		run  func(*testing.T, World)
	}{
		{"a plan of any size comes back as it was kept", comesBack},
		{"what is given is not held on to", notHeld},
		{"a plan that must not be kept is refused", refused},
		{"a plan is kept once", keptOnce},
		{"nobody else finds a plan", foreign},
		{"what is no handle is found nowhere", noHandle},
		{"a plan ends to the nanosecond", ends},
		{"a used confirmation leaves a trace without the plan for a day", trace},
		{"a confirmation is used once", usedOnce},
		{"of twenty at the same instant one uses it", usedAtTheSameTime},
		{"a head that is in the log already spends nothing", headExists},
		{"a confirmation is used with the head intent of its user's change only", foreignHead},
		{"the same use again is no second one", sameUse},
		{"the fifth wrong summary drops a plan", wrong},
		{"wrong summaries at the same instant are all counted", wrongAtTheSameTime},
		{"a plan is used or dropped by wrong summaries, never both", wrongAndUse},
		{"a dropped plan is gone, a used one stays", dropped},
		{"plans are listed newest first, without plans, used and ended ones", listed},
		{"attempts are counted in windows", allowed},
		{"attempts at the same instant are all counted", allowedAtTheSameTime},
		{"what cannot be counted is refused", notCounted},
		{"a call that was given up does nothing", givenUp},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock := NewClock()
			store, log := open(t, clock)
			tt.run(t, World{store, log, clock})
		})
	}
}

// Plan is a plan of a user that was made so many minutes after the start.
func Plan(user string, minutes int) state.Waiting {
	at := start.Add(time.Duration(minutes) * time.Minute)
	return state.Waiting{Handle: state.NewHandle(), User: user, Connection: user + "-c", Client: "Claude é", Athlete: "i1", Tool: "delete_events",
		Summary: `Delete "3" events`, Created: at, Expires: at.Add(state.PlanLife), Person: minutes%2 == 1, Plan: []byte(`{"objects":[1,2,3]}`)}
}

// Head is the head intent of the n-th change of a user.
func Head(user string, n int) audit.Item {
	id := audit.NewID(start.Add(time.Duration(n)*time.Second), fmt.Sprintf("%sr%d", user, n))
	return audit.Item{Schema: audit.SchemaVersion, Change: id, Phase: audit.Intent, User: user, Athlete: "i1", Connection: user + "-c",
		Tool: "delete_events", RequestID: id.Request, Time: id.Time, Expires: id.Time.Add(audit.DefaultRetention), Objects: 3}
}

func keep(t *testing.T, w World, p state.Waiting) state.Waiting {
	t.Helper()
	if err := w.Store.Keep(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// is compares an answer with what it should be.
func is(t *testing.T, w World, user, handle string, want state.Waiting) {
	t.Helper()
	got, err := w.Store.Get(t.Context(), user, handle)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Plan, want.Plan) || (got.Plan == nil) != (want.Plan == nil) {
		t.Errorf("the plan is %d bytes, want %d", len(got.Plan), len(want.Plan))
	}
	if got.Change.String() != want.Change.String() {
		t.Errorf("change %q, want %q", got.Change, want.Change)
	}
	got.Plan, want.Plan, got.Change, want.Change = nil, nil, audit.ID{}, audit.ID{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func gone(t *testing.T, w World, user, handle string) {
	t.Helper()
	if got, err := w.Store.Get(t.Context(), user, handle); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Get = %+v, %v; want ErrNotFound", got, err)
	}
	if err := w.Store.Use(t.Context(), user, handle, Head(user, 99)); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Use = %v; want ErrNotFound", err)
	}
	if n, err := w.Store.Wrong(t.Context(), user, handle); !errors.Is(err, state.ErrNotFound) || n != 0 {
		t.Errorf("Wrong = %d, %v; want ErrNotFound", n, err)
	}
	if list, err := w.Store.Waiting(t.Context(), user); err != nil || has(list, handle) {
		t.Errorf("it is listed: %v", err)
	}
	if items, err := w.Log.Change(t.Context(), user, Head(user, 99).Change); err != nil || len(items) != 0 {
		t.Errorf("%d items in the log, %v", len(items), err)
	}
}

func has(list []state.Waiting, handle string) bool {
	for _, w := range list {
		if w.Handle == handle {
			return true
		}
	}
	return false
}

// heads counts the user's heads in the audit log.
func heads(t *testing.T, w World, user string) []audit.Item {
	t.Helper()
	all, err := w.Log.Heads(t.Context(), audit.Query{User: user})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func comesBack(t *testing.T, w World) {
	for i, size := range []int{1, 349_000, state.MaxItem, state.MaxItem + 1, 5 << 20} {
		p := Plan("u1", i)
		p.Plan = make([]byte, size)
		if _, err := rand.Read(p.Plan); err != nil { // nothing makes it smaller
			t.Fatal(err)
		}
		keep(t, w, p)
		is(t, w, "u1", p.Handle, p)
	}
	p := Plan("u1", 0)
	p.Plan = bytes.Repeat([]byte("0123456789abcdef"), state.MaxPlan/16)
	p.Client, p.Athlete, p.Tool, p.Summary = "", "", "", ""
	p.Created, p.Expires = p.Created.In(time.FixedZone("", 3600)), p.Expires.In(time.FixedZone("", 3600))
	keep(t, w, p)
	p.Created, p.Expires = p.Created.UTC(), p.Expires.UTC()
	is(t, w, "u1", p.Handle, p)
}

func notHeld(t *testing.T, w World) {
	p := Plan("u1", 0)
	want := p
	want.Plan = bytes.Clone(p.Plan)
	p.Wrong, p.Change = 4, Head("u1", 0).Change // not the caller's to say
	keep(t, w, p)
	p.Plan[0] = 'x'
	got, err := w.Store.Get(t.Context(), "u1", p.Handle)
	if err != nil {
		t.Fatal(err)
	}
	got.Plan[1] = 'x'
	is(t, w, "u1", p.Handle, want)
}

func refused(t *testing.T, w World) {
	for name, spoil := range map[string]func(*state.Waiting){
		"no handle":       func(p *state.Waiting) { p.Handle = "" },
		"a strange one":   func(p *state.Waiting) { p.Handle = p.Handle[:25] + "#" },
		"no user":         func(p *state.Waiting) { p.User = "" },
		"no connection":   func(p *state.Waiting) { p.Connection = "" },
		"no end":          func(p *state.Waiting) { p.Expires = time.Time{} },
		"nothing planned": func(p *state.Waiting) { p.Plan = nil },
		"a huge plan":     func(p *state.Waiting) { p.Plan = make([]byte, state.MaxPlan+1) },
	} {
		p := Plan("u1", 0)
		spoil(&p)
		if err := w.Store.Keep(t.Context(), p); err == nil {
			t.Errorf("%s: it was kept", name)
		}
	}
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 0 {
		t.Errorf("%d listed, %v", len(list), err)
	}
}

func keptOnce(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	again := p
	again.Summary = "forged"
	if err := w.Store.Keep(t.Context(), again); !errors.Is(err, state.ErrExists) {
		t.Errorf("kept again: %v", err)
	}
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.Keep(t.Context(), p); !errors.Is(err, state.ErrExists) {
		t.Errorf("kept again once used: %v", err)
	}
	p.Plan, p.Change = nil, Head("u1", 0).Change
	is(t, w, "u1", p.Handle, p)
}

func foreign(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for _, user := range []string{"u2", "u11", "u", "u1#p"} {
		gone(t, w, user, p.Handle)
		if err := w.Store.Drop(t.Context(), user, p.Handle); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
	is(t, w, "u1", p.Handle, p)
}

func noHandle(t *testing.T, w World) {
	keep(t, w, Plan("u1", 0))
	for _, handle := range []string{"", "x", state.NewHandle(), "%", "p#" + state.NewHandle()} {
		gone(t, w, "u1", handle)
		if err := w.Store.Drop(t.Context(), "u1", handle); err != nil {
			t.Errorf("drop %q: %v", handle, err)
		}
	}
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 1 {
		t.Errorf("%d listed, %v", len(list), err)
	}
}

func ends(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	w.Clock.Set(p.Expires.Add(-1))
	is(t, w, "u1", p.Handle, p)
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 1 {
		t.Errorf("%d listed, %v", len(list), err)
	}
	w.Clock.Set(p.Expires)
	gone(t, w, "u1", p.Handle)
	if n := len(heads(t, w, "u1")); n != 0 {
		t.Errorf("%d heads", n)
	}
	other := keep(t, w, Plan("u1", 20)) // others go on when it is swept away
	w.Clock.Set(other.Created)
	is(t, w, "u1", other.Handle, other)
}

func trace(t *testing.T, w World) {
	p, head := keep(t, w, Plan("u1", 0)), Head("u1", 0)
	used := p.Expires.Add(-1)
	w.Clock.Set(used)
	if err := w.Store.Use(t.Context(), "u1", p.Handle, head); err != nil {
		t.Fatal(err)
	}
	if got := heads(t, w, "u1"); len(got) != 1 || !reflect.DeepEqual(got[0], head) {
		t.Errorf("the log holds %+v", got)
	}
	p.Plan, p.Change = nil, head.Change
	for _, at := range []time.Time{used, p.Expires, used.Add(state.UsedLife - 1)} {
		w.Clock.Set(at)
		is(t, w, "u1", p.Handle, p)
		if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 1)); !errors.Is(err, state.ErrUsed) {
			t.Errorf("used again: %v", err)
		}
		if _, err := w.Store.Wrong(t.Context(), "u1", p.Handle); !errors.Is(err, state.ErrUsed) {
			t.Errorf("a wrong summary: %v", err)
		}
		if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 0 {
			t.Errorf("%d listed, %v", len(list), err)
		}
		gone(t, w, "u2", p.Handle)
	}
	w.Clock.Set(used.Add(state.UsedLife))
	gone(t, w, "u1", p.Handle)
}

func usedOnce(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 1)); !errors.Is(err, state.ErrUsed) {
		t.Errorf("used again: %v", err)
	}
	if got := heads(t, w, "u1"); len(got) != 1 || got[0].Change.String() != Head("u1", 0).Change.String() {
		t.Errorf("%d heads", len(got))
	}
}

func usedAtTheSameTime(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	errs := atOnce(20, func(i int) error { return w.Store.Use(context.Background(), "u1", p.Handle, Head("u1", i)) })
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			t.Errorf("%d and %d used it", winner, i)
		case err == nil:
			winner = i
		case !errors.Is(err, state.ErrUsed):
			t.Errorf("%d: %v", i, err)
		}
	}
	if winner < 0 {
		t.Fatal("nobody used it")
	}
	want := Head("u1", winner).Change
	if got := heads(t, w, "u1"); len(got) != 1 || got[0].Change.String() != want.String() {
		t.Errorf("%d heads", len(got))
	}
	p.Plan, p.Change = nil, want
	is(t, w, "u1", p.Handle, p)
}

// atOnce lets n begin at the same instant.
func atOnce(n int, do func(i int) error) []error {
	errs, begin := make([]error, n), make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			errs[i] = do(i)
		})
	}
	close(begin)
	wg.Wait()
	return errs
}

func headExists(t *testing.T, w World) {
	p, head := keep(t, w, Plan("u1", 0)), Head("u1", 0)
	if err := w.Log.Append(t.Context(), []audit.Item{head}); err != nil {
		t.Fatal(err)
	}
	forged := head
	forged.Summary = "forged"
	if err := w.Store.Use(t.Context(), "u1", p.Handle, forged); !errors.Is(err, audit.ErrExists) {
		t.Errorf("got %v, want audit.ErrExists", err)
	}
	is(t, w, "u1", p.Handle, p)
	if got := heads(t, w, "u1"); len(got) != 1 || got[0].Summary != "" {
		t.Errorf("the log holds %+v", got)
	}
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 1)); err != nil {
		t.Errorf("with another head: %v", err)
	}
}

func foreignHead(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for name, spoil := range map[string]func(*audit.Item){
		"another user's": func(h *audit.Item) { h.User = "u2" },
		"an object":      func(h *audit.Item) { h.N = 1 },
		"an outcome":     func(h *audit.Item) { h.Phase = audit.Outcome },
		"no change":      func(h *audit.Item) { h.Change = audit.ID{} },
		"for ever":       func(h *audit.Item) { h.Expires = time.Time{} },
	} {
		head := Head("u1", 0)
		spoil(&head)
		if err := w.Store.Use(t.Context(), "u1", p.Handle, head); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	is(t, w, "u1", p.Handle, p)
	if n := len(heads(t, w, "u1")) + len(heads(t, w, "u2")); n != 0 {
		t.Errorf("%d heads", n)
	}
}

func sameUse(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for range 2 {
		if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 0)); err != nil {
			t.Errorf("used: %v", err)
		}
	}
	if n := len(heads(t, w, "u1")); n != 1 {
		t.Errorf("%d heads", n)
	}
}

func wrong(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for left := state.MaxWrong - 1; left > 0; left-- {
		if got, err := w.Store.Wrong(t.Context(), "u1", p.Handle); err != nil || got != left {
			t.Errorf("left %d, %v; want %d", got, err, left)
		}
		p.Wrong++
		is(t, w, "u1", p.Handle, p)
	}
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 1 || list[0].Wrong != state.MaxWrong-1 {
		t.Errorf("listed %+v, %v", list, err)
	}
	if left, err := w.Store.Wrong(t.Context(), "u1", p.Handle); err != nil || left != 0 {
		t.Errorf("left %d, %v", left, err)
	}
	gone(t, w, "u1", p.Handle)
	after := keep(t, w, Plan("u1", 0)) // a used one does not count
	if err := w.Store.Use(t.Context(), "u1", after.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	if left, err := w.Store.Wrong(t.Context(), "u1", after.Handle); !errors.Is(err, state.ErrUsed) || left != 0 {
		t.Errorf("left %d, %v", left, err)
	}
}

func wrongAtTheSameTime(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	var mu sync.Mutex
	seen := map[int]int{}
	for i, err := range atOnce(12, func(int) error {
		left, err := w.Store.Wrong(context.Background(), "u1", p.Handle)
		if err == nil {
			mu.Lock()
			seen[left]++
			mu.Unlock()
		}
		return err
	}) {
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if want := map[int]int{4: 1, 3: 1, 2: 1, 1: 1, 0: 1}; !reflect.DeepEqual(seen, want) {
		t.Errorf("left: %v, want %v", seen, want)
	}
	gone(t, w, "u1", p.Handle)
}

func wrongAndUse(t *testing.T, w World) {
	for round := range 5 {
		p := keep(t, w, Plan("u1", 0))
		head := Head("u1", round)
		errs := atOnce(state.MaxWrong+1, func(i int) error {
			if i == state.MaxWrong {
				return w.Store.Use(context.Background(), "u1", p.Handle, head)
			}
			_, err := w.Store.Wrong(context.Background(), "u1", p.Handle)
			return err
		})
		counted := 0
		for _, err := range errs[:state.MaxWrong] {
			if err == nil {
				counted++
			} else if !errors.Is(err, state.ErrUsed) {
				t.Errorf("wrong: %v", err)
			}
		}
		items, err := w.Log.Change(t.Context(), "u1", head.Change)
		if err != nil {
			t.Fatal(err)
		}
		switch use := errs[state.MaxWrong]; {
		case use == nil && (counted == state.MaxWrong || len(items) != 1):
			t.Errorf("used, with %d wrong summaries counted and %d heads", counted, len(items))
		case use != nil && (!errors.Is(use, state.ErrNotFound) || counted != state.MaxWrong || len(items) != 0):
			t.Errorf("use: %v, with %d wrong summaries counted and %d heads", use, counted, len(items))
		}
	}
}

func dropped(t *testing.T, w World) {
	p, used := keep(t, w, Plan("u1", 0)), keep(t, w, Plan("u1", 1))
	if err := w.Store.Use(t.Context(), "u1", used.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, handle := range []string{p.Handle, used.Handle} {
			if err := w.Store.Drop(t.Context(), "u1", handle); err != nil {
				t.Errorf("drop: %v", err)
			}
		}
	}
	gone(t, w, "u1", p.Handle)
	used.Plan, used.Change = nil, Head("u1", 0).Change
	is(t, w, "u1", used.Handle, used)
}

func listed(t *testing.T, w World) {
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 0 {
		t.Errorf("%d listed, %v", len(list), err)
	}
	var want []state.Waiting
	for _, minutes := range []int{3, 1, 5, 2} {
		want = append(want, keep(t, w, Plan("u1", minutes)))
	}
	want[0], want[2] = want[2], want[0] // 5 1 3 2
	want[1], want[2] = want[2], want[1] // 5 3 1 2
	want[2], want[3] = want[3], want[2] // 5 3 2 1
	used, ended := keep(t, w, Plan("u1", 4)), Plan("u1", 0)
	ended.Expires = w.Clock.Now().Add(time.Second)
	keep(t, w, ended)
	keep(t, w, Plan("u2", 4))
	if err := w.Store.Use(t.Context(), "u1", used.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	w.Clock.Set(w.Clock.Now().Add(time.Second))
	list, err := w.Store.Waiting(t.Context(), "u1")
	for i := range want {
		want[i].Plan = nil
	}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, list, want)
	}
}

func allowed(t *testing.T, w World) {
	try := func(key string, limit int, window time.Duration, want bool, end time.Time) {
		t.Helper()
		if ok, until, err := w.Store.Allow(t.Context(), key, limit, window); err != nil || ok != want || !until.Equal(end) {
			t.Errorf("%s: %v until %v, %v; want %v until %v", key, ok, until, err, want, end)
		}
	}
	hour, minute := start.Truncate(time.Hour).Add(time.Hour), start.Truncate(time.Minute).Add(time.Minute)
	for i := range 5 {
		try("a#1.2.3.4", 3, time.Hour, i < 3, hour)
	}
	try("a#1.2.3.5", 3, time.Hour, true, hour)
	try("a#1.2.3.4", 3, time.Minute, true, minute) // counted for itself
	try("a#1.2.3.4", 6, time.Hour, true, hour)     // the sixth
	w.Clock.Set(hour.Add(-1))
	try("a#1.2.3.4", 6, time.Hour, false, hour)
	w.Clock.Set(hour)
	for i := range 4 {
		try("a#1.2.3.4", 3, time.Hour, i < 3, hour.Add(time.Hour))
	}
}

func allowedAtTheSameTime(t *testing.T, w World) {
	var mu sync.Mutex
	n := map[bool]int{}
	for _, err := range atOnce(20, func(int) error {
		ok, _, err := w.Store.Allow(context.Background(), "k", 7, time.Hour)
		mu.Lock()
		defer mu.Unlock()
		n[ok]++
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	if n[true] != 7 || n[false] != 13 {
		t.Errorf("allowed %d, refused %d; want 7, 13", n[true], n[false])
	}
}

func notCounted(t *testing.T, w World) {
	for _, tt := range []struct {
		key    string
		limit  int
		window time.Duration
	}{{"", 1, time.Hour}, {"k", 0, time.Hour}, {"k", 1, 0}, {"k", 1, -time.Hour}, {string(make([]byte, 2000)), 1, time.Hour}} {
		if ok, _, err := w.Store.Allow(t.Context(), tt.key, tt.limit, tt.window); err == nil || ok {
			t.Errorf("%.10q %d %v: %v, %v", tt.key, tt.limit, tt.window, ok, err)
		}
	}
}

func givenUp(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	other := Plan("u1", 1)
	_, get := w.Store.Get(ctx, "u1", p.Handle)
	_, wrong := w.Store.Wrong(ctx, "u1", p.Handle)
	_, list := w.Store.Waiting(ctx, "u1")
	ok, _, allow := w.Store.Allow(ctx, "k", 1, time.Hour)
	for name, err := range map[string]error{
		"keep": w.Store.Keep(ctx, other), "get": get, "use": w.Store.Use(ctx, "u1", p.Handle, Head("u1", 0)), "wrong": wrong,
		"drop": w.Store.Drop(ctx, "u1", p.Handle), "list": list, "allow": allow,
	} {
		if err == nil || errors.Is(err, state.ErrNotFound) || errors.Is(err, state.ErrUsed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ok {
		t.Error("an attempt that could not be counted was allowed")
	}
	is(t, w, "u1", p.Handle, p)
	gone(t, w, "u1", other.Handle)
	if n := len(heads(t, w, "u1")); n != 0 {
		t.Errorf("%d heads", n)
	}
}
