package tools

import (
	"strings"
	"testing"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/training"
)

// withPower is the sample with twenty minutes of power on the ride of 14 July:
// 280 W for five minutes, then 200 W.
func withPower(t testing.TB) fake.Dataset {
	d := sampleData(t)
	secs, watts := make([]*float64, 1200), make([]*float64, 1200)
	for i := range secs {
		at, w := float64(i), 200.0
		if i < 300 {
			w = 280
		}
		secs[i], watts[i] = &at, &w
	}
	d.Athletes[0].Streams = map[string][]fake.Stream{"i90000101": {{Type: "time", Data: secs}, {Type: "watts", Data: watts}}}
	d.Athletes[0].Events = append(d.Athletes[0].Events, planned(90, "SEASON_START", "2026-01-05T00:00:00", "2026-01-06T00:00:00", nil))
	return d
}

func TestPowerCurvesHaveTheReferencesLines(t *testing.T) {
	w := newWorld(t, withPower(t), sampleNow)
	text, out := w.ok(t, "get_athlete_power_curves", map[string]any{"durations": []any{300, "5"}, "last_season": false})
	says(t, text, "Power Curves (Ride):", "(2026-01-05 to 2026-07-15", "\n  5m: 280W 4.00W/kg [i90000101]\n  5s: 280W 4.00W/kg [i90000101]")
	keepsQuiet(t, text, "nearest")
	curves := records(out, "curves")
	p := curves[0]["points"].([]any)[0].(map[string]any)
	if len(curves) != 1 || curves[0]["id"] != "s0" || p["duration_s"] != 300.0 || p["power_w"] != 280.0 || p["power_w_per_kg"] != 4.0 ||
		p["activity_id"] != "i90000101" || p["activity_date"] != "2026-07-14" {
		t.Errorf("curves = %v", curves)
	}
	text, _ = w.ok(t, "get_athlete_power_curves", map[string]any{"include_normalised": "false", "durations": 5})
	says(t, text, "5s: 280W [i90000101]")
}

func TestADurationOffTheCurveIsAnsweredByItsNearestPointNamed(t *testing.T) {
	w := newWorld(t, withPower(t), sampleNow)
	text, out := w.ok(t, "get_athlete_power_curves", map[string]any{"durations": []any{301, 7200}, "last_season": false})
	says(t, text, "  5m1s: 280W", "(nearest point of the curve: 5m)", "  2h: 220W", "(nearest point of the curve: 20m)")
	p := records(out, "curves")[0]["points"].([]any)[1].(map[string]any)
	if p["duration_s"] != 7200.0 || p["nearest_duration_s"] != 1200.0 {
		t.Errorf("point = %v", p)
	}
}

func TestARangeOfDatesSaysItsDays(t *testing.T) {
	for zone, end := range map[string]string{"Europe/London": "2026-07-15", "Pacific/Auckland": "2026-07-16", "America/Los_Angeles": "2026-07-15"} {
		d := withPower(t)
		d.Athletes[0].Athlete["timezone"] = zone
		_, out := newWorld(t, d, sampleNow).ok(t, "get_athlete_power_curves", map[string]any{
			"start_date": "-42d", "end_date": "today", "this_season": false, "last_season": false, "durations": 60})
		curves := records(out, "curves")
		if len(curves) != 1 || curves[0]["end_date"] != end || curves[0]["start_date"] != training.AddDays(end, -42) || curves[0]["days"] != 43.0 {
			t.Errorf("%s: curves = %v", zone, curves)
		}
	}
}

