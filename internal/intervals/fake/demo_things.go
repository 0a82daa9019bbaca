package fake

import "fmt"

// An athlete's things. Parts count with what they are mounted on.
const (
	gearRoad = iota + 1
	gearTrainer
	gearShoes
	gearOldShoes
	gearChain
	gearWetsuit
)

// gearSwap is how many eight-week steps ago the old shoes were retired.
const gearSwap = 4

func (c *demoCalendar) gearID(thing int) string { return fmt.Sprintf("b9%02d%03d", c.p.n, thing) }

func demoGearName(person, thing int) string {
	names := map[int]string{gearRoad: "Road bike", gearTrainer: "Trainer bike", gearShoes: "Daily trainers (blue)", gearOldShoes: "Daily trainers (grey)", gearChain: "Chain 12-speed", gearWetsuit: "Wetsuit"}
	return names[thing]
}

// gear is the thing a session was done with, 0 for none.
func (s *demoSession) gear() int {
	switch s.sport {
	case "Ride":
		return gearRoad
	case "VirtualRide":
		return gearTrainer
	case "Run":
		switch step := s.c.step(s.day); {
		case step >= 2*gearSwap: // not noted then
			return 0
		case step >= gearSwap:
			return gearOldShoes
		}
		return gearShoes
	}
	return 0
}

// demoUse is how much a thing was used.
type demoUse struct {
	metres, secs float64
	activities   float64
}

// gear lists the athlete's things with what the history says of their use.
func (c *demoCalendar) gear(use map[int]demoUse) []Object {
	bought := dayText(c.first - 20)
	swap := mondayOf((weekOf(c.today)/8 - gearSwap + 1) * 8)
	thing := func(n int, kind, purchased string, u demoUse) Object {
		return Object{
			"id": c.gearID(n), "athlete_id": c.p.id, "type": kind, "name": demoGearName(c.p.n, n), "purchased": purchased,
			"distance": nearest(1, u.metres), "time": u.secs, "activities": u.activities, "use_elapsed_time": false,
			"component_ids": []any{}, "reminders": []any{}, "activity_filters": []any{}, "component": false,
		}
	}
	var out []Object
	if c.p.ride != nil {
		road := thing(gearRoad, "Bike", bought, use[gearRoad])
		road["component_ids"] = []any{c.gearID(gearChain)}
		chain := thing(gearChain, "Chain", dayText(swap), use[gearChain])
		chain["component"] = true
		used := use[gearChain].metres
		chain["reminders"] = []any{Object{
			"id": float64(90 + c.p.n), "gear_id": c.gearID(gearChain), "name": "Replace chain", "distance": 3_000_000.0,
			"last_reset": dayText(swap) + "T00:00:00.000+00:00", "starting_distance": 0.0, "starting_time": 0.0, "starting_activities": 0.0,
			"percent_used": nearest(10, used/30_000), "distance_used": nearest(1, used), "time_used": use[gearChain].secs,
			"activities_used": use[gearChain].activities, "days_used": float64(c.today - swap),
		}}
		out = append(out, road, chain)
		if c.p.ride.indoorLess > 0 {
			out = append(out, thing(gearTrainer, "Bike", bought, use[gearTrainer]))
		}
	}
	if c.p.run != nil {
		old := thing(gearOldShoes, "Shoes", dayText(max(c.first-20, swap-gearSwap*56)), use[gearOldShoes])
		old["retired"] = dayText(swap)
		out = append(out, thing(gearShoes, "Shoes", dayText(swap), use[gearShoes]), old)
	}
	if c.p.swim != nil {
		out = append(out, thing(gearWetsuit, "Wetsuit", bought, demoUse{}))
	}
	return out
}

// chainSince is the first day of the chain that is on the road bike now.
func (c *demoCalendar) chainSince() int { return mondayOf((weekOf(c.today)/8 - gearSwap + 1) * 8) }

