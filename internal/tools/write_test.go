package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/training"
)

// faults orders faults of the fake.
func (w *world) faults(t testing.TB, list string) {
	t.Helper()
	rec := httptest.NewRecorder()
	w.fake.ServeHTTP(rec, httptest.NewRequest("POST", "/_fake/faults", strings.NewReader(list)))
	if rec.Code != 200 {
		t.Fatalf("faults: %d %s", rec.Code, rec.Body)
	}
}

// requests counts what the fake saw of a method and a part of a path.
func (w *world) requests(t testing.TB, method, path string) int {
	t.Helper()
	rec := httptest.NewRecorder()
	w.fake.ServeHTTP(rec, httptest.NewRequest("GET", "/_fake/requests", nil))
	var list []struct{ Method, Path string }
	if err := json.Unmarshal(rec.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range list {
		if r.Method == method && strings.Contains(r.Path, path) {
			n++
		}
	}
	return n
}

// calls runs a tool within a time limit and gives answer and structured
// result, whatever its status.
func (w *world) calls(t testing.TB, limit time.Duration, name string, args map[string]any) (Answer, map[string]any) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tool := find(t, name)
	a := w.svc.Call(ctx, tool, w.id, raw)
	out := map[string]any{}
	if a.Structured != nil {
		checkSchema(t, tool, a.Structured)
		if err := json.Unmarshal(a.Structured, &out); err != nil {
			t.Fatal(err)
		}
	}
	return a, out
}

// status runs a tool that must end with this status.
func (w *world) status(t testing.TB, want, name string, args map[string]any) (Answer, map[string]any) {
	t.Helper()
	a, out := w.calls(t, 20*time.Second, name, args)
	if out["status"] != want {
		t.Fatalf("%s(%v): status %v, want %s: %s", name, args, out["status"], want, a.Text)
	}
	if wantError := want == "refused" || want == "failed" || want == "unknown"; a.IsError != wantError {
		t.Errorf("%s: isError %v with status %s", name, a.IsError, want)
	}
	return a, out
}

// made makes an event and gives its id.
func (w *world) made(t testing.TB, name string, args map[string]any) int64 {
	t.Helper()
	_, out := w.status(t, "applied", name, args)
	return int64(out["event"].(map[string]any)["id"].(float64))
}

// raw reads an event as the platform holds it.
func (w *world) raw(t testing.TB, id int64) map[string]any {
	t.Helper()
	var out map[string]any
	w.upstream(t, "GET", "/api/v1/athlete/0/events/"+digitsOf(id), "", &out)
	return out
}

