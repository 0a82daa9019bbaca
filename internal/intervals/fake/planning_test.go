package fake

import (
	"math"
	"testing"
)

func TestATargetIsResolvedInItsOwnUnit(t *testing.T) {
	th := thresholds{
		FTP: 280, LTHR: 170, MaxHR: 188, ThresholdPace: 3.39, PowerZones: []float64{55, 75, 90, 105, 120, 150, 999},
		HRZones: []float64{137, 151, 158, 169, 174, 179, 188}, PaceZones: []float64{77.5, 87.7, 94.3, 100, 103.4, 111.5, 999},
	}
	for _, c := range []struct {
		basis    string
		target   Object
		from, to float64
		ok       bool
	}{
		{"power", Object{"value": 50.0, "units": "%ftp"}, 140, 140, true},
		{"power", Object{"start": 98.0, "end": 102.0, "units": "%ftp"}, 274, 285, true},
		{"power", Object{"value": 200.0, "units": "w"}, 200, 200, true},
		{"power", Object{"value": 2.0, "units": "power_zone"}, 154, 210, true},
		{"power", Object{"value": 9.0, "units": "power_zone"}, 0, 0, false},
		{"hr", Object{"start": 78.0, "end": 84.0, "units": "%lthr"}, 132, 142, true},
		{"hr", Object{"value": 50.0, "units": "%hr"}, 94, 94, true},
		{"hr", Object{"start": 1.0, "end": 2.0, "units": "hr_zone"}, 0, 151, true},
		{"pace", Object{"value": 100.0, "units": "%pace"}, 3.39, 3.39, true},
		{"pace", Object{"value": 2.0, "units": "pace_zone"}, 3.39 * 0.775, 3.39 * 0.877, true},
		{"power", Object{"value": 80.0, "units": "%mmp"}, 0, 0, false},
		{"power", Object{"units": "%ftp"}, 0, 0, false},
	} {
		from, to, ok := resolveTarget(c.target, c.basis, th)
		if ok != c.ok || math.Abs(from-c.from) > 1e-9 || math.Abs(to-c.to) > 1e-9 {
			t.Errorf("%v: %v..%v %v, want %v..%v", c.target, from, to, ok, c.from, c.to)
		}
	}
}

func TestASentLoadOutlivesAllButNewText(t *testing.T) {
	w := newWorld(t)
	made := w.do("POST", "athlete/0/events", Object{
		"category": "WORKOUT", "type": "Ride", "name": "x", "description": "- 1h 60%", "icu_training_load": 80,
		"start_date_local": "2026-07-20T00:00:00",
	}).ok().object()
	path := "athlete/0/events/" + idText(made["id"])
	for _, c := range []struct {
		send Object
		load any
	}{
		{Object{"name": "y"}, 80.0},
		{Object{"indoor": true}, 80.0},
		{Object{"description": "- 1h 60%"}, 80.0}, // the same text is no change
		{Object{"description": "- 1h 70%"}, 49.0},
		{Object{"description": "- 1h 80%", "icu_training_load": 90}, 90.0},
		{Object{"category": "RACE_B"}, 90.0},
		{Object{"icu_training_load": -1}, nil},
		{Object{"category": "NOTE", "description": "off"}, nil},
	} {
		got := w.do("PUT", path, c.send).ok().object()
		if got["icu_training_load"] != c.load {
			t.Errorf("%v: load %v, want %v", c.send, got["icu_training_load"], c.load)
		}
	}
	if got := w.get(path).object(); got["workout_doc"] != nil {
		t.Errorf("a note keeps steps: %v", got["workout_doc"])
	}
}

func TestAPostedDocWithoutTextIsKept(t *testing.T) {
	w := newWorld(t)
	doc := Object{"steps": []any{Object{"duration": 3600.0, "power": Object{"value": 60.0, "units": "%ftp"}}}}
	body := Object{"category": "WORKOUT", "type": "Ride", "name": "x", "workout_doc": doc, "start_date_local": "2026-07-20T00:00:00"}
	if got := w.do("POST", "athlete/0/events", body).ok().object(); got["icu_training_load"] != 36.0 {
		t.Errorf("%v", got)
	}
	body["description"] = "words only" // the text wins, and the steps are lost
	if got := w.do("POST", "athlete/0/events", body).ok().object(); len(objects(docOf(got)["steps"])) != 0 {
		t.Errorf("%v", got["workout_doc"])
	}
}

func TestASessionThatIsDoneCountsOnce(t *testing.T) {
	w := newWorld(t)
	made := w.do("POST", "athlete/0/events", Object{
		"category": "WORKOUT", "type": "Ride", "name": "x", "moving_time": 3600, "icu_training_load": 70, "start_date_local": "2026-07-16T00:00:00",
	}).ok().object()
	load := func(want float64) {
		t.Helper()
		if got := w.get("athlete/0/wellness/2026-07-16").object()["ctlLoad"]; got != want {
			t.Errorf("ctlLoad %v, want %v", got, want)
		}
	}
	load(70)
	act := w.do("POST", "athlete/0/events/"+idText(made["id"])+"/mark-done", nil).ok().object()
	load(70)
	w.do("PUT", "activity/"+text(act, "id"), Object{"paired_event_id": -1}).ok()
	load(140)
	w.do("DELETE", "athlete/0/events/"+idText(made["id"]), nil).ok()
	load(70)
	w.do("DELETE", "activity/"+text(act, "id"), nil).ok()
	load(0)
}

func TestTheLibraryTakesManyAtOnce(t *testing.T) {
	w := newWorld(t)
	folder := Object{"name": "Renamed"}
	if got := w.do("PUT", "athlete/0/folders/81001", folder).ok().object(); got["name"] != "Renamed" || got["type"] != "FOLDER" {
		t.Errorf("%v", got)
	}
	list := w.do("POST", "athlete/0/workouts/bulk", []Object{
		{"folder_id": 81001, "type": "Run", "name": "a", "tags": []string{"t"}}, {"folder_id": 81001, "type": "Run", "name": "b"},
	}).ok().list()
	if len(list) != 2 {
		t.Fatalf("%v", list)
	}
	if got := w.get("athlete/0/workouts/" + idText(list[1]["id"])).object()["name"]; got != "b" {
		t.Errorf("%v", got)
	}
	if got := w.get("athlete/0/workout-tags").body; got != `["t"]` {
		t.Error(got)
	}
	w.do("GET", "athlete/0/workouts/1", nil).refused(404, "Not Found")
	if got := w.get("athlete/0/mmp-model?type=Ride").object()["criticalPower"]; got != 262.0 {
		t.Errorf("%v", got)
	}
	w.do("GET", "athlete/0/mmp-model", nil).refused(422, "'type'")
	w.do("GET", "athlete/0/mmp-model?type=Yoga", nil).refused(404, "Not Found")
}

func TestNumbersAreWrittenAsThePlatformDoes(t *testing.T) {
	for want, v := range map[string]any{
		"1": 1.0, "-1.5": -1.5, "1.42043195e-08": 1.42043195e-08, "null": math.NaN(), "15000000001": 15000000001.0, "1e+21": 1e21,
		`"a\"é\u0001"`: "a\"é\x01", "[1,null]": []any{1, nil}, "{\"a\":1,\"b\":2}": Object{"b": 2, "a": 1}, "[[1]]": []any{[]int{1}},
	} {
		if got := string(encode(nil, v)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if got := round8(53.26472612345); got != 53.264726 {
		t.Error(got)
	}
}
