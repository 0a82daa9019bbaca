package blackbox

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestACalendarWreckedThroughTheToolsAndUndoneEndsAsItBegan is the promise of
// the change protocol from end to end: nothing but tools/call at the endpoint
// wrecks the demo athlete's calendar, over several connections, and nothing but
// undo_change and confirm_change brings it back.
func TestACalendarWreckedThroughTheToolsAndUndoneEndsAsItBegan(t *testing.T) {
	target, site := serve(t)
	for _, way := range []struct {
		name        string
		wreck, undo func(w *wreck)
	}{
		{"step by step, the newest first", (*wreck).all, (*wreck).undoEach},
		{"several at once", (*wreck).most, (*wreck).undoMany},
		{"undone, the undo undone, and undone again", (*wreck).some, (*wreck).undoTwice},
	} {
		t.Run(way.name, func(t *testing.T) {
			w := &wreck{t: t, r: newRig(target), site: site, random: rand.New(rand.NewPCG(5, uint64(len(way.name)))), what: map[string]string{}, same: map[string]bool{}, refused: map[string]int{}, done: map[string]int{}}
			start := site.calendar(t)
			way.wreck(w)
			if n := len(differences(start.things, site.calendar(t).things)); n < 15 {
				t.Fatalf("only %d differences: that is no wreck", n)
			}
			t.Logf("%d changes: %v; refused: %v", len(w.made), w.done, w.refused)
			way.undo(w)
			end := site.calendar(t)
			for i, line := range differences(start.things, end.things) {
				if i < 12 {
					t.Errorf("%.1500s", line)
				}
			}
			said := slices.DeleteFunc(slices.Clone(w.warned), func(s string) bool { return !strings.Contains(s, "type did not clear") })
			if left := differences(start.sports, end.sports); !t.Failed() && len(left) > 2*len(said) {
				t.Errorf("%d sports are left over, of %d it was said: %.1500q", len(left)/2, len(said), left)
			}
			for _, id := range start.unpaired(end) { // the platform did not allow it: then it was said
				if !slices.ContainsFunc(w.warned, func(s string) bool { return strings.Contains(s, "activity "+id+" could not be paired") }) {
					t.Errorf("activity %s is paired with %.200q, was with %.200q, and nobody was told", id, end.pairing[id], start.pairing[id])
				}
			}
			if left := w.notUndone(); len(left) > 0 {
				t.Errorf("list_changes says these still stand: %v", left)
			}
		})
	}
}

// wreck is what was done to a calendar.
type wreck struct {
	t      *testing.T
	r      *rig
	site   platform
	random *rand.Rand

	made    []string          // change ids of the user, oldest first
	what    map[string]string // what each did
	done    map[string]int
	refused map[string]int
	warned  []string
	same    map[string]bool // changes that changed nothing
}

// connections are those that take part; each shows first what its setting says.
func (w *wreck) connection() string {
	all := []string{w.r.Token, w.r.Destructive, w.r.Never}
	return all[w.random.IntN(len(all))]
}

// do makes one change, confirming it where that is asked for.
func (w *wreck) do(tool string, arguments object) (c result) {
	w.t.Helper()
	b, err := json.Marshal(arguments)
	if err != nil {
		w.t.Fatal(err)
	}
	token := w.connection()
	c = w.r.write(w.t, token, tool, string(b))
	if c.Status == "preview" {
		c = w.r.confirm(w.t, token, c.Confirmation, c.Summary)
	}
	switch c.Status {
	case "applied":
		w.done[tool]++
		for _, o := range c.Objects { // else it was as was asked already, and there is nothing to undo
			if len(o.Fields) > 0 {
				w.made, w.what[c.ChangeID] = append(w.made, c.ChangeID), fmt.Sprintf("%s %s: %+v", tool, b, c.Objects[0].Fields)
				break
			}
		}
	case "refused":
		w.refused[tool]++
	case "failed": // prose in the place of steps: the old text was put back at once
		if w.refused["put back"]++; !strings.Contains(c.Reason, "put back") {
			w.t.Fatalf("%s %s: %s", tool, b, c.Reason)
		}
	default:
		w.t.Fatalf("%s %s: %s, %s %v", tool, b, c.Status, c.Reason, c.Warnings)
	}
	return c
}

// pick picks events that are there now, fewer where there are not so many.
func (w *wreck) pick(n int, want func(e object) bool) (ids []string) {
	all := slices.DeleteFunc(w.site.events(w.t), func(e object) bool { return !want(e) })
	w.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, e := range all[:min(n, len(all))] {
		ids = append(ids, idOf(e))
	}
	return ids
}

func of(categories ...string) func(object) bool {
	return func(e object) bool { return slices.Contains(categories, fmt.Sprint(e["category"])) }
}

// between selects by days from today.
func between(from, to int, more func(object) bool) func(object) bool {
	first, last := time.Now().AddDate(0, 0, from).Format(time.DateOnly), time.Now().AddDate(0, 0, to).Format(time.DateOnly)
	return func(e object) bool {
		day := fmt.Sprint(e["start_date_local"])[:10]
		return day >= first && day <= last && more(e)
	}
}