func (w *world) upstream(t testing.TB, method, path, body string, into any) int {
	t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.SetBasicAuth("API_KEY", w.fake.Athletes()[0].APIKey)
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	w.fake.ServeHTTP(rec, req)
	if into != nil && rec.Code == 200 {
		if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return rec.Code
}

// calendar lists the ids of a range.
func (w *world) calendar(t testing.TB, from, to string) map[int64]string {
	t.Helper()
	var list []map[string]any
	w.upstream(t, "GET", "/api/v1/athlete/0/events?oldest="+from+"&newest="+to, "", &list)
	out := map[int64]string{}
	for _, e := range list {
		name, _ := e["name"].(string)
		out[int64(e["id"].(float64))] = name
	}
	return out
}

func digitsOf(id int64) string { b, _ := json.Marshal(id); return string(b) }

// outcomes gives the statuses of all heads, newest first; "intent" stands for
// one without outcome.
func (w *world) outcomes(t testing.TB) []string {
	t.Helper()
	heads, err := w.log.Heads(t.Context(), audit.Query{User: "local", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	seen := map[audit.ID]bool{}
	for _, h := range heads {
		if !seen[h.Change] {
			seen[h.Change] = true
			if h.Phase == audit.Intent {
				out = append(out, "intent")
			} else {
				out = append(out, string(h.Status))
			}
		}
	}
	return out
}

func newSampleWorld(t testing.TB) *world { return newWorld(t, sampleData(t), sampleNow) }

// emptyWorld is one athlete with nothing, in a time zone.
func emptyWorld(t testing.TB, zone, now string, events ...fake.Object) *world {
	return newWorld(t, fake.Dataset{Athletes: []fake.AthleteData{{APIKey: "empty-key-1", Events: events,
		Athlete:       fake.Object{"id": "i1", "name": "E", "timezone": zone, "measurement_preference": "meters"},
		SportSettings: []fake.Object{{"types": []any{"Ride", "Run"}, "ftp": 250, "lthr": 170, "max_hr": 190, "power_zones": []any{55, 75, 90, 105, 120, 150, 999}}}}}}, now)
}

const ride = "Warmup\n- Easy 10m ramp 50-75% 90rpm\n\n3x\n- Hard 8m 98-102%\n- Spin 4m 55%\n\nCooldown\n- 10m 50%"

func TestBRacesNotesAndPeriodsCanBeMadeNotOnlyWorkouts(t *testing.T) {
	w := newSampleWorld(t)
	for _, category := range []string{"WORKOUT", "RACE_A", "RACE_B", "RACE_C", "NOTE", "HOLIDAY", "SICK", "INJURED"} {
		id := w.made(t, "add_or_update_event", map[string]any{"name": "My " + category, "category": strings.ToLower(category), "workout_type": "ride", "start_date": "2026-08-01"})
		if got := w.raw(t, id)["category"]; got != category {
			t.Errorf("%s was made as %v", category, got)
		}
	}
	w.fails(t, "add_or_update_event", map[string]any{"name": "x ride", "category": "GOAL"}, "category must be one of WORKOUT, RACE_A")
}

func TestBAnEditedNoteStaysANote(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_note", map[string]any{"name": "Travel", "description": "Flight at noon", "start_date": "2026-07-20"})
	if e := w.raw(t, id); e["category"] != "NOTE" || e["color"] != "green" || e["start_date_local"] != "2026-07-20T00:00:00" {
		t.Errorf("note = %v", e)
	}
	for _, tool := range []string{"add_or_update_event", "add_or_update_note"} {
		w.status(t, "applied", tool, map[string]any{"event_id": id, "name": "Renamed by " + tool})
		if e := w.raw(t, id); e["category"] != "NOTE" || e["color"] != "green" || e["description"] != "Flight at noon" || e["name"] != "Renamed by "+tool {
			t.Errorf("after %s: %v", tool, e)
		}
	}
	workout := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-07-20"})
	a, _ := w.status(t, "refused", "add_or_update_note", map[string]any{"event_id": workout, "name": "x"})
	if !strings.Contains(a.Text, "not a note") || w.raw(t, workout)["name"] != "Ride" {
		t.Errorf("%s", a.Text)
	}
}

func TestBAnUpdateWithoutADateDoesNotMoveTheEvent(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03T06:30", "moving_time": 3600})
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "name": "Longer ride", "moving_time": 5400, "start_date": nil})
	if e := w.raw(t, id); e["start_date_local"] != "2026-08-03T06:30:00" || e["moving_time"] != 5400.0 {
		t.Errorf("event = %v %v", e["start_date_local"], e["moving_time"])
	}
	// A new day keeps the time of day, a new time keeps the day.
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "start_date": "2026-08-05"})
	if e := w.raw(t, id); e["start_date_local"] != "2026-08-05T06:30:00" || e["end_date_local"] != "2026-08-06T00:00:00" {
		t.Errorf("moved to %v - %v", e["start_date_local"], e["end_date_local"])
	}
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "start_time": "18:15"})
	if got := w.raw(t, id)["start_date_local"]; got != "2026-08-05T18:15:00" {
		t.Errorf("moved to %v", got)
	}
}

func TestBAnUpdateWithoutADescriptionDoesNotClearIt(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "description": ride, "tags": []any{"a", "b"}, "color": "red", "indoor": true, "target": "hr"})
	before := w.raw(t, id)
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "name": "Renamed", "description": "", "workout_doc": nil, "color": ""})
	after := w.raw(t, id)
	for key, v := range before {
		if key != "name" && key != "updated" && !bytes.Equal(mustJSON(after[key]), mustJSON(v)) {
			t.Errorf("%s changed from %v to %v", key, v, after[key])
		}
	}
	if after["name"] != "Renamed" {
		t.Errorf("name = %v", after["name"])
	}
}

