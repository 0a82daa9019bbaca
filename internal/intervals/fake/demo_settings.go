package fake

import (
	"fmt"
	"math"
	"time"
)

var (
	demoPowerZones = []float64{55, 75, 90, 105, 120, 150, 999}
	demoPaceZones  = []float64{77.5, 87.7, 94.3, 100, 103.4, 111.5, 999}
	demoPowerList  = numberList(demoPowerZones)
	demoPaceList   = numberList(demoPaceZones)
	demoZoneNames  = []any{"Recovery", "Aerobic", "Tempo", "SubThreshold", "SuperThreshold", "Aerobic Capacity", "Anaerobic"}
)

// hrZones are upper bounds in bpm, the last one the maximum.
func (s *demoSport) hrZones() []float64 {
	zones := make([]float64, 0, 7)
	for _, share := range []float64{0.81, 0.89, 0.93, 0.99, 1.02, 1.05} {
		zones = append(zones, math.Round(s.lthr*share))
	}
	return append(zones, s.maxHR)
}

// thresholds are those of the session's own day, as summarise wants them.
func (s *demoSession) thresholds() thresholds {
	t := thresholds{RestingHR: s.c.p.restHR, SweetSpotMin: 84, SweetSpotMax: 97}
	t.LTHR, t.MaxHR = s.c.p.heart(s.sport)
	sport := s.c.p.sport(s.sport)
	if sport == nil {
		sport = &demoSport{lthr: t.LTHR, maxHR: t.MaxHR}
		t.HRZones = sport.hrZones()
		return t
	}
	t.HRZones = sport.hrZones()
	if sport.paceUnits == "" {
		t.FTP, t.PowerZones = s.threshold(), demoPowerZones
	} else {
		t.ThresholdPace, t.PaceZones, t.PaceUnits = s.threshold(), demoPaceZones, sport.paceUnits
	}
	return t
}

// athlete is GET /athlete/{id}, private fields included: the fake must have
// something that a client may not pass on.
func (c *demoCalendar) athlete() Object {
	p := c.p
	units, wind, rain := "meters", "KMH", "MM"
	if p.feet {
		units, wind, rain = "feet", "MPH", "INCHES"
	}
	bikes, shoes := []any{}, []any{}
	a := Object{
		"id": p.id, "name": p.name(), "firstname": p.first, "lastname": p.last,
		"measurement_preference": units, "weight_pref_lb": p.feet, "fahrenheit": p.feet, "wind_speed": wind, "rain": rain,
		"email": fmt.Sprintf("%s@demo.invalid", p.key), "sex": p.sex, "city": p.city, "country": p.country,
		"timezone": p.zone, "locale": "en", "visibility": "PRIVATE", "status": "ACTIVE",
		"bikes": bikes, "shoes": shoes,
		"icu_last_seen": c.nowInstant.UTC().Add(-40 * time.Minute).Format("2006-01-02T15:04:05.000+00:00"),
		"icu_activated": dayText(c.first) + "T09:30:16.000+00:00", "icu_weight": p.weight, "icu_weight_sync": "NONE",
		"icu_resting_hr": p.restHR, "icu_permission": "WRITE", "icu_coach": len(p.coachOf) > 0,
		"icu_date_of_birth": p.born, "icu_type_settings": []any{}, "icu_form_as_percent": p.n == 3, "icu_mmp_days": 90.0,
		"icu_wellness_prompt": true,
		"icu_wellness_keys":   []any{"weight", "restingHR", "hrv", "sleepSecs", "sleepQuality", "soreness", "fatigue", "stress", "mood", "motivation", "comments"},
		"icu_api_key":         p.key, "icu_friend_invite_token": fmt.Sprintf("demo-invite-%d", p.n), "strava_id": float64(90_000_000 + p.n),
		"strava_authorized": p.n <= 3, "icu_garmin_health": true, "icu_garmin_training": true, "icu_garmin_sync_activities": true,
		"icu_garmin_upload_workouts": true, "icu_garmin_outdoor_power_range": 2.5, "icu_garmin_hr_range": 1.5, "garmin_pace_range": 2.5,
		"garmin_power_target": "POWER_LAP", "height": p.height, "height_units": "CM", "plan": "FREE",
	}
	switch p.n {
	case 1:
		a["training_availability"] = []any{
			Object{"day_of_week": 1.0, "training_availability": "LIMITED", "max_training_time": 3600.0, "can_train_sports": []any{"WeightTraining", "Swim", "Yoga"}},
			Object{"day_of_week": 5.0, "training_availability": "LIMITED", "max_training_time": 5400.0, "can_train_sports": nil},
		}
		a["bio"] = "Gran fondos, half marathons, and a pool that is too warm."
	case 2:
		a["icu_track_menstrual_cycle"] = true
		a["icu_menstrual_cycle_perm"] = "NONE"
		a["private_wellness_keys"] = []any{"menstrualPhase", "menstrualPhasePredicted", "mood", "weight"}
		a["height_units"] = "FEET"
	}
	return a
}

