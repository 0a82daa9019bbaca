package fake

import "math"

// demoRoute is a closed loop through open sea with invented hills, sampled
// every routeStep metres and looked up by distance.
type demoRoute struct {
	length     float64
	alt, grade []float32
	lat, lng   []float32 // offsets from the centre, degrees
	sea        [2]float64
	id         float64
}

const routeStep = 20.0

// demoRoutes makes an athlete's loops: three for running, four for riding.
func demoRoutes(p *demoPerson) []*demoRoute {
	lengths := []float64{6200, 9400, 14800, 31000, 46000, 68000, 92000}
	routes := make([]*demoRoute, len(lengths))
	for i, length := range lengths {
		routes[i] = newDemoRoute(p, i, length)
	}
	return routes
}

func newDemoRoute(p *demoPerson, index int, length float64) *demoRoute {
	rng := p.rng(index, 31)
	n := int(length / routeStep)
	r := &demoRoute{
		length: float64(n) * routeStep, id: float64(6_800_000 + p.n*100 + index),
		alt: make([]float32, n+1), grade: make([]float32, n+1), lat: make([]float32, n+1), lng: make([]float32, n+1),
		sea: [2]float64{p.sea[0] + float64(index)*0.01, p.sea[1] - float64(index)*0.02},
	}
	// Hills of four sizes; slope is the steepest part of each.
	type wave struct{ k, slope, phase float64 }
	var waves []wave
	for _, w := range []struct{ metres, slope float64 }{{9000, 0.006}, {3800, 0.011}, {1500, 0.015}, {600, 0.010}} {
		k := max(1, math.Round(length/w.metres*(0.8+0.4*rng.Float64())))
		waves = append(waves, wave{k, w.slope * p.hilly * (0.6 + 0.8*rng.Float64()), rng.Float64() * 2 * math.Pi})
	}
	wobble := [3]float64{0.15 * rng.Float64(), 0.10 * rng.Float64(), 0.06 * rng.Float64()}
	radius := r.length / (2 * math.Pi) / 111_320 / 1.05
	squeeze := 1 / math.Cos(p.sea[0]*math.Pi/180)
	low := float32(math.Inf(1))
	for i := range r.alt {
		angle := float64(i) / float64(n) * 2 * math.Pi
		var alt, grade float64
		for _, w := range waves {
			sin, cos := math.Sincos(w.k*angle + w.phase)
			alt += w.slope * r.length / (2 * math.Pi * w.k) * sin
			grade += w.slope * cos
		}
		r.alt[i], r.grade[i] = float32(alt), float32(grade)
		low = min(low, r.alt[i])
		rad := radius * (1 + wobble[0]*math.Sin(2*angle) + wobble[1]*math.Cos(3*angle) + wobble[2]*math.Sin(5*angle))
		r.lat[i], r.lng[i] = float32(rad*math.Sin(angle)), float32(rad*math.Cos(angle)*squeeze)
	}
	for i := range r.alt {
		r.alt[i] += 24 - low
	}
	return r
}

// at looks up altitude, grade and position at a distance along the loop.
func (r *demoRoute) at(metres float64) (alt, grade, lat, lng float64) {
	pos := metres / routeStep
	n := len(r.alt) - 1
	whole := int(pos)
	f := float32(pos - float64(whole))
	i := whole % n
	mix := func(a []float32) float64 { return float64(a[i] + f*(a[i+1]-a[i])) }
	return mix(r.alt), float64(r.grade[i]), r.sea[0] + mix(r.lat), r.sea[1] + mix(r.lng)
}
