package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var getEventByID = Tool{
	Name:  "get_event_by_id",
	Title: "One calendar event",
	Description: "One planned workout, race, note or period in full: every step with its targets, description, load, time, distance, availability and " +
		"errors of devices. get_events lists ids. Done or missed is told by get_events.",
	Params: []Param{
		{Name: "event_id", Kind: ID, Required: true, Doc: "Number of the event."},
		athleteParam,
		{Name: "detail", Kind: Enum, Enum: []string{"summary", "full"}, Default: "summary", Doc: "full adds every other field."},
	},
	Result:  []Out{{"athlete_id", String, true}, {"event", Object, true}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching event details",
	run:     handle(readEvent),
}

type eventIn struct {
	Event   string `json:"event_id"`
	Athlete string `json:"athlete_id"`
	Detail  string `json:"detail"`
}

type eventAnswer struct {
	AthleteID string      `json:"athlete_id"`
	Event     eventDetail `json:"event"`
}

// eventDetail is an event in full. Its Description is whole, unlike that of
// the short form.
type eventDetail struct {
	eventItem
	Description string            `json:"description,omitempty"`
	Steps       []step            `json:"steps,omitempty"`
	PushErrors  []pushError       `json:"push_errors,omitempty"`
	Other       *intervals.Object `json:"other_fields,omitempty"`
	cut         bool              // of Other
}

// pushError is a device service that did not take the workout.
type pushError struct {
	Service string `json:"service,omitempty"`
	Message string `json:"message,omitempty"`
	Date    string `json:"date,omitempty"`
}

func readEvent(ctx context.Context, rq *Request, in eventIn) (eventAnswer, error) {
	id, err := strconv.ParseInt(in.Event, 10, 64)
	if err != nil || id <= 0 {
		return eventAnswer{}, Problems{{Arg: "event_id", Message: "must be the number of an event", Next: "get_events lists them"}}
	}
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return eventAnswer{}, err
	}
	eyes := rq.viewer(ctx, who)
	e, fetchErr := rq.Client.Event(ctx, who.id, id)
	p, err := who.wait(ctx)
	if err != nil {
		return eventAnswer{}, err
	}
	self, err := eyes.self(ctx)
	if err != nil {
		return eventAnswer{}, err
	}
	if hidden, _ := e.Bool("hide_from_athlete"); hidden && self || e.Foreign(p.ID) {
		fetchErr = &intervals.Error{Kind: intervals.NotFound}
	}
	switch intervals.KindOf(fetchErr) {
	case intervals.NotFound:
		return eventAnswer{}, Problems{{Message: fmt.Sprintf("No details found for event %d.", id), Next: "get_events lists the ids of a range of days"}}
	case intervals.BadBody:
		return eventAnswer{}, Problems{{Message: fmt.Sprintf("Invalid event format for event %d.", id), Next: "Intervals.icu answered with something unreadable; try again in a few minutes"}}
	}
	if fetchErr != nil {
		return eventAnswer{}, fetchErr
	}
	return eventAnswer{AthleteID: p.ID, Event: newEventDetail(e, p, in.Detail == "full")}, nil
}

func newEventDetail(e intervals.Event, p Profile, full bool) eventDetail {
	d := eventDetail{eventItem: newEventItem(e, p, diary{}), Description: wholeText(e.Str("description")), Steps: newSteps(e.Steps(), 2)}
	for _, o := range e.Objects("push_errors") {
		d.PushErrors = append(d.PushErrors, pushError{intervals.Clean(o.Str("service"), 40), intervals.Clean(o.Str("message"), 300), intervals.Clean(o.Str("date"), 40)})
	}
	d.Status = ""
	if full {
		other := otherFields(e.Object, eventShown)
		if d.cut = len(mustJSON(other)) > otherBudget; !d.cut && other.Len() > 0 {
			d.Other = &other
		}
	}
	return d
}

// wholeText is untrusted text with its lines, control characters gone; as long
// as an answer can be.
func wholeText(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	left := 10_000
	for i, line := range lines {
		if left <= 0 {
			return strings.Join(append(lines[:i], "…"), "\n")
		}
		lines[i] = intervals.Clean(line, left)
		left -= len(lines[i]) + 1
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// eventShown reports what an event's details say already.
func eventShown(key string) bool {
	switch key {
	case "id", "category", "type", "name", "start_date_local", "end_date_local", "description", "icu_training_load", "moving_time", "distance",
		"icu_intensity", "indoor", "load_target", "time_target", "distance_target", "training_availability", "max_training_time",
		"can_train_sports", "tags", "push_errors", "hide_from_athlete", "for_week", "athlete_id":
		return true
	}
	return false
}

// Text is the block of labels.
func (a eventAnswer) Text() string {
	e := a.Event
	lines := []string{"Event Details:", ""}
	add := func(label, value string) {
		if value != "" {
			lines = append(lines, label+": "+value)
		}
	}
	add("ID", strconv.FormatInt(e.ID, 10))
	add("Date", e.when())
	add("Category", e.Category)
	add("Type", e.Type)
	if e.Name != "" {
		add("Name", Quote(e.Name, 100))
	}
	add("Training Load", amount("", e.Load, ""))
	add("Duration", e.long(e.MovingTimeS))
	add("Distance", e.far("", e.DistanceM))
	add("Intensity", amount("", e.Intensity, " % of threshold"))
	add("Targets", parts(", ", amount("load ", e.LoadTarget, ""), prefixed("time ", e.long(e.TimeTargetS)), e.far("distance ", e.DistTargetM)))
	add("Settings", parts(", ", amount("FTP ", e.FTP, " W"), amount("CTL ", e.CTL, ""), amount("ATL ", e.ATL, ""), amount("CTL days ", e.CTLDays, ""), amount("ATL days ", e.ATLDays, "")))
	add("Availability and marks", e.marks())
	if len(e.Steps) > 0 {
		lines = append(lines, "Steps (m = minutes, mtr = metres):")
		lines = append(lines, stepLines(e.Steps, "- ")...)
	}
	for _, p := range e.PushErrors {
		add("Not delivered", parts(" ", p.Service, p.Date, Quote(p.Message, 300)))
	}
	if e.Description != "" {
		lines = append(lines, "Description:", QuoteBlock(e.Description, 10_000))
	}
	if e.Other != nil {
		lines = append(lines, "Other Fields:")
		for _, line := range otherText(*e.Other) {
			lines = append(lines, "- "+line)
		}
	}
	if e.cut {
		lines = append(lines, "Other Fields: too large for one answer.")
	}
	return strings.Join(lines, "\n")
}

// long writes an optional length as h:mm:ss.
func (e eventItem) long(secs *float64) string {
	if secs == nil {
		return ""
	}
	return Duration(*secs)
}

// stepLines writes one step a line, those of a repeat below it.
func stepLines(steps []step, indent string) []string {
	var out []string
	for _, s := range steps {
		line := s.short()
		if s.Steps != nil {
			line = s.times()
		}
		var marks []string
		for _, f := range s.Flags {
			if f == "warmup" || f == "cooldown" || f == "hidepower" {
				marks = append(marks, f)
			}
		}
		if s.Intensity != "" {
			marks = append(marks, s.Intensity)
		}
		if len(marks) > 0 {
			line += " (" + strings.Join(marks, ", ") + ")"
		}
		if s.Text != "" {
			line = parts(" ", line, Quote(s.Text, 200))
		}
		out = append(out, indent+line)
		out = append(out, stepLines(s.Steps, "  "+indent)...)
	}
	return out
}
