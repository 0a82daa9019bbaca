package fake

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// activityUnder is what every full activity has though nobody said so.
var activityUnder = Object{
	"icu_ignore_time": false, "icu_ignore_power": false, "trainer": false, "sub_type": "NONE",
	"commute": false, "race": false, "use_elevation_correction": false, "icu_ignore_hr": false,
	"ignore_velocity": false, "ignore_pace": false, "has_weather": false, "has_segments": false,
	"use_gap_zone_times": false, "tiz_order": "POWER_HR_PACE", "icu_intervals_edited": false,
	"lock_intervals": false, "has_heartrate": false,
}

// stubKeys and stubNote are what is served of a Strava activity.
var stubKeys = []string{"id", "icu_athlete_id", "start_date_local", "source", "_note"}

const stubNote = "STRAVA activities are not available via the API"

// activity finds an activity that the caller may see.
func (c *call) activity(id string) (*activity, *refusal) {
	act := c.s.activities[id]
	if act == nil {
		return nil, errNotFound
	}
	if !c.mayReach(act.owner) {
		return nil, errAccessDenied
	}
	return act, nil
}

// serve makes the row of an activity: full, or a stub.
func (s *Server) serve(act *activity) row {
	if act.hidden() {
		return stub(act)
	}
	s.completed(act)
	r := full(activityKeys, act.Object)
	r.under = activityUnder
	if ctl, atl, ok := s.fitnessAfter(act); ok {
		r.over = Object{"icu_ctl": ctl, "icu_atl": atl}
	}
	return r
}

func stub(act *activity) row {
	return full(stubKeys, Object{
		"id": act.id, "icu_athlete_id": act.owner.id, "start_date_local": act.start(),
		"source": "STRAVA", "_note": stubNote,
	})
}

// serveAll makes the rows of a list, cut to the asked fields if any. A stub
// keeps its note (samples/activities_list_fields.json).
func (s *Server) serveAll(acts []*activity, fields []string) any {
	if len(fields) == 0 {
		out := make([]row, len(acts))
		for i, act := range acts {
			out[i] = s.serve(act)
		}
		return out
	}
	out := make([]Object, len(acts))
	for i, act := range acts {
		r := s.serve(act)
		out[i] = r.pick(fields)
		if act.hidden() {
			out[i]["_note"] = stubNote
		}
	}
	return out
}

func (c *call) listActivities() (any, error) {
	oldest, newest, err := c.timeRange(true)
	if err != nil {
		return nil, err
	}
	limit, err := c.number("limit", math.MaxInt)
	if err != nil {
		return nil, err
	}
	route, err := c.number("route_id", 0)
	if err != nil {
		return nil, err
	}
	var found []*activity
	for _, act := range c.ath.between(oldest, newest) {
		if route != 0 && numberOr0(act.Object, "route_id") != float64(route) {
			continue
		}
		if len(found) >= limit {
			break
		}
		found = append(found, act)
	}
	if c.ext == "csv" {
		list := make([]row, len(found))
		for i, act := range found {
			list[i] = c.s.serve(act)
		}
		return csvAnswer(activityKeys, list), nil
	}
	return c.s.serveAll(found, commaList(c.query["fields"])), nil
}

// timeRange reads oldest (required) and newest, which is now unless it is
// required too.
func (c *call) timeRange(untilNow bool) (oldest, newest string, err error) {
	texts := [2]string{}
	for i, name := range []string{"oldest", "newest"} {
		s := c.query.Get(name)
		if s == "" {
			if i == 1 && untilNow {
				texts[i] = c.s.now().In(c.ath.zone).Format(localForm)
				continue
			}
			return "", "", missingParameter(name, "LocalDateTime")
		}
		t, ok := queryTime(s, i == 1)
		if !ok {
			return "", "", badParameter(name, s, "java.time.LocalDateTime")
		}
		texts[i] = t
	}
	return texts[0], texts[1], nil
}

