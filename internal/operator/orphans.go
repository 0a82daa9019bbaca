package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
)

func auditOrphansFlags(c *command) {
	auditFilterFlags(c)
	c.fs.IntVar(&c.opt.back, "days", 30, "")
	c.fs.BoolVar(&c.opt.resolve, "resolve", false, "")
}

// underWay is how long a change may go without an outcome before it counts as
// unfinished: a request and the writing of its outcome take half a minute.
const underWay = 2 * time.Minute

// orphan is a change of which nobody knows what came of it, and what reading
// Intervals.icu says.
type orphan struct {
	entry
	found    *change.Result // nil = it could not be read
	why      error          // then
	resolved bool           // the outcome is in the log now
}

// auditOrphans lists the changes of which nobody knows what came of them, and
// reads what stands now. With --resolve it writes the outcomes that are missing.
func auditOrphans(ctx context.Context, c *command) error {
	back, err := c.back()
	if err != nil {
		return err
	}
	f, err := c.filter(back)
	if err != nil {
		return err
	}
	running := 0
	list, _, err := c.collect(ctx, f, 0, func(e entry) bool {
		if e.State == unfinished && c.Now().Sub(e.Change.Time) <= underWay {
			running++
			return false
		}
		return e.open()
	})
	if err != nil {
		return err
	}
	orphans, err := c.lookInto(ctx, list)
	if err != nil {
		return err
	}
	if err := c.tellOrphans(f, orphans, running); err != nil {
		return err
	}
	left := slices.DeleteFunc(orphans, func(o orphan) bool { return o.resolved || o.State != unfinished })
	if c.opt.resolve && len(left) > 0 {
		return fmt.Errorf("%s without an outcome: Intervals.icu could not be read", count(len(left), "change stays", "changes stay"))
	}
	return nil
}

