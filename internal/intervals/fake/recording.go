package fake

import "math"

// recording is an activity's streams side by side.
type recording struct {
	sport string
	n     int   // samples
	types []any // the stream types it has

	times, watts, heart, cadence, velocity []*float64
	distance, altitude, temp, balance      []*float64
	others                                 map[string][]*float64

	usual  float64   // medianDelta
	secs   []float64 // what each sample stands for
	moving []bool
}

func newRecording(sport string, streams []Stream) *recording {
	r := &recording{sport: sport, others: map[string][]*float64{}}
	for _, s := range streams {
		r.types = append(r.types, s.Type)
		if s.Type != "latlng" {
			r.others[s.Type] = s.Data
		}
		r.n = max(r.n, len(s.Data))
	}
	// A corrected stream goes before the one that it corrects.
	r.times = r.stream("time")
	r.watts = r.stream("fixed_watts", "watts")
	r.heart = r.stream("fixed_heartrate", "heartrate")
	r.altitude = r.stream("fixed_altitude", "altitude")
	r.velocity = r.stream("velocity_smooth")
	r.cadence = r.stream("cadence")
	r.distance = r.stream("distance")
	r.temp = r.stream("temp")
	r.balance = r.stream("left_right_balance")
	r.usual = medianDelta(r.times)
	r.secs = sampleSecs(r.times, r.n)
	r.findMoving()
	return r
}

// stream is the first of the named streams that holds a value.
func (r *recording) stream(names ...string) []*float64 {
	for _, name := range names {
		for _, v := range r.others[name] {
			if v != nil {
				return r.others[name]
			}
		}
	}
	return nil
}

// findMoving marks the samples in motion: by the moving stream, else where
// speed, watts or cadence is above 0, else all of them.
func (r *recording) findMoving() {
	signs := [][]*float64{r.velocity, r.watts, r.cadence}
	if m := r.stream("moving"); m != nil {
		signs = [][]*float64{m}
	}
	known := false
	for _, s := range signs {
		known = known || s != nil
	}
	r.moving = make([]bool, r.n)
	for i := range r.moving {
		r.moving[i] = !known
		for _, s := range signs {
			if i < len(s) && s[i] != nil && *s[i] > 0 {
				r.moving[i] = true
			}
		}
	}
}

// recorded is the time (s) with samples in [start, end).
func (r *recording) recorded(start, end int) float64 {
	total := 0.0
	for _, s := range r.secs[start:end] {
		total += s
	}
	return total
}

// movingSecs is the recorded time (s) in motion in [start, end).
func (r *recording) movingSecs(start, end int) float64 {
	total := 0.0
	for i := start; i < end; i++ {
		if r.moving[i] {
			total += r.secs[i]
		}
	}
	return total
}

// elapsed is the time (s) from the first sample to the end of the last one,
// pauses included.
func (r *recording) elapsed(start, end int) float64 {
	from, to, ok := r.span(start, end)
	if !ok {
		return r.recorded(start, end)
	}
	return to - from
}

