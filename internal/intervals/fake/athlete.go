package fake

import (
	"math"
	"slices"
	"strconv"
)

// listAthletes lists the caller and those they coach.
func (c *call) listAthletes() (any, error) {
	keys := append(slices.Clone(athleteKeys), "icu_tags", "icu_notes")
	out := []row{}
	for _, a := range c.s.athletes {
		if c.mayReach(a) {
			r := c.athleteRow(a)
			r.keys = keys
			out = append(out, r)
		}
	}
	return out, nil
}

// athleteRow serves an athlete: with what is private to the athlete, and
// without it to a coach.
func (c *call) athleteRow(a *athlete) row {
	r := full(athleteKeys, a.object)
	r.under = Object{
		"name": a.name, "measurement_preference": "meters", "weight_pref_lb": false, "fahrenheit": false,
		"icu_permission": "WRITE", "icu_form_as_percent": false, "icu_coach": len(a.coachOf) > 0,
		"status": "ACTIVE", "visibility": "PRIVATE", "plan": "FREE", "bikes": []any{}, "shoes": []any{},
		"icu_api_key": a.key, "icu_type_settings": []any{}, "strava_authorized": false,
	}
	if !c.own(a) {
		r.over = Object{
			"email": nil, "icu_api_key": nil, "icu_friend_invite_token": nil, "polar_scope": nil, "suunto_scope": nil,
			"suunto_user_id": nil, "coros_user_id": nil, "concept2_user_id": nil, "zepp_user_id": nil,
			"huawei_user_id": nil, "wahoo_user_id": nil, "zwift_user_id": nil, "dropbox_scope": nil,
			"oura_scope": nil, "whoop_scope": nil, "google_scope": nil, "strava_id": nil,
		}
	}
	return r
}

func (c *call) getAthlete() (any, error) {
	r := c.athleteRow(c.ath)
	r.keys = append(slices.Clone(athleteKeys), "custom_items", "sportSettings")
	over := Object{
		"custom_items": rows(itemKeys, c.ath.items), "sportSettings": rows(sportKeys, c.ath.sports),
	}
	for k, v := range r.over {
		over[k] = v
	}
	r.over = over
	return r, nil
}

func (c *call) getProfile() (any, error) {
	person := full(profileKeys, Object{"name": c.ath.name, "icu_coach": len(c.ath.coachOf) > 0})
	for _, k := range profileKeys {
		if v := c.ath.object[k]; v != nil && k != "email" {
			person.Object[k] = v
		}
	}
	return Object{"athlete": person, "sharedFolders": []any{}, "customItems": []any{}}, nil
}

// getTrainingPlan serves the plan that the athlete follows, if any.
func (c *call) getTrainingPlan() (any, error) {
	o := c.ath.object
	out := full([]string{"athlete_id", "training_plan_id", "training_plan_start_date", "timezone",
		"training_plan_last_applied", "training_plan", "training_plan_alias"}, Object{
		"athlete_id": c.ath.id, "timezone": c.ath.zone.String(),
	})
	id, ok := whole(o, "training_plan_id")
	if !ok {
		return out, nil
	}
	for _, k := range []string{"training_plan_id", "training_plan_start_date", "training_plan_last_applied", "training_plan_alias"} {
		out.Object[k] = o[k]
	}
	for _, f := range c.ath.folders {
		if n, _ := whole(f, "id"); n == id {
			out.Object["training_plan"] = full(folderKeys, f)
		}
	}
	return out, nil
}

func (c *call) listSportSettings() (any, error) { return rows(sportKeys, c.ath.sports), nil }

// settings finds sport settings by id or by a sport.
func (c *call) settings() (Object, error) {
	key := c.args["sport"]
	id, err := strconv.ParseInt(key, 10, 64)
	for _, o := range c.ath.sports {
		if n, _ := whole(o, "id"); err == nil && n == id || slices.Contains(texts(o["types"]), key) {
			return o, nil
		}
	}
	return nil, errNotFound
}

func (c *call) getSportSettings() (any, error) {
	o, err := c.settings()
	if err != nil {
		return nil, err
	}
	return full(sportKeys, o), nil
}

func sportFields() fieldSet {
	return fieldSet{}.
		with(intField(), `warmup_time cooldown_time ftp indoor_ftp w_prime p_max sweet_spot_min sweet_spot_max
			power_spike_threshold ftp_est_min_secs after_kj0 after_kj1 lthr max_hr show_pauses`).
		with(floatField(), "threshold_pace hrrc_min_percent pace_curve_start").
		with(numbersField(), "power_zones hr_zones pace_zones best_effort_distances").
		with(listField(nil), "power_zone_names hr_zone_names pace_zone_names").
		with(listField(sportTypes), "types").
		with(enumField(paceUnits), "pace_units").
		with(enumField(loadTypes), "hr_load_type").
		with(enumField(priorityOrders), "load_order tiz_order workout_order interval_display").
		with(textField(), "power_field default_gear_id default_indoor_gear_id default_workout_time").
		with(boolField(), "use_laps_for_power_intervals ignore_velocity use_gap_zone_times extract_workouts")
}

