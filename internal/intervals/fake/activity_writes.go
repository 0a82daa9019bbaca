package fake

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// activityFields are what PUT /activity and POST manual take.
func activityFields() fieldSet {
	return fieldSet{}.
		with(textField(), "name description device_name external_id icu_color").
		with(timeField(), "start_date_local").
		with(enumField(sportTypes), "type").
		with(enumField(subTypes), "sub_type").
		with(boolField(), `trainer commute race icu_ignore_time icu_ignore_power icu_ignore_hr ignore_velocity
			ignore_pace use_elevation_correction use_gap_zone_times lock_intervals`).
		with(intField(), `moving_time elapsed_time icu_training_load calories icu_rpe feel carbs_ingested
			paired_event_id coach_tick average_heartrate max_heartrate icu_average_watts lengths
			icu_weighted_avg_watts icu_ftp lthr icu_resting_hr icu_warmup_time icu_cooldown_time workout_shift_secs`).
		with(floatField(), `distance total_elevation_gain total_elevation_loss perceived_exertion kg_lifted
			icu_weight average_cadence pool_length threshold_pace average_temp carbs_used`).
		with(listField(nil), "tags").
		with(objectField(), "gear")
}

// putActivity changes the keys that were sent; -1 clears a number.
func (c *call) putActivity() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	if err := c.changeActivity(c.act, body); err != nil {
		return nil, err
	}
	return c.s.serve(c.act), nil
}

func (c *call) changeActivity(act *activity, body Object) error {
	changes, no := activityFields().accept(body)
	if no != nil {
		return no
	}
	c.takeCustom(act.owner, "ACTIVITY_FIELD", body, changes)
	if len([]rune(text(changes, "name"))) > 255 {
		return errNameTooLong
	}
	gear, setsGear := changes["gear"].(Object)
	delete(changes, "gear")
	paired, pairs := number(changes, "paired_event_id")
	delete(changes, "paired_event_id")
	if pairs && paired != -1 && act.owner.event(int64(paired)) == nil {
		return errNotFound
	}
	alignRace(changes)
	c.s.completed(act)
	before := act.day()
	changed := merge(act.Object, changes)
	if setsGear {
		c.setGear(act, gear)
	}
	if pairs {
		c.s.pair(act, int64(paired))
	}
	if changed["icu_rpe"] || changed["moving_time"] {
		setSessionRPE(act.Object)
	}
	if changed["start_date_local"] {
		act.Object["start_date"] = utcStart(act.start(), act.owner.zone)
		slices.SortStableFunc(act.owner.acts, newestFirst)
	}
	if changed["icu_training_load"] || changed["type"] || changed["start_date_local"] {
		act.owner.touch(before, act.day())
	}
	act.effort, act.searching, act.summary = nil, nil, nil
	return nil
}

// alignRace keeps sub_type and its two flags of one mind.
func alignRace(changes Object) {
	if sub, ok := changes["sub_type"].(string); ok {
		changes["race"], changes["commute"] = sub == "RACE", sub == "COMMUTE"
		return
	}
	for flag, sub := range map[string]string{"race": "RACE", "commute": "COMMUTE"} {
		if on, ok := changes[flag].(bool); ok && on {
			changes["sub_type"] = sub
		}
	}
}

// takeCustom takes the values of the athlete's custom fields of a kind.
func (c *call) takeCustom(a *athlete, kind string, body, changes Object) {
	for _, code := range a.customCodes(kind) {
		if v, ok := body[code]; ok && v != nil {
			changes[code] = v
		}
	}
}

// setGear takes a known gear by id. How the platform takes gear is not
// documented (API.md 2.3); an unknown id changes nothing.
func (c *call) setGear(act *activity, gear Object) {
	id := idText(gear["id"])
	if id == "-1" || id == "" {
		delete(act.Object, "gear")
		return
	}
	for _, g := range act.owner.gear {
		if g["id"] == id {
			act.Object["gear"] = Object{"id": id, "name": g["name"], "distance": g["distance"], "primary": false}
		}
	}
}

func setSessionRPE(o Object) {
	delete(o, "session_rpe")
	rpe, ok := number(o, "icu_rpe")
	secs, timed := number(o, "moving_time")
	if ok && timed {
		o["session_rpe"] = math.Round(rpe * secs / 60)
	}
}