// span is the first sample's time and the last one's end; false without times.
func (r *recording) span(start, end int) (from, to float64, ok bool) {
	first, last := -1, -1
	for i := start; i < end && i < len(r.times); i++ {
		if r.times[i] != nil {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return 0, 0, false
	}
	return *r.times[first], *r.times[last] + r.secs[last], true
}

// covered is the distance (m) of [start, end): from the sample before it, as
// the first second's metres belong to it, or speed over time.
func (r *recording) covered(start, end int) (float64, bool) {
	if r.distance != nil {
		from, to := 0.0, math.NaN()
		for i := min(start, len(r.distance)) - 1; i >= 0; i-- {
			if r.distance[i] != nil {
				from = *r.distance[i]
				break
			}
		}
		for i := min(end, len(r.distance)) - 1; i >= start; i-- {
			if r.distance[i] != nil {
				to = *r.distance[i]
				break
			}
		}
		return math.Max(0, to-from), !math.IsNaN(to)
	}
	if r.velocity == nil {
		return 0, false
	}
	metres := 0.0
	for i := start; i < min(end, len(r.velocity)); i++ {
		if v := r.velocity[i]; v != nil {
			metres += *v * r.secs[i]
		}
	}
	return metres, true
}

// spread is what a stream's samples come to, weighted by their seconds.
type spread struct{ sum, secs, min, max float64 }

func (s spread) mean() float64 { return s.sum / s.secs }

// stats spreads a stream over [start, end) without its nulls.
func (r *recording) stats(data []*float64, start, end int) spread {
	return r.statsAbove(math.Inf(-1), data, start, end)
}

// positive is stats for what is never 0 while it is measured: beats, turns.
func (r *recording) positive(data []*float64, start, end int) spread {
	return r.statsAbove(0, data, start, end)
}

func (r *recording) statsAbove(floor float64, data []*float64, start, end int) spread {
	s := spread{min: math.Inf(1), max: math.Inf(-1)}
	for i := start; i < min(end, len(data)); i++ {
		if data[i] == nil || r.secs[i] == 0 || *data[i] <= floor {
			continue
		}
		v := *data[i]
		s.sum += v * r.secs[i]
		s.secs += r.secs[i]
		s.min, s.max = min(s.min, v), max(s.max, v)
	}
	return s
}

// work is the energy (J) in [start, end), and the part of it above FTP.
func (r *recording) work(start, end int, ftp float64) (joules, above float64) {
	for i := start; i < min(end, len(r.watts)); i++ {
		if w := r.watts[i]; w != nil {
			joules += *w * r.secs[i]
			above += max(0, *w-ftp) * r.secs[i]
		}
	}
	return joules, above
}

// normalized is NP (W) of [start, end): API.md 3.5 over the moving seconds,
// a missing value standing for 0.
func (r *recording) normalized(start, end int) float64 {
	var np normalizer
	for i := start; i < min(end, len(r.watts)); i++ {
		if !r.moving[i] {
			continue
		}
		watts := 0.0
		if r.watts[i] != nil {
			watts = *r.watts[i]
		}
		for range int(math.Round(r.secs[i])) {
			np.add(watts)
		}
	}
	return np.value()
}

// decoupling (%) compares output per heart beat of the first and the second
// half of the moving time; above 0 the heart rate rose against the output.
// Output is power, else speed. False when either half lacks one.
func (r *recording) decoupling(start, end int) (float64, bool) {
	output := r.watts
	if output == nil {
		output = r.velocity
	}
	if output == nil || r.heart == nil {
		return 0, false
	}
	half := r.movingSecs(start, end) / 2
	var out, beats [2]float64
	done := 0.0
	for i := start; i < min(end, len(output), len(r.heart)); i++ {
		if !r.moving[i] {
			continue
		}
		part := 0
		if done >= half {
			part = 1
		}
		done += r.secs[i]
		if output[i] != nil && r.heart[i] != nil && *r.heart[i] > 0 {
			out[part] += *output[i] * r.secs[i]
			beats[part] += *r.heart[i] * r.secs[i]
		}
	}
	if out[0] == 0 || beats[0] == 0 || beats[1] == 0 {
		return 0, false
	}
	first, second := out[0]/beats[0], out[1]/beats[1]
	return 100 * (first - second) / first, true
}

// stops are the indexes after which the recording paused; nil without any.
func (r *recording) stops() any {
	var list []any
	pause := pauseAfter(r.usual)
	last := -1
	for i, at := range r.times {
		if at == nil {
			continue
		}
		if last >= 0 && *at-*r.times[last] > pause {
			list = append(list, float64(last))
		}
		last = i
	}
	if list == nil {
		return nil
	}
	return list
}

// climbStep is how many metres the altitude must turn before it counts, so
// that a barometer's noise adds no climb.
const climbStep = 2

// climb adds up gain and loss (m) of [start, end) from turn to turn.
func climb(altitude []*float64, start, end int) (gain, loss float64) {
	var (
		low, high = math.Inf(1), math.Inf(-1) // since the last turn
		trend     = 0                         // 1 up, -1 down
	)
	for i := start; i < min(end, len(altitude)); i++ {
		if altitude[i] == nil {
			continue
		}
		a := *altitude[i]
		switch {
		case trend >= 0 && high-a >= climbStep: // the top is behind
			if trend > 0 {
				gain += high - low
			}
			trend, low = -1, a
		case trend <= 0 && a-low >= climbStep: // the bottom is behind
			if trend < 0 {
				loss += high - low
			}
			trend, high = 1, a
		default:
			low, high = min(low, a), max(high, a)
		}
	}
	switch trend {
	case 1:
		gain += high - low
	case -1:
		loss += high - low
	}
	return gain, loss
}

// normalizer computes NP from 1 Hz watts: the trailing 30 s mean (growing at
// the start), its 4th power, their mean, the 4th root (API.md 3.5).
type normalizer struct {
	window [30]float64
	sum    float64
	n      int
	fourth float64
}

func (p *normalizer) add(watts float64) {
	slot := p.n % len(p.window)
	p.sum += watts - p.window[slot]
	p.window[slot] = watts
	p.n++
	mean := p.sum / float64(min(p.n, len(p.window)))
	p.fourth += mean * mean * mean * mean
}

func (p *normalizer) value() float64 {
	if p.n == 0 {
		return 0
	}
	return math.Sqrt(math.Sqrt(p.fourth / float64(p.n)))
}
