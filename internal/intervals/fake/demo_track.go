package fake

import "math"

// demoTrack is one recorded activity while it is being made. Its buffers are
// used again for the next one, so streams taken from it last only until then.
type demoTrack struct {
	time, watts, hr, cadence demoColumn
	alt, dist, vel, temp     demoColumn
	lat, lng, grade          demoColumn
	laps                     []demoLap
	stops                    []float64 // stream indexes at which the recording was paused
	moving                   float64   // s, without pauses
	lengths                  int       // of the pool
	outdoor                  bool
	streams                  []Stream
}

// demoColumn holds one stream; NaN is null.
type demoColumn struct {
	v     []float64
	p     []*float64 // at least as many as were ever asked for
	base  *float64   // where p points
	nulls []int      // what is nil in p
}

// demoLap is one executed step: stream indexes, end exclusive.
type demoLap struct {
	start, end int
	work       bool
	label      string
}

func (c *demoColumn) add(x float64) { c.v = append(c.v, x) }

// null makes samples [from, to) null.
func (c *demoColumn) null(from, to int) {
	for i := max(0, from); i < min(to, len(c.v)); i++ {
		c.v[i] = math.NaN()
	}
}

// pointers gives the samples as a Stream holds them. The pointers are kept from
// one track to the next for as long as the samples stay where they are.
func (c *demoColumn) pointers() []*float64 {
	if len(c.v) > 0 && c.base != &c.v[0] {
		c.base, c.p, c.nulls = &c.v[0], make([]*float64, 0, cap(c.v)), nil
	}
	for _, i := range c.nulls {
		c.p[i] = &c.v[:i+1][i]
	}
	c.nulls = c.nulls[:0]
	for i := len(c.p); i < len(c.v); i++ {
		c.p = append(c.p, &c.v[i])
	}
	for i, v := range c.v {
		if math.IsNaN(v) {
			c.p[i] = nil
			c.nulls = append(c.nulls, i)
		}
	}
	return c.p[:len(c.v)]
}

func (t *demoTrack) reset() {
	for _, c := range []*demoColumn{&t.time, &t.watts, &t.hr, &t.cadence, &t.alt, &t.dist, &t.vel, &t.temp, &t.lat, &t.lng, &t.grade} {
		c.v = c.v[:0]
	}
	t.laps, t.stops, t.streams = t.laps[:0], t.stops[:0], t.streams[:0]
	t.moving, t.lengths = 0, 0
	t.outdoor = false
}

// rows gives the recorded streams in the API's shape.
func (t *demoTrack) rows() []Stream {
	t.streams = t.streams[:0]
	add := func(name string, c *demoColumn) {
		if len(c.v) == len(t.time.v) && len(c.v) > 0 {
			t.streams = append(t.streams, Stream{Type: name, Data: c.pointers()})
		}
	}
	add("time", &t.time)
	add("watts", &t.watts)
	add("cadence", &t.cadence)
	add("heartrate", &t.hr)
	add("distance", &t.dist)
	add("altitude", &t.alt)
	add("velocity_smooth", &t.vel)
	add("grade_smooth", &t.grade)
	add("temp", &t.temp)
	if len(t.lat.v) > 0 {
		t.streams = append(t.streams, Stream{Type: "latlng", Data: t.lat.pointers(), Data2: t.lng.pointers()})
	}
	return t.streams
}

// mean is the average of a stream over [from, to), nulls left out.
func (c *demoColumn) mean(from, to int) (float64, bool) {
	sum, n := 0.0, 0
	for i := from; i < to && i < len(c.v); i++ {
		if !math.IsNaN(c.v[i]) {
			sum += c.v[i]
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}

// nearest rounds to 1/parts, as a device would have stored it.
func nearest(parts, x float64) float64 { return math.Floor(x*parts+0.5) / parts }
