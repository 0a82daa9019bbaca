package fake

import (
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"
)

// rides is a world whose athlete has rides of a constant power, each an hour
// long: {day: watts}.
func rides(t *testing.T, byDay map[string]float64, more ...Object) *world {
	a := AthleteData{
		Athlete: Object{"id": "i1", "timezone": "Europe/London", "icu_weight": 70}, Streams: map[string][]Stream{},
		SportSettings: readSample[[]Object](t, "sport_settings_list"), Events: more,
	}
	for day, watts := range byDay {
		id := "i" + strings.ReplaceAll(day, "-", "")
		a.Activities = append(a.Activities, Object{
			"id": id, "type": "Ride", "start_date_local": day + "T08:00:00", "trainer": watts < 200, "moving_time": 3600,
			"icu_training_load": 50, "icu_weight": 70, "name": "Ride of " + day, "tags": []any{"x"},
		})
		times, data, metres := make([]*float64, 3600), make([]*float64, 3600), make([]*float64, 3600)
		for i := range times {
			s, w, m := float64(i), watts, float64(i)*watts/40
			if i < 300 {
				w += 50
			}
			times[i], data[i], metres[i] = &s, &w, &m
		}
		a.Streams[id] = []Stream{
			{Type: "time", Data: times}, {Type: "watts", Data: data}, {Type: "heartrate", Data: data}, {Type: "distance", Data: metres},
			{Type: "velocity_smooth", Data: data}, {Type: "cadence", Data: data},
		}
	}
	return worldOf(t, Dataset{Today: "2026-07-15", Athletes: []AthleteData{a}}, Options{})
}

// valueAt is a curve's value at a duration.
func valueAt(curve Object, axis string, key float64) any {
	at, values := numbers(curve[axis]), numbers(curve["values"])
	for i, k := range at {
		if k == key {
			return values[i]
		}
	}
	return nil
}

func TestACurveTakesTheBestOfItsDays(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-15": 200, "2026-06-03": 250, "2026-06-02": 300, "2026-01-01": 310, "2025-12-31": 320})
	body := w.get("athlete/0/power-curves?type=Ride&curves=42d,1y,s0,s1,all,r.2026-06-02.2026-06-02").object()
	want := map[string]string{
		"42d": "42 days|2026-06-03|2026-07-16|43|300", "1y": "1 year|2025-07-15|2026-07-16|366|370",
		"s0": "This season|2026-01-01|2026-07-16|196|360", "s1": "Last season|2025-01-01|2026-01-01|365|370",
		"all":                     "All time|2025-12-31|2026-07-16|197|370",
		"r.2026-06-02.2026-06-02": "2026-06-02 - 2026-06-02|2026-06-02|2026-06-03|1|350",
	}
	for _, c := range objects(body["list"]) {
		got := fmt.Sprintf("%v|%v|%v|%v|%v", c["label"], c["start_date_local"], c["end_date_local"], c["days"], valueAt(c, "secs", 300))
		if got != want[text(c, "id")] {
			t.Errorf("%v: %s, want %s", c["id"], got, want[text(c, "id")])
		}
	}
	first := objects(body["list"])[0]
	if texts(first["activity_id"])[0] != "i20260603" || numbers(first["watts_per_kg"])[0] != 4.2857143 || first["vo2max_5m"] != 53.3 {
		t.Errorf("%v", first)
	}
	acts := body["activities"].(Object)
	if len(acts) != 4 || len(acts["i20260603"].(Object)) < 170 {
		t.Errorf("%d activities", len(acts))
	}
	if models := objects(first["powerModels"]); len(models) != 4 || math.Abs(numberOr0(models[0], "criticalPower")-250) > 2 {
		t.Errorf("%v", models)
	}
}

func TestSeasonsStartWhereTheCalendarSaysSo(t *testing.T) {
	start := func(id int, day string) Object {
		return Object{"id": id, "category": "SEASON_START", "name": "s", "start_date_local": day + "T00:00:00"}
	}
	w := rides(t, map[string]float64{"2026-07-14": 200}, start(1, "2025-11-03"), start(2, "2026-05-04"), start(3, "2026-09-01"))
	var got []string
	for _, c := range objects(w.get("athlete/0/power-curves?type=Ride&curves=s0,s1,s2").object()["list"]) {
		got = append(got, fmt.Sprintf("%v..%v", c["start_date_local"], c["end_date_local"]))
	}
	if s := strings.Join(got, " "); s != "2026-05-04..2026-07-16 2025-11-03..2026-05-04 2025-01-01..2025-11-03" {
		t.Error(s)
	}
}

