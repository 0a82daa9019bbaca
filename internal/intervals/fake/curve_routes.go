package fake

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fatigued are the curve variants that start after some work.
var fatigued = map[string]string{"kj0": "after_kj0", "kj1": "after_kj1"}

// afterKJ is the work after which a fatigued curve starts for a sport; ok is
// false when the athlete has none set.
func (a *athlete) afterKJ(sport, variant string) (kj int, ok bool) {
	if variant == "" || variant == "normal" {
		return 0, true
	}
	n, ok := whole(a.sport(sport), fatigued[variant])
	return int(n), ok && n > 0
}

func (c *call) powerCurve() (any, error) {
	return c.onePowerCurve(c.query.Get("fatigue"))
}

// powerCurves serves curves of several streams and variants. A stream or a
// variant that the activity lacks gets a 422 without body (API.md 1.6).
func (c *call) powerCurves() (any, error) {
	types := commaList(c.query["types"])
	for _, kind := range types {
		if kind != "watts" {
			return nil, errNoStream
		}
	}
	variants := commaList(c.query["fatigue"])
	if len(variants) == 0 {
		variants = []string{"normal"}
	}
	list := []any{}
	for _, v := range variants {
		r, err := c.onePowerCurve(v)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

func (c *call) onePowerCurve(variant string) (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	if _, known := fatigued[variant]; !known && variant != "" && variant != "normal" {
		return nil, errNoStream
	}
	kj, ok := c.act.owner.afterKJ(text(c.act.Object, "type"), variant)
	if !ok {
		return nil, errNoStream
	}
	return c.activityCurve(curveKind{powerBasis, kj})
}

func (c *call) hrCurve() (any, error)   { return c.activityCurve(curveKind{basis: hrBasis}) }
func (c *call) paceCurve() (any, error) { return c.activityCurve(curveKind{basis: paceBasis}) }

// activityCurve serves the curve of one activity.
func (c *call) activityCurve(kind curveKind) (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	list := c.s.bestOf([]*activity{c.act}, kind)
	if len(list) == 0 {
		return nil, errNoStream
	}
	o := Object{
		"id": c.act.id, "start_date_local": c.act.start(), "moving_time": c.act.Object["moving_time"],
		"training_load": c.act.Object["icu_training_load"],
	}
	if w := c.act.weight(); w > 0 {
		o["weight"] = w
	}
	points(o, kind.basis, list, false)
	if kind.basis == powerBasis {
		o["watts"], o["stream_type"] = o["values"], "watts"
		if kind.afterKJ > 0 {
			o["after_kj"] = kind.afterKJ
		}
	}
	r := full(curveKeys(kind.basis), o)
	if c.ext == "csv" {
		return curveCSV([]row{r}, kind.basis), nil
	}
	return r, nil
}

// curveCSV has a line for each duration or distance and a column for each
// curve.
func curveCSV(list []row, b basis) *answer {
	key := "secs"
	if b == paceBasis {
		key = "distance"
	}
	values := map[float64][]any{}
	keys := []string{key}
	var order []float64
	for i, r := range list {
		keys = append(keys, text(r.Object, "id"))
		at, data := numbers(r.Object[key]), numbers(r.Object["values"])
		for n, k := range at {
			if values[k] == nil {
				values[k] = make([]any, len(list))
				order = append(order, k)
			}
			values[k][i] = data[n]
		}
	}
	slices.Sort(order)
	lines := make([]row, len(order))
	for n, k := range order {
		o := Object{key: k}
		for i, v := range values[k] {
			o[keys[i+1]] = v
		}
		lines[n] = row{Object: o}
	}
	return csvAnswer(keys, lines)
}

func (c *call) athletePowerCurves() (any, error) {
	if c.query.Get("type") == "" {
		return nil, missingParameter("type", "ActivityType")
	}
	return c.athleteCurves(powerBasis, "Ride")
}

func (c *call) athleteHRCurves() (any, error)   { return c.athleteCurves(hrBasis, "") }
func (c *call) athletePaceCurves() (any, error) { return c.athleteCurves(paceBasis, "Run") }

// span is one curve that was asked for. end is exclusive: a curve that runs
// to today ends tomorrow.
type span struct {
	id, label  string
	start, end day
	variant    string
}

// athleteCurves serves the best of many activities: each named curve, once
// for each of the filters f1 to f3 if there are any.
func (c *call) athleteCurves(b basis, usual string) (any, error) {
	sport := cmp.Or(c.query.Get("type"), usual)
	if sport != "" && !sportTypes[sport] {
		return nil, badParameter("type", sport, "ActivityType")
	}
	spans, err := c.spans(b)
	if err != nil {
		return nil, err
	}
	filters, err := c.filters("filters")
	if err != nil {
		return nil, err
	}
	sets := [][]filter{}
	for _, name := range []string{"f1", "f2", "f3"} {
		if c.query.Get(name) == "" {
			continue
		}
		f, err := c.filters(name)
		if err != nil {
			return nil, err
		}
		sets = append(sets, append(slices.Clone(filters), f...))
	}
	if len(sets) == 0 {
		sets = append(sets, filters)
	}
	list, used := []row{}, map[*activity]bool{}
	for _, set := range sets {
		for _, sp := range spans {
			list = append(list, c.athleteCurve(b, sport, sp, set, used))
		}
	}
	if c.ext == "csv" {
		return curveCSV(list, b), nil
	}
	activities := Object{}
	for act := range used {
		activities[act.id] = c.s.serve(act)
	}
	return full([]string{"list", "activities"}, Object{"list": list, "activities": activities}), nil
}

// athleteCurve is one curve over a span.
func (c *call) athleteCurve(b basis, sport string, sp span, set []filter, used map[*activity]bool) row {
	o := Object{"id": sp.id, "label": sp.label, "days": int(sp.end - sp.start)}
	o["start_date_local"], o["end_date_local"] = sp.start.String(), sp.end.String()
	if len(set) > 0 {
		raw := make([]any, len(set))
		for i, f := range set {
			raw[i] = f.raw
		}
		o["filters"] = raw
	}
	kj, fits := c.ath.afterKJ(sport, sp.variant)
	var acts []*activity
	moving, load := 0.0, 0.0
	for _, act := range c.ath.between(sp.start.String()+startOfDay, (sp.end-1).String()+endOfTheDay) {
		if act.hidden() || sport != "" && !c.ath.sameSport(sport, text(act.Object, "type")) || !meets(act, set) {
			continue
		}
		c.s.completed(act)
		acts = append(acts, act)
		moving += numberOr0(act.Object, "moving_time")
		load += numberOr0(act.Object, "icu_training_load")
	}
	o["moving_time"], o["training_load"] = moving, load
	if w := numberOr0(c.ath.object, "icu_weight"); w > 0 {
		o["weight"] = w
	}
	kind := curveKind{basis: b}
	if b == powerBasis {
		kind.afterKJ = kj
	}
	var best []best
	if fits {
		best = c.s.bestOf(acts, kind)
	}
	for _, p := range best {
		used[p.act] = true
		if p.perKgAct != nil && b == powerBasis {
			used[p.perKgAct] = true
		}
	}
	if kj > 0 {
		o["after_kj"] = kj
	}
	points(o, b, best, true)
	return full(curveKeys(b), o)
}

var (
	agoCurve    = regexp.MustCompile(`^([1-9]\d{0,2})y$|^([1-9]\d{0,3})d$`)
	seasonCurve = regexp.MustCompile(`^s(\d{1,2})$`)
	rangeCurve  = regexp.MustCompile(`^r\.(\d{4}-\d\d-\d\d)\.(\d{4}-\d\d-\d\d)$`)
)

// spans reads the curves that are asked for; the last year without any.
// oldest and newest bound them all.
func (c *call) spans(b basis) ([]span, error) {
	today, err := c.date("now", c.today())
	if err != nil {
		return nil, err
	}
	if today, err = c.date("newest", today); err != nil {
		return nil, err
	}
	oldest, err := c.date("oldest", -never)
	if err != nil {
		return nil, err
	}
	names := commaList(c.query["curves"])
	if len(names) == 0 {
		names = []string{"1y"}
	}
	var out []span
	for _, name := range names {
		sp, ok := c.span(name, today, b)
		if !ok {
			return nil, &refusal{http.StatusUnprocessableEntity, Object{"error": "Invalid curve: [" + name + "]"}}
		}
		sp.start = max(sp.start, oldest)
		out = append(out, sp)
	}
	return out, nil
}

func (c *call) span(name string, today day, b basis) (span, bool) {
	sp := span{id: name, end: today + 1}
	if b == powerBasis {
		for variant := range fatigued {
			if cut, ok := strings.CutSuffix(name, "-"+variant); ok {
				name, sp.variant = cut, variant
			}
		}
	}
	if m := agoCurve.FindStringSubmatch(name); m != nil {
		n, unit := m[1], "year"
		if n == "" {
			n, unit = m[2], "day"
		}
		count, _ := strconv.Atoi(n)
		sp.label = n + " " + unit
		if count != 1 {
			sp.label += "s"
		}
		days := count
		if unit == "year" {
			days = count * 365
		}
		sp.start = today - day(days)
		return sp, true
	}
	if m := seasonCurve.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1])
		starts := c.ath.seasons(today, n)
		sp.start = starts[n]
		if n > 0 {
			sp.end = starts[n-1]
		}
		sp.label = [...]string{"This season", "Last season", strconv.Itoa(n) + " seasons ago"}[min(n, 2)]
		return sp, true
	}
	if m := rangeCurve.FindStringSubmatch(name); m != nil {
		from, ok := dateDay(m[1])
		to, ok2 := dateDay(m[2])
		sp.start, sp.end, sp.label = from, to+1, m[1]+" - "+m[2]
		return sp, ok && ok2 && from <= to
	}
	sp.label = "All time"
	sp.start = today
	if n := len(c.ath.acts); n > 0 {
		sp.start = min(today, c.ath.acts[n-1].day())
	}
	return sp, name == "all"
}

