package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"
)

// Log is the append-only store of items. Implementations are safe for
// concurrent use.
type Log interface {
	// Append writes items in one transaction: all of them or none. It fails
	// with ErrExists when one of them is there already.
	Append(ctx context.Context, items []Item) error
	// Change gives all items of a user's change, in no particular order; none
	// when there is no such change.
	Change(ctx context.Context, user string, id ID) ([]Item, error)
	// Heads lists head items, newest change first and its outcome before its
	// intent.
	Heads(ctx context.Context, q Query) ([]Item, error)
}

// Query selects heads: of a user, of an athlete (whoever changed them) or of a
// day in UTC (of all users, for the operator). Exactly one of the three is set.
type Query struct {
	User, Athlete, Day string
	From               time.Time // changes at or after, zero = any
	Before             ID        // changes before this one, zero = any: the next page
	Limit              int       // heads, 0 = 100
}

// Bound is the number of heads to give at most.
func (q Query) Bound() int {
	if q.Limit <= 0 {
		return 100
	}
	return q.Limit
}

// Keys are the bounds on the sort key: from, inclusive, to, exclusive; to is
// "" when open.
func (q Query) Keys() (from, to string) {
	if !q.From.IsZero() {
		from = TimeKey(q.From)
	}
	if !q.Before.IsZero() {
		to, _ = q.Before.KeyRange()
	}
	return from, to
}

// Check refuses a query that selects nothing or too much.
func (q Query) Check() error {
	n := 0
	for _, s := range []string{q.User, q.Athlete, q.Day} {
		if s != "" {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("audit: a query wants exactly one of user, athlete and day")
	}
	return nil
}

// WriteIntent records what is about to be done: the objects in batches, last
// the head. If it fails nothing may be applied: objects without a head mean
// that nothing was.
func WriteIntent(ctx context.Context, log Log, head Item, objects []Item) error {
	return WriteIntentWith(ctx, log, head, objects, func(ctx context.Context, head Item) error { return log.Append(ctx, []Item{head}) })
}

// WriteIntentWith is WriteIntent where something else writes the head, in one
// transaction with what belongs to it.
func WriteIntentWith(ctx context.Context, log Log, head Item, objects []Item, last func(context.Context, Item) error) error {
	number(Intent, &head, objects)
	for _, batch := range batches(objects) {
		if err := log.Append(ctx, batch); err != nil {
			return fmt.Errorf("audit intent: %w", err)
		}
	}
	if err := last(ctx, head); err != nil {
		return fmt.Errorf("audit intent: %w", err)
	}
	return nil
}

// WriteOutcome records what came of it, again the head last: in one
// transaction where all of it fits.
func WriteOutcome(ctx context.Context, log Log, head Item, objects []Item) error {
	number(Outcome, &head, objects)
	for _, batch := range batches(append(slices.Clone(objects), head)) {
		if err := log.Append(ctx, batch); err != nil {
			return fmt.Errorf("audit outcome: %w", err)
		}
	}
	return nil
}

func number(p Phase, head *Item, objects []Item) {
	head.N, head.Phase, head.Objects = 0, p, len(objects)
	for i := range objects {
		objects[i].N, objects[i].Phase = i+1, p
	}
}

// batches cuts items into transactions within the bounds.
func batches(items []Item) [][]Item {
	var out [][]Item
	start, size := 0, 0
	for i := range items {
		n := itemSize(items[i])
		if i > start && (i-start == MaxBatch || size+n > MaxBatchSize) {
			out = append(out, items[start:i])
			start, size = i, 0
		}
		size += n
	}
	if start < len(items) {
		out = append(out, items[start:])
	}
	return out
}

func itemSize(i Item) int {
	b, err := json.Marshal(i)
	if err != nil {
		return MaxBatchSize
	}
	return len(b)
}

// Earlier is a change that an equal plan led to before.
type Earlier struct {
	Change ID
	Status Status // Unknown also when there is no outcome yet
	Head   Item   // the outcome's head, or the intent's
	Newest ID     // the newest equal change, also where it failed; zero when there is none
}

// FindEqual finds the newest change since a time that this user made with a
// plan of this digest and that did not fail; ok is false when there is none, and
// then only Newest is set.
func FindEqual(ctx context.Context, log Log, user, digest string, since time.Time) (e Earlier, ok bool, err error) {
	q := Query{User: user, From: since, Limit: 200}
	done := map[ID]bool{}
	for {
		heads, err := log.Heads(ctx, q)
		if err != nil {
			return Earlier{}, false, fmt.Errorf("audit: find an equal change: %w", err)
		}
		for _, h := range heads {
			if h.Digest != digest || done[h.Change] {
				continue
			}
			done[h.Change] = true // its outcome comes before its intent
			if e.Newest.IsZero() {
				e.Newest = h.Change
			}
			if h.Phase == Intent {
				h.Status = Unknown
			}
			if h.Status != Failed {
				return Earlier{h.Change, h.Status, h, e.Newest}, true, nil
			}
		}
		if len(heads) < q.Limit {
			return e, false, nil
		}
		// The last change may be cut between outcome and intent, which is
		// harmless: it was seen.
		q.Before = heads[len(heads)-1].Change
	}
}

// pageSize is how many heads are read at once.
const pageSize = 200

// Changes gives the changes of a query, newest first and page by page, each
// once: by its outcome's head, or by its intent's where there is none.
func Changes(ctx context.Context, log Log, q Query) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		left := q.Limit // 0 = all
		q.Limit = pageSize
		var seen ID
		for {
			heads, err := log.Heads(ctx, q)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, h := range heads {
				if h.Change == seen {
					continue
				}
				seen = h.Change
				if !yield(h, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if len(heads) < q.Limit {
				return
			}
			// A change cut between outcome and intent was seen: go on before it.
			q.Before = heads[len(heads)-1].Change
		}
	}
}
