package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
)

// want is what one object should come to, worked out without the engine.
type want struct {
	kind, action string
	id           string         // of what is there
	name         string         // of what is made: nothing else has it
	set          map[string]any // what it is to hold; nil = empty
	loose        []string       // what may follow from that
	before       thing
	replaces     string   // the deleted object that this create brings back
	pair         []string // activities to be paired with it again
}

// op is a change to be made.
type op struct {
	title   string
	planner change.Planner
	wants   []want
	undoes  *past
	again   func(picture) []want // of a change whose objects follow from what stands
}

// past is a change that was made, as far as it stands.
type past struct {
	id     audit.ID
	user   string
	wants  []want
	undone bool
}

var derived = []string{"moving_time", "distance", "icu_training_load", "end_date_local", "target"}

// maker makes changes for what stands.
type maker struct {
	r      *rand.Rand
	now    picture
	prefix string // makes names of its own
	n      int
	past   []*past
	links  map[string]string // old id -> new id of what was brought back
	own    bool              // the athlete asks, not the coach
	user   string
}

func (m *maker) fresh() string {
	m.n++
	return fmt.Sprintf("%s-%d", m.prefix, m.n)
}

// present follows the links to what stands for an id.
func (m *maker) present(id string) string {
	for range 100 {
		next, ok := m.links[id]
		if !ok {
			break
		}
		id = next
	}
	return id
}

func (m *maker) make() op {
	for range 50 {
		var o op
		switch n := m.r.IntN(20); {
		case n < 3:
			o = m.create("WORKOUT")
		case n < 5:
			o = m.create("NOTE")
		case n < 8:
			o = m.update()
		case n < 10:
			o = m.remove()
		case n < 13:
			o = m.batch()
		case n < 14:
			o = m.rangeDelete()
		case n < 16:
			o = m.item()
		case n < 17:
			o = m.message()
		default:
			o = m.undo()
		}
		if o.planner != nil {
			return o
		}
	}
	return m.create("WORKOUT")
}

func (m *maker) edit(category string) (change.EventEdit, want) {
	name := m.fresh()
	e := change.EventEdit{Day: randomDay(m.r, -3, 20), Today: today, Set: intervals.Patch{"category": category, "name": name}}
	w := want{kind: "event", action: "create", name: name, set: map[string]any{"category": category, "name": name}, loose: append(slices.Clone(derived), "color", "indoor", "sub_type", "for_week")}
	clock := "T00:00:00"
	if m.r.IntN(2) == 0 {
		e.Clock, clock = "06:30", "T06:30:00"
	}
	w.set["start_date_local"] = e.Day + clock
	if category == "WORKOUT" {
		e.Set["type"], w.set["type"] = "Ride", "Ride"
		switch m.r.IntN(4) {
		case 3:
			e.Set["description"] = "as you feel"
		case 0:
			e.Set["description"] = texts[m.r.IntN(len(texts))]
		case 1:
			e.Set["moving_time"], e.Set["icu_training_load"] = 3600, 50
		}
	} else {
		e.Set["description"] = "words of " + name
	}
	if m.r.IntN(3) == 0 {
		e.Set["tags"] = []any{"a", "b"}
	}
	for k, v := range e.Set {
		w.set[k] = v
	}
	return e, w
}

func (m *maker) create(category string) op {
	e, w := m.edit(category)
	return op{title: "create " + category, planner: e, wants: []want{w}}
}

func (m *maker) anEvent() (thing, bool) {
	all := m.now.of("event")
	if len(all) == 0 {
		return thing{}, false
	}
	return all[m.r.IntN(len(all))], true
}

func (m *maker) change(t thing) (change.EventEdit, want) {
	id, _ := strconv.ParseInt(t.id, 10, 64)
	e := change.EventEdit{ID: id, Today: today, Set: intervals.Patch{}}
	w := want{kind: "event", action: "update", id: t.id, before: t, set: map[string]any{}}
	set := func(key string, v any) { e.Set[key], w.set[key] = v, v }
	clear := func(key string) { e.Clear, w.set[key] = append(e.Clear, key), nil }
	trained := t.fields["category"] == "WORKOUT"
	for range 1 + m.r.IntN(2) {
		switch m.r.IntN(7) {
		case 0, 1:
			set("name", m.fresh())
		case 2:
			set("color", []string{"green", "blue"}[m.r.IntN(2)])
		case 3:
			set("tags", []any{"new"})
		case 4:
			if m.r.IntN(2) == 0 {
				clear("tags")
				delete(e.Set, "tags")
			} else {
				clear("color")
				delete(e.Set, "color")
			}
		case 5:
			if e.Day == "" {
				e.Day = randomDay(m.r, -3, 20)
				w.set["start_date_local"] = e.Day + fmt.Sprint(t.fields["start_date_local"])[10:]
				w.loose = append(w.loose, "end_date_local")
			}
		case 6:
			if trained {
				set("description", texts[m.r.IntN(len(texts))])
				if m.r.IntN(4) == 0 { // refused where steps stood
					set("description", "as you feel "+m.fresh())
				}
				w.loose = append(w.loose, derived...)
			} else {
				set("description", "other words "+m.fresh())
			}
		}
	}
	slices.Sort(e.Clear)
	e.Clear = slices.Compact(e.Clear)
	for _, key := range e.Clear {
		delete(e.Set, key)
		w.set[key] = nil
	}
	return e, w
}

