package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// Limits of one change (safety.md "Limits").
const (
	MaxObjects   = 100
	MaxRangeDays = 31
)

// RangeDelete deletes planned things of a range of local days, sparing what
// safety.md spares.
type RangeDelete struct {
	From, To     string   // both inclusive, at most MaxRangeDays days
	Categories   []string // nil = WORKOUT, and races when IncludeRaces
	IncludeRaces bool
	IncludePast  bool
	Today        string // the athlete's local day
	Spared       *Spared
}

// Spared counts what a range delete left alone, by reason; Plan fills it.
type Spared struct {
	Done, Races, Past, Unknown, Locked, Other []string // ids
}

// Plan implements Planner.
func (w RangeDelete) Plan(ctx context.Context, c Call) (Plan, error) {
	summary := fmt.Sprintf("Delete the planned events of %s to %s", w.From, w.To)
	if n := training.DaysBetween(w.From, w.To) + 1; n > MaxRangeDays {
		return Plan{}, refused(summary, "the range is %d days long; at most %d are allowed. Delete it in parts.", n, MaxRangeDays)
	}
	type read[T any] struct {
		list []T
		err  error
	}
	acts := make(chan read[intervals.Activity], 1)
	go func() {
		list, err := activitiesAround(ctx, c, w.From, w.To)
		acts <- read[intervals.Activity]{list, err}
	}()
	all, err := c.Client.Events(ctx, c.Athlete, w.From, w.To)
	done := <-acts
	if err = errors.Join(err, done.err); err != nil {
		return Plan{}, err
	}
	chosen := w.choose(c, all, done.list)
	p := Plan{Warnings: w.warnings(c, chosen)}
	for _, e := range chosen {
		p.Objects = append(p.Objects, deletion(e))
	}
	if len(p.Objects) > MaxObjects {
		return Plan{}, refused(summary, "%d events are in the range; at most %d can be deleted at once. Delete it in parts.", len(p.Objects), MaxObjects)
	}
	p.Summary = fmt.Sprintf("Delete %d events of %s to %s", len(p.Objects), dayWords(w.From), dayWords(w.To))
	return p, nil
}

// warnings says once what eventWarnings would say of many.
func (w RangeDelete) warnings(c Call, chosen []intervals.Event) []string {
	var foreign, shared, soon []string
	for _, e := range chosen {
		if by := e.Str("created_by_id"); by != "" && by != c.Me {
			foreign = append(foreign, digits(e.ID()))
		}
		if e.Has("shared_event_id") {
			shared = append(shared, digits(e.ID()))
		}
		if trained(e.Category()) && (e.Day() == w.Today || e.Day() == training.AddDays(w.Today, 1)) {
			soon = append(soon, digits(e.ID()))
		}
	}
	var out []string
	for _, k := range []struct {
		ids  []string
		what string
	}{
		{foreign, "created by somebody else"}, {shared, "shared events"},
		{soon, "sessions of today or tomorrow, which may already be on the watch: check the device"},
	} {
		if n := len(k.ids); n > 0 {
			out = append(out, fmt.Sprintf("%d of them %s: %s.", n, k.what, strings.Join(k.ids[:min(n, 10)], ", ")+more(n-10)))
		}
	}
	return out
}

// choose gives the events to delete and notes in w.Spared what is spared.
func (w RangeDelete) choose(c Call, all []intervals.Event, acts []intervals.Activity) []intervals.Event {
	paired, hidden := map[int64]bool{}, map[string]bool{}
	for _, a := range acts {
		if n, ok := a.Int("paired_event_id"); ok {
			paired[n] = true
		}
		if a.Hidden() {
			hidden[a.Day()] = true
		}
	}
	var spared Spared
	var out []intervals.Event
	for _, e := range all {
		id := digits(e.ID())
		unseen, _ := e.Bool("hide_from_athlete")
		locked, _ := e.Bool("athlete_cannot_edit")
		race := strings.HasPrefix(e.Category(), "RACE")
		switch {
		case e.ID() == 0 || e.Day() < w.From || e.Day() > w.To || (unseen && c.own()):
			// reaches into the range, or is not the athlete's to see
		case race && !w.IncludeRaces:
			spared.Races = append(spared.Races, id)
		case readOnlyCategory(e.Category()) || !w.wants(e.Category()):
			spared.Other = append(spared.Other, id)
		case locked && c.own():
			spared.Locked = append(spared.Locked, id)
		case paired[e.ID()]:
			spared.Done = append(spared.Done, id)
		case e.Day() < w.Today && !w.IncludePast:
			spared.Past = append(spared.Past, id)
		case e.Day() <= w.Today && trained(e.Category()) && hidden[e.Day()]:
			spared.Unknown = append(spared.Unknown, id)
		default:
			out = append(out, e)
		}
	}
	if w.Spared != nil {
		*w.Spared = spared
	}
	return out
}

