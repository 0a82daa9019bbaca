package fake

import (
	"fmt"
	"math"
	"strings"
)

// analyse computes one Interval object for stream indexes [start, end), which
// are cut to the streams: every key of SCHEMAS.md Interval that the streams
// give. Absent are what they do not give and what is decided elsewhere (id,
// type, label, group_id, segment_effort_ids). weight is kg, 0 unknown.
func analyse(sport string, streams []Stream, start, end int, t thresholds, weight float64) Object {
	return newRecording(sport, streams).interval(start, end, t, weight)
}

// interval is analyse for a recording that is there already.
func (r *recording) interval(start, end int, t thresholds, weight float64) Object {
	start = max(0, min(start, r.n))
	end = max(start, min(end, r.n))
	out := Object{"start_index": float64(start), "end_index": float64(end)}
	moving := r.movingSecs(start, end)
	out["moving_time"], out["elapsed_time"] = math.Round(moving), math.Round(r.elapsed(start, end))
	if from, to, ok := r.span(start, end); ok {
		out["start_time"], out["end_time"] = from, to
	}
	r.intervalMotion(out, start, end, moving)
	r.intervalPower(out, start, end, moving, t, weight)
	r.intervalOthers(out, start, end)
	if h := r.positive(r.heart, start, end); h.secs > 0 {
		out["average_heartrate"] = math.Round(h.mean())
		out["min_heartrate"], out["max_heartrate"] = math.Round(h.min), math.Round(h.max)
		if out["zone"] == nil && len(t.HRZones) > 0 {
			out["zone"] = float64(zoneOf(math.Round(h.mean()), t.HRZones) + 1)
		}
	}
	if d, ok := r.decoupling(start, end); ok {
		out["decoupling"] = float32Like(d)
	}
	return out
}

// intervalMotion writes distance, speed, cadence, stride and climb.
func (r *recording) intervalMotion(out Object, start, end int, moving float64) {
	metres, far := r.covered(start, end)
	if far {
		out["distance"] = round2(metres)
		if moving > 0 {
			out["average_speed"] = float32Like(metres / moving)
		}
	}
	if v := r.stats(r.velocity, start, end); v.secs > 0 {
		out["min_speed"], out["max_speed"] = float32Like(v.min), float32Like(v.max)
	}
	if c := r.positive(r.cadence, start, end); c.secs > 0 {
		out["average_cadence"] = float32Like(c.mean())
		out["min_cadence"], out["max_cadence"] = math.Round(c.min), math.Round(c.max)
		if far && moving > 0 && onFoot(r.sport) {
			out["average_stride"] = float32Like(metres / (c.mean() * 2 / 60 * moving))
		}
	}
	if a := r.stats(r.altitude, start, end); a.secs > 0 {
		gain, _ := climb(r.altitude, start, end)
		out["total_elevation_gain"] = round1(gain)
		out["min_altitude"], out["max_altitude"] = float32Like(a.min), float32Like(a.max)
		if far && metres > 0 {
			out["average_gradient"] = float32Like(rise(r.altitude[start:min(end, len(r.altitude))]) / metres)
		}
	}
}

// rise is the last altitude less the first.
func rise(altitude []*float64) float64 {
	first, last := math.NaN(), math.NaN()
	for _, a := range altitude {
		if a != nil {
			if math.IsNaN(first) {
				first = *a
			}
			last = *a
		}
	}
	return last - first
}

// intervalPower writes what comes from watts. training_load is a float here,
// w5s_variability the 4th-power mean of 5 s means over the mean [U].
func (r *recording) intervalPower(out Object, start, end int, moving float64, t thresholds, weight float64) {
	w := r.stats(r.watts, start, end)
	if w.secs == 0 || moving <= 0 {
		return
	}
	joules, above := r.work(start, end, t.FTP)
	average, np := math.Round(joules/moving), r.normalized(start, end)
	out["average_watts"], out["weighted_average_watts"] = average, math.Round(np)
	out["min_watts"], out["max_watts"] = math.Round(w.min), math.Round(w.max)
	out["joules"] = math.Round(joules)
	if weight > 0 {
		out["average_watts_kg"] = float32Like(average / weight)
		out["max_watts_kg"] = float32Like(math.Round(w.max) / weight)
	}
	if v, ok := variability(r.watts[start:min(end, len(r.watts))]); ok {
		out["w5s_variability"] = round2(v)
	}
	if t.FTP <= 0 {
		return
	}
	out["joules_above_ftp"] = math.Round(above)
	out["intensity"] = math.Round(100 * math.Round(np) / t.FTP)
	out["training_load"] = float32Like(powerLoad(math.Round(np), t.FTP, moving))
	if len(t.PowerZones) > 0 {
		tops := powerZoneTops(t)
		zone := zoneOf(average, tops)
		out["zone"], out["zone_max_watts"] = float64(zone+1), tops[zone]
		out["zone_min_watts"] = 0.0
		if zone > 0 {
			out["zone_min_watts"] = tops[zone-1] + 1
		}
	}
}

