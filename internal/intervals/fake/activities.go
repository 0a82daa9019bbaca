package fake

import (
	"cmp"
	"math"
	"slices"
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
	r.under, r.known = activityUnder, s.activityKeySet
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
	r.keys, r.known = append(slices.Clone(r.keys), "icu_intervals", "icu_groups"), nil
	over := Object{"icu_intervals": rows(allIntervalKeys, list), "icu_groups": rows(groupKeys, groups)}
	for k, v := range r.over {
		over[k] = v
	}
	r.over = over
	return r
}
