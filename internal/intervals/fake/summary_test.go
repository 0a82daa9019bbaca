package fake

import (
	"math"
	"reflect"
	"testing"
)

// track1Hz is a recording of steady stretches, one sample a second; a stretch
// without samples is a pause.
type stretch struct {
	secs                       int
	pause                      bool
	watts, hr, speed, cadence  float64
	climb, temperature, torque float64 // climb in m per second
}

func record(stretches ...stretch) []Stream {
	columns := map[string][]*float64{}
	types := []string{"time", "watts", "heartrate", "velocity_smooth", "cadence", "distance", "altitude", "temp", "torque"}
	at, gone, height := 0.0, 0.0, 100.0
	for _, s := range stretches {
		for range s.secs {
			if !s.pause {
				gone += s.speed
				height += s.climb
				for i, v := range []float64{at, s.watts, s.hr, s.speed, s.cadence, gone, height, s.temperature, s.torque} {
					columns[types[i]] = append(columns[types[i]], &v)
				}
			}
			at++
		}
	}
	var out []Stream
	for _, name := range types {
		out = append(out, Stream{Type: name, Data: columns[name]})
	}
	return out
}

func without(streams []Stream, types ...string) []Stream {
	var out []Stream
	for _, s := range streams {
		keep := true
		for _, name := range types {
			keep = keep && s.Type != name
		}
		if keep {
			out = append(out, s)
		}
	}
	return out
}

func checkKeys(t *testing.T, got, want Object) {
	t.Helper()
	for key, w := range want {
		g, ok := got[key]
		if w == absent {
			if ok {
				t.Errorf("%s: got %v, want none", key, g)
			}
			continue
		}
		if f, isNumber := w.(float64); isNumber {
			if v, ok := g.(float64); ok && near(v, f, 1e-4*math.Max(1, math.Abs(f))) {
				continue
			}
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("%s: got %v, want %v", key, g, w)
		}
	}
}

// absent stands for a key that must not be there.
const absent = "absent"

func TestAnHourAtFTPIsSummedUp(t *testing.T) {
	ride := record(
		stretch{secs: 1800, watts: 280, hr: 170, speed: 10, cadence: 90, climb: 0.1, temperature: 20},
		stretch{secs: 600, pause: true},
		stretch{secs: 300, hr: 120}, // standing
		stretch{secs: 1800, watts: 280, hr: 170, speed: 10, cadence: 90, climb: -0.1, temperature: 22},
	)
	checkKeys(t, summarise("Ride", ride, rider(280)), Object{
		"elapsed_time": 4500.0, "icu_recording_time": 3900.0, "moving_time": 3600.0,
		"distance": 36000.0, "average_speed": 10.0, "max_speed": 10.0, "pace": 10.0,
		"icu_average_watts": 280.0, "icu_weighted_avg_watts": 280.0, "icu_joules": 1008000.0, "icu_joules_above_ftp": 0.0,
		"icu_intensity": 100.0, "power_load": 100.0, "icu_training_load": 100.0, "icu_variability_index": 1.0,
		"average_cadence": 90.0, "max_heartrate": 170.0, "average_heartrate": math.Round((3600*170 + 300*120) / 3900.0),
		"total_elevation_gain": 179.9, "total_elevation_loss": 180.0, "min_altitude": 100.0, "max_altitude": 280.0,
		"average_temp": 19.4, "min_temp": 0.0, "max_temp": 22.0,
		"decoupling": 0.0, "recording_stops": []any{1799.0}, "has_heartrate": true, "device_watts": true,
		"coasting_time": 0.0, "average_stride": absent, "pace_load": absent, "icu_hr_zone_times": []any{300.0, 0.0, 0.0, 0.0, 3600.0, 0.0, 0.0},
	})
}

func TestARunIsRatedByPaceAndCountsOneLeg(t *testing.T) {
	run := without(record(stretch{secs: 3600, hr: 174, speed: 3.3898, cadence: 90}), "watts")
	checkKeys(t, summarise("Run", run, runner()), Object{
		"pace_load": 100.0, "pace_load_type": "RUN", "hr_load": 100.0, "hr_load_type": "HRSS", "icu_training_load": 100.0,
		"icu_intensity": 100.0, "average_cadence": 90.0, "average_stride": 3.3898 / 3, "icu_average_watts": absent,
		"power_load": absent, "icu_joules": absent, "icu_zone_times": absent, "icu_efficiency_factor": absent,
		"pace_zone_times": []any{0.0, 0.0, 0.0, 3600.0, 0.0, 0.0, 0.0},
	})
}

func TestASwimsLoadGrowsWithTheCubeOfSpeed(t *testing.T) {
	swim := without(record(stretch{secs: 3600, speed: 0.75}), "watts", "heartrate", "cadence")
	got := summarise("Swim", swim, thresholds{ThresholdPace: 0.8333333})
	checkKeys(t, got, Object{"pace_load": 73.0, "pace_load_type": "SWIM", "icu_training_load": 73.0, "has_heartrate": false, "average_heartrate": absent})
}

func TestHeartRateRatesARideWithoutPower(t *testing.T) {
	ride := without(record(stretch{secs: 3600, hr: 170, speed: 8, cadence: 80}), "watts")
	checkKeys(t, summarise("Ride", ride, rider(280)), Object{"hr_load": 100.0, "icu_training_load": 100.0, "icu_intensity": 100.0})
}

