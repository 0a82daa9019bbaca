package fake

import "math"

// demoRide is a body on a bicycle: what the road, the traffic and the mood do
// to the power, and the power to the speed.
type demoRide struct {
	*demoBody
	outdoor           bool
	ftp, mass         float64
	spread, hills     float64 // how restless the power is, how far it follows the slope
	coast, nextStop   float64 // s left of rolling, and when the next junction comes
	surge, surgeWatts float64 // s left of a hard start or a sprint, W
	sprint            float64 // when the town sign comes that somebody wants to win
	cadence           float64 // the day's usual, rpm
}

func (b *demoBody) ride() {
	r := &demoRide{demoBody: b, outdoor: b.s.sport == "Ride", ftp: b.s.threshold(), mass: b.s.c.p.weight + 10}
	b.t.outdoor = r.outdoor
	if r.outdoor {
		b.plan()
	}
	r.nextStop = 150 + 200*b.rng.Float64()
	r.cadence = 86 + 2*b.rng.NormFloat64()
	r.sprint = math.Inf(1)
	if b.rng.IntN(3) == 0 {
		r.sprint = b.s.minutes * 60 * (0.3 + 0.6*b.rng.Float64())
	}
	route := b.s.route()
	b.steps(func(step demoStep) {
		r.settle(step)
		for passed := 0.0; passed < step.secs; passed += b.dt {
			b.tick()
			grade := 0.0
			if r.outdoor {
				_, grade, _, _ = route.at(b.dist)
			}
			watts := r.push(step, passed, grade)
			r.roll(watts, grade)
			r.sample(watts, grade)
		}
	})
}

// settle sets how steadily a step is ridden.
func (r *demoRide) settle(step demoStep) {
	switch {
	case !r.outdoor:
		r.spread, r.hills = 0.02, 0
	case step.work:
		r.spread, r.hills = 0.05, 1.2
	default:
		r.spread, r.hills = 0.11, 4.5
	}
}

// push is the power (W) of one sample.
func (r *demoRide) push(step demoStep, passed, grade float64) float64 {
	watts := r.ftp * r.s.effort * demoEffort(step, passed) * (1 + demoClamp(r.hills*grade, -0.7, 0.4) + r.wander(r.spread))
	if r.outdoor && (r.speed > 15.2 || grade < -0.032 && r.speed > 10.5) {
		watts = 0
	}
	if step.work {
		r.surge = 0
		return demoClamp(watts, 0, 2*r.ftp)
	}
	if r.outdoor {
		watts = r.traffic(watts)
	}
	if r.moved >= r.sprint {
		r.sprint, r.surge, r.surgeWatts = math.Inf(1), 7+6*r.rng.Float64(), r.ftp*(2.2+1.1*r.rng.Float64())
	}
	if r.surge > 0 {
		r.surge -= r.dt
		watts = r.surgeWatts * (0.97 + 0.06*r.rng.Float64())
	}
	return demoClamp(watts, 0, 3.4*r.ftp)
}

// traffic brakes for a junction now and then, and starts hard after it.
func (r *demoRide) traffic(watts float64) float64 {
	if r.moved > r.nextStop {
		r.coast, r.nextStop = 4+10*r.rng.Float64(), r.moved+120+320*r.rng.Float64()
	}
	if r.coast <= 0 {
		return watts
	}
	if r.coast -= r.dt; r.coast <= 0 {
		r.surge, r.surgeWatts = 4+3*r.rng.Float64(), r.ftp*(1.1+0.5*r.rng.Float64())
	}
	r.speed = max(2.5, r.speed*math.Pow(0.93, r.dt))
	return 0
}

// roll moves the bicycle for one sample: power against slope, tyres and air.
func (r *demoRide) roll(watts, grade float64) {
	for range int(r.dt) {
		force := watts*0.975/max(2.2, r.speed) - r.mass*9.81*(grade+0.0045) - 0.195*r.speed*r.speed
		r.speed = demoClamp(r.speed+force/r.mass, 1.2, 18)
		r.dist += r.speed
	}
}

func (r *demoRide) sample(watts, grade float64) {
	r.t.watts.add(nearest(1, watts))
	cadence := 0.0
	if watts > 20 {
		cadence = nearest(1, demoClamp(r.cadence+0.03*(watts-0.7*r.ftp)-120*max(0, grade)+1.6*r.rng.NormFloat64(), 50, 115))
	}
	r.t.cadence.add(cadence)
	r.heartbeat(watts/r.ftp, 0.465)
	r.t.dist.add(nearest(10, r.dist))
	r.t.vel.add(nearest(1000, r.speed))
	if r.outdoor {
		r.place(grade)
	}
	r.t.temp.add(nearest(1, r.warm+3*math.Exp(-r.moved/500)))
}
