package fake

import "math"

// curvePoint is the best effort over one duration (or distance).
type curvePoint struct {
	Key        int     // s, or m for a pace curve
	Value      float64 // mean W or bpm, not rounded; s for a pace curve
	Start, End int     // stream indexes, end exclusive
}

// curveSecs are the durations of a power or heart-rate curve up to max
// seconds, as dense as the platform's: 153 for 75 minutes (API.md 2.3). The
// list itself is ours [U].
func curveSecs(max int) []int {
	secs := make([]int, 0, 192)
	for s := 1; s <= max; {
		secs = append(secs, s)
		switch {
		case s < 60:
			s++
		case s < 180:
			s += 5
		case s < 600:
			s += 10
		case s < 1800:
			s += 60
		case s < 3600:
			s += 300
		case s < 14400:
			s += 600
		default:
			s += 1800
		}
	}
	return secs
}

// bestMeans gives the highest time-weighted mean of data for each duration,
// honouring gaps in times (API.md 2.3: streams are not 1 Hz). A pause counts
// as elapsed seconds without a sample, so it lowers the mean; seconds whose
// sample is null are skipped, and a window needs values for half of itself.
// Durations longer than the recording are left out.
func bestMeans(times, data []*float64, secs []int) []curvePoint {
	longest := 0
	for _, s := range secs {
		longest = max(longest, s)
	}
	grid := newGrid(times, data, longest)
	points := make([]curvePoint, 0, len(secs))
	for _, s := range secs {
		if s <= 0 || s > len(grid.sample) {
			continue
		}
		at, value := grid.best(s)
		if at < 0 {
			continue
		}
		start, end := grid.indexes(at, at+s)
		points = append(points, curvePoint{s, value, start, end})
	}
	return points
}

// grid is a stream laid out over the elapsed seconds.
type grid struct {
	sample []int32   // the sample of each second, -1 in a pause
	sum    []float64 // sum[k] adds up the values of the first k seconds
	nulls  []int32   // how many of the first k seconds are null; nil without any
}

// maxGridSecs bounds a grid (11 days), whatever a corrupt time stream says.
const maxGridSecs = 1_000_000

// newGrid resamples to 1 Hz. A pause longer than the longest window is cut to
// its length, which changes no window.
func newGrid(times, data []*float64, longest int) grid {
	g := grid{sample: make([]int32, 0, len(data)+len(data)/4)}
	usual := int(medianDelta(times))
	pause := int(pauseAfter(float64(usual)))
	last, second := -1, 0
	hasNull := false
	for i := range data {
		at := i
		if len(times) > 0 {
			if i >= len(times) || times[i] == nil || math.Abs(*times[i]) > 1e9 {
				continue
			}
			at = int(math.Round(*times[i]))
		}
		if last >= 0 {
			gap := at - second
			if gap <= 0 {
				continue
			}
			if gap > pause {
				g.fill(last, usual)
				g.fill(-1, min(gap-usual, longest+1))
			} else {
				g.fill(last, gap)
			}
		}
		last, second = i, at
		hasNull = hasNull || data[i] == nil
	}
	if last >= 0 {
		g.fill(last, usual)
	}

	g.sum = make([]float64, len(g.sample)+1)
	if hasNull {
		g.nulls = make([]int32, len(g.sample)+1)
	}
	for k, i := range g.sample {
		g.sum[k+1] = g.sum[k]
		if i >= 0 && data[i] != nil {
			g.sum[k+1] += *data[i]
		}
		if hasNull {
			g.nulls[k+1] = g.nulls[k]
			if i >= 0 && data[i] == nil {
				g.nulls[k+1]++
			}
		}
	}
	return g
}

func (g *grid) fill(sample, secs int) {
	for range min(secs, maxGridSecs-len(g.sample)) {
		g.sample = append(g.sample, int32(sample))
	}
}

