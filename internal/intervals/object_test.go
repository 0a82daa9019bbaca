package intervals

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func mustObject(t testing.TB, s string) Object {
	t.Helper()
	o, err := ParseObject([]byte(s))
	if err != nil {
		t.Fatalf("ParseObject(%s): %v", s, err)
	}
	return o
}

func TestAbsentNullAndZeroStayThreeDifferentThings(t *testing.T) {
	o := mustObject(t, ` {"zero": 0, "nothing": null, "empty": ""} `)
	if v, ok := o.Number("zero"); !ok || v != 0 {
		t.Errorf("zero = %v, %v; want 0, true", v, ok)
	}
	for _, key := range []string{"nothing", "absent"} {
		if v, ok := o.Number(key); ok {
			t.Errorf("%s = %v, want none", key, v)
		}
		if o.Has(key) {
			t.Errorf("Has(%s) = true", key)
		}
	}
	if !o.IsNull("nothing") || o.IsNull("absent") || o.IsNull("zero") {
		t.Error("IsNull must hold for null alone")
	}
	if s, ok := o.Text("empty"); !ok || s != "" {
		t.Errorf("empty = %q, %v; want an empty text that is there", s, ok)
	}
}

func TestNumbersAreReadFromTextToo(t *testing.T) {
	o := mustObject(t, `{"a":"42","b":" 4.5 ","c":"1.42043195e-08","d":"NaN","e":"0x10","f":"","g":true,"h":1e999,"i":"12 W","j":-0.5}`)
	for key, want := range map[string]float64{"a": 42, "b": 4.5, "c": 1.42043195e-08, "j": -0.5} {
		if v, ok := o.Number(key); !ok || v != want {
			t.Errorf("%s = %v, %v; want %v", key, v, ok, want)
		}
	}
	for _, key := range []string{"d", "e", "f", "g", "h", "i"} {
		if v, ok := o.Number(key); ok {
			t.Errorf("%s = %v, want none", key, v)
		}
	}
}

func TestIDsAreTextWhetherSentAsTextOrNumber(t *testing.T) {
	o := mustObject(t, `{"a":"i55610271","b":15000000001}`)
	if a, b := o.Str("a"), o.Str("b"); a != "i55610271" || b != "15000000001" {
		t.Errorf("ids = %q, %q", a, b)
	}
}

func TestUnknownKeysAreKeptInOrder(t *testing.T) {
	o := mustObject(t, `{"id":1,"WhoopStrain":14.2,"KgPerHour":{"x":[1,null]}}`)
	var keys []string
	for k := range o.All() {
		keys = append(keys, k)
	}
	if got := strings.Join(keys, " "); got != "id WhoopStrain KgPerHour" {
		t.Errorf("keys = %s", got)
	}
}

func TestPrivateKeysNeverLeaveThePackage(t *testing.T) {
	body := `{"id":"i1","name":"A","email":"secret-mail","icu_api_key":"secret-key","icu_friend_invite_token":"secret-invite",
	 "garmin_user_id":"secret-garmin","strava_id":7777777,"nested":{"email":"secret-nested","list":[{"shareToken":"secret-share"}]}}`
	o := mustObject(t, body)
	out, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := json.Marshal(o.Value("nested"))
	nested, _ := o.Object("nested")
	for _, s := range []string{string(out), string(all), nested.Str("email"), o.Str("email"), o.Str("strava_id")} {
		if strings.Contains(s, "secret-") || strings.Contains(s, "7777777") {
			t.Errorf("private value got out: %s", s)
		}
	}
	a := newAthlete(mustObject(t, `{"id":"i1","timezone":"Europe/London","some_new_service_login":"x","oura_scope":"y"}`))
	if a.Len() != 2 {
		t.Errorf("a profile keeps %d keys, want the 2 public ones", a.Len())
	}
}

func TestStreamsKeepMissingSamplesApartFromZero(t *testing.T) {
	s := newStream(mustObject(t, `{"type":"watts","data":[0,null,200,"150",1.25,-3,12345678901234567890,true]}`))
	want := []float64{0, math.NaN(), 200, 150, 1.25, -3, 12345678901234567890, math.NaN()}
	if len(s.Data) != len(want) {
		t.Fatalf("data = %v", s.Data)
	}
	for i, v := range want {
		if s.Data[i] != v && !(Missing(s.Data[i]) && Missing(v)) {
			t.Errorf("sample %d = %v, want %v", i, s.Data[i], v)
		}
	}
}

func TestIDsOfACurveStayBesideTheirValues(t *testing.T) {
	c := newCurve(mustObject(t, `{"secs":[5,60,300],"watts":[800,null,280],"activity_id":["i1",null,"i3"]}`))
	if len(c.Activities) != 3 || c.Activities[1] != "" || c.Activities[2] != "i3" || !Missing(c.Values[1]) || c.Values[2] != 280 {
		t.Errorf("curve = %+v", c)
	}
}

