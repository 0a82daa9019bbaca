package change_test

import (
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/state"
)

// Two functions are two processes: what they have in common is the log and the
// state store.
func TestEqualCreatesThatBeginInTwoProcessesAtOnceMakeOne(t *testing.T) {
	note := create("A")
	note.Set = intervals.Patch{"category": "NOTE", "name": "A"}
	for _, c := range []struct {
		name, at string // where the first one is when the second one comes
		make     change.EventEdit
	}{
		{"a session, neither in the log yet", "intent", create("A")},
		{"a note, which gets another uid, on its way", "send", note},
	} {
		log := &audit.Memory{}
		r := newRoad(t, log)
		shared := state.NewMemory(log, r.Now)
		second := change.New(change.Config{Log: log, State: shared, Now: r.Now})
		var other *change.Result
		first := change.New(change.Config{Log: log, State: shared, Now: r.Now, Step: func(next string) {
			if next != c.at || other != nil {
				return
			}
			var err error
			if other, err = second.Do(t.Context(), r.call, c.make); err != nil {
				t.Error(err)
			}
		}})
		made, err := first.Do(t.Context(), r.call, c.make)
		if err != nil || made.Status != change.Applied || other == nil || other.Status != change.RefusedNow {
			t.Fatalf("%s: %+v, %+v, %v", c.name, made, other, err)
		}
		if list, err := r.call.Client.Events(t.Context(), "i1", "2026-07-20", "2026-07-20"); err != nil || len(list) != 1 {
			t.Errorf("%s: %d events, %v", c.name, len(list), err)
		}
		if again, err := second.Do(t.Context(), r.call, c.make); err != nil || again.Status != change.Replayed || again.ChangeID != made.ChangeID {
			t.Errorf("%s: called again: %+v, %v", c.name, again, err)
		}
	}
}
