package change

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/state"
)

// stored is a plan as it waits for its confirmation. The planner is kept too,
// since the present state is read once more before the plan is applied.
type stored struct {
	Plan      Plan
	Kind      string // of the planner
	Planner   json.RawMessage
	Me        string
	Arguments json.RawMessage
}

// planners makes an empty planner of each kind, to be filled from what was
// stored.
var planners = map[string]func() Planner{
	"event_edit":   func() Planner { return new(EventEdit) },
	"event_batch":  func() Planner { return new(EventBatch) },
	"event_delete": func() Planner { return new(EventDelete) },
	"range_delete": func() Planner { return new(RangeDelete) },
	"message_add":  func() Planner { return new(MessageAdd) },
	"item_edit":    func() Planner { return new(ItemEdit) },
	"item_delete":  func() Planner { return new(ItemDelete) },
	"undo":         func() Planner { return new(Undo) },
}

func kindOf(p Planner) string {
	switch p.(type) {
	case EventEdit, *EventEdit:
		return "event_edit"
	case EventBatch, *EventBatch:
		return "event_batch"
	case EventDelete, *EventDelete:
		return "event_delete"
	case RangeDelete, *RangeDelete:
		return "range_delete"
	case MessageAdd, *MessageAdd:
		return "message_add"
	case ItemEdit, *ItemEdit:
		return "item_edit"
	case ItemDelete, *ItemDelete:
		return "item_delete"
	case Undo, *Undo:
		return "undo"
	}
	return ""
}

func (s stored) planner() (Planner, error) {
	empty := planners[s.Kind]
	if empty == nil {
		return nil, fmt.Errorf("change: a stored plan of the unknown kind %q", s.Kind)
	}
	p := empty()
	return p, json.Unmarshal(s.Planner, p)
}

// mustAsk says whether a plan is previewed before it is made (safety.md 2).
func (c Call) mustAsk(p Plan) bool {
	switch {
	case len(p.Always) > 0:
		return true
	case c.Identity.Confirm == identity.ConfirmNever:
		return false
	case c.Identity.Confirm == identity.ConfirmDestructive:
		return p.destructive()
	}
	return true
}

// destructive reports a plan that deletes, replaces what is there, touches more
// than one object, or tells others something.
func (p Plan) destructive() bool {
	return len(p.Objects) > 1 || slices.ContainsFunc(p.Objects, func(o Object) bool {
		return o.Action == Delete || o.Kind == MessageKind || slices.ContainsFunc(o.Fields, func(f Field) bool { return !isNone(f.Field, f.Old) })
	})
}

// preview stores a plan and shows it. Nothing was written upstream.
func (e *Engine) preview(ctx context.Context, c Call, planner Planner, plan Plan, since ...string) *Result {
	plan.Warnings = append(slices.Clone(since), plan.Warnings...)
	if e.State == nil {
		return plan.refused("this change wants a confirmation, and this server has nowhere to keep it until then. Nothing was written.")
	}
	w, err := e.waiting(c, planner, plan)
	if err == nil {
		err = e.State.Keep(ctx, w)
	}
	if err != nil {
		e.Logger.ErrorContext(ctx, "plan cannot be kept", "error", err)
		return plan.refused("the plan could not be kept until its confirmation, so nothing was written. Try again in a minute, or with fewer or shorter objects.")
	}
	r := plan.result(Preview, audit.ID{})
	for i := range r.Objects {
		r.Objects[i].Status = "planned"
	}
	expires := w.Expires.UTC().Truncate(time.Second)
	r.Expires, r.Tool = &expires, c.Tool
	if w.Person {
		r.ApproveURL = e.approveURL(ctx, w.Handle)
	} else {
		r.Confirmation = w.Handle
	}
	return r
}

func (e *Engine) waiting(c Call, planner Planner, plan Plan) (state.Waiting, error) {
	kind := kindOf(planner)
	if planners[kind] == nil {
		return state.Waiting{}, fmt.Errorf("change: a planner of type %T cannot be stored", planner)
	}
	body, err := json.Marshal(planner)
	if err != nil {
		return state.Waiting{}, err
	}
	all, err := json.Marshal(stored{Plan: plan, Kind: kind, Planner: body, Me: c.Me, Arguments: c.Arguments})
	if err != nil {
		return state.Waiting{}, err
	}
	now := e.Now()
	return state.Waiting{Handle: state.NewHandle(), User: c.Identity.User, Connection: c.Identity.Connection, Client: cut(c.Identity.Client, 100),
		Athlete: c.Athlete, Tool: c.Tool, Summary: plan.Summary, Created: now, Expires: now.Add(state.PlanLife),
		Person: c.Identity.Confirm == identity.ConfirmPerson, Plan: all}, nil
}

