package change_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// model is the calendar as it must be: by a number of its own for each event,
// since ids change when one is brought back.
type model struct {
	*scene
	r      *rand.Rand
	a, b   *change.Engine
	events map[int]map[string]any // by own number
	ids    map[int]string         // present id
	next   int
	done   []step // changes that stand, oldest first
	coach  change.Call
	refuse int // undos that were put to the person again
}

// step is a change with the states that it led from.
type step struct {
	id     audit.ID
	before map[int]map[string]any // nil = was not there
	undone []step                 // of an undo: the changes that it took back
}

// modelKeys are what people write of an event.
var modelKeys = []string{"category", "name", "description", "type", "start_date_local", "end_date_local", "moving_time", "distance", "icu_training_load", "color", "tags",
	"indoor", "target", "hide_from_athlete", "athlete_cannot_edit", "structure_read_only", "not_on_fitness_chart", "for_week"}

func newModel(t *testing.T, open openStores, seed uint64) *model {
	m := &model{scene: newScene(t, open, fmt.Sprintf("m%d", seed), identity.ConfirmAll), r: rand.New(rand.NewPCG(seed, 7)), events: map[int]map[string]any{}, ids: map[int]string{}}
	m.a, m.b = m.one, m.process(10*time.Second)
	m.coach = m.call
	m.coach.Identity.Connection = "c2"
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: m.fake.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	m.coach.Client, m.coach.Me = up.Client(secrets.Credential{APIKey: secrets.New("a-coach-s-key-0123456789")}), "i9"
	all := m.read()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		m.next++
		m.events[m.next], m.ids[m.next] = all[id], id
	}
	return m
}

// read gives the calendar by id.
func (m *model) read() map[string]map[string]any {
	m.t.Helper()
	out := map[string]map[string]any{}
	for _, v := range m.other("GET", "/api/v1/athlete/i1/events?oldest=2026-06-01&newest=2026-09-30", nil)["list"].([]any) {
		all, e := v.(map[string]any), map[string]any{}
		for _, key := range modelKeys {
			switch v := all[key]; v {
			case nil, "", false:
			default:
				if list, ok := v.([]any); !ok || len(list) > 0 {
					e[key] = v
				}
			}
		}
		out[strconv.FormatFloat(all["id"].(float64), 'f', -1, 64)] = e
	}
	return out
}

// compare fails where the platform is not as the model is.
func (m *model) compare(what string) {
	m.t.Helper()
	is := m.read()
	if len(is) != len(m.events) {
		m.t.Errorf("%s: %d events, want %d", what, len(is), len(m.events))
	}
	for n, want := range m.events {
		if got := is[m.ids[n]]; !equalJSON(got, want) {
			m.t.Errorf("%s: event %d (%s) is\n%v, want\n%v", what, n, m.ids[n], got, want)
		}
	}
}

func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// someone is one of two connections; the second may be the coach's.
func (m *model) someone() (*change.Engine, change.Call) {
	if m.r.IntN(2) == 0 {
		return m.a, m.call
	}
	return m.b, m.coach
}

// take makes a change and confirms what it is asked, as often as it is asked.
func (m *model) take(e *change.Engine, c change.Call, p change.Planner) *change.Result {
	m.t.Helper()
	c.Identity.Confirm = []identity.Confirm{identity.ConfirmAll, identity.ConfirmDestructive, identity.ConfirmNever}[m.r.IntN(3)]
	r, err := e.Do(m.t.Context(), c, p)
	for range 3 {
		if err != nil {
			m.t.Fatal(err)
		}
		if r.Status != change.Preview {
			break
		}
		m.device()
		r, err = e.Confirm(m.t.Context(), c, r.Confirmation, r.Summary)
	}
	return r
}

// device touches what devices touch: updated, push state, pairings.
func (m *model) device() {
	_, id, ok := m.some()
	if m.r.IntN(2) == 0 || !ok {
		return
	}
	body := map[string]any{"event_id": id, "push_errors": []any{map[string]any{"service": "GARMIN", "message": "later"}}}
	if m.r.IntN(3) == 0 {
		body["activity_id"] = []string{"i77", "i78"}[m.r.IntN(2)]
	}
	m.other("POST", "/_fake/device", body)
}

