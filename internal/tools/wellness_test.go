package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/training"
)

// day gives the sample's wellness record of a date, to change it.
func wellnessOf(t testing.TB, d fake.Dataset, date string) fake.Object {
	t.Helper()
	for _, o := range d.Athletes[0].Wellness {
		if o["id"] == date {
			return o
		}
	}
	t.Fatalf("no wellness on %s", date)
	return nil
}

// oneDay asks for one day of a changed sample.
func oneDay(t testing.TB, date string, args map[string]any, change func(o fake.Object)) (string, map[string]any) {
	t.Helper()
	d := sampleData(t)
	change(wellnessOf(t, d, date))
	w := newWorld(t, d, sampleNow)
	all := map[string]any{"start_date": date, "end_date": date}
	for k, v := range args {
		all[k] = v
	}
	text, out := w.ok(t, "get_wellness_data", all)
	return text, records(out, "wellness")[0]
}

func TestBWellnessScalesAreWordsFromOneToFour(t *testing.T) {
	for step, words := range map[float64]string{
		1: "feeling fatigue 1 low soreness 1 low stress 1 low mood 1 great motivation 1 extreme injury 1 none",
		2: "feeling fatigue 2 average soreness 2 average stress 2 average mood 2 good motivation 2 high injury 2 niggle",
		3: "feeling fatigue 3 high soreness 3 high stress 3 high mood 3 ok motivation 3 average injury 3 poor",
		4: "feeling fatigue 4 extreme soreness 4 extreme stress 4 extreme mood 4 grumpy motivation 4 low injury 4 injured",
	} {
		text, day := oneDay(t, "2026-07-14", nil, func(o fake.Object) {
			for _, key := range []string{"soreness", "fatigue", "stress", "mood", "motivation", "injury", "sleepQuality"} {
				o[key] = step
			}
		})
		says(t, text, words, "quality "+fmt.Sprint(step)+" "+sleepWords.word(step))
		keepsQuiet(t, text, "/10 ", "/10,")
		if day["feeling_fatigue"] != step || day["fatigue"] != nil || day["mood_word"] != moodWords.word(step) {
			t.Errorf("day = %v", day)
		}
	}
}

func TestBReadinessIsADeviceScoreOutOfAHundred(t *testing.T) {
	text, day := oneDay(t, "2026-07-14", nil, func(o fake.Object) { o["readiness"] = 71.0 })
	says(t, text, "readiness 71/100", "score 82/100")
	if day["readiness"] != 71.0 || day["readiness_word"] != nil {
		t.Errorf("day = %v", day)
	}
}

func TestBHydrationIsAWordFromOneToFour(t *testing.T) {
	for step, word := range map[float64]string{1: "good", 2: "ok", 3: "poor", 4: "bad"} {
		text, day := oneDay(t, "2026-07-14", nil, func(o fake.Object) { o["hydration"] = step })
		says(t, text, fmt.Sprintf("drunk 2.5 l, hydration %v %s", step, word))
		if day["hydration"] != step || day["hydration_word"] != word {
			t.Errorf("day = %v", day)
		}
	}
}

func TestBFormStandsBesideFitnessAndFatigue(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, out := w.ok(t, "get_wellness_data", map[string]any{"start_date": "today", "end_date": "today"})
	says(t, text, "CTL 53.3 ATL 59.2 form -6.0 ramp 2.4", "form at the end of the day")
	if day := records(out, "wellness")[0]; day["form"] != -6.0 || day["ctl"] != 53.3 || day["atl"] != 59.2 || day["ramp_rate"] != 2.4 {
		t.Errorf("day = %v", day)
	}
}

func TestFormHasItsPercentWhereTheAthleteWantsIt(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].Athlete["icu_form_as_percent"] = true
	text, out := newWorld(t, d, sampleNow).ok(t, "get_wellness_data", map[string]any{"start_date": "today"})
	says(t, text, "form -6.0 (-11 %)")
	if day := records(out, "wellness")[0]; day["form_percent"] != -11.0 {
		t.Errorf("day = %v", day)
	}
}

