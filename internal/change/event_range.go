package change

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	Today        string  // the athlete's local day
	Spared       *Spared `json:"-"`
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
	p := Plan{}
	p.Warnings, p.Always = w.warnings(c, chosen)
	for _, e := range chosen {
		o := deletion(e)
		o.PairingRead = true // none of them is paired: done sessions are spared
		p.Objects = append(p.Objects, o)
	}
	if len(p.Objects) > MaxObjects {
		return Plan{}, refused(summary, "%d events are in the range; at most %d can be deleted at once. Delete it in parts.", len(p.Objects), MaxObjects)
	}
	p.Summary = fmt.Sprintf("Delete %s of %s", count(len(p.Objects), "event"), spanWords(w.From, w.To))
	return p, nil
}

// warnings says once what eventSaid would say of many.
func (w RangeDelete) warnings(c Call, chosen []intervals.Event) (out, always []string) {
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
	for _, k := range []struct {
		ids    []string
		what   string
		always bool
	}{
		{foreign, "created by somebody else", true}, {shared, "shared events", true},
		{soon, "sessions of today or tomorrow, which may already be on the watch: check the device", false},
	} {
		if n := len(k.ids); n > 0 {
			line := fmt.Sprintf("%d of them %s: %s.", n, k.what, strings.Join(k.ids[:min(n, 10)], ", ")+more(n-10))
			if out = append(out, line); k.always {
				always = append(always, line)
			}
		}
	}
	return out, always
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
	if w.Spared != nil { // nil when a stored plan is made again
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
