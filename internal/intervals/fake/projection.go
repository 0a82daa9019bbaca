package fake

import "strings"

// projectedDays is how far past today fitness runs; planned sessions beyond
// take it further, to mostDays. Before mostPast days ago nothing counts: such
// dates are mistakes.
const (
	projectedDays = 60
	mostDays      = 730
	mostPast      = 20000
)

// The constants of the recursion unless a FITNESS_DAYS event says otherwise.
const (
	usualCTLDays = 42
	usualATLDays = 7
)

// fitness is an athlete's fitness and fatigue by day, past and projected.
type fitness struct {
	first day
	today day
	days  []fitnessRow
}

// fitnessRow is one day: the loads fed in and where they led.
type fitnessRow struct {
	fitnessDay
	ctlLoad, atlLoad float64
	served           bool // the day has a wellness record
	sportInfo        any  // the newest estimates up to the day, carried along
}

// at gives a day's row; before the first it is zero.
func (f *fitness) at(d day) (fitnessRow, bool) {
	if d < f.first || int(d-f.first) >= len(f.days) {
		return fitnessRow{}, false
	}
	return f.days[d-f.first], true
}

func (f *fitness) last() day { return f.first + day(len(f.days)) - 1 }

// ramp is CTL's change over a week.
func (f *fitness) ramp(d day) float64 {
	now, _ := f.at(d)
	before, _ := f.at(d - 7)
	return now.CTL - before.CTL
}

// touch tells that loads of some days are no longer the data set's.
func (a *athlete) touch(days ...day) {
	for _, d := range days {
		a.changed[d] = true
		a.stale = min(a.stale, d)
	}
	a.fitness = nil
}

// planTouched is touch for a planned load, which counts on future days only:
// given rows of the past do not follow from it.
func (a *athlete) planTouched(d day) {
	if d > a.lastToday {
		a.touch(d)
	}
}

// fitnessOf runs the recursion of API.md 5 over every day the athlete has
// something on, and on into the future. Loaded wellness rows that carry ctl,
// atl or loads are taken as given until a load before or on their day
// changes.
func (s *Server) fitnessOf(a *athlete) *fitness {
	today := a.today(s.now())
	if a.fitness != nil && a.fitness.today == today {
		return a.fitness
	}
	a.lastToday = today
	first, last := a.span(today)
	f := &fitness{first: first, today: today, days: make([]fitnessRow, last-first+1)}
	s.addLoads(a, f)
	model := a.modelEvents()
	ctlDays, atlDays := float64(usualCTLDays), float64(usualATLDays)
	givenFrom, givenTo := a.givenSpan()
	prev := fitnessDay{}
	var info any
	for i := range f.days {
		d, r := first+day(i), &f.days[i]
		entered := a.days[d]
		if v, ok := number(entered, "ctlLoad"); ok && !a.changed[d] {
			r.ctlLoad, r.atlLoad = v, v
		}
		if v, ok := number(entered, "atlLoad"); ok && !a.changed[d] {
			r.atlLoad = v
		}
		var set *event
		for _, e := range model[d] {
			if e.category() == "SET_FITNESS" {
				set = e
				continue
			}
			if v := numberOr0(e.Object, "ctl_days"); v > 0 {
				ctlDays = v
			}
			if v := numberOr0(e.Object, "atl_days"); v > 0 {
				atlDays = v
			}
		}
		r.fitnessDay = nextDay(prev, r.ctlLoad, r.atlLoad, ctlDays, atlDays)
		if set != nil {
			r.CTL, r.ATL = numberOr0(set.Object, "icu_ctl"), numberOr0(set.Object, "icu_atl")
		}
		if d < a.stale {
			if v, ok := number(entered, "ctl"); ok {
				r.CTL = v
			}
			if v, ok := number(entered, "atl"); ok {
				r.ATL = v
			}
		}
		fit := r.CTL != 0 || r.ctlLoad != 0
		r.served = entered != nil || fit && (d < givenFrom || d > givenTo || a.changed[d])
		if entered["sportInfo"] != nil {
			info = entered["sportInfo"]
		}
		r.sportInfo = info
		prev = r.fitnessDay
	}
	a.fitness = f
	return f
}

// span is from the first day with anything on it to the end of the
// projection.
func (a *athlete) span(today day) (first, last day) {
	first, last = today, today+projectedDays
	for _, act := range a.acts {
		first, last = min(first, act.day()), max(last, act.day())
	}
	for d := range a.days {
		first, last = min(first, d), max(last, d)
	}
	for _, e := range a.events {
		switch {
		case e.session():
			last = max(last, e.day())
		case e.category() == "SET_FITNESS":
			first = min(first, e.day())
		}
	}
	return max(first, today-mostPast), min(last, today+mostDays)
}

// givenSpan is the range of loaded rows that carry ctl: the data set says
// what the platform has there, so days it leaves out are absent. Elsewhere
// every day from the first load on has a record, as it has a fitness.
func (a *athlete) givenSpan() (from, to day) {
	from, to = never, -never
	for d, o := range a.days {
		if o["ctl"] != nil {
			from, to = min(from, d), max(to, d)
		}
	}
	if from == never {
		return never, never
	}
	return from, to
}

// addLoads sums each day's loads: what was done up to today, hidden
// activities too, and what is planned after.
func (s *Server) addLoads(a *athlete, f *fitness) {
	factors := map[string][2]float64{}
	for _, o := range objects(a.object["icu_type_settings"]) {
		pair := [2]float64{1, 1}
		for i, key := range []string{"ctlFactor", "atlFactor"} {
			if v, ok := number(o, key); ok {
				pair[i] = v
			}
		}
		factors[text(o, "type")] = pair
	}
	add := func(d day, sport string, load float64) {
		if d < f.first || d > f.last() {
			return
		}
		factor, ok := factors[sport]
		if !ok {
			factor = [2]float64{1, 1}
		}
		r := &f.days[d-f.first]
		r.ctlLoad += load * factor[0]
		r.atlLoad += load * factor[1]
	}
	done := map[int64]bool{}
	for _, act := range a.acts {
		s.completed(act)
		add(act.day(), text(act.Object, "type"), numberOr0(act.Object, "icu_training_load"))
		if id, ok := whole(act.Object, "paired_event_id"); ok {
			done[id] = true
		}
	}
	for _, e := range a.events {
		if e.session() && e.day() > f.today && !done[e.id] &&
			!yes(e.Object, "not_on_fitness_chart") && !yes(e.Object, "for_week") {
			add(e.day(), text(e.Object, "type"), numberOr0(e.Object, "icu_training_load"))
		}
	}
}

// modelEvents are the events that steer fitness, by day.
func (a *athlete) modelEvents() map[day][]*event {
	out := map[day][]*event{}
	for _, e := range a.events {
		if c := e.category(); c == "FITNESS_DAYS" || strings.HasPrefix(c, "SET_FITNESS") {
			out[e.day()] = append(out[e.day()], e)
		}
	}
	return out
}

// fitnessAfter is what an activity shows as icu_ctl and icu_atl: the values
// of its day, or those it was loaded with while they still hold.
func (s *Server) fitnessAfter(act *activity) (ctl, atl any, ok bool) {
	a := act.owner
	if act.Object["icu_ctl"] != nil && act.day() < a.stale {
		return nil, nil, false
	}
	r, ok := s.fitnessOf(a).at(act.day())
	if !ok {
		return nil, nil, false
	}
	return round8(r.CTL), round8(r.ATL), true
}
