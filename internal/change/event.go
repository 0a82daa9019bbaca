package change

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// events is the platform of calendar events.
type events struct {
	c       *intervals.Client
	w       *intervals.Writer
	athlete string
}

func (p events) create(ctx context.Context, patch intervals.Patch) (intervals.Object, error) {
	e, err := p.w.CreateEvent(ctx, p.athlete, patch)
	return e.Object, err
}

// named gives every event that is made a uid derived from the change and its
// place in it, so that sending it again makes no second event, and looking for
// it tells whether the first was made.
func named(objects []Object, change audit.ID) []Object {
	out := slices.Clone(objects)
	for i, o := range out {
		if o.Kind != EventKind || o.Action != Create {
			continue
		}
		patch := maps.Clone(o.Patch)
		patch["uid"] = uid(change, i)
		if o.Replaces != "" { // whoever brings it back: it comes back once
			patch["uid"] = uidOfReturned(o.Replaces)
		}
		out[i].Patch = patch
	}
	return out
}

func uid(change audit.ID, n int) string {
	return uidOf(fmt.Sprintf("intervals-mcp event %d of change %s", n, change))
}

// uidOfReturned is the uid of the event that brings back a deleted one. It
// follows from that one's id, so that two who undo its deletion at the same
// instant, or once more after a lost answer, bring it back once.
func uidOfReturned(id string) string { return uidOf("intervals-mcp event for deleted event " + id) }

