package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// EventEdit makes or changes one calendar event. Only what is set is sent.
type EventEdit struct {
	ID             int64           // 0 = make one
	Day, Clock     string          // YYYY-MM-DD and hh:mm[:ss]; "" = keep (of a new one: Today and 00:00)
	Set            intervals.Patch // under the platform's names; never "" or null
	Clear          []string        // under the platform's names
	Workout        *Workout        // what a description in Set should come to
	Today          string          // the athlete's local day
	AllowDuplicate bool
	Note           bool // the event must be, or becomes, a note
}

// eventKeys is the order in which differences of events are told.
var eventKeys = []string{"category", "start_date_local", "type", "name", "description", "moving_time", "distance", "icu_training_load",
	"indoor", "tags", "color", "target"}

// Plan implements Planner.
func (w EventEdit) Plan(ctx context.Context, c Call) (Plan, error) {
	if w.ID == 0 {
		there, err := c.Client.Events(ctx, c.Athlete, w.day(), w.day())
		if err != nil {
			return Plan{}, err
		}
		p := Plan{AllowDuplicate: w.AllowDuplicate}
		p.add(w.create(there))
		p.Summary = c.createWords(p.Objects[0])
		return p, nil
	}
	before, err := readEvent(ctx, c, w.ID)
	if err != nil {
		return Plan{}, err
	}
	o, said, err := w.update(c, before)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Summary: c.updateWords(o)}
	if o.moves() {
		acts, err := pairings(ctx, c, before.Day(), before.Day(), w.Today)
		said.pairing(&o, before, acts, err)
	}
	p.add(o, said)
	return p, nil
}

// said is what is to be said about one object of a plan.
type said struct{ warnings, always []string }

// add takes an object into a plan.
func (p *Plan) add(o Object, s said) {
	p.Objects = append(p.Objects, o)
	p.Warnings = append(p.Warnings, s.warnings...)
	p.Always = append(p.Always, s.always...)
}

func (w EventEdit) day() string {
	if w.Day == "" {
		return w.Today
	}
	return w.Day
}

// create plans a new event; there is what lies on its day already.
func (w EventEdit) create(there []intervals.Event) (Object, said) {
	patch := intervals.Patch{}
	for k, v := range w.Set {
		patch[k] = v
	}
	clock := w.Clock
	if clock == "" {
		clock = "00:00"
	}
	patch["start_date_local"] = w.day() + "T" + seconds(clock)
	o := Object{Kind: EventKind, Action: Create, Patch: patch, Undoable: "yes", Workout: w.Workout}
	o.Fields = difference(intervals.Object{}, eventKeys, patch, nil)
	var s said
	for _, e := range there {
		o.Known = append(o.Known, digits(e.ID()))
		if o.sameThing(e.Object) {
			o.Twins = append(o.Twins, digits(e.ID()))
		}
		if e.Day() == w.day() && e.Category() == patch["category"] && e.Str("type") == text(patch["type"]) && strings.EqualFold(e.Name(), text(patch["name"])) {
			s.warnings = append(s.warnings, fmt.Sprintf("event %d of the same name, kind and sport is on that day already.", e.ID()))
		}
	}
	return o, s
}

// update plans a change of an event as it is now.
func (w EventEdit) update(c Call, before intervals.Event) (Object, said, error) {
	patch := intervals.Patch{}
	for k, v := range w.Set {
		patch[k] = v
	}
	for _, key := range w.Clear {
		patch[key] = clearing(key)
	}
	var err error
	if w.Day != "" || w.Clock != "" {
		if patch["start_date_local"], err = moved(before.Str("start_date_local"), w.Day, w.Clock); err != nil {
			return Object{}, said{}, err
		}
	}
	if err := w.mayChange(c, before, patch); err != nil {
		return Object{}, said{}, err
	}
	o := Object{Kind: EventKind, Action: Update, Target: digits(w.ID), Patch: patch, Cleared: w.Clear, Before: before.Object, Workout: w.Workout}
	o.Fields = difference(before.Object, eventKeys, patch, w.Clear)
	o.Undoable = undoableUpdate(EventKind, before.Object)
	return o, eventSaid(c, before, w.Today, text(patch["start_date_local"])), nil
}