// seasons are the starts of the season of a day and the n before it: the
// SEASON_START events, and New Year before the first of them.
func (a *athlete) seasons(today day, n int) []day {
	var starts []day
	for _, e := range slices.Backward(a.events) {
		if e.category() == "SEASON_START" && e.day() <= today && !slices.Contains(starts, e.day()) {
			starts = append(starts, e.day())
		}
	}
	for len(starts) <= n {
		before := today
		if len(starts) > 0 {
			before = starts[len(starts)-1] - 1
		}
		year, _ := strconv.Atoi(before.String()[:4])
		first, _ := dateDay(strconv.Itoa(year) + "-01-01")
		starts = append(starts, first)
	}
	return starts
}

// activityPowerCurves and its kin serve the bests of each activity of a range
// at chosen durations or distances.
func (c *call) activityPowerCurves() (any, error) {
	kj, ok := c.ath.afterKJ(cmp.Or(c.query.Get("type"), "Ride"), c.query.Get("fatigue"))
	if !ok {
		return nil, errNoStream
	}
	secs, list, err := c.eachCurve(curveKind{powerBasis, kj}, "secs", "watts")
	if err != nil {
		return nil, err
	}
	return full([]string{"after_kj", "secs", "curves"}, Object{"after_kj": kj, "secs": secs, "curves": list}), nil
}