// best is the first window of secs seconds with the highest mean, -1 when no
// window has values for half of it.
func (g *grid) best(secs int) (at int, mean float64) {
	if g.nulls == nil {
		head, tail := g.sum[secs:], g.sum[:len(g.sum)-secs]
		at, top := 0, math.Inf(-1)
		for k, from := range tail {
			if d := head[k] - from; d > top {
				at, top = k, d
			}
		}
		return at, top / float64(secs)
	}
	at, mean = -1, math.Inf(-1)
	for k := 0; k+secs < len(g.sum); k++ {
		present := secs - int(g.nulls[k+secs]-g.nulls[k])
		if 2*present < secs {
			continue
		}
		if m := (g.sum[k+secs] - g.sum[k]) / float64(present); m > mean {
			at, mean = k, m
		}
	}
	return at, mean
}

// indexes are the stream indexes of the seconds [from, to), the end exclusive.
func (g *grid) indexes(from, to int) (start, end int) {
	for from < to-1 && g.sample[from] < 0 {
		from++
	}
	for to > from+1 && g.sample[to-1] < 0 {
		to--
	}
	return int(g.sample[from]), int(g.sample[to-1]) + 1
}

// paceDistances are the distances (m) of a sport's pace curve, nil for sports
// that have none. The list is ours [U]; 1609 stands for the mile, 21097 for
// the half marathon.
func paceDistances(sport string) []int {
	switch sportFamily(sport) {
	case "run", "walk":
		return []int{100, 200, 400, 800, 1000, 1500, 1609, 2000, 3000, 5000, 8000, 10000, 15000, 21097, 30000, 42195, 50000}
	case "swim":
		return []int{25, 50, 100, 200, 300, 400, 500, 800, 1000, 1500, 1900, 2000, 3000, 3800, 5000}
	case "row":
		return []int{100, 250, 500, 1000, 2000, 5000, 6000, 10000, 21097}
	}
	return nil
}

// paceMetres is the exact distance that a key of a pace curve stands for.
func paceMetres(key int) float64 {
	switch key {
	case 1609:
		return 1609.34
	case 21097:
		return 21097.5
	}
	return float64(key)
}

// bestPaces gives the shortest elapsed time over each distance, interpolated
// between samples. Samples without time or distance are skipped, pauses
// count. Distances longer than the activity are left out.
func bestPaces(times, distance []*float64, metres []int) []curvePoint {
	index, at, gone := track(times, distance)
	points := make([]curvePoint, 0, len(metres))
	for _, m := range metres {
		if p, ok := fastest(index, at, gone, paceMetres(m)); ok {
			p.Key = m
			points = append(points, p)
		}
	}
	return points
}

// track is the recorded way: times (s) that rise and distances (m) that never
// fall, with their stream indexes.
func track(times, distance []*float64) (index []int, at, gone []float64) {
	for i, d := range distance {
		t := float64(i)
		if len(times) > 0 {
			if i >= len(times) || times[i] == nil {
				continue
			}
			t = *times[i]
		}
		if n := len(at); d == nil || n > 0 && (t <= at[n-1] || *d < gone[n-1]) {
			continue
		}
		index, at, gone = append(index, i), append(at, t), append(gone, *d)
	}
	return index, at, gone
}

// fastest finds the shortest time over a distance. Speed is constant between
// two samples, so the best stretch begins or ends at one.
func fastest(index []int, at, gone []float64, metres float64) (curvePoint, bool) {
	best := curvePoint{Value: math.Inf(1)}
	end := 0
	for start := range gone {
		for end < len(gone) && gone[end]-gone[start] < metres {
			end++
		}
		if end == len(gone) {
			break
		}
		if end == start {
			continue
		}
		over := gone[end] - gone[start] - metres
		step := (at[end] - at[end-1]) / (gone[end] - gone[end-1])
		if v := at[end] - at[start] - over*step; v < best.Value {
			best = curvePoint{Value: v, Start: index[start], End: index[end] + 1}
		}
	}
	start := 0
	for end := range gone {
		if gone[end]-gone[0] < metres {
			continue
		}
		for gone[end]-gone[start+1] >= metres {
			start++
		}
		over := gone[end] - gone[start] - metres
		step := (at[start+1] - at[start]) / (gone[start+1] - gone[start])
		if v := at[end] - at[start] - over*step; v < best.Value {
			best = curvePoint{Value: v, Start: index[start], End: index[end] + 1}
		}
	}
	return best, !math.IsInf(best.Value, 1)
}
