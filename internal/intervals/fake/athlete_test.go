package fake

import (
	"strings"
	"testing"
)

func TestProfileAndPlanAreServed(t *testing.T) {
	w := newWorld(t)
	p := w.get("athlete/0/profile").object()["athlete"].(Object)
	if p["name"] != "Sample Athlete" || p["email"] != nil || len(p) != 14 {
		t.Errorf("%v", p)
	}
	if plan := w.get("athlete/0/training-plan").object(); plan["training_plan"] != nil || plan["timezone"] != "Europe/London" {
		t.Errorf("%v", plan)
	}
	d := sampleWorld(t)
	d.Athletes[0].Athlete["training_plan_id"] = 81000
	plan := worldOf(t, d, Options{}).get("athlete/0/training-plan").object()
	if f, _ := plan["training_plan"].(Object); text(f, "name") != "12 week base" {
		t.Errorf("%v", plan)
	}
}

func TestSportSettingsAreFoundByIDAndBySport(t *testing.T) {
	w := newWorld(t)
	for key, want := range map[string]float64{"700001": 700001, "Ride": 700001, "GravelRide": 700001, "TrailRun": 700002} {
		if got := w.get("athlete/0/sport-settings/" + key).object(); got["id"] != want {
			t.Errorf("%s: %v", key, got["id"])
		}
	}
	w.do("GET", "athlete/0/sport-settings/Yoga", nil).refused(404, "Not Found")
	for i, want := range readSample[[]Object](t, "sport_settings_list") {
		got := w.get("athlete/0/sport-settings").list()[i]
		if string(encode(nil, want)) != string(encode(nil, got)) {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
}

func TestSportSettingsChangeByWhatIsSent(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "athlete/0/sport-settings/Ride", Object{"ftp": 285}).refused(422, "'recalcHrZones'")
	w.do("PUT", "athlete/0/sport-settings/Run?recalcHrZones=false", Object{"threshold_pace": 0}).refused(422, "Invalid threshold pace")
	w.do("PUT", "athlete/0/sport-settings/Run?recalcHrZones=false", Object{"pace_units": "min/km"}).refused(422, "Enum")
	kept := w.do("PUT", "athlete/0/sport-settings/Ride?recalcHrZones=false", Object{"ftp": 285, "lthr": 171}).ok().object()
	if kept["ftp"] != 285.0 || kept["indoor_ftp"] != 270.0 || string(encode(nil, kept["hr_zones"])) != "[137,151,158,169,174,179,188]" {
		t.Errorf("%v", kept)
	}
	moved := w.do("PUT", "athlete/0/sport-settings/Ride?recalcHrZones=true", Object{"lthr": 180, "max_hr": 195}).ok().object()
	if got := string(encode(nil, moved["hr_zones"])); got != "[144,159,166,178,183,188,195]" {
		t.Errorf("zones %s", got)
	}
	w.do("POST", "athlete/0/events", Object{"category": "WORKOUT", "type": "Ride", "name": "x", "description": "- 1h 100%", "start_date_local": "2026-07-20T00:00:00"}).ok()
}

func TestApplyingSettingsRewritesThePast(t *testing.T) {
	w := newWorld(t)
	if got := w.get("athlete/0/sport-settings/Ride/matching-activities").ids(); got != "i90000101 i90000103" {
		t.Error(got)
	}
	w.do("PUT", "athlete/0/sport-settings/Ride?recalcHrZones=false", Object{"ftp": 300, "indoor_ftp": 290}).ok()
	if got := w.get("activity/i90000101").object()["icu_ftp"]; got != 280.0 {
		t.Errorf("before applying the past has %v", got)
	}
	w.do("PUT", "athlete/0/sport-settings/Ride/apply", nil).ok()
	if out, in := w.get("activity/i90000101").object()["icu_ftp"], w.get("activity/i90000103").object()["icu_ftp"]; out != 300.0 || in != 290.0 {
		t.Errorf("outdoors %v, indoors %v", out, in)
	}
}

func TestGearIsServedWithItsReminders(t *testing.T) {
	w := newWorld(t)
	for i, want := range readSample[[]Object](t, "gear_list") {
		if got := w.get("athlete/0/gear").list()[i]; string(encode(nil, want)) != string(encode(nil, got)) {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
	if csv := w.get("athlete/0/gear.csv").body; !strings.HasPrefix(csv, "id,athlete_id,type,name,") {
		t.Error(csv)
	}
}

func TestCustomItemsAreMadeChangedAndDeleted(t *testing.T) {
	w := newWorld(t)
	field := Object{"type": "INPUT_FIELD", "name": "Mood swing", "content": Object{"code": "MoodSwing", "type": "numeric", "aggregate": "AVERAGE"}}
	made := w.do("POST", "athlete/0/custom-item", field).ok().object()
	if made["index"] != 3.0 || made["visibility"] != "PRIVATE" || made["athlete_id"] != "i12345" {
		t.Errorf("%v", made)
	}
	w.do("PUT", "athlete/0/wellness/2026-07-14", Object{"MoodSwing": 3}).ok() // the field exists now
	id := idText(made["id"])
	changed := w.do("PUT", "athlete/0/custom-item/"+id, Object{"name": "Swing", "content": Object{"code": "MoodSwing", "type": "text"}}).ok().object()
	if content := changed["content"].(Object); len(content) != 2 || changed["name"] != "Swing" || changed["type"] != "INPUT_FIELD" {
		t.Errorf("content is replaced whole: %v", changed)
	}
	for body, c := range map[string]struct {
		status int
		reason string
	}{
		`{"name":"x"}`:                                      {422, "Missing type"},
		`{"type":"INPUT_FIELD","content":{}}`:               {422, "Name is required"},
		`{"type":"input_field","name":"x"}`:                 {422, "Enum"},
		`{"type":"INPUT_FIELD","name":"x"}`:                 {400, "Bad Request"},
		`{"type":"FITNESS_CHART","name":"x","content":"y"}`: {400, "Bad Request"},
		`{"type":"ACTIVITY_FIELD","name":"x","content":{"code":"lower","type":"numeric"}}`:                 {400, "Bad Request"},
		`{"type":"ACTIVITY_FIELD","name":"x","content":{"code":"Upper","type":"float"}}`:                   {400, "Bad Request"},
		`{"type":"ACTIVITY_FIELD","name":"x","content":{"code":"Upper","type":"text","aggregate":"MEAN"}}`: {400, "Bad Request"},
	} {
		w.do("POST", "athlete/0/custom-item", body).refused(c.status, c.reason)
	}
	if r := w.do("DELETE", "athlete/0/custom-item/"+id, nil).ok(); r.body != "" {
		t.Errorf("body %q", r.body)
	}
	w.do("GET", "athlete/0/custom-item/"+id, nil).refused(404, "Not Found")
	w.do("GET", "athlete/0/custom-item/x", nil).refused(422, "int")
	w.as("i20003").do("GET", "athlete/0/custom-item/7001", nil).refused(403, "Access denied")
	if got := w.get("athlete/0/custom-item").ids(); got != "7001 7002 7003" {
		t.Error(got)
	}
}

func TestTheLibraryHoldsWorkoutsInFolders(t *testing.T) {
	w := newWorld(t)
	folders := w.get("athlete/0/folders").list()
	if len(folders) != 2 || len(objects(folders[0]["children"])) != 1 {
		t.Fatalf("%v", folders)
	}
	if got := w.get("athlete/0/workouts").ids(); got != "810001 810002" {
		t.Error(got)
	}
	folder := w.do("POST", "athlete/0/folders", Object{"name": "New", "type": "FOLDER"}).ok().object()
	w.do("POST", "athlete/0/folders", Object{"type": "FOLDER"}).refused(422, "Name is required")
	for reason, body := range map[string]Object{
		"Folder is required": {"name": "x", "type": "Ride"}, "Missing type": {"name": "x", "folder_id": folder["id"]},
		"Name is required": {"type": "Ride", "folder_id": folder["id"]}, "Enum": {"name": "x", "type": "bike", "folder_id": folder["id"]},
	} {
		w.do("POST", "athlete/0/workouts", body).refused(422, reason)
	}
	made := w.do("POST", "athlete/0/workouts", Object{"folder_id": folder["id"], "type": "Ride", "name": "Steady", "description": "- 1h 60%"}).ok().object()
	if made["icu_training_load"] != 36.0 || made["moving_time"] != 3600.0 || texts(made["targets"])[0] != "POWER" {
		t.Errorf("%v", made)
	}
	id := idText(made["id"])
	changed := w.do("PUT", "athlete/0/workouts/"+id, Object{"description": "- 30m 60%"}).ok().object()
	if changed["moving_time"] != 1800.0 || changed["icu_training_load"] != 18.0 || changed["name"] != "Steady" {
		t.Errorf("%v", changed)
	}
	hidden := w.do("PUT", "athlete/0/folders/81000/workouts?oldest=0&newest=3", Object{"hide_from_athlete": true}).ok().list()
	if len(hidden) != 1 || hidden[0]["hide_from_athlete"] != true {
		t.Errorf("%v", hidden)
	}
	if r := w.do("DELETE", "athlete/0/workouts/"+id, nil).ok(); r.body != "["+id+"]" {
		t.Error(r.body)
	}
	w.do("DELETE", "athlete/0/folders/81001", nil).ok() // its workouts go with it
	if got := w.get("athlete/0/workouts").ids(); got != "810002" {
		t.Error(got)
	}
}
