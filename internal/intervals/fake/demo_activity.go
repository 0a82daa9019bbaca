package fake

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// demoResult is what measuring a session gives.
type demoResult struct {
	activity Object
	gear     int
}

// measure records the session in t and writes the Activity from it. The
// summary comes from the streams; this adds what only the athlete, the device
// and the day can tell.
func (s *demoSession) measure(t *demoTrack) demoResult {
	s.record(t)
	th := s.thresholds()
	a := Object{}
	if !s.manual {
		a = summarise(s.sport, t.rows(), th)
	}
	s.describe(a, t)
	s.settings(a, th)
	s.felt(a, th)
	if s.manual {
		s.manualFields(a)
	} else {
		s.recorded(a, t)
	}
	gear := s.gear()
	if gear > 0 {
		a["gear"] = Object{"id": s.c.gearID(gear), "name": demoGearName(s.c.p.n, gear)}
	}
	return demoResult{a, gear}
}

// zone is where the session took place.
func (s *demoSession) zone() (string, *time.Location) {
	if p := s.c.period(s.day); p != nil && p.name == "Summer holiday" {
		return s.c.p.holidayZone, s.c.p.holidayLoc
	}
	return s.c.p.zone, s.c.p.loc
}

func (s *demoSession) second() int { return int(s.c.p.rng(s.day, 60+uint64(s.slot)).IntN(60)) }

// describe writes identity, time, name and text.
func (s *demoSession) describe(a Object, t *demoTrack) {
	name, loc := s.zone()
	date := dayDate(s.day)
	start := time.Date(date.Year(), date.Month(), date.Day(), 0, s.minute, s.second(), 0, loc)
	a["id"], a["icu_athlete_id"], a["type"] = s.activityID(), s.c.p.id, s.sport
	a["start_date_local"] = start.Format("2006-01-02T15:04:05")
	a["start_date"] = start.UTC().Format("2006-01-02T15:04:05Z")
	a["timezone"] = name
	elapsed, _ := a["elapsed_time"].(float64)
	if s.manual {
		elapsed = s.minutes * 60
	}
	synced := start.UTC().Add(time.Duration(elapsed)*time.Second + 100*time.Second).Format("2006-01-02T15:04:05.000+00:00")
	a["created"], a["icu_sync_date"], a["analyzed"] = synced, synced, synced
	if n := s.name(); n != "" {
		a["name"] = n
	}
	if d := s.description(); d != "" {
		a["description"] = d
	}
	if tags := s.tags(); tags != nil {
		a["tags"] = tags
	}
	a["race"], a["commute"], a["trainer"] = s.race != nil, s.strava && s.kind == "ride.recovery", s.sport == "VirtualRide"
	a["sub_type"] = "NONE"
	switch {
	case s.race != nil:
		a["sub_type"] = "RACE"
	case a["commute"] == true:
		a["sub_type"] = "COMMUTE"
	}
	if s.event > 0 && !s.strava {
		a["paired_event_id"] = float64(s.event)
		if moving, ok := a["moving_time"].(float64); ok {
			want := s.workout().seconds(max(0.1, s.threshold()))
			a["compliance"] = nearest(100, 100*moving/want)
		}
	}
}

// settings writes the thresholds and zones that held on the day.
func (s *demoSession) settings(a Object, t thresholds) {
	p := s.c.p
	step := s.c.step(s.day)
	a["lthr"], a["athlete_max_hr"], a["icu_resting_hr"] = t.LTHR, t.MaxHR, p.restHR
	a["icu_weight"] = nearest(10, s.c.weight(s.day))
	a["icu_hr_zones"] = p.heartSport(s.sport).zones
	a["tiz_order"] = "POWER_HR_PACE"
	if t.FTP > 0 {
		a["icu_ftp"], a["icu_power_zones"] = t.FTP, demoPowerList
		a["icu_w_prime"], a["p_max"] = nearest(0.01, t.FTP*66), nearest(0.1, t.FTP*3.4)
		a["icu_sweet_spot_min"], a["icu_sweet_spot_max"], a["icu_power_spike_threshold"] = t.SweetSpotMin, t.SweetSpotMax, 30.0
		outdoor := math.Round(p.ride.threshold - p.ride.step*float64(step))
		a["icu_rolling_ftp"] = outdoor - float64(p.rng(s.week, 61).IntN(4))
		a["icu_rolling_w_prime"], a["icu_rolling_p_max"] = nearest(10, outdoor*64.5), nearest(10, outdoor*3.31)
	}
	if t.ThresholdPace > 0 {
		a["pace_zones"] = demoPaceList
	}
	for _, key := range [...]string{"icu_ignore_time", "icu_ignore_power", "icu_ignore_hr", "ignore_velocity", "ignore_pace", "use_elevation_correction", "use_gap_zone_times", "icu_intervals_edited", "lock_intervals", "has_segments"} {
		a[key] = false
	}
}

