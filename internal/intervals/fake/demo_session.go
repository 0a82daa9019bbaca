package fake

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// demoSession is one session of the history or of the plan. It is small: the
// workout and the track are made again from it when they are asked for.
type demoSession struct {
	c           *demoCalendar
	week        int
	day, minute int // local start
	slot        int // tells the day's sessions apart
	kind        string
	race        *demoRace
	sport       string // as done
	minutes     float64
	event       int // id of the planned event, 0 when none
	done        bool
	strava      bool    // came through Strava: hidden from the API
	manual      bool    // entered by hand, without streams
	share       float64 // how much of it was done
	effort      float64 // how hard against the plan
	stretch     float64 // how long the easy parts were against the plan
	hostile     bool    // carries demoHostile
}

// Slots of sessions that are not in the weekly template.
const (
	slotBrick  = 8
	slotExtra  = 9
	slotRace   = 20 // events only
	slotPeriod = 30
	slotNote   = 40
	slotTarget = 50
	slotSeason = 60
)

const day2000 = 10957 // 2000-01-01

func (s *demoSession) activityID() string {
	n := s.c.p.n*1_000_000 + (s.day-day2000)*10 + s.slot%10
	if s.strava {
		return fmt.Sprintf("157%08d", n)
	}
	return fmt.Sprintf("i%d", 70_000_000+n)
}

func (c *demoCalendar) eventID(day, slot int) int {
	return c.p.n*10_000_000 + (day-day2000)*100 + slot
}

// workout is the session as planned.
func (s *demoSession) workout() demoWorkout {
	if s.race != nil {
		return s.race.workout(s.sport, s.minutes, s.threshold())
	}
	return s.c.workout(s.kind, s.minutes, s.week)
}

func (r *demoRace) workout(sport string, minutes, threshold float64) demoWorkout {
	w := demoWorkout{name: r.name, sport: sport}
	step := demoPower("Race", minutes, 80, 84)
	if sport != "Ride" {
		step.metres = r.metres
		step.lo = r.metres / (minutes * 60) / threshold
		step.hi = step.lo
		step.target = ""
	}
	step.work = true
	w.blocks = []demoBlock{{"", 1, []demoStep{step}}}
	return w
}

// threshold is FTP (W) or threshold pace (m/s) on the day, 0 without one.
func (s *demoSession) threshold() float64 {
	sport := s.c.p.sport(s.sport)
	if sport == nil {
		return 0
	}
	t := sport.threshold - sport.step*float64(s.c.step(s.day))
	if s.sport == "VirtualRide" {
		t -= sport.indoorLess
	}
	if sport.paceUnits == "" {
		return math.Round(t)
	}
	return math.Round(t*10000) / 10000
}

// route is the loop whose length fits the session.
func (s *demoSession) route() *demoRoute {
	speed := 8.0
	first := 3
	if s.sport == "Run" {
		speed, first = 3.1, 0
	}
	metres := s.minutes * 60 * speed
	best := s.c.p.routes[first]
	for i, r := range s.c.p.routes[first:] {
		if first == 0 && i > 2 {
			break
		}
		if math.Abs(r.length-metres) < math.Abs(best.length-metres) {
			best = r
		}
	}
	return best
}

// demoClimates has the mean temperature of the year and its swing, °C.
var demoClimates = map[int][2]float64{1: {10, 9}, 2: {15.5, 4.5}, 3: {18, 4}, 4: {11, 6.5}, 5: {10.5, 7.5}}

// temperature is what the device showed.
func (s *demoSession) temperature() float64 {
	if s.sport != "Ride" && s.sport != "Run" {
		return 20
	}
	season := math.Cos((float64(dayDate(s.day).YearDay()) - 200) / 365 * 2 * math.Pi)
	if s.c.p.south {
		season = -season
	}
	climate := demoClimates[s.c.p.n]
	noise := s.c.p.rng(s.day, 41).NormFloat64()
	hour := float64(s.minute) / 60
	return climate[0] + climate[1]*season + 2.5*demoClamp(noise, -2, 2) - 3*math.Cos((hour-3)/24*2*math.Pi)
}

// weekSessions lists what a week holds, in order of time, planned and done.
func (c *demoCalendar) weekSessions(week int) []*demoSession {
	var out []*demoSession
	monday := mondayOf(week)
	volume := c.volume(week)
	raceDay := 0
	for _, r := range c.races(week) {
		raceDay = r.day
		out = append(out, c.raceSessions(week, r)...)
	}
	for i, slot := range c.p.template {
		day := monday + slot.weekday
		if day == raceDay || day == raceDay-1 && c.quality(week) != "easy" && slot.kind == "ride.long" {
			continue
		}
		s := &demoSession{c: c, week: week, day: day, minute: slot.minute, slot: i, kind: slot.kind, minutes: float64(slot.mins), share: 1, effort: 1, stretch: 1}
		if slot.kind != "strength" {
			s.minutes = math.Round(s.minutes * volume)
		}
		if day == raceDay-1 {
			s.minutes = math.Round(s.minutes * 0.4)
		}
		if !slot.adHoc && week > weekOf(c.today)-c.p.planned {
			s.event = c.eventID(day, i)
		}
		if c.shape(s) {
			out = append(out, s)
		}
	}
	out = append(out, c.extras(week)...)
	slices.SortStableFunc(out, func(a, b *demoSession) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.minute, b.minute))
	})
	return out
}

