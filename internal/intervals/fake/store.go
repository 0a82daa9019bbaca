package fake

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// athlete is one person's part of the state. Objects are held without nulls;
// rows spell them out when served.
type athlete struct {
	id, key, name string
	coachOf       []string
	zone          *time.Location

	object  Object
	sports  []Object
	acts    []*activity // newest first
	events  []*event    // oldest first
	days    map[day]Object
	gear    []Object
	items   []Object
	folders []Object
	plans   []Object // library workouts, of all folders

	record  func(string) ([]Stream, Object)
	fitness *fitness     // nil when something it follows from has changed
	changed map[day]bool // days whose loads differ from the data set's
	stale   day          // from here on given ctl and atl no longer hold

	lastToday day // the day fitness was last run on
}

// never is a day after all others.
const never = day(math.MaxInt32)

// activity is a recorded or manual session.
type activity struct {
	Object
	id        string
	owner     *athlete
	intervals Object    // as loaded; nil when computed
	streams   []Stream  // as loaded; nil when recorded or none
	messages  []Object  // oldest first
	complete  bool      // computed fields are filled in
	effort    *efforts  // cached curves
	searching []reps    // cached for interval-search
	notLoaded bool      // made here, so that nothing about it was given
	summary   *zoneSums // cached for athlete-summary
}

// event is an entry of the calendar.
type event struct {
	Object
	id       int64
	maker    string // whose key made it: external ids are that key's own
	handLoad bool   // icu_training_load was sent, not computed
}

func (a *athlete) today(now time.Time) day { return dayIn(now, a.zone) }

func (a *athlete) coaches(other *athlete) bool { return slices.Contains(a.coachOf, other.id) }

// hidden tells if an activity came through Strava: it exists and counts, but
// is served as a stub (API.md trap 1).
func (a *activity) hidden() bool { return text(a.Object, "source") == "STRAVA" }

func (a *activity) start() string { return text(a.Object, "start_date_local") }

func (a *activity) day() day {
	d, _ := dateDay(a.start())
	return d
}

func (e *event) start() string { return text(e.Object, "start_date_local") }

func (e *event) day() day {
	d, _ := dateDay(e.start())
	return d
}

// end is the day after the event's last one.
func (e *event) end() day {
	d, ok := dateDay(text(e.Object, "end_date_local"))
	if !ok || d <= e.day() {
		return e.day() + 1
	}
	return d
}

func (e *event) category() string { return text(e.Object, "category") }

// session tells if the event is something to be done: its load is planned.
func (e *event) session() bool {
	return e.category() == "WORKOUT" || strings.HasPrefix(e.category(), "RACE_")
}

// New makes a server of a data set, which it copies. The error names what is
// wrong in the data set.
func New(d Dataset, o Options) (*Server, error) {
	s := &Server{
		opts: o, log: o.Log, routes: routeTable(),
		byID: map[string]*athlete{}, byKey: map[string]*athlete{},
		activities: map[string]*activity{}, lastID: 60000000,
		activityKeySet: enum(strings.Join(activityKeys, " ")),
	}
	if s.log == nil {
		s.log = noLog()
	}
	s.reserveIDs(d)
	for i, part := range d.Athletes {
		a, err := s.addAthlete(part)
		if err != nil {
			return nil, fmt.Errorf("data set: athletes[%d]: %w", i, err)
		}
		s.athletes = append(s.athletes, a)
	}
	if len(s.athletes) == 0 {
		return nil, errors.New("data set: it has no athletes")
	}
	for _, a := range s.athletes {
		for _, id := range a.coachOf {
			if s.byID[id] == nil {
				return nil, fmt.Errorf("data set: athlete %s: coach_of: no athlete %q", a.id, id)
			}
		}
	}
	if err := s.startClock(d.Today); err != nil {
		return nil, err
	}
	s.fillIn()
	return s, nil
}

// startClock takes Options.Now, else the data set's day at noon where its
// first athlete lives, else the real clock.
func (s *Server) startClock(today string) error {
	if s.opts.Now == nil {
		s.opts.Now = time.Now
		if today != "" {
			at, err := clockAt(today, s.athletes[0].zone)
			if err != nil {
				return fmt.Errorf("data set: today: %w", err)
			}
			s.opts.Now = func() time.Time { return at }
		}
	}
	s.clock = s.opts.Now
	return nil
}

func clockAt(today string, zone *time.Location) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, today); err == nil {
		return at, nil
	}
	at, err := time.ParseInLocation(dateForm, today, zone)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is neither a date nor an RFC 3339 time", today)
	}
	return time.Date(at.Year(), at.Month(), at.Day(), 12, 0, 0, 0, zone), nil
}

// addAthlete copies one athlete's part in and checks it.
func (s *Server) addAthlete(part AthleteData) (*athlete, error) {
	a := &athlete{
		object: cloneObject(part.Athlete), key: part.APIKey, coachOf: slices.Clone(part.CoachOf),
		record: part.Record, days: map[day]Object{}, changed: map[day]bool{}, stale: never,
	}
	a.id = idText(a.object["id"])
	if a.id == "" || strings.ContainsAny(a.id, "/?#,") {
		return nil, fmt.Errorf("athlete.id: %q is no athlete id", a.id)
	}
	a.object["id"] = a.id
	if s.byID[a.id] != nil {
		return nil, fmt.Errorf("athlete.id: %s is there twice", a.id)
	}
	if a.key == "" {
		a.key = "fakekey-" + a.id
	}
	if s.byKey[a.key] != nil {
		return nil, fmt.Errorf("athlete %s: api_key: athlete %s has the same", a.id, s.byKey[a.key].id)
	}
	s.byID[a.id], s.byKey[a.key] = a, a
	names := strings.TrimSpace(text(a.object, "firstname") + " " + text(a.object, "lastname"))
	a.name = cmp.Or(text(a.object, "name"), names, a.id)
	zone := cmp.Or(text(a.object, "timezone"), "UTC")
	var err error
	if a.zone, err = time.LoadLocation(zone); err != nil {
		return nil, fmt.Errorf("athlete %s: timezone: %w", a.id, err)
	}
	a.object["timezone"] = zone
	for _, take := range []func(*athlete, AthleteData) error{
		s.takeSports, s.takeActivities, s.takeParts, s.takeEvents, s.takeWellness, s.takeRest,
	} {
		if err := take(a, part); err != nil {
			return nil, fmt.Errorf("athlete %s: %w", a.id, err)
		}
	}
	return a, nil
}
