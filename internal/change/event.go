package change

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// events is the platform of calendar events.
type events struct {
	c       *intervals.Client
	w       *intervals.Writer
	athlete string
	uidOf   audit.ID
}

func (p events) create(ctx context.Context, patch intervals.Patch) (intervals.Object, error) {
	body := intervals.Patch{"uid": p.uid()}
	for k, v := range patch {
		body[k] = v
	}
	e, err := p.w.CreateEvent(ctx, p.athlete, body)
	return e.Object, err
}

// uid is derived from the change, so that sending it again makes no second
// event, and looking for it tells whether the first was made.
func (p events) uid() string {
	h := sha256.Sum256([]byte("intervals-mcp event of change " + p.uidOf.String()))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80 // RFC 9562, version 8
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

func (p events) read(ctx context.Context, id string) (intervals.Object, error) {
	e, err := p.c.Event(ctx, p.athlete, number(id))
	if err == nil && e.ID() == 0 {
		err = &intervals.Error{Op: "get event", Kind: intervals.BadBody, Status: 200, Reason: "the event has no id"}
	}
	return e.Object, err
}

func (p events) update(ctx context.Context, id string, patch intervals.Patch) error {
	_, err := p.w.UpdateEvent(ctx, p.athlete, number(id), patch)
	return err
}

func (p events) remove(ctx context.Context, id string) error {
	return p.w.DeleteEvent(ctx, p.athlete, number(id))
}

// find looks for the uid on the event's day; a note may have got another one,
// so then day, name and category tell, leaving out what was there before.
func (p events) find(ctx context.Context, o Object) (intervals.Object, bool, error) {
	start, _ := o.Patch["start_date_local"].(string)
	list, err := p.c.Events(ctx, p.athlete, dayOf(start), dayOf(start))
	if err != nil {
		return intervals.Object{}, false, err
	}
	uid := p.uid()
	for _, e := range list {
		if e.Str("uid") == uid {
			return e.Object, true, nil
		}
	}
	if trained(o.Patch["category"]) {
		return intervals.Object{}, false, nil
	}
	for _, e := range slices.Backward(list) { // the newest
		if !contains(o.Known, digits(e.ID())) && e.Day() == dayOf(start) && o.Patch["category"] == e.Category() && o.Patch["name"] == e.Name() {
			return e.Object, true, nil
		}
	}
	return intervals.Object{}, false, nil
}

// check compares an event with what was meant. Text that lost its steps gives
// way to the old one; a number that null did not clear is sent as -1, since
// which of the two clears is not settled (safety.md "Clearing").
func (p events) check(ctx context.Context, o Object, now intervals.Object) (intervals.Object, []string, *Workout, string) {
	before, e := intervals.Event{Object: o.Before}, intervals.Event{Object: now}
	_, text := o.Patch["description"]
	text = text && !contains(o.Cleared, "description")
	if text && o.Action == Update && len(before.Steps()) > 0 && len(e.Steps()) == 0 && trained(e.Category()) {
		return p.putBack(ctx, o, now)
	}
	var warnings []string
	if numbers := o.uncleared(now); len(numbers) > 0 {
		now = p.clearAgain(ctx, o, numbers, now)
		e = intervals.Event{Object: now}
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
	err := p.update(ctx, o.Target, old)
	back, readErr := p.read(ctx, o.Target)
	if err == nil && readErr == nil && sameValue("description", o.Before.Value("description"), back.Value("description")) {
		return back, nil, nil, "Intervals.icu understood no steps in the new text, and the session had some: the old state was put back. " +
			"Each step is a line such as \"- 10m 75%\"; see the description parameter for the syntax. To drop the steps on purpose, clear description first."
	}
	if readErr == nil {
		now = back
	}
	return now, []string{"Intervals.icu understood no steps in the new text, and the old text could not be put back: the new text stands, without steps."}, understood(intervals.Event{Object: now}), ""
}

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

func (p events) clearAgain(ctx context.Context, o Object, keys []string, now intervals.Object) intervals.Object {
	try := intervals.Patch{}
	for _, key := range keys {
		try[key] = -1
	}
	if p.update(ctx, o.Target, try) != nil {
		return now
	}
	after, err := p.read(ctx, o.Target)
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
	if p.update(ctx, o.Target, back) == nil {
		if restored, err := p.read(ctx, o.Target); err == nil {
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
