package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
)

// keys are the Intervals.icu keys of several users.
type keys map[string]string

// Credential implements secrets.Store.
func (k keys) Credential(_ context.Context, user string) (secrets.Credential, error) {
	if k[user] == "" {
		return secrets.Credential{}, secrets.ErrNotFound
	}
	return secrets.Credential{APIKey: secrets.New(k[user])}, nil
}

// Refused implements secrets.Store.
func (keys) Refused(string) {}

// team is an athlete with assistants of their own and a coach with another
// user; one audit log, one store of plans.
func team(t testing.TB, events ...fake.Object) *world {
	w := newWorld(t, fake.Dataset{Athletes: []fake.AthleteData{
		{APIKey: "athlete-key-1", Athlete: fake.Object{"id": "i1", "timezone": "Europe/London"}, Events: events},
		{APIKey: "coach-key-123", CoachOf: []string{"i1"}, Athlete: fake.Object{"id": "i9", "timezone": "Pacific/Auckland"}},
	}}, sampleNow)
	w.svc.Secrets = keys{"anna": "athlete-key-1", "carl": "coach-key-123"}
	return w.as(anna)
}

func (w *world) as(id identity.Identity) *world { w.id = id; return w }

var (
	anna = identity.Identity{User: "anna", Athlete: "i1", Connection: "claude-1", Client: "Claude", Scopes: []identity.Scope{identity.ScopeWrite}, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmAll}
	carl = identity.Identity{User: "carl", Athlete: "i9", Coach: true, Athletes: []string{"i1"}, Connection: "claude-9", Client: "Claude", Scopes: []identity.Scope{identity.ScopeWrite},
		Toolset: identity.ToolsetFull, Confirm: identity.ConfirmAll}
)

func with(id identity.Identity, change func(*identity.Identity)) identity.Identity {
	change(&id)
	return id
}

func TestAConnectionThatKnowsItsAthleteAsTheKeysOwnerCanConfirm(t *testing.T) {
	w := team(t).as(with(anna, func(id *identity.Identity) { id.Athlete = "0" })) // sam local
	_, p := w.status(t, "preview", "add_or_update_event", newRide)
	w.status(t, "applied", "confirm_change", map[string]any{"confirmation": p["confirmation"], "summary": p["summary"]})
}

func TestAConfirmationIsItsConnectionsAloneAndOthersLearnNothing(t *testing.T) {
	w := team(t)
	_, p := w.status(t, "preview", "add_or_update_event", newRide)
	args := map[string]any{"confirmation": p["confirmation"], "summary": p["summary"]}
	unknown, _ := w.status(t, "refused", "confirm_change", map[string]any{"confirmation": "aaaaaaaaaaaaaaaaaaaaaaaaaa", "summary": p["summary"]})
	for name, id := range map[string]identity.Identity{
		"another user":       carl,
		"another connection": with(anna, func(id *identity.Identity) { id.Connection = "claude-2" }),
	} {
		before := w.requests(t, "GET", "")
		a, out := w.as(id).status(t, "refused", "confirm_change", args)
		if a.Text != unknown.Text || strings.Contains(string(a.Structured), "New ride") || len(out["objects"].([]any)) != 0 {
			t.Errorf("%s: %s, unlike that of an unknown one: %s", name, a.Text, unknown.Text)
		}
		if n := w.requests(t, "GET", ""); n != before {
			t.Errorf("%s: %d reads", name, n-before)
		}
	}
	w.as(anna).status(t, "applied", "confirm_change", args)
	if n := w.requests(t, "POST", "/events"); n != 1 {
		t.Errorf("%d POSTs", n)
	}
}