func TestBASportIsGuessedFromWholeWordsSoBrunchIsNoRun(t *testing.T) {
	w := newSampleWorld(t)
	for name, want := range map[string]string{"Easy run": "Run", "Morning ride!": "Ride", "Pool session": "Swim", "Hike up": "Hike", "Row 5k": "Rowing"} {
		id := w.made(t, "add_or_update_event", map[string]any{"name": name, "start_date": "2026-08-03"})
		if got := w.raw(t, id)["type"]; got != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	for _, name := range []string{"Brunch", "Growth block", "Threshold 3x10", "Brick: bike then run"} {
		w.fails(t, "add_or_update_event", map[string]any{"name": name, "workout_type": "", "start_date": "2026-08-03"}, "workout_type is needed")
	}
	w.fails(t, "add_or_update_event", map[string]any{"name": "x", "workout_type": "Rid"}, "did you mean Ride?", "WeightTraining")
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Swim", "start_date": "2026-08-03"})
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "name": "Easy ride instead"})
	if got := w.raw(t, id)["type"]; got != "Swim" {
		t.Errorf("an update guessed %v", got)
	}
}

func TestBAnAPIKeyAsAnArgumentIsNeverUsedStoredOrEchoed(t *testing.T) {
	w := newSampleWorld(t)
	const foreign = "someone-elses-key-123"
	a, _ := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "api_key": foreign})
	if !strings.Contains(a.Text, "api_key was ignored") {
		t.Errorf("text = %s", a.Text)
	}
	if strings.Contains(a.Text+string(a.Structured), foreign) || bytes.Contains(w.log.Dump(), []byte(foreign)) {
		t.Error("the key is in the answer or in the log")
	}
}

func TestTheDefaultDateIsTheAthletesToday(t *testing.T) {
	for zone, want := range map[string]string{"Pacific/Auckland": "2026-07-16", "America/Los_Angeles": "2026-07-15", "Europe/London": "2026-07-15"} {
		w := emptyWorld(t, zone, "2026-07-15T12:30:00Z")
		for _, tool := range []string{"add_or_update_event", "add_or_update_note"} {
			id := w.made(t, tool, map[string]any{"name": "Easy run"})
			if got := w.raw(t, id)["start_date_local"]; got != want+"T00:00:00" {
				t.Errorf("%s, %s: %v", zone, tool, got)
			}
			id = w.made(t, tool, map[string]any{"name": "Next run", "start_date": "tomorrow"})
			if got := w.raw(t, id)["start_date_local"]; got != training.AddDays(want, 1)+"T00:00:00" {
				t.Errorf("%s, %s, tomorrow: %v", zone, tool, got)
			}
		}
	}
	w := emptyWorld(t, "America/Los_Angeles", "2026-07-16T06:59:00Z") // 23:59 of the 15th
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Easy run", "today": "2026-07-16"})
	if got := w.raw(t, id)["start_date_local"]; got != "2026-07-16T00:00:00" {
		t.Errorf("a traveller's today: %v", got)
	}
	w.fails(t, "add_or_update_event", map[string]any{"name": "Easy run", "today": "2026-07-18"}, "today is more than a day")
}

func TestACreateSaysWhatWasStoredAndUnderstoodInShort(t *testing.T) {
	w := newSampleWorld(t)
	a, out := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Threshold ride", "start_date": "2026-07-20T06:30", "description": ride})
	lines := strings.Split(a.Text, "\n")
	if !strings.HasPrefix(lines[0], "Successfully created event id: ") || len(lines) > 4 || !strings.Contains(a.Text, "understood 4 steps (repeats: 1), 56:00, load ") {
		t.Errorf("text = %s", a.Text)
	}
	if !strings.HasSuffix(lines[len(lines)-1], out["change_id"].(string)) {
		t.Errorf("the last line is %q", lines[len(lines)-1])
	}
	if got := out["summary"]; got != `Create workout Ride "Threshold ride" on Mon 20 Jul 2026 06:30: 4 steps` {
		t.Errorf("summary = %v", got)
	}
	o := out["objects"].([]any)[0].(map[string]any)
	if o["kind"] != "event" || o["action"] != "create" || o["undoable"] != "yes" || o["id"] == nil {
		t.Errorf("object = %v", o)
	}
}