func (c *call) activityHRCurves() (any, error) {
	secs, list, err := c.eachCurve(curveKind{basis: hrBasis}, "secs", "bpm")
	if err != nil {
		return nil, err
	}
	return full([]string{"secs", "curves"}, Object{"secs": secs, "curves": list}), nil
}

// activityPaceCurves refuses the id 0 (API.md 1.3).
func (c *call) activityPaceCurves() (any, error) {
	if c.args["athlete"] == "0" {
		return nil, errAccessDenied
	}
	metres, list, err := c.eachCurve(curveKind{basis: paceBasis}, "distances", "secs")
	if err != nil {
		return nil, err
	}
	return full([]string{"distances", "gap", "curves"}, Object{
		"distances": metres, "gap": c.flag("gap"), "curves": list,
	}), nil
}

func (c *call) eachCurve(kind curveKind, axis, values string) ([]float64, []row, error) {
	oldest, newest, err := c.timeRange(false)
	if err != nil {
		return nil, nil, err
	}
	sport := c.query.Get("type")
	if sport != "" && !sportTypes[sport] {
		return nil, nil, badParameter("type", sport, "ActivityType")
	}
	set, err := c.filters("filters")
	if err != nil {
		return nil, nil, err
	}
	var asked []float64
	for _, s := range commaList(c.query[axis]) {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f <= 0 {
			return nil, nil, badParameter(axis, s, "float")
		}
		asked = append(asked, f)
	}
	var acts []*activity
	for _, act := range c.ath.between(oldest, newest) {
		if !act.hidden() && (sport == "" || c.ath.sameSport(sport, text(act.Object, "type"))) && meets(act, set) {
			acts = append(acts, act)
		}
	}
	c.s.cacheCurves(acts, kind)
	if asked == nil {
		asked = axisOf(acts, kind)
	}
	list := []row{}
	for _, act := range acts {
		data := make([]any, len(asked))
		any := false
		for _, e := range act.effort.curves[kind] {
			for i, k := range asked {
				if int32(k) == e.key {
					data[i], any = math.Round(float64(e.value)), true
				}
			}
		}
		if any {
			list = append(list, full([]string{"id", "start_date_local", "weight", values}, Object{
				"id": act.id, "start_date_local": act.start(), "weight": act.weight(), values: data,
			}))
		}
	}
	return asked, list, nil
}

