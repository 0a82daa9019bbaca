package fake

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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
