package fake

// reps is one interval, for interval-search.
type reps struct {
	secs             float64
	power, hr, speed float64 // % of threshold
	any              float64 // the platform's own intensity
}

// repsOf makes an activity's intervals small enough to keep.
func repsOf(act *activity, r keptRecord) []reps {
	t := act.thresholds()
	share := func(v, of float64) float64 {
		if of <= 0 {
			return 0
		}
		return 100 * v / of
	}
	out := []reps{}
	list, _ := intervalsIn(act, r)
	for _, o := range list {
		if text(o, "type") == "RECOVERY" {
			continue
		}
		one := reps{
			secs:  numberOr0(o, "moving_time"),
			power: share(numberOr0(o, "average_watts"), t.FTP),
			hr:    share(numberOr0(o, "average_heartrate"), t.LTHR),
			speed: share(numberOr0(o, "average_speed"), t.ThresholdPace),
			any:   numberOr0(o, "intensity"),
		}
		if one.any == 0 {
			one.any = max(one.power, one.speed, one.hr)
		}
		out = append(out, one)
	}
	return out
}

// searchIntervals finds activities by length, intensity and number of their
// work intervals.
func (c *call) searchIntervals() (any, error) {
	bounds := map[string]int{"minReps": 1, "maxReps": 999999, "limit": 30}
	for _, name := range []string{"minSecs", "maxSecs", "minIntensity", "maxIntensity"} {
		if c.query.Get(name) == "" {
			return nil, missingParameter(name, "int")
		}
		bounds[name] = 0
	}
	for name, otherwise := range bounds {
		n, err := c.number(name, otherwise)
		if err != nil {
			return nil, err
		}
		bounds[name] = n
	}
	kind := c.query.Get("type")
	if kind != "" && !targetTypes[kind] {
		return nil, badParameter("type", kind, "IntervalType")
	}
	c.cacheReps()
	var found []*activity
	for _, act := range c.ath.acts {
		n := 0
		for _, one := range act.searching {
			level := map[string]float64{"POWER": one.power, "HR": one.hr, "PACE": one.speed}[kind]
			if kind == "" || kind == "AUTO" {
				level = one.any
			}
			if one.secs >= float64(bounds["minSecs"]) && one.secs <= float64(bounds["maxSecs"]) &&
				level >= float64(bounds["minIntensity"]) && level <= float64(bounds["maxIntensity"]) && level > 0 {
				n++
			}
		}
		if n >= max(bounds["minReps"], 1) && n <= bounds["maxReps"] && len(found) < bounds["limit"] {
			found = append(found, act)
		}
	}
	return c.s.serveAll(found, nil), nil
}

func (c *call) cacheReps() {
	var todo []*activity
	for _, act := range c.ath.acts {
		if act.searching == nil && !act.hidden() {
			todo = append(todo, act)
		}
	}
	c.s.eachRecording(todo, func(act *activity, r keptRecord) { act.searching = repsOf(act, r) })
}
