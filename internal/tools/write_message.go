package tools

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var addActivityMessage = Tool{
	Name:        "add_activity_message",
	Title:       "Comment on an activity",
	Description: "Adds a comment to one activity. Others see it: the athlete, their coach, followers who may see the activity. It cannot be taken back here. get_activity_messages lists comments.",
	Params: []Param{
		{Name: "activity_id", Kind: ID, Required: true, Doc: "Activity, e.g. i12345678."},
		{Name: "content", Kind: String, Required: true, MaxLen: 4000, Doc: "The comment."},
		duplicateParam,
	},
	Result:  writeOut("message"),
	Hints:   messages,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetFull,
	Failure: "Error adding message to activity",
	run:     handle(writeMessage),
}

type messageIn struct {
	Activity  string `json:"activity_id"`
	Content   string `json:"content"`
	Duplicate bool   `json:"allow_duplicate"`
}

type messageWritten struct {
	written
	Message *facts `json:"message,omitempty"`
}

func writeMessage(ctx context.Context, rq *Request, in messageIn) (messageWritten, error) {
	if strings.TrimSpace(in.Content) == "" {
		return messageWritten{}, refuse("content", "is empty")
	}
	// Whose activity it is, and that Strava does not hide it, is known before
	// anything is sent.
	_, owner, err := rq.openActivity(ctx, in.Activity).visible(ctx, rq)
	if err != nil {
		return messageWritten{}, err
	}
	athlete := owner.ID
	if me, err := rq.self(ctx).wait(ctx); err == nil && me.ID == owner.ID {
		athlete = ""
	}
	at, err := rq.place(ctx, athlete)
	if err != nil {
		return messageWritten{}, err
	}
	r, err := rq.do(ctx, at, change.MessageAdd{Activity: in.Activity, Content: in.Content, AllowDuplicate: in.Duplicate})
	if err != nil {
		return messageWritten{}, err
	}
	return rq.messageWritten(at, r, in.Activity), nil
}

// messageWritten words the answer; the place is that of the activity's owner.
func (rq *Request) messageWritten(at place, r *change.Result, activity string) messageWritten {
	if w, ok := rq.unmade(at, r); ok {
		return messageWritten{written: w}
	}
	out := messageWritten{written: written{Result: r}}
	id := ""
	if r.State.Len() > 0 {
		f, _ := messageFacts(intervals.Message{Object: r.State}, at.p.Zone)
		out.Message, id = &f, r.State.Str("id")
	} else if len(r.Objects) == 1 {
		id = r.Objects[0].ID
	}
	first := fmt.Sprintf("Successfully added message (ID: %s) to activity %s.", id, activity)
	switch {
	case r.Status == change.Replayed:
		first = fmt.Sprintf("Already added message (ID: %s) to activity %s.", id, activity)
	case r.Status == change.UnknownDone && r.Objects[0].Upstream == http.StatusOK:
		// Accepted, but neither the answer nor the list names it.
		r.Reason = fmt.Sprintf("Message appears to have been added to activity %s, but no ID was returned. Please verify manually.", activity)
	}
	out.text = say(r, "Error adding message to activity", first)
	return out
}