func TestAnUpdateSaysExactlyWhatDiffers(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "moving_time": 3600, "distance": "30km"})
	a, out := w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "name": "Ride", "moving_time": "1h15m", "distance": 40000})
	if !strings.HasPrefix(a.Text, "Successfully updated event id: "+digitsOf(id)+"\n") || !strings.Contains(a.Text, "moving_time 1:00:00 -> 1:15:00; distance 30.0 km -> 40.0 km") {
		t.Errorf("text = %s", a.Text)
	}
	fields := out["objects"].([]any)[0].(map[string]any)["fields"].([]any)
	if len(fields) != 2 {
		t.Errorf("fields = %v", fields)
	}
}

func TestFieldsAreClearedOnlyByClear(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "moving_time": 3600, "distance": 30000, "training_load": 50,
		"description": "Just ride", "tags": "a", "color": "red", "target": "HR", "indoor": true})
	a, out := w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id,
		"clear": []any{"moving_time", "distance", "training_load", "description", "tags", "color", "target", "indoor"}})
	if n := len(out["warnings"].([]any)); n != 0 {
		t.Errorf("%d warnings: %s", n, a.Text)
	}
	e := w.raw(t, id)
	for _, key := range []string{"moving_time", "distance", "icu_training_load", "description", "tags", "color"} {
		if v := e[key]; v != nil && v != "" && len(mustJSON(v)) > 2 {
			t.Errorf("%s = %v", key, v)
		}
	}
	if e["name"] != "Ride" || e["start_date_local"] != "2026-08-03T00:00:00" || e["target"] != "AUTO" {
		t.Errorf("event = %v", e)
	}
	w.fails(t, "add_or_update_event", map[string]any{"event_id": id, "clear": "name"}, "cannot be cleared")
	w.fails(t, "add_or_update_event", map[string]any{"event_id": id, "clear": "distance", "distance": 5}, "which is also set")
	w.fails(t, "add_or_update_event", map[string]any{"event_id": id}, "say what to change")
}

func TestAFieldThatDoesNotClearIsSaid(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "color": "red"})
	// An upstream that accepts the PUT and does nothing.
	w.faults(t, `[{"method":"PUT","path":"/events/","status":200,"body":{"id":1}}]`)
	a, _ := w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "name": "Other", "clear": "color"})
	for _, want := range []string{`Warning: color did not clear: it is still "red".`, `Warning: name reads back as "Ride", sent was "Other".`} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("text = %s", a.Text)
		}
	}
}

func TestAmountsAreReadAsPeopleWriteThem(t *testing.T) {
	w := newSampleWorld(t)
	for _, tt := range []struct {
		in   any
		want float64
	}{{3600, 3600}, {"3600", 3600}, {"90m", 5400}, {"1h30m", 5400}, {"1:30:00", 5400}, {"1h", 3600}} {
		id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "moving_time": tt.in, "allow_duplicate": true})
		if got := w.raw(t, id)["moving_time"]; got != tt.want {
			t.Errorf("%v: %v", tt.in, got)
		}
	}
	for in, want := range map[any]float64{10000: 10000, "10km": 10000, "6mi": 9656.06, "400m": 400} {
		id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-04", "distance": in, "allow_duplicate": true})
		if got := w.raw(t, id)["distance"].(float64); got < want-1 || got > want+1 {
			t.Errorf("%v: %v", in, got)
		}
	}
	w.fails(t, "add_or_update_event", map[string]any{"name": "Ride", "moving_time": "1:30"}, "1 h 30 min or 1 min 30 s")
	w.fails(t, "add_or_update_event", map[string]any{"name": "Ride", "moving_time": -5, "distance": "far", "start_time": "25:00", "event_id": "abc"},
		"moving_time must be", "distance must be")
}

func TestImplausibleSessionsAreWarnedOf(t *testing.T) {
	w := newSampleWorld(t)
	for args, want := range map[string]string{"4x\n- Fast 400m 100%": "over 8 hours", "- 2m 50%": "under 5 minutes"} {
		a, _ := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "description": args})
		if !strings.Contains(a.Text, want) {
			t.Errorf("%q: %s", args, a.Text)
		}
	}
}

