package fake

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// DemoKey is the demo athlete's API key. It guards invented data.
const DemoKey = "demo-key-1"

// Demo is the data set of `--demo`: five invented athletes with a believable
// past relative to now, and a plan. It is the same for the same day, and
// tomorrow's has the same past but for what lies at its edges: randomness is
// drawn by calendar date. Today is left empty.
//
// The first athlete is the demo athlete, the fourth coaches the first three,
// the fifth belongs to nobody. Activities have no streams in the maps: Record
// makes them when they are asked for.
func Demo(now time.Time) Dataset { return demoOf(demoPeople(), now) }

// demoOf is Demo for some of the people.
func demoOf(people []*demoPerson, now time.Time) Dataset {
	histories := make([]*demoHistory, len(people))
	var jobs []demoJob
	for i, p := range people {
		h := newDemoHistory(p, now)
		histories[i] = h
		for j := range h.done {
			jobs = append(jobs, demoJob{h, j})
		}
	}
	measureAll(jobs)
	var set Dataset
	for _, h := range histories {
		set.Athletes = append(set.Athletes, h.data())
	}
	return set
}

// demoHistory is one athlete's sessions with what they measured.
type demoHistory struct {
	c        *demoCalendar
	sessions []*demoSession
	done     []*demoSession
	results  []demoResult
}

type demoJob struct {
	h *demoHistory
	i int
}

// demoAhead is how many weeks are planned beyond this one.
const demoAhead = 6

func newDemoHistory(p *demoPerson, now time.Time) *demoHistory {
	c := newDemoCalendar(p, now)
	h := &demoHistory{c: c}
	last := weekOf(c.today) + demoAhead
	if p.n <= 3 {
		last = max(last, c.raceWeek)
	}
	for week := weekOf(c.first); week <= last; week++ {
		h.sessions = append(h.sessions, c.weekSessions(week)...)
	}
	for _, s := range h.sessions {
		if s.done {
			h.done = append(h.done, s)
		}
	}
	h.plantHostile()
	h.results = make([]demoResult, len(h.done))
	return h
}

// plantHostile puts the hostile text under the demo athlete's newest long ride
// that is a few days old.
func (h *demoHistory) plantHostile() {
	for _, s := range slices.Backward(h.done) {
		if h.c.p.n == 1 && s.kind == "ride.long" && !s.strava && s.day < h.c.today-1 {
			s.hostile = true
			return
		}
	}
}

// measureAll records every session once, on all processors; the samples are
// dropped at once and the buffers used again.
func measureAll(jobs []demoJob) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			var t demoTrack
			for i := w; i < len(jobs); i += workers {
				j := jobs[i]
				j.h.results[j.i] = j.h.done[j.i].measure(&t)
			}
		})
	}
	wg.Wait()
}

// data puts the athlete's part of the data set together.
func (h *demoHistory) data() AthleteData {
	c := h.c
	activities := make([]Object, 0, len(h.results))
	byID := make(map[string]*demoSession, len(h.done))
	loads := map[int]float64{}
	use := map[int]demoUse{}
	for i, r := range h.results {
		s := h.done[i]
		activities = append(activities, r.activity)
		byID[s.activityID()] = s
		load, _ := r.activity["icu_training_load"].(float64)
		loads[s.day] += load
		h.wear(use, s, r)
	}
	return AthleteData{
		Athlete:       c.athlete(),
		APIKey:        c.p.key,
		CoachOf:       c.p.coachOf,
		SportSettings: c.sportSettings(),
		Activities:    activities,
		Messages:      c.messages(h.done),
		Events:        c.events(h.sessions),
		Wellness:      c.wellness(loads),
		Gear:          c.gear(use),
		CustomItems:   c.customItems(),
		Folders:       c.folders(),
		Record: func(id string) ([]Stream, Object) {
			s := byID[id]
			if s == nil || s.manual {
				return nil, nil
			}
			return s.replay()
		},
	}
}

// wear adds a session to what its gear has done.
func (h *demoHistory) wear(use map[int]demoUse, s *demoSession, r demoResult) {
	if r.gear == 0 || s.strava {
		return
	}
	metres, _ := r.activity["distance"].(float64)
	secs, _ := r.activity["moving_time"].(float64)
	things := []int{r.gear}
	if r.gear == gearRoad && s.day >= h.c.chainSince() {
		things = append(things, gearChain)
	}
	for _, thing := range things {
		u := use[thing]
		use[thing] = demoUse{u.metres + metres, u.secs + secs, u.activities + 1}
	}
}

// replay records a session again, into buffers of its own, with its laps as
// intervals.
func (s *demoSession) replay() ([]Stream, Object) {
	t := new(demoTrack)
	s.record(t)
	streams := t.rows()
	th := s.thresholds()
	intervals := make([]Object, 0, len(t.laps))
	for i, lap := range t.laps {
		o := analyse(s.sport, streams, lap.start, lap.end, th, s.c.weight(s.day))
		o["id"], o["type"] = float64(i+1), "RECOVERY"
		if lap.work || len(t.laps) == 1 {
			o["type"] = "WORK"
		}
		if lap.label != "" {
			o["label"] = lap.label
		}
		intervals = append(intervals, o)
	}
	groups := groupIntervals(intervals)
	return streams, Object{"icu_intervals": objectList(intervals), "icu_groups": objectList(groups)}
}
