package fake

import (
	"math/rand/v2"
	"time"
)

// demoPerson is one invented athlete: who they are, how fit they are today and
// how that came about. Everything else follows from it and from the calendar.
type demoPerson struct {
	n                 int // 1..5, part of every id
	id, first, last   string
	key               string
	coachOf           []string
	zone, holidayZone string
	sex, born         string
	city, country     string
	feet              bool // feet, pounds, Fahrenheit and miles per hour
	height            float64
	weight            float64 // kg today
	weightPerWeek     float64 // kg gained a week until today
	restHR, hrv       float64
	steps             float64
	weeks             int     // length of the history
	fitness           float64 // CTL at its start
	planned           int     // weeks of it that have a plan
	every             int     // seconds between samples
	sea               [2]float64
	hilly             float64
	ride, run, swim   *demoSport
	template          []demoSlot
	devices           map[string]string
	south             bool // southern hemisphere: summer in January

	loc, holidayLoc *time.Location
	routes          []*demoRoute
}

// demoSport is one sport's thresholds today and their step for each eight
// weeks of the history, in the API's units (W, bpm, m/s).
type demoSport struct {
	threshold, step float64 // FTP in W, or threshold pace in m/s
	indoorLess      float64
	lthr, maxHR     float64
	zones           []any // heart rate zones in the form of decoded JSON
	paceUnits       string
}

// demoSlot is one session in a normal training week.
type demoSlot struct {
	weekday, minute int    // Monday is 0; minutes since midnight
	kind            string // a key of demoWorkouts, or a rotation of them
	mins            int
	adHoc           bool // done without being planned
}

