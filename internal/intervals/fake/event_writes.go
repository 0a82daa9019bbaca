package fake

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// eventFields are what a caller may write.
func eventFields() fieldSet {
	return fieldSet{}.
		with(textField(), "name description color external_id uid").
		with(timeField(), "start_date_local end_date_local").
		with(enumField(eventCategories), "category").
		with(enumField(sportTypes), "type").
		with(enumField(targetTypes), "target").
		with(enumField(subTypes), "sub_type").
		with(enumField(availabilities), "training_availability").
		with(boolField(), `indoor not_on_fitness_chart show_as_note show_on_ctl_line for_week athlete_cannot_edit
			hide_from_athlete structure_read_only entered`).
		with(intField(), `moving_time icu_training_load joules joules_above_ftp icu_ftp w_prime p_max atl_days
			ctl_days carbs_per_hour load_target time_target max_training_time calendar_id shared_event_id`).
		with(floatField(), "distance distance_target icu_ctl icu_atl icu_intensity").
		with(listField(nil), "tags").
		with(listField(sportTypes), "can_train_sports").
		with(objectField(), "workout_doc")
}

// draft is a checked event before it is applied.
type draft struct {
	fields Object
	old    *event // to be updated, nil to make one
}

// check reads an event to be made. All of a bulk is checked before any of it
// happens.
func (c *call) check(body Object) (draft, error) {
	fields, no := eventFields().accept(body)
	if no != nil {
		return draft{}, no
	}
	for _, k := range []string{"category", "start_date_local"} {
		if fields[k] == nil {
			return draft{}, invalid("%s is required", k)
		}
	}
	return draft{fields: fields}, checkEvent(fields)
}

// checkEvent is what an event must have by its category (API.md 3.2).
func checkEvent(o Object) error {
	category, name := text(o, "category"), strings.TrimSpace(text(o, "name"))
	if len([]rune(name)) > maxName {
		return errNameTooLong
	}
	switch category {
	case "WORKOUT", "RACE_A", "RACE_B", "RACE_C", "TARGET":
		if text(o, "type") == "" {
			return errMissingType
		}
	}
	switch category {
	case "NOTE", "RACE_A", "RACE_B", "RACE_C", "HOLIDAY", "SICK", "INJURED", "SEASON_START":
		if name == "" {
			return errNoName
		}
	}
	if category == "TARGET" {
		for _, k := range []string{"load_target", "time_target", "distance_target"} {
			if _, ok := number(o, k); ok {
				return nil
			}
		}
		return invalid("At least one target is required")
	}
	return nil
}

func (c *call) postEvent() (any, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	d, err := c.check(body)
	if err != nil {
		return nil, err
	}
	if c.flag("upsertOnUid") {
		d.old = c.ath.byUID(text(d.fields, "uid"))
	}
	e, err := c.apply(d)
	if err != nil {
		return nil, err
	}
	return eventRow(e), nil
}

// postEvents makes many; upsert finds those to update by external_id among
// the key's own, else upsertOnUid by uid.
func (c *call) postEvents() (any, error) {
	list, err := c.list()
	if err != nil {
		return nil, err
	}
	drafts := make([]draft, len(list))
	for i, body := range list {
		if drafts[i], err = c.check(body); err != nil {
			return nil, err
		}
	}
	out := make([]row, len(drafts))
	applied := c.s.stampNow()
	for i, d := range drafts {
		switch {
		case c.flag("upsert"):
			d.old = c.ownByExternalID(text(d.fields, "external_id"))
		case c.flag("upsertOnUid"):
			d.old = c.ath.byUID(text(d.fields, "uid"))
		}
		e, err := c.apply(d)
		if err != nil {
			return nil, err
		}
		if c.flag("updatePlanApplied") {
			e.Object["plan_applied"] = applied
		}
		out[i] = eventRow(e)
	}
	return out, nil
}

func (a *athlete) byUID(uid string) *event {
	if uid == "" {
		return nil
	}
	for _, e := range a.events {
		if text(e.Object, "uid") == uid {
			return e
		}
	}
	return nil
}

func (c *call) ownByExternalID(id string) *event {
	if id == "" {
		return nil
	}
	for _, e := range c.ath.events {
		if e.maker == c.who.id && text(e.Object, "external_id") == id {
			return e
		}
	}
	return nil
}