// sportSettings are today's.
func (c *demoCalendar) sportSettings() []Object {
	p := c.p
	var out []Object
	base := func(n int, types ...any) Object {
		o := Object{
			"id": float64(700_000 + p.n*10 + n), "athlete_id": p.id, "types": types, "warmup_time": 1200.0, "cooldown_time": 600.0,
			"sweet_spot_min": 84.0, "sweet_spot_max": 97.0, "power_spike_threshold": 30.0, "ftp_est_min_secs": 300.0,
			"hr_load_type": "HRSS", "hrrc_min_percent": 100.0, "gap_model": "NONE", "elevation_correction": "NO",
			"use_gap_zone_times": false, "load_order": "POWER_HR_PACE", "tiz_order": "POWER_HR_PACE", "workout_order": "POWER_HR_PACE",
			"interval_display": "POWER_HR_PACE", "extract_workouts": false, "show_pauses": 600.0, "ignore_velocity": false,
			"update_activity_name_from_workout": true, "use_laps_for_power_intervals": false, "keep_all_laps_for_power_intervals": true,
			"power_intervals_start_locked": false, "created": dayText(c.first) + "T09:30:16.000+00:00", "updated": dayText(mondayOf(weekOf(c.today)/8*8)) + "T07:12:00.000+00:00",
			"other": false, "use_distance_for_intervals": false, "eFTPSupported": false,
			"activity_field_ids": []any{}, "activity_charts": Object{}, "custom_field_ids": []any{}, "custom_field_values": Object{}, "custom_zones_ids": []any{},
		}
		out = append(out, o)
		return o
	}
	heart := func(o Object, s *demoSport) {
		o["lthr"], o["max_hr"], o["hr_zones"], o["hr_zone_names"] = s.lthr, s.maxHR, numberList(s.hrZones()), demoZoneNames
	}
	if s := p.ride; s != nil {
		o := base(1, "Ride", "VirtualRide", "GravelRide", "MountainBikeRide")
		heart(o, s)
		o["ftp"], o["w_prime"], o["p_max"], o["eFTPSupported"] = s.threshold, nearest(0.01, s.threshold*66), nearest(0.1, s.threshold*3.4), true
		if s.indoorLess > 0 {
			o["indoor_ftp"] = s.threshold - s.indoorLess
		}
		o["power_zones"] = numberList(demoPowerZones)
		o["power_zone_names"] = []any{"Active Recovery", "Endurance", "Tempo", "Threshold", "VO2 Max", "Anaerobic", "Neuromuscular"}
		o["default_gear_id"], o["default_indoor_gear_id"] = c.gearID(gearRoad), c.gearID(gearTrainer)
		o["mmp_model"] = Object{"type": "FFT_CURVES", "criticalPower": s.threshold - 6, "wPrime": nearest(0.1, s.threshold*64), "pMax": nearest(1, s.threshold*3.3), "ftp": s.threshold - 2, "inputPointIndexes": []any{93.0, 101.0}}
	}
	if s := p.run; s != nil {
		o := base(2, "Run", "VirtualRun", "TrailRun")
		heart(o, s)
		o["warmup_time"], o["cooldown_time"] = 300.0, 300.0
		o["threshold_pace"], o["pace_units"], o["pace_load_type"] = nearest(10000, s.threshold), s.paceUnits, "RUN"
		o["pace_zones"], o["pace_zone_names"] = numberList(demoPaceZones), []any{"Zone 1", "Zone 2", "Zone 3", "Zone 4", "Zone 5a", "Zone 5b", "Zone 5c"}
		o["load_order"] = "POWER_PACE_HR"
		o["best_effort_distances"], o["pace_curve_start"] = []any{400.0, 800.0, 1000.0, 1609.34, 3000.0, 5000.0, 10000.0, 21097.5, 42195.0}, 400.0
	}
	if s := p.swim; s != nil {
		o := base(3, "Swim", "OpenWaterSwim")
		heart(o, s)
		o["warmup_time"], o["cooldown_time"] = 300.0, 300.0
		o["threshold_pace"], o["pace_units"], o["pace_load_type"] = nearest(10000, s.threshold), s.paceUnits, "SWIM"
		o["pace_zones"], o["pace_zone_names"] = numberList(demoPaceZones), []any{"Zone 1", "Zone 2", "Zone 3", "Zone 4", "Zone 5a", "Zone 5b", "Zone 5c"}
		o["load_order"], o["use_distance_for_intervals"] = "PACE_HR_POWER", true
		o["best_effort_distances"], o["pace_curve_start"] = []any{50.0, 100.0, 200.0, 400.0, 800.0, 1500.0}, 50.0
	}
	o := base(4, "Other")
	lthr, maxHR := p.heart("Other")
	heart(o, &demoSport{lthr: lthr, maxHR: maxHR})
	o["other"], o["warmup_time"], o["cooldown_time"] = true, 0.0, 0.0
	return out
}

// weight is what the scales say on a day, without the day's noise. It counts
// from the start of the present eight weeks, so that it stays as today moves.
func (c *demoCalendar) weight(day int) float64 {
	weeks := float64(mondayOf(weekOf(c.today)/8*8)-day) / 7
	return c.p.weight - c.p.weightPerWeek*weeks + 0.5*math.Sin(float64(day)/29)
}
