package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

// workoutSyntax is the one place where the syntax of workout text is told
// (tools.md): models read parameters, not resources.
const workoutSyntax = `Workout text or prose. Steps are lines "- [cue] length target"; length 10m, 1h30m, 30s, 400mtr, 1.5km (m = MINUTES, metres = mtr); cue first, without digits. ` +
	`Targets: power 75%, 60-70%, 200w, Z2; heart rate 70-80% LTHR, 80% HR, Z2 HR; pace 95% Pace, 4:30/km Pace, 4:30-4:20/km Pace, 1:45/100m Pace, Z2 Pace (the word Pace is needed; bare % and Z mean power). ` +
	`Also: ramp 50-75%, freeride, 85-95rpm, press lap. A repeat is a line "4x" between blank lines, its steps right below; no repeats inside. "Warmup" and "Cooldown" are header lines. Example:
Warmup
- Easy 10m ramp 50-75% 90rpm

3x
- Hard 8m 98-102%
- Spin 4m 55%

Cooldown
- 10m 50%`

const docSyntax = `Instead of text: {description, steps: [{text, duration (s) or distance (m), power | hr | pace | cadence: {value or start, end; units}, ` +
	`ramp, freeride, maxeffort, until_lap_press, hidepower, warmup, cooldown, intensity; or reps and steps}]}. Units: %ftp, w, power_zone, %mmp; %lthr, %hr, hr_zone, bpm; ` +
	`%pace, pace_zone, MINS_KM, MINS_MILE, SECS_100M, SECS_100Y, SECS_500M; rpm. It is written as text.`

// clearable maps the names of clearable fields to the platform's.
var clearable = map[string]string{"description": "description", "moving_time": "moving_time", "distance": "distance",
	"training_load": "icu_training_load", "tags": "tags", "color": "color", "target": "target", "indoor": "indoor"}

var addOrUpdateEvent = Tool{
	Name:  "add_or_update_event",
	Title: "Plan or change a calendar event",
	Description: "Makes a planned workout, race, note or period, or changes one (event_id): only what is passed changes; day, time, category and text stay otherwise. " +
		"Answers with the difference and what Intervals.icu understood of the steps. Events are listed by get_events.",
	Params: []Param{
		athleteParam, eventIDParam,
		{Name: "name", Kind: String, MaxLen: 80, Doc: "Required for a new event."},
		{Name: "workout_type", Kind: String, MaxLen: 40, Doc: "Sport: Ride, Run, Swim, WeightTraining, VirtualRide, TrailRun ... Default: kept, or the one that the name says."},
		{Name: "category", Kind: Enum, Enum: []string{"WORKOUT", "RACE_A", "RACE_B", "RACE_C", "NOTE", "HOLIDAY", "SICK", "INJURED"}, Doc: "Default: kept, or WORKOUT for a new event."},
		{Name: "start_date", Kind: Date, Doc: "YYYY-MM-DD, with a time 2026-07-14T06:30, or today, tomorrow, +3d. Default: kept, or today for a new event."},
		{Name: "start_time", Kind: String, MaxLen: 8, Doc: "HH:MM. Default: kept, or none."},
		todayParam,
		{Name: "description", Kind: String, MaxLen: 12000, Doc: workoutSyntax},
		{Name: "workout_doc", Kind: Object, Accept: readDoc, Doc: docSyntax},
		{Name: "moving_time", Kind: Integer, Accept: readSeconds, Doc: "Planned seconds, where no steps say it."},
		{Name: "distance", Kind: Number, Accept: readMetres, Doc: "Planned metres."},
		{Name: "training_load", Kind: Integer, Min: 1, Max: 2000, Doc: "Planned load. Leave out where steps let Intervals.icu compute it."},
		{Name: "indoor", Kind: Boolean},
		{Name: "tags", Kind: List, Items: String, Doc: "Replaces the tags."},
		{Name: "color", Kind: String, MaxLen: 30, Doc: "Name or #hex."},
		{Name: "target", Kind: Enum, Enum: []string{"AUTO", "POWER", "HR", "PACE"}, Doc: "What devices aim at."},
		{Name: "clear", Kind: List, Items: String, Doc: "Fields to empty: description, moving_time, distance, training_load, tags, color, target, indoor. Empty text and null clear nothing."},
		duplicateParam,
	},
	Result:  writeOut("event"),
	Hints:   writes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetCore,
	Failure: "Error adding or updating event",
	run:     handle(writeEvent),
}

