package operator

import (
	"context"
	"time"

	"intervals-mcp/internal/audit"
)

func auditFilterFlags(c *command) {
	userFlag(c)
	c.fs.StringVar(&c.opt.athlete, "athlete", "", "")
	c.fs.StringVar(&c.opt.day, "day", "", "")
	c.fs.StringVar(&c.opt.before, "before", "", "")
}

func auditListFlags(c *command) {
	auditFilterFlags(c)
	c.fs.IntVar(&c.opt.limit, "limit", 50, "")
	c.fs.IntVar(&c.opt.back, "days", 30, "")
}

// filter reads what is to be selected; back is how many days are searched.
func (c *command) filter(back time.Duration) (f filter, err error) {
	if c.given["user"] {
		if f.user, err = userID(c.opt.user); err != nil {
			return f, err
		}
	}
	f.athlete = c.opt.athlete
	if f.day = c.opt.day; f.day != "" {
		if _, err := time.Parse(time.DateOnly, f.day); err != nil {
			return f, misuse("--day must be a day such as 2026-07-15 (UTC), not %q", f.day)
		}
	}
	if c.opt.before != "" {
		if f.before, err = audit.ParseID(c.opt.before); err != nil {
			return f, misuse("--before must be the change_id of a change, such as dj3k2m9x1c0a-7fq2w8x0ab")
		}
	}
	if f.user == "" && f.athlete == "" && f.day == "" {
		f.since = c.Now().Add(-back)
	}
	return f, nil
}

func (c *command) back() (time.Duration, error) {
	if c.opt.back < 1 || c.opt.back > 4000 {
		return 0, misuse("--days must be 1 to 4000")
	}
	return time.Duration(c.opt.back) * 24 * time.Hour, nil
}

// auditList lists changes, newest first.
func auditList(ctx context.Context, c *command) error {
	if c.opt.limit < 1 || c.opt.limit > 10_000 {
		return misuse("--limit must be 1 to 10000")
	}
	back, err := c.back()
	if err != nil {
		return err
	}
	f, err := c.filter(back)
	if err != nil {
		return err
	}
	list, more, err := c.collect(ctx, f, c.opt.limit, func(entry) bool { return true })
	if err != nil {
		return err
	}
	next := ""
	if more {
		next = list[len(list)-1].Change.String()
	}
	if c.json {
		v := map[string]any{"changes": changesJSON(list)}
		if more {
			v["next"] = next
		}
		return c.writeJSON(v)
	}
	if len(list) == 0 {
		return c.say("There are no changes%s (%s).", c.span(f), c.stores.Where)
	}
	if err := changeTable(list).write(c.Stdout); err != nil {
		return err
	}
	switch {
	case more:
		c.note("There are more: add --before %s", next)
	case !f.since.IsZero():
		c.note("These are the changes%s; --days N looks further back.", c.span(f))
	}
	return nil
}

// span says how far a search without a filter looked back.
func (c *command) span(f filter) string {
	if f.since.IsZero() {
		return ""
	}
	return " since " + f.since.UTC().Format(time.DateOnly)
}

// collect gathers changes; more says that there would be others.
func (c *command) collect(ctx context.Context, f filter, limit int, wanted func(entry) bool) (list []entry, more bool, err error) {
	p := c.progress()
	defer p.clear()
	looked := 0
	for ch, err := range changes(ctx, c.stores.Audit, f, c.Now(), func(day string) { p.show("%s, %d found", day, len(list)) }) {
		if err != nil {
			return nil, false, err
		}
		if looked++; looked%100 == 0 {
			p.show("%d changes seen, %d found", looked, len(list))
		}
		if !wanted(ch) {
			continue
		}
		if limit > 0 && len(list) == limit {
			return list, true, nil
		}
		list = append(list, ch)
	}
	return list, false, nil
}

func changeTable(list []entry) *table {
	t := &table{header: []string{"TIME (UTC)", "CHANGE", "STATE", "USER", "ATHLETE", "TOOL", "CLIENT", "SUMMARY"}}
	for _, ch := range list {
		t.row(ch.Change.Time.Format("2006-01-02 15:04:05"), ch.Change.String(), ch.State, ch.User, ch.Athlete, ch.Tool, ch.Client, ch.Summary)
	}
	return t
}

func changeJSON(ch entry) map[string]any {
	return map[string]any{"change_id": ch.Change, "time": ch.Change.Time.Format(time.RFC3339Nano), "state": ch.State, "user": ch.User, "athlete": ch.Athlete,
		"connection": ch.Connection, "client": ch.Client, "tool": ch.Tool, "summary": ch.Summary, "targets": ch.Targets, "objects": ch.Objects,
		"reason": ch.Reason, "upstream_status": ch.UpstreamStatus, "duration_ms": ch.DurationMS, "undoable": ch.Undoable,
		"undoes": idsOf(ch.Undoes), "links": linksOf(ch.Links)}
}

// idsOf is a list that is never null.
func idsOf(ids []audit.ID) []audit.ID { return append([]audit.ID{}, ids...) }

// linksOf is a map that is never null.
func linksOf(links map[string]string) map[string]string {
	if links == nil {
		return map[string]string{}
	}
	return links
}

func changesJSON(list []entry) []any {
	out := []any{}
	for _, ch := range list {
		out = append(out, changeJSON(ch))
	}
	return out
}

func auditPurgeFlags(c *command) {
	userFlag(c)
	yesFlag(c)
}

// auditPurge deletes a user's entries of the audit log for good.
func auditPurge(ctx context.Context, c *command) error {
	if c.opt.user == "" {
		return misuse("audit purge: --user U is missing")
	}
	user, err := userID(c.opt.user)
	if err != nil {
		return err
	}
	n, err := c.stores.Purger.Entries(ctx, user)
	if err != nil {
		return err
	}
	done := 0
	if n > 0 {
		c.note("%s of user %s in the audit log will be deleted for good (%s): what was changed can then be neither shown nor undone.\n"+
			"What others, such as a coach, changed for this athlete stays in their log.", count(n, "entry", "entries"), user, c.stores.Where)
		if err := c.confirm(ctx, "Delete them?"); err != nil {
			return err
		}
		p := c.progress()
		done, err = c.stores.Purger.Purge(ctx, user, func(done int) { p.show("%d of %d deleted", done, n) })
		p.clear()
		if err != nil {
			return err
		}
	}
	if c.json {
		return c.writeJSON(map[string]any{"user": user, "entries_deleted": done})
	}
	if n == 0 {
		return c.say("The audit log holds nothing of user %s (%s).", user, c.stores.Where)
	}
	return c.say("%s of user %s deleted.", count(done, "entry", "entries"), user)
}
