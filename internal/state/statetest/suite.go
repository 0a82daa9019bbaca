package statetest

import (
	"bytes"
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