func TestMeansLeaveOutDaysWithoutAValue(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, out := w.ok(t, "get_wellness_data", map[string]any{"start_date": "2026-07-09"}) // the last 7 days
	says(t, text, "HRV 61.4 (n=4/7)", "weight 70.1 kg (n=2/7)", "Last recorded night 2026-07-14: 7:47, quality 2 good, soreness 2 average, injury 1 none")
	if hrv := out["means"].(map[string]any)["hrv_ms"].(map[string]any); hrv["mean"] != 61.4 || hrv["n"] != 4.0 || out["days"] != 7.0 {
		t.Errorf("mean = %v of %v", hrv, out["days"])
	}
	text, _ = w.ok(t, "get_wellness_data", map[string]any{"start_date": "2026-07-13", "end_date": "2026-07-19"}) // this week so far
	says(t, text, "HRV 59.8 (n=3/3)")
	if night := out["last_night"].(map[string]any); night["date"] != "2026-07-14" || night["sleep_s"] != 28020.0 || night["sleep_quality_word"] != "good" {
		t.Errorf("last night = %v", night)
	}
}

func TestCarriedOverValuesAreMarkedAndLeftOutOfMeans(t *testing.T) {
	d := sampleData(t)
	o := wellnessOf(t, d, "2026-07-14")
	o["weight"], o["tempWeight"], o["restingHR"], o["tempRestingHR"] = 90.0, true, 90.0, true
	text, out := newWorld(t, d, sampleNow).ok(t, "get_wellness_data", map[string]any{"start_date": "2026-07-12", "end_date": "2026-07-14"})
	says(t, text, "weight 90 kg (carried over)", "resting HR 90 (carried over)", "weight 70.1 kg (n=1/3)", "resting HR 49.5 (n=2/3)")
	if day := records(out, "wellness")[2]; day["weight_carried_over"] != true || day["resting_hr_carried_over"] != true {
		t.Errorf("day = %v", day)
	}
}

func TestAZeroThatNobodyCanHaveIsNoMeasurement(t *testing.T) {
	d := sampleData(t)
	o := wellnessOf(t, d, "2026-07-14")
	for _, key := range []string{"weight", "restingHR", "hrv", "sleepSecs", "spO2", "systolic", "mood", "vo2max"} {
		o[key] = 0.0
	}
	w := newWorld(t, d, sampleNow)
	days := map[string]any{"start_date": "2026-07-12", "end_date": "2026-07-14"}
	text, out := w.ok(t, "get_wellness_data", days)
	says(t, text, "weight 70.1 kg (n=1/3)", "resting HR 49.5 (n=2/3)", "HRV 59.0 (n=2/3)", "sleep 7:23 (n=2/3)", "Last recorded night 2026-07-13")
	keepsQuiet(t, text, "weight 0", "HR 0", "HRV 0", "SpO2", "blood pressure", "mood 0", " 0:00")
	for _, key := range []string{"weight_kg", "resting_hr_bpm", "hrv_ms", "sleep_s", "spo2_percent", "diastolic_mmhg", "mood"} {
		if v, there := records(out, "wellness")[2][key]; there {
			t.Errorf("%s = %v, want it absent", key, v)
		}
	}
	days["include_all_fields"] = true
	text, _ = w.ok(t, "get_wellness_data", days)
	says(t, text, "weight 0 kg") // all that was sent
}

func TestWhatIsAbsentStaysAbsentAndZeroStaysZero(t *testing.T) {
	text, day := oneDay(t, "2026-07-14", nil, func(o fake.Object) {
		o["diastolic"], o["steps"], o["locked"], o["mood"], o["hrv"] = nil, 0.0, nil, 9.0, nil
	})
	says(t, text, "0 steps", "mood 9 ")
	keepsQuiet(t, text, "blood pressure", "HRV 0", "Locked", "Unlocked", "null", "N/A", "None")
	for _, key := range []string{"systolic_mmhg", "diastolic_mmhg", "locked", "hrv_ms", "mood_word"} {
		if _, there := day[key]; there {
			t.Errorf("%s = %v, want it absent", key, day[key])
		}
	}
	if day["steps"] != 0.0 {
		t.Errorf("steps = %v", day["steps"])
	}
	text, day = oneDay(t, "2026-07-14", nil, func(o fake.Object) { o["locked"], o["weight"], o["comments"] = true, 70.0, "say \"hi\"\n# SYSTEM" })
	says(t, text, "blood pressure 118/74 mmHg", "Locked", `"say 'hi' # SYSTEM"`)
	if day["locked"] != true {
		t.Errorf("day = %v", day)
	}
}

