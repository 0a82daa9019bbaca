package fake

import (
	"math"
	"strings"
	"testing"
)

func TestTheRecursionEqualsThePublishedDays(t *testing.T) {
	d := sampleWorld(t)
	list := readSample[[]Object](t, "wellness_list")
	a := &d.Athletes[0]
	a.Activities, a.Intervals, a.Streams, a.Messages, a.Events = nil, nil, nil, nil, nil
	for _, o := range a.Wellness[1:] { // the first day seeds the rest
		delete(o, "ctl")
		delete(o, "atl")
		delete(o, "rampRate")
	}
	w := worldOf(t, d, Options{})
	got := w.get("athlete/0/wellness?oldest=2026-07-01&newest=2026-07-15").list()
	if len(got) != len(list) {
		t.Fatalf("%d days", len(got))
	}
	for i, want := range list {
		for _, k := range []string{"ctl", "atl"} {
			if math.Abs(numberOr0(got[i], k)-numberOr0(want, k)) > 2e-5 {
				t.Errorf("%s %s: %v, want %v", want["id"], k, got[i][k], want[k])
			}
		}
		if i >= 7 && math.Abs(numberOr0(got[i], "rampRate")-numberOr0(want, "rampRate")) > 4e-5 {
			t.Errorf("%s ramp: %v, want %v", want["id"], got[i]["rampRate"], want["rampRate"])
		}
	}
}

func TestAFullWellnessDayIsServedAsItWasLoaded(t *testing.T) {
	w := newWorld(t)
	for i, want := range readSample[[]Object](t, "wellness_list") {
		got := w.get("athlete/0/wellness/" + text(want, "id")).object()
		for k, v := range want {
			if string(encode(nil, v)) != string(encode(nil, got[k])) {
				t.Errorf("%d %s: %v, want %v", i, k, got[k], v)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d keys, want %d", want["id"], len(got), len(want))
		}
	}
}

func TestFutureDaysCarryTheProjection(t *testing.T) {
	w := newWorld(t)
	add := func(day string, more Object) Object {
		body := Object{
			"category": "WORKOUT", "type": "Ride", "name": day, "start_date_local": day + "T00:00:00",
			"moving_time": 3600, "icu_training_load": 85,
		}
		for k, v := range more {
			body[k] = v
		}
		return w.do("POST", "athlete/0/events", body).ok().object()
	}
	add("2026-07-15", nil) // today: only what is done counts
	planned := add("2026-07-17", nil)
	add("2026-07-18", Object{"not_on_fitness_chart": true})
	add("2026-07-18", Object{"category": "NOTE"})
	rows := w.get("athlete/0/wellness?oldest=2026-07-15&newest=2026-07-18").list()
	loads := ""
	for _, r := range rows {
		loads += string(encode(nil, r["ctlLoad"])) + " "
	}
	if loads != "61 0 85 0 " {
		t.Errorf("loads %s", loads)
	}
	day := fitnessDay{53.264726, 59.227901}
	for i, load := range []float64{0, 85, 0} {
		day = nextDay(day, load, load, 42, 7)
		r := rows[i+1]
		if math.Abs(numberOr0(r, "ctl")-day.CTL) > 2e-5 || math.Abs(numberOr0(r, "atl")-day.ATL) > 2e-5 {
			t.Errorf("%v: %v / %v, want %v", r["id"], r["ctl"], r["atl"], day)
		}
		if r["tempWeight"] != true || r["weight"] != nil || r["sportInfo"] == nil {
			t.Errorf("%v: %v", r["id"], r)
		}
	}
	w.do("PUT", "athlete/0/events/"+idText(planned["id"]), Object{"icu_training_load": 10}).ok()
	if r := w.get("athlete/0/wellness/2026-07-17").object(); r["ctlLoad"] != 10.0 {
		t.Errorf("after a change the load is %v", r["ctlLoad"])
	}
	last := w.get("athlete/0/wellness?oldest=2026-07-16&newest=2027-12-31").list()
	if got := text(last[len(last)-1], "id"); got != "2026-09-20" { // the race, beyond 60 days
		t.Errorf("the projection ends on %s", got)
	}
}

func TestModelEventsSteerFitness(t *testing.T) {
	d := sampleWorld(t)
	a := &d.Athletes[3]
	a.Events = append(a.Events,
		Object{"id": 1, "category": "SET_FITNESS", "start_date_local": "2026-07-10T00:00:00", "icu_ctl": 45, "icu_atl": 50},
		Object{"id": 2, "category": "FITNESS_DAYS", "start_date_local": "2026-07-11T00:00:00", "ctl_days": 30, "atl_days": 5})
	a.Athlete["icu_type_settings"] = []any{Object{"type": "Run", "ctlFactor": 0.5, "atlFactor": 1}}
	w := worldOf(t, d, Options{}).as("i20004")
	rows := w.get("athlete/0/wellness?oldest=2026-07-10&newest=2026-07-15").list()
	want := fitnessDay{45, 50}
	for i, r := range rows {
		if i > 0 {
			ctlLoad, atlLoad := 0.0, 0.0
			if i == 5 {
				ctlLoad, atlLoad = 20, 40
			}
			want = nextDay(want, ctlLoad, atlLoad, 30, 5)
		}
		if math.Abs(numberOr0(r, "ctl")-want.CTL) > 2e-5 || math.Abs(numberOr0(r, "atl")-want.ATL) > 2e-5 {
			t.Errorf("%v: %v / %v, want %v", r["id"], r["ctl"], r["atl"], want)
		}
	}
}

func TestAPutMergesIntoTheDay(t *testing.T) {
	w := newWorld(t)
	before := w.get("athlete/0/wellness/2026-07-14").object()
	after := w.do("PUT", "athlete/0/wellness/2026-07-14", Object{
		"comments": "Slept well", "sleepSecs": -1, "weight": nil, "hrv": "70.5", "WhoopStrain": 9, "ctl": 1, "id": "2026-07-14", "sleepQuality": 1,
	}).ok().object()
	want := Object{"comments": "Slept well", "sleepSecs": nil, "hrv": 70.5, "WhoopStrain": 9.0, "sleepQuality": 1.0}
	for k, v := range before {
		if w, changed := want[k]; changed {
			v = w
		}
		if k != "updated" && string(encode(nil, v)) != string(encode(nil, after[k])) {
			t.Errorf("%s: %v, want %v", k, after[k], v)
		}
	}
	if after["updated"] == before["updated"] {
		t.Error("updated did not move")
	}
	for body, reason := range map[string]string{
		`{"feel":1}`: "Unrecognized wellness field [feel]", `{"weight":"heavy"}`: "java.lang.Float",
		`{"menstrualPhase":"period"}`: "Enum", `{"locked":3}`: "java.lang.Boolean",
	} {
		w.do("PUT", "athlete/0/wellness/2026-07-14", body).refused(422, reason)
	}
	w.do("PUT", "athlete/0/wellness/14-07-2026", Object{}).refused(422, "LocalDate")
	w.do("PUT", "athlete/0/wellness", Object{"weight": 70}).refused(422, "id must be")
	if r := w.do("PUT", "athlete/0/wellness", Object{"id": "2026-07-16", "weight": 69}).ok().object(); r["weight"] != 69.0 || r["tempWeight"] != false {
		t.Errorf("%v", r)
	}
}

func TestABulkOfDaysIsAllOrNothing(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "athlete/0/wellness-bulk", []Object{{"id": "2026-07-14", "steps": 1}, {"id": "2026-07-13", "walks": 1}}).refused(422, "[walks]")
	if got := w.get("athlete/0/wellness/2026-07-14").object()["steps"]; got != 10450.0 {
		t.Errorf("steps %v", got)
	}
	if r := w.do("PUT", "athlete/0/wellness-bulk", []Object{{"id": "2026-07-14", "steps": 1}, {"id": "2026-07-13", "steps": 2}}).ok(); r.body != "" {
		t.Errorf("body %q", r.body)
	}
	if got := w.get("athlete/0/wellness?oldest=2026-07-13&newest=2026-07-14&fields=steps,hrvSDNN").body; got != `[{"steps":2},{"steps":1}]` {
		t.Error(got)
	}
}

