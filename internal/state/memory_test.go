package state_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
	"intervals-mcp/internal/state/statetest"
)

func TestMemoryIsAStore(t *testing.T) {
	statetest.Suite(t, func(_ *testing.T, clock *statetest.Clock) (state.Store, audit.Log) {
		log := &audit.Memory{}
		return state.NewMemory(log, clock.Now), log
	})
}

// broken is a log that cannot be written.
type broken struct{ audit.Log }

var errBroken = errors.New("the disk is full")

func (broken) Append(context.Context, []audit.Item) error { return errBroken }

func TestALogThatCannotBeWrittenSpendsNothing(t *testing.T) {
	s, p := state.NewMemory(broken{}, statetest.NewClock().Now), statetest.Plan("u1", 0)
	if err := s.Keep(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := s.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); !errors.Is(err, errBroken) {
		t.Errorf("used: %v", err)
	}
	if w, err := s.Get(t.Context(), "u1", p.Handle); err != nil || !w.Change.IsZero() || w.Plan == nil {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestHandlesAreRandomAndShort(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		h := state.NewHandle()
		if !state.ValidHandle(h) || seen[h] {
			t.Fatalf("handle %q", h)
		}
		seen[h] = true
	}
	h := state.NewHandle()
	for _, bad := range []string{"", h[1:], h + "a", strings.ToUpper(h), h[:25] + "1", h[:25] + "#", h[:24] + "é"} {
		if bad != h && state.ValidHandle(bad) {
			t.Errorf("%q is valid", bad)
		}
	}
}

func TestAPlanThatWasDamagedOrGrowsWithoutBoundIsRefused(t *testing.T) {
	huge, err := state.Pack(make([]byte, state.MaxPlan+1))
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string][]byte{"nothing": nil, "no gzip": []byte("{}"), "half of one": huge[:len(huge)/2], "a bomb": huge} {
		if plan, err := state.Unpack(packed); err == nil {
			t.Errorf("%s: %d bytes", name, len(plan))
		}
	}
}