func TestTextThatIsNotUnderstoodIsSaid(t *testing.T) {
	w := newSampleWorld(t)
	a, _ := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "description": "- as you like\n- ten minutes hard"})
	if !strings.Contains(a.Text, "understood none of the step lines") {
		t.Errorf("text = %s", a.Text)
	}
	a, _ = w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-04", "description": "- 10m 60%\n- cool down gently"})
	if !strings.Contains(a.Text, "understood 1 of 2 step lines") {
		t.Errorf("text = %s", a.Text)
	}
}

func TestTextThatWouldLoseTheStepsIsPutBack(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03", "description": ride})
	a, out := w.status(t, "failed", "add_or_update_event", map[string]any{"event_id": id, "name": "New name", "description": "Main set: 3 x 10 minutes hard"})
	if !strings.Contains(a.Text, "the old state was put back") {
		t.Errorf("text = %s", a.Text)
	}
	if e := w.raw(t, id); e["description"] != ride || e["name"] != "Ride" || len(e["workout_doc"].(map[string]any)["steps"].([]any)) != 3 {
		t.Errorf("event = %v", e)
	}
	if out["event"].(map[string]any)["name"] != "Ride" || w.outcomes(t)[0] != "failed" {
		t.Errorf("%v %v", out["event"], w.outcomes(t))
	}
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "clear": "description"})
}

func TestStrengthIsFreeText(t *testing.T) {
	w := newSampleWorld(t)
	text := "Squat 5 x 5 at 80 kg\nBench 3 x 8"
	a, _ := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Strength", "workout_type": "weight training", "start_date": "2026-08-03", "description": text, "training_load": 30})
	if strings.Contains(a.Text, "Warning") {
		t.Errorf("text = %s", a.Text)
	}
}

func TestTimesOfDayAreReadInEveryForm(t *testing.T) {
	w := newSampleWorld(t)
	for _, tt := range []struct{ date, clock, want string }{
		{"2026-08-03", "", "T00:00:00"}, {"2026-08-03T06:30", "", "T06:30:00"}, {"2026-08-03T6:30", "", "T06:30:00"}, {"2026-08-03T06:30:15", "", "T06:30:15"},
		{"2026-08-03", "6:05", "T06:05:00"}, {"2026-08-03T06:30", "06:30", "T06:30:00"},
	} {
		args := map[string]any{"name": "Ride", "start_date": tt.date, "allow_duplicate": true}
		if tt.clock != "" {
			args["start_time"] = tt.clock
		}
		if got := w.raw(t, w.made(t, "add_or_update_event", args))["start_date_local"]; got != "2026-08-03"+tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	w.fails(t, "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-03T06:30", "start_time": "07:00"}, "differs")
	w.fails(t, "add_or_update_event", map[string]any{"name": "Ride", "start_time": "24:00"}, "start_time must be")
}

func TestBarePercentagesInARunAreWarnedOf(t *testing.T) {
	w := newSampleWorld(t)
	a, _ := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Run", "start_date": "2026-08-03", "description": "- 20m 80%"})
	if !strings.Contains(a.Text, "aim at power") {
		t.Errorf("text = %s", a.Text)
	}
	a, _ = w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Run", "start_date": "2026-08-04", "description": "- 20m 80% Pace"})
	if strings.Contains(a.Text, "Warning") {
		t.Errorf("text = %s", a.Text)
	}
}

func TestAnAthleteWhoLetsOthersReadOnlyIsNotWrittenTo(t *testing.T) {
	w := newWorld(t, fake.Dataset{Athletes: []fake.AthleteData{
		{APIKey: "coach-key-1", CoachOf: []string{"i2"}, Athlete: fake.Object{"id": "i1", "timezone": "UTC"}},
		{APIKey: "athlete-key-2", Athlete: fake.Object{"id": "i2", "timezone": "UTC", "icu_permission": "READ"}}}}, sampleNow)
	w.fails(t, "add_or_update_note", map[string]any{"athlete_id": "i2", "name": "Rest"}, "lets this connection read only")
}

func FuzzAmountsNeverPanic(f *testing.F) {
	for _, s := range []string{`"1:30"`, `"1h30m"`, `5`, `"6mi"`, `"1e999"`, `""`, `"-"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, read := range []func(json.RawMessage) (json.RawMessage, error){readSeconds, readMetres} {
			if v, err := read(json.RawMessage(s)); err == nil && !json.Valid(v) {
				t.Errorf("%q gives %q", s, v)
			}
		}
	})
}
