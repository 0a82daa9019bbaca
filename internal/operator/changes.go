package operator

import (
	"context"
	"fmt"
	"iter"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
)

// filter selects changes; what is empty selects all.
type filter struct {
	user, athlete, day string
	since              time.Time // changes at or after
	before             audit.ID  // changes before this one
}

// entry is one change as its head in the log tells it.
type entry struct {
	audit.Item        // the outcome's head, or the intent's where there is none
	State      string // applied, failed, unknown or unfinished
}

// unfinished is the state of an intent without an outcome.
const unfinished = change.Unfinished

func entryOf(head audit.Item) entry {
	if head.Phase == audit.Intent {
		return entry{head, unfinished}
	}
	return entry{head, string(head.Status)}
}

// open reports whether nobody knows what came of the change.
func (e entry) open() bool { return e.State == unfinished || e.State == string(audit.Unknown) }

// beforeTime is where changes before a time end.
func beforeTime(t time.Time) audit.ID { return audit.ID{Time: t.UTC(), Request: "0"} }

// changes gives changes, newest first. Without a user or athlete it goes day by
// day, back to f.since; looked is told each day.
func changes(ctx context.Context, log audit.Log, f filter, now time.Time, looked func(day string)) iter.Seq2[entry, error] {
	if f.day != "" { // it bounds the other queries
		start, err := time.Parse(time.DateOnly, f.day)
		if err != nil {
			return func(yield func(entry, error) bool) { yield(entry{}, err) }
		}
		f.since = later(f.since, start)
		if end := beforeTime(start.AddDate(0, 0, 1)); f.before.IsZero() || end.Time.Before(f.before.Time) {
			f.before = end
		}
	}
	switch {
	case f.user != "":
		return query(ctx, log, audit.Query{User: f.user, From: f.since, Before: f.before}, f)
	case f.athlete != "":
		return query(ctx, log, audit.Query{Athlete: f.athlete, From: f.since, Before: f.before}, f)
	}
	return func(yield func(entry, error) bool) {
		// A change of another machine may be a little ahead of this clock.
		last := now.UTC().Add(24 * time.Hour)
		if !f.before.IsZero() && f.before.Time.Before(last) {
			last = f.before.Time
		}
		for d := last.Truncate(24 * time.Hour); d.After(f.since.Add(-24 * time.Hour)); d = d.AddDate(0, 0, -1) {
			day := d.Format(time.DateOnly)
			looked(day)
			for c, err := range query(ctx, log, audit.Query{Day: day, From: f.since, Before: f.before}, f) {
				if !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// query gives the changes of one query that the filter lets through.
func query(ctx context.Context, log audit.Log, q audit.Query, f filter) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for h, err := range audit.Changes(ctx, log, q) {
			if err != nil {
				yield(entry{}, err)
				return
			}
			if f.athlete != "" && h.Athlete != f.athlete || f.user != "" && h.User != f.user {
				continue
			}
			if !yield(entryOf(h), nil) {
				return
			}
		}
	}
}

// find finds a change by its id; user may be empty.
func find(ctx context.Context, log audit.Log, id audit.ID, user string) (items []audit.Item, err error) {
	if user == "" {
		heads, err := log.Heads(ctx, audit.Query{Day: id.Time.Format(time.DateOnly), From: id.Time, Before: beforeTime(id.Time.Add(1)), Limit: 1000})
		if err != nil {
			return nil, err
		}
		for _, h := range heads {
			if h.Change == id {
				user = h.User
			}
		}
	}
	if user != "" {
		if items, err = log.Change(ctx, user, id); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("there is no change %s in the audit log", id)
	}
	return items, nil
}
