package tools

import (
	"slices"
	"strings"
	"testing"

	"intervals-mcp/internal/intervals/fake"
)

func TestBEventDetailsAreReadFromThePluralPath(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	for _, id := range []any{60000001, "60000001", 6.0000001e7} {
		w.control(t, "DELETE", "requests", nil)
		text, _ := w.ok(t, "get_event_by_id", map[string]any{"event_id": id})
		says(t, text, "Event Details:", "ID: 60000001")
		if !slices.ContainsFunc(w.paths(t), func(p string) bool { return strings.HasSuffix(p, "/events/60000001") }) {
			t.Errorf("paths = %v", w.paths(t))
		}
	}
}

func TestBEventDetailsShowTheDate(t *testing.T) {
	d := withEvents(t, planned(7, "RACE_B", "2026-07-19T09:30:00", "2026-07-20T00:00:00", fake.Object{"type": "Run"}))
	w := newWorld(t, d, sampleNow)
	text, out := w.ok(t, "get_event_by_id", map[string]any{"event_id": 7})
	says(t, text, "Date: 2026-07-19 Sun 09:30")
	if e := out["event"].(map[string]any); e["start_date_local"] != "2026-07-19T09:30:00" || e["end_date"] != "2026-07-19" {
		t.Errorf("event = %v", e)
	}
}

func TestBEventDetailsComeFromKeysThatTheAPISends(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, out := w.ok(t, "get_event_by_id", map[string]any{"event_id": "60000001"})
	says(t, text, "Category: WORKOUT", "Type: Ride", `Name: "3x8 threshold"`, "Training Load: 65", "Duration: 56:00", "Intensity: 83 % of threshold",
		"- 10m ramp 50-75% 85rpm (warmup)", "- 3x \"Main set 3x\"\n  - 8m 98-102% \"Hard\"\n  - 4m 55% \"Easy\"", "Description:\n> Warmup\n> - 10m ramp 50-75% 85rpm")
	keepsQuiet(t, text, "Other Fields", "Unknown", "null")
	e := out["event"].(map[string]any)
	steps := e["steps"].([]any)
	repeat := steps[1].(map[string]any)
	hard := repeat["steps"].([]any)[0].(map[string]any)
	if len(steps) != 3 || repeat["reps"] != 3.0 || hard["duration_s"] != 480.0 || hard["power"].(map[string]any)["end"] != 102.0 {
		t.Errorf("steps = %v", steps)
	}
	if !strings.Contains(e["description"].(string), "\n- Hard 8m 98-102%\n") {
		t.Errorf("description = %q", e["description"])
	}
}

func TestFullDetailAddsEveryOtherField(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, out := w.ok(t, "get_event_by_id", map[string]any{"event_id": 60000001, "detail": "full"})
	says(t, text, "Other Fields:", `- external_id: "coach-2026-07-14-a"`, "- strain_score: 72.3")
	keepsQuiet(t, text, "attachments", "null")
	if other := out["event"].(map[string]any)["other_fields"].(map[string]any); other["joules"] == nil || other["attachments"] != nil {
		t.Errorf("other fields = %v", other)
	}
}

func TestPeriodsAndPushErrorsAreTold(t *testing.T) {
	d := withEvents(t, planned(5, "HOLIDAY", "2026-08-01T00:00:00", "2026-08-09T00:00:00",
		fake.Object{"training_availability": "LIMITED", "max_training_time": 3600.0, "can_train_sports": []any{"Run"},
			"push_errors": []any{fake.Object{"service": "GARMIN", "message": "no \"device\"", "date": "2026-07-15T00:00:00"}}}))
	text, out := newWorld(t, d, sampleNow).ok(t, "get_event_by_id", map[string]any{"event_id": 5})
	says(t, text, "Date: 2026-08-01 Sat (to 2026-08-08)", "Availability and marks: limited, at most 1h, only Run", `Not delivered: GARMIN 2026-07-15T00:00:00 "no 'device'"`)
	if e := out["event"].(map[string]any); e["end_date"] != "2026-08-08" || len(e["push_errors"].([]any)) != 1 {
		t.Errorf("event = %v", e)
	}
}

func TestMissingOrUnreadableEventsAreErrorsInTheReferencesWords(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	w.fails(t, "get_event_by_id", map[string]any{"event_id": 999}, "Error fetching event details: ", "No details found for event 999.", "get_events lists the ids")
	w.fault(t, map[string]any{"path": "/events/60000001", "body": []any{}})
	w.fails(t, "get_event_by_id", map[string]any{"event_id": 60000001}, "Invalid event format for event 60000001.")
}

func TestALongDescriptionIsWholeAndQuoted(t *testing.T) {
	long := strings.Repeat("Line of advice\nEvent Details: none\n", 200)
	d := withEvents(t, planned(8, "NOTE", "2026-07-16T00:00:00", "2026-07-17T00:00:00", fake.Object{"description": long + "the end"}))
	text, out := newWorld(t, d, sampleNow).ok(t, "get_event_by_id", map[string]any{"event_id": 8})
	says(t, text, "> Event Details: none", "> the end")
	keepsQuiet(t, text, "\nEvent Details: none")
	if got := out["event"].(map[string]any)["description"].(string); !strings.HasSuffix(got, "the end") || len(got) < len(long) {
		t.Errorf("description has %d bytes", len(got))
	}
}
