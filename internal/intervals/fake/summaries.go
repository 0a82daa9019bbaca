package fake

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

var (
	totalKeys = strings.Fields(`count time moving_time elapsed_time calories total_elevation_gain training_load
		srpe distance eftp eftpPerKg`)
	summaryKeys = append(slices.Clone(totalKeys), strings.Fields(`date athlete_id athlete_name email external_id
		fitness fatigue form rampRate weight timeInZones timeInZonesTot byCategory mostRecentWellnessId`)...)
	categoryKeys = append(slices.Clone(totalKeys), "category")
)

// athleteSummary gives a row for each athlete within reach and each week, of
// the days of the range that lie in it. Fitness is that of the row's last day,
// today's in the current week.
func (c *call) athleteSummary() (any, error) {
	end, err := c.date("end", c.today())
	if err != nil {
		return nil, err
	}
	start, err := c.date("start", end-6)
	if err != nil {
		return nil, err
	}
	end = min(end, start+3660)
	tags := commaList(c.query["tags"])
	list := []row{}
	for _, a := range c.s.athletes {
		if a != c.ath && !c.ath.coaches(a) || !c.mayReach(a) {
			continue
		}
		if len(tags) > 0 && !slices.ContainsFunc(texts(a.object["icu_tags"]), func(t string) bool { return slices.Contains(tags, t) }) {
			continue
		}
		for monday := start.monday(); monday <= end; monday += 7 {
			list = append(list, c.s.week(a, monday, max(start, monday), min(end, monday+6)))
		}
	}
	if c.ext == "csv" {
		return csvAnswer(summaryKeys, list), nil
	}
	return list, nil
}

// week sums up an athlete's days from first to last.
func (s *Server) week(a *athlete, monday, first, last day) row {
	today := a.today(s.now())
	at := last // the day that fitness is of
	if first <= today && today < last {
		at = today
	}
	f := s.fitnessOf(a)
	fit, _ := f.at(at)
	o := Object{
		"date": monday.String(), "athlete_id": a.id, "athlete_name": a.name,
		"fitness": round8(fit.CTL), "fatigue": round8(fit.ATL), "form": round8(fit.CTL - fit.ATL),
		"rampRate": round8(f.ramp(at)),
	}
	weight, recent := a.latestDay(min(at, today))
	if recent != "" {
		o["mostRecentWellnessId"] = recent
	}
	if weight > 0 {
		o["weight"] = weight
	}
	all, byType, zones := newTotals(), map[string]*totals{}, make([]float64, 0, 7)
	for _, act := range a.between(first.String()+startOfDay, last.String()+endOfTheDay) {
		s.completed(act)
		sport := text(act.Object, "type")
		if byType[sport] == nil {
			byType[sport] = newTotals()
		}
		all.add(act)
		byType[sport].add(act)
		for i, secs := range act.zones() {
			if i >= len(zones) {
				zones = append(zones, 0)
			}
			zones[i] += secs
		}
	}
	eftp := eftpOf(fit.sportInfo, "")
	all.into(o, eftp, weight)
	total := 0.0
	for _, secs := range zones {
		total += secs
	}
	o["timeInZones"], o["timeInZonesTot"] = zones, total
	o["byCategory"] = categories(byType, fit.sportInfo, weight)
	return full(summaryKeys, o)
}

// categories are the totals by sport, the most time first.
func categories(byType map[string]*totals, info any, weight float64) []row {
	sports := make([]string, 0, len(byType))
	for sport := range byType {
		sports = append(sports, sport)
	}
	slices.SortFunc(sports, func(x, y string) int {
		return cmp.Or(cmp.Compare(byType[y].moving, byType[x].moving), cmp.Compare(x, y))
	})
	out := make([]row, len(sports))
	for i, sport := range sports {
		o := Object{"category": sport}
		if sport == "" {
			o["category"] = nil
		}
		byType[sport].into(o, eftpOf(info, sport), weight)
		out[i] = full(categoryKeys, o)
	}
	return out
}

// latestDay gives the newest weight up to a day, else the athlete's, and the
// newest day with anything entered.
func (a *athlete) latestDay(until day) (weight float64, recent string) {
	weightDay, recentDay := -never, -never
	weight = numberOr0(a.object, "icu_weight")
	for d, o := range a.days {
		if d > until {
			continue
		}
		if d > recentDay {
			recentDay, recent = d, d.String()
		}
		if w, ok := number(o, "weight"); ok && d > weightDay {
			weightDay, weight = d, w
		}
	}
	return weight, recent
}

// eftpOf finds a sport's estimate, or the first there is for no sport.
func eftpOf(info any, sport string) float64 {
	for _, o := range objects(info) {
		if v, ok := number(o, "eftp"); ok && (sport == "" || text(o, "type") == sport) {
			return v
		}
	}
	return 0
}

// totals sums up activities.
type totals struct {
	count                                                           int
	moving, elapsed, calories, climb, load, srpe, distance, seconds float64
}

func newTotals() *totals { return &totals{} }

func (t *totals) add(act *activity) {
	o := act.Object
	t.count++
	moving := numberOr0(o, "moving_time")
	elapsed := numberOr0(o, "elapsed_time")
	t.moving += moving
	t.elapsed += elapsed
	t.seconds += max(moving, elapsed)
	t.calories += numberOr0(o, "calories")
	t.climb += numberOr0(o, "total_elevation_gain")
	t.load += numberOr0(o, "icu_training_load")
	t.srpe += numberOr0(o, "session_rpe")
	t.distance += numberOr0(o, "distance")
}

func (t *totals) into(o Object, eftp, weight float64) {
	o["count"], o["time"], o["moving_time"], o["elapsed_time"] = t.count, t.seconds, t.moving, t.elapsed
	o["calories"], o["total_elevation_gain"] = t.calories, round8(t.climb)
	o["training_load"], o["srpe"], o["distance"] = t.load, t.srpe, round8(t.distance)
	if eftp > 0 {
		o["eftp"] = eftp
		if weight > 0 {
			o["eftpPerKg"] = math.Round(eftp/weight*100) / 100
		}
	}
}

// zoneSums are an activity's seconds in zones.
type zoneSums []float64

// zones are the seconds by zone of the basis that comes first for the sport
// and that the activity has. The sweet spot is in no zone of its own.
func (a *activity) zones() zoneSums {
	if a.summary != nil {
		return *a.summary
	}
	var sums zoneSums
	order := text(a.Object, "tiz_order")
	if order == "" {
		order = "POWER_HR_PACE"
	}
	for basis := range strings.SplitSeq(order, "_") {
		switch basis {
		case "POWER":
			for _, z := range objects(a.Object["icu_zone_times"]) {
				if id := text(z, "id"); id != "SS" {
					sums = append(sums, numberOr0(z, "secs"))
				}
			}
		case "HR":
			sums = numbers(a.Object["icu_hr_zone_times"])
		case "PACE":
			sums = numbers(a.Object["pace_zone_times"])
		}
		if len(sums) > 0 {
			break
		}
	}
	a.summary = &sums
	return sums
}