func TestAPlanForAnAthleteWhoIsNoLongerReachedIsRefused(t *testing.T) {
	w := team(t).as(carl)
	_, p := w.status(t, "preview", "add_or_update_event", map[string]any{"name": "Ride", "athlete_id": "i1", "start_date": "2026-08-03"})
	w.as(with(carl, func(id *identity.Identity) { id.Athletes = nil }))
	a, _ := w.confirms(t, "refused", p)
	says(t, a.Text, "an athlete whom this connection can no longer change", "Nothing was written")
	if w.writes(t) != 0 {
		t.Error("it was written")
	}
	_, out := w.as(carl).confirms(t, "applied", p)
	if out["event"] == nil || w.requests(t, "POST", "/athlete/i1/events") != 1 {
		t.Errorf("%v", out)
	}
}

func TestACoachsPreviewNamesTheAthleteAndUsesTheirZone(t *testing.T) {
	w := team(t).as(carl)
	a, _ := w.status(t, "preview", "add_or_update_event", map[string]any{"name": "Ride", "athlete_id": "i1"})
	says(t, a.Text, "\nAthlete i1:\nCreate Wed 15 Jul: Ride \"Ride\"", "until 13:40, Europe/London")
}

func TestAConfirmationEndsAfterTenMinutes(t *testing.T) {
	w := team(t)
	_, p := w.status(t, "preview", "add_or_update_event", newRide)
	w.now = w.now.Add(10 * time.Minute)
	a, _ := w.confirms(t, "refused", p)
	says(t, a.Text, "its 10 minutes are over", "fresh preview")
}

func TestAPersonWhoWantsToApproveFromNowOnIsAlsoAskedAboutEarlierPreviews(t *testing.T) {
	w := team(t)
	_, p := w.status(t, "preview", "add_or_update_event", newRide)
	w.id.Confirm = identity.ConfirmPerson
	a, _ := w.confirms(t, "refused", p)
	if says(t, a.Text, "Only the person may approve this change"); w.writes(t) != 0 {
		t.Error("it was written")
	}
}

func TestASummaryIsComparedByItsLettersOnlyAndFiveWrongOnesDropThePlan(t *testing.T) {
	w := team(t)
	_, p := w.status(t, "preview", "add_or_update_event", newRide)
	w.status(t, "applied", "confirm_change", map[string]any{"confirmation": p["confirmation"], "summary": "create WORKOUT ride new ride, on mon 3 aug 2026 60 min"})
	_, p = w.status(t, "preview", "add_or_update_event", map[string]any{"name": "Third ride", "start_date": "2026-08-05"})
	w.status(t, "applied", "confirm_change", map[string]any{"confirmation": " " + p["confirmation"].(string) + "\n", "summary": p["summary"]})
	_, p = w.status(t, "preview", "add_or_update_event", map[string]any{"name": "Other ride", "start_date": "2026-08-04"})
	for left := 4; left >= 0; left-- {
		a, _ := w.status(t, "refused", "confirm_change", map[string]any{"confirmation": p["confirmation"], "summary": "Create a small ride"})
		if left > 0 {
			says(t, a.Text, "The summary is not the preview's line, which is", fmt.Sprintf("%d more tries", left))
		} else {
			says(t, a.Text, "wrong 5 times", "dropped")
		}
	}
	w.confirms(t, "refused", p)
	if w.writes(t) != 2 {
		t.Errorf("%d writes", w.writes(t))
	}
}

func TestWhatChangedSinceThePreviewIsShownAfreshAndTheOldConfirmationIsGone(t *testing.T) {
	w := team(t, fake.Object{"id": 5, "category": "WORKOUT", "type": "Ride", "name": "Ride", "start_date_local": "2026-08-03T00:00:00", "moving_time": 3600})
	_, p := w.status(t, "preview", "add_or_update_event", map[string]any{"event_id": 5, "moving_time": 4500})
	if code := w.upstream(t, "PUT", "/api/v1/athlete/0/events/5", `{"moving_time":5400}`, nil); code != 200 {
		t.Fatal(code)
	}
	before := w.writes(t)
	a, fresh := w.confirms(t, "preview", p)
	says(t, a.Text, "time 90 -> 75 min", "changed since the preview (moving_time)", "Nothing was written; this is a fresh preview.")
	if a.Ask != nil || w.writes(t) != before {
		t.Errorf("asked %+v, %d writes", a.Ask, w.writes(t)-before)
	}
	w.confirms(t, "refused", p)
	w.confirms(t, "applied", fresh)
	if w.raw(t, 5)["moving_time"] != 4500.0 {
		t.Errorf("event = %v", w.raw(t, 5))
	}
}