// lookInto reads for each change what stands now, with each user's own key.
func (c *command) lookInto(ctx context.Context, list []entry) ([]orphan, error) {
	if len(list) == 0 {
		return nil, nil
	}
	up, err := c.upstream()
	if err != nil {
		return nil, err
	}
	writing, heard := c.engine()
	looking, _ := c.engine()
	looking.Log = onlyLook{c.stores.Audit}
	type whose struct{ user, athlete string }
	ways, dead := map[whose]road{}, map[whose]error{}
	p := c.progress()
	defer p.clear()
	out := make([]orphan, len(list))
	for i, e := range list {
		p.show("%d of %d looked into", i, len(list))
		out[i].entry = e
		at := whose{e.User, e.Athlete}
		if _, ok := ways[at]; !ok && dead[at] == nil {
			if ways[at], err = c.roadTo(ctx, up, e.User, e.Athlete); err != nil {
				dead[at] = err
			}
		}
		if out[i].why = dead[at]; out[i].why != nil {
			continue
		}
		engine, write := looking, c.opt.resolve && e.State == unfinished
		if write {
			engine = writing
		}
		out[i].found, out[i].why = engine.Resolve(ctx, ways[at].call, e.User, e.Change)
		out[i].resolved = write && out[i].why == nil
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if heard.err != nil {
		return nil, heard.err
	}
	return out, nil
}

// onlyLook is the log for finding out what stands: as if no outcome were there
// that leaves anything open, and what would be written is dropped.
type onlyLook struct{ audit.Log }

// Append implements audit.Log.
func (onlyLook) Append(context.Context, []audit.Item) error { return nil }

// Change implements audit.Log.
func (l onlyLook) Change(ctx context.Context, user string, id audit.ID) ([]audit.Item, error) {
	items, err := l.Log.Change(ctx, user, id)
	return slices.DeleteFunc(items, func(i audit.Item) bool { return i.Phase == audit.Outcome && (i.Head() || i.Status == audit.Unknown) }), err
}

func (c *command) tellOrphans(f filter, orphans []orphan, running int) error {
	if c.json {
		list := []any{}
		for _, o := range orphans {
			list = append(list, c.orphanJSON(o))
		}
		return c.writeJSON(map[string]any{"changes": list, "still_running": running})
	}
	if len(orphans) == 0 {
		if err := c.say("Every change%s has an outcome (%s).", c.span(f), c.stores.Where); err != nil {
			return err
		}
	}
	for _, o := range orphans {
		if err := c.say("%s", c.orphanText(o)); err != nil {
			return err
		}
	}
	if running > 0 {
		c.note("%s begun within the last %d minutes: left alone, since %s may still be running.", count(running, "change was", "changes were"), int(underWay/time.Minute), map[bool]string{true: "it", false: "they"}[running == 1])
	}
	return nil
}

func (c *command) orphanJSON(o orphan) map[string]any {
	v := changeJSON(o.entry)
	v["resolved"] = o.resolved
	if o.found == nil {
		v["not_read"] = intervals.Clean(c.stores.explain(o.why).Error(), 400)
		return v
	}
	v["now"] = map[string]any{"status": o.found.Status, "objects": o.found.Objects}
	return v
}

// maxTold bounds how many objects of one change are told one by one.
const maxTold = 10

func (c *command) orphanText(o orphan) string {
	var b strings.Builder
	line := func(name, text string) { fmt.Fprintf(&b, "\n  %-9s %s", name, intervals.Clean(text, 600)) }
	b.WriteString(intervals.Clean(fmt.Sprintf("%s  %s  user %s, athlete %s, client %s (%s), tool %s", o.Change, o.Change.Time.Format("2006-01-02 15:04:05Z"),
		o.User, o.Athlete, o.Client, o.Connection, o.Tool), 400))
	line("meant", o.Summary)
	switch o.State {
	case unfinished:
		line("known", "only that it was begun: its process ended, or the log could not be written, before what came of it was recorded")
	default:
		line("known", "Intervals.icu did not say what came of it. "+change.Sentence(o.Reason))
	}
	if o.found == nil {
		line("now", "could not be read: "+c.stores.explain(o.why).Error())
		return b.String()
	}
	for i, r := range o.found.Objects {
		if i == maxTold {
			line("", fmt.Sprintf("... and %d more: %s", len(o.found.Objects)-maxTold, tally(o.found.Objects[maxTold:])))
			break
		}
		line(map[bool]string{true: "now"}[i == 0], stands(r))
	}
	switch {
	case o.resolved:
		line("log", "its outcome is written: "+string(o.found.Status))
	case o.State == unfinished:
		line("next", c.again("audit orphans")+" --resolve writes this to the log")
	default:
		line("next", "the log keeps \"unknown\", which is what was known then")
	}
	if o.found.Count("applied") > 0 {
		line("", fmt.Sprintf("%s %s takes back what stands", c.again("undo"), o.Change))
	}
	return b.String()
}

// stands says what an object's present state shows.
func stands(r change.ObjectResult) string {
	o := planned(0, r)
	kind := strings.ReplaceAll(o.Kind, "_", " ")
	thing := strings.TrimSpace(kind + " " + o.Target)
	switch {
	case r.Action == change.Create && r.Status == "applied":
		return "done: " + thing + " was created and is there"
	case r.Action == change.Create && r.Status == "failed":
		return "not done: the " + kind + " is not there"
	case r.Action == change.Update && r.Status == "applied":
		return "done: " + thing + " is as it was meant to become"
	case r.Action == change.Update && r.Status == "failed":
		return "not done: " + thing + " is as it was before"
	case r.Action == change.Delete && r.Status == "applied":
		return "done: " + thing + " is gone"
	case r.Action == change.Delete && r.Status == "failed":
		return "not done: " + thing + " is still there"
	}
	return "not to be told: " + thing + " is neither as it was nor as it was meant to become"
}

func tally(list []change.ObjectResult) string {
	counts := map[string]int{}
	for _, r := range list {
		counts[r.Status]++
	}
	var out []string
	for _, s := range []struct{ status, words string }{{"applied", "done"}, {"failed", "not done"}, {"unknown", "not to be told"}} {
		if n := counts[s.status]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	return strings.Join(out, ", ")
}
