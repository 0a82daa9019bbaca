package fake

import (
	"slices"
	"strings"
)

// wellnessFields are what a caller may write; computed is what is taken and
// ignored.
func wellnessFields() fieldSet {
	return fieldSet{}.
		with(intField(), `restingHR kcalConsumed sleepSecs sleepQuality soreness fatigue stress mood motivation
			injury systolic diastolic hydration steps`).
		with(floatField(), `weight hrv hrvSDNN sleepScore avgSleepingHR spO2 hydrationVolume readiness baevskySI
			bloodGlucose lactate bodyFat abdomen vo2max respiration carbohydrates protein fatTotal`).
		with(enumField(menstrualPhases), "menstrualPhase menstrualPhasePredicted").
		with(textField(), "comments").
		with(boolField(), "locked")
}

var computedWellness = strings.Fields("id ctl atl rampRate ctlLoad atlLoad sportInfo updated tempWeight tempRestingHR")

// wellnessRow serves a day: what was entered, with the day's fitness. ok is
// false for a day without record.
func (s *Server) wellnessRow(a *athlete, d day) (row, bool) {
	f := s.fitnessOf(a)
	entered := a.days[d]
	fit, inside := f.at(d)
	if entered == nil && !(inside && fit.served) {
		return row{}, false
	}
	r := full(wellnessKeys, entered)
	r.under = Object{
		"id": d.String(), "tempWeight": entered["weight"] == nil, "tempRestingHR": entered["restingHR"] == nil,
	}
	if entered["ctl"] == nil { // a full row says itself that it has none
		r.under["sportInfo"] = fit.sportInfo
	}
	if !inside {
		return r, true
	}
	given := d < a.stale
	r.over = Object{}
	for key, v := range map[string]float64{
		"ctl": fit.CTL, "atl": fit.ATL, "rampRate": f.ramp(d), "ctlLoad": fit.ctlLoad, "atlLoad": fit.atlLoad,
	} {
		if !given || entered[key] == nil {
			r.over[key] = round8(v)
		}
	}
	return r, true
}

// listWellness lists the records of a range, oldest first; days without one
// are skipped. Without dates it is the last week.
func (c *call) listWellness() (any, error) {
	newest, err := c.date("newest", c.today())
	if err != nil {
		return nil, err
	}
	oldest, err := c.date("oldest", newest-6)
	if err != nil {
		return nil, err
	}
	f := c.s.fitnessOf(c.ath)
	oldest, newest = max(oldest, f.first), min(newest, f.last())
	list := []row{}
	for d := oldest; d <= newest; d++ {
		if r, ok := c.s.wellnessRow(c.ath, d); ok {
			list = append(list, r)
		}
	}
	if c.ext == "csv" {
		cols := commaList(c.query["cols"])
		if len(cols) == 0 {
			cols = wellnessKeys
		}
		return csvAnswer(cols, list), nil
	}
	fields := commaList(c.query["fields"])
	if len(fields) == 0 {
		return list, nil
	}
	short := make([]Object, len(list))
	for i, r := range list {
		short[i] = r.pick(fields)
	}
	return short, nil
}

// pathDay reads the date of the path, whose suffix may be .json.
func (c *call) pathDay() (day, error) {
	s := strings.TrimSuffix(c.args["date"], ".json")
	d, ok := dateDay(s)
	if !ok || d.String() != s {
		return 0, badParameter("date", s, "java.time.LocalDate")
	}
	return d, nil
}

func (c *call) getWellness() (any, error) {
	d, err := c.pathDay()
	if err != nil {
		return nil, err
	}
	r, ok := c.s.wellnessRow(c.ath, d)
	switch {
	case ok:
		return r, nil
	case c.s.opts.EmptyWellnessDay:
		return full(wellnessKeys, Object{"id": d.String()}), nil
	}
	return nil, errNotFound
}

func (c *call) putWellness() (any, error) {
	d, err := c.pathDay()
	if err != nil {
		return nil, err
	}
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	return c.saveWellness(d, body)
}

func (c *call) putWellnessByID() (any, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	d, err := bodyDay(body)
	if err != nil {
		return nil, err
	}
	return c.saveWellness(d, body)
}

func bodyDay(body Object) (day, error) {
	s := text(body, "id")
	d, ok := dateDay(s)
	if !ok || d.String() != s {
		return 0, invalid("id must be a local date (ISO-8601)")
	}
	return d, nil
}

// putWellnessBulk saves many days, all checked first; the reply is empty.
func (c *call) putWellnessBulk() (any, error) {
	list, err := c.list()
	if err != nil {
		return nil, err
	}
	for _, body := range list {
		if _, err := bodyDay(body); err != nil {
			return nil, err
		}
		if _, err := c.wellnessChanges(body); err != nil {
			return nil, err
		}
	}
	for _, body := range list {
		d, _ := bodyDay(body)
		if _, err := c.saveWellness(d, body); err != nil {
			return nil, err
		}
	}
	return emptyAnswer(), nil
}

// wellnessChanges checks a body: an unknown key is refused by name.
func (c *call) wellnessChanges(body Object) (Object, error) {
	fields := wellnessFields()
	codes := c.ath.customCodes("INPUT_FIELD")
	keys := make([]string, 0, len(body))
	for k := range body {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if _, ok := fields[k]; !ok && !slices.Contains(codes, k) && !slices.Contains(computedWellness, k) {
			return nil, invalid("Unrecognized wellness field [%s]", k)
		}
	}
	changes, no := fields.accept(body)
	if no != nil {
		return nil, no
	}
	c.takeCustom(c.ath, "INPUT_FIELD", body, changes)
	return changes, nil
}

// saveWellness merges the keys sent into a day. Asked with localDate for the
// same day, weight and resting heart rate become the athlete's.
func (c *call) saveWellness(d day, body Object) (any, error) {
	changes, err := c.wellnessChanges(body)
	if err != nil {
		return nil, err
	}
	a := c.ath
	o := a.days[d]
	if o == nil {
		o = Object{"id": d.String()}
		a.days[d] = o
	}
	merge(o, changes)
	for key, temp := range map[string]string{"weight": "tempWeight", "restingHR": "tempRestingHR"} {
		if changes[key] != nil {
			o[temp] = o[key] == nil
		}
	}
	o["updated"] = c.s.stampNow()
	a.fitness = nil
	if c.query.Get("localDate") == d.String() {
		for key, into := range map[string]string{"weight": "icu_weight", "restingHR": "icu_resting_hr"} {
			if o[key] != nil && changes[key] != nil {
				a.object[into] = o[key]
			}
		}
	}
	r, _ := c.s.wellnessRow(a, d)
	return r, nil
}
