package fake

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestEveryKnownErrorIsRefusedAsThePlatformDoes(t *testing.T) {
	w := newWorld(t)
	cases := map[string]struct {
		method, path string
		body         any
		auth         string
	}{
		"missing or wrong credentials":                                           {"GET", "athlete/0", nil, "Basic " + base64.StdEncoding.EncodeToString([]byte("API_KEY:wrong"))},
		"Bearer used with an API key, or another athlete's id, or scope missing": {"GET", "athlete/0", nil, "Bearer key-sample"},
		"GET activity-pace-curves with athlete id 0":                             {"GET", "athlete/0/activity-pace-curves?oldest=2026-07-01&newest=2026-07-15", nil, ""},
		"unknown route":                                {"GET", "athlete/i12345/fitness", nil, ""},
		"unknown activity / event id":                  {"GET", "athlete/0/events/1", nil, ""},
		"wrong verb":                                   {"GET", "athlete/i12345/folders/81001/workouts", nil, ""},
		"Strava activity sub-resource":                 {"GET", "activity/15000000001/streams", nil, ""},
		"required query missing":                       {"GET", "athlete/0/power-curves", nil, ""},
		"bad curve spec":                               {"GET", "athlete/0/power-curves?type=Ride&curves=6w", nil, ""},
		"unknown wellness key":                         {"PUT", "athlete/0/wellness/2026-07-14", Object{"feel": 1}, ""},
		"event without name (NOTE)":                    {"POST", "athlete/0/events", Object{"category": "NOTE", "start_date_local": "2026-07-16T00:00:00"}, ""},
		"workout event without type":                   {"POST", "athlete/0/events", Object{"category": "WORKOUT", "start_date_local": "2026-07-16T00:00:00"}, ""},
		"workout without folder":                       {"POST", "athlete/0/workouts", Object{"type": "Ride", "name": "x"}, ""},
		"name over 80 chars":                           {"POST", "athlete/0/events", Object{"category": "NOTE", "name": strings.Repeat("x", 81), "start_date_local": "2026-07-16T00:00:00"}, ""},
		"power-curves for a stream the activity lacks": {"GET", "activity/i90000101/power-curves?types=watts_alt", nil, ""},
		"rate limited":                                 {"GET", "athlete/0/gear", nil, ""},
		"malformed Basic credential":                   {"GET", "athlete/0", nil, "Basic QVBJX0tFWTp*"},
	}
	w.do("POST", "/_fake/faults", `[{"path":"/gear$","status":429,"retry_after":3}]`).ok()
	for _, known := range readSample[[]struct {
		Case   string
		Status int
		Body   json.RawMessage
	}](t, "errors") {
		t.Run(known.Case, func(t *testing.T) {
			c, ok := cases[known.Case]
			if !ok {
				if known.Case != "bad map bounds" { // /map is not served
					t.Fatal("no request for this case")
				}
				return
			}
			r, _ := http.NewRequest(c.method, "http://fake/api/v1/"+c.path, nil)
			got := w.do(c.method, c.path, c.body)
			if c.auth != "" {
				r.Header.Set("Authorization", c.auth)
				a, err := w.server.handle(r)
				if err != nil {
					t.Fatal(err)
				}
				got = reply{t, a.status, a.header, string(a.body)}
			}
			got.t = t
			if got.status != known.Status {
				t.Errorf("status %d, want %d", got.status, known.Status)
			}
			sameError(t, got.body, known.Body)
		})
	}
}

// sameError compares all but what depends on time, place or length.
func sameError(t *testing.T, got string, want json.RawMessage) {
	t.Helper()
	if string(want) == "null" {
		if got != "" {
			t.Errorf("body %s, want none", got)
		}
		return
	}
	strip := func(raw string) string {
		var v any
		if err := json.Unmarshal([]byte(raw), &v); err != nil {
			t.Fatalf("%v in %q", err, raw)
		}
		if o, ok := v.(Object); ok {
			delete(o, "timestamp")
			if s, ok := o["error"].(string); ok {
				o["error"], _, _ = strings.Cut(s, " at ")
			}
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	if strip(got) != strip(string(want)) {
		t.Errorf("body %s, want %s", got, want)
	}
}

func TestACredentialIsTheAPIKeyAsBasicPassword(t *testing.T) {
	w := newWorld(t)
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, c := range map[string]struct {
		auth string
		want int
	}{
		"the key":           {basic("API_KEY:key-sample"), 200},
		"a generated key":   {basic("API_KEY:fakekey-i20003"), 200},
		"no credential":     {"", 401},
		"another user name": {basic("me:key-sample"), 401},
		"unknown token":     {"Bearer nonsense", 401},
		"another scheme":    {"ApiKey key-sample", 401},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := http.NewRequest("GET", "http://fake/api/v1/athlete/0", nil)
			r.Header.Set("Authorization", c.auth)
			a, err := w.server.handle(r)
			if err != nil || a.status != c.want {
				t.Errorf("got %d %v, want %d", a.status, err, c.want)
			}
		})
	}
	other := worldOf(t, sampleWorld(t), Options{KeyRejectedStatus: 403})
	other.key = "wrong"
	other.do("GET", "athlete/0", nil).refused(403, "Access denied")
}