// felt writes RPE and feel, mostly given, from how hard it was and how fresh
// the athlete.
func (s *demoSession) felt(a Object, t thresholds) {
	rng := s.c.p.rng(s.day, 70+uint64(s.slot))
	intensity, _ := a["icu_intensity"].(float64)
	moving, _ := a["moving_time"].(float64)
	if s.manual {
		intensity, moving = 50, s.minutes*60
	}
	switch s.sport { // pace against threshold says more than power does
	case "Run":
		intensity -= 11
	case "Swim":
		intensity -= 8
	}
	rpe := 2.0
	for _, bound := range []float64{62, 69, 75, 81, 87, 93, 98} {
		if intensity > bound {
			rpe++
		}
	}
	if moving > 2.4*3600 {
		rpe++
	}
	if slices.ContainsFunc(s.tags(), func(tag any) bool { return tag == "quality" || tag == "test" }) {
		rpe += 2
	}
	if s.kind == "strength" {
		rpe = 6
	}
	if s.race != nil {
		rpe = 9
	}
	rpe = demoClamp(rpe+float64(rng.IntN(2)), 1, 10)
	feel := [10]float64{2, 2, 2, 3, 2, 1, 3, 2, 4, 3}[rng.IntN(10)]
	if s.share < 1 {
		feel = 4 + float64(rng.IntN(2))
	}
	if rng.IntN(100) < 88 || s.race != nil {
		a["icu_rpe"], a["feel"] = rpe, feel
		a["session_rpe"] = math.Round(rpe * moving / 60)
	}
}

func (s *demoSession) manualFields(a Object) {
	a["source"], a["moving_time"], a["elapsed_time"] = "MANUAL", s.minutes*60, s.minutes*60
	a["icu_training_load"] = math.Round(s.minutes * map[string]float64{"Yoga": 0.3, "Hike": 0.35}[s.sport])
	a["has_heartrate"] = false
	a["calories"] = math.Round(s.minutes * 4.5)
	if s.sport == "Hike" {
		a["distance"] = nearest(0.01, s.minutes*72)
	}
}