type eventWriteIn struct {
	Athlete     string          `json:"athlete_id"`
	Event       string          `json:"event_id"`
	Name        string          `json:"name"`
	Type        string          `json:"workout_type"`
	Category    string          `json:"category"`
	Date        string          `json:"start_date"`
	Time        string          `json:"start_time"`
	Today       string          `json:"today"`
	Description string          `json:"description"`
	Doc         json.RawMessage `json:"workout_doc"`
	MovingTime  *int64          `json:"moving_time"`
	Distance    *float64        `json:"distance"`
	Load        *int64          `json:"training_load"`
	Indoor      *bool           `json:"indoor"`
	Tags        []string        `json:"tags"`
	Color       string          `json:"color"`
	Target      string          `json:"target"`
	Clear       []string        `json:"clear"`
	Duplicate   bool            `json:"allow_duplicate"`
}

type eventWritten struct {
	written
	Event *eventItem `json:"event,omitempty"`
}

func writeEvent(ctx context.Context, rq *Request, in eventWriteIn) (eventWritten, error) {
	at, err := rq.place(ctx, in.Athlete)
	if err != nil {
		return eventWritten{}, err
	}
	today, err := at.today(rq, in.Today)
	if err != nil {
		return eventWritten{}, err
	}
	edit, notes, err := in.edit(at.p, today)
	if err != nil {
		return eventWritten{}, err
	}
	r, err := rq.do(ctx, at, edit)
	if err != nil {
		return eventWritten{}, eventError(err, edit.ID)
	}
	for _, n := range notes {
		rq.note(n)
	}
	return rq.eventWritten(at, r, edit.ID), nil
}

// eventError says that there is no such event, in the words of reads.
func eventError(err error, id int64) error {
	if intervals.KindOf(err) == intervals.NotFound {
		return Problems{{Arg: "event_id", Message: fmt.Sprintf("%d: there is no such event", id), Next: "get_events lists the ids of a range of days"}}
	}
	return err
}

// eventWritten words the answer of a write of one event; id is 0 where it is
// made.
func (rq *Request) eventWritten(at place, r *change.Result, id int64) eventWritten {
	if w, ok := rq.unmade(at, r); ok {
		return eventWritten{written: w}
	}
	out, p := eventWritten{written: written{Result: r}}, at.p
	verb, failure := "updated", "Error updating event"
	if id == 0 {
		verb, failure = "created", "Error creating event"
	}
	var facts []string
	if r.State.Len() > 0 {
		item := newEventItem(intervals.Event{Object: r.State}, p, diary{})
		item.Status, item.ActivityID = "", ""
		out.Event = &item
		facts = append(facts, item.short())
		if !r.IsError() && r.Status != change.Replayed {
			facts = append(facts, changed(r, p, item.Type), understoodLine(r, p, item.Type))
		}
	}
	made := "?"
	if len(r.Objects) == 1 && r.Objects[0].ID != "" {
		made = r.Objects[0].ID
	}
	first := fmt.Sprintf("Successfully %s event id: %s", verb, made)
	if r.Status == change.Replayed {
		first = "Already created event id: " + made
	}
	out.text = say(r, failure, first, facts...)
	return out
}

// short is the event without its text: what was stored, on one line.
func (e eventItem) short() string {
	return parts(" ", e.when(), e.Category, e.Type, Quote(e.Name, 80)) + map[bool]string{true: "", false: "; " + e.numbers()}[e.numbers() == ""]
}

func understoodLine(r *change.Result, p Profile, sport string) string {
	w := r.Objects[0].Workout
	if w == nil || w.Steps == 0 {
		return ""
	}
	line := fmt.Sprintf("Intervals.icu understood %d steps", w.Steps)
	if w.Repeats > 0 {
		line += fmt.Sprintf(" (repeats: %d)", w.Repeats)
	}
	if w.MovingTimeS > 0 {
		line += ", " + Duration(w.MovingTimeS)
	}
	if w.DistanceM > 0 {
		line += ", " + p.Units.Distance(w.DistanceM, sport)
	}
	if w.Load != nil {
		line += ", load " + round(*w.Load, 0)
	}
	return line + "."
}