func TestACoachReachesThreeAthletesAndNoOther(t *testing.T) {
	coach := newWorld(t).as("i20002")
	if got := coach.get("athletes").ids(); got != "i12345 i20002 i20003 i20004" {
		t.Errorf("athletes: %s", got)
	}
	for id, want := range map[string]int{
		"i12345": 200, "i20002": 200, "i20003": 200, "i20004": 200, "i20005": 403, "i99999": 404,
	} {
		if got := coach.do("GET", "athlete/"+id+"/events", nil).status; got != want {
			t.Errorf("athlete %s: %d, want %d", id, got, want)
		}
	}
	coach.get("activity/i90000101")
	coach.do("GET", "activity/ai20005", nil).refused(403, "Access denied")
	coach.do("PUT", "activity/ai20005", Object{"name": "x"}).refused(403, "Access denied")
	athlete := coach.as("i20003")
	athlete.do("GET", "athlete/i20002", nil).refused(403, "Access denied")
	athlete.do("GET", "athlete/0/events/60000001", nil).refused(403, "Access denied")
}

func TestPrivateFieldsAreTheAthletesOwn(t *testing.T) {
	w := newWorld(t)
	own := w.get("athlete/0").object()
	if own["email"] != "sample@example.com" || own["icu_api_key"] != "key-sample" {
		t.Errorf("own: %v %v", own["email"], own["icu_api_key"])
	}
	seen := w.as("i20002").get("athlete/i12345").object()
	if seen["email"] != nil || seen["icu_api_key"] != nil {
		t.Errorf("to the coach: %v %v", seen["email"], seen["icu_api_key"])
	}
	if len(own) != len(readSample[Object](t, "athlete")) {
		t.Errorf("%d keys", len(own))
	}
}

func TestTodayIsTheAthletesOwn(t *testing.T) {
	d := sampleWorld(t)
	w := worldOf(t, d, Options{Now: at(t, "2026-07-15T12:30:00Z")}) // Thursday in Auckland
	for id, day := range map[string]string{"i20003": "2026-07-16", "i20004": "2026-07-15"} {
		a := w.as(id)
		for _, on := range []string{"2026-07-14", "2026-07-15", "2026-07-16"} {
			a.do("POST", "athlete/0/events", Object{"category": "NOTE", "name": on, "start_date_local": on + "T06:30:00"}).ok()
		}
		list := a.get("athlete/0/events").list()
		var names []string
		for _, o := range list {
			names = append(names, text(o, "name"))
		}
		if want := []string{"2026-07-15", "2026-07-16"}; id == "i20004" && !slices.Equal(names[1:], want) {
			t.Errorf("%s: %v", id, names)
		}
		if id == "i20003" && !slices.Equal(names, []string{day}) {
			t.Errorf("%s: %v", id, names)
		}
	}
}

func TestTheClockOfADataSetStandsAtNoonOfTheFirstAthlete(t *testing.T) {
	w := newWorld(t)
	if got := w.server.now().Format("2006-01-02T15:04Z07:00"); got != "2026-07-15T12:00+01:00" {
		t.Errorf("clock %s", got)
	}
	w.do("POST", "/_fake/clock", `{"now":"2026-08-01T10:00:00Z"}`).ok()
	first := w.get("athlete/0/events").list()[0]
	if text(first, "name") != "Summer break" {
		t.Errorf("on 1 August the calendar starts with %v", first["name"])
	}
	w.do("POST", "/_fake/clock", `{}`).ok()
	w.do("POST", "/_fake/clock", `{"now":"noon"}`).refused(400, "clock")
}