// apply makes or updates one event. A target made where the week has one of
// its sport takes its place.
func (c *call) apply(d draft) (*event, error) {
	if d.old == nil && text(d.fields, "category") == "TARGET" {
		for _, e := range c.ath.events {
			if e.category() == "TARGET" && e.start() == text(d.fields, "start_date_local") &&
				e.Object["type"] == d.fields["type"] {
				d.old = e
			}
		}
	}
	if d.old != nil {
		if c.locked(d.old) {
			return nil, errAccessDenied
		}
		return d.old, c.changeEvent(d.old, d.fields)
	}
	e := &event{Object: Object{}, id: c.s.nextID(), maker: c.who.id}
	e.Object["id"], e.Object["created_by_id"] = float64(e.id), c.who.id
	for k, v := range d.fields {
		if !clears(v) {
			e.Object[k] = v
		}
	}
	if c.ath.byUID(text(e.Object, "uid")) != nil {
		delete(e.Object, "uid")
	}
	if !e.session() { // notes and the like have their id for uid (API.md 3.3)
		delete(e.Object, "uid")
	}
	_, e.handLoad = number(e.Object, "icu_training_load")
	c.s.defaultEvent(c.ath, e)
	c.ath.plan(e, true)
	e.Object["updated"] = c.s.stampNow()
	c.ath.addEvent(e)
	return e, nil
}

// defaultEvent fills in what the platform gives every event.
func (s *Server) defaultEvent(a *athlete, e *event) {
	o := e.Object
	o["athlete_id"] = a.id
	if text(o, "created_by_id") == "" {
		o["created_by_id"] = a.id
	}
	if text(o, "uid") == "" {
		o["uid"] = strconv.FormatInt(e.id, 10)
		if e.session() {
			o["uid"] = uuid(e.id)
		}
	}
	if e.category() == "TARGET" && o["for_week"] == nil {
		o["for_week"] = true
	}
	if text(o, "end_date_local") == "" {
		length := day(1)
		if e.category() == "TARGET" || yes(o, "for_week") {
			length = 7
		}
		o["end_date_local"] = (e.day() + length).String() + startOfDay
	}
	if e.session() && o["target"] == nil {
		o["target"] = "AUTO"
	}
	if e.category() == "WORKOUT" {
		delete(o, "icu_ftp") // ignored there (API.md 3.3)
	}
	if e.category() != "SET_FITNESS" && e.handMade() {
		delete(o, "icu_ctl")
		delete(o, "icu_atl")
	}
}

// handMade tells if the event was made here and not loaded.
func (e *event) handMade() bool { return e.Object["updated"] == nil }

// uuid is an event's uid: random enough, and the same in every run.
func uuid(id int64) string {
	h := sha256.Sum256([]byte("event " + strconv.FormatInt(id, 10)))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

func (a *athlete) addEvent(e *event) {
	a.events = append(slices.Clone(a.events), e)
	slices.SortStableFunc(a.events, oldestFirst)
	a.touchEvent(e)
}

// touchEvent tells fitness that a planned load or a model event has changed.
func (a *athlete) touchEvent(e *event) {
	a.fitness = nil // the projection runs to the last session
	switch {
	case e.session() && numberOr0(e.Object, "icu_training_load") != 0:
		a.planTouched(e.day())
	case strings.HasSuffix(e.category(), "FITNESS") || e.category() == "FITNESS_DAYS":
		a.touch(e.day())
	}
}

func (c *call) putEvent() (any, error) {
	e, err := c.editable()
	if err != nil {
		return nil, err
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	fields, no := eventFields().accept(body)
	if no != nil {
		return nil, no
	}
	if err := c.changeEvent(e, fields); err != nil {
		return nil, err
	}
	return eventRow(e), nil
}

// changeEvent changes the keys that were sent. A new description is parsed
// again; a moved start takes the end along unless that was sent too.
func (c *call) changeEvent(e *event, fields Object) error {
	if yes(e.Object, "structure_read_only") && c.own(c.ath) &&
		(fields["description"] != nil || fields["workout_doc"] != nil) {
		return errAccessDenied
	}
	after := Object{}
	for k, v := range e.Object {
		after[k] = v
	}
	fields = cloneObject(fields)
	delete(fields, "uid")
	changed := merge(after, fields)
	if text(after, "start_date_local") == "" {
		return invalid("start_date_local is required")
	}
	if err := checkEvent(after); err != nil {
		return err
	}
	before := *e
	next := &event{Object: after, id: e.id}
	if changed["start_date_local"] && fields["end_date_local"] == nil {
		after["end_date_local"] = moveDays(text(after, "end_date_local"), int(next.day()-e.day()))
	}
	c.ath.touchEvent(&before)
	e.Object = after
	if v, sent := number(fields, "icu_training_load"); sent {
		e.handLoad = v != -1
	}
	if e.category() == "WORKOUT" {
		delete(e.Object, "icu_ftp")
	}
	e.replan(c.ath, fields, changed)
	e.Object["updated"] = c.s.stampNow()
	slices.SortStableFunc(c.ath.events, oldestFirst)
	c.ath.touchEvent(e)
	return nil
}