func TestStrengthWithHeartRateAloneMovesAllTheTime(t *testing.T) {
	session := without(record(stretch{secs: 1800, hr: 110}), "watts", "velocity_smooth", "cadence", "distance", "altitude", "temp", "torque")
	checkKeys(t, summarise("WeightTraining", session, rider(280)), Object{
		"moving_time": 1800.0, "distance": absent, "average_speed": absent, "icu_average_watts": absent, "decoupling": absent,
	})
}

func TestHeartRateThatRisesAgainstOutputDecouples(t *testing.T) {
	ride := record(stretch{secs: 1800, watts: 200, hr: 140, speed: 9}, stretch{secs: 1800, watts: 200, hr: 147, speed: 9})
	checkKeys(t, summarise("Ride", ride, rider(280)), Object{"decoupling": 100 * (1 - 140.0/147)})
}

func TestNormalizedPowerWeighsSurges(t *testing.T) {
	var surges []stretch
	for range 10 {
		surges = append(surges, stretch{secs: 60, watts: 400, speed: 9}, stretch{secs: 60, speed: 9})
	}
	got := summarise("Ride", record(surges...), rider(280))
	if got["icu_average_watts"] != 200.0 || got["icu_weighted_avg_watts"].(float64) < 280 {
		t.Errorf("average %v, NP %v", got["icu_average_watts"], got["icu_weighted_avg_watts"])
	}
	checkKeys(t, got, Object{"coasting_time": 600.0, "icu_joules_above_ftp": 600 * 120.0})
}

func TestClimbIsAddedUpFromTurnToTurn(t *testing.T) {
	for _, c := range []struct {
		altitude   []float64
		gain, loss float64
	}{
		{[]float64{100, 150, 120, 180}, 110, 30},
		{[]float64{100, 101, 100, 110, 109, 120, 119}, 20, 0},
		{[]float64{100, 99, 100, 50, 51, 50, 60}, 10, 50},
		{[]float64{100, 101.9}, 0, 0},
		{[]float64{100}, 0, 0},
		{nil, 0, 0},
	} {
		if gain, loss := climb(samples(c.altitude...), 0, len(c.altitude)); !near(gain, c.gain, 1e-9) || !near(loss, c.loss, 1e-9) {
			t.Errorf("%v: up %v, down %v, want %v, %v", c.altitude, gain, loss, c.gain, c.loss)
		}
	}
}

func TestNothingRecordedGivesNothing(t *testing.T) {
	for _, streams := range [][]Stream{nil, {{Type: "time"}}, {{Type: "watts", Data: []*float64{}}}} {
		if got := summarise("Ride", streams, rider(280)); len(got) != 0 {
			t.Error(got)
		}
	}
	null := []*float64{nil, nil}
	got := summarise("Ride", []Stream{{Type: "time", Data: samples(0, 1)}, {Type: "watts", Data: null}, {Type: "heartrate", Data: null}}, rider(280))
	checkKeys(t, got, Object{"elapsed_time": 2.0, "icu_average_watts": absent, "average_heartrate": absent, "icu_training_load": absent})
}

func TestAnAltimetersNoiseIsNoClimb(t *testing.T) {
	var noise []float64
	for i := range 1000 {
		noise = append(noise, 100+float64(i%2))
	}
	if gain, loss := climb(samples(noise...), 0, len(noise)); gain != 0 || loss != 0 {
		t.Error(gain, loss)
	}
}

func TestSummaryNumbersAreFiniteAndOfTheDecodedForm(t *testing.T) {
	for _, streams := range [][]Stream{
		record(stretch{secs: 1, watts: 100, hr: 100, speed: 1}),
		record(stretch{secs: 5}),
		record(stretch{secs: 100, watts: 100, hr: 40, speed: 1}),
	} {
		for _, limits := range []thresholds{{}, {FTP: 1}, {LTHR: 40}, {MaxHR: 50}, {ThresholdPace: 1}, rider(280)} {
			for _, sport := range []string{"Ride", "Run", "Swim", "Rowing", "Yoga"} {
				got := any(summarise(sport, streams, limits))
				if !reflect.DeepEqual(got, asJSON(t, got)) {
					t.Errorf("%s %v: %v", sport, limits, got)
				}
				one := any(analyse(sport, streams, 0, 100, limits, 0))
				if !reflect.DeepEqual(one, asJSON(t, one)) {
					t.Errorf("%s %v: %v", sport, limits, one)
				}
			}
		}
	}
}

func BenchmarkSummarise(b *testing.B) {
	var long []stretch
	for i := range 90 {
		long = append(long, stretch{secs: 60, watts: float64(100 + i), hr: 140, speed: 9, cadence: 85})
	}
	streams := record(long...)
	for b.Loop() {
		summarise("Ride", streams, rider(280))
	}
}

func BenchmarkAnalyse(b *testing.B) {
	streams := record(stretch{secs: 5400, watts: 200, hr: 140, speed: 9, cadence: 85})
	for b.Loop() {
		analyse("Ride", streams, 1000, 1300, rider(280), 70)
	}
}
