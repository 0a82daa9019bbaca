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
		return w.planCreate(ctx, c)
	}
	return w.planUpdate(ctx, c)
}

func (w EventEdit) planCreate(ctx context.Context, c Call) (Plan, error) {
	patch := intervals.Patch{}
	for k, v := range w.Set {
		patch[k] = v
	}
	day, clock := w.Day, w.Clock
	if day == "" {
		day = w.Today
	}
	if clock == "" {
		clock = "00:00"
	}
	patch["start_date_local"] = day + "T" + seconds(clock)
	o := Object{Kind: EventKind, Action: Create, Patch: patch, Undoable: "yes", Workout: w.Workout}
	o.Fields = difference(intervals.Object{}, eventKeys, patch, nil)
	there, err := c.Client.Events(ctx, c.Athlete, day, day)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{AllowDuplicate: w.AllowDuplicate}
	for _, e := range there {
		o.Known = append(o.Known, digits(e.ID()))
		if e.Day() == day && e.Category() == patch["category"] && e.Str("type") == text(patch["type"]) && strings.EqualFold(e.Name(), text(patch["name"])) {
			p.Warnings = append(p.Warnings, fmt.Sprintf("event %d of the same name, kind and sport is on that day already.", e.ID()))
		}
	}
	p.Summary = fmt.Sprintf("Create %s %s on %s", kindWords(text(patch["category"]), text(patch["type"])), quote(text(patch["name"]), 70), whenWords(text(patch["start_date_local"])))
	p.Objects = []Object{o}
	return p, nil
}

func (w EventEdit) planUpdate(ctx context.Context, c Call) (Plan, error) {
	before, err := readEvent(ctx, c, w.ID)
	if err != nil {
		return Plan{}, err
	}
	patch := intervals.Patch{}
	for k, v := range w.Set {
		patch[k] = v
	}
	for _, key := range w.Clear {
		patch[key] = clearing(key)
	}
	start := before.Str("start_date_local")
	if w.Day != "" || w.Clock != "" {
		if patch["start_date_local"], err = moved(start, w.Day, w.Clock); err != nil {
			return Plan{}, err
		}
	}
	if err := w.mayChange(c, before, patch); err != nil {
		return Plan{}, err
	}
	o := Object{Kind: EventKind, Action: Update, Target: digits(w.ID), Patch: patch, Cleared: w.Clear, Before: before.Object, Workout: w.Workout}
	o.Fields = difference(before.Object, eventKeys, patch, w.Clear)
	o.Undoable = undoableUpdate(EventKind, before.Object)
	p := Plan{Warnings: eventWarnings(c, before, w.Today, text(patch["start_date_local"]))}
	if to := text(patch["start_date_local"]); to != "" && dayOf(to) != before.Day() {
		p.Warnings = append(p.Warnings, unpairing(ctx, c, before, w.Today)...)
	}
	p.Summary = fmt.Sprintf("Change %s: %s", eventWords(before), fieldWords(o.Fields))
	p.Objects = []Object{o}
	return p, nil
}

// readEvent reads an event for a change. What a coach hid from the athlete is
// not there for the athlete, and what is another athlete's for nobody.
func readEvent(ctx context.Context, c Call, id int64) (intervals.Event, error) {
	e, err := c.Client.Event(ctx, c.Athlete, id)
	if err != nil {
		return e, err
	}
	if hidden, _ := e.Bool("hide_from_athlete"); hidden && c.own() || e.Foreign(c.Athlete) {
		return e, &intervals.Error{Op: "get event", Kind: intervals.NotFound, Status: 404}
	}
	if e.ID() != id || e.Category() == "" {
		return e, &intervals.Error{Op: "get event", Kind: intervals.BadBody, Status: 200, Reason: "the event has no id or category"}
	}
	return e, nil
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

// eventWarnings names what the person should know before an event is touched.
func eventWarnings(c Call, e intervals.Event, today, to string) []string {
	var out []string
	if by := e.Str("created_by_id"); by != "" && by != c.Me {
		out = append(out, fmt.Sprintf("event %d was created by %s, not by you.", e.ID(), cut(by, 30)))
	}
	if e.Has("shared_event_id") {
		out = append(out, fmt.Sprintf("event %d is a shared event.", e.ID()))
	}
	soon := []string{today, training.AddDays(today, 1)}
	if trained(e.Category()) && (slices.Contains(soon, e.Day()) || (to != "" && slices.Contains(soon, dayOf(to)))) {
		out = append(out, "it is a session of today or tomorrow and may already be on the watch: check the device.")
	}
	return out
}

// unpairing names the activities by which an event is done, from the day
// before to the day after; a failure to read them is said, not fatal.
func unpairing(ctx context.Context, c Call, e intervals.Event, today string) []string {
	if !trained(e.Category()) || e.Day() > training.AddDays(today, 1) {
		return nil
	}
	acts, err := activitiesAround(ctx, c, e.Day(), e.Day())
	if err != nil {
		return []string{"whether an activity is paired with it could not be read."}
	}
	var out []string
	for _, a := range acts {
		if n, ok := a.Int("paired_event_id"); ok && n == e.ID() {
			out = append(out, fmt.Sprintf("unpairs activity %s: the session was done.", cut(a.ID(), 30)))
		}
	}
	return out
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
	return Plan{
		Summary:  "Delete " + eventWords(e),
		Objects:  []Object{deletion(e)},
		Warnings: append(eventWarnings(c, e, w.Today, ""), unpairing(ctx, c, e, w.Today)...),
	}, nil
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

// The words of summaries.

func kindWords(category, sport string) string {
	if category == "WORKOUT" {
		return strings.TrimSpace("workout " + sport)
	}
	return strings.TrimSpace(category + " " + sport)
}

func eventWords(e intervals.Event) string {
	return fmt.Sprintf("%s %s of %s (event %d)", kindWords(cut(e.Category(), 20), cut(e.Str("type"), 20)), quote(e.Name(), 40), whenWords(e.Str("start_date_local")), e.ID())
}

// whenWords writes a local start, its time of day only when it has one.
func whenWords(local string) string {
	t, err := parseLocal(local)
	if err != nil {
		return cut(local, 20)
	}
	if t.Hour() == 0 && t.Minute() == 0 {
		return dayWords(local)
	}
	return dayWords(local) + " " + t.Format("15:04")
}

func fieldWords(fields []Field) string {
	if len(fields) == 0 {
		return "nothing differs"
	}
	var out []string
	for _, f := range fields {
		switch {
		case f.Field == "description" || f.Field == "content":
			out = append(out, f.Field)
		case f.Field == "start_date_local":
			out = append(out, "to "+whenWords(text(f.New)))
		case f.New == nil:
			out = append(out, "clear "+f.Field)
		case f.Field == "moving_time":
			a, _ := asNumber(f.Old)
			b, _ := asNumber(f.New)
			out = append(out, "time "+clock(a)+" -> "+clock(b))
		default:
			out = append(out, f.Field)
		}
	}
	return strings.Join(out, ", ")
}