func TestWhatGoesWrongOnConfirmingIsToldAsTheToolItselfWould(t *testing.T) {
	w := team(t)
	_, p := w.status(t, "preview", "add_or_update_event", newRide)
	w.faults(t, `[{"method":"POST","path":"/events","status":422,"body":{"error":"Name is silly"}}]`)
	a, out := w.confirms(t, "failed", p)
	says(t, a.Text, "Error creating event: failed. 422: Intervals.icu refused the request. Intervals.icu says: \"Name is silly\"", p["summary"].(string))
	_, again := w.confirms(t, "replayed", p)
	if again["outcome"] != "failed" || again["change_id"] != out["change_id"] {
		t.Errorf("%v", again)
	}
}

func TestOddArgumentsOfConfirmAndUndoAreRefusedBeforeAnythingIsRead(t *testing.T) {
	ids := make([]any, 10_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("djz59dyetq%d-abcdefghijkl", i)
	}
	for name, c := range map[string]struct {
		tool  string
		args  map[string]any
		words string
	}{
		"a confirmation of 1 MB":     {"confirm_change", map[string]any{"confirmation": strings.Repeat("a", 1<<20), "summary": "x"}, "confirmation is 1048576 characters long; at most 64"},
		"a summary of 1 MB":          {"confirm_change", map[string]any{"confirmation": "a", "summary": strings.Repeat("a", 1<<20)}, "summary is 1048576 characters long"},
		"controls in the summary":    {"confirm_change", map[string]any{"confirmation": "a", "summary": "x\x00y"}, "control character U+0000"},
		"no summary":                 {"confirm_change", map[string]any{"confirmation": "a"}, "summary is required"},
		"a summary that is no text":  {"confirm_change", map[string]any{"confirmation": "a", "summary": map[string]any{}}, "summary must be text"},
		"sessions beside it":         {"confirm_change", map[string]any{"confirmation": "a", "summary": "x", "moving_time": 1}, "moving_time is not a parameter"},
		"10,000 ids":                 {"undo_change", map[string]any{"change_id": ids}, "more than 1000"},
		"51 ids":                     {"undo_change", map[string]any{"change_id": ids[:51]}, "at most 50"},
		"no id":                      {"undo_change", map[string]any{"change_id": []any{}}, "change_id is empty"},
		"an id that is none":         {"undo_change", map[string]any{"change_id": "event 5"}, `"event 5" is no change_id (list_changes gives them)`},
		"an id of 1 MB":              {"undo_change", map[string]any{"change_id": strings.Repeat("a", 1<<20)}, "at most 80"},
		"an id of another spelling":  {"undo_change", map[string]any{"change_id": "DJZ59DYETQ80-abc"}, "is no change_id"},
		"a page after what is no id": {"list_changes", map[string]any{"before": "x"}, "is no change_id"},
		"a status that is none":      {"list_changes", map[string]any{"status": "done"}, "must be one of applied, failed, unknown, unfinished"},
	} {
		t.Run(name, func(t *testing.T) {
			w := team(t)
			w.fails(t, c.tool, c.args, c.words)
			if n := w.requests(t, "GET", "") + w.writes(t); n != 0 {
				t.Errorf("%d requests upstream", n)
			}
		})
	}
}

