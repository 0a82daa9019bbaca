package intervals

import (
	"math"
	"strings"
)

// Athlete is an athlete's profile: only the keys of publicProfile, so that
// e-mail, keys and ids at other services never leave this package.
type Athlete struct{ Object }

// publicProfile lists what of an athlete may be shown (API.md 2.1).
var publicProfile = map[string]bool{
	"id": true, "name": true, "firstname": true, "lastname": true, "sex": true, "city": true, "country": true,
	"timezone": true, "locale": true, "measurement_preference": true, "weight_pref_lb": true, "fahrenheit": true,
	"wind_speed": true, "rain": true, "height": true, "height_units": true, "icu_weight": true, "weight": true,
	"icu_resting_hr": true, "icu_date_of_birth": true, "icu_form_as_percent": true, "icu_coach": true,
	"icu_permission": true, "icu_wellness_keys": true, "private_wellness_keys": true, "icu_track_menstrual_cycle": true,
	"icu_mmp_days": true, "training_availability": true, "training_plan_id": true, "training_plan_start_date": true,
	"sportSettings": true, "custom_items": true, "status": true, "coach_ticks": true, "icu_activated": true,
}

func newAthlete(o Object) Athlete {
	return Athlete{o.Only(func(key string) bool { return publicProfile[key] })}
}

// ID is the athlete's id, such as "i12345" or a bare number.
func (a Athlete) ID() string { return a.word("id") }

// Name is how the athlete calls themselves: untrusted text.
func (a Athlete) Name() string { return a.str("name") }

// Timezone is an IANA name; empty when unknown.
func (a Athlete) Timezone() string { return a.word("timezone") }

// Coached reports whether the key that listed the athlete has rights on them.
// The list holds those who are only followed too; the permission decides
// (domain.md "Who may reach whom"; its values are not settled, so only those
// known to mean no rights are refused).
func (a Athlete) Coached() bool {
	switch a.str("icu_permission") {
	case "NONE", "FOLLOW", "FOLLOWING", "FOLLOWER":
		return false
	}
	return true
}

// SportSettings are the settings per group of sports, where the profile
// carries them.
func (a Athlete) SportSettings() []SportSettings {
	return wrap(a.Objects("sportSettings"), func(o Object) SportSettings { return SportSettings{o} })
}

// CustomItems are the custom fields and charts, where the profile carries
// them.
func (a Athlete) CustomItems() []CustomItem {
	return wrap(a.Objects("custom_items"), func(o Object) CustomItem { return CustomItem{o} })
}

// SportSettings are thresholds and zones for a group of sports: W, bpm, m/s,
// zone bounds as API.md 2.2 gives them.
type SportSettings struct{ Object }

// Types are the sports that the settings hold for.
func (s SportSettings) Types() []string { return s.Texts("types") }

// Activity is a recorded activity; units as API.md 2.3 gives them. A list
// asked for with fields holds only those keys.
type Activity struct{ Object }

// ID is "i" and digits, or bare digits for a Strava import.
func (a Activity) ID() string { return a.word("id") }

// AthleteID says whose activity it is.
func (a Activity) AthleteID() string { return a.str("icu_athlete_id") }

// Name is untrusted text, empty when unnamed.
func (a Activity) Name() string { return a.str("name") }

// Type is the sport, such as "Ride".
func (a Activity) Type() string { return a.word("type") }

// StartLocal is the wall-clock start where it happened, "2006-01-02T15:04:05".
func (a Activity) StartLocal() string { return a.word("start_date_local") }

// Day is the local day to which the activity belongs (domain.md "Time").
func (a Activity) Day() string { return day(a.StartLocal()) }

// Hidden reports a stub: the activity came through Strava, which forbids the
// API to show it (API.md 6, trap 1).
func (a Activity) Hidden() bool {
	_, note := a.Text("_note")
	return note || (a.str("source") == "STRAVA" && a.str("type") == "")
}

// FootSport reports whether cadence counts one leg (API.md 6, trap 2).
func (a Activity) FootSport() bool { return FootSport(a.Type()) }