// moves reports an update that takes an event to another day, which may part it
// from its activity.
func (o Object) moves() bool {
	to := text(o.Patch["start_date_local"])
	return o.Action == Update && to != "" && dayOf(to) != dayOf(o.Before.Str("start_date_local")) && trained(o.Before.Str("category"))
}

// readEvent reads an event for a change. What a coach hid from the athlete is
// not there for the athlete, and what is another athlete's for nobody.
func readEvent(ctx context.Context, c Call, id int64) (intervals.Event, error) {
	e, err := c.Client.Event(ctx, c.Athlete, id)
	if err != nil {
		return e, err
	}
	return e, seeable(c, e, id)
}

func seeable(c Call, e intervals.Event, id int64) error {
	if hidden, _ := e.Bool("hide_from_athlete"); hidden && c.own() || e.Foreign(c.Athlete) {
		return &intervals.Error{Op: "get event", Kind: intervals.NotFound, Status: 404}
	}
	if e.ID() != id || e.Category() == "" {
		return &intervals.Error{Op: "get event", Kind: intervals.BadBody, Status: 200, Reason: "the event has no id or category"}
	}
	return nil
}

// mayChange refuses what must not be changed (safety.md "Coach, hidden,
// locked, shared").
func (w EventEdit) mayChange(c Call, e intervals.Event, patch intervals.Patch) error {
	if err := mayTouch(c, "Change", e); err != nil {
		return err
	}
	summary := "Change " + eventWords(e)
	if w.Note && e.Category() != "NOTE" {
		return refused(summary, "event %d is a %s, not a note, and stays one. Use add_or_update_event to change it.", e.ID(), cut(e.Category(), 20))
	}
	_, newText := patch["description"]
	if locked, _ := e.Bool("structure_read_only"); locked && newText {
		return refused(summary, "the structure of event %d is read-only (a coach or a plan set it), so its description and steps cannot be changed. Change other fields only.", e.ID())
	}
	category := e.Category()
	if to := text(patch["category"]); to != "" {
		category = to
	}
	if trained(category) && e.Str("type") == "" && patch["type"] == nil {
		return refused(summary, "a %s needs a sport. Pass workout_type as well.", category)
	}
	week, _ := e.Bool("for_week")
	if to := text(patch["start_date_local"]); to != "" && (week || e.Category() == "TARGET") && training.DaysBetween(e.Day(), dayOf(to))%7 != 0 {
		return refused(summary, "event %d counts for a week and moves by whole weeks only. Pick a day that is a multiple of 7 days from %s.", e.ID(), e.Day())
	}
	return nil
}

// mayTouch refuses changing or deleting an event at all.
func mayTouch(c Call, verb string, e intervals.Event) error {
	if readOnlyCategory(e.Category()) {
		return refused(verb+" "+eventWords(e), "events of category %s are only read here. Change it on the website of Intervals.icu.", cut(e.Category(), 20))
	}
	if locked, _ := e.Bool("athlete_cannot_edit"); locked && c.own() {
		return refused(verb+" "+eventWords(e), "the coach locked event %d: the athlete cannot edit it. Ask the coach.", e.ID())
	}
	return nil
}

// eventSaid names what the person should know before an event is touched.
// What is somebody else's is always previewed (safety.md 2).
func eventSaid(c Call, e intervals.Event, today, to string) said {
	var s said
	if by := e.Str("created_by_id"); by != "" && by != c.Me {
		s.always = append(s.always, fmt.Sprintf("event %d was created by %s, not by you.", e.ID(), cut(by, 30)))
	}
	if e.Has("shared_event_id") {
		s.always = append(s.always, fmt.Sprintf("event %d is a shared event.", e.ID()))
	}
	soon := []string{today, training.AddDays(today, 1)}
	if trained(e.Category()) && (slices.Contains(soon, e.Day()) || (to != "" && slices.Contains(soon, dayOf(to)))) {
		s.warnings = append(s.warnings, "it is a session of today or tomorrow and may already be on the watch: check the device.")
	}
	s.warnings = append(slices.Clone(s.always), s.warnings...)
	return s
}

