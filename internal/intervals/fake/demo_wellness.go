package fake

import "math"

// wellness is the daily diary: scales in the morning, a watch at night. What
// the platform computes is left to it. loads holds the training of each day;
// tiredness shows in the numbers.
func (c *demoCalendar) wellness(loads map[int]float64) []Object {
	p := c.p
	var out []Object
	fit := fitnessDay{CTL: p.fitness, ATL: p.fitness}
	last := p.weight
	for day := c.first; day <= c.today; day++ {
		rng := p.rng(day, 201)
		slow := p.rng(day/6, 202).NormFloat64()
		strain := (fit.ATL - fit.CTL) / 40 // about -1 fresh to 1 tired
		fit = nextDay(fit, loads[day], loads[day], 42, 7)
		ill := 0.0
		if period := c.period(day); period != nil && period.category == "SICK" {
			ill = 1
		}
		gone := rng.IntN(100)
		if gone < 5 { // forgot the watch and the diary
			continue
		}
		o := Object{"id": dayText(day), "updated": dayText(day) + "T06:41:03.818+00:00", "locked": false, "tempWeight": false, "tempRestingHR": false}
		out = append(out, o)

		if (day+3)%7 == 0 || len(out) == 1 {
			o["sportInfo"] = c.sportInfo(day)
		}
		rest := p.restHR + 1.6*strain + 7*ill + 0.8*slow + 0.9*rng.NormFloat64()
		hrv := p.hrv * (1 - 0.10*strain - 0.22*ill - 0.05*slow + 0.06*rng.NormFloat64())
		sleep := 7.4 + 0.35*slow - 0.2*strain + 0.6*rng.NormFloat64() + 0.8*ill
		if wd := (day + 3) % 7; wd >= 5 {
			sleep += 0.5
		}
		sleep = demoClamp(sleep, 4.6, 9.8)
		o["restingHR"] = nearest(1, rest)
		if gone > 8 {
			o["sleepSecs"] = nearest(1, sleep*60) * 60
			o["sleepScore"] = nearest(1, demoClamp(58+14*(sleep-6.2)+4*rng.NormFloat64()-8*ill, 25, 98))
			o["avgSleepingHR"] = nearest(2, rest+3.4)
			o["respiration"] = nearest(10, 13.6+1.4*ill+0.3*rng.NormFloat64())
		}
		if gone >= 13 {
			o["hrv"] = nearest(10, demoClamp(hrv, 18, 140))
		}
		if rng.IntN(10) < 4 {
			last = nearest(10, c.weight(day)+0.35*demoClamp(rng.NormFloat64(), -2, 2))
			o["weight"] = last
			if p.n != 2 {
				o["bodyFat"] = nearest(10, 14.5+0.35*(c.weight(day)-p.weight))
			}
		} else if rng.IntN(3) == 0 {
			o["weight"], o["tempWeight"] = last, true
		}
		if gone < 10 {
			o["tempRestingHR"] = true
		}
		if ill > 0 {
			o["steps"] = nearest(1, 1800+900*rng.Float64())
		} else {
			o["steps"] = nearest(1, max(2500, p.steps+loads[day]*38+1900*rng.NormFloat64()))
		}
		c.scales(o, day, strain, ill, sleep)
		c.fields(o, day, loads[day], ill)
	}
	return out
}

// sportInfo is the platform's estimate of each sport on a day. It is entered
// once a week, as it comes from a model that the fake does not have.
func (c *demoCalendar) sportInfo(day int) []any {
	var out []any
	if s := c.p.ride; s != nil {
		ftp := s.threshold - s.step*float64(c.step(day)) - 1 - 2.5*c.p.rng(weekOf(day), 205).Float64()
		out = append(out, Object{"type": "Ride", "eftp": nearest(1000, ftp), "wPrime": nearest(10, ftp*64.5), "pMax": nearest(10, ftp*3.31)})
	}
	if c.p.run != nil {
		out = append(out, Object{"type": "Run", "eftp": nil, "wPrime": nil, "pMax": nil})
	}
	return out
}

// scales are the 1-4 answers, 1 the best (API.md 5); on most days.
func (c *demoCalendar) scales(o Object, day int, strain, ill, sleep float64) {
	rng := c.p.rng(day, 203)
	answer := func(middle float64) float64 {
		return demoClamp(math.Round(middle+0.5*rng.NormFloat64()), 1, 4)
	}
	if rng.IntN(100) < 12 {
		return
	}
	o["sleepQuality"] = answer(2.2 - 0.55*(sleep-7.3) + 0.7*ill)
	o["soreness"] = answer(1.7 + 0.8*strain)
	o["fatigue"] = answer(1.8 + 0.7*strain + 1.6*ill)
	o["stress"] = answer(1.8 + 0.3*ill)
	o["mood"] = answer(1.9 + 0.4*strain + ill)
	o["motivation"] = answer(1.9 + 0.4*strain + ill)
	if rng.IntN(3) > 0 {
		o["injury"] = 1.0
		if strain > 0.45 && rng.IntN(4) == 0 {
			o["injury"] = 2.0
		}
		o["hydration"] = answer(1.7)
	}
}

// fields are the rarer ones: comments, custom fields, a lab now and then.
func (c *demoCalendar) fields(o Object, day int, load, ill float64) {
	rng := c.p.rng(day, 204)
	if c.p.n == 1 {
		if rng.IntN(100) < 72 {
			o["WhoopStrain"] = nearest(10, demoClamp(6+load*0.075+1.2*rng.NormFloat64(), 2, 20.8))
		}
		if weekday := (day + 3) % 7; weekday >= 5 && rng.IntN(3) == 0 {
			o["AlcoholUnits"] = float64(1 + rng.IntN(3))
		}
		if rng.IntN(100) < 40 {
			kcal := nearest(0.1, 2250+load*7.5+180*rng.NormFloat64())
			o["kcalConsumed"], o["carbohydrates"], o["protein"], o["fatTotal"] = kcal, nearest(1, kcal*0.52/4), nearest(1, kcal*0.20/4), nearest(1, kcal*0.28/9)
		}
		if (day+3)%28 == 2 {
			o["vo2max"], o["systolic"], o["diastolic"] = 54+nearest(1, float64(day-c.first)/250), 117+float64(rng.IntN(7)), 72+float64(rng.IntN(6))
		}
		o["readiness"] = nearest(1, demoClamp(74-12*ill+8*rng.NormFloat64(), 20, 99))
		if rng.IntN(4) == 0 {
			o["spO2"] = 95 + float64(rng.IntN(4))
			o["hydrationVolume"] = nearest(10, 2.1+0.4*rng.Float64())
		}
	}
	if c.p.n == 2 {
		cycle := (day + 11) % 29
		phase := "LUTEAL"
		switch {
		case cycle < 5:
			phase = "PERIOD"
		case cycle < 13:
			phase = "FOLLICULAR"
		case cycle < 16:
			phase = "OVULATING"
		}
		o["menstrualPhase"] = phase
	}
	comments := [...]string{"Legs heavy on the stairs.", "Late dinner, short night.", "Woke before the alarm, good.", "Busy at work, skipped the nap.", "Left knee fine again.", "Long drive, back stiff."}
	switch roll := rng.IntN(100); {
	case ill > 0 && roll < 70:
		o["comments"] = [...]string{"Fever, in bed.", "Throat still sore.", "Bit better, no training."}[rng.IntN(3)]
	case roll < 9:
		o["comments"] = comments[rng.IntN(len(comments))]
	}
}