func days(n int) string { return time.Now().AddDate(0, 0, n).Format(time.DateOnly) }

func (w *wreck) most() {
	w.create()
	w.spoil()
	w.deleteRanges()
}

func (w *wreck) some() {
	w.deleteSome()
	w.spoilItems()
}

func (w *wreck) all() {
	w.create()
	w.spoil()
	w.deleteSome()
	w.spoilItems()
	w.deleteRanges()
	w.spoil() // what is left, and some of it again
	w.create()
	for tool, least := range map[string]int{"add_or_update_event": 40, "add_or_update_note": 4, "delete_event": 10, "delete_events_by_date_range": 5,
		"create_custom_item": 2, "update_custom_item": 2, "delete_custom_item": 2} {
		if w.done[tool] < least {
			w.t.Fatalf("%s was done %d times, want %d", tool, w.done[tool], least)
		}
	}
}

const steps = "Warmup\n- 10m 55%\n\n4x\n- Hard 5m 105%\n- Spin 3m 50%\n\nCooldown\n- 10m 50%"

// create makes many, where nothing was and where something is.
func (w *wreck) create() {
	n := w.random.IntN(1000)
	for i := range 6 {
		w.do("add_or_update_event", object{"name": fmt.Sprintf("Wreck %d.%d", n, i), "workout_type": []string{"Ride", "Run", "Swim"}[i%3], "start_date": days(i*3 - 4),
			"start_time": "18:30", "moving_time": 3600 + i, "training_load": 50 + i, "tags": []string{"wreck", fmt.Sprint(i)}, "color": "purple"})
	}
	w.do("add_or_update_event", object{"name": fmt.Sprint("Wreck steps ", n), "workout_type": "Ride", "start_date": days(2), "description": steps})
	w.do("add_or_update_event", object{"name": fmt.Sprint("Wreck race ", n), "workout_type": "Run", "category": "RACE_B", "start_date": days(9), "distance": 21097})
	for _, category := range []string{"HOLIDAY", "SICK", "INJURED"} {
		w.do("add_or_update_event", object{"name": fmt.Sprint("Wreck ", category, n), "category": category, "start_date": days(20)})
	}
	w.do("add_or_update_note", object{"name": fmt.Sprint("Wreck note ", n), "description": "It was I.", "start_date": days(1)})
}

// spoil changes every field that the tools can, of events of each kind.
func (w *wreck) spoil() {
	edits := []object{
		{"name": "Spoiled"}, {"start_time": "03:15"}, {"description": "No plan at all."}, {"description": steps}, {"training_load": 1}, {"training_load": 999, "moving_time": 60},
		{"moving_time": 7777}, {"distance": 123}, {"tags": []string{"spoiled"}}, {"color": "#123456"}, {"target": "HR"}, {"indoor": true}, {"indoor": false},
		{"start_date": days(3)}, {"start_date": days(-3), "start_time": "23:59"}, {"workout_type": "Swim"}, {"category": "RACE_C", "workout_type": "Run"}, {"category": "NOTE", "name": "No session"},
		{"clear": []string{"description"}}, {"clear": []string{"moving_time", "training_load"}}, {"clear": []string{"tags", "color", "target", "distance", "indoor"}},
		{"name": "Twice", "description": "x", "training_load": 5, "start_date": days(5), "tags": []string{}, "clear": []string{"tags"}},
		{"workout_doc": object{"steps": []object{{"duration": 600, "power": object{"value": 60, "units": "%ftp"}}}}},
	}
	edit := func(ids []string, tool string, edits ...object) {
		for i, id := range ids {
			arguments := object{"event_id": id}
			for k, v := range edits[i%len(edits)] {
				arguments[k] = v
			}
			w.do(tool, arguments)
		}
	}
	edit(w.pick(len(edits), between(1, 40, of("WORKOUT"))), "add_or_update_event", edits...)
	edit(w.pick(9, between(-40, 0, of("WORKOUT"))), "add_or_update_event", edits[w.random.IntN(len(edits)):]...) // done sessions among them
	edit(w.pick(2, of("RACE_A", "RACE_B", "RACE_C")), "add_or_update_event", object{"start_date": days(30)}, object{"name": "Called off", "category": "NOTE"})
	edit(w.pick(3, of("HOLIDAY", "SICK")), "add_or_update_event", object{"name": "Work"}, object{"start_date": days(-2)}, object{"category": "INJURED"})
	edit(w.pick(3, of("NOTE")), "add_or_update_note", object{"description": "Not what it said."}, object{"name": "Renamed", "color": "red"}, object{"clear": []string{"description", "color"}})
	edit(w.pick(2, of("NOTE")), "add_or_update_event", object{"category": "WORKOUT", "workout_type": "Ride"}, object{"start_date": days(14)})
	for _, id := range w.pick(1, between(1, 40, of("WORKOUT"))) {
		for _, name := range []string{"One", "Two", "One"} {
			w.do("add_or_update_event", object{"event_id": id, "name": name})
		}
	}
}

