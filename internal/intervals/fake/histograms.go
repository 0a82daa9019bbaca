package fake

import (
	"math"
	"strconv"
)

// durations gives the seconds that each sample stands for, a pause none.
func durations(times []*float64, n int) []float64 { return sampleSecs(times, n) }

func (c *call) powerHistogram() (any, error) { return c.histogram("watts", 25, 1) }
func (c *call) hrHistogram() (any, error)    { return c.histogram("heartrate", 5, 1) }

// paceHistogram has buckets of 0.2 m/s.
func (c *call) paceHistogram() (any, error) { return c.histogram("velocity_smooth", 0, 0.2) }

// histogram counts seconds in buckets {min, max, secs}, the upper end of a
// whole-numbered bucket being the last number in it.
func (c *call) histogram(stream string, usual int, width float64) (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	upper := 0.0
	if usual > 0 {
		size, err := c.number("bucketSize", usual)
		if err != nil {
			return nil, err
		}
		if size < 1 {
			return nil, badParameter("bucketSize", strconv.Itoa(size), "int")
		}
		width, upper = float64(size), 1
	}
	streams := c.s.record(c.act).streams
	data := column(streams, stream)
	secs := durations(column(streams, "time"), len(data))
	counts := map[int]float64{}
	for i, v := range data {
		if v != nil && i < len(secs) {
			counts[int(math.Floor(*v/width+1e-9))] += secs[i]
		}
	}
	out := []row{}
	if len(counts) == 0 {
		return out, nil
	}
	first, last := math.MaxInt, math.MinInt
	for b := range counts {
		first, last = min(first, b), max(last, b)
	}
	for b := first; b <= last; b++ {
		out = append(out, full([]string{"min", "max", "secs"}, Object{
			"min": round8(float64(b) * width), "max": round8(float64(b+1)*width - upper), "secs": math.Round(counts[b]),
		}))
	}
	return out, nil
}

// timeAtHR counts seconds at each heart rate.
func (c *call) timeAtHR() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	streams := c.s.record(c.act).streams
	data := column(streams, "heartrate")
	secs := durations(column(streams, "time"), len(data))
	low, high := math.MaxInt, 0
	at := map[int]float64{}
	for i, v := range data {
		if v == nil || *v <= 0 {
			continue
		}
		bpm := int(math.Round(*v))
		at[bpm] += secs[i]
		low, high = min(low, bpm), max(high, bpm)
	}
	if high == 0 {
		return nil, errNoStream
	}
	var each, sum []float64
	total := 0.0
	for bpm := low; bpm <= high; bpm++ {
		total += at[bpm]
		each, sum = append(each, math.Round(at[bpm])), append(sum, math.Round(total))
	}
	return Object{"min_bpm": low, "max_bpm": high, "secs": each, "cumulative_secs": sum}, nil
}

// powerVsHR sets output against heart rate minute by minute, without warm-up
// and cool-down, and halves it for the decoupling.
func (c *call) powerVsHR() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	streams := c.s.record(c.act).streams
	watts, hr := column(streams, "watts"), column(streams, "heartrate")
	if len(watts) == 0 || len(hr) == 0 {
		return nil, errNoStream
	}
	settings := c.act.owner.sport(text(c.act.Object, "type"))
	warmup, cooldown := numberOr0(settings, "warmup_time"), numberOr0(settings, "cooldown_time")
	series := minutes(streams, watts, hr)
	elapsed := float64(len(series)) * bucketSecs
	if warmup+cooldown >= elapsed {
		warmup, cooldown = 0, 0
	}
	start := int(warmup / bucketSecs)
	end := len(series) - int(cooldown/bucketSecs)
	mid := (start + end) / 2
	first, second := ratio(series[start:mid]), ratio(series[mid:end])
	o := Object{
		"bucketSize": bucketSecs, "warmup": warmup, "cooldown": cooldown, "elapsedTime": elapsed, "hrLag": 0,
		"powerHr": ratio(series[start:end]), "powerHrFirst": first, "powerHrSecond": second,
		"start": start, "mid": mid, "end": end, "series": series, "curves": []any{},
	}
	if first > 0 {
		o["decoupling"] = round8(100 * (first - second) / first)
	}
	return full([]string{"bucketSize", "warmup", "cooldown", "elapsedTime", "hrLag", "powerHr", "powerHrFirst",
		"powerHrSecond", "decoupling", "powerHrZ2", "medianCadenceZ2", "avgCadenceZ2", "hrZ2BucketCount", "start",
		"mid", "end", "series", "curves", "ratioCoefficients"}, o), nil
}

const bucketSecs = 60

// minutes are means of power, heart rate and cadence in buckets of a minute.
func minutes(streams []Stream, watts, hr []*float64) []Object {
	times, cadence := column(streams, "time"), column(streams, "cadence")
	secs := sampleSecs(times, len(times))
	out := []Object{}
	sums := [3]float64{}
	weights := [3]float64{}
	flush := func() {
		o := Object{"start": len(out) * bucketSecs, "secs": bucketSecs, "movingSecs": math.Round(weights[0])}
		for i, key := range []string{"watts", "hr", "cadence"} {
			if o[key] = nil; weights[i] > 0 {
				o[key] = math.Round(sums[i] / weights[i])
			}
		}
		out = append(out, o)
		sums, weights = [3]float64{}, [3]float64{}
	}
	for i, t := range times {
		if t == nil {
			continue
		}
		for int(*t)/bucketSecs > len(out) {
			flush()
		}
		for n, data := range [][]*float64{watts, hr, cadence} {
			if i < len(data) && data[i] != nil && *data[i] > 0 {
				sums[n] += *data[i] * secs[i]
				weights[n] += secs[i]
			}
		}
	}
	flush()
	return out
}

// ratio is mean power over mean heart rate.
func ratio(series []Object) float64 {
	watts, hr := 0.0, 0.0
	for _, o := range series {
		if o["watts"] != nil && o["hr"] != nil {
			watts += numberOr0(o, "watts")
			hr += numberOr0(o, "hr")
		}
	}
	if hr == 0 {
		return 0
	}
	return round8(watts / hr)
}