// shape settles how a session of the template went; false drops it.
func (c *demoCalendar) shape(s *demoSession) bool {
	rng := c.p.rng(s.day, 50+uint64(s.slot))
	period := c.period(s.day)
	if period != nil && period.category == "HOLIDAY" {
		if c.p.run == nil || s.slot%2 == 1 {
			return false
		}
		s.kind, s.minutes, s.event, s.minute = "run.easy", 35+float64(rng.IntN(3))*5, 0, 7*60+40
	}
	s.sport = c.sportDone(s, rng.IntN(100))
	s.minute += rng.IntN(34) - 12
	s.effort = 1 + 0.012*demoClamp(rng.NormFloat64(), -2, 2)
	s.stretch = 0.94 + 0.13*rng.Float64()
	roll := rng.IntN(100)
	switch {
	case period != nil && period.category != "HOLIDAY", roll < 7:
		s.share = 0
	case roll < 12:
		s.share = 0.55 + 0.3*rng.Float64()
	}
	recent := s.week > weekOf(c.today)-10
	switch {
	case c.p.n == 1 && s.slot == 3 && s.week%4 == 0, c.p.n == 2 && s.slot == 2 && s.week%4 == 1, c.p.n == 3 && s.slot == 5 && s.week%4 == 3:
		s.strava = recent && s.share > 0
	}
	s.done = s.share > 0 && c.over(s.day, s.minute, s.minutes*s.share)
	return s.done || s.event > 0
}

// sportDone turns the planned sport into the one recorded: rides go indoors in
// the dark months and when it rains.
func (c *demoCalendar) sportDone(s *demoSession, roll int) string {
	switch s.kind[:3] {
	case "run":
		return "Run"
	case "swi":
		return "Swim"
	case "str":
		return "WeightTraining"
	}
	if c.p.devices["VirtualRide"] == "" {
		return "Ride"
	}
	cold := c.coldMonth(s.day)
	if weekday := (s.day + 3) % 7; weekday < 5 && (cold || roll < 20) || cold && roll < 20 {
		return "VirtualRide"
	}
	return "Ride"
}

func (c *demoCalendar) coldMonth(day int) bool {
	month := dayDate(day).Month()
	return month >= time.November || month <= time.March
}

// over says whether a session has ended by now.
func (c *demoCalendar) over(day, minute int, minutes float64) bool {
	if day != c.today {
		return day < c.today
	}
	return float64(minute)+minutes*1.3+15 < float64(c.nowMinute)
}

func (c *demoCalendar) raceSessions(week int, r demoRace) []*demoSession {
	var out []*demoSession
	add := func(minute int, sport string, minutes, metres float64) {
		race := r
		if metres > 0 {
			race.metres = metres
		}
		s := &demoSession{c: c, week: week, day: r.day, minute: minute, slot: len(out), kind: "race", race: &race, sport: sport, minutes: minutes, share: 1, effort: 1, stretch: 1}
		if len(out) == 0 {
			s.event = c.eventID(r.day, slotRace)
		}
		period := c.period(r.day)
		s.done = c.over(r.day, minute, minutes) && (period == nil || period.availability == "NORMAL")
		out = append(out, s)
	}
	if r.sport != "Other" {
		add(9*60+2, r.sport, float64(r.minutes), 0)
		return out
	}
	add(7*60+1, "Swim", 26, 1500)
	add(7*60+31, "Ride", 71, 0)
	add(8*60+45, "Run", 53, 10000)
	return out
}

// extras are bricks, commutes and things entered by hand.
func (c *demoCalendar) extras(week int) []*demoSession {
	var out []*demoSession
	monday := mondayOf(week)
	add := func(weekday, minute, slot int, kind, sport string, minutes float64) *demoSession {
		s := &demoSession{c: c, week: week, day: monday + weekday, minute: minute, slot: slot, kind: kind, sport: sport, minutes: minutes, share: 1, effort: 1, stretch: 1}
		free := c.period(s.day) == nil && len(c.races(week)) == 0
		s.done = free && c.over(s.day, minute, minutes)
		if free {
			out = append(out, s)
		}
		return s
	}
	if c.p.n != 1 {
		return nil
	}
	recent := week > weekOf(c.today)-10
	switch week % 4 {
	case 1:
		add(0, 20*60+10, slotExtra, "yoga", "Yoga", 40).manual = true
	case 2:
		brick := add(5, 12*60+40, slotBrick, "run.brick", "Run", 20)
		if week > weekOf(c.today)-c.p.planned {
			brick.event = c.eventID(brick.day, slotBrick)
		}
		if recent {
			add(4, 7*60+45, slotExtra, "ride.recovery", "Ride", 50).strava = true
		}
	case 3:
		if week%8 == 3 {
			add(6, 14*60, slotExtra, "hike", "Hike", 95).manual = true
		}
	}
	kept := out[:0]
	for _, s := range out {
		if s.done || s.event > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}
