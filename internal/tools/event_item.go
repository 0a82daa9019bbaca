package tools

import (
	"strings"

	"intervals-mcp/internal/intervals"
)

// eventItem is an event in short.
type eventItem struct {
	ID           int64    `json:"id"`
	Category     string   `json:"category,omitempty"`
	Type         string   `json:"type,omitempty"`
	Name         string   `json:"name,omitempty"`
	Start        string   `json:"start_date_local,omitempty"` // wall clock
	EndDate      string   `json:"end_date,omitempty"`         // last day, inclusive
	ForWeek      bool     `json:"for_week,omitempty"`
	Load         *float64 `json:"training_load,omitempty"`
	MovingTimeS  *float64 `json:"moving_time_s,omitempty"`
	DistanceM    *float64 `json:"distance_m,omitempty"`
	Intensity    *float64 `json:"intensity_percent,omitempty"`
	Indoor       bool     `json:"indoor,omitempty"`
	StepsText    string   `json:"steps_text,omitempty"`
	Description  string   `json:"description,omitempty"` // cut; what is not told by the steps
	LoadTarget   *float64 `json:"load_target,omitempty"`
	TimeTargetS  *float64 `json:"time_target_s,omitempty"`
	DistTargetM  *float64 `json:"distance_target_m,omitempty"`
	Availability string   `json:"training_availability,omitempty"`
	MaxTimeS     *float64 `json:"max_training_time_s,omitempty"`
	CanTrain     []string `json:"can_train_sports,omitempty"`
	FTP          *float64 `json:"ftp_w,omitempty"` // SET_EFTP
	CTL          *float64 `json:"ctl,omitempty"`   // SET_FITNESS
	ATL          *float64 `json:"atl,omitempty"`
	CTLDays      *float64 `json:"ctl_days,omitempty"` // FITNESS_DAYS
	ATLDays      *float64 `json:"atl_days,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Hidden       bool     `json:"hidden_from_athlete,omitempty"`
	Status       string   `json:"status,omitempty"` // done, missed, to_come, unknown, excused
	ActivityID   string   `json:"activity_id,omitempty"`

	day   string
	past  bool // on or before today, so that the status is worth a word
	units Units
}

const (
	listedSteps = 80 // characters of a workout in a list
	listedProse = 50 // of a description
)

func newEventItem(e intervals.Event, p Profile, book diary) eventItem {
	item := eventItem{ID: e.ID(), Category: intervals.Clean(e.Category(), 20), Type: intervals.Clean(e.Str("type"), 30), Name: intervals.Clean(e.Name(), 100),
		Start: intervals.Clean(e.Str("start_date_local"), 30), EndDate: lastDay(e), Load: field(e.Object, "icu_training_load", 0), MovingTimeS: field(e.Object, "moving_time", 0),
		DistanceM: field(e.Object, "distance", 0), Intensity: field(e.Object, "icu_intensity", 0),
		LoadTarget: field(e.Object, "load_target", 0), TimeTargetS: field(e.Object, "time_target", 0), DistTargetM: field(e.Object, "distance_target", 0),
		MaxTimeS: field(e.Object, "max_training_time", 0), day: e.Day(), past: e.Day() <= book.today, units: p.Units}
	item.ForWeek, _ = e.Bool("for_week")
	item.Indoor, _ = e.Bool("indoor")
	item.Hidden, _ = e.Bool("hide_from_athlete")
	if a := e.Str("training_availability"); a != "NORMAL" {
		item.Availability = intervals.Clean(a, 20)
	}
	item.CanTrain, item.Tags = cleanAll(e.Texts("can_train_sports")), cleanAll(e.Texts("tags"))
	switch e.Category() {
	case "SET_EFTP":
		item.FTP = field(e.Object, "icu_ftp", 0)
	case "SET_FITNESS":
		item.CTL, item.ATL = field(e.Object, "icu_ctl", 1), field(e.Object, "icu_atl", 1)
	case "FITNESS_DAYS":
		item.CTLDays, item.ATLDays = field(e.Object, "ctl_days", 0), field(e.Object, "atl_days", 0)
	}
	prose := e.Str("description")
	if steps := e.Steps(); len(steps) > 0 {
		item.StepsText = stepsLine(newSteps(steps, 2), listedSteps)
		doc, _ := e.Object.Object("workout_doc")
		if prose = strings.TrimSpace(doc.Str("description")); !strings.ContainsAny(prose, " \n") {
			prose = "" // a lone word heads a section
		}
	}
	item.Description = intervals.Clean(prose, listedProse)
	item.Status, item.ActivityID = book.status(e)
	return item
}

// line is the event in a list, below the heading of its day. A workout is
// told by its sport alone.
func (e eventItem) line() string {
	category, clock, name := e.Category, e.clock(), ""
	if category == "WORKOUT" && e.Type != "" {
		category = ""
	}
	if e.Name != "" && category != "TARGET" { // a target is told by its sport and figures
		name = Quote(e.Name, 60)
	}
	if e.StepsText != "" { // which say how hard it is
		e.Intensity = nil
	}
	head := parts(" ", round(float64(e.ID), 0), clock, category, e.Type, name, e.span())
	return head + prefixed(": ", parts("; ", e.numbers(), e.StepsText, e.quotedDescription(), e.marks(), e.outcome()))
}

func prefixed(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// clock is the time of day, where the event has one.
func (e eventItem) clock() string {
	if _, clock, ok := strings.Cut(e.Start, "T"); ok && len(clock) >= 5 && clock[:5] != "00:00" {
		return clock[:5]
	}
	return ""
}

// span is what reaches beyond the event's day, both ends inclusive.
func (e eventItem) span() string {
	switch {
	case e.ForWeek:
		return "(week)"
	case e.EndDate > e.day:
		return "(to " + e.EndDate + ")"
	}
	return ""
}

// when is the day, with its time or the last day of a range.
func (e eventItem) when() string {
	return parts(" ", e.day, weekday(e.day), e.clock(), e.span())
}

func (e eventItem) numbers() string {
	return parts(", ", amount("load ", e.Load, ""), e.timed("", e.MovingTimeS), e.far("", e.DistanceM), amount("", e.Intensity, "%"),
		amount("load ", e.LoadTarget, ""), e.timed("", e.TimeTargetS), e.far("", e.DistTargetM),
		amount("FTP ", e.FTP, " W"), amount("CTL ", e.CTL, ""), amount("ATL ", e.ATL, ""),
		amount("CTL days ", e.CTLDays, ""), amount("ATL days ", e.ATLDays, ""))
}

// timed words a length to the minute; the structured result has the seconds.
func (e eventItem) timed(label string, secs *float64) string {
	if secs == nil {
		return ""
	}
	if *secs >= 600 {
		return label + shortTime(rounded(*secs/60, 0)*60)
	}
	return label + shortTime(*secs)
}

func (e eventItem) far(label string, metres *float64) string {
	if metres == nil {
		return ""
	}
	return label + e.units.Distance(*metres, e.Type)
}

func (e eventItem) quotedDescription() string {
	if e.Description == "" {
		return ""
	}
	return Quote(e.Description, listedProse+1)
}

// marks are what limits or qualifies the event.
func (e eventItem) marks() string {
	only, tags, indoor, hidden := "", "", "", ""
	if len(e.CanTrain) > 0 {
		only = "only " + strings.Join(e.CanTrain, ", ")
	}
	if len(e.Tags) > 0 {
		tags = tagList(e.Tags)
	}
	if e.Indoor {
		indoor = "indoor"
	}
	if e.Hidden {
		hidden = "hidden from the athlete"
	}
	return parts(", ", strings.ToLower(e.Availability), e.timed("at most ", e.MaxTimeS), only, indoor, tags, hidden)
}

// tagList writes tags as #tag; what is no single word is quoted.
func tagList(tags []string) string {
	words := make([]string, len(tags))
	for i, t := range tags {
		if words[i] = "#" + t; strings.ContainsAny(t, " \"#;") {
			words[i] = "#" + Quote(t, 40)
		}
	}
	return strings.Join(words, " ")
}

// outcome is the status in words; what lies ahead needs none.
func (e eventItem) outcome() string {
	switch {
	case e.Status == "" || !e.past:
		return ""
	case e.Status == "done":
		return "done " + e.ActivityID
	case e.Status == "unknown":
		return "unknown: a hidden Strava activity lies on that day"
	}
	return strings.ReplaceAll(e.Status, "_", " ")
}
