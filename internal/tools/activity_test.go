package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"intervals-mcp/internal/intervals/fake"
)

func details(t testing.TB, w *world, id string, more map[string]any) (string, map[string]any) {
	t.Helper()
	args := map[string]any{"activity_id": id}
	for k, v := range more {
		args[k] = v
	}
	text, out := w.ok(t, "get_activity_details", args)
	return text, out["activity"].(map[string]any)
}

var full = map[string]any{"detail": "full"}

func wantNumbers(t testing.TB, got map[string]any, want map[string]float64) {
	t.Helper()
	for key, n := range want {
		if got[key] != n {
			t.Errorf("%s = %v, want %v", key, got[key], n)
		}
	}
}

func TestActivityDetailsKeepTheReferencesLabels(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, a := details(t, w, "i90000101", full)
	says(t, text, `Activity: "Morning Ride 3x8m threshold"`, "\nID: i90000101", "\nType: Ride", "\nDistance: 53.2 km", "\nDuration: 1:52:00",
		"\nMoving Time: 1:45:48", "\nElevation Gain: 512 m", "Power Data:", "Average Power: 202 W", "Weighted Avg Power: 214 W", "Training Load: 103",
		"FTP: 280 W", "Intensity: 76 %", "Power:HR Ratio: 1.43", "Variability Index: 1.06", "Heart Rate Data:", "Average HR: 141 bpm", "Max HR: 174 bpm",
		"LTHR: 170 bpm", "Decoupling: 3.1 %", "Other Metrics:", "Cadence: 86 rpm", "Calories burned: 1190 kcal", "Average Speed: 30.2 km/h", "RPE: 5/10",
		"Session RPE: 529", "Feel: 2/5 good", "Environment:", "Average Temp: 18.9 °C", "Training Metrics:", "Fitness (CTL): ", "Fatigue (ATL): ",
		"TRIMP: 168", "Efficiency Factor: 1.52", "Device Info:", `Gear: "Road bike" ID: b500001`)
	wantNumbers(t, a, map[string]float64{"distance_m": 53189.3, "moving_time_s": 6348, "average_power_w": 202, "ftp_w": 280, "work_kj": 1282.3,
		"average_heartrate_bpm": 141, "average_cadence_rpm": 86, "rpe": 5})
	if feel := a["feel"].(map[string]any); feel["value"] != 2.0 || feel["label"] != "good" {
		t.Errorf("feel = %v", feel)
	}
}

// Compat 1: the field is joules, the label said kilojoules.
func TestBActivityWorkIsKilojoulesNotJoules(t *testing.T) {
	w := actWorld(t, sampleNow, nil, act("i1", "2026-07-14T08:00:00", fake.Object{"type": "Ride", "icu_joules": 1282296.0}))
	text, a := details(t, w, "i1", nil)
	says(t, text, "Kilojoules: 1282 kJ")
	wantNumbers(t, a, map[string]float64{"work_kj": 1282.3})
}

// Compat 1: runs count one leg.
func TestBActivityCadenceOnFootIsStepsPerMinute(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, a := details(t, w, "i90000102", nil)
	says(t, text, "Cadence: 146 spm")
	wantNumbers(t, a, map[string]float64{"average_cadence_spm": 146})
	text, a = details(t, w, "i90000101", nil)
	says(t, text, "Cadence: 86 rpm")
	if a["average_cadence_spm"] != nil {
		t.Error("a ride has steps")
	}
}

// Compat 1: wind is m/s, the label said km/h.
func TestBActivityWindIsConvertedFromMetresPerSecond(t *testing.T) {
	for unit, want := range map[string]string{"KMH": "Avg Wind Speed: 7.9 km/h", "MPH": "Avg Wind Speed: 4.9 mph", "MPS": "Avg Wind Speed: 2.2 m/s", "KNOTS": "Avg Wind Speed: 4.3 kn"} {
		d := sampleData(t)
		d.Athletes[0].Athlete["wind_speed"] = unit
		text, a := details(t, newWorld(t, d, sampleNow), "i90000101", nil)
		says(t, text, want)
		wantNumbers(t, a, map[string]float64{"average_wind_speed_m_per_s": 2.2})
	}
}

