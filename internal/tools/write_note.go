package tools

import (
	"context"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var addOrUpdateNote = Tool{
	Name:        "add_or_update_note",
	Title:       "Write or change a calendar note",
	Description: "Writes a note on the athlete's calendar, or changes one (event_id): only what is passed changes. Other events than notes are changed by add_or_update_event.",
	Params: []Param{
		athleteParam, eventIDParam,
		{Name: "name", Kind: String, MaxLen: 80, Doc: "Title. Required for a new note."},
		{Name: "description", Kind: String, MaxLen: 12000, Doc: "The note's text."},
		{Name: "start_date", Kind: Date, Doc: "YYYY-MM-DD, today, tomorrow, +3d. Default: kept, or today for a new note."},
		todayParam,
		{Name: "color", Kind: String, MaxLen: 30, Doc: "Name or #hex. Default: kept, or green for a new note."},
		{Name: "clear", Kind: List, Items: String, Doc: "Fields to empty: description, color. Empty text and null clear nothing."},
		duplicateParam,
	},
	Result:  writeOut("event"),
	Hints:   writes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetFull,
	Failure: "Error adding or updating note",
	run:     handle(writeNote),
}

func writeNote(ctx context.Context, rq *Request, in eventWriteIn) (eventWritten, error) {
	at, err := rq.place(ctx, in.Athlete)
	if err != nil {
		return eventWritten{}, err
	}
	today, err := at.today(rq, in.Today)
	if err != nil {
		return eventWritten{}, err
	}
	edit, err := in.note(today)
	if err != nil {
		return eventWritten{}, err
	}
	r, err := rq.do(ctx, at, edit)
	if err != nil {
		return eventWritten{}, eventError(err, edit.ID)
	}
	return rq.eventWritten(at, r, edit.ID), nil
}

// note reads the arguments of a note. Its text is prose whatever its lines
// look like.
func (in eventWriteIn) note(today string) (change.EventEdit, error) {
	edit := change.EventEdit{Set: intervals.Patch{}, Today: today, AllowDuplicate: in.Duplicate, Note: true}
	var problems Problems
	creating := in.Event == ""
	if !creating {
		var err error
		if edit.ID, err = eventNumber(in.Event); err != nil {
			problems = append(problems, refuse("event_id", "%s", err)...)
		}
	}
	edit.Day, edit.Clock = localStart(in.Date, today)
	in.scalars(edit.Set)
	if in.Description != "" {
		edit.Set["description"] = in.Description
	}
	if creating {
		edit.Set["category"] = "NOTE"
		if in.Color == "" {
			edit.Set["color"] = "green"
		}
		if in.Name == "" {
			problems = append(problems, refuse("name", "is required for a new note")...)
		}
	}
	for _, name := range in.Clear {
		switch {
		case name != "description" && name != "color":
			problems = append(problems, refuse("clear", "%s cannot be cleared; description and color can", Quote(name, 30))...)
		case creating:
			problems = append(problems, refuse("clear", "has nothing to clear in a new note")...)
		case edit.Set[name] != nil:
			problems = append(problems, refuse("clear", "names %s, which is also set; do one of the two", name)...)
		default:
			edit.Clear = append(edit.Clear, name)
		}
	}
	if len(problems) == 0 && !creating && len(edit.Set)+len(edit.Clear) == 0 && edit.Day == "" {
		problems = refuse("event_id", "is all that was passed: say what to change")
	}
	if len(problems) > 0 {
		return edit, problems
	}
	return edit, nil
}
