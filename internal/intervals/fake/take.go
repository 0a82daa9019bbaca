package fake

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) takeSports(a *athlete, part AthleteData) error {
	list := part.SportSettings
	if len(list) == 0 { // some exports have them inside the athlete
		list = objects(part.Athlete["sportSettings"])
	}
	for i, o := range list {
		o = cloneObject(o)
		if len(texts(o["types"])) == 0 {
			return fmt.Errorf("sport_settings[%d]: types is missing", i)
		}
		a.sports = append(a.sports, o)
	}
	delete(a.object, "sportSettings")
	if len(part.CustomItems) == 0 {
		part.CustomItems = objects(part.Athlete["custom_items"])
		for _, o := range part.CustomItems {
			a.items = append(a.items, s.loadedItem(a, o))
		}
	}
	delete(a.object, "custom_items")
	return nil
}

func (s *Server) takeActivities(a *athlete, part AthleteData) error {
	for i, o := range part.Activities {
		o = keepNulls(o) // a null of the data set is no gap to be computed
		id := idText(o["id"])
		if id == "" {
			return fmt.Errorf("activities[%d]: id is missing", i)
		}
		if s.activities[id] != nil {
			return fmt.Errorf("activities[%d]: id %s is there twice", i, id)
		}
		start, err := loadedTime(o, "start_date_local")
		if err != nil {
			return fmt.Errorf("activities[%d] (%s): %w", i, id, err)
		}
		o["id"], o["icu_athlete_id"], o["start_date_local"] = id, a.id, start
		act := &activity{Object: o, id: id, owner: a}
		if paired, ok := whole(o, "paired_event_id"); ok {
			o["paired_event_id"] = float64(paired)
		}
		s.activities[id] = act
		a.acts = append(a.acts, act)
	}
	slices.SortStableFunc(a.acts, newestFirst)
	return nil
}

func newestFirst(a, b *activity) int { return cmp.Compare(b.start(), a.start()) }

func oldestFirst(a, b *event) int {
	return cmp.Or(cmp.Compare(a.start(), b.start()), cmp.Compare(a.id, b.id))
}

// takeParts takes what hangs on activities.
func (s *Server) takeParts(a *athlete, part AthleteData) error {
	find := func(kind, id string) (*activity, error) {
		act := s.activities[id]
		if act == nil || act.owner != a {
			return nil, fmt.Errorf("%s: no activity %q", kind, id)
		}
		return act, nil
	}
	for id, o := range part.Intervals {
		act, err := find("intervals", id)
		if err != nil {
			return err
		}
		act.intervals = cloneObject(o)
	}
	for id, list := range part.Streams {
		act, err := find("streams", id)
		if err != nil {
			return err
		}
		act.streams = slices.Clone(list)
	}
	for id, list := range part.Messages {
		act, err := find("messages", id)
		if err != nil {
			return err
		}
		for _, m := range list {
			act.messages = append(act.messages, s.loadedMessage(act, m))
		}
		slices.SortStableFunc(act.messages, func(x, y Object) int {
			return cmp.Compare(numberOr0(x, "id"), numberOr0(y, "id"))
		})
	}
	for _, act := range a.acts { // an activity may carry its own intervals
		if list, ok := act.Object["icu_intervals"]; ok {
			if act.intervals == nil {
				act.intervals = Object{"icu_intervals": list, "icu_groups": act.Object["icu_groups"]}
			}
			delete(act.Object, "icu_intervals")
			delete(act.Object, "icu_groups")
		}
	}
	return nil
}

func (s *Server) takeWellness(a *athlete, part AthleteData) error {
	for i, o := range part.Wellness {
		o = cloneObject(o)
		d, ok := dateDay(idText(o["id"]))
		if !ok {
			return fmt.Errorf("wellness[%d]: id %q is no date", i, idText(o["id"]))
		}
		if a.days[d] != nil {
			return fmt.Errorf("wellness[%d]: %s is there twice", i, d)
		}
		o["id"] = d.String()
		a.days[d] = o
	}
	return nil
}

func (s *Server) takeRest(a *athlete, part AthleteData) error {
	for i, o := range part.Gear {
		o = cloneObject(o)
		if o["id"] = idText(o["id"]); o["id"] == "" {
			return fmt.Errorf("gear[%d]: id is missing", i)
		}
		o["athlete_id"] = a.id
		a.gear = append(a.gear, o)
	}
	for _, o := range part.CustomItems {
		a.items = append(a.items, s.loadedItem(a, o))
	}
	for i, o := range part.Folders {
		if text(o, "name") == "" {
			return fmt.Errorf("folders[%d]: name is missing", i)
		}
		s.loadedFolder(a, o)
	}
	return nil
}

// loadedTime reads a start: a date-time, or a date for midnight.
func loadedTime(o Object, key string) (string, error) {
	s := text(o, key)
	if _, err := time.Parse(dateForm, s); err == nil {
		return s + startOfDay, nil
	}
	t, err := localTime(strings.TrimSuffix(s, "Z"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return t.Format(localForm), nil
}

// keepID makes sure that ids made here come after a loaded one.
func (s *Server) keepID(id string) {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n < math.MaxInt32 {
		s.lastID = max(s.lastID, n)
	}
}

// reserveIDs keeps every id of the data set, before any is made.
func (s *Server) reserveIDs(d Dataset) {
	for _, a := range d.Athletes {
		for _, list := range [][]Object{a.SportSettings, a.Activities, a.Events, a.CustomItems, a.Folders} {
			for _, o := range list {
				s.keepID(strings.TrimPrefix(idText(o["id"]), "i"))
				for _, child := range objects(o["children"]) {
					s.keepID(idText(child["id"]))
				}
			}
		}
		for _, list := range a.Messages {
			for _, m := range list {
				s.keepID(idText(m["id"]))
			}
		}
	}
}

// numberedID is the loaded id of an object, or a new one.
func (s *Server) numberedID(o Object) int64 {
	if n, ok := whole(o, "id"); ok {
		return n
	}
	return s.nextID()
}

// fillIn gives loaded objects what the platform would have given them.
func (s *Server) fillIn() {
	for _, a := range s.athletes {
		a.lastToday = a.today(s.now())
		for i, o := range a.sports {
			if _, ok := whole(o, "id"); !ok {
				a.sports[i]["id"] = float64(s.nextID())
			}
			o["athlete_id"] = a.id
		}
		for _, act := range a.acts {
			s.defaultActivity(act)
		}
		for _, e := range a.events {
			s.defaultEvent(a, e)
			a.plan(e, false)
		}
	}
}