// pairings reads the activities by which sessions of some days may be done,
// from the day before to the day after; none of days to come.
func pairings(ctx context.Context, c Call, from, to, today string) (map[int64][]string, error) {
	if from > training.AddDays(today, 1) {
		return map[int64][]string{}, nil
	}
	acts, err := activitiesAround(ctx, c, from, to)
	out := map[int64][]string{}
	for _, a := range acts {
		if n, ok := a.Int("paired_event_id"); ok {
			out[n] = append(out[n], a.ID())
		}
	}
	return out, err
}

// pairing notes by which activities a session was done; a failure to read them
// is said, not fatal.
func (s *said) pairing(o *Object, e intervals.Event, by map[int64][]string, err error) {
	if err != nil {
		s.warnings = append(s.warnings, "whether an activity is paired with it could not be read.")
		return
	}
	o.Paired, o.PairingRead = by[e.ID()], true
	for _, id := range o.Paired {
		s.warnings = append(s.warnings, fmt.Sprintf("unpairs activity %s: the session was done.", cut(id, 30)))
	}
}

func activitiesAround(ctx context.Context, c Call, from, to string) ([]intervals.Activity, error) {
	return c.Client.Activities(ctx, c.Athlete, intervals.ActivityQuery{Oldest: training.AddDays(from, -1), Newest: training.AddDays(to, 1),
		Fields: []string{"id", "start_date_local", "paired_event_id", "source", "_note", "type"}})
}

// EventDelete deletes one event.
type EventDelete struct {
	ID    int64
	Today string
}

// Plan implements Planner.
func (w EventDelete) Plan(ctx context.Context, c Call) (Plan, error) {
	e, err := readEvent(ctx, c, w.ID)
	if err != nil {
		return Plan{}, err
	}
	if err := mayTouch(c, "Delete", e); err != nil {
		return Plan{}, err
	}
	o, s := deletion(e), eventSaid(c, e, w.Today, "")
	if trained(e.Category()) {
		by, err := pairings(ctx, c, e.Day(), e.Day(), w.Today)
		s.pairing(&o, e, by, err)
	}
	p := Plan{Summary: "Delete " + eventWords(e)}
	p.add(o, s)
	return p, nil
}

// deletion is the object of a plan that deletes an event; its fields say what
// is lost, in short.
func deletion(e intervals.Event) Object {
	o := Object{Kind: EventKind, Action: Delete, Target: digits(e.ID()), Before: e.Object}
	for _, key := range []string{"category", "start_date_local", "type", "name", "moving_time", "distance", "icu_training_load"} {
		if e.Has(key) {
			o.Fields = append(o.Fields, Field{Field: key, Old: e.Value(key)})
		}
	}
	why := "it gets a new id and creator"
	if len(e.Objects("attachments")) > 0 {
		why += ", its attachments are lost"
	}
	if e.Has("shared_event_id") {
		why += ", it is no longer the shared event"
	}
	if tooLarge(EventKind, e.Object) {
		why += ", its longest texts are lost"
	}
	o.Undoable = "partly (" + why + ")"
	return o
}

func undoableUpdate(kind Kind, before intervals.Object) string {
	if tooLarge(kind, before) {
		return "partly (its longest texts are too large to be kept)"
	}
	return "yes"
}

// moved is a start with another day or time of day; what is not named stays.
func moved(start, day, clock string) (string, error) {
	was, err := parseLocal(start)
	if err != nil {
		return "", &intervals.Error{Op: "get event", Kind: intervals.BadBody, Status: 200, Reason: "the event has no readable start"}
	}
	if day == "" {
		day = was.Format(training.DayLayout)
	}
	if clock == "" {
		clock = was.Format("15:04:05")
	}
	return day + "T" + seconds(clock), nil
}

func seconds(clock string) string {
	if len(clock) == len("15:04") {
		return clock + ":00"
	}
	return clock
}

func text(v any) string { s, _ := v.(string); return s }
