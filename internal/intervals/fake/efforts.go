package fake

import (
	"math"
	"slices"
	"strconv"
)

// bestEfforts finds the best stretches of one duration or distance that do
// not overlap.
func (c *call) bestEfforts() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	stream := c.query.Get("stream")
	if stream == "" {
		return nil, missingParameter("stream", "String")
	}
	length, err := c.effortLength()
	if err != nil {
		return nil, err
	}
	count, err := c.number("count", 8)
	if err != nil {
		return nil, err
	}
	streams := c.s.record(c.act).streams
	data, times := column(streams, stream), column(streams, "time")
	if len(data) == 0 || len(times) == 0 {
		return nil, errNoStream
	}
	from, err := c.number("startIndex", 0)
	if err != nil {
		return nil, err
	}
	to, err := c.number("endIndex", len(data))
	if err != nil {
		return nil, err
	}
	along := times
	if c.query.Get("duration") == "" {
		if along = column(streams, "distance"); len(along) == 0 {
			return nil, errNoStream
		}
	}
	taken := make([]bool, len(data))
	if c.flag("excludeIntervals") {
		list, _ := c.s.intervalsOf(c.act)
		for _, o := range list {
			if text(o, "type") == "WORK" {
				for i := int(numberOr0(o, "start_index")); i < min(int(numberOr0(o, "end_index")), len(taken)); i++ {
					taken[i] = true
				}
			}
		}
	}
	atLeast, _ := strconv.ParseFloat(c.query.Get("minValue"), 64)
	found := stretches(along, data, sampleSecs(times, len(data)), length, max(from, 0), min(to, len(data), len(along)))
	out := []row{}
	for _, w := range found {
		if len(out) >= count || w.mean < atLeast {
			break
		}
		if slices.Contains(taken[w.start:w.end], true) {
			continue
		}
		for i := w.start; i < w.end; i++ {
			taken[i] = true
		}
		o := Object{"start_index": w.start, "end_index": w.end, "average": round8(w.mean)}
		if a, b := times[w.start], times[w.end-1]; a != nil && b != nil {
			o["duration"] = math.Round(*b - *a + 1)
		}
		if &along[0] != &times[0] {
			o["distance"] = length
		}
		out = append(out, full([]string{"start_index", "end_index", "average", "duration", "distance"}, o))
	}
	return Object{"efforts": out}, nil
}

// effortLength reads the duration (s) or distance (m), one of which is
// required.
func (c *call) effortLength() (float64, error) {
	s := c.query.Get("duration")
	if s == "" {
		s = c.query.Get("distance")
	}
	if s == "" {
		return 0, invalid("One of duration or distance is required")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f <= 0 {
		return 0, badParameter("duration", s, "int")
	}
	return f, nil
}

// window is a window of samples and the mean over it.
type window struct {
	start, end int
	mean       float64
}

// stretches are all windows of a length along a rising stream (time or
// distance), the highest mean first.
func stretches(along, data []*float64, secs []float64, length float64, from, to int) []window {
	var out []window
	sum, weight := 0.0, 0.0
	end := from
	for start := from; start < to; start++ {
		if along[start] == nil {
			continue
		}
		for end < to && (along[end] == nil || *along[end]-*along[start] < length) {
			if data[end] != nil {
				sum += *data[end] * secs[end]
				weight += secs[end]
			}
			end++
		}
		if end >= to && (along[to-1] == nil || *along[to-1]-*along[start] < length-1) {
			break
		}
		if weight > 0 {
			out = append(out, window{start, end, sum / weight})
		}
		if data[start] != nil {
			sum -= *data[start] * secs[start]
			weight -= secs[start]
		}
	}
	slices.SortStableFunc(out, func(x, y window) int {
		switch {
		case x.mean > y.mean:
			return -1
		case x.mean < y.mean:
			return 1
		}
		return 0
	})
	return out
}