// putSportSettings changes the keys sent; recalcHrZones is required, and true
// makes heart rate zones anew from the threshold and maximum.
func (c *call) putSportSettings() (any, error) {
	o, err := c.settings()
	if err != nil {
		return nil, err
	}
	if c.query.Get("recalcHrZones") == "" {
		return nil, missingParameter("recalcHrZones", "boolean")
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	changes, no := sportFields().accept(body)
	if no != nil {
		return nil, no
	}
	if v, ok := number(changes, "threshold_pace"); ok && v != -1 && (v <= 0 || v > 20) {
		return nil, invalid("Invalid threshold pace")
	}
	before := numberOr0(o, "lthr")
	merge(o, changes)
	if c.flag("recalcHrZones") {
		recalcHRZones(o, before)
	}
	o["updated"] = c.s.stampNow()
	return full(sportKeys, o), nil
}

// recalcHRZones moves the bounds with the threshold; the last is the maximum.
// Without bounds to move it takes the usual shares of the threshold.
func recalcHRZones(o Object, before float64) {
	lthr, maxHR := numberOr0(o, "lthr"), numberOr0(o, "max_hr")
	if lthr <= 0 || maxHR <= 0 {
		return
	}
	old := numbers(o["hr_zones"])
	shares := []float64{0.81, 0.89, 0.935, 0.995, 1.025, 1.055}
	if len(old) > 1 && before > 0 {
		shares = nil
		for _, bound := range old[:len(old)-1] {
			shares = append(shares, bound/before)
		}
	}
	zones := make([]any, 0, len(shares)+1)
	for _, share := range shares {
		zones = append(zones, min(math.Round(share*lthr), maxHR))
	}
	o["hr_zones"] = append(zones, any(maxHR))
}

// matchingActivities lists the activities that applying would rewrite.
func (c *call) matchingActivities() (any, error) {
	acts, err := c.matching()
	if err != nil {
		return nil, err
	}
	keys := []string{"id", "start_date_local", "type", "name"}
	out := make([]row, len(acts))
	for i, act := range acts {
		short := Object{}
		for _, k := range keys {
			short[k] = act.Object[k]
		}
		out[i] = full(keys, short)
	}
	return out, nil
}

func (c *call) matching() ([]*activity, error) {
	o, err := c.settings()
	if err != nil {
		return nil, err
	}
	types := texts(o["types"])
	var found []*activity
	for _, act := range c.ath.acts {
		if !act.hidden() && slices.Contains(types, text(act.Object, "type")) {
			found = append(found, act)
		}
	}
	return found, nil
}

// applySportSettings writes the thresholds and zones of now into past
// activities, and times their zones anew where there are streams. The
// platform does it a while later; here it is done when the answer comes.
func (c *call) applySportSettings() (any, error) {
	acts, err := c.matching()
	if err != nil {
		return nil, err
	}
	settings, _ := c.settings()
	from := map[string]string{
		"icu_ftp": "ftp", "lthr": "lthr", "athlete_max_hr": "max_hr", "threshold_pace": "threshold_pace",
		"icu_power_zones": "power_zones", "icu_hr_zones": "hr_zones", "pace_zones": "pace_zones",
		"icu_sweet_spot_min": "sweet_spot_min", "icu_sweet_spot_max": "sweet_spot_max",
	}
	for _, act := range acts {
		for key, source := range from {
			act.Object[key] = settings[source]
		}
		if ftp, ok := number(settings, "indoor_ftp"); ok && yes(act.Object, "trainer") {
			act.Object["icu_ftp"] = ftp
		}
		if len(act.streams) > 0 {
			for _, key := range []string{"icu_zone_times", "icu_hr_zone_times", "pace_zone_times"} {
				delete(act.Object, key)
			}
			act.complete = false
		}
		act.summary = nil
	}
	return Object{}, nil
}

func (c *call) getMMPModel() (any, error) {
	sport := c.query.Get("type")
	switch {
	case sport == "":
		return nil, missingParameter("type", "ActivityType")
	case !sportTypes[sport]:
		return nil, badParameter("type", sport, "ActivityType")
	}
	if model, ok := c.ath.sport(sport)["mmp_model"].(Object); ok {
		return model, nil
	}
	return nil, errNotFound
}
