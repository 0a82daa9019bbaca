package fake

import (
	"math"
	"time"
)

// Days are counted from the Unix epoch and weeks run from Monday, so that a
// date has the same number, and hence the same history, whatever today is.

func demoDay(t time.Time) int {
	return int(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func dayDate(day int) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

func dayText(day int) string { return dayDate(day).Format(time.DateOnly) }

func weekOf(day int) int { return (day + 3) / 7 }

func mondayOf(week int) int { return week*7 - 3 }

// demoCalendar is one athlete's time: today, how far back it goes and which
// stretches of it are special.
type demoCalendar struct {
	p          *demoPerson
	today      int
	first      int // Monday of the first week
	nowMinute  int // local minutes since midnight
	raceWeek   int // week of the next A race
	nowInstant time.Time
}

func newDemoCalendar(p *demoPerson, now time.Time) *demoCalendar {
	local := now.In(p.loc)
	c := &demoCalendar{p: p, today: demoDay(local), nowMinute: local.Hour()*60 + local.Minute(), nowInstant: now}
	week := weekOf(c.today)
	c.first = mondayOf(week - p.weeks + 1)
	// The next A race closes a four-week block six to nine weeks ahead.
	c.raceWeek = week + 6
	for c.raceWeek%4 != 3 {
		c.raceWeek++
	}
	return c
}

// step is how many eight-week steps of fitness lie between a day and today.
func (c *demoCalendar) step(day int) int { return max(0, weekOf(c.today)/8-weekOf(day)/8) }

func (c *demoCalendar) at(day, minute int) string {
	return dayDate(day).Add(time.Duration(minute) * time.Minute).Format("2006-01-02T15:04:05")
}

// demoPeriod is a run of days with a name; last is inclusive.
type demoPeriod struct {
	category, name, note string
	first, last          int
	availability         string
	maxTime              float64
	sports               []any
}

// periods lists a year's illnesses, injuries and holidays. They lie on
// calendar dates, a few days apart from athlete to athlete.
func (c *demoCalendar) periods(year int) []demoPeriod {
	on := func(month time.Month, day, spread int, topic uint64) int {
		start := demoDay(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
		return start + c.p.rng(start, topic).IntN(spread)
	}
	flu := on(time.February, 3, 12, 21)
	cold := on(time.October, 12, 7, 22)
	summer := mondayOf(weekOf(on(time.August, 2, 8, 23))) - 2 // a Saturday
	list := []demoPeriod{
		{"SICK", "Flu", "Fever for three days, nothing above a walk until it is gone.", flu, flu + 6, "UNAVAILABLE", 0, nil},
		{"HOLIDAY", "Summer holiday", "Running shoes only.", summer, summer + 8, "LIMITED", 3600, []any{"Run"}},
	}
	if c.p.n <= 3 {
		list = append(list, demoPeriod{"SICK", "Cold", "", cold, cold + 3, "UNAVAILABLE", 0, nil})
	}
	if c.p.n == 2 {
		calf := on(time.May, 10, 10, 24)
		list = append(list, demoPeriod{"INJURED", "Calf strain", "Physio says ten days without running.", calf, calf + 9, "UNAVAILABLE", 0, nil})
	}
	if c.p.n == 1 {
		christmas := on(time.December, 24, 1, 25)
		list = append(list, demoPeriod{"HOLIDAY", "Christmas with the family", "", christmas, christmas + 2, "LIMITED", 2700, []any{"Run"}})
	}
	return list
}

// period is the special stretch a day lies in, or nil.
func (c *demoCalendar) period(day int) *demoPeriod {
	for _, p := range c.periods(dayDate(day).Year()) {
		if day >= p.first && day <= p.last {
			return &p
		}
	}
	return nil
}

// demoRace is a race day, past or to come.
type demoRace struct {
	day            int
	category, name string
	sport          string
	metres         float64
	minutes        int
	note           string
}

// races lists the races that touch a week: the fixed ones of each year, and
// the three of the coming build.
func (c *demoCalendar) races(week int) []demoRace {
	if c.p.n > 3 {
		return nil
	}
	var out []demoRace
	sunday := mondayOf(week) + 6
	date := dayDate(sunday)
	nth := (date.Day() + 6) / 7
	past := sunday <= c.today
	names := demoRaceNames[c.p.n]
	if past {
		switch {
		case date.Month() == time.May && nth == 3:
			out = append(out, names[0].on(sunday, "RACE_A"))
		case date.Month() == time.September && nth == 2:
			out = append(out, names[1].on(sunday, "RACE_B"))
		case date.Month() == time.March && nth == 4, date.Month() == time.November && nth == 2:
			out = append(out, names[2].on(sunday, "RACE_C"))
		}
		return out
	}
	switch week {
	case c.raceWeek:
		out = append(out, names[0].on(sunday, "RACE_A"))
	case c.raceWeek - 3:
		out = append(out, names[1].on(sunday, "RACE_B"))
	case c.raceWeek - 5:
		out = append(out, names[2].on(sunday, "RACE_C"))
	}
	return out
}

func (r demoRace) on(day int, category string) demoRace {
	r.day, r.category = day, category
	return r
}

// demoRaceNames has each athlete's A, B and C race.
var demoRaceNames = map[int][3]demoRace{
	1: {
		{name: "Haffwind Gran Fondo", sport: "Ride", metres: 112000, minutes: 215, note: "Goal: under 3:45, eat 80 g an hour, do not chase on the first climb."},
		{name: "Bodden Half Marathon", sport: "Run", metres: 21097.5, minutes: 106, note: "Start at 5:05/km, build from 14 km."},
		{name: "Club 10 km", sport: "Run", metres: 10000, minutes: 48, note: "Hard effort, no taper."},
	},
	2: {
		{name: "Samplebay Marathon", sport: "Run", metres: 42195, minutes: 206, note: "Sub 3:30. First half in 1:44."},
		{name: "Harbour Half", sport: "Run", metres: 21097.5, minutes: 97, note: ""},
		{name: "Domain 10K", sport: "Run", metres: 10000, minutes: 44, note: ""},
	},
	3: {
		{name: "Placeholder Olympic Triathlon", sport: "Other", metres: 51500, minutes: 155, note: "1.5 km swim, 40 km bike, 10 km run."},
		{name: "Pier to Pier Swim", sport: "Swim", metres: 3000, minutes: 48, note: ""},
		{name: "Sand Castle 10K", sport: "Run", metres: 10000, minutes: 51, note: ""},
	},
}

// volume is how much of a normal week is trained: three weeks up and one easy,
// a little more in summer, less before a race.
func (c *demoCalendar) volume(week int) float64 {
	v := [4]float64{0.94, 1.03, 1.12, 0.68}[week%4]
	yearDay := float64(dayDate(mondayOf(week)).YearDay())
	season := math.Cos((yearDay - 190) / 365 * 2 * math.Pi)
	if c.p.south {
		season = -season
	}
	v *= 1 + 0.06*season
	for _, r := range c.races(week) {
		if r.category == "RACE_A" {
			v *= 0.75
		}
	}
	return v
}

// quality says what kind of hard work a week is for.
func (c *demoCalendar) quality(week int) string {
	if week%4 == 3 {
		return "easy"
	}
	if week >= c.raceWeek-3 && week < c.raceWeek {
		return "race"
	}
	return [3]string{"base", "build", "build"}[(week/4)%3]
}

// demoDate is the day of a date.
func demoDate(year int, month time.Month, day int) int {
	return demoDay(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}