func TestADataSetThatIsWrongIsNamed(t *testing.T) {
	for want, change := range map[string]func(*Dataset){
		"no athletes":                      func(d *Dataset) { d.Athletes = nil },
		"athlete.id":                       func(d *Dataset) { delete(d.Athletes[0].Athlete, "id") },
		"is there twice":                   func(d *Dataset) { d.Athletes[1].Athlete["id"] = "i12345" },
		"timezone":                         func(d *Dataset) { d.Athletes[0].Athlete["timezone"] = "Mars/Base" },
		"has the same":                     func(d *Dataset) { d.Athletes[1].APIKey = "key-sample" },
		`coach_of: no athlete "i9"`:        func(d *Dataset) { d.Athletes[1].CoachOf = []string{"i9"} },
		"activities[0] (i90000101)":        func(d *Dataset) { d.Athletes[0].Activities[0]["start_date_local"] = "yesterday" },
		"activities[1]: id is missing":     func(d *Dataset) { delete(d.Athletes[0].Activities[1], "id") },
		`events[0]: category "RACE"`:       func(d *Dataset) { d.Athletes[0].Events[0]["category"] = "RACE" },
		`wellness[0]: id "first"`:          func(d *Dataset) { d.Athletes[0].Wellness[0]["id"] = "first" },
		`streams: no activity "i1"`:        func(d *Dataset) { d.Athletes[0].Streams["i1"] = nil },
		"sport_settings[0]: types":         func(d *Dataset) { delete(d.Athletes[0].SportSettings[0], "types") },
		"neither a date nor":               func(d *Dataset) { d.Today = "tomorrow" },
		"gear[0]: id is missing":           func(d *Dataset) { delete(d.Athletes[0].Gear[0], "id") },
		"events[0]: start_date_local":      func(d *Dataset) { delete(d.Athletes[0].Events[0], "start_date_local") },
		"events[1]: id 60000004 is there":  func(d *Dataset) { d.Athletes[0].Events[1]["id"] = "60000004" },
		"wellness[1]: 2026-07-01 is there": func(d *Dataset) { d.Athletes[0].Wellness[1]["id"] = "2026-07-01" },
	} {
		d := sampleWorld(t)
		change(&d)
		if _, err := New(d, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestTheServerSharesNothingWithItsDataSet(t *testing.T) {
	d := sampleWorld(t)
	w := worldOf(t, d, Options{})
	w.do("PUT", "activity/i90000101", Object{"name": "New", "tags": []string{"x"}}).ok()
	w.do("PUT", "athlete/0/wellness/2026-07-14", Object{"weight": 71}).ok()
	if d.Athletes[0].Activities[0]["name"] == "New" || d.Athletes[0].Wellness[13]["weight"] == 71.0 {
		t.Error("a write reached the data set")
	}
}

func TestEveryAnswerTellsTheRateLimit(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"athlete/0/gear", "athlete/0/events/1", "nowhere"} {
		r := w.do("GET", path, nil)
		if r.header.Get("X-RateLimit-Limit") != "2500,5000" || !strings.Contains(r.header.Get("X-RateLimit-Remaining"), ",") {
			t.Errorf("%s: %v", path, r.header)
		}
	}
}

func TestRoutesTakeSuffixesAndRefuseOtherVerbs(t *testing.T) {
	w := newWorld(t)
	w.get("athlete/0/gear.json")
	if csv := w.get("athlete/0/wellness.csv?oldest=2026-07-13&newest=2026-07-14&cols=id,weight,comments"); csv.body !=
		"id,weight,comments\n2026-07-13,,Legs heavy after the long ride\n2026-07-14,70,\n" {
		t.Errorf("csv: %q", csv.body)
	}
	for _, c := range [][2]string{
		{"DELETE", "athlete/0/wellness/2026-07-14"}, {"POST", "athlete/0/gear"}, {"PATCH", "activity/i90000101"},
	} {
		w.do(c[0], c[1], nil).refused(405, "Method Not Allowed")
	}
	w.do("GET", "activity/i90000101/curves", nil).refused(404, `"path":"/api/v1/activity/i90000101/curves"`)
	w.do("GET", "athlete//events", nil).refused(404, "Not Found")
}

func TestBodiesThatAreNoJSONAreRefused(t *testing.T) {
	w := newWorld(t)
	for body, status := range map[string]int{"": 400, "{": 400, "[]": 422, `"x"`: 422, "null": 422} {
		if got := w.do("POST", "athlete/0/events", body); got.status != status {
			t.Errorf("%q: %d %s", body, got.status, got.body)
		}
	}
	w.do("POST", "athlete/0/events/bulk", `{}`).refused(422, "ArrayList")
	w.do("POST", "athlete/0/events/bulk", `[1]`).refused(422, "element 0")
}
