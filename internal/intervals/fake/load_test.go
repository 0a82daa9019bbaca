package fake

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLoadTakesPartsThatHangOnActivitiesInEveryShape(t *testing.T) {
	const head = `{"today":"2026-07-15","athletes":[{"athlete":{"id":"i1","name":"A"},"api_key":"k","activities":[{"id":7,"type":"Ride","start_date_local":"2026-07-14T07:00:00","moving_time":60,"Custom":"kept"}],`
	for name, parts := range map[string]string{
		"maps of bodies": `"intervals":{"7":{"icu_intervals":[{"id":1,"type":"WORK"}],"icu_groups":[]}},
			"streams":{"7":[{"type":"time","data":[0,1]},{"type":"latlng","data":[1,null],"data2":[2,null]}]},
			"messages":{"7":[{"id":3,"content":"hi"}]}`,
		"maps of bare lists": `"intervals":{"7":[{"id":1,"type":"WORK"}]},
			"streams":{"7":{"time":[0,1],"latlng":[[1,2],null]}},
			"messages":{"7":{"messages":[{"id":3,"content":"hi"}]}}`,
		"lists that name the activity": `"intervals":[{"id":7,"icu_intervals":[{"id":1,"type":"WORK"}]}],
			"streams":[{"activity_id":"7","streams":[{"type":"time","data":[0,1]},{"type":"latlng","data":[1,null],"data2":[2,null]}]}],
			"messages":[{"activity_id":7,"id":3,"content":"hi"}]`,
		"rows that name the activity": `"intervals":[{"activity_id":"7","intervals":[{"id":1,"type":"WORK"}]}],
			"streams":[{"activity_id":"7","type":"time","data":[0,1]},{"activity_id":"7","type":"latlng","data":[1,null],"data2":[2,null]}],
			"messages":[{"activity_id":"7","messages":[{"id":3,"content":"hi"}]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Load(strings.NewReader(head + parts + `}]}`))
			if err != nil {
				t.Fatal(err)
			}
			w := worldOf(t, d, Options{})
			if list := objects(w.get("activity/7/intervals").object()["icu_intervals"]); len(list) != 1 || list[0]["id"] != 1.0 {
				t.Errorf("intervals %v", list)
			}
			streams := w.get("activity/7/streams").list()
			position := streams[0]
			if position["type"] != "latlng" {
				position = streams[1]
			}
			if got := string(encode(nil, position["data"])) + string(encode(nil, position["data2"])); len(streams) != 2 || got != "[1,null][2,null]" {
				t.Errorf("streams %v", streams)
			}
			if list := w.get("activity/7/messages").list(); len(list) != 1 || list[0]["content"] != "hi" || list[0]["id"] != 3.0 {
				t.Errorf("messages %v", list)
			}
			if act := w.get("activity/7").object(); act["Custom"] != "kept" || act["id"] != "7" {
				t.Errorf("activity %v", act)
			}
		})
	}
}

func TestLoadNamesWhatItDoesNotKnow(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                "load:",
		`[]`:                               "load:",
		`{"athletes":[]}`:                  "no athletes",
		`{"athlete":{},"athletes":[{}]}`:   "unknown part athlete (known: today, athletes)",
		`{"athletes":[{"activites":[]}]}`:  "athletes[0]: unknown part activites",
		`{"athletes":[{"activities":{}}]}`: "athletes[0]: activities",
		`{"athletes":[{"streams":{"1":[{"data":[1]}]}}]}`:             "streams: activity 1: stream 0: type is missing",
		`{"athletes":[{"streams":7}]}`:                                "streams: neither",
		`{"athletes":[{"intervals":[{"icu_intervals":[]}]}]}`:         "intervals[0]: no activity_id",
		`{"athletes":[{"streams":{"1":[{"type":"time","data":3}]}}]}`: "stream time: data",
	} {
		if _, err := Load(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestALoadedAthleteNeedsOnlyAnID(t *testing.T) {
	d, err := Load(strings.NewReader(`{"athletes":[{"athlete":{"id":"i1"},"coach_of":["i2",3]},{"athlete":{"id":"i2","timezone":"Asia/Tokyo"},"api_key":null},{"athlete":{"id":3,"name":"C"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	w := worldOf(t, d, Options{})
	got, _ := json.Marshal(w.server.Athletes())
	want := `[{"id":"i1","api_key":"fakekey-i1","name":"i1","coach_of":["i2","3"]},` +
		`{"id":"i2","api_key":"fakekey-i2","name":"i2","coach_of":[]},` +
		`{"id":"3","api_key":"fakekey-3","name":"C","coach_of":[]}]`
	if string(got) != want || w.server.Athletes()[1].Timezone != "Asia/Tokyo" {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, path := range []string{"", "/events", "/wellness?oldest=2020-01-01&newest=2020-02-01", "/gear", "/sport-settings", "/folders", "/activities?oldest=2020-01-01", "/athlete-summary", "/training-plan", "/profile", "/power-curves?type=Ride"} {
		w.get("athlete/0" + path)
	}
}

// FuzzLoad: no input may make Load or New panic.
func FuzzLoad(f *testing.F) {
	f.Add(`{"today":"2026-07-15","athletes":[{"athlete":{"id":"i1"},"activities":[{"id":7,"start_date_local":"2026-07-14"}],"streams":{"7":{"time":[0,1]}},"events":[{"category":"NOTE","start_date_local":"2026-07-14"}]}]}`)
	f.Add(`{"athletes":[{"streams":[{"id":1,"type":"latlng","data":[[1,2],[3]]}]}]}`)
	f.Fuzz(func(_ *testing.T, text string) {
		if d, err := Load(strings.NewReader(text)); err == nil {
			_, _ = New(d, Options{})
		}
	})
}
