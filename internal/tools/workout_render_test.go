package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

func renderJSON(t *testing.T, doc string) (rendered, error) {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	return renderWorkout(v, "Ride", hrBase{LTHR: 170, Max: 190})
}

func steps(t *testing.T, steps string) string {
	t.Helper()
	r, err := renderJSON(t, `{"steps":[`+steps+`]}`)
	if err != nil {
		t.Fatalf("%s: %v", steps, err)
	}
	return r.Text
}

func TestStepsAreWrittenAsWorkoutText(t *testing.T) {
	for in, want := range map[string]string{
		`{"duration":600,"power":{"value":95,"units":"%ftp"}}`:                                      "- 10m 95%",
		`{"duration":600,"power":{"start":65,"end":85,"units":"%ftp"}}`:                             "- 10m 65-85%",
		`{"duration":"30","power":{"value":"200","units":"w"}}`:                                     "- 30s 200w",
		`{"duration":90,"power":{"start":200,"end":210.5,"units":"W"}}`:                             "- 90s 200-210.5w",
		`{"duration":3690,"power":{"value":2,"units":"power_zone"}}`:                                "- 1h1m30s Z2",
		`{"duration":3600,"power":{"start":2,"end":3,"units":"power_zone"}}`:                        "- 1h Z2-Z3",
		`{"duration":300,"power":{"value":80,"units":"%mmp"}}`:                                      "- 5m 80% MMP",
		`{"distance":400,"pace":{"value":90,"units":"%pace"}}`:                                      "- 400mtr 90% Pace",
		`{"distance":1500,"pace":{"value":3,"units":"pace_zone"}}`:                                  "- 1.5km Z3 Pace",
		`{"duration":60,"hr":{"start":70,"end":80,"units":"%hr"}}`:                                  "- 1m 70-80% HR",
		`{"duration":60,"hr":{"value":85,"units":"%lthr","target":"lap"}}`:                          "- 1m 85% LTHR hr=lap",
		`{"duration":60,"hr":{"value":2,"units":"hr_zone"}}`:                                        "- 1m Z2 HR",
		`{"duration":60,"ramp":true,"power":{"start":50,"end":75,"units":"%ftp"}}`:                  "- 1m ramp 50-75%",
		`{"duration":60,"freeride":true,"text":"Open"}`:                                             "- Open 1m freeride",
		`{"duration":60,"distance":400,"hidepower":true,"maxeffort":true,"intensity":"interval"}`:   "- 1m maxeffort hidepower intensity=interval",
		`{"duration":60,"power":{"value":95,"units":"%ftp"},"cadence":{"start":85,"end":95}}`:       "- 1m 95% 85-95rpm",
		`{"reps":3,"text":"Main set","steps":[{"duration":60},{"duration":30}]}`:                    "Main set 3x\n- 1m\n- 30s",
		`{"duration":60,"warmup":true},{"duration":120,"warmup":true},{"duration":30}`:              "Warmup\n- 1m\n- 2m\n\n- 30s",
		`{"duration":60},{"reps":2,"steps":[{"duration":30}]},{"duration":60,"cooldown":true}`:      "- 1m\n\n2x\n- 30s\n\nCooldown\n- 1m",
		`{"duration":60,"text":"-  Rep\n2 of 3"}`:                                                   "- Rep two of three 1m",
		`{"duration":60,"text_locale":{"de":"x"},"_power":{"value":1}}`:                             "- 1m",
		`{"duration":100,"power":{"value":95,"units":"%ftp"}},{"duration":125},{"duration":101}`:    "- 100s 95%\n- 2m5s\n- 101s",
		`{"reps":2,"steps":[{"duration":30}]},{"reps":3,"steps":[{"duration":45}]},{"duration":60}`: "2x\n- 30s\n\n3x\n- 45s\n\n- 1m",
	} {
		if got := steps(t, in); got != want {
			t.Errorf("%s\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestBAStepsCueComesFirst(t *testing.T) {
	if got := steps(t, `{"text":"Sprint","distance":40,"hr":{"value":5,"units":"hr_zone"}}`); got != "- Sprint 40mtr Z5 HR" {
		t.Errorf("got %q", got)
	}
}

func TestBAnAbsolutePaceIsWrittenAsMinutesAndSecondsPerUnit(t *testing.T) {
	for in, want := range map[string]string{
		`{"value":4.5,"units":"MINS_KM"}`:                 "4:30/km Pace",
		`{"value":270,"units":"MINS_KM"}`:                 "4:30/km Pace",
		`{"value":"4:30","units":"MINS_KM"}`:              "4:30/km Pace",
		`{"start":435,"end":420,"units":"secs/km"}`:       "7:15-7:00/km Pace",
		`{"value":"7:55","units":"MINS_MILE"}`:            "7:55/mi Pace",
		`{"value":105,"units":"SECS_100M"}`:               "1:45/100m Pace",
		`{"value":115,"units":"SECS_500M"}`:               "1:55/500m Pace",
		`{"start":"5:00","end":"4:50","units":"MINS_KM"}`: "5:00-4:50/km Pace",
	} {
		if got := steps(t, `{"duration":600,"pace":`+in+`}`); got != "- 10m "+want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if _, err := renderJSON(t, `{"steps":[{"duration":600,"pace":{"value":1.5,"units":"SECS_100M"}}]}`); err == nil {
		t.Error("1.5 s per 100 m was accepted")
	}
}

func TestBPacePer100YardsBeatsAndRevolutionsAreAcceptedAsUnits(t *testing.T) {
	if got := steps(t, `{"duration":600,"pace":{"value":95,"units":"SECS_100Y"},"cadence":{"value":90,"units":"rpm"}}`); got != "- 10m 1:35/100y Pace 90rpm" {
		t.Errorf("got %q", got)
	}
	r, err := renderJSON(t, `{"steps":[{"duration":600,"hr":{"start":145,"end":153,"units":"bpm"}}]}`)
	if err != nil || r.Text != "- 10m 85-90% LTHR" || !strings.Contains(strings.Join(r.Notes, " "), "bpm") {
		t.Errorf("got %q, %v, %v", r.Text, r.Notes, err)
	}
	if _, err := renderWorkout(map[string]any{"steps": []any{map[string]any{"duration": 60.0, "hr": map[string]any{"value": 145.0, "units": "bpm"}}}}, "Ride", hrBase{}); err == nil {
		t.Error("bpm without a threshold was accepted")
	}
}

func TestBAStepWithoutALengthKeepsUntilLapPress(t *testing.T) {
	r, err := renderJSON(t, `{"steps":[{"text":"Until ready","until_lap_press":true},{"duration":600,"until_lap_press":true,"power":{"value":50,"units":"%ftp"}}]}`)
	if err != nil || r.Text != "- Until ready 5m press lap\n- 10m press lap 50%" || !strings.Contains(r.Notes[0], "placeholder") {
		t.Errorf("got %q, %v, %v", r.Text, r.Notes, err)
	}
}

func TestBAValueBesideARangeIsNotPrintedTwice(t *testing.T) {
	if got := steps(t, `{"duration":600,"power":{"value":70,"start":65,"end":75,"units":"%ftp"}}`); got != "- 10m 65-75%" {
		t.Errorf("got %q", got)
	}
	if _, err := renderJSON(t, `{"steps":[{"duration":600,"power":{"value":90,"start":65,"end":75,"units":"%ftp"}}]}`); err == nil {
		t.Error("a value outside its range was accepted")
	}
}

func TestAllProblemsOfAWorkoutAreToldAtOnce(t *testing.T) {
	_, err := renderJSON(t, `{"description":"- 10m easy","steps":[{"text":"no length"},{"duration":"x"},{"reps":2,"steps":[{"reps":2,"steps":[]}]},
		{"duration":60,"power":{"value":90,"units":"%lthr"}},{"duration":60,"zone":2},{"duration":60,"text":"400m fast"},{"duration":60,"power":90},5,
		{"duration":60,"power":{"value":90,"units":"percent"}},{"reps":0,"steps":[{"duration":1}]},{"reps":2,"steps":[]}]}`)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"workout_doc.description holds step lines", "steps[0] needs a duration", "steps[1] has a duration", "Nested steps not supported",
		"steps[3].power.units %lthr does not fit power", "steps[4] has no key zone", `steps[5].text holds "400m"`, "steps[6].power must be an object", "steps[7] must be an object",
		"steps[8].power.units must be one of %ftp", "steps[9].reps must be", "steps[10] is a repeat without steps"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
}

func TestAWorkoutDocIsUnderstoodAsItWasMeant(t *testing.T) {
	w := newSampleWorld(t)
	doc := `{"description":"Bring a gel","steps":[{"text":"Easy","duration":600,"warmup":true,"ramp":true,"power":{"start":50,"end":75,"units":"%ftp"}},
		{"reps":3,"steps":[{"text":"Hard","duration":480,"power":{"start":98,"end":102,"units":"%ftp"}},{"duration":240,"power":{"value":55,"units":"%ftp"}}]},
		{"duration":600,"cooldown":true,"power":{"value":50,"units":"%ftp"}}]}`
	for _, in := range []any{json.RawMessage(doc), doc} { // an object, or its text
		a, out := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "workout_doc": in, "allow_duplicate": true})
		if strings.Contains(a.Text, "Warning: Intervals.icu understood") || !strings.Contains(a.Text, "understood 4 steps (repeats: 1), 56:00") {
			t.Errorf("text = %s", a.Text)
		}
		e := w.raw(t, int64(out["event"].(map[string]any)["id"].(float64)))
		if e["moving_time"] != 3360.0 || e["workout_doc"].(map[string]any)["description"] != "Bring a gel" {
			t.Errorf("event = %v", e)
		}
	}
	w.fails(t, "add_or_update_event", map[string]any{"name": "Ride", "workout_doc": json.RawMessage(doc), "description": "- 10m 50%"}, "give the steps once")
	w.fails(t, "add_or_update_event", map[string]any{"name": "Ride", "workout_doc": json.RawMessage(doc), "description": "Another text"}, "differ")
	w.fails(t, "add_or_update_event", map[string]any{"name": "Ride", "workout_doc": "{not json"}, "must be a JSON object")
}

func FuzzRenderWorkoutNeverPanics(f *testing.F) {
	f.Add(`{"steps":[{"duration":60,"power":{"value":90,"units":"%ftp"}}]}`)
	f.Add(`{"description":5,"steps":[null,{"steps":[{"steps":{}}]},{"duration":1e300,"hr":{"start":"x"}}]}`)
	f.Fuzz(func(_ *testing.T, s string) {
		var doc map[string]any
		if json.Unmarshal([]byte(s), &doc) == nil && doc != nil {
			_, _ = renderWorkout(doc, "Run", hrBase{LTHR: 170})
		}
	})
}
