package fake

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// demoPause is a stop with the recording off, at a second of moving time.
type demoPause struct{ at, secs float64 }

// demoBody is the athlete and the day while a track is being recorded.
type demoBody struct {
	s      *demoSession
	t      *demoTrack
	rng    *rand.Rand
	dt     float64
	now    float64 // s since the start, pauses included
	moved  float64 // s without pauses
	dist   float64 // m
	speed  float64 // m/s
	hr     float64
	lthr   float64
	maxHR  float64
	day    float64 // factor on heart rate: sleep, heat, form
	flex   float64 // wandering effort, around 0
	warm   float64 // air temperature, °C
	pauses []demoPause
}

// record makes the activity's streams in t. The same session always gives the
// same track.
func (s *demoSession) record(t *demoTrack) {
	t.reset()
	if s.manual {
		return
	}
	rng := s.c.p.rng(s.day, 100+uint64(s.slot))
	b := &demoBody{s: s, t: t, rng: rng, dt: float64(s.c.p.every), hr: s.c.p.restHR + 38, day: 1 + 0.012*demoClamp(rng.NormFloat64(), -2, 2)}
	b.lthr, b.maxHR = s.c.p.heart(s.sport)
	b.warm = s.temperature()
	if b.warm > 22 {
		b.day += 0.002 * (b.warm - 22)
	}
	switch s.sport {
	case "Ride", "VirtualRide":
		b.ride()
	case "Run":
		b.run()
	case "Swim":
		b.swim()
	default:
		b.gym()
	}
	b.dropouts()
	t.moving = b.moved
}

// heart gives lactate threshold and maximum heart rate for a sport.
func (p *demoPerson) heart(sport string) (lthr, maxHR float64) {
	s := p.heartSport(sport)
	return s.lthr, s.maxHR
}

// heartSport is the sport whose heart rates count for an activity type: its
// own, else those of running or riding.
func (p *demoPerson) heartSport(sport string) *demoSport {
	for _, s := range []*demoSport{p.sport(sport), p.run, p.ride} {
		if s != nil {
			return s
		}
	}
	return nil
}

// steps calls do for each step of the workout in order, repeats unrolled and
// cut to what the athlete did of it, and notes the laps.
func (b *demoBody) steps(do func(demoStep)) {
	w := b.s.workout()
	budget := w.seconds(max(0.1, b.s.threshold())) * b.s.share
	if b.s.share == 1 {
		budget = math.Inf(1)
	}
	for _, block := range w.blocks {
		for rep := range max(1, block.reps) {
			for _, step := range block.steps {
				if b.moved >= budget {
					return
				}
				if !step.work && !step.rest {
					step.secs = math.Round(step.secs * b.s.stretch)
				}
				if left := budget - b.moved; step.secs > 0 && b.s.share < 1 {
					step.secs = min(step.secs, math.Ceil(left))
				}
				start := len(b.t.time.v)
				do(step)
				end := len(b.t.time.v)
				if end-start < 2 {
					continue
				}
				b.t.laps = append(b.t.laps, demoLap{start, end, step.work, lapLabel(block, step, rep)})
			}
		}
	}
}

func lapLabel(b demoBlock, s demoStep, rep int) string {
	label := s.label
	if label == "" {
		label = b.header
	}
	if b.reps > 1 && s.work {
		label += " " + strconv.Itoa(rep+1)
	}
	return label
}

// tick advances the clock by one sample and takes a due pause.
func (b *demoBody) tick() {
	if len(b.pauses) > 0 && b.moved >= b.pauses[0].at {
		b.now += b.pauses[0].secs
		b.speed = 0
		b.hr += (b.s.c.p.restHR + 30 - b.hr) * (1 - math.Exp(-b.pauses[0].secs/120))
		b.t.stops = append(b.t.stops, float64(len(b.t.time.v)))
		b.pauses = b.pauses[1:]
	}
	b.t.time.add(b.now)
	b.now += b.dt
	b.moved += b.dt
}

// heartbeat lets the heart follow an effort (1 is threshold) with a delay and
// a drift over the hours.
func (b *demoBody) heartbeat(effort, floor float64) {
	if effort > 1 { // the heart has less to give than the legs
		effort = 1 + 0.55*(min(effort, 1.22)-1)
	}
	goal := b.lthr * (floor + (1-floor)*effort) * b.day * (1 + 0.022*min(3.5, b.moved/3600))
	lag := 28.0
	if goal < b.hr {
		lag = 45
	}
	b.hr += (goal - b.hr) * min(1, b.dt/lag)
	b.hr = demoClamp(b.hr, b.s.c.p.restHR+15, b.maxHR-1)
	b.t.hr.add(nearest(1, b.hr))
}

// wander is slow noise around 0 with about the given spread.
func (b *demoBody) wander(spread float64) float64 {
	b.flex += -0.12*b.flex + 0.46*spread*b.rng.NormFloat64()
	return b.flex
}