func (w RangeDelete) wants(category string) bool {
	if strings.HasPrefix(category, "RACE") && w.IncludeRaces {
		return true
	}
	if len(w.Categories) == 0 {
		return category == "WORKOUT"
	}
	return contains(w.Categories, category)
}

// Sentences says each kind that was spared.
func (s Spared) Sentences() []string {
	var out []string
	for _, k := range []struct {
		ids  []string
		what string
	}{
		{s.Done, "done sessions (an activity is paired with them)"},
		{s.Races, "races (include_races: true takes them)"},
		{s.Past, "before the athlete's today (include_past: true takes them)"},
		{s.Unknown, "unknown: a hidden Strava activity lies on their day, so they may be done"},
		{s.Locked, "locked by the coach"},
		{s.Other, "of other categories (categories names them)"},
	} {
		if n := len(k.ids); n > 0 {
			out = append(out, fmt.Sprintf("%d spared, %s: %s", n, k.what, strings.Join(k.ids[:min(n, 10)], ", ")+more(n-10)))
		}
	}
	return out
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

func onlyEventDeletes(objects []Object) bool {
	return !slices.ContainsFunc(objects, func(o Object) bool { return o.Kind != EventKind || o.Action != Delete })
}

// removeMany deletes many events in one request by their ids, then lists what
// is left; after a lost answer it sends what is left once more, since deleting
// by id twice harms nobody.
func (s *session) removeMany(ctx context.Context, objects []Object, ends []end) {
	left := make([]int64, len(objects))
	from, to := "9999-12-31", "0000-01-01"
	for i, o := range objects {
		left[i], ends[i].target = number(o.Target), o.Target
		from, to = min(from, dayOf(o.Before.Str("start_date_local"))), max(to, dayOf(o.Before.Str("start_date_local")))
	}
	for attempt := 0; ; attempt++ {
		_, err := s.w.DeleteEvents(ctx, s.call.Athlete, left)
		there, lookErr := s.stillThere(from, to)
		left = left[:0:0]
		for i, o := range objects {
			d := end{target: o.Target, upstream: statusOf(err)}
			switch {
			case lookErr != nil && err == nil:
				d.status = audit.Applied
				d.warnings = []string{"it could not be read back whether event " + o.Target + " is gone."}
			case lookErr != nil && maybe(err):
				d = d.unknown(err, "What stands could not be read. List the range before repeating the call.")
			case lookErr == nil && !there[number(o.Target)]:
				d.status = audit.Applied
			case err == nil:
				d = d.fail(errors.New("still there"), "Intervals.icu accepted the request, but event "+o.Target+" is still there.")
			case maybe(err) && !refusedForSure(err):
				d = d.unknown(err, "It was still there a moment later. List the range before repeating the call.")
			default:
				d = d.fail(err, "")
			}
			if ends[i] = d; d.status != audit.Applied {
				left = append(left, number(o.Target))
			}
		}
		if len(left) == 0 || !maybe(err) || lookErr != nil || attempt > 0 || ctx.Err() != nil {
			return
		}
	}
}

// stillThere lists the ids of the range that exist.
func (s *session) stillThere(from, to string) (map[int64]bool, error) {
	ctx, cancel := s.looking()
	defer cancel()
	list, err := s.call.Client.Events(ctx, s.call.Athlete, from, to)
	there := make(map[int64]bool, len(list))
	for _, e := range list {
		there[e.ID()] = true
	}
	return there, err
}