func TestCurvesAreRefusedByName(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200})
	for curve, want := range map[string]string{
		"6w": "Invalid curve: [6w]", "s": "[s]", "0d": "[0d]", "r.2026-02-01.2026-01-01": "[r.2026-02-01.2026-01-01]", "1y-kj2": "[1y-kj2]",
		"r.2026-13-01.2026-14-01": "Invalid curve",
	} {
		w.do("GET", "athlete/0/power-curves?type=Ride&curves=42d,"+curve, nil).refused(422, want)
	}
	w.do("GET", "athlete/0/power-curves?type=ride", nil).refused(422, "ActivityType")
	w.do("GET", "athlete/0/hr-curves?curves=1y-kj0", nil).refused(422, "Invalid curve")
	w.get("athlete/0/hr-curves")
	w.get("athlete/0/pace-curves")
}

func TestFiltersCutAndComparesCurves(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200, "2026-07-13": 150})
	filter := func(s string) string { return url.QueryEscape(s) }
	for f, want := range map[string]any{
		`[{"field_id":"indoor","value":true,"id":1}]`:                                       200.0,
		`[{"field_id":"indoor","value":false}]`:                                             250.0,
		`[{"field_id":"type","value":["Run"]}]`:                                             nil,
		`[{"field_id":"type","value":["Ride"]}]`:                                            250.0,
		`[{"field_id":"name","value":"07-13"}]`:                                             200.0,
		`[{"field_id":"notName","value":"07-14"}]`:                                          200.0,
		`[{"field_id":"tags","value":["x"]},{"field_id":"indoor","value":true,"not":true}]`: 250.0,
		`[{"field_id":"load","operator":">","value":50}]`:                                   nil,
		`[{"field_id":"moving_time","value":[3000,4000]}]`:                                  250.0,
	} {
		list := objects(w.get("athlete/0/power-curves?type=Ride&curves=42d&filters=" + filter(f)).object()["list"])
		if got := valueAt(list[0], "secs", 60); got != want || len(objects(list[0]["filters"])) == 0 {
			t.Errorf("%s: %v, want %v", f, got, want)
		}
	}
	both := objects(w.get("athlete/0/power-curves?type=Ride&curves=42d&f1=" + filter(`[{"field_id":"indoor","value":true}]`) + "&f2=" + filter(`[{"field_id":"indoor","value":false}]`)).object()["list"])
	if len(both) != 2 || valueAt(both[0], "secs", 60) != 200.0 || valueAt(both[1], "secs", 60) != 250.0 {
		t.Errorf("%v", both)
	}
	w.do("GET", "athlete/0/power-curves?type=Ride&filters=indoor", nil).refused(422, "ActivityFilter")
	w.do("GET", "athlete/0/power-curves?type=Ride&filters="+filter(`[{"field_id":"moon"}]`), nil).refused(422, "moon")
}

func TestACurveFollowsChangesOfItsActivities(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200, "2026-07-13": 150})
	at60 := func() any {
		return valueAt(objects(w.get("athlete/0/power-curves?type=Ride&curves=42d").object()["list"])[0], "secs", 60)
	}
	if at60() != 250.0 {
		t.Error(at60())
	}
	w.do("DELETE", "activity/i20260714", nil).ok()
	if at60() != 200.0 {
		t.Error(at60())
	}
	w.do("PUT", "activity/i20260713", Object{"type": "Run"}).ok()
	if at60() != nil {
		t.Error(at60())
	}
}

