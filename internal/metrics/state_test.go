package metrics

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
)

// noStore is a state store that cannot be reached.
type noStore struct{ state.Store }

var errNoStore = errors.New("unreachable")

func (noStore) Keep(context.Context, state.Waiting) error { return errNoStore }
func (noStore) Get(context.Context, string, string) (state.Waiting, error) {
	return state.Waiting{}, errNoStore
}
func (noStore) Use(context.Context, string, string, audit.Item) error { return errNoStore }
func (noStore) Wrong(context.Context, string, string) (int, error)    { return 0, errNoStore }

func TestAStateStoreThatFailsIsCountedAndItsAnswersAreNot(t *testing.T) {
	e, out := emitter()
	s := e.State(noStore{})
	_, get := s.Get(t.Context(), "u1", "h")
	_, wrong := s.Wrong(t.Context(), "u1", "h")
	for op, err := range map[string]error{"keep": s.Keep(t.Context(), state.Waiting{}), "get": get, "use": s.Use(t.Context(), "u1", "h", audit.Item{}), "wrong": wrong} {
		if !errors.Is(err, errNoStore) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if n := strings.Count(out.String(), `"AuditFailures":1`); n != 4 {
		t.Errorf("%d counted", n)
	}
	e, out = emitter()
	now := time.UnixMilli(1000)
	s = e.State(state.NewMemory(&audit.Memory{}, func() time.Time { return now }))
	p := state.Waiting{Handle: state.NewHandle(), User: "u1", Connection: "c", Expires: now.Add(time.Minute), Plan: []byte("{}")}
	head := func(request string) audit.Item {
		return audit.Item{Change: audit.NewID(now, request), Phase: audit.Intent, User: "u1", Expires: now.Add(time.Hour)}
	}
	if err := errors.Join(s.Keep(t.Context(), p), s.Use(t.Context(), "u1", p.Handle, head("r1"))); err != nil {
		t.Fatal(err)
	}
	if err := s.Use(t.Context(), "u1", p.Handle, head("r2")); !errors.Is(err, state.ErrUsed) {
		t.Errorf("used again: %v", err)
	}
	if _, err := s.Get(t.Context(), "u2", p.Handle); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("another's: %v", err)
	}
	if out.Len() != 0 {
		t.Errorf("answers were counted: %s", out)
	}
}