// customItems are what athletes add to the platform: fields, charts, zones.
func (c *demoCalendar) customItems() []Object {
	if c.p.n != 1 {
		return []Object{}
	}
	items := []struct {
		kind, name, text, visibility string
		content                      Object
	}{
		{"INPUT_FIELD", "Whoop strain", "Day strain from the band, 0 to 21", "PRIVATE", Object{"code": "WhoopStrain", "type": "numeric", "aggregate": "AVERAGE"}},
		{"INPUT_FIELD", "Alcohol", "Units in the evening before", "PRIVATE", Object{"code": "AlcoholUnits", "type": "numeric", "aggregate": "SUM"}},
		{"ACTIVITY_FIELD", "Carbs per hour", "Eaten, g an hour", "PRIVATE", Object{"code": "CarbsPerHour", "type": "numeric", "aggregate": "AVERAGE"}},
		{"ACTIVITY_FIELD", "Leg feel", "", "FOLLOWERS", Object{"code": "LegFeel", "type": "select", "options": []any{"fresh", "ok", "heavy"}}},
		{"FITNESS_CHART", "Fitness and fatigue", "", "PRIVATE", Object{"series": []any{Object{"field": "ctl", "color": "blue"}, Object{"field": "atl", "color": "purple"}}, "layout": Object{"height": 240.0}}},
		{"FITNESS_TABLE", "Weeks", "", "PRIVATE", Object{"columns": []any{"load", "time", "ctl", "rampRate"}}},
		{"ACTIVITY_CHART", "Power and heart rate", "", "PUBLIC", Object{"series": []any{Object{"stream": "watts"}, Object{"stream": "heartrate"}}}},
		{"INTERVAL_FIELD", "Watts per beat", "", "PRIVATE", Object{"code": "WattsPerBeat", "type": "numeric", "aggregate": "AVERAGE", "script": "average_watts / average_heartrate"}},
		{"ZONES", "Polarised zones", "Three zones by heart rate", "PRIVATE", Object{"code": "Polarised", "zones": []any{Object{"id": "Low", "max": 140.0}, Object{"id": "Middle", "max": 166.0}, Object{"id": "High", "max": 999.0}}}},
	}
	out := make([]Object, 0, len(items))
	for i, item := range items {
		o := Object{
			"id": float64(7001 + i), "athlete_id": c.p.id, "type": item.kind, "visibility": item.visibility, "name": item.name,
			"content": item.content, "usage_count": 0.0, "index": float64(i), "hide_script": false, "updated": dayText(c.first+90) + "T10:00:00.000+00:00",
		}
		if item.text != "" {
			o["description"] = item.text
		}
		out = append(out, o)
	}
	return out
}

// folders are the workout library: a folder and a plan.
func (c *demoCalendar) folders() []Object {
	if c.p.n != 1 {
		return []Object{}
	}
	week := weekOf(c.today)
	workout := func(id int, folder float64, kind string, minutes float64) Object {
		w := c.workout(kind, minutes, week/4*4+1)
		o := Object{"athlete_id": c.p.id, "id": float64(id), "name": w.name, "description": w.text(), "type": w.sport, "folder_id": folder,
			"target": "AUTO", "sub_type": "NONE", "for_week": false, "indoor": false, "hide_from_athlete": false, "updated": dayText(c.first+60) + "T10:00:00.000+00:00"}
		if w.minutes > 0 {
			o["moving_time"], o["icu_training_load"] = w.minutes*60, w.load
		}
		return o
	}
	hard := []any{workout(810001, 81001, "ride.threshold", 75), workout(810002, 81001, "ride.vo2", 65), workout(810003, 81001, "ride.sweetspot", 80), workout(810004, 81001, "run.intervals", 55), workout(810005, 81001, "swim.css", 50)}
	var plan []any
	for i, kind := range []string{"ride.endurance", "run.easy", "swim.endurance", "run.strides", "ride.long", "run.long"} {
		w := workout(810010+i, 81002, kind, 60)
		w["day"], w["days"] = float64(i+i/4), 1.0
		plan = append(plan, w)
	}
	base := func(id float64, kind, name string, children []any) Object {
		return Object{"athlete_id": c.p.id, "id": id, "type": kind, "name": name, "children": children, "visibility": "PRIVATE",
			"read_only_workouts": false, "num_workouts": float64(len(children)), "canEdit": true, "sharedWithCount": 0.0}
	}
	return []Object{
		base(81001, "FOLDER", "Hard sessions", hard),
		func() Object {
			p := base(81002, "PLAN", "One week of base", plan)
			p["duration_weeks"], p["starting_ctl"], p["starting_atl"], p["activity_types"] = 1.0, -1.0, -1.0, []any{"Ride", "Run", "Swim"}
			return p
		}(),
	}
}