// approveURL is the page on which a person approves.
func (e *Engine) approveURL(ctx context.Context, handle string) string {
	if e.ApprovePage == nil {
		return ""
	}
	return e.ApprovePage(ctx, handle)
}

// drift says in what a plan that was made again differs from the one that was
// shown, as far as it matters (safety.md 8); nil when it does not.
func (p Plan) drift(now Plan) []string {
	if len(p.Objects) != len(now.Objects) {
		return []string{fmt.Sprintf("it was about %d objects and is now about %d.", len(p.Objects), len(now.Objects))}
	}
	var out []string
	for i, o := range p.Objects {
		if what := o.drift(now.Objects[i]); what != "" {
			out = append(out, fmt.Sprintf("%s %s changed since the preview (%s).", strings.ReplaceAll(string(o.Kind), "_", " "), o.name(), what))
		}
	}
	return out
}

func (o Object) name() string {
	if o.Target != "" {
		return o.Target
	}
	return quote(text(o.Patch["name"]), 40)
}

func (o Object) drift(now Object) string {
	switch {
	case o.Kind != now.Kind || o.Action != now.Action || o.Target != now.Target || o.Parent != now.Parent:
		return "which object it is"
	case string(canonical(o.Patch)) != string(canonical(now.Patch)):
		return "what would be written"
	case o.Action == Create:
		if o.appeared(now) {
			return "an equal one has appeared"
		}
		return ""
	case o.PairingRead && now.PairingRead && !sameSet(o.Paired, now.Paired):
		return "its paired activities"
	}
	return strings.Join(changedKeys(o.Before, now.Before, o.matters()), ", ")
}

// appeared reports whether something equal to what a create makes came into
// being after the preview.
func (o Object) appeared(now Object) bool {
	return slices.ContainsFunc(now.Twins, func(id string) bool { return !contains(o.Twins, id) })
}

// always are the keys of an event that matter to every change of it
// (safety.md 8): date, category and edit flags.
var alwaysMatters = []string{"start_date_local", "end_date_local", "category", "hide_from_athlete", "athlete_cannot_edit", "structure_read_only"}

// matters lists the keys whose change in between matters: those that every
// change of an event depends on, and those that this one touches. A delete
// touches all that people write.
func (o Object) matters() []string {
	var keys []string
	if o.Kind == EventKind {
		keys = append(keys, alwaysMatters...)
	}
	if o.Action == Delete {
		return append(keys, o.written(o.Before)...)
	}
	_, text := o.Patch["description"]
	derived := text && ReadText(o.Before.Str("description")).Steps > 0
	for _, key := range writable(o.Kind) {
		if _, sent := o.Patch[key]; sent && !(derived && contains(stepFigures, key)) {
			keys = append(keys, key)
		}
	}
	return keys
}

// written lists the keys of an object that people write: all writable ones,
// but not those that the platform works out from steps, nor its own marks.
func (o Object) written(of valued) []string {
	steps := ReadText(text(of.Value("description"))).Steps > 0
	return slices.DeleteFunc(slices.Clone(writable(o.Kind)), func(key string) bool {
		switch key {
		case "uid", "external_id":
			return true
		case "moving_time", "distance", "icu_training_load":
			return steps
		case "icu_ftp", "w_prime", "p_max":
			return true // filled in from the athlete's settings
		}
		return false
	})
}

type valued interface{ Value(key string) any }

// changedKeys lists the keys under which two states differ.
func changedKeys(was, is valued, keys []string) []string {
	var out []string
	for _, key := range keys {
		a, b := was.Value(key), is.Value(key)
		if isNone(key, a) != isNone(key, b) || (!isNone(key, a) && !sameValue(key, a, b)) {
			if !contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// sameSummary compares a summary with the preview's line: letters and digits
// decide, not case, spacing or punctuation.
func sameSummary(a, b string) bool { return letters(a) == letters(b) }

func letters(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s))
}