func TestWeightIsInTheAthletesUnit(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].Athlete["weight_pref_lb"] = true
	text, out := newWorld(t, d, sampleNow).ok(t, "get_wellness_data", map[string]any{"start_date": "2026-07-14", "end_date": "2026-07-14"})
	says(t, text, "weight 154.3 lb")
	if day := records(out, "wellness")[0]; day["weight_kg"] != 70.0 {
		t.Errorf("structured weight = %v, want SI", day["weight_kg"])
	}
}

func TestCustomFieldsCarryTheirNames(t *testing.T) {
	text, day := oneDay(t, "2026-07-14", nil, func(o fake.Object) { o["Unnamed2"] = 3.0 })
	says(t, text, `"Whoop strain" 12.4`)
	keepsQuiet(t, text, "Unnamed2", "Other Fields")
	if f := day["custom_fields"].(map[string]any)["WhoopStrain"].(map[string]any); f["name"] != "Whoop strain" || f["value"] != 12.4 {
		t.Errorf("custom fields = %v", day["custom_fields"])
	}
}

func TestAllFieldsComeOnRequestOnly(t *testing.T) {
	d := sampleData(t)
	o := wellnessOf(t, d, "2026-07-14")
	o["menstrualPhase"], o["menstrualPhasePredicted"], o["locked"] = "LUTEAL", "PERIOD", false
	w := newWorld(t, d, sampleNow)
	days := map[string]any{"start_date": "2026-07-14", "end_date": "2026-07-14"}
	text, _ := w.ok(t, "get_wellness_data", days)
	keepsQuiet(t, text, "Luteal", "Menstrual", "Unlocked", "updated")
	w.fault(t, map[string]any{"path": "/wellness", "body": []any{
		map[string]any{"id": "2026-07-14", "menstrualPhase": "LUTEAL", "locked": false, "weight": 70, "kcalConsumed": 2650, "WhoopStrain": 12.4,
			"newThing": map[string]any{"a": 1}, "other": "x", "none": nil, "updated": "z", "tempWeight": false}}})
	days["include_all_fields"] = true
	text, out := w.ok(t, "get_wellness_data", days)
	says(t, text, "Date: 2026-07-14 Tue", "Menstrual Tracking: Luteal", "Nutrition & Hydration: 2650 kcal", `Custom Fields: "Whoop strain" 12.4`,
		"Status: Unlocked", "Other Fields:\n- newThing: {\"a\":1}\n- other: \"x\"")
	keepsQuiet(t, text, "updated", "none", "tempWeight")
	day := records(out, "wellness")[0]
	if other := day["other_fields"].(map[string]any); len(other) != 2 || day["menstrual_phase"] != "luteal" || day["locked"] != false {
		t.Errorf("day = %v", day)
	}
}

func TestPrivateWellnessKeysAreShownToTheAthleteOnly(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].Athlete["private_wellness_keys"] = []any{"weight", "mood", "hrv", "WhoopStrain", "comments"}
	wellnessOf(t, d, "2026-07-14")["comments"] = "for me alone"
	d.Athletes = append(d.Athletes, fake.AthleteData{Athlete: fake.Object{"id": "i777", "timezone": "UTC"}, APIKey: "coach-key-777", CoachOf: []string{"i12345"}})
	w := newWorld(t, d, sampleNow)
	args := map[string]any{"athlete_id": "i12345", "start_date": "2026-07-12", "end_date": "2026-07-14", "include_all_fields": true}
	text, _ := w.ok(t, "get_wellness_data", args)
	says(t, text, "weight 70 kg", "mood 2 good", "HRV 63.5", "Whoop", "for me alone")

	w.svc = newTestService(t, w.fake.Transport(), "coach-key-777", func() time.Time { return w.now })
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"a coach's key on a laptop", func() {}},
		{"ATHLETE_ID names the coached athlete", func() { w.id.Athlete = "i12345" }},
		{"a coach's connection", func() {
			w.id.Local, w.id.Coach, w.id.Athlete, w.id.Athletes = false, true, "i777", []string{"i12345"}
		}},
	} {
		c.change()
		a := w.call(t, "get_wellness_data", args)
		if a.IsError || !strings.Contains(a.Text, "soreness 2 average") {
			t.Fatalf("%s: %s", c.name, a.Text)
		}
		keepsQuiet(t, a.Text, "weight", "mood", "HRV 6", "Whoop", "for me alone")
		keepsQuiet(t, string(a.Structured), "weight", "mood", "hrv", "Whoop", "for me alone")
	}
}

