package fake

import (
	"math"
	"strconv"
)

// summarise computes what the platform derives from an activity's streams, in
// the keys and units of an Activity (API.md 2.3). Keys it cannot compute are
// absent. API.md gives no formula for several of them [U]; ours are:
//
//   - moving: velocity, watts or cadence above 0, or the moving stream; a
//     pause (a gap in time) is elapsed but neither recorded nor moving.
//   - power_load = (NP/FTP)^2 * hours * 100, NP over the moving seconds and
//     rounded, as icu_intensity has it.
//   - trimp is Banister's, hr_load its share of an hour at LTHR (HRSS).
//   - pace_load = (speed/threshold)^2 * hours * 100, cubed for swims.
//   - icu_training_load is the first there is of power, pace, heart rate for
//     foot sports, swims and rowing; of power, heart rate, pace for the rest.
func summarise(sport string, streams []Stream, t thresholds) Object {
	r := newRecording(sport, streams)
	out := Object{}
	if r.n == 0 {
		return out
	}
	out["stream_types"] = r.types
	out["icu_median_time_delta"] = r.usual
	out["recording_stops"] = r.stops()
	out["elapsed_time"] = math.Round(r.elapsed(0, r.n))
	out["icu_recording_time"] = math.Round(r.recorded(0, r.n))
	out["moving_time"] = math.Round(r.movingSecs(0, r.n))

	r.summariseMotion(out)
	r.summarisePower(out, t)
	r.summariseHeart(out, t)
	r.summarisePace(out, t)
	r.summariseRatios(out)
	r.chooseLoad(out)
	return out
}

// summariseMotion writes distance, speeds, climb, cadence, temperature.
func (r *recording) summariseMotion(out Object) {
	moving := r.movingSecs(0, r.n)
	if d, ok := r.covered(0, r.n); ok {
		out["distance"], out["icu_distance"] = round2(d), round2(d)
		if moving > 0 {
			out["average_speed"] = round3(d / moving)
			out["pace"] = float32Like(d / moving)
		}
	}
	if v := r.stats(r.velocity, 0, r.n); v.secs > 0 {
		out["max_speed"] = round3(v.max)
	}
	if a := r.stats(r.altitude, 0, r.n); a.secs > 0 {
		out["average_altitude"] = float32Like(a.mean())
		out["min_altitude"], out["max_altitude"] = float32Like(a.min), float32Like(a.max)
		gain, loss := climb(r.altitude, 0, r.n)
		out["total_elevation_gain"], out["total_elevation_loss"] = round1(gain), round1(loss)
	}
	if c := r.positive(r.cadence, 0, r.n); c.secs > 0 {
		out["average_cadence"] = float32Like(c.mean())
		r.stride(out, c.mean(), moving)
	}
	if c := r.stats(r.temp, 0, r.n); c.secs > 0 {
		out["average_temp"] = round1(c.mean())
		out["min_temp"], out["max_temp"] = math.Round(c.min), math.Round(c.max)
	}
	if b := r.positive(r.balance, 0, r.n); b.secs > 0 {
		out["avg_lr_balance"] = round1(b.mean())
	}
}

// stride writes average_stride (m) of foot sports, whose cadence counts one leg.
func (r *recording) stride(out Object, cadence, moving float64) {
	d, ok := r.covered(0, r.n)
	if ok && moving > 0 && onFoot(r.sport) {
		out["average_stride"] = float32Like(d / (cadence * 2 / 60 * moving))
	}
}

