package pagestest

import (
	"fmt"
	"time"

	"intervals-mcp/internal/oauth/pages"
)

const oldWorkout = `Warm-up
- 15m ramp 50-70%

Main set 4x
- 8m 95%
- 4m 55%

Cool-down
- 10m 50%
`

const newWorkout = `Warm-up
- 15m ramp 50-70%
- 3m 55%

Main set 5x
- 6m 100%
- 3m 55%

Cool-down
- 10m 50%
`

func moved() []pages.Object {
	return []pages.Object{{Kind: "workout", ID: "9912", Title: "Threshold 4×8", Action: "update", Undo: "yes", Fields: []pages.Field{
		{Label: "Day", Old: "Tue 1 Dec 2026", New: "Wed 2 Dec 2026"},
		{Label: "Name", Old: "Threshold 4×8", New: "VO2max 5×6"},
		{Label: "Planned time", Old: "1 h 13 min", New: "1 h 13 min 30 s"},
		{Label: "Load", Old: "82"},
		{Label: "Workout", Old: oldWorkout, New: newWorkout},
	}}}
}

func mixed() []pages.Object {
	return []pages.Object{
		{Kind: "note", Title: "Travel day", Action: "create", Undo: "yes", Fields: []pages.Field{{Label: "Day", New: "Fri 4 Dec 2026"}, {Label: "Text", New: "Train to Basel at 07:12, so only the short run is possible in the evening."}}},
		{Kind: "workout", ID: "9913", Title: "Long ride", Action: "delete", Undo: "partly (it gets a new id, and attachments do not come back)", Fields: []pages.Field{{Label: "Day", Old: "Fri 4 Dec 2026"}, {Label: "Planned time", Old: "3 h"}}},
	}
}

func season(n int) []pages.Object {
	out := make([]pages.Object, n)
	for i := range out {
		out[i] = pages.Object{Kind: "workout", Title: fmt.Sprintf("Session %d", i+1), Action: "create", Undo: "yes", Fields: []pages.Field{
			{Label: "Day", New: Now.AddDate(0, 0, i).Format("Mon 2 Jan 2006")}, {Label: "Sport", New: "Run"}, {Label: "Workout", New: newWorkout}}}
	}
	return out
}

func pending() []pages.Pending {
	return []pages.Pending{
		{ID: "w1", Client: "Claude", Summary: "move Threshold 4×8 to Wednesday 2 December and change 4 of its fields", Objects: moved(), Asked: ago(2 * time.Minute), Expires: Now.Add(8 * time.Minute),
			Warnings: []string{"this session is tomorrow: it may already be on your watch"}},
		{ID: "w2", Client: "ChatGPT", Summary: "add a note and delete Long ride on Friday 4 December", Objects: mixed(), Asked: ago(9 * time.Minute), Expires: Now.Add(40 * time.Second)},
	}
}

func entries() []pages.Entry {
	undone := mixed()
	for i := range undone {
		undone[i].Status = "applied"
	}
	undone[1].Status = "failed"
	return []pages.Entry{
		{ID: "ch4", When: ago(20 * time.Minute), Client: "Claude", Summary: "move Threshold 4×8 to Wednesday 2 December and change 4 of its fields", Status: "applied", Objects: moved(), CanUndo: true},
		{ID: "ch3", When: ago(26 * time.Hour), Client: "Account page", Summary: "undo: add 60 sessions", Status: "applied", Objects: season(60), Undid: "ch2"},
		{ID: "ch2", When: ago(27 * time.Hour), Client: "ChatGPT", Summary: "add 60 sessions", Status: "applied", Objects: season(60), UndoneBy: "ch3"},
		{ID: "ch1", When: ago(50 * time.Hour), Client: "Claude", By: "Jonas Abegg", Summary: "add a note and delete Long ride", Status: "failed", Reason: "Intervals.icu refused the second part, and the first was taken back", Objects: undone},
		{ID: "ch0", When: ago(99 * time.Hour), Client: "Claude", Athlete: "Amelie Roth", Summary: "change Long ride on Thursday 26 November", Status: "unfinished",
			Reason: "the answer of Intervals.icu was lost; look at the day before repeating it", Objects: []pages.Object{{Kind: "workout", Title: "Long ride", ID: "77102", Action: "update", Undo: "yes",
				Fields: []pages.Field{{Label: "Day", Old: "Thu 26 Nov 2026", New: "Fri 27 Nov 2026"}, {Label: "Indoors", New: "yes"}}}}},
	}
}

func changeSamples(f pages.Frame) []Sample {
	again := pending()[0]
	return []Sample{
		{"changes", 200, &pages.Changes{Frame: f, Pending: pending(), Now: Now}},
		{"changes-none", 200, &pages.Changes{Frame: without(f), Now: Now}},
		{"change", 200, &pages.Change{Frame: f, Pending: pending()[0], Now: Now}},
		{"change-season", 200, &pages.Change{Frame: f, Pending: pages.Pending{ID: "w3", Client: "Claude", Summary: "add 60 sessions from 30 November to 28 January", Objects: season(60), Asked: Now, Expires: Now.Add(10 * time.Minute)}, From: 20, Now: Now}},
		{"history", 200, &pages.History{Frame: f, Entries: entries(), Older: "/account/history?before=ch0", Newest: "/account/history", Days: 400}},
		{"history-none", 200, &pages.History{Frame: without(f), Days: 400}},
		{"entry", 200, &pages.HistoryEntry{Frame: f, Entry: entries()[2]}},
		{"outcome-applied", 200, &pages.Outcome{Frame: f, Verb: pages.Approved, Status: "applied", ChangeID: "ch5", Summary: pending()[0].Summary, Objects: moved(), Warnings: []string{"Intervals.icu counts 1 h 12 min for these steps"}, Now: Now}},
		{"outcome-preview", 409, &pages.Outcome{Frame: f, Verb: pages.Undone, Status: "preview", Summary: "undo: move Threshold 4×8", Reason: "the session was changed since", Again: &again, Now: Now}},
		{"outcome-dropped", 200, &pages.Outcome{Frame: f, Verb: pages.Dropped, Status: "dropped", Summary: pending()[1].Summary, Now: Now}},
		{"outcome-refused", 409, &pages.Outcome{Frame: f, Verb: pages.Undone, Status: "refused", Reason: "the workout is no longer there", Now: Now}},
	}
}

func without(f pages.Frame) pages.Frame {
	f.Waiting = 0
	return f
}
