package fake

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// casesFile holds real workouts that stay outside the project.
const casesFile = "../../../../shared/cases/workouts.json"

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		t.Skipf("%s is not there: the check against real workouts is left out", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// asJSON brings a value into the form that decoding gives.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func stepsJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func rider(ftp float64) thresholds {
	return thresholds{
		FTP: ftp, LTHR: 170, MaxHR: 188, RestingHR: 48,
		PowerZones:   []float64{55, 75, 90, 105, 120, 150, 999},
		HRZones:      []float64{137, 151, 158, 169, 174, 179, 188},
		SweetSpotMin: 84, SweetSpotMax: 97,
	}
}

func runner() thresholds {
	return thresholds{
		LTHR: 174, MaxHR: 192, RestingHR: 48, ThresholdPace: 3.3898, PaceUnits: "MINS_KM",
		HRZones:   []float64{147, 156, 165, 173, 178, 183, 192},
		PaceZones: []float64{77.5, 87.7, 94.3, 100, 103.4, 111.5, 999},
	}
}

type realWorkout struct {
	Type, Description string
	Doc               Object  `json:"workout_doc"`
	NP                float64 `json:"normalized_power"`
	Average           float64 `json:"average_watts"`
	Load              float64 `json:"icu_training_load"`
	MovingTime        float64 `json:"moving_time"`
	Intensity         float64 `json:"icu_intensity"`
	FTP               float64 `json:"ftpUsed"`
}

func TestRealWorkoutsAreReadAndRatedAsThePlatformDid(t *testing.T) {
	var cases struct{ Entries []realWorkout }
	readJSON(t, casesFile, &cases)
	read, rated := 0, 0
	for i, e := range cases.Entries {
		doc := parseWorkout(e.Description, e.Type)
		got := asJSON(t, doc).(Object)
		same := true
		for _, key := range []string{"steps", "duration", "distance"} {
			if !reflect.DeepEqual(got[key], e.Doc[key]) {
				same = false
				t.Errorf("%d: %s\n got %s\nwant %s\n of %s", i, key, stepsJSON(got[key]), stepsJSON(e.Doc[key]), e.Description)
			}
		}
		if same {
			read++
		}
		p := planWorkout(doc, e.Type, rider(e.FTP))
		if p.Load == nil || *p.Load != e.Load || *p.MovingTime != e.MovingTime || !near(*p.Intensity, e.Intensity, 2e-4) ||
			p.Doc["normalized_power"] != e.NP || p.Doc["average_watts"] != e.Average {
			t.Errorf("%d: got %v, want %+v", i, p, e)
			continue
		}
		rated++
	}
	t.Logf("of %d real workouts %d were read and %d rated alike", len(cases.Entries), read, rated)
}

func near(a, b, by float64) bool { return a-b <= by && b-a <= by }

func TestGoldenVectorsOfThePlatformsParser(t *testing.T) {
	var vectors []struct {
		Description, Type string
		Steps             []any
		Doc, Event        Object
	}
	readJSON(t, "testdata/workout_parser_vectors.json", &vectors)
	for _, v := range vectors {
		doc := parseWorkout(v.Description, v.Type)
		if got := asJSON(t, doc["steps"]); !reflect.DeepEqual(got, any(v.Steps)) {
			t.Errorf("%q\n got %s\nwant %s", v.Description, stepsJSON(got), stepsJSON(v.Steps))
		}
		if v.Event == nil {
			continue
		}
		p := planWorkout(doc, v.Type, rider(v.Event["ftpUsed"].(float64)))
		if *p.Load != v.Event["icu_training_load"] || !near(*p.Intensity, v.Event["icu_intensity"].(float64), 2e-4) ||
			p.Doc["normalized_power"] != v.Doc["normalized_power"] {
			t.Errorf("%q: got load %v, intensity %v, NP %v", v.Description, *p.Load, *p.Intensity, p.Doc["normalized_power"])
		}
	}
}

