package change

import (
	"context"
	"fmt"
	"iter"
	"time"

	"intervals-mcp/internal/audit"
)

// Past is a change of the audit log.
type Past struct {
	ID                       audit.ID
	Time                     time.Time
	User, Athlete            string
	Connection, Client, Tool string
	Summary, Reason          string
	Status                   string // applied, failed, unknown, or unfinished: an intent without an outcome
	Objects                  int
	Undoable                 string // yes, partly (why), no (why)
	Undoes                   []audit.ID
	UndoneBy                 audit.ID // zero = not undone, as far as is known
	RequestID                string
}

// Unfinished is the status of a change that has no outcome: it is running, or
// its process died.
const Unfinished = "unfinished"

// Scope selects changes: those that users made, and those that anybody made to
// an athlete.
type Scope struct {
	Users   []string
	Athlete string // "" = none
}

// History lists changes, newest first. before is the last change of the page
// before, zero for the first page; more says that there are others.
func (e *Engine) History(ctx context.Context, of Scope, before audit.ID, limit int) (page []Past, more bool, err error) {
	undone := map[audit.ID]audit.ID{}
	for h, err := range e.heads(ctx, of) {
		if err != nil {
			return nil, false, fmt.Errorf("read the audit log: %w", err)
		}
		if h.Status == audit.Applied && undone[h.Change].IsZero() { // an undo that was undone undoes nothing
			for _, id := range h.Undoes {
				undone[id] = h.Change
			}
		}
		if !before.IsZero() && !older(h.Change, before) {
			continue
		}
		if len(page) == limit {
			return page, true, nil
		}
		p := pastOf(h)
		p.UndoneBy = undone[h.Change]
		page = append(page, p)
	}
	return page, false, nil
}

func pastOf(h audit.Item) Past {
	p := Past{ID: h.Change, Time: h.Change.Time, User: h.User, Athlete: h.Athlete, Connection: h.Connection, Client: h.Client, Tool: h.Tool,
		Summary: h.Summary, Reason: h.Reason, Status: string(h.Status), Objects: h.Objects, Undoable: h.Undoable, Undoes: h.Undoes, RequestID: h.RequestID}
	if h.Phase == audit.Intent {
		p.Status = Unfinished
	}
	return p
}

// Detail tells one change of a user, object by object.
func (e *Engine) Detail(ctx context.Context, user string, id audit.ID) (Past, []ObjectResult, error) {
	items, err := e.Log.Change(ctx, user, id)
	if err != nil {
		return Past{}, nil, fmt.Errorf("read the audit log: %w", err)
	}
	t := tell(items)
	if !t.begun() {
		return Past{}, nil, fmt.Errorf("%w: %s", ErrNoChange, id)
	}
	return pastOf(t.head), t.results(), nil
}

// ErrNoChange says that the audit log holds no such change of this user.
var ErrNoChange = fmt.Errorf("there is no such change in the audit log")

// heads merges the changes of a scope, newest first, each once.
func (e *Engine) heads(ctx context.Context, of Scope) iter.Seq2[audit.Item, error] {
	var queries []audit.Query
	for _, u := range of.Users {
		queries = append(queries, audit.Query{User: u})
	}
	if of.Athlete != "" {
		queries = append(queries, audit.Query{Athlete: of.Athlete})
	}
	return func(yield func(audit.Item, error) bool) {
		type source struct {
			next func() (audit.Item, error, bool)
			head audit.Item
			ok   bool
		}
		var sources []*source
		for _, q := range queries {
			next, stop := iter.Pull2(audit.Changes(ctx, e.Log, q))
			defer stop()
			sources = append(sources, &source{next: next})
		}
		advance := func(s *source) error {
			var err error
			s.head, err, s.ok = s.next()
			return err
		}
		for _, s := range sources {
			if err := advance(s); err != nil {
				yield(audit.Item{}, err)
				return
			}
		}
		for {
			var newest audit.Item
			found := false
			for _, s := range sources {
				if s.ok && (!found || older(newest.Change, s.head.Change)) {
					newest, found = s.head, true
				}
			}
			if !found || !yield(newest, nil) {
				return
			}
			for _, s := range sources {
				for s.ok && s.head.Change == newest.Change && s.head.User == newest.User {
					if err := advance(s); err != nil {
						yield(audit.Item{}, err)
						return
					}
				}
			}
		}
	}
}

// older reports whether a is before b in the log.
func older(a, b audit.ID) bool {
	if c := a.Time.Compare(b.Time); c != 0 {
		return c < 0
	}
	return a.Request < b.Request
}