// demoPeople lists the athletes. Their routes lie in open sea, so that no map
// shows anybody's home.
func demoPeople() []*demoPerson {
	people := []*demoPerson{
		{
			n: 1, id: "i100001", fitness: 58, first: "Jonas", last: "Falkenrath", key: DemoKey,
			zone: "Europe/Berlin", holidayZone: "Atlantic/Canary", sex: "M", born: "1988-05-17",
			city: "Musterhafen", country: "Germany", height: 1.83, weight: 73.4, weightPerWeek: -0.018,
			restHR: 47, hrv: 68, steps: 8200, weeks: 105, planned: 53, every: 1, sea: [2]float64{55.35, 17.05}, hilly: 1,
			ride: &demoSport{threshold: 270, step: 2, indoorLess: 10, lthr: 168, maxHR: 184},
			run:  &demoSport{threshold: 1000 / 290.0, step: 0.0125, lthr: 173, maxHR: 189, paceUnits: "MINS_KM"},
			swim: &demoSport{threshold: 100 / 115.0, step: 0.004, lthr: 160, maxHR: 178, paceUnits: "SECS_100M"},
			template: []demoSlot{
				{0, 18*60 + 15, "strength", 45, false},
				{1, 17*60 + 40, "ride.quality", 75, false},
				{2, 6*60 + 30, "swim.quality", 50, false},
				{2, 18*60 + 5, "run.easy", 50, false},
				{3, 17*60 + 45, "ride.endurance", 80, false},
				{4, 12*60 + 10, "run.quality", 55, false},
				{5, 9*60 + 20, "ride.long", 185, false},
				{6, 9*60 + 5, "run.long", 88, false},
			},
			devices: map[string]string{"Ride": "Garmin Edge 840", "VirtualRide": "Wahoo KICKR", "Run": "Garmin Forerunner 965", "Swim": "Garmin Forerunner 965", "WeightTraining": "Garmin Forerunner 965"},
		},
		{
			n: 2, id: "i100002", fitness: 42, first: "Aroha", last: "Winterbourne", key: "demo-key-2",
			zone: "Pacific/Auckland", holidayZone: "Pacific/Auckland", sex: "F", born: "1993-02-08", south: true,
			city: "Samplebay", country: "New Zealand", feet: true, height: 1.68, weight: 59.2, weightPerWeek: -0.008,
			restHR: 51, hrv: 74, steps: 9600, weeks: 105, planned: 16, every: 2, sea: [2]float64{-36.4, 179.2}, hilly: 1.3,
			run: &demoSport{threshold: 1609.344 / 428, step: 0.011, lthr: 175, maxHR: 191, paceUnits: "MINS_MILE"},
			template: []demoSlot{
				{1, 5*60 + 50, "run.quality", 55, false},
				{2, 6 * 60, "run.easy", 50, false},
				{3, 17*60 + 30, "run.easy", 60, false},
				{4, 17 * 60, "strength", 35, false},
				{5, 7*60 + 10, "run.easy", 40, false},
				{6, 7 * 60, "run.long", 105, false},
			},
			devices: map[string]string{"Run": "COROS PACE 3", "WeightTraining": "COROS PACE 3"},
		},
		{
			n: 3, id: "i100003", fitness: 40, first: "Theo", last: "Marchetti-Vance", key: "demo-key-3",
			zone: "America/Los_Angeles", holidayZone: "America/Los_Angeles", sex: "M", born: "1985-10-30",
			city: "Placeholder Beach", country: "United States", height: 1.88, weight: 80.6, weightPerWeek: -0.02,
			restHR: 54, hrv: 55, steps: 7400, weeks: 53, planned: 12, every: 2, sea: [2]float64{32.1, -121.8}, hilly: 0.8,
			ride: &demoSport{threshold: 236, step: 2.5, indoorLess: 8, lthr: 163, maxHR: 180},
			run:  &demoSport{threshold: 1000 / 312.0, step: 0.012, lthr: 169, maxHR: 185, paceUnits: "MINS_KM"},
			swim: &demoSport{threshold: 100 / 92.0, step: 0.004, lthr: 158, maxHR: 176, paceUnits: "SECS_100M"},
			template: []demoSlot{
				{0, 6 * 60, "swim.quality", 65, false},
				{1, 17*60 + 20, "ride.quality", 60, false},
				{2, 6 * 60, "swim.endurance", 60, false},
				{3, 17*60 + 10, "run.easy", 45, false},
				{4, 6 * 60, "swim.quality", 65, false},
				{5, 8*60 + 30, "ride.long", 130, false},
				{6, 8 * 60, "run.long", 65, false},
			},
			devices: map[string]string{"Ride": "Wahoo ELEMNT BOLT", "VirtualRide": "Wahoo KICKR CORE", "Run": "Garmin Forerunner 265", "Swim": "Garmin Swim 2"},
		},
		{
			n: 4, id: "i100004", fitness: 20, first: "Isla", last: "Penhallow", key: "demo-key-coach", coachOf: []string{"i100001", "i100002", "i100003"},
			zone: "Europe/London", holidayZone: "Europe/London", sex: "F", born: "1979-07-21",
			city: "Exampleford", country: "United Kingdom", height: 1.71, weight: 63.5, weightPerWeek: 0.01,
			restHR: 50, hrv: 60, steps: 9000, weeks: 53, every: 5, sea: [2]float64{50.1, -7.4}, hilly: 1,
			ride: &demoSport{threshold: 205, step: 1, indoorLess: 5, lthr: 158, maxHR: 174},
			run:  &demoSport{threshold: 1000 / 305.0, step: 0.006, lthr: 164, maxHR: 178, paceUnits: "MINS_KM"},
			template: []demoSlot{
				{1, 7 * 60, "run.easy", 40, true},
				{4, 7 * 60, "run.easy", 45, true},
				{6, 9*60 + 30, "ride.long", 110, true},
			},
			devices: map[string]string{"Ride": "Garmin Edge 540", "Run": "Polar Pacer Pro"},
		},
		{
			n: 5, id: "i100005", fitness: 22, first: "Pieter", last: "van Elzenbroek", key: "demo-key-5",
			zone: "Europe/Amsterdam", holidayZone: "Europe/Amsterdam", sex: "M", born: "1971-03-12",
			city: "Voorbeeldstad", country: "Netherlands", height: 1.79, weight: 82, weightPerWeek: 0,
			restHR: 57, hrv: 41, steps: 6500, weeks: 53, every: 5, sea: [2]float64{54.1, 4.9}, hilly: 0.3,
			ride: &demoSport{threshold: 225, step: 0.5, indoorLess: 0, lthr: 157, maxHR: 172},
			template: []demoSlot{
				{2, 18*60 + 30, "ride.endurance", 70, true},
				{5, 10 * 60, "ride.long", 120, true},
			},
			devices: map[string]string{"Ride": "Garmin Edge 530"},
		},
	}
	for _, p := range people {
		p.loc = demoZone(p.zone)
		p.holidayLoc = demoZone(p.holidayZone)
		p.routes = demoRoutes(p)
		for _, s := range []*demoSport{p.ride, p.run, p.swim} {
			if s != nil {
				s.zones = numberList(s.hrZones())
			}
		}
	}
	return people
}

// demoZone loads a zone; on a machine without a zone database it is UTC.
func demoZone(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return loc
}

func (p *demoPerson) name() string { return p.first + " " + p.last }

// sport gives the thresholds for an activity type, nil when it has none.
func (p *demoPerson) sport(activityType string) *demoSport {
	switch activityType {
	case "Ride", "VirtualRide":
		return p.ride
	case "Run":
		return p.run
	case "Swim":
		return p.swim
	}
	return nil
}

// rng is the source of randomness for one thing on one day: the same day has
// the same past, whatever today is.
func (p *demoPerson) rng(day int, topic uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(p.n)<<40|uint64(day), 0x9e3779b97f4a7c15^topic*0xbf58476d1ce4e5b9))
}