func TestBodiesOfAnotherShapeAreErrors(t *testing.T) {
	for _, body := range []string{"", "null", "[]", "7", `"x"`, "<html>", `{"a":1`, `{"a":1}}`, "{\"a\":\"\x00\"}"} {
		if _, err := ParseObject([]byte(body)); err == nil {
			t.Errorf("ParseObject(%q) succeeded", body)
		}
	}
	for _, body := range []string{"", "{}", "7", "[1]", `[{}`, `[[]]`, `[null]`} {
		if _, err := ParseObjects([]byte(body)); err == nil {
			t.Errorf("ParseObjects(%q) succeeded", body)
		}
	}
	if list, err := ParseObjects([]byte(" null ")); err != nil || len(list) != 0 {
		t.Errorf("null is an empty list: %v, %v", list, err)
	}
}

func TestStravaStubsAreRecognised(t *testing.T) {
	stub := Activity{mustObject(t, `{"id":"15000000001","icu_athlete_id":"i1","start_date_local":"2026-07-09T17:21:15","source":"STRAVA","_note":"STRAVA activities are not available via the API"}`)}
	shown := Activity{mustObject(t, `{"id":"i2","source":"STRAVA","type":"Ride","name":"x"}`)}
	if !stub.Hidden() || shown.Hidden() {
		t.Errorf("Hidden: stub %v, shown %v", stub.Hidden(), shown.Hidden())
	}
}

// FuzzObject checks that whatever JSON arrives, reading it never panics, agrees
// with encoding/json and writes valid JSON again.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"a":2}`, `{"A":"\ud83d\ude00\u0000","b":[1,{"c":null}],"d":"\ud83d"}`, "{\"\xff\":\"\xfe\"}", `{"email":{"x":1},"x":"1e5"}`} {
		f.Add([]byte(s))
	}
	for _, s := range []string{`[[],[{"a":[0.5,-1e+9]}]] `, `{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":"\\u12g4"}`, `{"a":nul}`, `{"a":[1,]}`, `[{"a":1},{"a":2,"b":3}]`, `[{},1`, "{\"a\":\"\t\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole := trim(string(body))
		if ok := scanValue(whole, 0, 1) == len(whole) && whole != ""; ok != json.Valid(body) {
			t.Fatalf("scanValue takes it: %v, encoding/json: %v", ok, json.Valid(body))
		}
		if list, err := ParseObjects(body); err == nil {
			var want []map[string]json.RawMessage
			if jsonErr := json.Unmarshal(body, &want); jsonErr != nil || len(want) != len(list) {
				t.Fatalf("%d objects, encoding/json has %d, %v", len(list), len(want), jsonErr)
			}
		} else if json.Valid(body) == errors.Is(err, errNotJSON) {
			t.Fatalf("ParseObjects error %v, valid %v", err, json.Valid(body))
		}
		o, err := ParseObject(body)
		if err != nil && json.Valid(body) == errors.Is(err, errNotJSON) {
			t.Fatalf("ParseObject error %v, valid %v", err, json.Valid(body))
		}
		var want map[string]any
		if jsonErr := json.Unmarshal(body, &want); (jsonErr != nil || want == nil) != (err != nil) {
			// Numbers too large for float64 are no error here.
			if !strings.Contains(string(body), "e") && !strings.Contains(string(body), "E") && len(body) < 300 {
				t.Fatalf("ParseObject error %v, encoding/json error %v", err, jsonErr)
			}
			return
		}
		if err != nil {
			return
		}
		for key, v := range o.All() {
			if s, isText := v.(string); isText {
				if w, ok := want[key].(string); ok && o.Str(key) == s && w != s && !private(key) {
					t.Fatalf("%q = %q, encoding/json has %q", key, s, w)
				}
			}
			_, _ = o.Number(key)
			_, _ = o.Int(key)
			for i, n := range o.Numbers(key) {
				if w, ok := want[key].([]any)[i].(float64); ok && w != n && !private(key) {
					t.Fatalf("%q[%d] = %v, encoding/json has %v", key, i, n, w)
				}
			}
			_ = o.Texts(key)
			_ = o.Objects(key)
		}
		out, err := json.Marshal(o)
		if err != nil || !json.Valid(out) {
			t.Fatalf("written again: %s, %v", out, err)
		}
	})
}

func BenchmarkYearOfWellness(b *testing.B) {
	row := `{"id":"2026-07-01","ctl":52.253613,"atl":55.609471,"rampRate":2.1536135,"ctlLoad":62.0,"sportInfo":[{"type":"Ride","eftp":268.40912}],` +
		strings.Repeat(`"someUnusedKey":null,`, 38) + `"weight":70.4,"restingHR":49,"comments":null}`
	body := []byte("[" + strings.Repeat(row+",", 364) + row + "]")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if list, err := ParseObjects(body); err != nil || len(list) != 365 {
			b.Fatal(err)
		}
	}
}