func TestCurvesArePickedByIDAndWattsPerKgMayBeAnotherActivitys(t *testing.T) {
	o, err := intervals.ParseObjects([]byte(`[{"id":"s1","secs":[1],"values":[1]},{"id":"s0","secs":[60,120],"values":[null,300],"watts_per_kg":[5,4.256],"activity_id":["i1","i2"],"wkg_activity_id":["i1","i3"]}]`))
	if err != nil {
		t.Fatal(err)
	}
	var list []intervals.Curve
	for _, c := range o {
		list = append(list, intervals.Curve{Object: c, Secs: c.Numbers("secs"), Values: c.Numbers("values"), PerKg: c.Numbers("watts_per_kg"),
			Activities: c.Texts("activity_id"), PerKgActs: c.Texts("wkg_activity_id")})
	}
	p, ok := newCurvePoint(pickCurve(list, "s0"), 60, true) // a null is no point
	if want := "1m: 300W 4.26W/kg [i2|wkg:i3] (nearest point of the curve: 2m)"; !ok || p.text() != want {
		t.Errorf("%s, want %s", p.text(), want)
	}
	if _, ok := newCurvePoint(pickCurve(list, "1y"), 60, true); ok {
		t.Error("a curve that was not answered has a point")
	}
}

func TestCurveArgumentsAreRefusedInTheReferencesWords(t *testing.T) {
	w := newWorld(t, withPower(t), sampleNow)
	for want, args := range map[string]map[string]any{
		"Error: indoor_outdoor must be 'indoor', 'outdoor', or omitted.":                          {"indoor_outdoor": "both"},
		"Error: Both start_date and end_date must be provided together for a custom date range.":  {"start_date": "2026-01-01"},
		"Error: start_date must be before end_date.":                                              {"start_date": "2026-02-01", "end_date": "2026-02-01"},
		"Error: Dates must be in YYYY-MM-DD format.":                                              {"start_date": "01.02.2026", "end_date": "2026-02-30"},
		"Error: At least one curve must be selected (this_season, last_season, or a date range).": {"this_season": false, "last_season": false},
	} {
		if a := w.fails(t, "get_athlete_power_curves", args); a.Text != want {
			t.Errorf("%v: %q, want %q", args, a.Text, want)
		}
	}
	if a := w.fails(t, "get_athlete_power_curves", map[string]any{"start_date": "today", "end_date": "-1d"}); a.Text != string(startBeforeEnd) {
		t.Errorf("relative dates reversed: %q", a.Text)
	}
	w.fails(t, "get_athlete_power_curves", map[string]any{"durations": []any{0}}, "durations value 1: must be from 1")
}

func TestIndoorAndOutdoorAreAskedOfThePlatform(t *testing.T) {
	w := newWorld(t, withPower(t), sampleNow)
	text, _ := w.ok(t, "get_athlete_power_curves", map[string]any{"indoor_outdoor": "Outdoor", "last_season": false})
	says(t, text, "Power Curves (Ride, outdoor):", "280W")
	text, _ = w.ok(t, "get_athlete_power_curves", map[string]any{"indoor_outdoor": "indoor", "last_season": false})
	says(t, text, "No power curve data found for athlete i12345 (Ride).")
}

func TestNoCurvesAreSaidInTheReferencesWords(t *testing.T) {
	w := newWorld(t, withPower(t), sampleNow)
	text, out := w.ok(t, "get_athlete_power_curves", map[string]any{"activity_type": "Rowing"})
	if text != "No power curve data found for athlete i12345 (Rowing)." || len(records(out, "curves")) != 0 {
		t.Errorf("text = %q", text)
	}
	text, _ = w.ok(t, "get_athlete_power_curves", map[string]any{"start_date": "2020-01-01", "end_date": "2020-02-01", "last_season": false})
	if !strings.Contains(text, "(2020-01-01 to 2020-0") || !strings.Contains(text, "  No data available for requested durations.") {
		t.Errorf("text = %s", text)
	}
}

func TestNoWattsAndNoWeightAreNotZeros(t *testing.T) {
	c := intervals.Curve{Secs: []float64{5, 60}, Values: []float64{400, 0}, PerKg: []float64{0, 0}}
	p, ok := newCurvePoint(c, 60, true)
	if want := "1m: 400W (nearest point of the curve: 5s)"; !ok || p.text() != want || p.PerKg != nil {
		t.Errorf("%s, want %s", p.text(), want)
	}
}
