package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// auditShow shows what one change did.
func auditShow(ctx context.Context, c *command) error {
	arg, err := c.argument("a change id (audit list shows them)")
	if err != nil {
		return err
	}
	id, err := changeID(arg)
	if err != nil {
		return err
	}
	items, err := c.find(ctx, id)
	if err != nil {
		return err
	}
	e, arguments, objects := story(items)
	by, err := undoneBy(ctx, c.stores.Audit, e)
	if err != nil {
		return err
	}
	if c.json {
		v := changeJSON(e)
		v["arguments"], v["objects"], v["undone_by"] = arguments, objects, by
		return c.writeJSON(v)
	}
	return c.say("%s", strings.TrimRight(showText(e, by, arguments, objects), "\n"))
}

func changeID(arg string) (audit.ID, error) {
	id, err := audit.ParseID(arg)
	if err != nil {
		return id, misuse("%.80q is no change_id; audit list shows them", arg)
	}
	return id, nil
}

// find finds the items of a change, of the user whom --user names or of any.
func (c *command) find(ctx context.Context, id audit.ID) ([]audit.Item, error) {
	user := ""
	if c.given["user"] {
		var err error
		if user, err = userID(c.opt.user); err != nil {
			return nil, err
		}
	}
	return find(ctx, c.stores.Audit, id, user)
}

// undoneBy finds the change that took this one back, the newest if there are
// several; zero when there is none.
func undoneBy(ctx context.Context, log audit.Log, e entry) (audit.ID, error) {
	queries := []audit.Query{{User: e.User, From: e.Change.Time}}
	if e.Athlete != "" { // a coach, or the athlete themselves
		queries = append(queries, audit.Query{Athlete: e.Athlete, From: e.Change.Time})
	}
	for _, q := range queries {
		for h, err := range audit.Changes(ctx, log, q) {
			if err != nil {
				return audit.ID{}, err
			}
			if h.Status == audit.Applied && slices.Contains(h.Undoes, e.Change) {
				return h.Change, nil
			}
		}
	}
	return audit.ID{}, nil
}

func showText(e entry, undoneBy audit.ID, arguments json.RawMessage, objects []object) string {
	var b strings.Builder
	line := func(name, text string) {
		if text = intervals.Clean(text, 2000); text != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, text)
		}
	}
	line("change", e.Change.String())
	state := e.State
	if e.Reason != "" {
		state += ": " + e.Reason
	}
	line("state", state)
	line("time", e.Change.Time.Format("2006-01-02 15:04:05Z")+took(e))
	line("user", e.User)
	line("athlete", e.Athlete)
	line("client", strings.TrimSpace(e.Client+" ("+e.Connection+")"))
	line("tool", e.Tool)
	line("summary", e.Summary)
	line("arguments", string(arguments))
	line("undoable", e.Undoable)
	for _, id := range e.Undoes {
		line("undoes", id.String())
	}
	line("undone by", undoneBy.String())
	for _, old := range slices.Sorted(maps.Keys(e.Links)) {
		line("link", old+", which was deleted, is now "+e.Links[old])
	}
	for _, o := range objects {
		b.WriteString("\n" + o.text())
	}
	return b.String()
}

func took(e entry) string {
	if e.DurationMS == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f s)", float64(e.DurationMS)/1000)
}
