package tools

import (
	"fmt"
	"testing"

	"intervals-mcp/internal/intervals/fake"
)

// lapWorld has one activity with these intervals and groups.
func lapWorld(t testing.TB, more fake.Object, laps, groups []any) *world {
	return actWorld(t, sampleNow, func(a *fake.AthleteData) {
		a.Intervals = map[string]fake.Object{"i1": {"id": "i1", "analyzed": "2026-07-14T08:25:32.111+00:00", "icu_intervals": laps, "icu_groups": groups}}
	}, act("i1", "2026-07-14T08:00:00", more))
}

func sampleLaps(t testing.TB) *world {
	var body fake.Object
	sample(t, "activity_intervals.json", &body)
	return lapWorld(t, fake.Object{"type": "Ride", "analyzed": "2026-07-14T08:25:32.111+00:00"}, body["icu_intervals"].([]any), body["icu_groups"].([]any))
}

var lapArgs = map[string]any{"activity_id": "i1"}

func TestIntervalsKeepTheReferencesHeadings(t *testing.T) {
	w := sampleLaps(t)
	text, out := w.ok(t, "get_activity_intervals", lapArgs)
	says(t, text, "Intervals Analysis:", "ID: i1", "Individual Intervals:", `[2] "Threshold 1" (WORK) at 36:50: 8:00, 4.51 km, 279/352 W, 163/169 bpm, 33.8 km/h, 92 rpm`,
		"Interval Groups:", "480s@279w92rpm: 3 x 8:00, 4.51 km, 279 W, 166 bpm, 92 rpm")
	rows := rowsOf(t, out, "intervals")
	if len(rows) != 7 || len(rowsOf(t, out, "groups")) != 1 {
		t.Fatalf("%d intervals, %d groups", len(rows), len(rowsOf(t, out, "groups")))
	}
	wantNumbers(t, rows[1], map[string]float64{"number": 2, "start_time_s": 2210, "elapsed_time_s": 480, "average_power_w": 279, "average_power_w_per_kg": 3.99,
		"average_heartrate_bpm": 163, "zone": 4})
	if out["analyzed"] != "2026-07-14T09:25:32" {
		t.Errorf("analyzed = %v, want London time", out["analyzed"])
	}
	text, _ = w.ok(t, "get_activity_intervals", map[string]any{"activity_id": "i1", "detail": "full"})
	says(t, text, "Power Metrics: Average Power: 279 W", "Kilojoules: 134 kJ", "Kilojoules: 35.5 kJ", "W' Balance Start: 18 kJ", "Zone Min: 253 W", "Heart Rate & Metabolic:", "Speed & Cadence:", "Elevation & Environment:")
}

// Compat 3: the platform's gradient is a fraction.
func TestBIntervalGradientIsPercent(t *testing.T) {
	w := lapWorld(t, nil, []any{fake.Object{"id": 1.0, "type": "WORK", "average_gradient": 0.043, "elapsed_time": 60.0}}, nil)
	text, out := w.ok(t, "get_activity_intervals", map[string]any{"activity_id": "i1", "detail": "full"})
	says(t, text, "Average Gradient: 4.3 %")
	wantNumbers(t, rowsOf(t, out, "intervals")[0], map[string]float64{"average_gradient_percent": 4.3})
}

// Compat 3: wind is m/s.
func TestBIntervalWindIsConvertedFromMetresPerSecond(t *testing.T) {
	w := lapWorld(t, nil, []any{fake.Object{"id": 1.0, "type": "WORK", "average_wind_speed": 5.0, "elapsed_time": 60.0}}, nil)
	text, out := w.ok(t, "get_activity_intervals", map[string]any{"activity_id": "i1", "detail": "full"})
	says(t, text, "Avg Wind Speed: 18 km/h")
	wantNumbers(t, rowsOf(t, out, "intervals")[0], map[string]float64{"average_wind_speed_m_per_s": 5})
}

// Compat 3: what was not measured was printed as 0.
func TestBIntervalsLeaveOutWhatWasNotMeasured(t *testing.T) {
	w := lapWorld(t, nil, []any{fake.Object{"id": 1.0, "type": "WORK", "elapsed_time": 60.0, "average_heartrate": 150.0, "average_watts": nil, "distance": 0.0}}, nil)
	for _, detail := range []string{"summary", "full"} {
		text, out := w.ok(t, "get_activity_intervals", map[string]any{"activity_id": "i1", "detail": detail})
		saysNot(t, text, " W", "N/A", "None", "null")
		says(t, text, "150 bpm", "0 m")
		row := rowsOf(t, out, "intervals")[0]
		for _, key := range []string{"average_power_w", "average_cadence_spm", "max_heartrate_bpm", "average_speed_m_per_s"} {
			if v, there := row[key]; there {
				t.Errorf("%s = %v though it was not measured", key, v)
			}
		}
		wantNumbers(t, row, map[string]float64{"distance_m": 0})
	}
}

func TestIntervalsOfARunHavePaceAndSteps(t *testing.T) {
	w := lapWorld(t, nil, []any{fake.Object{"id": 1.0, "type": "WORK", "elapsed_time": 60.0, "average_speed": 3.3898, "average_cadence": 87.5}}, nil)
	text, out := w.ok(t, "get_activity_intervals", lapArgs)
	says(t, text, "4:55/km, 175 spm")
	saysNot(t, text, "km/h")
	wantNumbers(t, rowsOf(t, out, "intervals")[0], map[string]float64{"average_pace_s_per_km": 295, "average_cadence_spm": 175})
}

func TestIntervalsEmptyAndUnknownKeepTheReferencesTexts(t *testing.T) {
	w := lapWorld(t, nil, []any{}, []any{})
	text, _ := w.ok(t, "get_activity_intervals", lapArgs)
	if text != "No interval data found for activity i1." {
		t.Errorf("text = %q", text)
	}
	w.route(t, "POST", "/_fake/faults", `[{"path":"/intervals","times":1,"body":{"x":1}}]`)
	text, _ = w.ok(t, "get_activity_intervals", lapArgs)
	if text != "No interval data or unrecognized format for activity i1." {
		t.Errorf("text = %q", text)
	}
}

func TestManyIntervalsComeInPagesEachOnce(t *testing.T) {
	var laps []any
	for i := range 400 {
		laps = append(laps, fake.Object{"id": float64(i + 1), "type": "WORK", "label": fmt.Sprint("Lap ", i+1), "elapsed_time": 60.0, "moving_time": 60.0, "distance": 200.0, "average_speed": 3.3, "average_heartrate": 150.0})
	}
	w := lapWorld(t, nil, laps, []any{fake.Object{"id": "g", "count": 400.0}})
	args, next, groups := map[string]any{"activity_id": "i1"}, 1, 0
	for {
		_, out := w.ok(t, "get_activity_intervals", args)
		for _, row := range rowsOf(t, out, "intervals") {
			if row["number"] != float64(next) {
				t.Fatalf("lap %v, want %d", row["number"], next)
			}
			next++
		}
		groups += len(rowsOf(t, out, "groups"))
		if out["next_cursor"] == nil {
			break
		}
		args["cursor"] = out["next_cursor"]
	}
	if next != 401 || groups != 1 {
		t.Errorf("%d laps, %d groups", next-1, groups)
	}
}