func TestZoneTargetsResolveToTheWattsSeenLive(t *testing.T) {
	var live struct {
		FTP        float64
		PowerZones []float64
		Average    map[string]float64 `json:"average_watts"`
	}
	readJSON(t, "testdata/zone_targets_ftp286.json", &live)
	for target, want := range live.Average {
		p := planWorkout(parseWorkout("- 20m "+target, "Ride"), "Ride", thresholds{FTP: live.FTP, PowerZones: live.PowerZones})
		if p.Doc["average_watts"] != want {
			t.Errorf("%s: got %v W, want %v", target, p.Doc["average_watts"], want)
		}
	}
}

func TestWorkoutTextIsReadAs(t *testing.T) {
	tests := []struct{ name, sport, text, steps string }{
		{"a zone in the label takes the label away", "Ride", "- Easy Z2 spin 20m 60%",
			`[{"duration":1200,"power":{"units":"%ftp","value":60}}]`},
		{"minutes and a bare number are minutes and seconds", "Ride", "- 1m30 200w",
			`[{"duration":90,"power":{"units":"w","value":200}}]`},
		{"quotes are minutes and seconds", "Ride", `- 1'30" 200w`,
			`[{"duration":90,"power":{"units":"w","value":200}}]`},
		{"an em dash makes a range", "Ride", "- 5m 200w\u2014220w",
			`[{"duration":300,"power":{"end":220,"start":200,"units":"w"}}]`},
		{"m is minutes", "Swim", "- 400m", `[{"duration":24000}]`},
		{"a number with a unit in the label starts the step", "Ride", "- Ramp MAP best 60s",
			`[{"duration":60,"text":"Ramp MAP best"}]`},
		{"a limit with a sign cuts the label at its number", "Ride", "- Keep below <40% here 30m 100w",
			`[{"duration":1800,"power":{"units":"w","value":100},"text":"Keep below \u003c"}]`},
		{"ramp counts after the length only", "Ride", "- Ramp to failure 1m 140w",
			`[{"duration":60,"power":{"units":"w","value":140},"text":"Ramp to failure"}]`},
		{"press lap sets until_lap_press", "Ride", "- Ready 5m press lap 60%",
			`[{"duration":300,"power":{"units":"%ftp","value":60},"text":"Ready","until_lap_press":true}]`},
		{"an averaging window goes into the target", "Ride", "- 5m 55-65% power=1s",
			`[{"duration":300,"power":{"end":65,"start":55,"target":"1s","units":"%ftp"}}]`},
		{"a share of the best power keeps its duration apart", "Ride", "- 3m 90% MMP 5m",
			`[{"duration":180,"power":{"mmp_duration":300,"units":"%mmp","value":90}}]`},
		{"rest after a length is a step of its own", "Swim", "- 100mtr 95% Pace 20s rest",
			`[{"distance":100,"duration":120,"pace":{"units":"%pace","value":95}},{"duration":20,"intensity":"rest"}]`},
		{"a pace range has the unit of its end", "Run", "- 10m 4:30-4:50/km Pace",
			`[{"duration":600,"pace":{"end":290,"start":270,"units":"secs/km"}}]`},
		{"a pace without a unit has the sport's", "Swim", "- 200mtr 1:45 Pace",
			`[{"distance":200,"duration":210,"pace":{"units":"secs/100m","value":105}}]`},
		{"heart-rate zones", "Run", "- 30m Z2-Z3 HR", `[{"duration":1800,"hr":{"end":3,"start":2,"units":"hr_zone"}}]`},
		{"headers flag their steps until the blank line", "Ride", "Warm-up\n- 5m 50%\n- 5m 60%\n\n- 1m 90%\n\nCooldown:\n- 5m 40%",
			`[{"duration":300,"power":{"units":"%ftp","value":50},"warmup":true},{"duration":300,"power":{"units":"%ftp","value":60},"warmup":true},{"duration":60,"power":{"units":"%ftp","value":90}},{"cooldown":true,"duration":300,"power":{"units":"%ftp","value":40}}]`},
		{"a repeat whose children are indented is flattened to the end", "Ride", "3x\n  - 1m 100%\n\n- 5m 50%",
			`[{"duration":300,"power":{"units":"%ftp","value":50}},{"duration":60,"power":{"units":"%ftp","value":100}}]`},
		{"a repeat glued to the line above is flattened to the end", "Ride", "Main set\n3x\n- 1m 100%\n\n- 5m 50%",
			`[{"duration":300,"power":{"units":"%ftp","value":50}},{"duration":60,"power":{"units":"%ftp","value":100}}]`},
		{"a dashed repeat is a label", "Ride", "- 4x hill 1m 100%",
			`[{"duration":60,"power":{"units":"%ftp","value":100},"text":"4x hill"}]`},
		{"steps without a length vanish", "Ride", "- as you like\n- 0s 200w\n- 1m 200w", `[{"duration":60,"power":{"units":"w","value":200}}]`},
		{"Windows line ends", "Ride", "2x\r\n- 1m 200w\r\n\r\n- 2m 100w\r\n",
			`[{"distance":0,"duration":120,"reps":2,"steps":[{"duration":60,"power":{"units":"w","value":200}}],"text":"2x"},{"duration":120,"power":{"units":"w","value":100}}]`},
		{"prose alone has no steps", "WeightTraining", "Squats 3 x 8\nPlank", `[]`},
		{"no text has no steps", "Ride", "", `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := stepsJSON(parseWorkout(tt.text, tt.sport)["steps"]); got != tt.steps {
				t.Errorf("%q\n got %s\nwant %s", tt.text, got, tt.steps)
			}
		})
	}
}

func TestProseOfAWorkoutIsItsDescription(t *testing.T) {
	for text, want := range map[string]string{
		"Ride tall.\n\n- 10m 60%\n\nEat well.": "Ride tall.\nEat well.",
		"Warmup\n- 10m 60%":                    "",
		"Only talk":                            "Only talk",
	} {
		if got := parseWorkout(text, "Ride")["description"]; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestWorkoutTargetIsWhatTheStepsAimAt(t *testing.T) {
	for text, want := range map[string]string{
		"- 10m 60%":                       "POWER",
		"- 10m Z2 HR":                     "HR",
		"- 10m Z2 HR\n- 10m 60%":          "POWER",
		"3x\n- 400mtr 95% Pace\n- 1m":     "PACE",
		"- 10m":                           "AUTO",
		"Nothing":                         "AUTO",
		"- 10m Z2 HR\n- 1km 4:30/km Pace": "HR",
	} {
		if got := parseWorkout(text, "Run")["target"]; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestLongTextTakesLinearTime(t *testing.T) {
	once := func(n int) time.Duration {
		text := "- " + strings.Repeat("word Z ", 4*n) + "10m 60%\n" + strings.Repeat("3x\n- 1m 60%\n\n", n)
		start := time.Now()
		if steps := parseWorkout(text, "Ride")["steps"].([]any); len(steps) != n+1 {
			t.Fatalf("%d steps", len(steps))
		}
		return time.Since(start)
	}
	// Eight times the text: quadratic would be 64 times the time, in every
	// round. A busy machine spoils some rounds.
	small, big := time.Hour, time.Hour
	for range 15 {
		small, big = min(small, once(1000)), min(big, once(8000))
		if big <= 32*small {
			return
		}
	}
	t.Errorf("%v for a text, %v for one eight times as long", small, big)
}

func FuzzParseWorkoutNeverPanicsAndStaysFinite(f *testing.F) {
	for _, seed := range []string{"- 10m 60%", "3x\n- 9999999h 1w", "9999999x\n- 9999999h Z9", "- x", "-", "x", "- 5:5/ Pace", "-\u2013", "- 1km Z1-Z7 Pace"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		doc := parseWorkout(text, "Run")
		if _, err := json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
		p := planWorkout(doc, "Run", runner())
		if _, err := json.Marshal(fmt.Sprint(p)); err != nil || strings.Contains(fmt.Sprint(p.Doc), "NaN") {
			t.Fatal(p, err)
		}
	})
}
