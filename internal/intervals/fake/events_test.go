package fake

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestEventsAreListedWithinInclusiveDays(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]string{
		"oldest=2026-07-13&newest=2026-07-14":                                "60000004 60000006 60000001",
		"oldest=2026-07-13&newest=2026-07-13":                                "60000004 60000006",
		"oldest=2026-07-16&newest=2026-07-16":                                "60000006 60000003", // the week's target runs on
		"oldest=2026-07-13&newest=2026-07-19&category=NOTE":                  "60000003",
		"oldest=2026-07-13&newest=2026-07-19&category=NOTE,TARGET":           "60000006 60000003",
		"oldest=2026-07-13&newest=2026-07-19&category=NOTE&category=WORKOUT": "60000004 60000001 60000003",
		"oldest=2026-08-08&newest=2026-08-08":                                "60000005", // a holiday to the 8th
		"oldest=2026-08-09&newest=2026-08-09":                                "",
		"oldest=2026-07-13&newest=2026-07-19&limit=1":                        "60000004",
		"":                  "60000006 60000003", // today and six more days
		"oldest=2026-07-12": "60000004 60000006 60000001 60000003",
	} {
		if got := w.get("athlete/0/events?" + path).ids(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	w.do("GET", "athlete/0/events?category=note", nil).refused(422, "Enum")
	w.do("GET", "athlete/0/events?oldest=1.7.2026", nil).refused(422, "LocalDate")
}

func TestAnEventSpellsOutEveryKey(t *testing.T) {
	w := newWorld(t)
	want := readSample[[]Object](t, "events_list")[0]
	made := w.do("POST", "athlete/0/events", Object{
		"category": "NOTE", "name": "Flight", "start_date_local": "2026-07-16T06:30:00", "uid": "8f0a6f3e-0000-4c2a-9d10-000000000009",
	}).ok().object()
	for k := range want {
		if _, ok := made[k]; !ok {
			t.Errorf("key %s is missing", k)
		}
	}
	if len(made) != len(want) {
		t.Errorf("%d keys, want %d", len(made), len(want))
	}
	if made["uid"] != idText(made["id"]) {
		t.Errorf("a note has its id for uid, not %v", made["uid"])
	}
	if made["end_date_local"] != "2026-07-17T00:00:00" || made["start_date_local"] != "2026-07-16T06:30:00" {
		t.Errorf("from %v to %v", made["start_date_local"], made["end_date_local"])
	}
	if made["created_by_id"] != "i12345" || made["calendar_id"] != 1.0 || made["training_availability"] != "NORMAL" {
		t.Errorf("%v", made)
	}
}

func TestWhatAnEventMustHaveDependsOnItsCategory(t *testing.T) {
	w := newWorld(t)
	day := "2026-07-20T00:00:00"
	for _, c := range []struct {
		body   Object
		reason string
	}{
		{Object{"start_date_local": day, "name": "x"}, "category is required"},
		{Object{"category": "NOTE", "name": "x"}, "start_date_local is required"},
		{Object{"category": "NOTE", "name": "x", "start_date_local": "2026-07-20"}, "LocalDateTime"},
		{Object{"category": "NOTE", "name": "  ", "start_date_local": day}, "Name is required"},
		{Object{"category": "note", "name": "x", "start_date_local": day}, "Enum"},
		{Object{"category": "WORKOUT", "type": "ride", "start_date_local": day}, "Enum"},
		{Object{"category": "WORKOUT", "type": "Ride", "target": "power", "start_date_local": day}, "Enum"},
		{Object{"category": "RACE_A", "type": "Run", "start_date_local": day}, "Name is required"},
		{Object{"category": "RACE_A", "name": "x", "start_date_local": day}, "Missing type"},
		{Object{"category": "TARGET", "type": "Run", "start_date_local": day}, "target is required"},
		{Object{"category": "WORKOUT", "type": "Ride", "moving_time": "long", "start_date_local": day}, "java.lang.Integer"},
		{Object{"category": "WORKOUT", "type": "Ride", "indoor": "perhaps", "start_date_local": day}, "java.lang.Boolean"},
		{Object{"category": "HOLIDAY", "name": "x", "can_train_sports": []string{"run"}, "start_date_local": day}, "Enum"},
	} {
		w.do("POST", "athlete/0/events", c.body).refused(422, c.reason)
		w.do("POST", "athlete/0/events/bulk", []Object{{"category": "NOTE", "name": "fine", "start_date_local": day}, c.body}).refused(422, c.reason)
	}
	if got := w.get("athlete/0/events?oldest=2026-07-20&newest=2026-07-20").ids(); got != "" {
		t.Errorf("a refused bulk left %s", got)
	}
}

func TestAPlannedWorkoutGetsStepsAndLoadFromItsText(t *testing.T) {
	w := newWorld(t)
	body := readSample[Object](t, "event_workout_create_request")
	made := w.do("POST", "athlete/0/events", body).ok().object()
	doc := made["workout_doc"].(Object)
	if len(objects(doc["steps"])) != 3 || made["moving_time"] != 3360.0 || made["icu_training_load"] != 65.0 {
		t.Errorf("steps %v, time %v, load %v", doc["steps"], made["moving_time"], made["icu_training_load"])
	}
	if got := numberOr0(made, "icu_intensity"); math.Abs(got-83.452296) > 1e-4 {
		t.Errorf("intensity %v", got)
	}
	body["indoor"] = true // 270 W indoors: the same watts are harder, these percents are not
	if in := w.do("POST", "athlete/0/events", body).ok().object(); numberOr0(in, "joules") >= numberOr0(made, "joules") {
		t.Errorf("indoor work %v, outdoor %v", in["joules"], made["joules"])
	}
	body["icu_training_load"] = 90
	if by := w.do("POST", "athlete/0/events", body).ok().object(); by["icu_training_load"] != 90.0 {
		t.Errorf("a load that was sent became %v", by["icu_training_load"])
	}
	free := w.do("POST", "athlete/0/events", Object{
		"category": "WORKOUT", "type": "WeightTraining", "name": "Strength", "description": "3 sets of squats",
		"start_date_local": "2026-07-20T18:00:00",
	}).ok().object()
	if doc := free["workout_doc"].(Object); len(objects(doc["steps"])) != 0 || free["icu_training_load"] != nil {
		t.Errorf("prose gave %v and load %v", doc, free["icu_training_load"])
	}
}

func TestResolveGivesTargetsInWatts(t *testing.T) {
	w := newWorld(t)
	list := w.get("athlete/0/events?oldest=2026-07-14&newest=2026-07-14&category=WORKOUT&resolve=true").list()
	doc := list[0]["workout_doc"].(Object)
	power := objects(doc["steps"])[0]["_power"].(Object)
	if power["start"] != 140.0 || power["end"] != 210.0 || doc["ftp"] != 280.0 {
		t.Errorf("%v of %v", power, doc["ftp"])
	}
	if _, kept := w.get("athlete/0/events/60000001").object()["workout_doc"].(Object)["ftp"]; kept {
		t.Error("resolving changed the event")
	}
}

func TestAPutChangesOnlyWhatWasSent(t *testing.T) {
	w := newWorld(t)
	before := w.get("athlete/0/events/60000001").object()
	after := w.do("PUT", "athlete/0/events/60000001", Object{"name": "Renamed", "description": nil}).ok().object()
	for k, v := range before {
		if k != "name" && k != "updated" && string(encode(nil, v)) != string(encode(nil, after[k])) {
			t.Errorf("%s: %v became %v", k, v, after[k])
		}
	}
	if after["updated"] == before["updated"] {
		t.Error("updated did not move")
	}
	moved := w.do("PUT", "athlete/0/events/60000005", Object{"start_date_local": "2026-08-03T00:00:00"}).ok().object()
	if moved["end_date_local"] != "2026-08-11T00:00:00" {
		t.Errorf("the end of a moved holiday is %v", moved["end_date_local"])
	}
	text := w.do("PUT", "athlete/0/events/60000001", Object{"description": "- 1h 60%"}).ok().object()
	if text["moving_time"] != 3600.0 || text["icu_training_load"] != 36.0 {
		t.Errorf("new text gave %v s, load %v", text["moving_time"], text["icu_training_load"])
	}
	lost := w.do("PUT", "athlete/0/events/60000001", Object{"description": "just ride"}).ok().object()
	if len(objects(lost["workout_doc"].(Object)["steps"])) != 0 || lost["icu_training_load"] != nil || lost["moving_time"] != nil {
		t.Errorf("text without steps left %v", lost)
	}
	cleared := w.do("PUT", "athlete/0/events/60000001", Object{"description": "", "tags": []string{}, "joules": -1}).ok().object()
	if cleared["description"] != nil || cleared["tags"] != nil || cleared["joules"] != nil || cleared["workout_doc"] != nil {
		t.Errorf("cleared: %v", cleared)
	}
	w.do("PUT", "athlete/0/events/60000003", Object{"name": ""}).refused(422, "Name is required")
}

func TestAnUpsertByUIDUpdatesTheOneThatIsThere(t *testing.T) {
	w := newWorld(t)
	body := Object{
		"category": "WORKOUT", "type": "Ride", "name": "Endurance", "uid": "11111111-2222-4333-8444-555555555555",
		"start_date_local": "2026-07-21T00:00:00", "moving_time": 3600, "icu_training_load": 50,
	}
	first := w.do("POST", "athlete/0/events?upsertOnUid=true", body).ok().object()
	body["name"] = "Endurance 2"
	second := w.do("POST", "athlete/0/events?upsertOnUid=true", body).ok().object()
	if first["id"] != second["id"] || second["name"] != "Endurance 2" || second["uid"] != body["uid"] {
		t.Errorf("%v then %v", first, second)
	}
	if third := w.do("POST", "athlete/0/events", body).ok().object(); third["id"] == first["id"] || third["uid"] == body["uid"] {
		t.Errorf("without upsertOnUid a new one is made: %v", third)
	}
	bulk := w.do("POST", "athlete/0/events/bulk?upsertOnUid=true", []Object{body, {
		"category": "NOTE", "name": "n", "start_date_local": "2026-07-21T00:00:00",
	}}).ok().list()
	if bulk[0]["id"] != first["id"] || len(bulk) != 2 {
		t.Errorf("bulk: %v", bulk)
	}
}

func TestExternalIDsAreTheKeysOwn(t *testing.T) {
	w := newWorld(t)
	coach := w.as("i20002")
	body := []Object{{"category": "WORKOUT", "type": "Run", "name": "Run", "external_id": "x1", "start_date_local": "2026-07-21T00:00:00"}}
	own := w.do("POST", "athlete/0/events/bulk?upsert=true", body).ok().list()[0]
	again := w.do("POST", "athlete/0/events/bulk?upsert=true", body).ok().list()[0]
	theirs := coach.do("POST", "athlete/i12345/events/bulk?upsert=true", body).ok().list()[0]
	if own["id"] != again["id"] || own["id"] == theirs["id"] || theirs["created_by_id"] != "i20002" {
		t.Errorf("%v %v %v", own["id"], again["id"], theirs["id"])
	}
	doomed := []Object{{"external_id": "x1", "id": 60000001}, {"id": 60000003}, {"id": 5}, {"external_id": "unknown", "id": 60000004}}
	if got := w.do("PUT", "athlete/0/events/bulk-delete", doomed).ok().object(); got["eventsDeleted"] != 2.0 {
		t.Errorf("deleted %v", got)
	}
	left := w.get("athlete/0/events?oldest=2026-07-13&newest=2026-07-21").ids()
	if want := fmt.Sprintf("60000004 60000006 60000001 %s", idText(theirs["id"])); left != want {
		t.Errorf("left %s, want %s", left, want)
	}
}

func TestATargetReplacesTheWeeksTarget(t *testing.T) {
	w := newWorld(t)
	body := []Object{{"category": "TARGET", "type": "Ride", "load_target": 300, "start_date_local": "2026-07-13T00:00:00"}}
	made := w.do("POST", "athlete/0/events/bulk", body).ok().list()[0]
	if idText(made["id"]) != "60000006" || made["load_target"] != 300.0 {
		t.Errorf("%v", made)
	}
	body[0]["type"] = "Run"
	other := w.do("POST", "athlete/0/events/bulk", body).ok().list()[0]
	if other["id"] == made["id"] || other["for_week"] != true || other["end_date_local"] != "2026-07-20T00:00:00" {
		t.Errorf("%v", other)
	}
}

func TestARangeDeleteWithoutEndTakesTheWholeFuture(t *testing.T) {
	w := newWorld(t)
	w.do("DELETE", "athlete/0/events?oldest=2026-07-14", nil).refused(422, "'category'")
	w.do("DELETE", "athlete/0/events?category=NOTE", nil).refused(422, "'oldest'")
	if r := w.do("DELETE", "athlete/0/events?oldest=2026-07-14&category=WORKOUT,RACE_A&createdById=i9", nil).ok(); r.body != "" {
		t.Errorf("body %q", r.body)
	}
	w.get("athlete/0/events/60000002")
	w.do("DELETE", "athlete/0/events?oldest=2026-07-14&category=WORKOUT,RACE_A", nil).ok()
	w.do("GET", "athlete/0/events/60000002", nil).refused(404, "Not Found")
	w.get("athlete/0/events/60000004")
	if got := w.get("activity/i90000101").object()["paired_event_id"]; got != nil {
		t.Errorf("the activity is still paired with %v", got)
	}
}

func TestOneDeleteTakesOthersOfItsPlanOnlyWhenAsked(t *testing.T) {
	w := newWorld(t)
	run := func(day string) Object {
		return Object{"category": "WORKOUT", "type": "Run", "name": day, "start_date_local": day + "T00:00:00"}
	}
	list := w.do("POST", "athlete/0/events/bulk?updatePlanApplied=true", []Object{run("2026-07-20"), run("2026-07-21"), run("2026-07-22")}).ok().list()
	if list[0]["plan_applied"] == nil || list[0]["plan_applied"] != list[2]["plan_applied"] {
		t.Errorf("plan_applied %v %v", list[0]["plan_applied"], list[2]["plan_applied"])
	}
	if r := w.do("DELETE", "athlete/0/events/"+idText(list[0]["id"]), nil).ok(); r.body != "{}" {
		t.Errorf("body %q", r.body)
	}
	w.get("athlete/0/events/" + idText(list[1]["id"]))
	w.do("DELETE", "athlete/0/events/"+idText(list[1]["id"])+"?others=true&notBefore=2026-07-22", nil).ok()
	if got := w.get("athlete/0/events?oldest=2026-07-20&newest=2026-07-22").ids(); got != "" {
		t.Errorf("left %s", got)
	}
}

func TestMarkDoneMakesAPairedManualActivity(t *testing.T) {
	w := newWorld(t)
	act := w.do("POST", "athlete/0/events/60000001/mark-done", nil).ok().object()
	if act["paired_event_id"] != 60000001.0 || act["source"] != "MANUAL" || act["icu_training_load"] != 65.0 || act["elapsed_time"] != 3360.0 {
		t.Errorf("%v", act)
	}
	if got := w.get("activity/i90000101").object()["paired_event_id"]; got != nil {
		t.Errorf("an event has one activity, yet the first still has %v", got)
	}
	w.do("POST", "athlete/0/events/60000003/mark-done", nil).refused(422, "Missing type")
}

func TestCopiesOfEventsAreTheCallers(t *testing.T) {
	w := newWorld(t)
	list := w.do("POST", "athlete/0/duplicate-events", Object{"numCopies": 2, "weeksBetween": 1, "eventIds": []int{60000001, 60000004}}).ok().list()
	if len(list) != 4 || list[0]["start_date_local"] != "2026-07-21T00:00:00" || list[3]["start_date_local"] != "2026-07-27T00:00:00" {
		t.Fatalf("%v", list)
	}
	if list[0]["external_id"] != nil || list[0]["uid"] == "8f0a6f3e-1111-4c2a-9d10-000000000001" || list[0]["icu_training_load"] != 65.0 {
		t.Errorf("%v", list[0])
	}
}

func TestWhatACoachHidesOrLocksIsKeptFromTheAthlete(t *testing.T) {
	w := newWorld(t)
	coach := w.as("i20002")
	secret := idText(coach.do("POST", "athlete/i12345/events", Object{
		"category": "NOTE", "name": "Test week", "start_date_local": "2026-07-16T00:00:00", "hide_from_athlete": true,
	}).ok().object()["id"])
	fixed := idText(coach.do("POST", "athlete/i12345/events", Object{
		"category": "NOTE", "name": "Do not move", "start_date_local": "2026-07-16T00:00:00", "athlete_cannot_edit": true,
	}).ok().object()["id"])
	w.do("GET", "athlete/0/events/"+secret, nil).refused(404, "Not Found")
	if strings.Contains(w.get("athlete/0/events").body, "Test week") {
		t.Error("the hidden note is listed")
	}
	w.do("PUT", "athlete/0/events/"+fixed, Object{"name": "x"}).refused(403, "Access denied")
	w.do("DELETE", "athlete/0/events/"+fixed, nil).refused(403, "Access denied")
	if got := w.do("PUT", "athlete/0/events/bulk-delete", []Object{{"id": fixed}, {"id": secret}}).ok().object(); got["eventsDeleted"] != 0.0 {
		t.Errorf("%v", got)
	}
	coach.do("PUT", "athlete/i12345/events?oldest=2026-07-16&newest=2026-07-16", Object{"hide_from_athlete": false, "athlete_cannot_edit": false, "name": "no"}).ok()
	if got := w.get("athlete/0/events/" + secret).object()["name"]; got != "Test week" {
		t.Errorf("a range update changed the name to %v", got)
	}
	w.do("DELETE", "athlete/0/events/"+fixed, nil).ok()
}

func TestADeviceTouchesAnEventBehindEveryonesBack(t *testing.T) {
	w := newWorld(t)
	before := w.get("athlete/0/events/60000001").object()
	w.do("POST", "/_fake/device", Object{"event_id": 60000001, "activity_id": "i90000103", "push_errors": []Object{{"service": "GARMIN", "message": "no"}}}).ok()
	after := w.get("athlete/0/events/60000001").object()
	if after["updated"] == before["updated"] || len(objects(after["push_errors"])) != 1 {
		t.Errorf("%v", after)
	}
	if got := w.get("activity/i90000103").object()["paired_event_id"]; got != 60000001.0 {
		t.Errorf("paired with %v", got)
	}
	w.do("POST", "/_fake/device", Object{"event_id": 1}).refused(400, "no event 1")
}

func TestTagsAndModelEventsAreListed(t *testing.T) {
	w := newWorld(t)
	if got := w.get("athlete/0/event-tags").body; got != `["quality"]` {
		t.Error(got)
	}
	if got := w.get("athlete/0/fitness-model-events").ids(); got != "60000011 60000010 60000009" {
		t.Error(got)
	}
}