func TestSeveralChangesAreTakenBackAtOnceAndTheUndoItself(t *testing.T) {
	for _, asList := range []bool{false, true} {
		w := team(t, fake.Object{"id": 5, "category": "WORKOUT", "type": "Ride", "name": "Ride", "start_date_local": "2026-08-03T00:00:00", "moving_time": 3600, "created_by_id": "i1"})
		w.id.Confirm = identity.ConfirmNever
		start := w.calendar(t, "2026-08-01", "2026-08-31")
		var ids []string
		for _, c := range []struct {
			tool string
			args map[string]any
		}{{"add_or_update_event", newRide}, {"add_or_update_event", map[string]any{"event_id": 5, "name": "Changed"}}, {"add_or_update_note", map[string]any{"name": "Note", "start_date": "2026-08-06"}}} {
			_, out := w.status(t, "applied", c.tool, c.args)
			ids = append(ids, out["change_id"].(string))
		}
		changed := w.calendar(t, "2026-08-01", "2026-08-31")
		w.id.Confirm = identity.ConfirmAll
		var arg any = strings.Join(ids, ", ")
		if asList {
			arg = ids
		}
		a, p := w.status(t, "preview", "undo_change", map[string]any{"change_id": arg})
		says(t, a.Text, "\nChange Mon 3 Aug: Ride \"Changed\" (event 5) - name \"Changed\" -> \"Ride\"\n", "\nDelete 2 events, lost: time 1:00 h:\n- Mon 3 Aug: Ride \"New ride\"", "- Thu 6 Aug: NOTE \"Note\"")
		_, back := w.confirms(t, "applied", p)
		if got := w.calendar(t, "2026-08-01", "2026-08-31"); fmt.Sprint(got) != fmt.Sprint(start) {
			t.Fatalf("calendar %v, want %v", got, start)
		}
		_, p = w.status(t, "preview", "undo_change", map[string]any{"change_id": back["change_id"]})
		w.confirms(t, "applied", p)
		if got := w.calendar(t, "2026-08-01", "2026-08-31"); fmt.Sprint(names(got)) != fmt.Sprint(names(changed)) {
			t.Errorf("after the undo of the undo %v, want %v", got, changed)
		}
		// What stands again can be taken back again, and no oftener.
		_, log := w.calls(t, time.Minute, "list_changes", nil)
		for _, r := range log["changes"].([]any) {
			if r := r.(map[string]any); r["change_id"] == ids[0] && (r["undone_by"] != nil || r["undoable"] != "yes") {
				t.Errorf("row = %v", r)
			}
		}
		_, p = w.status(t, "preview", "undo_change", map[string]any{"change_id": ids[0]})
		w.confirms(t, "applied", p)
		again, _ := w.status(t, "refused", "undo_change", map[string]any{"change_id": ids[0]})
		says(t, again.Text, "Error undoing the change: refused.", "Undo: Create workout Ride")
	}
}

