package fake

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestActivitiesAreListedNewestFirstWithinInclusiveDays(t *testing.T) {
	w := newWorld(t)
	for query, want := range map[string]string{
		"oldest=2026-07-07&newest=2026-07-15":                   "i90000101 i90000102 i90000103 i90000104 15000000001 i90000105",
		"oldest=2026-07-12&newest=2026-07-13":                   "i90000102 i90000103",
		"oldest=2026-07-12T16:05:00&newest=2026-07-13T09:02:09": "i90000102 i90000103",
		"oldest=2026-07-12T16:05:01&newest=2026-07-13T09:02:08": "",
		"oldest=2026-07-07&limit=2":                             "i90000101 i90000102",
		"oldest=2026-07-20&newest=2026-07-10":                   "",
		"oldest=2026-07-07&route_id=6800001&newest=2026-07-15":  "i90000101",
	} {
		if got := w.get("athlete/0/activities?" + query).ids(); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	w.do("GET", "athlete/0/activities", nil).refused(422, "'oldest'")
	w.do("GET", "athlete/0/activities?oldest=July", nil).refused(422, "LocalDateTime")
	w.do("GET", "athlete/0/activities?oldest=2026-07-01&limit=x", nil).refused(422, "limit")
}

func TestNewestIsNowWhenNotGiven(t *testing.T) {
	d := sampleWorld(t)
	for hour, want := range map[string]string{"06:00": "", "08:00": "ai20003"} { // it starts at 07:00 there
		w := worldOf(t, d, Options{Now: at(t, "2026-07-15T"+hour+":00+12:00")}).as("i20003")
		if got := w.get("athlete/0/activities?oldest=2026-07-15").ids(); got != want {
			t.Errorf("at %s: %q", hour, got)
		}
	}
}

func TestFieldsDropsNullsAndKeepsTheStubsNote(t *testing.T) {
	w := newWorld(t)
	got := w.get("athlete/0/activities?oldest=2026-07-07&fields=id,start_date_local,type,name,moving_time,distance,icu_training_load,icu_average_watts,average_heartrate,source").list()
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(readSampleFields(t))
	if string(a) != string(b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

// readSampleFields cuts the sample list as the reference's own
// activities_list_fields.json has it.
func readSampleFields(t *testing.T) []Object {
	keys := strings.Split("id,start_date_local,type,name,moving_time,distance,icu_training_load,icu_average_watts,average_heartrate,source,_note", ",")
	var out []Object
	for _, a := range readSample[[]Object](t, "activities_list") {
		short := Object{}
		for _, k := range keys {
			if a[k] != nil {
				short[k] = a[k]
			}
		}
		out = append(out, short)
	}
	return out
}

func TestAFullActivitySpellsOutEveryKeyAndKeepsCustomOnes(t *testing.T) {
	d := sampleWorld(t)
	d.Athletes[0].Activities[0]["KgPerHour"] = 1.5
	w := worldOf(t, d, Options{})
	want := readSample[Object](t, "activity_ride")
	got := w.get("activity/i90000101").object()
	for k, v := range want {
		if string(encode(nil, v)) != string(encode(nil, got[k])) {
			t.Errorf("%s: %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want)+1 || got["KgPerHour"] != 1.5 {
		t.Errorf("%d keys, want %d", len(got), len(want)+1)
	}
}

func TestAStravaActivityIsAStubAndItsPartsAreRefused(t *testing.T) {
	w := newWorld(t)
	want := `{"id":"15000000001","icu_athlete_id":"i12345","start_date_local":"2026-07-09T17:21:15","source":"STRAVA","_note":"STRAVA activities are not available via the API"}`
	if got := w.get("activity/15000000001?intervals=true").body; got != want {
		t.Error(got)
	}
	for _, part := range []string{"intervals", "streams.csv", "messages", "power-curve", "hr-curve", "pace-curve", "best-efforts", "power-vs-hr", "power-histogram", "interval-stats", "time-at-hr"} {
		w.do("GET", "activity/15000000001/"+part, nil).refused(422, "Cannot read Strava activities via the API")
	}
	w.do("PUT", "activity/15000000001", Object{"name": "x"}).refused(422, "Cannot read Strava")
	if got := w.get("athlete/0/activities/15000000001,i90000102,i1,ai20003").ids(); got != "15000000001 i90000102" {
		t.Error(got)
	}
}

func TestAHiddenActivitysLoadCountsAndIsNotServed(t *testing.T) {
	d := sampleWorld(t)
	d.Athletes[2].Activities = append(d.Athletes[2].Activities, Object{
		"id": "99", "source": "STRAVA", "start_date_local": "2026-07-15T18:00:00", "icu_training_load": 60, "name": "Secret",
	})
	w := worldOf(t, d, Options{}).as("i20003")
	if row := w.get("athlete/0/wellness/2026-07-15").object(); row["ctlLoad"] != 100.0 {
		t.Errorf("ctlLoad %v", row["ctlLoad"])
	}
	for _, path := range []string{"activity/99", "athlete/0/activities?oldest=2026-07-15&newest=2026-07-15", "athlete/0/activities/search?q=secret"} {
		if body := w.get(path).body; strings.Contains(body, "Secret") || strings.Contains(body, "60") {
			t.Errorf("%s: %s", path, body)
		}
	}
}

func TestPutActivityIsPartialAndMinusOneClears(t *testing.T) {
	w := newWorld(t)
	before := w.get("activity/i90000101").object()
	after := w.do("PUT", "activity/i90000101", Object{
		"name": "Evening ride", "icu_rpe": 7, "feel": -1, "tags": []string{}, "description": "good", "icu_ctl": 1, "id": "x",
		"carbs_ingested": nil, "KgPerHour": 2, "gear": Object{"id": "b500003"},
	}).ok().object()
	if after["name"] != "Evening ride" || after["icu_rpe"] != 7.0 || after["feel"] != nil || after["tags"] != nil || after["KgPerHour"] != 2.0 {
		t.Errorf("%v", after)
	}
	if after["session_rpe"] != math.Round(7*6348.0/60) || after["icu_ctl"] != before["icu_ctl"] || after["id"] != "i90000101" || after["carbs_ingested"] != 90.0 {
		t.Errorf("%v", after)
	}
	if after["gear"].(Object)["name"] != "Old shoes" {
		t.Errorf("gear %v", after["gear"])
	}
	w.do("PUT", "activity/i90000101", Object{"type": "ride"}).refused(422, "Enum")
	w.do("PUT", "activity/i90000101", Object{"icu_rpe": "hard"}).refused(422, "java.lang.Integer")
	w.do("PUT", "activity/i90000101", Object{"paired_event_id": 5}).refused(404, "Not Found")
	race := w.do("PUT", "activity/i90000101", Object{"race": true, "paired_event_id": -1}).ok().object()
	if race["sub_type"] != "RACE" || race["paired_event_id"] != nil {
		t.Errorf("%v", race)
	}
}

func TestAChangedLoadMovesFitnessFromItsDayOn(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "activity/i90000102", Object{"icu_training_load": 123}).ok() // was 23, on the 13th
	k := 1 - math.Exp(-1.0/42)
	for day, want := range map[string]float64{
		"2026-07-12": 52.57123, "2026-07-13": 51.875469 + 100*k, "2026-07-14": 53.078343 + 100*k*(1-k),
	} {
		row := w.get("athlete/0/wellness/" + day).object()
		if got := numberOr0(row, "ctl"); math.Abs(got-want) > 1e-4 {
			t.Errorf("%s: ctl %v, want %v", day, got, want)
		}
	}
	if got := numberOr0(w.get("activity/i90000101").object(), "icu_ctl"); math.Abs(got-(53.078343+100*k*(1-k))) > 1e-4 {
		t.Errorf("the activity after it has ctl %v", got)
	}
}

func TestManualActivities(t *testing.T) {
	w := newWorld(t)
	walk := Object{
		"start_date_local": "2026-07-15T09:00:00", "type": "Walk", "name": "Lunch walk", "moving_time": 2700,
		"distance": 4000, "icu_training_load": 12, "icu_rpe": 2, "feel": 2, "external_id": "my-app-42", "paired_event_id": 60000004,
	}
	made := w.do("POST", "athlete/0/activities/manual", walk).ok().object()
	if made["source"] != "MANUAL" || made["start_date"] != "2026-07-15T08:00:00Z" || made["elapsed_time"] != 2700.0 || made["session_rpe"] != 90.0 || made["paired_event_id"] != 60000004.0 {
		t.Errorf("%v", made)
	}
	if got := w.get("athlete/0/activities?oldest=2026-07-15").ids(); got != made["id"] {
		t.Errorf("listed %s", got)
	}
	if got := w.get("athlete/0/wellness/2026-07-15").object()["ctlLoad"]; got != 12.0 {
		t.Errorf("the day's load is %v: what was done since loading counts", got)
	}
	walk["name"] = "Long walk"
	again := w.do("POST", "athlete/0/activities/manual/bulk", []Object{walk}).ok().list()[0]
	if again["id"] != made["id"] || again["name"] != "Long walk" {
		t.Errorf("%v", again)
	}
	w.do("POST", "athlete/0/activities/manual", Object{"type": "Walk"}).refused(422, "start_date_local")
	w.do("POST", "athlete/0/activities/manual", Object{"start_date_local": "2026-07-15T09:00:00"}).refused(422, "Missing type")
	id := made["id"].(string)
	if got := w.do("DELETE", "activity/"+id, nil).ok().body; got != `{"icu_athlete_id":"i12345","id":"`+id+`"}` {
		t.Error(got)
	}
	w.do("GET", "activity/"+id, nil).refused(404, "Not Found")
}

func TestSearchFindsPartsOfNamesAndWholeTags(t *testing.T) {
	w := newWorld(t)
	for q, want := range map[string]string{"THRESHOLD": "i90000101", "%23quality": "i90000101", "%23qual": "", "a": "i90000102 i90000103 i90000104 i90000105", "a&limit=1": "i90000102"} {
		if got := w.get("athlete/0/activities/search?q=" + q).ids(); got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	if got := w.get("athlete/0/activities/search?q=strength").list()[0]; len(got) != 9 || got["race"] != false {
		t.Errorf("%v", got)
	}
	if got := w.get("athlete/0/activities/search-full?q=strength").list()[0]; len(got) != 174 {
		t.Errorf("%d keys", len(got))
	}
	w.do("GET", "athlete/0/activities/search", nil).refused(422, "'q'")
	if got := w.get("athlete/0/activities-around?activity_id=i90000103&limit=2").ids(); got != "i90000102 i90000101" {
		t.Error(got)
	}
	w.do("GET", "athlete/0/activities-around", nil).refused(422, "'activity_id'")
	if got := w.get("athlete/0/activity-tags").body; got != `["quality"]` {
		t.Error(got)
	}
}

func TestIntervalsAreThoseLoadedElseOneOverTheWhole(t *testing.T) {
	w := newWorld(t)
	loaded := w.get("activity/i90000101/intervals").object()
	sample := readSample[Object](t, "activity_intervals")
	if len(objects(loaded["icu_intervals"])) != len(objects(sample["icu_intervals"])) || loaded["analyzed"] != sample["analyzed"] {
		t.Errorf("%v", loaded)
	}
	with := w.get("activity/i90000101?intervals=true").object()
	if len(objects(with["icu_intervals"])) != 7 || len(objects(with["icu_groups"])) == 0 {
		t.Errorf("%d intervals", len(objects(with["icu_intervals"])))
	}
	d := sampleWorld(t)
	d.Athletes[0].Intervals = nil
	whole := worldOf(t, d, Options{}).get("activity/i90000101/intervals").object()
	if list := objects(whole["icu_intervals"]); len(list) != 1 || list[0]["end_index"] != 24.0 {
		t.Errorf("%v", list)
	}
	if none := w.get("activity/i90000104/intervals").object(); len(objects(none["icu_intervals"])) != 0 {
		t.Errorf("%v", none)
	}
	part := w.get("activity/i90000101/interval-stats?start_index=2&end_index=10").object()
	if part["start_index"] != 2.0 || part["end_index"] != 10.0 || part["average_watts"] == nil {
		t.Errorf("%v", part)
	}
	w.do("GET", "activity/i90000101/interval-stats?start_index=2", nil).refused(422, "'end_index'")
	w.do("GET", "activity/i90000101/interval-stats?start_index=9&end_index=2", nil).refused(422, "before")
	w.do("GET", "athlete/0/activities/interval-search?minSecs=1", nil).refused(422, "Required request parameter")
	if got := w.get("athlete/0/activities/interval-search?minSecs=400&maxSecs=500&minIntensity=95&maxIntensity=105&minReps=3").ids(); got != "i90000101" {
		t.Errorf("3 x 8 min: %q", got)
	}
}

func TestStreamsComeAsAskedFor(t *testing.T) {
	w := newWorld(t)
	all := w.get("activity/i90000101/streams").list()
	sample := readSample[[]Object](t, "activity_streams")
	for i, st := range sample {
		delete(st, "anomalies")
		delete(all[i], "anomalies")
		if string(encode(nil, st)) != string(encode(nil, all[i])) {
			t.Errorf("%s: got %v, want %v", st["type"], all[i], st)
		}
	}
	if got := w.get("activity/i90000101/streams.json?types=heartrate,time,none").list(); len(got) != 2 || got[0]["type"] != "time" {
		t.Errorf("%v", got)
	}
	if got := w.get("activity/i90000101/streams.json?types=heartrate&includeDefaults=true").list(); len(got) != 9 && len(got) != 8 {
		t.Errorf("%d streams", len(got))
	}
	if got := w.get("activity/i90000101/streams.csv?types=time,latlng").body; !strings.HasPrefix(got, "time,latlng\n0,-11.664254:166.94757\n") {
		t.Errorf("%.80s", got)
	}
	if got := w.get("activity/i90000104/streams.json").body; got != "[]" {
		t.Error(got)
	}
}

func TestCorrectedWattsAreServedAsWatts(t *testing.T) {
	d := sampleWorld(t)
	one, two := 1.0, 2.0
	d.Athletes[0].Streams["i90000102"] = []Stream{{Type: "watts", Data: []*float64{&one}}, {Type: "fixed_watts", Data: []*float64{&two}}}
	w := worldOf(t, d, Options{})
	for query, want := range map[string]string{"": "raw_watts[1] watts[2]", "?types=watts": "watts[2]", "?types=watts,raw_watts": "raw_watts[1] watts[2]"} {
		var got []string
		for _, st := range w.get("activity/i90000102/streams.json" + query).list() {
			got = append(got, text(st, "type")+string(encode(nil, st["data"])))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v", query, got)
		}
	}
}

func TestMessagesAreReadAndAdded(t *testing.T) {
	w := newWorld(t)
	if got := w.get("activity/i90000101/messages").list(); len(got) != 1 || text(got[0], "content") != "Nice work" {
		t.Errorf("%v", got)
	}
	made := w.as("i20002").do("POST", "activity/i90000101/messages", Object{"content": "Well done"}).ok().object()
	if _, there := made["new_chat"]; !there || made["id"] == nil {
		t.Errorf("%v", made)
	}
	list := w.get("activity/i90000101/messages?sinceId=11").list()
	if len(list) != 1 || list[0]["athlete_id"] != "i20002" || list[0]["activity_id"] != "i90000101" || len(list[0]) != 18 {
		t.Errorf("%v", list)
	}
	w.do("POST", "activity/i90000101/messages", Object{"content": " "}).refused(422, "Content is required")
}

func TestWhatALoadedActivityLacksComesFromItsStreams(t *testing.T) {
	d := sampleWorld(t)
	times, watts, hr := make([]*float64, 3600), make([]*float64, 3600), make([]*float64, 3600)
	for i := range times {
		s, p, b := float64(i), 280.0, 150.0
		times[i], watts[i], hr[i] = &s, &p, &b
	}
	a := &d.Athletes[0]
	a.Activities = append(a.Activities, Object{"id": "i5", "type": "Ride", "start_date_local": "2026-07-15T06:00:00", "decoupling": nil})
	a.Streams["i5"] = []Stream{{Type: "time", Data: times}, {Type: "watts", Data: watts}, {Type: "heartrate", Data: hr}}
	a.Wellness = nil
	w := worldOf(t, d, Options{})
	got := w.get("activity/i5").object()
	if got["icu_training_load"] != 100.0 || got["icu_average_watts"] != 280.0 || got["icu_ftp"] != 280.0 || got["average_heartrate"] != 150.0 {
		t.Errorf("load %v, watts %v, ftp %v", got["icu_training_load"], got["icu_average_watts"], got["icu_ftp"])
	}
	if got["decoupling"] != nil {
		t.Errorf("a null of the data set was computed: %v", got["decoupling"])
	}
	zones := objects(got["icu_zone_times"])
	if len(zones) != 8 || zones[3]["secs"] != 3600.0 {
		t.Errorf("zones %v", zones)
	}
	if day := w.get("athlete/0/wellness/2026-07-15").object(); day["ctlLoad"] != 100.0 {
		t.Errorf("day %v", day["ctlLoad"])
	}
}

func TestTheServerWorksOverASocketAndPacksWhenAsked(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.server)
	defer srv.Close()
	for _, accept := range []string{"gzip", "identity"} {
		r, _ := http.NewRequest("GET", srv.URL+"/api/v1/athlete/0/activities?oldest=2026-07-01", nil)
		r.SetBasicAuth("API_KEY", w.key)
		r.Header.Set("Accept-Encoding", accept)
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if packed := res.Header.Get("Content-Encoding") == "gzip"; packed != (accept == "gzip") || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", accept, res.Header)
		}
	}
}

func TestWritesAndReadsAtOnceAreSafe(t *testing.T) {
	now := time.Date(2026, 7, 15, 10, 0, 0, 0, time.UTC)
	w := worldOf(t, sampleWorld(t), Options{Now: func() time.Time { return now }})
	done := make(chan struct{})
	for n := range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 20 {
				_, _ = w.try("GET", "athlete/0/wellness?oldest=2026-07-01&newest=2026-09-01", nil)
				_, _ = w.try("PUT", "activity/i90000101", Object{"icu_training_load": 100 + n})
				_, _ = w.try("POST", "athlete/0/events", Object{"category": "WORKOUT", "type": "Ride", "name": "x", "description": "- 1h 60%", "start_date_local": "2026-07-20T00:00:00"})
				_, _ = w.try("GET", "athlete/0/power-curves?type=Ride", nil)
				_, _ = w.try("GET", "/_fake/requests", nil)
			}
		}()
	}
	for range 4 {
		<-done
	}
}