// Compat 1: a null was printed as None, an absent key as N/A, and both are
// something else than zero.
func TestBActivityNullIsNotPrintedAndZeroIs(t *testing.T) {
	w := actWorld(t, sampleNow, nil,
		act("i1", "2026-07-14T08:00:00", fake.Object{"total_elevation_gain": 0.0, "icu_training_load": 0.0, "average_heartrate": nil, "description": nil, "feel": nil}))
	for _, detail := range []string{"summary", "full"} {
		text, a := details(t, w, "i1", map[string]any{"detail": detail})
		says(t, text, "Elevation Gain: 0 m", "Training Load: 0")
		saysNot(t, text, "None", "N/A", "null", "<nil>", "Average HR", "Description", "Feel")
		wantNumbers(t, a, map[string]float64{"total_elevation_gain_m": 0, "training_load": 0})
		for _, key := range []string{"average_heartrate_bpm", "average_power_w", "distance_m", "description", "feel", "rpe", "gear", "zones"} {
			if v, there := a[key]; there {
				t.Errorf("%s = %v though it is unknown", key, v)
			}
		}
	}
	text, out := w.ok(t, "get_activities", nil)
	says(t, text, "load 0", "+0 m")
	row := rowsOf(t, out, "activities")[0]
	if _, there := row["average_heartrate_bpm"]; there || row["training_load"] != 0.0 {
		t.Errorf("row = %v", row)
	}
}

// Compat 2: zones were read from a key that does not exist.
func TestBActivityZonesAreTheActivitysOwn(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, a := details(t, w, "i90000101", full)
	says(t, text, "Time in Zones:", "Power Zones: Z1 0-154 W 25:12, Z2 155-210 W 40:10", "Z7 421+ W 0:36", "sweet spot 235-271 W",
		"overlaps, in no sum", "HR Zones: Z1 0-137 bpm 31:08, Z2 138-151 bpm 42:38", "Z5-Z7 0:00")
	zones := a["zones"].(map[string]any)
	second := zones["power"].([]any)[1].(map[string]any)
	if len(zones["power"].([]any)) != 7 || second["from_w"] != 155.0 || second["to_w"] != 210.0 || second["time_s"] != 2410.0 {
		t.Errorf("power zones = %v", zones["power"])
	}
	if ss := zones["sweet_spot"].(map[string]any); ss["id"] != "SS" {
		t.Errorf("sweet spot = %v", ss)
	}
	if last := zones["hr"].([]any)[6].(map[string]any); last["time_s"] != 0.0 {
		t.Errorf("a zone without a second = %v", last)
	}
	text, _ = details(t, w, "i90000102", full)
	says(t, text, "Pace Zones: Z1 <6:21/km 36:16, Z2 6:21-5:36/km 0:22, Z3-Z7 0:00")
	text, _ = details(t, w, "i90000103", full) // an indoor ride, by its own FTP
	says(t, text, "Z2 149-202 W 2:11:30")
	text, _ = details(t, w, "i90000101", nil)
	says(t, text, "Power Zones Z1-Z7 up to 154/210/252/294/336/420/open W: 25:12, 40:10", "HR Zones Z1-Z7 up to 137/151/158/169/174/179/188 bpm: 31:08")
}

func TestZonesWithoutBoundsAreNotInvented(t *testing.T) {
	w := actWorld(t, sampleNow, nil, act("i1", "2026-07-14T08:00:00", fake.Object{"icu_hr_zone_times": []any{60.0, 0.0, 5.0}, "icu_hr_zones": nil,
		"icu_zone_times": []any{fake.Object{"id": "Z1", "secs": 30.0}, fake.Object{"id": "SS", "secs": 7.0}}}))
	text, _ := details(t, w, "i1", full)
	says(t, text, "HR Zones: Z1 1:00, Z2 0:00, Z3 0:05", "Power Zones: Z1 0:30; sweet spot 0:07")
}