// summarisePower writes what comes from watts.
func (r *recording) summarisePower(out Object, t thresholds) {
	if r.watts == nil {
		return
	}
	moving := r.movingSecs(0, r.n)
	joules, above := r.work(0, r.n, t.FTP)
	np := r.normalized(0, r.n)
	if moving <= 0 {
		return
	}
	average, weighted := math.Round(joules/moving), math.Round(np)
	out["device_watts"] = true
	out["icu_joules"] = math.Round(joules)
	out["icu_average_watts"], out["icu_weighted_avg_watts"] = average, weighted
	if average > 0 {
		out["icu_variability_index"] = float32Like(weighted / average)
	}
	coasting := 0.0
	for i, w := range r.watts {
		if w != nil && *w == 0 && r.moving[i] {
			coasting += r.secs[i]
		}
	}
	out["coasting_time"] = math.Round(coasting)
	if t.FTP <= 0 {
		return
	}
	out["icu_ftp"] = t.FTP
	out["icu_joules_above_ftp"] = math.Round(above)
	out["icu_intensity"] = float32Like(100 * weighted / t.FTP)
	out["power_load"] = math.Round(powerLoad(weighted, t.FTP, moving))
	if zones := t.powerZoneSecs(r.secs, r.watts); zones != nil {
		out["icu_zone_times"] = objectList(zones)
		if index, ok := polarization(zones); ok {
			out["polarization_index"] = round2(index)
		}
	}
}

// powerLoad is (NP/FTP)^2 * hours * 100 (API.md 3.5).
func powerLoad(np, ftp, secs float64) float64 {
	return np / ftp * np / ftp * secs / 36
}

// polarization is Treff's index log10(low / middle * high * 100) of the time
// in Z1-Z2, Z3-Z4 and above; false when one of them is empty.
func polarization(zones []Object) (float64, bool) {
	var parts [3]float64
	for i, z := range zones {
		if z["id"] != "SS" {
			parts[min(i/2, 2)] += z["secs"].(float64)
		}
	}
	total := parts[0] + parts[1] + parts[2]
	if parts[0] == 0 || parts[1] == 0 || parts[2] == 0 {
		return 0, false
	}
	return math.Log10(parts[0] / parts[1] * parts[2] / total * 100), true
}

// summariseHeart writes what comes from heart rate.
func (r *recording) summariseHeart(out Object, t thresholds) {
	heart := r.positive(r.heart, 0, r.n)
	out["has_heartrate"] = heart.secs > 0
	if heart.secs == 0 {
		return
	}
	out["average_heartrate"], out["max_heartrate"] = math.Round(heart.mean()), math.Round(heart.max)
	if zones := zoneSecs(r.secs, r.heart, t.HRZones, 1); zones != nil {
		out["icu_hr_zone_times"] = numberList(zones)
	}
	if !t.canTrimp() {
		return
	}
	trimp := t.trimp(r.heart, r.secs)
	out["trimp"] = float32Like(trimp)
	if t.LTHR > 0 {
		out["hr_load"] = math.Round(t.hrss(trimp))
		out["hr_load_type"] = "HRSS"
	}
}

func (t thresholds) restingHR() float64 {
	if t.RestingHR > 0 {
		return t.RestingHR
	}
	return 50
}

// maxHR is the maximum, or what LTHR suggests without it.
func (t thresholds) maxHR() float64 {
	if t.MaxHR > 0 {
		return t.MaxHR
	}
	return t.LTHR / 0.9
}

func (t thresholds) canTrimp() bool { return t.maxHR() > t.restingHR() }

// trimpPerMinute is Banister's: x * 0.64 * e^(1.92 x), x the share of the
// heart-rate reserve.
func (t thresholds) trimpPerMinute(bpm float64) float64 {
	x := math.Max(0, (bpm-t.restingHR())/(t.maxHR()-t.restingHR()))
	return x * 0.64 * math.Exp(1.92*x)
}

// trimp adds up heart rates that held for secs.
func (t thresholds) trimp(heart []*float64, secs []float64) float64 {
	var perMinute [256]float64 // of whole beats, as recorded
	total := 0.0
	for i, hr := range heart {
		if hr == nil || *hr <= 0 {
			continue
		}
		beats := int(min(*hr, 255))
		if float64(beats) != *hr {
			total += t.trimpPerMinute(*hr) * secs[i] / 60
			continue
		}
		if perMinute[beats] == 0 {
			perMinute[beats] = t.trimpPerMinute(*hr)
		}
		total += perMinute[beats] * secs[i] / 60
	}
	return total
}

