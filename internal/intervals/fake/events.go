package fake

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// eventUnder is what every event has though nobody said so.
var eventUnder = Object{
	"calendar_id": 1, "not_on_fitness_chart": false, "show_as_note": false, "show_on_ctl_line": false,
	"for_week": false, "athlete_cannot_edit": false, "hide_from_athlete": false,
	"structure_read_only": false, "entered": false, "training_availability": "NORMAL",
}

// maxName is the longest name of an event or a library workout.
const maxName = 80

func eventRow(e *event) row {
	r := full(eventKeys, e.Object)
	r.under = eventUnder
	return r
}

func eventRows(list []*event) []row {
	out := make([]row, len(list))
	for i, e := range list {
		out[i] = eventRow(e)
	}
	return out
}

// event finds an event of the athlete, nil if there is none.
func (a *athlete) event(id int64) *event {
	for _, e := range a.events {
		if e.id == id {
			return e
		}
	}
	return nil
}

// visible tells if the caller sees an event: a coach may hide one from the
// athlete it is for.
func (c *call) visible(e *event) bool {
	return !yes(e.Object, "hide_from_athlete") || !c.own(c.ath)
}

// event finds the event of the path.
func (c *call) event() (*event, error) {
	id, err := c.id("event")
	if err != nil {
		return nil, err
	}
	if e := c.ath.event(id); e != nil && c.visible(e) {
		return e, nil
	}
	for _, a := range c.s.athletes {
		if a != c.ath && a.event(id) != nil {
			return nil, errAccessDenied
		}
	}
	return nil, errNotFound
}

// editable is event for a write.
func (c *call) editable() (*event, error) {
	e, err := c.event()
	if err != nil {
		return nil, err
	}
	if c.locked(e) {
		return nil, errAccessDenied
	}
	return e, nil
}

// locked tells if a coach has kept the event from the athlete's own hands.
func (c *call) locked(e *event) bool { return yes(e.Object, "athlete_cannot_edit") && c.own(c.ath) }

// listEvents lists the calendar, oldest first. The range grows to take in
// whole events of several days (API.md 1.5).
func (c *call) listEvents() (any, error) {
	oldest, err := c.date("oldest", c.today())
	if err != nil {
		return nil, err
	}
	newest, err := c.date("newest", oldest+6)
	if err != nil {
		return nil, err
	}
	limit, err := c.number("limit", math.MaxInt)
	if err != nil {
		return nil, err
	}
	categories, no := c.categories()
	if no != nil {
		return nil, no
	}
	var found []*event
	for _, e := range c.ath.events {
		if e.day() > newest || e.end() <= oldest || len(found) >= limit {
			continue
		}
		if (categories == nil || slices.Contains(categories, e.category())) && c.visible(e) {
			found = append(found, e)
		}
	}
	list := eventRows(found)
	if c.flag("resolve") {
		for i, e := range found {
			list[i].over = Object{"workout_doc": c.ath.resolved(e.Object)}
		}
	}
	if c.ext == "csv" {
		return csvAnswer(eventKeys, list), nil
	}
	return list, nil
}

func (c *call) categories() ([]string, *refusal) {
	list := commaList(c.query["category"])
	for _, name := range list {
		if !eventCategories[name] {
			return nil, notInEnum("category", name, eventCategories)
		}
	}
	return list, nil
}

func (c *call) getEvent() (any, error) {
	e, err := c.event()
	if err != nil {
		return nil, err
	}
	return eventRow(e), nil
}

func (c *call) eventTags() (any, error) {
	var lists []any
	for _, e := range c.ath.events {
		lists = append(lists, e.Object["tags"])
	}
	return distinct(lists), nil
}

// fitnessModelEvents are the events that steer fitness, oldest first.
func (c *call) fitnessModelEvents() (any, error) {
	var found []*event
	for _, e := range c.ath.events {
		switch e.category() {
		case "FITNESS_DAYS", "SET_FITNESS", "SET_EFTP":
			found = append(found, e)
		}
	}
	return eventRows(found), nil
}

// takeEvents takes the loaded calendar.
func (s *Server) takeEvents(a *athlete, part AthleteData) error {
	seen := map[int64]bool{}
	for i, loaded := range part.Events {
		o := cloneObject(loaded)
		e := &event{Object: o, id: s.numberedID(o)}
		if seen[e.id] {
			return fmt.Errorf("events[%d]: id %d is there twice", i, e.id)
		}
		seen[e.id] = true
		o["id"] = float64(e.id)
		if !eventCategories[e.category()] {
			return fmt.Errorf("events[%d]: category %q is unknown", i, e.category())
		}
		for _, k := range []string{"start_date_local", "end_date_local"} {
			if k == "end_date_local" && o[k] == nil {
				continue
			}
			t, err := loadedTime(o, k)
			if err != nil {
				return fmt.Errorf("events[%d]: %w", i, err)
			}
			o[k] = t
		}
		e.maker = cmp.Or(text(o, "created_by_id"), a.id)
		if text(o, "updated") == "" {
			o["updated"] = text(o, "start_date_local") + ".000+00:00"
		}
		_, e.handLoad = number(o, "icu_training_load")
		e.handLoad = e.handLoad && len(objects(docOf(o)["steps"])) == 0
		a.events = append(a.events, e)
	}
	slices.SortStableFunc(a.events, oldestFirst)
	return nil
}
