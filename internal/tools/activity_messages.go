package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var getActivityMessages = Tool{
	Name:        "get_activity_messages",
	Title:       "Comments on an activity",
	Description: "The comments that the athlete, their coach and followers wrote on one activity, with author and time in the athlete's zone.",
	Params:      []Param{activityParam, cursorParam},
	Result: []Out{{"activity_id", String, true}, {"timezone", String, true}, {"messages", List, true},
		{"count", Integer, true}, {"remaining", Integer, false}, {"next_cursor", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetFull,
	Failure: "Error fetching activity messages",
	run:     handle(activityMessages),
}

type activityPartIn struct {
	ID     string `json:"activity_id"`
	Detail string `json:"detail"`
	Cursor string `json:"cursor"`
}

type messageList struct {
	ActivityID string  `json:"activity_id"`
	Zone       string  `json:"timezone"`
	Messages   []facts `json:"messages"`
	Page
	blocks []string
}

// mostMessages is how many the platform gives in one answer (API.md 2.9).
const mostMessages = 100

func activityMessages(ctx context.Context, rq *Request, in activityPartIn) (messageList, error) {
	args := fingerprint("messages", in.ID)
	var at cursor
	if in.Cursor != "" {
		var err error
		if at, err = readCursor(in.Cursor, args); err != nil {
			return messageList{}, err
		}
	}
	opened := rq.openActivity(ctx, in.ID)
	list := begin(func() ([]intervals.Message, error) { return rq.Client.Messages(ctx, in.ID) })
	_, p, err := opened.visible(ctx, rq)
	if err != nil {
		return messageList{}, err
	}
	all, err := list.wait(ctx)
	if err != nil {
		return messageList{}, err
	}
	if len(all) >= mostMessages {
		rq.note(fmt.Sprintf("Intervals.icu gives at most %d comments; there may be more on its page of the activity.", mostMessages))
	}
	out := messageList{ActivityID: in.ID, Zone: p.Zone.String(), Messages: []facts{}}
	out.fill(messagesAfter(all, at.After), p.Zone, args)
	return out, nil
}

// messagesAfter drops what earlier pages showed; a last shown message that is gone
// hides nothing.
func messagesAfter(all []intervals.Message, id string) []intervals.Message {
	for i, m := range all {
		if id != "" && m.Str("id") == id {
			return all[i+1:]
		}
	}
	return all
}

func (l *messageList) fill(all []intervals.Message, zone *time.Location, args uint32) {
	for _, m := range all {
		f, block := messageFacts(m, zone)
		l.Messages, l.blocks = append(l.Messages, f), append(l.blocks, block)
	}
	n := fit(len(all), len(all), func(i int) int { return recordSize(l.blocks[i], l.Messages[i].append(nil)) })
	l.Messages, l.blocks = l.Messages[:n], l.blocks[:n]
	l.Page = Page{Shown: n, Left: len(all) - n}
	if l.Left > 0 {
		l.NextCursor = cursor{After: all[n-1].Str("id"), Args: args}.String()
	}
}

// messageFacts gives one comment in both forms. Who deleted one took its words
// back.
func messageFacts(m intervals.Message, zone *time.Location) (facts, string) {
	var f facts
	deleted := m.Has("deleted")
	f.text("id", intervals.Clean(m.Str("id"), 40))
	f.text("author", intervals.Clean(m.Str("name"), 80))
	f.text("author_id", intervals.Clean(m.Str("athlete_id"), 40))
	created := localStamp(m.Str("created"), zone)
	f.text("created_local", strings.Replace(created, " ", "T", 1))
	f.text("type", intervals.Clean(m.Str("type"), 40))
	if deleted {
		f.add("deleted", true)
	} else {
		f.text("content", plain(m.Str("content"), 4000))
	}
	for _, key := range []string{"start_index", "end_index"} {
		num(key, "", key, asCount).add(&f, m.Object, voice{})
	}
	f.text("attachment_type", intervals.Clean(m.Str("attachment_mime_type"), 80))

	lines := []string{}
	line := func(label, value string) {
		if value != "" {
			lines = append(lines, label+": "+value)
		}
	}
	line("Author", quoteIf(m.Str("name"), 80))
	line("Date", created)
	line("Type", intervals.Clean(m.Str("type"), 40))
	if from, ok := m.Int("start_index"); ok {
		to, _ := m.Int("end_index")
		line("On samples", fmt.Sprintf("%d-%d", from, to))
	}
	line("Attachment", intervals.Clean(m.Str("attachment_mime_type"), 80))
	switch text := m.Str("content"); {
	case deleted:
		line("Content", "(deleted)")
	case text != "":
		lines = append(lines, "Content:\n"+QuoteBlock(text, 4000))
	}
	return f, strings.Join(lines, "\n")
}

// localStamp turns a server stamp, which is UTC, into the athlete's wall
// clock, "2006-01-02 15:04:05"; what is no stamp gives "".
func localStamp(stamp string, zone *time.Location) string {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05.999-0700"} {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t.In(zone).Format("2006-01-02 15:04:05")
		}
	}
	if t, err := time.Parse("2006-01-02T15:04:05", stamp); err == nil {
		return t.In(zone).Format("2006-01-02 15:04:05")
	}
	return ""
}

// Text lists the comments as blocks.
func (l messageList) Text() string {
	if len(l.blocks) == 0 {
		return fmt.Sprintf("No messages found for activity %s.", l.ActivityID)
	}
	text := fmt.Sprintf("Messages for activity %s:\n(times in %s)\n\n%s", l.ActivityID, l.Zone, strings.Join(l.blocks, "\n\n"))
	if more := l.text("messages"); more != "" {
		text += "\n\n" + more
	}
	return text
}
