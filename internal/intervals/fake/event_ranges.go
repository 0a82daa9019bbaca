package fake

import (
	"math"
	"slices"
	"strings"
)

func (c *call) deleteEvent() (any, error) {
	e, err := c.editable()
	if err != nil {
		return nil, err
	}
	notBefore, err := c.date("notBefore", math.MinInt32)
	if err != nil {
		return nil, err
	}
	doomed := []*event{e}
	if applied := e.Object["plan_applied"]; c.flag("others") && applied != nil {
		for _, x := range c.ath.events {
			if x != e && x.Object["plan_applied"] == applied && x.day() >= notBefore {
				doomed = append(doomed, x)
			}
		}
	}
	c.s.removeEvents(c.ath, doomed)
	return Object{}, nil
}

// removeEvents takes events off the calendar; what was paired with them no
// longer is.
func (s *Server) removeEvents(a *athlete, doomed []*event) {
	for _, e := range doomed {
		for _, act := range a.acts {
			if n, ok := whole(act.Object, "paired_event_id"); ok && n == e.id {
				s.pair(act, -1)
			}
		}
		a.touchEvent(e)
	}
	a.events = slices.DeleteFunc(slices.Clone(a.events), func(e *event) bool { return slices.Contains(doomed, e) })
}

// bulkDeleteEvents deletes by id or, among the key's own, by external_id,
// which wins. What is not there is not counted.
func (c *call) bulkDeleteEvents() (any, error) {
	list, err := c.list()
	if err != nil {
		return nil, err
	}
	var doomed []*event
	for _, d := range list {
		var e *event
		if external := idText(d["external_id"]); external != "" {
			e = c.ownByExternalID(external)
		} else if id, ok := whole(d, "id"); ok {
			e = c.ath.event(id)
		}
		if e != nil && !slices.Contains(doomed, e) && c.visible(e) && !c.locked(e) {
			doomed = append(doomed, e)
		}
	}
	c.s.removeEvents(c.ath, doomed)
	return Object{"eventsDeleted": len(doomed)}, nil
}

// deleteEventRange is as dangerous as the platform's: without newest it takes
// the whole future.
func (c *call) deleteEventRange() (any, error) {
	if c.query.Get("oldest") == "" {
		return nil, missingParameter("oldest", "LocalDate")
	}
	categories, no := c.categories()
	if no != nil {
		return nil, no
	}
	if len(categories) == 0 {
		return nil, missingParameter("category", "List")
	}
	oldest, err := c.date("oldest", 0)
	if err != nil {
		return nil, err
	}
	newest, err := c.date("newest", never)
	if err != nil {
		return nil, err
	}
	maker := c.query.Get("createdById")
	var doomed []*event
	for _, e := range c.ath.events {
		if d := e.day(); d < oldest || d > newest || !slices.Contains(categories, e.category()) {
			continue
		}
		if maker == "" || text(e.Object, "created_by_id") == maker {
			doomed = append(doomed, e)
		}
	}
	c.s.removeEvents(c.ath, doomed)
	return emptyAnswer(), nil
}

// putEventRange changes the two flags that may be changed for a range.
func (c *call) putEventRange() (any, error) {
	for _, k := range []string{"oldest", "newest"} {
		if c.query.Get(k) == "" {
			return nil, missingParameter(k, "LocalDate")
		}
	}
	oldest, err := c.date("oldest", 0)
	if err != nil {
		return nil, err
	}
	newest, err := c.date("newest", 0)
	if err != nil {
		return nil, err
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	flags, no := fieldSet{}.with(boolField(), "hide_from_athlete athlete_cannot_edit").accept(body)
	if no != nil {
		return nil, no
	}
	var changed []*event
	for _, e := range c.ath.events {
		if d := e.day(); d >= oldest && d <= newest {
			merge(e.Object, flags)
			e.Object["updated"] = c.s.stampNow()
			changed = append(changed, e)
		}
	}
	return eventRows(changed), nil
}

// markDone makes the manual activity of a planned session.
func (c *call) markDone() (any, error) {
	e, err := c.event()
	if err != nil {
		return nil, err
	}
	o := Object{}
	for _, k := range []string{"start_date_local", "type", "name", "moving_time", "distance", "icu_training_load", "sub_type"} {
		if v := e.Object[k]; v != nil {
			o[k] = v
		}
	}
	if o["type"] == nil {
		return nil, errMissingType
	}
	if yes(e.Object, "indoor") {
		o["trainer"] = true
	}
	act := c.s.newActivity(c.ath, o)
	c.s.pair(act, e.id)
	return c.s.serve(act), nil
}

// duplicateEvents copies events by whole weeks; a copy is nobody's but the
// caller's.
func (c *call) duplicateEvents() (any, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	copies, ok := whole(body, "numCopies")
	weeks, ok2 := whole(body, "weeksBetween")
	ids := numbers(body["eventIds"])
	if !ok || !ok2 || copies < 1 || copies > 520 || weeks < 0 || weeks > 520 {
		return nil, invalid("numCopies and weeksBetween are required")
	}
	var sources []*event
	for _, id := range ids {
		e := c.ath.event(int64(id))
		if e == nil || !c.visible(e) {
			return nil, errNotFound
		}
		sources = append(sources, e)
	}
	out := []row{}
	for n := 1; n <= int(copies); n++ {
		for _, e := range sources {
			out = append(out, eventRow(c.copyEvent(e, n*int(weeks)*7)))
		}
	}
	return out, nil
}

func (c *call) copyEvent(e *event, days int) *event {
	o := cloneObject(e.Object)
	for _, k := range strings.Fields(`uid external_id oauth_client_id push_errors shared_event_id plan_athlete_id
		plan_folder_id plan_workout_id plan_applied plan_name attachments updated`) {
		delete(o, k)
	}
	copied := &event{Object: o, id: c.s.nextID(), maker: c.who.id, handLoad: e.handLoad}
	o["id"], o["created_by_id"] = float64(copied.id), c.who.id
	for _, k := range []string{"start_date_local", "end_date_local"} {
		o[k] = moveDays(text(o, k), days)
	}
	c.s.defaultEvent(c.ath, copied)
	o["updated"] = c.s.stampNow()
	c.ath.addEvent(copied)
	return copied
}