func uidOf(name string) string {
	h := sha256.Sum256([]byte(name))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80 // RFC 9562, version 8
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

func (p events) read(ctx context.Context, id string) (intervals.Object, error) {
	e, err := p.c.Event(ctx, p.athlete, number(id))
	if err == nil && (digits(e.ID()) != id || e.Category() == "") {
		err = &intervals.Error{Op: "get event", Kind: intervals.BadBody, Status: 200, Reason: "the event has no id or category"}
	}
	return e.Object, err
}

func (p events) update(ctx context.Context, id string, patch intervals.Patch) error {
	e, err := p.w.UpdateEvent(ctx, p.athlete, number(id), patch)
	return answered(id, e.Object, err)
}

// errOddAnswer is given by an update that was accepted with an answer of
// another shape: only reading tells what came of it.
var errOddAnswer = errors.New("the answer is not what was updated")

func answered(id string, is intervals.Object, err error) error {
	if err == nil && is.Str("id") != id {
		return errOddAnswer
	}
	return err
}

func (p events) remove(ctx context.Context, id string) error {
	return p.w.DeleteEvent(ctx, p.athlete, number(id))
}

func (p events) find(ctx context.Context, o Object) (intervals.Object, bool, error) {
	day := o.day()
	list, err := p.c.Events(ctx, p.athlete, day, day)
	if err != nil {
		return intervals.Object{}, false, err
	}
	now, ok := o.among(list)
	return now, ok, nil
}

// day is the local day on which an event lies, before the change.
func (o Object) day() string {
	if o.Action == Create {
		return dayOf(text(o.Patch["start_date_local"]))
	}
	return dayOf(o.Before.Str("start_date_local"))
}

// among finds an event in a list: by its id, or what a create made by its uid.
// A note may have got another uid, so then day, name and category tell, leaving
// out what was there before.
func (o Object) among(list []intervals.Event) (intervals.Object, bool) {
	for _, e := range list {
		if o.Target != "" && digits(e.ID()) == o.Target || o.Target == "" && e.Str("uid") != "" && e.Str("uid") == o.Patch["uid"] {
			return e.Object, true
		}
	}
	if o.Target != "" || trained(o.Patch["category"]) {
		return intervals.Object{}, false
	}
	var alike intervals.Object
	for _, e := range slices.Backward(list) { // the newest
		if contains(o.Known, digits(e.ID())) || e.Day() != o.day() || o.Patch["category"] != e.Category() || o.Patch["name"] != e.Name() {
			continue
		}
		if o.sameThing(e.Object) {
			return e.Object, true
		}
		if alike.Len() == 0 {
			alike = e.Object
		}
	}
	return alike, alike.Len() > 0
}

// check compares an event with what was meant. Text that lost its steps gives
// way to the old one; a number that null did not clear is sent as -1, since
// which of the two clears is not settled (safety.md "Clearing").
func (p events) check(ctx context.Context, o Object, now intervals.Object) (intervals.Object, []string, *Workout, string) {
	before, e := intervals.Event{Object: o.Before}, intervals.Event{Object: now}
	_, text := o.Patch["description"]
	text = text && !contains(o.Cleared, "description")
	if text && o.Action == Update && !o.Back && len(before.Steps()) > 0 && len(e.Steps()) == 0 && trained(e.Category()) {
		return p.putBack(ctx, o, now)
	}
	var warnings []string
	if numbers := o.uncleared(now); len(numbers) > 0 {
		now = p.clearAgain(ctx, numbers, now)
		e = intervals.Event{Object: now}
	}
	if figures := o.otherFigures(now); len(figures) > 0 {
		now = p.mend(ctx, figures, now)
		e = intervals.Event{Object: now}
		for _, key := range slices.Sorted(maps.Keys(o.otherFigures(now))) {
			if _, sent := o.Patch[key]; !sent { // else it is told below
				warnings = append(warnings, fmt.Sprintf("%s was %s and is now %s.", key, words(o.Figures[key]), words(now.Value(key))))
			}
		}
	}
	warnings = append(warnings, o.differences(now)...)
	var workout *Workout
	if text && trained(e.Category()) {
		workout = understood(e)
		if o.Workout != nil {
			warnings = append(warnings, o.Workout.compare(workout)...)
		}
	} else if _, timed := o.Patch["moving_time"]; timed && trained(e.Category()) {
		secs, _ := e.Number("moving_time")
		warnings = append(warnings, implausible(secs)...)
	}
	for _, pe := range e.Objects("push_errors") {
		warnings = append(warnings, fmt.Sprintf("%s did not take the workout: %s.", cut(pe.Str("service"), 30), quote(pe.Str("message"), 120)))
	}
	return now, warnings, workout, ""
}

// putBack restores every field that the change touched.
func (p events) putBack(ctx context.Context, o Object, now intervals.Object) (intervals.Object, []string, *Workout, string) {
	old := intervals.Patch{}
	for key := range o.Patch {
		if v := o.Before.Value(key); v != nil {
			old[key] = v
		} else {
			old[key] = clearing(key)
		}
	}
	if err := p.update(ctx, o.Target, old); maybe(err) {
		_ = p.update(ctx, o.Target, old) // once more; what stands is read in any case
	}
	back, readErr := p.read(ctx, o.Target)
	if readErr != nil {
		return now, nil, nil, backUnknown
	}
	if sameValue("description", o.Before.Value("description"), back.Value("description")) {
		return back, nil, nil, "Intervals.icu understood no steps in the new text, and the session had some: the old state was put back. " +
			"Each step is a line such as \"- 10m 75%\"; see the description parameter for the syntax. To drop the steps on purpose, clear description first."
	}
	return back, []string{"Intervals.icu understood no steps in the new text, and the old text could not be put back: the new text stands, without steps."}, understood(intervals.Event{Object: back}), ""
}

// backUnknown is the reason of a check after which nobody knows which of two
// states stands.
const backUnknown = "Intervals.icu understood no steps in the new text, and whether the old text was put back could not be read. Read it before repeating the call."

// uncleared lists the numbers that were to be cleared and still stand.
func (o Object) uncleared(now intervals.Object) []string {
	var out []string
	for _, key := range o.Cleared {
		if _, isNumber := now.Number(key); isNumber && o.Patch[key] == nil && !isEmpty(now.Value(key)) {
			out = append(out, key)
		}
	}
	return out
}

func (p events) clearAgain(ctx context.Context, keys []string, now intervals.Object) intervals.Object {
	id := now.Str("id")
	try := intervals.Patch{}
	for _, key := range keys {
		try[key] = -1
	}
	if p.update(ctx, id, try) != nil {
		return now
	}
	after, err := p.read(ctx, id)
	if err != nil {
		return now
	}
	back := intervals.Patch{}
	for _, key := range keys {
		if v, ok := after.Number(key); ok && v == -1 { // it was taken for a number
			back[key] = now.Value(key)
		}
	}
	if len(back) == 0 {
		return after
	}
	if p.update(ctx, id, back) == nil {
		if restored, err := p.read(ctx, id); err == nil {
			return restored
		}
	}
	return after
}

// clearing is the value that clears a field; nil is sent as null.
func clearing(key string) any {
	switch key {
	case "description", "color", "name":
		return ""
	case "tags", "can_train_sports":
		return []string{}
	case "target":
		return "AUTO"
	case "indoor":
		return false
	}
	return nil
}

// trained reports a category that is trained: it has a sport and may have
// steps.
func trained(category any) bool {
	switch category {
	case "WORKOUT", "RACE_A", "RACE_B", "RACE_C":
		return true
	}
	return false
}

// readOnlyCategory reports what this server only shows (domain.md "Calendar").
func readOnlyCategory(category string) bool {
	switch category {
	case "SET_FITNESS", "FITNESS_DAYS", "SET_EFTP", "SEASON_START", "PLAN":
		return true
	}
	return false
}