// domain.md, worked example.
func TestARunOfAnAthleteInMilesReadsInMiles(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].Athlete["measurement_preference"] = "feet"
	d.Athletes[0].Athlete["fahrenheit"] = true
	d.Athletes[0].Athlete["weight_pref_lb"] = true
	for _, s := range d.Athletes[0].SportSettings {
		if s["pace_units"] == "MINS_KM" {
			s["pace_units"] = "MINS_MILE"
		}
	}
	w := newWorld(t, d, sampleNow)
	text, a := details(t, w, "i90000102", full)
	says(t, text, "Distance: 2.79 mi", "Average Pace: 13:00/mi", "Cadence: 146 spm", "Elevation Gain: 73 ft", "Weight: 154.3 lb")
	wantNumbers(t, a, map[string]float64{"distance_m": 4497.53, "moving_time_s": 2179})
	text, _ = w.ok(t, "get_activities", nil)
	says(t, text, "2.79 mi in 36:19 | 13:00/mi")
}

func TestPaceIsComputedWhereThePlatformHasNone(t *testing.T) {
	w := actWorld(t, sampleNow, nil, act("i1", "2026-07-14T08:00:00", fake.Object{"distance": 4497.53, "moving_time": 2179.0, "pace": nil, "average_speed": nil}))
	text, a := details(t, w, "i1", nil)
	says(t, text, "Average Pace: 8:04/km")
	wantNumbers(t, a, map[string]float64{"average_pace_s_per_km": 484.5})
}

func TestFullDetailAddsEveryOtherFieldAndCustomOnesByName(t *testing.T) {
	w := actWorld(t, sampleNow, nil, act("i1", "2026-07-14T08:00:00", fake.Object{"KgPerHour": 12.5, "strain_score": 118.4, "carbs_ingested": 90.0,
		"some_new_key": fake.Object{"a": 1.0, "user_email": "x@example.com"}, "strava_id": "999", "external_id": "abc"}))
	text, _ := details(t, w, "i1", nil)
	says(t, text, "Custom Fields:\nKg per hour: 12.5")
	saysNot(t, text, "strain_score")
	text, a := details(t, w, "i1", full)
	says(t, text, "Other Fields", "strain_score: 118.4", "carbs_ingested: 90", "external_id: \"abc\"")
	raw, _ := json.Marshal(a)
	saysNot(t, text+string(raw), "x@example.com", "999")
	if a["custom_fields"].(map[string]any)["KgPerHour"] != 12.5 || a["other_fields"].(map[string]any)["strain_score"] != 118.4 {
		t.Errorf("full = %s", raw)
	}
}

func TestGearIsNamedFromTheActivitysOwnAthlete(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].CoachOf = []string{"i777"}
	d.Athletes = append(d.Athletes, fake.AthleteData{APIKey: "other-key", Athlete: fake.Object{"id": "i777", "name": "Other", "timezone": "Pacific/Auckland", "measurement_preference": "feet"},
		Gear:       []fake.Object{{"id": "b500001", "name": "Their bike", "type": "Bike"}},
		Activities: []fake.Object{act("i5", "2026-07-14T08:00:00", fake.Object{"icu_athlete_id": "i777", "type": "Ride", "distance": 16093.44, "gear": fake.Object{"id": "b500001"}})}})
	text, a := details(t, newWorld(t, d, sampleNow), "i5", nil)
	says(t, text, `Gear: "Their bike"`, "10.00 mi")
	if a["athlete_id"] != "i777" || a["gear"].(map[string]any)["name"] != "Their bike" {
		t.Errorf("activity = %v", a)
	}
}

func TestAnEmptyActivityHasNoDetails(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	w.route(t, "POST", "/_fake/faults", `[{"path":"/activity/","times":1,"body":{}}]`)
	text, _ := details(t, w, "i90000101", nil)
	if text != "No details found for activity i90000101." {
		t.Errorf("text = %q", text)
	}
}

func TestFeelIsAWordWithThePlatformsNumber(t *testing.T) {
	for n, want := range []string{"", "Feel: 1/5 strong", "Feel: 2/5 good", "Feel: 3/5 normal", "Feel: 4/5 poor", "Feel: 5/5 weak", "Feel: 6/5"} {
		if n == 0 {
			continue
		}
		w := actWorld(t, sampleNow, nil, act("i1", "2026-07-14T08:00:00", fake.Object{"feel": float64(n), "icu_rpe": nil, "perceived_exertion": 7.0}))
		text, _ := details(t, w, "i1", nil)
		says(t, strings.ReplaceAll(text, "\n", "|")+"|", want+"|", "RPE: 7/10")
	}
}