func variability(watts []*float64) (float64, bool) {
	var window [5]float64
	sum, total, fourth := 0.0, 0.0, 0.0
	n := 0
	for _, w := range watts {
		if w == nil {
			continue
		}
		sum += *w - window[n%5]
		window[n%5] = *w
		n++
		mean := sum / float64(min(n, 5))
		total += *w
		fourth += mean * mean * mean * mean
	}
	if total <= 0 {
		return 0, false
	}
	return math.Sqrt(math.Sqrt(fourth/float64(n))) / (total / float64(n)), true
}

// intervalOthers writes the means of the less common streams.
func (r *recording) intervalOthers(out Object, start, end int) {
	for _, s := range [...]struct {
		stream, mean, low, high string
		digits                  float64
	}{
		{"left_right_balance", "avg_lr_balance", "", "", 10},
		{"torque", "average_torque", "min_torque", "max_torque", 100},
		{"temp", "average_temp", "", "", 10},
		{"dfa_a1", "average_dfa_a1", "", "", 1000},
		{"epoc", "average_epoc", "", "", 10},
		{"respiration", "average_respiration", "", "", 10},
		{"tidal_volume", "average_tidal_volume", "", "", 100},
		{"tidal_volume_min", "average_tidal_volume_min", "", "", 100},
		{"smo2", "average_smo2", "", "", 10},
		{"thb", "average_thb", "", "", 100},
		{"smo2_2", "average_smo2_2", "", "", 10},
		{"thb_2", "average_thb_2", "", "", 100},
		{"watts_alt", "average_watts_alt", "", "", 1},
		{"watts_alt_acc", "average_watts_alt_acc", "", "", 1},
	} {
		v := r.stats(r.others[s.stream], start, end)
		if v.secs == 0 {
			continue
		}
		out[s.mean] = math.Round(v.mean()*s.digits) / s.digits
		if s.low != "" {
			out[s.low], out[s.high] = v.min, v.max
		}
	}
	if bal := r.others["w_bal"]; end <= len(bal) && start < end && bal[start] != nil && bal[end-1] != nil {
		out["wbal_start"], out["wbal_end"] = math.Round(*bal[start]), math.Round(*bal[end-1])
	}
}

// groupIntervals makes icu_groups from icu_intervals: WORK intervals of like
// length and output, two or more, in order of their first one. It also sets
// group_id on the intervals that it groups ("480s@279w92rpm"; heart rate
// stands in for watts that are missing). What counts as alike is ours [U]:
// within 10 % of the group's first, or 5 s or 5 W or bpm.
func groupIntervals(intervals []Object) []Object {
	var groups [][]Object
	for _, one := range intervals {
		if one["type"] != "WORK" {
			continue
		}
		found := false
		for g := range groups {
			if alike(groups[g][0], one) {
				groups[g] = append(groups[g], one)
				found = true
				break
			}
		}
		if !found {
			groups = append(groups, []Object{one})
		}
	}
	out := []Object{}
	for _, members := range groups {
		if len(members) > 1 {
			group := meanInterval(members)
			for _, m := range members {
				m["group_id"] = group["id"]
			}
			out = append(out, group)
		}
	}
	return out
}

func alike(a, b Object) bool {
	near := func(key string) (alike, known bool) {
		x, ok1 := number(a, key)
		y, ok2 := number(b, key)
		return ok1 == ok2 && math.Abs(x-y) <= math.Max(5, 0.1*math.Abs(x)), ok1 || ok2
	}
	length, _ := near("moving_time")
	output, known := near("average_watts")
	if !known {
		output, _ = near("average_heartrate")
	}
	return length && output
}

// meanInterval is an IntervalGroup: the means of its members, except that
// extremes stay extremes and start_index is the first one's.
func meanInterval(members []Object) Object {
	group := Object{}
	for _, key := range groupKeys {
		sum, n, low, high := 0.0, 0.0, math.Inf(1), math.Inf(-1)
		for _, m := range members {
			if v, ok := number(m, key); ok {
				sum, n = sum+v, n+1
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
		switch {
		case n == 0:
		case strings.HasPrefix(key, "min_"):
			group[key] = low
		case strings.HasPrefix(key, "max_"):
			group[key] = high
		case wholeNumber(key):
			group[key] = math.Round(sum / n)
		default:
			group[key] = float32Like(sum / n)
		}
	}
	group["start_index"] = members[0]["start_index"]
	group["count"] = float64(len(members))
	group["id"] = groupID(group)
	return group
}

func groupID(group Object) string {
	id := fmt.Sprintf("%.0fs", numberOr0(group, "moving_time"))
	if w, ok := number(group, "average_watts"); ok {
		id += fmt.Sprintf("@%.0fw", w)
	} else if h, ok := number(group, "average_heartrate"); ok {
		id += fmt.Sprintf("@%.0fbpm", h)
	}
	if c, ok := number(group, "average_cadence"); ok {
		id += fmt.Sprintf("%.0frpm", c)
	}
	return id
}

// wholeNumber says which keys of a group are int in SCHEMAS.md.
func wholeNumber(key string) bool {
	switch key {
	case "moving_time", "elapsed_time", "average_watts", "average_watts_alt", "average_watts_alt_acc",
		"intensity", "weighted_average_watts", "joules", "joules_above_ftp", "wbal_start", "wbal_end", "zone",
		"zone_min_watts", "zone_max_watts", "average_heartrate", "prevailing_wind_deg":
		return true
	}
	return false
}