func (m *maker) update() op {
	t, ok := m.anEvent()
	if !ok {
		return op{}
	}
	e, w := m.change(t)
	return op{title: "update " + t.id, planner: e, wants: []want{w}}
}

func (m *maker) remove() op {
	t, ok := m.anEvent()
	if !ok {
		return op{}
	}
	id, _ := strconv.ParseInt(t.id, 10, 64)
	return op{title: "delete " + t.id, planner: change.EventDelete{ID: id, Today: today}, wants: []want{{kind: "event", action: "delete", id: t.id, before: t, pair: m.now.pairedWith(t.id)}}}
}

func (m *maker) batch() op {
	b := change.EventBatch{Today: today, From: firstDay, To: lastDay}
	o := op{title: "batch"}
	for range m.r.IntN(4) {
		e, w := m.edit([]string{"WORKOUT", "WORKOUT", "NOTE"}[m.r.IntN(3)])
		b.Edits, o.wants = append(b.Edits, e), append(o.wants, w)
	}
	all := m.now.of("event")
	m.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, t := range all[:min(len(all), m.r.IntN(4))] {
		e, w := m.change(t)
		b.Edits, o.wants = append(b.Edits, e), append(o.wants, w)
	}
	if len(b.Edits) == 0 {
		return op{}
	}
	o.planner = b
	return o
}

// rangeDelete says on its own what must go: planned workouts, not before today,
// neither done nor locked.
func (m *maker) rangeDelete() op {
	from := randomDay(m.r, -2, 12)
	to := randomDay(m.r, 13, 20)
	own := m.own
	again := func(p picture) []want {
		var out []want
		for _, t := range p.of("event") {
			day := fmt.Sprint(t.fields["start_date_local"])[:10]
			if t.fields["category"] == "WORKOUT" && day >= from && day <= to && day >= today && !p.done(t) && !(own && t.fields["athlete_cannot_edit"] == true) {
				out = append(out, want{kind: "event", action: "delete", id: t.id, before: t, pair: p.pairedWith(t.id)})
			}
		}
		return out
	}
	return op{title: "range delete", planner: change.RangeDelete{From: from, To: to, Today: today}, wants: again(m.now), again: again}
}

func (m *maker) item() op {
	all := m.now.of("custom_item")
	name := m.fresh()
	content := map[string]any{"code": "N" + strconv.Itoa(m.r.IntN(1000)), "type": "text"}
	if len(all) == 0 || m.r.IntN(3) == 0 {
		set := map[string]any{"type": "ACTIVITY_FIELD", "name": name, "visibility": "PRIVATE", "content": content}
		return op{title: "create item", planner: change.ItemEdit{Set: maps.Clone(set)}, wants: []want{{kind: "custom_item", action: "create", name: name, set: set}}}
	}
	t := all[m.r.IntN(len(all))]
	id, _ := strconv.ParseInt(t.id, 10, 64)
	if m.r.IntN(2) == 0 {
		return op{title: "delete item " + t.id, planner: change.ItemDelete{ID: id}, wants: []want{{kind: "custom_item", action: "delete", id: t.id, before: t}}}
	}
	set := map[string]any{"name": name}
	if m.r.IntN(2) == 0 {
		set["content"] = content
	}
	return op{title: "update item " + t.id, planner: change.ItemEdit{ID: id, Set: maps.Clone(set)}, wants: []want{{kind: "custom_item", action: "update", id: t.id, before: t, set: set}}}
}

func (m *maker) message() op {
	activity, content := fmt.Sprintf("i%d", 500+m.r.IntN(3)), "well done "+m.fresh()
	return op{title: "message", planner: change.MessageAdd{Activity: activity, Content: content},
		wants: []want{{kind: "message", action: "create", name: content, set: map[string]any{"content": content, "activity": activity}}}}
}

// undo takes one change back, or several that have no object in common.
func (m *maker) undo() op {
	var open []*past
	for _, p := range m.past {
		if !p.undone && p.user == m.user && len(p.wants) > 0 {
			open = append(open, p)
		}
	}
	if len(open) == 0 {
		return op{}
	}
	p := open[len(open)-1]
	if m.r.IntN(3) == 0 {
		p = open[m.r.IntN(len(open))]
	}
	o := op{title: "undo " + p.id.String(), planner: change.Undo{IDs: []audit.ID{p.id}, Today: today}, undoes: p}
	for _, w := range p.wants {
		if back, ok := m.inverse(w); ok {
			o.wants = append(o.wants, back)
		}
	}
	return o
}

// inverse is what takes an object's change back.
func (m *maker) inverse(w want) (want, bool) {
	id := m.present(w.id)
	t, there := m.now[w.kind+"/"+id]
	switch w.action {
	case "create":
		return want{kind: w.kind, action: "delete", id: id, before: t, pair: m.now.pairedWith(id)}, there
	case "update":
		back := want{kind: w.kind, action: "update", id: id, before: t, set: map[string]any{}, loose: w.loose}
		differs := false
		for key := range w.set {
			back.set[key] = w.before.fields[key]
			differs = differs || !same(back.set[key], t.fields[key])
		}
		return back, there && differs
	}
	if there {
		return want{}, false
	}
	set := maps.Clone(w.before.fields)
	return want{kind: w.kind, action: "create", name: w.before.name(), set: set, replaces: id, pair: w.pair, loose: []string{"moving_time", "distance", "icu_training_load"}}, true
}