// place writes the samples that depend on where the athlete is.
func (b *demoBody) place(grade float64) {
	alt, _, lat, lng := b.s.route().at(b.dist)
	b.t.alt.add(math.Floor(alt*5+0.5) / 5)
	b.t.grade.add(nearest(10, grade*100))
	if len(b.t.lat.v) < 3 { // no fix yet
		lat, lng = math.NaN(), math.NaN()
	}
	b.t.lat.add(nearest(1e6, lat))
	b.t.lng.add(nearest(1e6, lng))
}

func (b *demoBody) run() {
	b.plan()
	b.t.outdoor = true
	threshold := b.s.threshold()
	route := b.s.route()
	b.steps(func(step demoStep) {
		from := b.dist
		for passed := 0.0; ; passed += b.dt {
			if step.metres > 0 && b.dist-from >= step.metres || step.metres == 0 && passed >= step.secs {
				break
			}
			b.tick()
			effort := demoEffort(step, passed) * b.s.effort
			_, grade, _, _ := route.at(b.dist)
			goal := threshold * effort * (1 - 2.4*grade) * (1 + b.wander(0.022))
			b.speed += (goal - b.speed) * min(1, b.dt/4)
			b.dist += b.speed * b.dt
			b.heartbeat(effort*(1+0.35*grade)*b.speed/max(0.5, goal), 0.40)
			b.t.cadence.add(nearest(1, demoClamp(73.5+3.8*b.speed+0.8*b.rng.NormFloat64(), 60, 105)))
			b.t.dist.add(nearest(10, b.dist))
			b.t.vel.add(nearest(1000, b.speed))
			b.place(grade)
			b.t.temp.add(nearest(1, b.warm+5*math.Exp(-b.moved/900)))
		}
	})
}

// poolLength is the demo athletes' pool, m.
const poolLength = 25.0

func (b *demoBody) swim() {
	b.dt = max(2, b.dt)
	threshold := b.s.threshold()
	b.steps(func(step demoStep) {
		if step.rest {
			b.swimSamples(step.secs, math.Inf(1), 0, 0.35)
			return
		}
		for swum := 0.0; swum < step.metres; swum += poolLength {
			effort := step.lo + (step.hi-step.lo)*b.rng.Float64()
			speed := threshold * b.s.effort * effort * (1 + 0.018*b.rng.NormFloat64())
			b.swimSamples(math.Inf(1), b.dist+poolLength, speed, effort)
			b.t.lengths++
		}
	})
}

// swimSamples records until secs have passed or the wall is reached.
func (b *demoBody) swimSamples(secs, wall, speed, effort float64) {
	strokes := 0.0
	if speed > 0 {
		strokes = nearest(1, demoClamp(24+6*effort+b.rng.NormFloat64(), 15, 45))
	}
	for passed := 0.0; passed < secs; passed += b.dt {
		b.tick()
		b.dist = min(wall, b.dist+speed*b.dt)
		b.heartbeat(effort, 0.42)
		b.t.cadence.add(strokes)
		b.t.dist.add(nearest(10, b.dist))
		b.t.vel.add(nearest(1000, speed))
		if b.dist >= wall {
			return
		}
	}
}

// gym records heart rate only: a wave for each set.
func (b *demoBody) gym() {
	b.dt = 5
	set := 140 + 40*b.rng.Float64()
	for b.moved < b.s.minutes*60*b.s.share*b.s.stretch {
		b.tick()
		b.heartbeat(0.30+0.30*math.Pow(math.Sin(b.moved/set*math.Pi), 2), 0.38)
	}
	b.t.laps = append(b.t.laps, demoLap{0, len(b.t.time.v), true, ""})
}

// plan sets the day's pauses: lights now and then, and a café on long rides.
func (b *demoBody) plan() {
	long := b.s.minutes * 60 * b.s.share
	if b.s.race != nil {
		return
	}
	at := 0.0
	for {
		at += 900 + 2400*b.rng.Float64()
		if at > long*0.9 {
			return
		}
		secs := 20 + 50*b.rng.Float64()
		if long > 7200 && at > long*0.45 && at < long*0.45+2400 {
			secs = 420 + 600*b.rng.Float64()
		}
		b.pauses = append(b.pauses, demoPause{at, math.Round(secs)})
	}
}

// dropouts takes heart rate away for a while on some days, and power for a
// few seconds: a dry strap, a lost signal.
func (b *demoBody) dropouts() {
	n := len(b.t.time.v)
	if n < 200 {
		return
	}
	if b.rng.IntN(6) == 0 {
		from := b.rng.IntN(n - 100)
		b.t.hr.null(from, from+10+b.rng.IntN(80))
	}
	if b.s.sport == "Ride" && b.rng.IntN(5) == 0 {
		from := b.rng.IntN(n - 100)
		b.t.watts.null(from, from+2+b.rng.IntN(6))
		b.t.cadence.null(from, from+2)
	}
}

func demoEffort(s demoStep, passed float64) float64 {
	if s.secs <= 0 {
		return (s.lo + s.hi) / 2
	}
	if s.ramp {
		return s.lo + (s.hi-s.lo)*passed/s.secs
	}
	return (s.lo + s.hi) / 2
}

func demoClamp(x, low, high float64) float64 { return max(low, min(high, x)) }
