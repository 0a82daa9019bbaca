package training

import (
	"math"
	"slices"
)

// Clock says when each sample of a recording was taken and how long it holds.
// Recordings are not 1 Hz: a device may write every few seconds, and a pause
// leaves a gap, so an index is not a second.
type Clock struct {
	Times []float64 // s from the start, rising
	Step  float64   // the usual time between samples, s
	Gaps  []Gap
	hold  []float64 // s that each sample stands for
}

// Gap is a stretch without samples that is too long to be the device's pace.
type Gap struct {
	Index    int     // of the last sample before it
	From, To float64 // s from the start
}

// NewClock reads the times of a recording of n samples. Without times, a
// sample a second is assumed. A time that is missing (NaN) or runs backwards
// is taken to follow its predecessor at once.
func NewClock(times []float64, n int) Clock {
	c := Clock{Times: make([]float64, n), Step: 1, hold: make([]float64, n)}
	for i := range c.Times {
		switch {
		case len(times) == 0:
			c.Times[i] = float64(i)
		case i < len(times) && !math.IsNaN(times[i]) && (i == 0 || times[i] >= c.Times[i-1]):
			c.Times[i] = times[i]
		case i > 0:
			c.Times[i] = c.Times[i-1]
		}
	}
	c.Step = c.usualStep()
	longest := max(5, 4*c.Step)
	for i := range c.hold {
		c.hold[i] = c.Step
		if i+1 == n {
			break
		}
		if d := c.Times[i+1] - c.Times[i]; d <= longest {
			c.hold[i] = d
		} else {
			c.Gaps = append(c.Gaps, Gap{i, c.Times[i], c.Times[i+1]})
		}
	}
	return c
}

// usualStep is the median time between samples.
func (c Clock) usualStep() float64 {
	if len(c.Times) < 2 {
		return 1
	}
	steps := make([]float64, len(c.Times)-1)
	for i := range steps {
		steps[i] = c.Times[i+1] - c.Times[i]
	}
	slices.Sort(steps)
	return max(steps[len(steps)/2], 0.001)
}

// Between gives the samples [lo, hi) that were taken from one second to
// another, both included.
func (c Clock) Between(from, to float64) (lo, hi int) {
	lo, _ = slices.BinarySearch(c.Times, from)
	hi, _ = slices.BinarySearch(c.Times, math.Nextafter(to, math.Inf(1)))
	return lo, max(lo, hi)
}

// Recorded is the time that the samples [lo, hi) stand for, gaps left out.
func (c Clock) Recorded(lo, hi int) float64 {
	sum := 0.0
	for _, h := range c.hold[lo:hi] {
		sum += h
	}
	return sum
}

// Stats describe a stretch of a series. Min, Max and Mean are NaN when no
// sample is there; the mean weighs each sample with the time it stands for
// and leaves missing ones out.
type Stats struct {
	Count, Missing int
	Min, Max, Mean float64
}

// Stats gives the statistics of the samples [lo, hi) of a series; NaN is a
// missing sample. A series shorter than the clock misses its end.
func (c Clock) Stats(data []float64, lo, hi int) Stats {
	s := Stats{Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()}
	sum, weight, plain := 0.0, 0.0, 0.0
	for i := lo; i < hi; i++ {
		if i >= len(data) || math.IsNaN(data[i]) {
			s.Missing++
			continue
		}
		x := data[i]
		if s.Count == 0 || x < s.Min {
			s.Min = x
		}
		if s.Count == 0 || x > s.Max {
			s.Max = x
		}
		s.Count++
		sum += x * c.hold[i]
		plain += x
		weight += c.hold[i]
	}
	switch {
	case weight > 0:
		s.Mean = sum / weight
	case s.Count > 0:
		s.Mean = plain / float64(s.Count)
	}
	return s
}

// Shape cuts a stretch of a recording into points for a small picture of its
// series. Where the stretch has no more samples than points, each point is one
// sample; otherwise points are equal lengths of time, and one that falls into
// a gap is empty.
type Shape struct {
	At     []float64 // s from the start, where each point begins
	Width  float64   // s that a point covers; 0 when each is one sample
	ranges [][2]int
	clock  *Clock
}

// Shape cuts the samples [lo, hi) into at most n points.
func (c *Clock) Shape(lo, hi, n int) Shape {
	s := Shape{clock: c}
	if lo >= hi || n < 1 {
		return s
	}
	if hi-lo <= n {
		for i := lo; i < hi; i++ {
			s.At, s.ranges = append(s.At, c.Times[i]), append(s.ranges, [2]int{i, i + 1})
		}
		return s
	}
	start := c.Times[lo]
	s.Width = (c.Times[hi-1] + c.hold[hi-1] - start) / float64(n)
	i := lo
	for k := range n {
		end := start + s.Width*float64(k+1)
		first := i
		for i < hi && (c.Times[i] < end || k == n-1) {
			i++
		}
		s.At, s.ranges = append(s.At, start+s.Width*float64(k)), append(s.ranges, [2]int{first, i})
	}
	return s
}

// Means gives the time-weighted mean of a series at each point, NaN where it
// has no sample.
func (s Shape) Means(data []float64) []float64 {
	out := make([]float64, len(s.ranges))
	for k, r := range s.ranges {
		out[k] = s.clock.Stats(data, r[0], r[1]).Mean
	}
	return out
}

// Lasts gives the last sample of each point: for series that only grow, and
// for positions, of which a mean says nothing.
func (s Shape) Lasts(data []float64) []float64 {
	out := make([]float64, len(s.ranges))
	for k, r := range s.ranges {
		out[k] = math.NaN()
		for i := min(r[1], len(data)) - 1; i >= r[0]; i-- {
			if !math.IsNaN(data[i]) {
				out[k] = data[i]
				break
			}
		}
	}
	return out
}