// axisOf are all durations or distances that any of the curves has.
func axisOf(acts []*activity, kind curveKind) []float64 {
	seen := map[int32]bool{}
	out := []float64{}
	for _, act := range acts {
		for _, e := range act.effort.curves[kind] {
			if !seen[e.key] {
				seen[e.key] = true
				k := float64(e.key)
				if kind.basis == paceBasis {
					k = paceMetres(int(e.key))
				}
				out = append(out, k)
			}
		}
	}
	slices.Sort(out)
	return out
}

// filter is an ActivityFilter: of its fields the fake knows those in meets.
type filter struct {
	raw      Object
	field    string
	operator string
	value    any
	not      bool
}

// filters reads a JSON list of filters from the query.
func (c *call) filters(name string) ([]filter, error) {
	s := c.query.Get(name)
	if s == "" {
		return nil, nil
	}
	var list []Object
	if err := json.Unmarshal([]byte(s), &list); err != nil {
		return nil, badParameter(name, s, "ActivityFilter")
	}
	var out []filter
	for _, o := range list {
		f := filter{o, text(o, "field_id"), text(o, "operator"), o["value"], yes(o, "not")}
		if _, known := filterKeys[f.field]; !known {
			return nil, badParameter(name, f.field, "ActivityFilter")
		}
		out = append(out, f)
	}
	return out, nil
}

// filterKeys are the keys of an activity behind the filters' fields.
var filterKeys = map[string]string{
	"type": "type", "source": "source", "name": "name", "notName": "name", "description": "description",
	"tags": "tags", "indoor": "trainer", "race": "race", "moving_time": "moving_time", "distance": "distance",
	"elapsed_time": "elapsed_time", "load": "icu_training_load", "climbing": "total_elevation_gain",
	"average_heartrate": "average_heartrate", "average_power": "icu_average_watts", "intensity": "icu_intensity",
	"norm_power": "icu_weighted_avg_watts", "rpe": "icu_rpe", "feel": "feel", "device_name": "device_name",
}

func meets(act *activity, set []filter) bool {
	for _, f := range set {
		if f.meets(act) == f.not {
			return false
		}
	}
	return true
}

func (f filter) meets(act *activity) bool {
	v := act.Object[filterKeys[f.field]]
	wanted, isList := f.value.([]any)
	if !isList {
		wanted = []any{f.value}
	}
	switch f.field {
	case "indoor":
		indoor := yes(act.Object, "trainer") || strings.HasPrefix(text(act.Object, "type"), "Virtual")
		return slices.ContainsFunc(wanted, func(w any) bool { return (w == true || w == "true") == indoor })
	case "race":
		return slices.ContainsFunc(wanted, func(w any) bool { return (w == true || w == "true") == (v == true) })
	case "name", "notName", "description", "device_name":
		s, _ := v.(string)
		hit := slices.ContainsFunc(wanted, func(w any) bool {
			part, _ := w.(string)
			return strings.Contains(strings.ToLower(s), strings.ToLower(part))
		})
		return hit != (f.field == "notName")
	case "type", "source":
		return slices.Contains(wanted, v)
	case "tags":
		return slices.ContainsFunc(texts(v), func(t string) bool { return slices.Contains(wanted, any(t)) })
	}
	return f.compares(v, wanted)
}

// compares a number by the filter's operator; two values are a range.
func (f filter) compares(v any, wanted []any) bool {
	have, ok := toNumber(v)
	first, ok1 := toNumber(wanted[0])
	if !ok || !ok1 {
		return false
	}
	if len(wanted) > 1 {
		second, ok := toNumber(wanted[1])
		return ok && have >= first && have <= second
	}
	switch f.operator {
	case ">", "gt":
		return have > first
	case "<", "lt":
		return have < first
	case "<=", "le", "lte":
		return have <= first
	case "=", "==", "eq", "is":
		return have == first
	}
	return have >= first
}