func (m *model) some() (int, int64, bool) {
	all := slices.Sorted(maps.Keys(m.events))
	if len(all) == 0 {
		return 0, 0, false
	}
	n := all[m.r.IntN(len(all))]
	id, err := strconv.ParseInt(m.ids[n], 10, 64)
	return n, id, err == nil
}

// learn takes what a change did to events over from the platform, whose
// figures follow from what was asked, after checking what was asked.
func (m *model) learn(r *change.Result, asked map[int]map[string]any) {
	m.t.Helper()
	id, err := audit.ParseID(r.ChangeID)
	if err != nil {
		m.t.Fatal(err)
	}
	s := step{id: id, before: map[int]map[string]any{}}
	is := m.read()
	for n, want := range asked {
		s.before[n] = m.events[n]
		if want == nil {
			delete(m.events, n)
			continue
		}
		got := is[m.ids[n]]
		for key, v := range want {
			if !equalJSON(got[key], v) && (v != "" || got[key] != nil) {
				m.t.Errorf("%s of event %d is %v, asked was %v: %s", key, n, got[key], v, r.Text())
			}
		}
		m.events[n] = got
	}
	m.done = append(m.done, s)
}

func (m *model) fields(trained bool) (intervals.Patch, []string, map[string]any) {
	set, asked := intervals.Patch{}, map[string]any{}
	put := func(key string, v any) { set[key], asked[key] = v, v }
	var clear []string
	for range 1 + m.r.IntN(2) {
		switch m.r.IntN(6) {
		case 0:
			put("name", fmt.Sprintf("name %d", m.r.IntN(1e6)))
		case 1:
			put("color", []string{"red", "green"}[m.r.IntN(2)])
		case 2:
			put("tags", []any{"t"})
		case 3:
			if set["color"] == nil {
				clear, asked["color"] = []string{"color"}, ""
			}
		case 4:
			if trained {
				put("description", []string{steps, "- 30m 65%", "3x\n- 3m 110%\n- 3m 50%"}[m.r.IntN(3)])
			}
		case 5:
			if trained {
				put("icu_training_load", 10+m.r.IntN(90))
			}
		}
	}
	if len(clear) > 0 && set["color"] != nil {
		clear, asked["color"] = nil, set["color"]
	}
	return set, clear, asked
}

// change makes one random change.
func (m *model) change() {
	m.t.Helper()
	e, c := m.someone()
	day := fmt.Sprintf("2026-07-%02d", 16+m.r.IntN(14))
	switch m.r.IntN(5) {
	case 0, 1: // one or two are made
		batch, names := change.EventBatch{Today: "2026-07-15"}, []string{}
		for range 1 + m.r.IntN(2) {
			name := fmt.Sprintf("made %d", m.r.IntN(1e9))
			set := intervals.Patch{"category": "WORKOUT", "type": "Ride", "name": name}
			switch m.r.IntN(3) {
			case 0:
				set["description"] = steps
			case 1:
				set["moving_time"], set["icu_training_load"] = 1800, 30
			}
			batch.Edits, names = append(batch.Edits, change.EventEdit{Day: day, Clock: "07:15", Set: set}), append(names, name)
		}
		r := m.take(e, c, batch)
		if r.Status != change.Applied {
			m.t.Fatalf("create: %s", r.Text())
		}
		asked := map[int]map[string]any{}
		for i, o := range r.Objects {
			m.next++
			m.ids[m.next], asked[m.next] = o.ID, map[string]any{"name": names[i], "start_date_local": day + "T07:15:00"}
		}
		m.learn(r, asked)
	case 2, 3:
		n, id, ok := m.some()
		if !ok {
			return
		}
		set, clear, asked := m.fields(m.events[n]["category"] == "WORKOUT")
		edit := change.EventEdit{ID: id, Today: "2026-07-15", Set: set, Clear: clear}
		if m.r.IntN(3) == 0 {
			edit.Day, asked["start_date_local"] = day, day+m.events[n]["start_date_local"].(string)[10:]
		}
		if len(set)+len(clear) == 0 && edit.Day == "" {
			return
		}
		r := m.take(e, c, edit)
		if r.Status != change.Applied {
			m.t.Fatalf("change: %s", r.Text())
		}
		m.learn(r, map[int]map[string]any{n: asked})
	default:
		n, id, ok := m.some()
		if !ok {
			return
		}
		r := m.take(e, c, change.EventDelete{ID: id, Today: "2026-07-15"})
		if r.Status != change.Applied {
			m.t.Fatalf("delete: %s", r.Text())
		}
		m.learn(r, map[int]map[string]any{n: nil})
	}
	m.compare("after a change")
}

