package fake

import (
	"encoding/json"
	"math"
	"testing"
)

func value(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

func TestPlannedSampleComesToThePlatformsFigures(t *testing.T) {
	doc := parseWorkout("Warmup\n- 10m ramp 50-75% 85rpm\n\nMain set 3x\n- Hard 8m 98-102%\n- Easy 4m 55%\n\nCooldown\n- 10m 50%", "Ride")
	p := planWorkout(doc, "Ride", rider(280))
	// samples/events_list.json, event 60000001.
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"moving_time", value(p.MovingTime), 3360.0},
		{"distance", value(p.Distance), nil},
		{"icu_training_load", value(p.Load), 65.0},
		{"joules", value(p.Joules), 703045.0},
		{"joules_above_ftp", value(p.AboveFTP), 0.0},
		{"average_watts", p.Doc["average_watts"], 209.0},
		{"normalized_power", p.Doc["normalized_power"], 233.0},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	if !near(*p.Intensity, 83.452296, 1e-5) || !near(p.Doc["variability_index"].(float64), 1.1154529, 1e-6) {
		t.Errorf("intensity %v, variability %v", *p.Intensity, p.Doc["variability_index"])
	}
	total := 0.0
	for _, z := range p.Doc["zoneTimes"].([]any) {
		total += z.(Object)["secs"].(float64)
	}
	if total != 3360 {
		t.Errorf("zone times add up to %v s, not to the workout's 3360", total)
	}
}

func TestWorkoutsWithoutAnythingToRateHaveNoLoad(t *testing.T) {
	for name, c := range map[string]struct {
		text, sport string
		t           thresholds
		moving      any
	}{
		"no steps":         {"Just ride", "Ride", rider(280), nil},
		"strength":         {"- Squats 20m 60%", "WeightTraining", rider(280), 1200.0},
		"no target":        {"- 20m", "Ride", rider(280), 1200.0},
		"no FTP":           {"- 20m 60%", "Run", runner(), 1200.0},
		"heart, no LTHR":   {"- 20m Z2 HR", "Ride", thresholds{FTP: 280}, 1200.0},
		"pace, no setting": {"- 20m 90% Pace", "Run", thresholds{}, 1200.0},
	} {
		p := planWorkout(parseWorkout(c.text, c.sport), c.sport, c.t)
		if p.Load != nil || p.Intensity != nil || value(p.MovingTime) != c.moving {
			t.Errorf("%s: load %v, intensity %v, moving %v", name, value(p.Load), value(p.Intensity), value(p.MovingTime))
		}
	}
}

func TestPercentagesInASportWithoutFTPAreZeroWatts(t *testing.T) {
	p := planWorkout(parseWorkout("- 20m Z2", "Run"), "Run", runner())
	if p.Doc["average_watts"] != 0.0 || p.Doc["normalized_power"] != 0.0 {
		t.Errorf("got %v", p.Doc)
	}
}

func TestAnHourAtThresholdIsAHundredPoints(t *testing.T) {
	for text, sport := range map[string]string{
		"- 1h 100%": "Ride", "- 1h 100% LTHR": "Ride", "- 60m 100% Pace": "Run", "- 1h 100% Pace": "Swim",
	} {
		limits := rider(280)
		if sport != "Ride" {
			limits = runner()
		}
		p := planWorkout(parseWorkout(text, sport), sport, limits)
		if value(p.Load) != 100.0 || value(p.Intensity) != 100.0 {
			t.Errorf("%s %q: load %v, intensity %v", sport, text, value(p.Load), value(p.Intensity))
		}
	}
}

func TestDistanceStepsTakeTheAthletesTime(t *testing.T) {
	for _, c := range []struct {
		text, sport  string
		t            thresholds
		secs, metres float64
	}{
		{"- 1km 100% Pace", "Run", runner(), 295, 1000},
		{"- 1km", "Run", runner(), 295, 1000},
		{"- 1mi 5:55/mi Pace", "Run", runner(), 355, 1609},
		{"4x\n- 400mtr 90% Pace\n- 1m", "Run", runner(), 4 * (131 + 60), 1600},
		{"- 400mtr 250w", "Ride", rider(280), 48, 400},
		{"- 10m 5:00/km Pace", "Run", runner(), 600, 2000},
		{"- 100mtr 90% Pace", "Swim", thresholds{ThresholdPace: 0.8333333}, 133, 100},
	} {
		doc := parseWorkout(c.text, c.sport)
		p := planWorkout(doc, c.sport, c.t)
		if value(p.MovingTime) != c.secs || p.Distance == nil || *p.Distance != c.metres {
			t.Errorf("%q: got %v s, %v m", c.text, value(p.MovingTime), value(p.Distance))
		}
		if d, ok := p.Doc["duration"]; ok && d != c.secs {
			t.Errorf("%q: the document says %v s", c.text, d)
		}
	}
}

func TestPlanningLeavesTheDocumentAlone(t *testing.T) {
	doc := parseWorkout("4x\n- 400mtr 90% Pace\n- 1m", "Run")
	before := stepsJSON(doc)
	planWorkout(doc, "Run", runner())
	if after := stepsJSON(doc); after != before {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

func TestPostedDocumentsOfAnyShapeAreSurvived(t *testing.T) {
	for _, doc := range []Object{
		{}, {"steps": nil}, {"steps": "x"}, {"steps": []any{nil, 1.0, Object{}}},
		{"steps": []any{Object{"duration": -5.0, "power": "x"}}},
		{"steps": []any{Object{"duration": math.MaxFloat64}}},
		{"steps": []any{Object{"duration": 60.0, "power": Object{"units": "w", "value": 1e300}}}},
		{"steps": []any{Object{"distance": 1e300}}, "target": "PACE"},
		{"steps": []any{Object{"reps": 1e300, "steps": []any{Object{"distance": 1e300}}}}},
		{"steps": []any{Object{"reps": 1e18, "steps": []any{Object{"duration": 60.0}}}}},
		{"steps": []any{Object{"reps": 1e18, "steps": []any{Object{"duration": 60.0}}}, Object{"duration": 60.0}}},
		{"steps": []any{Object{"reps": 1e18, "steps": []any{}}, Object{"duration": 60.0}}},
		{"steps": []any{Object{"reps": 2.0, "duration": 60.0, "steps": []any{Object{"reps": 2.0, "duration": 30.0, "steps": []any{}}}}}},
		{"steps": []any{Object{"duration": 60.0, "power": Object{"units": "power_zone", "value": 99.0}}}},
		{"steps": []any{Object{"duration": 60.0, "pace": Object{"units": "secs/km", "value": 0.0}}}},
	} {
		p := planWorkout(doc, "Ride", rider(280))
		if _, err := json.Marshal(p); err != nil {
			t.Errorf("%v: %v", doc, err)
		}
	}
}

func BenchmarkPlanWorkout(b *testing.B) {
	text := "Warmup\n- 10m ramp 50-75% 85rpm\n\nMain set 3x\n- Hard 8m 98-102%\n- Easy 4m 55%\n\nCooldown\n- 10m 50%"
	for b.Loop() {
		planWorkout(parseWorkout(text, "Ride"), "Ride", rider(280))
	}
}
