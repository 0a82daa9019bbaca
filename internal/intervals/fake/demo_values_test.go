package fake

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDemoHoldsNothingAbsurd(t *testing.T) {
	type bounds struct {
		sports, key string
		low, high   float64
	}
	table := []bounds{
		{"Ride VirtualRide", "moving_time", 900, 5 * 3600},
		{"Ride VirtualRide", "icu_average_watts", 70, 240},
		{"Ride VirtualRide", "icu_intensity", 40, 100},
		{"Ride VirtualRide", "average_speed", 5, 11},
		{"Ride VirtualRide", "max_speed", 7, 18.1},
		{"Ride VirtualRide", "average_cadence", 70, 98},
		{"Ride VirtualRide", "icu_variability_index", 1, 1.35},
		{"Run", "average_speed", 1.8, 4.2},
		{"Run", "average_cadence", 75, 93},
		{"Run", "moving_time", 500, 4 * 3600},
		{"Run", "total_elevation_gain", 0, 700},
		{"Ride", "total_elevation_gain", 0, 1500},
		{"Swim", "average_speed", 0.6, 1.25},
		{"Swim", "distance", 400, 5000},
		{"Swim", "lengths", 16, 200},
		{"WeightTraining", "icu_training_load", 5, 60},
		{"Ride VirtualRide Run Swim WeightTraining", "average_heartrate", 90, 183},
		{"Ride VirtualRide Run Swim", "max_heartrate", 110, 191},
		{"Ride VirtualRide Run Swim", "icu_training_load", 5, 330},
		{"Ride VirtualRide Run Swim WeightTraining Yoga Hike", "calories", 50, 4500},
		{"Ride Run", "average_temp", -12, 38},
		{"Ride VirtualRide Run Swim WeightTraining Yoga Hike", "icu_weight", 57, 85},
	}
	for _, a := range demoOnce().Athletes {
		for _, o := range a.Activities {
			for _, b := range table {
				if !slices.Contains(strings.Fields(b.sports), text(o, "type")) {
					continue
				}
				v, ok := number(o, b.key)
				if !ok || v < b.low || v > b.high {
					t.Errorf("%v %v of %v: %s = %v, want %v to %v", o["type"], o["id"], o["start_date_local"], b.key, o[b.key], b.low, b.high)
				}
			}
			for _, scale := range []struct {
				key  string
				most float64
			}{{"icu_rpe", 10}, {"feel", 5}} {
				if v, ok := number(o, scale.key); ok && (v < 1 || v > scale.most || v != math.Round(v)) {
					t.Errorf("%v: %s = %v", o["id"], scale.key, v)
				}
			}
		}
		for _, o := range a.Wellness {
			for key, b := range map[string][2]float64{"weight": {56, 86}, "restingHR": {38, 72}, "hrv": {18, 120}, "sleepSecs": {4 * 3600, 10 * 3600}, "sleepScore": {20, 100}, "steps": {0, 40000}, "WhoopStrain": {0, 21}} {
				if v, ok := number(o, key); ok && (v < b[0] || v > b[1]) {
					t.Errorf("wellness of %v: %s = %v", o["id"], key, v)
				}
			}
			for _, key := range []string{"sleepQuality", "soreness", "fatigue", "stress", "mood", "motivation", "injury", "hydration"} {
				if v, ok := number(o, key); ok && (v < 1 || v > 4 || v != math.Round(v)) {
					t.Errorf("wellness of %v: %s = %v", o["id"], key, v)
				}
			}
			for _, key := range []string{"ctl", "atl", "rampRate", "ctlLoad"} {
				if o[key] != nil {
					t.Errorf("wellness of %v has %s, which the platform computes", o["id"], key)
				}
			}
		}
	}
}