func (w *wreck) deleteSome() {
	for _, id := range slices.Concat(w.pick(4, between(1, 60, of("WORKOUT"))), w.pick(4, between(-50, -1, of("WORKOUT"))),
		w.pick(1, of("RACE_A")), w.pick(2, of("NOTE")), w.pick(1, of("HOLIDAY")), w.pick(1, of("TARGET"))) {
		w.do("delete_event", object{"event_id": id})
	}
}

func (w *wreck) deleteRanges() {
	all := []string{"WORKOUT", "RACE_A", "RACE_B", "RACE_C", "NOTE", "HOLIDAY", "SICK", "INJURED", "TARGET"}
	for _, arguments := range []object{
		{"start_date": days(0), "end_date": days(6)},
		{"start_date": days(-30), "end_date": days(-1), "include_past": true},
		{"start_date": days(-60), "end_date": days(-31), "include_past": true, "categories": all, "include_races": true},
		{"start_date": days(7), "end_date": days(25), "categories": all, "include_races": true},
		{"start_date": days(40), "end_date": days(70), "categories": all, "include_races": true},
	} {
		w.do("delete_events_by_date_range", arguments)
	}
}

func (w *wreck) spoilItems() {
	n := w.random.IntN(1000)
	items := w.site.get(w.t, "custom-item")
	w.do("delete_custom_item", object{"item_id": idOf(items[0])})
	w.do("update_custom_item", object{"item_id": idOf(items[1]), "name": "Spoiled", "description": "Spoiled", "visibility": "PUBLIC"})
	w.do("update_custom_item", object{"item_id": idOf(items[2]), "clear": []string{"description"}})
	w.do("update_custom_item", object{"item_id": idOf(items[1]), "name": "Spoiled again"})
	for i := range 2 {
		made := w.do("create_custom_item", object{"name": fmt.Sprintf("Wreck %d.%d", n, i), "item_type": "INPUT_FIELD", "content": object{"code": fmt.Sprintf("Wreck%d%d", n, i), "type": "numeric"}})
		w.do("update_custom_item", object{"item_id": made.object(w.t), "name": "Wreck renamed"})
		if i == 0 {
			w.do("delete_custom_item", object{"item_id": made.object(w.t)})
		}
	}
}

// undo takes changes back. Connections that ask nothing are shown a preview all
// the same where something has changed since.
func (w *wreck) undo(ids ...string) string {
	w.t.Helper()
	token := w.connection()
	c := w.r.write(w.t, token, "undo_change", `{"change_id":"`+strings.Join(ids, ",")+`"}`)
	w.warned = append(w.warned, c.Warnings...)
	if c.Status == "preview" {
		c = w.r.confirm(w.t, token, c.Confirmation, c.Summary)
		w.warned = append(w.warned, c.Warnings...)
	}
	if c.Status == "refused" && strings.Contains(c.Reason, "it is as it was before") && len(ids) == 1 {
		w.same[ids[0]] = true // the change was none, such as "not indoor" where nothing was said
		return ""
	}
	if c.Status != "applied" {
		w.t.Fatalf("undo of %v (%s): %s, %s %v %+v", ids, w.what[ids[0]], c.Status, c.Reason, c.Warnings, c.Objects)
	}
	return c.ChangeID
}

func (w *wreck) undoEach() {
	for _, id := range slices.Backward(w.made) {
		w.undo(id)
	}
}

// undoMany takes back as many at once as go.
func (w *wreck) undoMany() {
	for end, n := len(w.made), 20; end > 0; n = 20 {
		for token := w.r.Token; ; n /= 2 { // as many as are about 100 objects
			c := w.r.write(w.t, token, "undo_change", `{"change_id":"`+strings.Join(w.made[max(0, end-n):end], ",")+`"}`)
			if c.Status == "preview" {
				break
			}
			if n == 1 || !strings.Contains(c.Reason, "Undo them in parts") {
				w.t.Fatalf("%d changes at once: %s, %s", n, c.Status, c.Reason)
			}
		}
		begin := max(0, end-n)
		w.undo(w.made[begin:end]...)
		end = begin
	}
}

func (w *wreck) undoTwice() {
	for _, id := range slices.Backward(w.made) {
		back := w.undo(id)
		if back != "" && w.random.IntN(3) == 0 {
			again := w.undo(back) // the change stands once more
			w.undo(again)
		}
	}
}

// notUndone gives the changes that the list does not say were undone.
func (w *wreck) notUndone() (left []string) {
	undone := map[string]bool{}
	for before := ""; ; {
		arguments, _ := json.Marshal(object{"limit": 100, "before": before})
		if before == "" {
			arguments = []byte(`{"limit":100}`)
		}
		got := w.r.send(w.t, sent{body: call("list_changes", string(arguments))})
		rows, _ := got.at("result", "structuredContent", "changes").([]any)
		for _, v := range rows {
			row, _ := v.(map[string]any)
			if by, _ := row["undone_by"].(string); by != "" {
				undone[fmt.Sprint(row["change_id"])] = true
			}
		}
		if before = got.text("result", "structuredContent", "next_before"); before == "" {
			break
		}
	}
	for _, id := range w.made {
		if !undone[id] && !w.same[id] {
			left = append(left, id)
		}
	}
	return left
}
