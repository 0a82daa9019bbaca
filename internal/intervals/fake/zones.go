package fake

import (
	"math"
	"strconv"
)

// thresholds are what an athlete's sport settings say for one sport, in the
// API's units: W, bpm, m/s; zone arrays as API.md 2.2 gives them (nil when
// the sport has none).
type thresholds struct {
	FTP, LTHR, MaxHR, ThresholdPace float64
	// RestingHR (bpm) is the athlete's; zero means 50.
	RestingHR                      float64
	PowerZones, HRZones, PaceZones []float64
	SweetSpotMin, SweetSpotMax     float64
	PaceUnits                      string
}

// Zone times in seconds. Power zones come with the extra "SS" bucket
// (API.md 2.3), which overlaps the others: {"id": "Z1", "secs": 1512}.
// Nil without samples, FTP or zones.
func powerZoneTimes(times, watts []*float64, t thresholds) []Object {
	return t.powerZoneSecs(sampleSecs(times, len(watts)), watts)
}

func (t thresholds) powerZoneSecs(weights []float64, watts []*float64) []Object {
	if len(watts) == 0 || t.FTP <= 0 || len(t.PowerZones) == 0 {
		return nil
	}
	upper := powerZoneTops(t)
	low, high := t.SweetSpotMin/100*t.FTP, t.SweetSpotMax/100*t.FTP
	secs := make([]float64, len(upper))
	sweet := 0.0
	for i, w := range watts {
		if w == nil {
			continue
		}
		secs[zoneOf(math.Round(*w), upper)] += weights[i]
		if *w >= low && *w <= high {
			sweet += weights[i]
		}
	}
	out := make([]Object, 0, len(secs)+1)
	for i, s := range secs {
		out = append(out, Object{"id": "Z" + strconv.Itoa(i+1), "secs": math.Round(s)})
	}
	if t.SweetSpotMax > 0 {
		out = append(out, Object{"id": "SS", "secs": math.Round(sweet)})
	}
	return out
}

// hrZoneTimes gives the seconds in each heart-rate zone. The bounds are bpm,
// the first zone begins at 0 and the last takes what lies above it.
func hrZoneTimes(times, hr []*float64, t thresholds) []float64 {
	return zoneSecs(sampleSecs(times, len(hr)), hr, t.HRZones, 1)
}

// paceZoneTimes gives the seconds in each pace zone while moving. The bounds
// are % of threshold speed: a higher zone is faster.
func paceZoneTimes(times, velocity []*float64, t thresholds) []float64 {
	return t.paceZoneSecs(sampleSecs(times, len(velocity)), velocity)
}

func (t thresholds) paceZoneSecs(weights []float64, velocity []*float64) []float64 {
	if t.ThresholdPace <= 0 {
		return nil
	}
	return zoneSecs(weights, velocity, t.PaceZones, 100/t.ThresholdPace)
}

// zoneSecs adds up the weights of each positive sample, times scale, by zone.
func zoneSecs(weights []float64, data []*float64, upper []float64, scale float64) []float64 {
	if len(data) == 0 || len(upper) == 0 {
		return nil
	}
	secs := make([]float64, len(upper))
	for i, v := range data {
		if v != nil && *v > 0 {
			secs[zoneOf(*v*scale, upper)] += weights[i]
		}
	}
	for i := range secs {
		secs[i] = math.Round(secs[i])
	}
	return secs
}

// powerZoneTops are the highest watts of each power zone: floor(% * FTP)
// (API.md 3.5).
func powerZoneTops(t thresholds) []float64 {
	tops := make([]float64, len(t.PowerZones))
	for i, percent := range t.PowerZones {
		tops[i] = math.Floor(percent * t.FTP / 100)
	}
	return tops
}

// zoneOf is the index of the first zone whose upper bound holds v.
func zoneOf(v float64, upper []float64) int {
	for i, top := range upper {
		if v <= top {
			return i
		}
	}
	return len(upper) - 1
}

// sampleSecs says how many seconds each of n samples stands for: up to the
// next sample, but no longer than the usual distance when a pause follows
// (API.md 2.3). Without times each sample is a second; one without its time
// stands for none.
func sampleSecs(times []*float64, n int) []float64 {
	secs := make([]float64, n)
	if len(times) == 0 {
		for i := range secs {
			secs[i] = 1
		}
		return secs
	}
	usual := medianDelta(times)
	pause := pauseAfter(usual)
	var next *float64
	for i := len(times) - 1; i >= 0; i-- {
		if times[i] == nil {
			continue
		}
		if i < n {
			secs[i] = usual
			if next != nil {
				if d := *next - *times[i]; d <= pause {
					secs[i] = max(0, d)
				}
			}
		}
		next = times[i]
	}
	return secs
}

// pauseAfter is the gap (s) between two samples above which nothing was
// recorded in between.
func pauseAfter(usual float64) float64 { return max(5, 3*usual) }

// medianDelta is the usual distance of two samples in whole seconds
// (icu_median_time_delta), 1 when there are none.
func medianDelta(times []*float64) float64 {
	var counts [64]int
	total := 0
	var last *float64
	for _, at := range times {
		if at == nil {
			continue
		}
		if last != nil && *at > *last {
			counts[int(min(max(1, *at-*last+0.5), 63))]++
			total++
		}
		last = at
	}
	seen := 0
	for d, c := range counts {
		if seen += c; c > 0 && 2*seen >= total {
			return float64(d)
		}
	}
	return 1
}