func TestDemoAthleteTrainsLikeSomebody(t *testing.T) {
	a := demoOnce().Athletes[0]
	loads := map[day]float64{}
	hours := map[day]float64{}
	for _, o := range a.Activities {
		d, _ := dateDay(text(o, "start_date_local"))
		loads[d] += numberOr0(o, "icu_training_load")
		hours[d.monday()] += numberOr0(o, "moving_time") / 3600
	}
	today := dayIn(demoNow, time.UTC)
	fit := fitnessDay{CTL: 58, ATL: 58}
	for d := today - 730; d <= today; d++ {
		fit = nextDay(fit, loads[d], loads[d], 42, 7)
		if d > today-180 && (fit.CTL < 52 || fit.CTL > 78) {
			t.Errorf("fitness on %s is %.1f", d, fit.CTL)
		}
	}
	lastWeek := today.monday() - 7
	load := 0.0
	for d := lastWeek; d < lastWeek+7; d++ {
		load += loads[d]
	}
	if load < 300 || load > 680 || hours[lastWeek] < 6 || hours[lastWeek] > 13 {
		t.Errorf("last week: load %.0f in %.1f h", load, hours[lastWeek])
	}
	first, last := 0.0, 0.0
	for _, o := range a.Activities {
		if o["type"] == "Ride" {
			if first == 0 {
				first = numberOr0(o, "icu_ftp")
			}
			last = numberOr0(o, "icu_ftp")
		}
	}
	if first < 238 || first > 250 || last != 270 {
		t.Errorf("FTP went from %v to %v", first, last)
	}
}

// TestDemoRecordMatchesTheSummary compares what the list says of an activity
// with the streams that Record gives of it.
func TestDemoRecordMatchesTheSummary(t *testing.T) {
	for _, a := range demoOnce().Athletes {
		done := map[string]int{}
		for _, o := range slices.Backward(a.Activities) {
			sport, id := text(o, "type"), text(o, "id")
			if done[sport]++; done[sport] > 3 {
				continue
			}
			streams, intervals := a.Record(id)
			if text(o, "source") == "MANUAL" {
				if streams != nil {
					t.Errorf("%s was entered by hand and has streams", id)
				}
				continue
			}
			th := thresholds{
				FTP: numberOr0(o, "icu_ftp"), LTHR: numberOr0(o, "lthr"), MaxHR: numberOr0(o, "athlete_max_hr"), RestingHR: numberOr0(o, "icu_resting_hr"),
				ThresholdPace: numberOr0(o, "threshold_pace"), PowerZones: numbers(o["icu_power_zones"]), HRZones: numbers(o["icu_hr_zones"]), PaceZones: numbers(o["pace_zones"]),
				SweetSpotMin: 84, SweetSpotMax: 97,
			}
			for key, want := range summarise(sport, streams, th) {
				if fingerprint(t, o[key]) != fingerprint(t, want) {
					t.Errorf("%s %s: %s is %v, from the streams %v", sport, id, key, o[key], want)
				}
			}
			checkStreams(t, id, streams)
			checkIntervals(t, id, len(streams[0].Data), intervals)
		}
	}
	if s, i := demoOnce().Athletes[0].Record("i1"); s != nil || i != nil {
		t.Error("Record knows an activity that is not there")
	}
}

func checkStreams(t *testing.T, id string, streams []Stream) {
	t.Helper()
	for _, s := range streams {
		if len(s.Data) != len(streams[0].Data) || s.Data2 != nil && len(s.Data2) != len(s.Data) {
			t.Errorf("%s: stream %s has another length", id, s.Type)
		}
	}
	last := -1.0
	for _, at := range streams[0].Data {
		if at == nil || *at <= last || *at != math.Round(*at) {
			t.Fatalf("%s: time does not run", id)
		}
		last = *at
	}
}

func checkIntervals(t *testing.T, id string, samples int, o Object) {
	t.Helper()
	list := objects(o["icu_intervals"])
	if len(list) == 0 {
		t.Errorf("%s has no interval", id)
	}
	end := 0.0
	for _, i := range list {
		from, to := numberOr0(i, "start_index"), numberOr0(i, "end_index")
		if from < end || to <= from || to > float64(samples) {
			t.Errorf("%s: interval %v from %v to %v of %d", id, i["id"], from, to, samples)
		}
		if i["type"] != "WORK" && i["type"] != "RECOVERY" {
			t.Errorf("%s: interval type %v", id, i["type"])
		}
		end = to
	}
	if o["icu_groups"] == nil {
		t.Errorf("%s: icu_groups is missing", id)
	}
}
