package change_test

import (
	"fmt"
	"strings"
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

const (
	prose = "Squats, three sets of eight"
	short = "- 10m 60%"
	long  = "- 60m 75%"
)

// session makes a session with a text, and gives its id.
func (r road) session(t *testing.T, set intervals.Patch) int64 {
	t.Helper()
	e := create("A")
	for k, v := range set {
		e.Set[k] = v
	}
	id, _ := intervals.Event{Object: r.do(t, change.Applied, e).State}.Int("id")
	return id
}

// set changes fields of an event and gives the change's id.
func (r road) set(t *testing.T, id int64, set intervals.Patch) string {
	t.Helper()
	return r.do(t, change.Applied, change.EventEdit{ID: id, Today: "2026-07-15", Set: set}).ChangeID
}

// only is the one event that there is, as words.
func (r road) only(t *testing.T) string {
	t.Helper()
	list, err := r.call.Client.Events(t.Context(), "i1", "2026-01-01", "2026-12-31")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d events, %v", len(list), err)
	}
	e := list[0]
	return fmt.Sprintf("%q %v s, load %v", e.Str("description"), e.Value("moving_time"), e.Value("icu_training_load"))
}

func TestAnUndoPutsBackTextWithoutSteps(t *testing.T) {
	r := newRoad(t, &audit.Memory{})
	id := r.session(t, intervals.Patch{"description": prose, "moving_time": 2700})
	was := r.only(t)
	stepped := r.set(t, id, intervals.Patch{"description": short})
	back := r.do(t, change.Applied, undo(t, stepped))
	if got := r.only(t); got != was {
		t.Errorf("it is %s, was %s", got, was)
	}
	r.do(t, change.Applied, undo(t, back.ChangeID))
	r.do(t, change.FailedNow, change.EventEdit{ID: id, Today: "2026-07-15", Set: intervals.Patch{"description": prose}}) // which nobody else may
}

func TestFiguresSetByHandComeBackWithASessionThatHasSteps(t *testing.T) {
	byHand := intervals.Patch{"moving_time": 1234, "icu_training_load": 77}
	for name, damage := range map[string]func(r road, id int64) []string{ // change ids, oldest first
		"deleted": func(r road, id int64) []string {
			return []string{r.do(t, change.Applied, change.EventDelete{ID: id, Today: "2026-07-15"}).ChangeID}
		},
		"other text": func(r road, id int64) []string { return []string{r.set(t, id, intervals.Patch{"description": long})} },
		"another sport": func(r road, id int64) []string {
			return []string{r.set(t, id, intervals.Patch{"type": "Run"})}
		},
		"a note": func(r road, id int64) []string {
			return []string{r.set(t, id, intervals.Patch{"category": "NOTE"})}
		},
		"a note, and a session of another sport": func(r road, id int64) []string {
			return []string{r.set(t, id, intervals.Patch{"category": "NOTE"}), r.set(t, id, intervals.Patch{"category": "WORKOUT", "type": "Run"})}
		},
		"figures cleared, and deleted": func(r road, id int64) []string {
			cleared := r.do(t, change.Applied, change.EventEdit{ID: id, Today: "2026-07-15", Clear: []string{"moving_time", "icu_training_load"}})
			return []string{cleared.ChangeID, r.do(t, change.Applied, change.EventDelete{ID: id, Today: "2026-07-15"}).ChangeID}
		},
		"figures, then text": func(r road, id int64) []string {
			return []string{r.set(t, id, intervals.Patch{"moving_time": 99, "icu_training_load": 9}), r.set(t, id, intervals.Patch{"description": long})}
		},
		"text, then figures": func(r road, id int64) []string {
			return []string{r.set(t, id, intervals.Patch{"description": long}), r.set(t, id, intervals.Patch{"moving_time": 99, "icu_training_load": 9})}
		},
		"text, figures, and deleted": func(r road, id int64) []string {
			return []string{r.set(t, id, intervals.Patch{"description": long}), r.set(t, id, intervals.Patch{"moving_time": 99}),
				r.do(t, change.Applied, change.EventDelete{ID: id, Today: "2026-07-15"}).ChangeID}
		},
	} {
		for _, atOnce := range []bool{false, true} {
			r := newRoad(t, &audit.Memory{})
			id := r.session(t, intervals.Patch{"description": short})
			r.set(t, id, byHand)
			was := r.only(t)
			ids := damage(r, id)
			r.call.Identity.Confirm = identity.ConfirmAll // an undo may want to be confirmed in any case
			if atOnce {
				r.confirm(t, change.Applied, r.do(t, change.Preview, undo(t, ids...)))
			} else {
				for i := range ids {
					r.confirm(t, change.Applied, r.do(t, change.Preview, undo(t, ids[len(ids)-1-i])))
				}
			}
			if got := r.only(t); got != was {
				t.Errorf("%s, at once %v: it is %s, was %s", name, atOnce, got, was)
			}
		}
	}
}

func TestFiguresThatSomebodyElseSetSinceStay(t *testing.T) {
	r := newRoad(t, &audit.Memory{})
	id := r.session(t, intervals.Patch{"description": short})
	r.set(t, id, intervals.Patch{"moving_time": 1234})
	sport := r.set(t, id, intervals.Patch{"type": "Run"})
	r.set(t, id, intervals.Patch{"moving_time": 4321}) // whoever it was
	r.do(t, change.Applied, undo(t, sport))
	if got := r.only(t); !strings.Contains(got, " 4321 s") {
		t.Errorf("it is %s", got)
	}
}

func TestASessionWithoutFiguresComesBackWithoutThem(t *testing.T) {
	r := newRoad(t, &audit.Memory{})
	id := r.session(t, intervals.Patch{"description": short})
	r.do(t, change.Applied, change.EventEdit{ID: id, Today: "2026-07-15", Clear: []string{"moving_time"}})
	was := r.only(t)
	gone := r.do(t, change.Applied, change.EventDelete{ID: id, Today: "2026-07-15"})
	r.do(t, change.Applied, undo(t, gone.ChangeID))
	if got := r.only(t); got != was || !strings.Contains(got, "<nil> s") {
		t.Errorf("it is %s, was %s", got, was)
	}
}