// between gives the activities that start in a range, newest first.
func (a *athlete) between(oldest, newest string) []*activity {
	from, _ := slices.BinarySearchFunc(a.acts, newest, func(act *activity, t string) int {
		return cmp.Compare(t, act.start())
	})
	to := from
	for to < len(a.acts) && a.acts[to].start() >= oldest {
		to++
	}
	return a.acts[from:to]
}

// getActivities serves several by id; what is missing or another athlete's is
// left out.
func (c *call) getActivities() (any, error) {
	out := []row{}
	for _, id := range commaList([]string{c.args["ids"]}) {
		if act := c.s.activities[id]; act != nil && act.owner == c.ath {
			out = append(out, c.withIntervals(act))
		}
	}
	return out, nil
}

func (c *call) getActivity() (any, error) { return c.withIntervals(c.act), nil }

// withIntervals adds icu_intervals and icu_groups when asked to.
func (c *call) withIntervals(act *activity) row {
	r := c.s.serve(act)
	if act.hidden() || !c.flag("intervals") {
		return r
	}
	list, groups := c.s.intervalsOf(act)
	r.keys = append(slices.Clone(r.keys), "icu_intervals", "icu_groups")
	over := Object{"icu_intervals": rows(allIntervalKeys, list), "icu_groups": rows(groupKeys, groups)}
	for k, v := range r.over {
		over[k] = v
	}
	r.over = over
	return r
}

func (c *call) activitiesAround() (any, error) {
	id := c.query.Get("activity_id")
	if id == "" {
		return nil, missingParameter("activity_id", "String")
	}
	limit, err := c.number("limit", 30)
	if err != nil {
		return nil, err
	}
	center, no := c.activity(id)
	if no != nil {
		return nil, no
	}
	at, _ := localTime(center.start())
	distance := func(act *activity) float64 {
		t, _ := localTime(act.start())
		return math.Abs(t.Sub(at).Seconds())
	}
	var others []*activity
	for _, act := range c.ath.acts {
		if act != center {
			others = append(others, act)
		}
	}
	slices.SortStableFunc(others, func(x, y *activity) int { return cmp.Compare(distance(x), distance(y)) })
	return c.s.serveAll(others[:min(max(limit, 0), len(others))], nil), nil
}

var searchKeys = strings.Fields("id name start_date_local type race distance moving_time tags description")

func (c *call) searchActivities() (any, error) {
	found, err := c.search()
	if err != nil {
		return nil, err
	}
	out := make([]row, len(found))
	for i, act := range found {
		short := Object{}
		for _, k := range searchKeys {
			short[k] = act.Object[k]
		}
		out[i] = row{keys: searchKeys, Object: short, under: Object{"race": false}}
		if short["race"] == nil {
			short["race"] = false
		}
	}
	return out, nil
}

func (c *call) searchActivitiesFull() (any, error) {
	found, err := c.search()
	if err != nil {
		return nil, err
	}
	return c.s.serveAll(found, nil), nil
}

// search finds by a part of the name, or by one exact tag after a #. What
// came through Strava has neither here.
func (c *call) search() ([]*activity, error) {
	q := strings.ToLower(strings.TrimSpace(c.query.Get("q")))
	if q == "" {
		return nil, missingParameter("q", "String")
	}
	limit, err := c.number("limit", math.MaxInt)
	if err != nil {
		return nil, err
	}
	tag, byTag := strings.CutPrefix(q, "#")
	var found []*activity
	for _, act := range c.ath.acts {
		if len(found) >= limit {
			break
		}
		if act.hidden() {
			continue
		}
		hit := !byTag && strings.Contains(strings.ToLower(text(act.Object, "name")), q)
		if byTag {
			hit = slices.ContainsFunc(texts(act.Object["tags"]), func(t string) bool { return strings.EqualFold(t, tag) })
		}
		if hit {
			found = append(found, act)
		}
	}
	return found, nil
}

func (c *call) activityTags() (any, error) {
	var lists []any
	for _, act := range c.ath.acts {
		lists = append(lists, act.Object["tags"])
	}
	return distinct(lists), nil
}

// distinct joins lists of tags, sorted.
func distinct(lists []any) []string {
	out := []string{}
	for _, l := range lists {
		out = append(out, texts(l)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

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