func names(calendar map[int64]string) (out []string) {
	for _, name := range calendar {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func TestChangesOfTwoAthletesAreNotTakenBackAtOnce(t *testing.T) {
	w := team(t).as(with(carl, func(id *identity.Identity) { id.Confirm = identity.ConfirmNever }))
	_, hers := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Ride", "athlete_id": "i1", "start_date": "2026-08-04"})
	_, mine := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Ride", "start_date": "2026-08-04"})
	a, _ := w.status(t, "refused", "undo_change", map[string]any{"change_id": []any{hers["change_id"], mine["change_id"]}})
	says(t, a.Text, "another one. Undo the changes of one athlete at a time.")
	for _, id := range []any{hers["change_id"], mine["change_id"]} {
		w.status(t, "applied", "undo_change", map[string]any{"change_id": id})
	}
	// Confined to the coach's own data, the connection cannot take back hers.
	_, hers = w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Run", "athlete_id": "i1", "start_date": "2026-08-04"})
	w.id.Athletes = nil
	w.fails(t, "undo_change", map[string]any{"change_id": hers["change_id"]}, "is not within reach of this connection")
}

func TestWhatACoachChangedIsSeenAndIsTheirsToTakeBack(t *testing.T) {
	w := team(t, fake.Object{"id": 6, "category": "WORKOUT", "type": "Ride", "name": "Secret test", "start_date_local": "2026-08-03T00:00:00", "hide_from_athlete": true}).
		as(with(carl, func(id *identity.Identity) { id.Confirm = identity.ConfirmNever }))
	_, made := w.status(t, "applied", "add_or_update_event", map[string]any{"name": "From the coach", "workout_type": "Ride", "athlete_id": "i1", "start_date": "2026-08-04"})
	_, p := w.calls(t, time.Minute, "add_or_update_event", map[string]any{"event_id": 6, "athlete_id": "i1", "moving_time": 3600})
	if p["status"] == "preview" {
		_, p = w.confirms(t, "applied", p)
	}
	hidden := p["change_id"].(string)

	w.as(anna)
	a, out := w.calls(t, time.Minute, "list_changes", nil)
	rows := out["changes"].([]any)
	if len(rows) != 1 {
		t.Fatalf("the athlete sees %v", rows)
	}
	row := rows[0].(map[string]any)
	if row["by"] != "carl" || row["client"] != nil || row["undoable"] != "no (only its user can)" || row["change_id"] != made["change_id"] {
		t.Errorf("row = %v", row)
	}
	says(t, a.Text, "by user carl", "From the coach")
	keepsQuiet(t, a.Text, "Secret")
	a, _ = w.status(t, "refused", "undo_change", map[string]any{"change_id": made["change_id"]})
	says(t, a.Text, "made by another user (carl), and only they can take it back", "Nothing was written")
	// One that is hidden, and one that is not there, look the same.
	a, _ = w.status(t, "refused", "undo_change", map[string]any{"change_id": hidden})
	says(t, a.Text, "There is no change "+hidden+" of yours")
	w.as(carl)
	_, p = w.status(t, "preview", "undo_change", map[string]any{"change_id": made["change_id"]})
	w.confirms(t, "applied", p)
}

func TestTheLogIsListedInPagesInTheAthletesZoneByStatusAndDays(t *testing.T) {
	w := team(t)
	w.id.Confirm = identity.ConfirmNever
	w.now = w.now.AddDate(0, 0, -10)
	w.status(t, "applied", "add_or_update_event", map[string]any{"name": "Old ride", "start_date": "2026-08-01"})
	w.now = w.now.AddDate(0, 0, 10)
	for n := range 6 {
		w.status(t, "applied", "add_or_update_event", map[string]any{"name": fmt.Sprintf("Ride %d", n), "start_date": "2026-08-03"})
	}
	w.faults(t, `[{"method":"POST","path":"/events","status":422,"body":{"error":"No"}}]`)
	w.status(t, "failed", "add_or_update_event", map[string]any{"name": "Ride 7", "start_date": "2026-08-03"})

	w.id.Scopes, w.id.Connection = []identity.Scope{identity.ScopeRead}, "reader"
	var seen []string
	args := map[string]any{"limit": 3, "days": 5}
	for range 4 {
		a, out := w.calls(t, time.Minute, "list_changes", args)
		for _, r := range out["changes"].([]any) {
			seen = append(seen, r.(map[string]any)["summary"].(string))
		}
		next, more := out["next_before"].(string)
		if !more {
			break
		}
		says(t, a.Text, "There are older ones: before "+next)
		args["before"] = next
	}
	if len(seen) != 7 || !strings.Contains(seen[0], "Ride 7") || !strings.Contains(seen[6], "Ride 0") {
		t.Errorf("seen %q", seen)
	}
	a, out := w.calls(t, time.Minute, "list_changes", map[string]any{"status": "failed"})
	rows := out["changes"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["undoable"] != "no (it was not done)" || out["timezone"] != "Europe/London" {
		t.Errorf("%v", out)
	}
	says(t, a.Text, "Changes, newest first (times in Europe/London):", "2026-07-15 Wed 13:30 failed: Create workout Ride \"Ride 7\"", `add_or_update_event by "Claude" (claude-1)`, `"create event: refused by Intervals.icu (status 422): No"`)
	if r := rows[0].(map[string]any); r["time"] != "2026-07-15T13:30:00+01:00" || r["connection"] != "claude-1" {
		t.Errorf("row = %v", r)
	}
}

func TestAConnectionSeesChangesOfTheAthletesWhomItReachesOnly(t *testing.T) {
	w := team(t).as(with(carl, func(id *identity.Identity) { id.Confirm = identity.ConfirmNever }))
	w.status(t, "applied", "add_or_update_event", map[string]any{"name": "For anna", "workout_type": "Ride", "athlete_id": "i1", "start_date": "2026-08-04"})
	w.status(t, "applied", "add_or_update_event", map[string]any{"name": "For myself", "workout_type": "Ride", "start_date": "2026-08-04"})
	count := func(args map[string]any) int {
		_, out := w.calls(t, time.Minute, "list_changes", args)
		return len(out["changes"].([]any))
	}
	if all, hers, mine := count(nil), count(map[string]any{"athlete_id": "i1"}), count(map[string]any{"athlete_id": "i9"}); all != 2 || hers != 1 || mine != 1 {
		t.Errorf("all %d, hers %d, mine %d", all, hers, mine)
	}
	w.id.Athletes = nil
	if n := count(nil); n != 1 {
		t.Errorf("a connection confined to the coach sees %d", n)
	}
	w.fails(t, "list_changes", map[string]any{"athlete_id": "i1"}, "is not within reach")
	// What the athlete does alone is not their coach's to see.
	w.as(with(anna, func(id *identity.Identity) { id.Confirm = identity.ConfirmNever })).status(t, "applied", "add_or_update_event", newRide)
	if w.as(carl); count(map[string]any{"athlete_id": "i1"}) != 1 {
		t.Error("the coach sees what the athlete's own assistants changed")
	}
}

func TestAnUndoneChangeSaysByWhichAndOnALaptopTheAthleteIsTheKeysOwner(t *testing.T) {
	w := newSampleWorld(t)
	_, made := w.status(t, "applied", "add_or_update_event", newRide)
	_, back := w.status(t, "applied", "undo_change", map[string]any{"change_id": made["change_id"]})
	_, out := w.calls(t, time.Minute, "list_changes", nil)
	rows := out["changes"].([]any)
	first, second := rows[0].(map[string]any), rows[1].(map[string]any)
	if out["athlete_id"] != "i12345" || second["undone_by"] != back["change_id"] || second["undoable"] != "no (undone already)" || first["undoes"].([]any)[0] != made["change_id"] {
		t.Errorf("%v", out)
	}
}

// brokenLog is an audit log that cannot be read.
type brokenLog struct{ audit.Log }

func (brokenLog) Heads(context.Context, audit.Query) ([]audit.Item, error) {
	return nil, fmt.Errorf("table audit-7 of account 123: denied")
}

func (brokenLog) Change(context.Context, string, audit.ID) ([]audit.Item, error) {
	return nil, fmt.Errorf("table audit-7 of account 123: denied")
}

func TestALogThatCannotBeReadIsSaidWithoutItsWords(t *testing.T) {
	w := team(t)
	w.svc.Changes.Log = brokenLog{w.log}
	for tool, args := range map[string]map[string]any{"list_changes": nil, "undo_change": {"change_id": "djz59dyetq80-abcdefghijkl"}} {
		a := w.fails(t, tool, args, "the audit log cannot be read now", "try again in a minute")
		keepsQuiet(t, a.Text, "audit-7", "denied")
	}
}