// pair names the event that an activity did; -1 takes the name away. One
// event has at most one activity.
func (s *Server) pair(act *activity, eventID int64) {
	touched := []day{act.day()}
	if old, ok := whole(act.Object, "paired_event_id"); ok {
		if e := act.owner.event(old); e != nil {
			touched = append(touched, e.day())
		}
	}
	delete(act.Object, "paired_event_id")
	delete(act.Object, "compliance")
	e := act.owner.event(eventID)
	if e != nil {
		for _, other := range act.owner.acts {
			if n, ok := whole(other.Object, "paired_event_id"); ok && n == eventID {
				delete(other.Object, "paired_event_id")
				delete(other.Object, "compliance")
			}
		}
		act.Object["paired_event_id"] = float64(eventID)
		if done, ok := number(act.Object, "moving_time"); ok && numberOr0(e.Object, "moving_time") > 0 {
			act.Object["compliance"] = round8(100 * done / numberOr0(e.Object, "moving_time"))
		}
		touched = append(touched, e.day())
	}
	now := act.owner.today(s.now())
	for _, d := range touched {
		if d > now { // the load of a planned session that is done counts once
			act.owner.touch(d)
		}
	}
	act.owner.fitness = nil
}

func (c *call) deleteActivity() (any, error) {
	act := c.act
	owner := act.owner
	owner.acts = slices.DeleteFunc(slices.Clone(owner.acts), func(x *activity) bool { return x == act })
	delete(c.s.activities, act.id)
	c.s.records.forget(act.id)
	owner.touch(act.day())
	return full([]string{"icu_athlete_id", "id"}, Object{"icu_athlete_id": owner.id, "id": act.id}), nil
}

func (c *call) postManual() (any, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	act, err := c.manual(body)
	if err != nil {
		return nil, err
	}
	return c.s.serve(act), nil
}

// postManualBulk makes or, by external_id, updates activities.
func (c *call) postManualBulk() (any, error) {
	list, err := c.list()
	if err != nil {
		return nil, err
	}
	out := []row{}
	for _, body := range list {
		var act *activity
		if id := idText(body["external_id"]); id != "" {
			for _, x := range c.ath.acts {
				if x.notLoaded && text(x.Object, "external_id") == id {
					act = x
				}
			}
		}
		if act == nil {
			act, err = c.manual(body)
		} else {
			err = c.changeActivity(act, body)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c.s.serve(act))
	}
	return out, nil
}

// manual makes an activity without a file.
func (c *call) manual(body Object) (*activity, error) {
	o, no := activityFields().accept(body)
	if no != nil {
		return nil, no
	}
	if text(o, "start_date_local") == "" {
		return nil, invalid("start_date_local is required")
	}
	if text(o, "type") == "" {
		return nil, errMissingType
	}
	if len([]rune(text(o, "name"))) > 255 {
		return nil, errNameTooLong
	}
	delete(o, "gear")
	paired, pairs := whole(o, "paired_event_id")
	delete(o, "paired_event_id")
	c.takeCustom(c.ath, "ACTIVITY_FIELD", body, o)
	alignRace(o)
	for k, v := range o {
		if clears(v) {
			delete(o, k)
		}
	}
	act := c.s.newActivity(c.ath, o)
	if pairs && paired != -1 {
		c.s.pair(act, paired)
	}
	return act, nil
}

// newActivity puts a manual activity into an athlete's log.
func (s *Server) newActivity(a *athlete, o Object) *activity {
	id := "i" + strconv.FormatInt(s.nextID(), 10)
	o["id"], o["icu_athlete_id"], o["source"] = id, a.id, "MANUAL"
	o["created"] = s.stampNow()
	if o["elapsed_time"] == nil && o["moving_time"] != nil {
		o["elapsed_time"] = o["moving_time"]
	}
	act := &activity{Object: o, id: id, owner: a, notLoaded: true, complete: true}
	s.activities[id] = act
	s.defaultActivity(act)
	setSessionRPE(o)
	if secs := numberOr0(o, "moving_time"); secs > 0 && numberOr0(o, "distance") > 0 {
		o["average_speed"] = round8(numberOr0(o, "distance") / secs)
		o["pace"] = o["average_speed"]
	}
	a.acts = append(slices.Clone(a.acts), act)
	slices.SortStableFunc(a.acts, newestFirst)
	a.touch(act.day())
	return act
}

// defaultActivity fills in what the platform knows about every activity.
func (s *Server) defaultActivity(act *activity) {
	o := act.Object
	if act.hidden() {
		return
	}
	set := func(key string, v any) {
		if _, there := o[key]; !there && v != nil {
			o[key] = v
		}
	}
	zone := act.owner.zone
	if name := text(o, "timezone"); name != "" && name != zone.String() {
		if where, err := time.LoadLocation(name); err == nil {
			zone = where
		}
	}
	set("timezone", zone.String())
	set("start_date", utcStart(act.start(), zone))
	set("icu_weight", act.owner.object["icu_weight"])
	set("icu_resting_hr", act.owner.object["icu_resting_hr"])
	if o["average_heartrate"] != nil {
		set("has_heartrate", true)
	}
}