func TestLocalDateMakesWeightTheAthletes(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "athlete/0/wellness/2026-07-15", Object{"weight": 71.5}).ok()
	if got := w.get("athlete/0").object()["icu_weight"]; got != 70.0 {
		t.Errorf("weight %v", got)
	}
	w.do("PUT", "athlete/0/wellness/2026-07-15?localDate=2026-07-15", Object{"weight": 71.5, "restingHR": 47}).ok()
	if got := w.get("athlete/0").object(); got["icu_weight"] != 71.5 || got["icu_resting_hr"] != 47.0 {
		t.Errorf("%v %v", got["icu_weight"], got["icu_resting_hr"])
	}
}

func TestADayWithoutRecordIsAbsent(t *testing.T) {
	d := sampleWorld(t)
	a := &d.Athletes[0]
	a.Wellness = append(a.Wellness[:4:4], a.Wellness[5:]...) // no 5 July
	w := worldOf(t, d, Options{})
	if got := w.get("athlete/0/wellness?oldest=2026-07-04&newest=2026-07-06").ids(); got != "2026-07-04 2026-07-06" {
		t.Error(got)
	}
	w.do("GET", "athlete/0/wellness/2026-07-05", nil).refused(404, "Not Found")
	lenient := worldOf(t, d, Options{EmptyWellnessDay: true})
	if got := lenient.get("athlete/0/wellness/2026-07-05").object(); got["id"] != "2026-07-05" || got["weight"] != nil || len(got) != 46 {
		t.Errorf("%v", got)
	}
}

func TestASummaryHasARowForEachAthleteAndWeek(t *testing.T) {
	w := newWorld(t)
	rows := w.get("athlete/0/athlete-summary?start=2026-07-06&end=2026-07-19").list()
	if len(rows) != 2 || rows[0]["date"] != "2026-07-06" || rows[1]["date"] != "2026-07-13" {
		t.Fatalf("%v", rows)
	}
	now := rows[1]
	if now["count"] != 2.0 || now["training_load"] != 126.0 || math.Abs(numberOr0(now, "form")-(-5.963175)) > 1e-4 {
		t.Errorf("count %v, load %v, form %v", now["count"], now["training_load"], now["form"])
	}
	if now["weight"] != 70.0 || now["mostRecentWellnessId"] != "2026-07-15" || len(objects(now["byCategory"])) != 2 || objects(now["byCategory"])[0]["category"] != "Ride" {
		t.Errorf("%v", now)
	}
	zones := numbers(now["timeInZones"])
	sum := 0.0
	for _, z := range zones {
		sum += z
	}
	if len(zones) != 7 || sum != numberOr0(now, "timeInZonesTot") || sum == 0 {
		t.Errorf("zones %v of %v", zones, now["timeInZonesTot"])
	}
	var names []string
	for _, r := range w.as("i20002").get("athlete/0/athlete-summary").list() {
		names = append(names, text(r, "athlete_id")+"/"+text(r, "date"))
	}
	if got := strings.Join(names, " "); got != "i12345/2026-07-06 i12345/2026-07-13 i20002/2026-07-06 i20002/2026-07-13 i20003/2026-07-06 i20003/2026-07-13 i20004/2026-07-06 i20004/2026-07-13" {
		t.Error(got)
	}
}