// hrss scales TRIMP so that an hour at LTHR is 100.
func (t thresholds) hrss(trimp float64) float64 {
	if hour := 60 * t.trimpPerMinute(t.LTHR); hour > 0 {
		return 100 * trimp / hour
	}
	return 0
}

// summarisePace writes pace zones and pace load of sports that have them.
func (r *recording) summarisePace(out Object, t thresholds) {
	if t.ThresholdPace <= 0 {
		return
	}
	out["threshold_pace"] = t.ThresholdPace
	if zones := t.paceZoneSecs(r.secs, r.velocity); zones != nil {
		out["pace_zone_times"] = numberList(zones)
	}
	d, ok := r.covered(0, r.n)
	moving := r.movingSecs(0, r.n)
	if !ok || d <= 0 || moving <= 0 {
		return
	}
	out["pace_load"] = math.Round(paceLoad(r.sport, d/moving, t.ThresholdPace, moving))
	out["pace_load_type"] = "RUN"
	if sportFamily(r.sport) == "swim" {
		out["pace_load_type"] = "SWIM"
	}
}

// paceLoad is (speed/threshold)^2 * hours * 100, cubed for swims: water
// resists more. Ours; the platform's formula is not known [U].
func paceLoad(sport string, speed, threshold, secs float64) float64 {
	share := speed / threshold
	if sportFamily(sport) == "swim" {
		return share * share * share * secs / 36
	}
	return share * share * secs / 36
}

// summariseRatios writes output against heart rate. They use the rounded
// values, as the platform does (API.md 2.3).
func (r *recording) summariseRatios(out Object) {
	hr, ok := out["average_heartrate"].(float64)
	if !ok {
		return
	}
	if np, ok := out["icu_weighted_avg_watts"].(float64); ok {
		out["icu_efficiency_factor"] = float32Like(np / hr)
		out["icu_power_hr"] = float32Like(out["icu_average_watts"].(float64) / hr)
	}
	if d, ok := r.decoupling(0, r.n); ok {
		out["decoupling"] = float32Like(d)
	}
}

// chooseLoad writes icu_training_load, and icu_intensity where there is no
// power: 100 * sqrt(load * 36 / recording time) (API.md 3.5).
func (r *recording) chooseLoad(out Object) {
	order := []string{"power_load", "hr_load", "pace_load"}
	switch sportFamily(r.sport) {
	case "run", "walk", "swim", "row":
		order = []string{"power_load", "pace_load", "hr_load"}
	}
	for _, key := range order {
		load, ok := out[key].(float64)
		if !ok {
			continue
		}
		out["icu_training_load"] = load
		if secs := out["icu_recording_time"].(float64); key != "power_load" && secs > 0 {
			out["icu_intensity"] = float32Like(100 * math.Sqrt(load*36/secs))
		}
		return
	}
}

// sportFamily groups the platform's sport types by how they are measured.
func sportFamily(sport string) string {
	switch sport {
	case "Run", "VirtualRun", "TrailRun":
		return "run"
	case "Walk", "Hike", "Snowshoe":
		return "walk"
	case "Swim", "OpenWaterSwim":
		return "swim"
	case "Rowing", "VirtualRow", "Kayaking", "Canoeing":
		return "row"
	case "Ride", "VirtualRide", "EBikeRide", "EMountainBikeRide", "GravelRide", "TrackRide",
		"MountainBikeRide", "Cyclocross", "Handcycle", "Velomobile":
		return "ride"
	}
	return "other"
}

// onFoot says whether cadence counts one leg.
func onFoot(sport string) bool {
	family := sportFamily(sport)
	return family == "run" || family == "walk"
}

// float32Like rounds as the platform prints: the shortest decimals of the
// nearest 32-bit float (API.md 6, trap 12).
func float32Like(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	if err != nil {
		return v
	}
	return short
}

func round1(v float64) float64 { return math.Round(v*10) / 10 }
func round2(v float64) float64 { return math.Round(v*100) / 100 }
func round3(v float64) float64 { return math.Round(v*1000) / 1000 }

// numberList and objectList give lists the form that decoded JSON has.
func numberList(values []float64) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

func objectList(values []Object) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}