// undoLast takes the newest changes back, which may be undos themselves.
func (m *model) undoLast(several int) {
	m.t.Helper()
	e, c := m.someone()
	n := min(several, len(m.done))
	for i := range n { // what an undo took back stands again when it is undone: one at a time
		if len(m.done[len(m.done)-1-i].undone) > 0 {
			n = max(i, 1)
			break
		}
	}
	last := slices.Clone(m.done[len(m.done)-n:])
	undo := change.Undo{Today: "2026-07-15"}
	asked := map[int]map[string]any{}
	for _, s := range slices.Backward(last) {
		undo.IDs = append(undo.IDs, s.id)
		for n, e := range s.before {
			asked[n] = e
		}
	}
	c.Identity.Confirm = identity.ConfirmNever
	r, err := e.Do(m.t.Context(), c, undo)
	for range 3 {
		if err != nil {
			m.t.Fatal(err)
		}
		if r.Status != change.Preview {
			break
		}
		m.refuse++
		r, err = e.Confirm(m.t.Context(), c, r.Confirmation, r.Summary)
	}
	now := step{before: map[int]map[string]any{}, undone: last}
	for n, e := range asked {
		now.before[n] = m.events[n]
		if m.events[n] = e; e == nil {
			delete(m.events, n)
		}
	}
	m.done = append(m.done[:len(m.done)-n], last[0].undone...)
	if r.Status == change.RefusedNow { // right where nothing is left to do
		m.compare("after an undo of what came to nothing")
		return
	}
	if r.Status != change.Applied {
		m.t.Fatalf("undo: %s", r.Text())
	}
	for _, o := range r.Objects {
		if o.Replaces != "" {
			for n, id := range m.ids {
				if id == o.Replaces {
					m.ids[n] = o.ID
				}
			}
		}
	}
	m.compare(fmt.Sprintf("after an undo of %d: %s", n, r.Text()))
	if now.id, err = audit.ParseID(r.ChangeID); err != nil {
		m.t.Fatal(err)
	}
	if m.r.IntN(3) == 0 && len(last[0].undone) == 0 { // it is a change like any other, to be undone in its turn
		m.done = append(m.done, now)
		if n := m.r.IntN(2); n == 0 {
			m.undoLast(1)
		}
	}
}

// tale makes changes and undos, and in the end undoes all.
func tale(t *testing.T, open openStores, seed uint64, changes int) (previewed int) {
	m := newModel(t, open, seed)
	start := maps.Clone(m.events)
	for range changes {
		m.pass(time.Duration(5+m.r.IntN(60)) * time.Minute)
		m.device()
		if len(m.done) > 0 && m.r.IntN(3) == 0 {
			m.undoLast(1 + m.r.IntN(3))
		} else {
			m.change()
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	m.pass(400 * 24 * time.Hour / 2)
	for len(m.done) > 0 && !t.Failed() {
		m.device()
		m.undoLast(1 + m.r.IntN(4))
	}
	if !t.Failed() && !equalJSON(byNumber(m.events), byNumber(start)) {
		t.Errorf("the calendar is\n%v\nand began as\n%v", m.events, start)
	}
	if t.Failed() {
		t.Fatalf("seed %d", seed)
	}
	return m.refuse
}

func byNumber(events map[int]map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for n, e := range events {
		out[strconv.Itoa(n)] = e
	}
	return out
}

func TestAfterUndoingEverythingTheCalendarIsAsItBegan(t *testing.T) {
	previewed := 0
	for seed := range uint64(40) {
		previewed += tale(t, inMemory(t), seed, 25)
	}
	if previewed == 0 {
		t.Error("no undo was put to the person because something had changed")
	}
}

func TestAfterUndoingEverythingTheCalendarIsAsItBeganOverSQLite(t *testing.T) {
	for seed := range uint64(2) {
		tale(t, inSQLite(t), seed, 20)
	}
}

func TestAfterUndoingEverythingTheCalendarIsAsItBeganOverDynamoDB(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) { tale(t, inDynamoDB(t, env), 1, 15) })
}