// recorded writes what the device and the weather add.
func (s *demoSession) recorded(a Object, t *demoTrack) {
	p := s.c.p
	rng := p.rng(s.day, 80+uint64(s.slot))
	device := p.devices[s.sport]
	a["device_name"], a["file_type"], a["external_id"] = device, "fit", "2"+strings.TrimLeft(s.activityID(), "i")+"01"
	a["source"] = "GARMIN_CONNECT"
	switch {
	case s.strava:
		a["source"], a["strava_id"] = "STRAVA", s.activityID()
	case s.sport == "VirtualRide":
		a["source"], a["power_meter"] = "ZWIFT", device
	case strings.HasPrefix(device, "COROS"):
		a["source"] = "COROS"
	case strings.HasPrefix(device, "Wahoo"):
		a["source"] = "WAHOO"
	case strings.HasPrefix(device, "Polar"):
		a["source"] = "POLAR"
	}
	moving, _ := a["moving_time"].(float64)
	metres, _ := a["distance"].(float64)
	a["icu_lap_count"] = float64(len(t.laps))
	if len(t.laps) > 0 {
		a["interval_summary"] = s.intervalSummary(t)
	}
	weight := s.c.weight(s.day)
	switch s.sport {
	case "Ride", "VirtualRide":
		joules, _ := a["icu_joules"].(float64)
		a["calories"], a["device_watts"] = math.Round(joules/1000*1.04), true
		if s.sport == "Ride" {
			a["power_meter"], a["power_meter_serial"], a["power_meter_battery"] = "Demo dual-sided PM", "PM-000"+fmt.Sprint(p.n), "GOOD"
		}
		used := math.Round(joules / 1000 * 0.11)
		a["carbs_used"] = used
		if moving > 2*3600 && rng.IntN(3) > 0 {
			ingested := math.Round(moving / 3600 * (45 + 30*rng.Float64()))
			a["carbs_ingested"] = ingested
			if p.n == 1 {
				a["CarbsPerHour"] = math.Round(ingested / moving * 3600)
			}
		}
	case "Run":
		a["calories"] = math.Round(metres / 1000 * weight * 1.02)
		if p.n == 1 && rng.IntN(2) == 0 {
			a["LegFeel"] = [3]string{"fresh", "ok", "heavy"}[rng.IntN(3)]
		}
	case "Swim":
		a["calories"], a["pool_length"], a["lengths"] = math.Round(moving/60*9.5), poolLength, float64(t.lengths)
	default:
		a["calories"], a["kg_lifted"] = math.Round(moving/60*6), 3800+float64(rng.IntN(30))*100
	}
	if !t.outdoor {
		a["has_weather"] = false
		return
	}
	a["has_weather"], a["route_id"] = true, s.route().id
	s.weather(a, rng.Float64(), rng.Float64(), rng.Float64())
}

// weather of the day: three draws for wind, direction and clouds.
func (s *demoSession) weather(a Object, wind, direction, clouds float64) {
	temp := s.temperature()
	speed := 1.2 + 6*wind*wind
	a["average_weather_temp"], a["min_weather_temp"], a["max_weather_temp"] = nearest(10, temp), nearest(10, temp-1.1), nearest(10, temp+1.4)
	feels := temp - 0.5*speed
	a["average_feels_like"], a["min_feels_like"], a["max_feels_like"] = nearest(10, feels), nearest(10, feels-1.2), nearest(10, feels+1.3)
	a["average_wind_speed"], a["average_wind_gust"] = nearest(100, speed), nearest(100, speed*1.7)
	a["prevailing_wind_deg"] = nearest(0.1, direction*350)
	a["headwind_percent"], a["tailwind_percent"] = nearest(10, 27+9*clouds), nearest(10, 35-8*clouds)
	a["average_clouds"] = nearest(1, clouds*100)
	rain := 0.0
	if clouds > 0.85 {
		rain = nearest(10, (clouds-0.85)*12)
	}
	a["max_rain"], a["max_snow"] = rain, 0.0
}

// intervalSummary says the hard parts as the platform does: "3x 8m 279w".
func (s *demoSession) intervalSummary(t *demoTrack) []any {
	type run struct {
		secs, sum float64
		n         int
	}
	unit, column := "bpm", &t.hr
	if len(t.watts.v) > 0 {
		unit, column = "w", &t.watts
	}
	hard := slices.ContainsFunc(t.laps, func(l demoLap) bool { return l.work })
	var runs []run
	for _, lap := range t.laps {
		mean, ok := column.mean(lap.start, lap.end)
		secs := float64(lap.end-lap.start) * (t.time.v[lap.start+1] - t.time.v[lap.start])
		if !ok || !lap.work && hard {
			continue
		}
		if n := len(runs); n > 0 && math.Abs(runs[n-1].secs-secs) < 0.1*secs+4 {
			runs[n-1].sum += mean
			runs[n-1].n++
			continue
		}
		runs = append(runs, run{secs, mean, 1})
	}
	out := make([]any, 0, len(runs))
	for _, r := range runs {
		if len(out) < 6 {
			out = append(out, fmt.Sprintf("%dx %s %.0f%s", r.n, demoStep{secs: math.Round(r.secs)}.length(), r.sum/float64(r.n), unit))
		}
	}
	return out
}