func TestOneActivitysCurves(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200})
	power := w.get("activity/i20260714/power-curve.json").object()
	if valueAt(power, "secs", 300) != 250.0 || power["stream_type"] != "watts" || power["activity_id"] != nil || power["weight"] != 70.0 {
		t.Errorf("%v", power)
	}
	list := w.get("activity/i20260714/power-curves?types=watts&fatigue=normal").list()
	if len(list) != 1 || valueAt(list[0], "secs", 3000) != 205.0 {
		t.Errorf("%v", valueAt(list[0], "secs", 3000))
	}
	if r := w.do("GET", "activity/i20260714/power-curves?fatigue=kj0", nil); r.status != 422 || r.body != "" {
		t.Errorf("%d %q", r.status, r.body)
	}
	w.do("PUT", "athlete/0/sport-settings/Ride?recalcHrZones=false", Object{"after_kj0": 75}).ok() // the first five minutes
	tired := w.get("activity/i20260714/power-curve?fatigue=kj0").object()
	if tired["after_kj"] != 75.0 || valueAt(tired, "secs", 300) != 200.0 {
		t.Errorf("%v at 5 min after %v kJ", valueAt(tired, "secs", 300), tired["after_kj"])
	}
	if hr := w.get("activity/i20260714/hr-curve").object(); valueAt(hr, "secs", 60) != 250.0 || hr["watts_per_kg"] != nil {
		t.Errorf("%v", hr)
	}
	if csv := w.get("activity/i20260714/power-curve.csv").body; !strings.HasPrefix(csv, "secs,i20260714\n1,250\n") {
		t.Errorf("%.60s", csv)
	}
}

func TestBestsOfEachActivityOfARange(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200, "2026-07-13": 150})
	if got := w.get("athlete/0/activity-power-curves?oldest=2026-07-13&newest=2026-07-14&type=Ride&secs=60,300,600").body; got !=
		`{"after_kj":0,"secs":[60,300,600],"curves":[{"id":"i20260714","start_date_local":"2026-07-14T08:00:00","weight":70,"watts":[250,250,225]},`+
			`{"id":"i20260713","start_date_local":"2026-07-13T08:00:00","weight":70,"watts":[200,200,175]}]}` {
		t.Error(got)
	}
	if got := w.get("athlete/0/activity-hr-curves?oldest=2026-07-14&newest=2026-07-14&secs=60").body; !strings.Contains(got, `"bpm":[250]`) {
		t.Error(got)
	}
	w.get("athlete/i1/activity-pace-curves?oldest=2026-07-14&newest=2026-07-14")
	w.do("GET", "athlete/0/activity-hr-curves?oldest=2026-07-14", nil).refused(422, "'newest'")
}

func TestHistogramsCountSeconds(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200})
	if got := w.get("activity/i20260714/power-histogram?bucketSize=50").body; got != `[{"min":200,"max":249,"secs":3300},{"min":250,"max":299,"secs":300}]` {
		t.Error(got)
	}
	if got := w.get("activity/i20260714/hr-histogram").list(); len(got) != 11 || got[0]["secs"] != 3300.0 || got[0]["max"] != 204.0 {
		t.Errorf("%v", got)
	}
	if got := w.get("activity/i20260714/time-at-hr").object(); got["min_bpm"] != 200.0 || got["max_bpm"] != 250.0 || numbers(got["secs"])[0] != 3300.0 {
		t.Errorf("%v", got)
	}
	w.do("GET", "activity/i20260714/power-histogram?bucketSize=0", nil).refused(422, "bucketSize")
}

func TestBestEffortsDoNotOverlap(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200})
	list := objects(w.get("activity/i20260714/best-efforts?stream=watts&duration=300&count=3").object()["efforts"])
	if len(list) != 3 || list[0]["average"] != 250.0 || list[0]["start_index"] != 0.0 || list[1]["average"] != 200.0 || numberOr0(list[1], "start_index") < 300 {
		t.Errorf("%v", list)
	}
	far := objects(w.get("activity/i20260714/best-efforts?stream=watts&distance=1000&count=1").object()["efforts"])
	if len(far) != 1 || far[0]["distance"] != 1000.0 || far[0]["end_index"] != 200.0 {
		t.Errorf("%v", far)
	}
	w.do("GET", "activity/i20260714/best-efforts?duration=300", nil).refused(422, "'stream'")
	w.do("GET", "activity/i20260714/best-efforts?stream=watts", nil).refused(422, "One of duration or distance is required")
}

func TestPowerAgainstHeartRateIsHalved(t *testing.T) {
	w := rides(t, map[string]float64{"2026-07-14": 200})
	got := w.get("activity/i20260714/power-vs-hr.json").object()
	if len(objects(got["series"])) != 60 || got["powerHr"] != 1.0 || got["decoupling"] != 0.0 || got["start"] != 20.0 || got["end"] != 50.0 {
		t.Errorf("%v", got)
	}
}