// FootSport reports whether a sport's cadence counts one leg, so that steps
// per minute are twice the number.
func FootSport(sport string) bool {
	switch sport {
	case "Run", "VirtualRun", "TrailRun", "Walk", "Hike", "Snowshoe", "Treadmill":
		return true
	}
	return false
}

// Intervals are an activity's laps as the platform analysed them.
type Intervals struct {
	ID        string
	Analyzed  string
	Intervals []Object // keys of SCHEMAS.md Interval
	Groups    []Object // keys of SCHEMAS.md IntervalGroup
	// Recognised is false when the answer held neither list.
	Recognised bool
}

// Stream is one recorded series; NaN stands for a missing sample. Index is not
// seconds: the "time" stream says when each sample was taken (API.md 2.3).
type Stream struct {
	Type      string
	Name      string // custom streams
	ValueType string
	Data      []float64
	Data2     []float64 // longitude of latlng, else nil
	Custom    bool
	AllNull   bool
}

// Message is a comment on an activity: untrusted text.
type Message struct{ Object }

// Curve is a best-effort curve over a window; Object keeps the rest.
type Curve struct {
	Object
	Secs       []float64
	Values     []float64 // W or bpm
	PerKg      []float64 // W/kg, may be empty
	Activities []string  // id of the activity of each value, "" where unknown
	PerKgActs  []string  // the same for PerKg
}

// Curves is the answer of a curve endpoint.
type Curves struct {
	List       []Curve
	Activities map[string]Activity // by id; the bulk of the bytes
}

// Wellness is one day's record; computed fields are read-only (API.md 5).
type Wellness struct{ Object }

// Day is the record's local date.
func (w Wellness) Day() string { return w.str("id") }

// Event is anything on the calendar (API.md 3.1).
type Event struct{ Object }

// ID is the event's number; 0 when it has none.
func (e Event) ID() int64 { n, _ := e.Int("id"); return n }

// Day is the local day on which it starts.
func (e Event) Day() string { return day(e.word("start_date_local")) }

// Category is WORKOUT, NOTE, RACE_A ... (API.md 3.2).
func (e Event) Category() string { return e.word("category") }

// Name is untrusted text.
func (e Event) Name() string { return e.str("name") }

// Foreign reports that an event or custom item says that it belongs to another
// athlete than the one in whose path it was asked for: a coach's key may reach
// both, a connection only one of them.
func (o Object) Foreign(athlete string) bool {
	owner := o.str("athlete_id")
	return owner != "" && owner != athlete
}

// Steps are the steps that the platform understood, nil when there are none.
func (e Event) Steps() []Object {
	doc, ok := e.Object.Object("workout_doc")
	if !ok {
		return nil
	}
	return doc.Objects("steps")
}

// Gear is a bike, shoe or part.
type Gear struct{ Object }

// ID is text such as "b123".
func (g Gear) ID() string { return g.word("id") }

// Name is untrusted text.
func (g Gear) Name() string { return g.str("name") }

// CustomItem is a custom field, chart or stream definition.
type CustomItem struct{ Object }

// ID is the item's number.
func (c CustomItem) ID() int64 { n, _ := c.Int("id"); return n }

// Summary is one row of athlete-summary: an athlete and a Monday-week.
type Summary struct{ Object }

// str gives a string or "".
func (o Object) str(key string) string { s, _ := o.Text(key); return s }

// Str gives a string, or "" when the key is absent, null or of another kind.
func (o Object) Str(key string) string { return o.str(key) }

// word gives one of the platform's own words, such as an id, a sport or a
// date: one short line whatever was sent, since answers print it unquoted.
func (o Object) word(key string) string {
	s := o.str(key)
	for i := range len(s) {
		if i == maxWord || s[i] < '!' || s[i] > '~' {
			return Clean(s, maxWord)
		}
	}
	return s
}

const maxWord = 60

func day(local string) string {
	d, _, _ := strings.Cut(local, "T")
	return d
}

// Missing reports whether a sample of a Stream or Curve is absent.
func Missing(v float64) bool { return math.IsNaN(v) }

func wrap[T any](objects []Object, as func(Object) T) []T {
	out := make([]T, len(objects))
	for i, o := range objects {
		out[i] = as(o)
	}
	return out
}