var clockText = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$`)

// edit reads the arguments, all problems at once.
func (in eventWriteIn) edit(p Profile, today string) (change.EventEdit, []string, error) {
	edit := change.EventEdit{Set: intervals.Patch{}, Today: today, AllowDuplicate: in.Duplicate}
	var problems Problems
	bad := func(arg, format string, a ...any) {
		problems = append(problems, Problem{Arg: arg, Message: fmt.Sprintf(format, a...)})
	}
	if in.Event != "" {
		var err error
		if edit.ID, err = eventNumber(in.Event); err != nil {
			bad("event_id", "%s", err)
		}
	}
	creating := in.Event == ""
	edit.Day, edit.Clock = localStart(in.Date, today)
	if in.Time != "" {
		switch clock := twoDigits(strings.TrimSpace(in.Time)); {
		case !clockText.MatchString(clock):
			bad("start_time", "must be a time of day such as 06:30")
		case edit.Clock != "" && edit.Clock[:5] != clock[:5]:
			bad("start_time", "differs from the time in start_date; give it once")
		default:
			edit.Clock = clock
		}
	}
	in.scalars(edit.Set)
	category := in.Category
	if creating && category == "" {
		category = "WORKOUT"
		edit.Set["category"] = category
	}
	if creating && in.Name == "" {
		bad("name", "is required for a new event")
	}
	sport, err := in.sport(creating, category)
	if err != nil {
		bad("workout_type", "%s", err)
	} else if sport != "" {
		edit.Set["type"] = sport
	}
	notes, err := in.text(&edit, p, sport)
	if more, ok := err.(Problems); ok { //nolint:errorlint // text gives nothing else
		problems = append(problems, more...)
	}
	in.clears(&edit, creating, bad)
	if len(problems) == 0 && !creating && len(edit.Set)+len(edit.Clear) == 0 && edit.Day == "" && edit.Clock == "" {
		bad("event_id", "is all that was passed: say what to change")
	}
	if len(problems) > 0 {
		return edit, nil, problems
	}
	return edit, notes, nil
}

// clears reads the names of what is to be emptied.
func (in eventWriteIn) clears(edit *change.EventEdit, creating bool, bad func(arg, format string, a ...any)) {
	for _, name := range in.Clear {
		key := clearable[strings.ToLower(strings.TrimSpace(name))]
		switch {
		case key == "":
			bad("clear", "%s cannot be cleared; description, moving_time, distance, training_load, tags, color, target and indoor can", Quote(name, 30))
		case creating:
			bad("clear", "has nothing to clear in a new event")
		case edit.Set[key] != nil:
			bad("clear", "names %s, which is also set; do one of the two", name)
		default:
			edit.Clear = append(edit.Clear, key)
		}
	}
}

// scalars sets the fields that are sent as they are.
func (in eventWriteIn) scalars(set intervals.Patch) {
	for key, v := range map[string]string{"name": in.Name, "category": in.Category, "color": in.Color, "target": in.Target} {
		if v != "" {
			set[key] = v
		}
	}
	if in.MovingTime != nil {
		set["moving_time"] = *in.MovingTime
	}
	if in.Distance != nil {
		set["distance"] = *in.Distance
	}
	if in.Load != nil {
		set["icu_training_load"] = *in.Load
	}
	if in.Indoor != nil {
		set["indoor"] = *in.Indoor
	}
	if len(in.Tags) > 0 {
		set["tags"] = in.Tags
	}
}

// sport is the one passed, or for a new session the one that its name says.
func (in eventWriteIn) sport(creating bool, category string) (string, error) {
	if in.Type != "" {
		return readSport(in.Type)
	}
	if !creating || (category != "WORKOUT" && !strings.HasPrefix(category, "RACE")) {
		return "", nil
	}
	return sportOfName(in.Name)
}

// text makes the description of description and workout_doc.
func (in eventWriteIn) text(edit *change.EventEdit, p Profile, sport string) (notes []string, err error) {
	text, meant := strings.TrimRight(in.Description, " \t\r\n"), change.ReadText(in.Description)
	if len(in.Doc) > 0 {
		var doc map[string]any
		if json.Unmarshal(in.Doc, &doc) != nil {
			return nil, refuse("workout_doc", "must be a JSON object")
		}
		steps, _ := doc["steps"].([]any)
		own := strings.TrimSpace(stringOf(doc["description"]))
		switch {
		case meant.Steps > 0 && len(steps) > 0:
			return nil, refuse("description", "holds step lines beside the steps of workout_doc; give the steps once")
		case text != "" && own != "" && text != own:
			return nil, refuse("description", "and workout_doc.description differ; give one of them")
		case text != "":
			doc["description"] = text
		}
		r, err := renderWorkout(doc, sport, p.hrBase(sport))
		if err != nil {
			return nil, err
		}
		text, notes = r.Text, r.Notes
		meant = r.Workout
		if meant.Steps == 0 {
			meant = change.ReadText(text)
		}
		if text == "" {
			return nil, refuse("workout_doc", "holds neither steps nor a description")
		}
	}
	if text == "" {
		return notes, nil
	}
	if n := utf8.RuneCountInString(text); n > 20_000 {
		return nil, refuse("workout_doc", "comes to %d characters of text; at most 20000 are allowed", n)
	}
	edit.Set["description"], edit.Workout = text, &meant
	return notes, nil
}

// hrBase is what heart rates of a sport are percentages of.
func (p Profile) hrBase(sport string) hrBase {
	s, ok := p.sport(sport)
	if !ok && len(p.Settings) > 0 && sport == "" {
		s = p.Settings[0]
	}
	var b hrBase
	b.LTHR, _ = s.Number("lthr")
	b.Max, _ = s.Number("max_hr")
	return b
}