func TestFutureDaysAreAProjection(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, out := w.ok(t, "get_wellness_data", map[string]any{"start_date": "today", "end_date": "+2d"})
	says(t, text, "2026-07-16 Thu (projection)")
	keepsQuiet(t, text, "2026-07-15 Wed (projection)")
	rows := records(out, "wellness")
	if len(rows) != 3 || rows[0]["projection"] != nil || rows[2]["projection"] != true || out["days"] != 1.0 {
		t.Errorf("rows = %v, days = %v", rows, out["days"])
	}
}

func TestNoWellnessIsSaidInTheReferencesWords(t *testing.T) {
	text, out := newWorld(t, sampleData(t), sampleNow).ok(t, "get_wellness_data", map[string]any{"start_date": "2019-01-01", "end_date": "2019-01-31"})
	if text != "No wellness data found for athlete i12345 in the specified date range." || len(records(out, "wellness")) != 0 {
		t.Errorf("text = %q, %v", text, out)
	}
}

// threeYears is a record a day with every field, far over one answer's budget.
func threeYears(t testing.TB) fake.Dataset {
	d := sampleData(t)
	template := mustJSON(wellnessOf(t, d, "2026-07-14"))
	d.Athletes[0].Wellness = nil
	for day := "2023-07-16"; day <= "2026-07-15"; day = training.AddDays(day, 1) {
		var o fake.Object
		if err := json.Unmarshal(template, &o); err != nil {
			t.Fatal(err)
		}
		o["id"] = day
		d.Athletes[0].Wellness = append(d.Athletes[0].Wellness, o)
	}
	return d
}

func TestThreeYearsOfWellnessComeInPagesThatHoldEachDayOnce(t *testing.T) {
	w := newWorld(t, threeYears(t), sampleNow)
	args := map[string]any{"start_date": "2023-07-16", "end_date": "today"}
	next, pages := "2023-07-16", 0
	for {
		a := w.call(t, "get_wellness_data", args)
		var out map[string]any
		if err := json.Unmarshal(a.Structured, &out); a.IsError || err != nil {
			t.Fatal(a.Text, err)
		}
		if size := len(a.Text) + len(a.Structured); size > 2*textBudget+2000 {
			t.Errorf("page %d has %d bytes", pages, size)
		}
		for _, row := range records(out, "wellness") {
			if row["id"] != next {
				t.Fatalf("page %d: %v, want %s", pages, row["id"], next)
			}
			next = training.AddDays(next, 1)
		}
		pages++
		cursor, more := out["next_cursor"].(string)
		if left := training.DaysBetween(next, "2026-07-15") + 1; more != (left > 0) || (more && out["remaining"] != float64(left)) {
			t.Fatalf("page %d: %v left, want %d", pages, out["remaining"], left)
		}
		if !more {
			break
		}
		says(t, a.Text, "more days: pass cursor")
		if pages == 1 {
			w.fails(t, "get_wellness_data", map[string]any{"start_date": "2024-01-01", "cursor": cursor}, "belongs to other arguments")
		}
		args["cursor"] = cursor
		w.now = w.now.Add(24 * time.Hour) // a list does not grow while it is read
	}
	if pages < 3 {
		t.Errorf("%d pages", pages)
	}
	w.fails(t, "get_wellness_data", map[string]any{"cursor": "nonsense"}, "is not one that this server gave")
}

func TestLimitBoundsTheDays(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	_, out := w.ok(t, "get_wellness_data", map[string]any{"start_date": "2026-07-01", "limit": 4})
	if out["count"] != 4.0 || out["remaining"] != 11.0 {
		t.Errorf("out = %v", out)
	}
}

func TestFourteenDaysOfWellnessAreShort(t *testing.T) {
	if testing.Short() {
		t.Skip("makes the demo data")
	}
	at, _ := time.Parse(time.RFC3339, "2026-11-30T10:00:00Z")
	w := newWorld(t, fake.Demo(at), at.Format(time.RFC3339))
	if text, _ := w.ok(t, "get_wellness_data", map[string]any{"start_date": "-13d"}); len(text) > 5000 { // 1.8k tokens at 2.75 bytes
		t.Errorf("%d bytes", len(text))
	}
	text, out := w.ok(t, "get_events", map[string]any{"end_date": "+13d"})
	if per := len(text) / len(records(out, "events")); per > 125 { // 50 tokens an event
		t.Errorf("%d bytes an event", per)
	}
}
