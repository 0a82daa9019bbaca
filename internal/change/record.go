package change

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/state"
)

// outcomeTime is how long writing the outcome may take after the call's own
// time is over.
const outcomeTime = 3 * time.Second

func (e *Engine) head(c Call, plan Plan, id audit.ID, digest string) audit.Item {
	now := e.Now().UTC()
	item := audit.Item{Schema: audit.SchemaVersion, Change: id, User: c.Identity.User, Athlete: c.Athlete,
		Connection: c.Identity.Connection, Client: cut(c.Identity.Client, 100), Tool: c.Tool, RequestID: id.Request,
		Time: now, Expires: id.Time.Add(e.Retention).Truncate(time.Second)}
	item.Summary, item.Digest, item.Undoes, item.Undoable = c.scrubText(plan.Summary), digest, plan.Undoes, plan.undoable()
	return item
}

// undoable is the worst of the objects': what the whole change can promise.
func (p Plan) undoable() string {
	worst := "yes"
	for _, o := range p.Objects {
		if strings.HasPrefix(o.Undoable, "no") || worst == "yes" {
			worst = o.Undoable
		}
	}
	return worst
}

// objectItem is the head's fields that every item carries, without the rest.
func objectItem(head audit.Item, o Object) audit.Item {
	head.Summary, head.Digest, head.Targets, head.Arguments, head.Undoes, head.Links = "", "", nil, nil, nil, nil
	head.Kind, head.Action, head.Target, head.Parent, head.Undoable = string(o.Kind), string(o.Action), o.Target, o.Parent, o.Undoable
	head.Cleared, head.Replaces, head.Paired, head.PairingRead = o.Cleared, o.Replaces, o.Paired, o.PairingRead
	return head
}

func (e *Engine) writeIntent(ctx context.Context, c Call, plan Plan, id audit.ID, digest, handle string) error {
	if err := ctx.Err(); err != nil {
		return err // whoever asked has gone: nothing is begun
	}
	head := e.head(c, plan, id, digest)
	head.Arguments = c.scrub(capArguments(c.Arguments))
	items := make([]audit.Item, len(plan.Objects))
	for i, o := range plan.Objects {
		items[i] = objectItem(head, o)
		items[i].Before = c.scrub(stateOf(o.Kind, o.Before))
		items[i].After = c.scrub(fit(map[string]any(o.Patch)))
		items[i].Known = o.Known[max(0, len(o.Known)-maxKnown):]
		if o.Target != "" {
			head.Targets = append(head.Targets, o.Target)
		}
	}
	return audit.WriteIntentWith(ctx, e.Log, head, items, func(ctx context.Context, head audit.Item) error {
		e.step("head")
		return e.writeHead(ctx, c.Identity.User, handle, head)
	})
}

// writeHead writes the head intent, together with the use of the confirmation
// where there is one. An error does not tell whether it was written, and a
// change that was begun must not be called refused: so it is written once more,
// which succeeds or finds it there.
func (e *Engine) writeHead(ctx context.Context, user, handle string, head audit.Item) error {
	write := func(ctx context.Context) error {
		if handle == "" {
			return e.Log.Append(ctx, []audit.Item{head})
		}
		return e.State.Use(ctx, user, handle, head)
	}
	err := write(ctx)
	if err == nil || errors.Is(err, state.ErrUsed) || errors.Is(err, state.ErrNotFound) || errors.Is(err, audit.ErrExists) {
		return err
	}
	gone := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeTime)
	defer cancel()
	if gone { // whoever asked has gone: nothing is begun that was not
		items, readErr := e.Log.Change(ctx, user, head.Change)
		if readErr == nil && tell(items).begun() {
			return nil
		}
		return err
	}
	again := write(ctx)
	if errors.Is(again, audit.ErrExists) { // an id is given once: it is this one
		return nil
	}
	return again
}

// maxKnown bounds the ids that are kept of what was there before a create: the
// newest are those that can be taken for it.
const maxKnown = 100

func (e *Engine) writeOutcome(ctx context.Context, c Call, plan Plan, id audit.ID, digest string, ends []end, r *Result, took time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeTime)
	defer cancel()
	head := e.head(c, plan, id, digest)
	items := make([]audit.Item, len(plan.Objects))
	for i, o := range plan.Objects {
		d := ends[i]
		if d.target != "" {
			o.Target = d.target
		}
		items[i] = objectItem(head, o)
		items[i].After = c.scrub(stateOf(o.Kind, d.state))
		items[i].Status, items[i].UpstreamStatus = d.status, d.upstream
		if d.status == "" {
			items[i].Status, items[i].Reason = audit.Failed, "not tried"
		}
		if d.err != nil {
			items[i].Reason = c.scrubText(d.err.Error())
		}
		if d.back {
			items[i].Reason = "done, and taken back since another object failed"
		}
		if len(d.paired) > 0 {
			items[i].Paired = d.paired
		}
		if old := d.replaces(o); old != "" {
			if head.Links == nil {
				head.Links = map[string]string{}
			}
			head.Links[old], items[i].Replaces = o.Target, old
		}
		if o.Target != "" {
			head.Targets = append(head.Targets, o.Target)
		}
		if d.upstream != 0 {
			head.UpstreamStatus = d.upstream
		}
	}
	head.Status = map[Status]audit.Status{Applied: audit.Applied, FailedNow: audit.Failed, UnknownDone: audit.Unknown}[r.Status]
	head.Reason, head.DurationMS = c.scrubText(r.Reason), took.Milliseconds()
	if !slices.ContainsFunc(ends, func(d end) bool { return d.recorded }) {
		return audit.WriteOutcome(ctx, e.Log, head, items)
	}
	return e.writeRest(ctx, head, items, ends)
}

// restBatch is how many items of any size surely fit into one transaction.
const restBatch = audit.MaxBatchSize / (2*audit.MaxState + 8<<10)

// writeRest ends an outcome of which some objects were written before the
// process died: the log takes nothing twice.
func (e *Engine) writeRest(ctx context.Context, head audit.Item, items []audit.Item, ends []end) error {
	head.N, head.Phase, head.Objects = 0, audit.Outcome, len(items)
	var rest []audit.Item
	for i, item := range items {
		if !ends[i].recorded {
			item.N, item.Phase = i+1, audit.Outcome
			rest = append(rest, item)
		}
	}
	for batch := range slices.Chunk(append(rest, head), restBatch) {
		if err := e.Log.Append(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (c Call) scrub(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return c.Client.Scrub(b)
}

func (c Call) scrubText(s string) string { return cut(string(c.Client.Scrub([]byte(s))), 300) }

// stateOf is an object's writable fields, nil when there are none.
func stateOf(kind Kind, o intervals.Object) []byte {
	all := map[string]any{}
	for _, key := range writable(kind) {
		if o.Has(key) {
			all[key] = o.Value(key)
		}
	}
	if kind == EventKind && !o.Has("description") && o.Has("workout_doc") {
		all["workout_doc"] = o.Value("workout_doc") // a workout that has no text, such as one from a file
	}
	return fit(all)
}

// fit writes fields within the audit log's bound; where they are too large
// the largest give way to a note of their size.
func fit(all map[string]any) []byte {
	if len(all) == 0 {
		return nil
	}
	all = maps.Clone(all)
	for {
		b, err := json.Marshal(all)
		if err != nil {
			return nil
		}
		if len(b) <= audit.MaxState-1024 { // room for what scrubbing may add
			return b
		}
		largest, size := "", 0
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if n := len(canonical(all[key])); n > size {
				largest, size = key, n
			}
		}
		all[largest] = map[string]any{"_not_kept_bytes": size}
	}
}

// tooLarge reports whether a state cannot be kept whole, so that it cannot be
// put back.
func tooLarge(kind Kind, o intervals.Object) bool {
	return bytes.Contains(stateOf(kind, o), []byte(`"_not_kept_bytes"`))
}

// capArguments cuts long values until the arguments fit.
func capArguments(raw json.RawMessage) []byte {
	if len(raw) <= audit.MaxArguments-256 {
		return raw
	}
	var all map[string]any
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for limit := 200; limit >= 0; limit -= 100 {
		short := map[string]any{}
		for key, v := range all {
			if b := canonical(v); len(b) > limit+20 {
				short[key] = string([]rune(string(b))[:min(limit, len([]rune(string(b))))]) + "…"
				continue
			}
			short[key] = v
		}
		if b, err := json.Marshal(short); err == nil && len(b) <= audit.MaxArguments-256 {
			return b
		}
	}
	return nil
}

// writable lists the keys of a kind of object that a caller may write and that
// are worth keeping (SCHEMAS.md).
func writable(kind Kind) []string {
	switch kind {
	case EventKind:
		return []string{"start_date_local", "end_date_local", "category", "name", "description", "type", "moving_time", "distance",
			"icu_training_load", "indoor", "color", "target", "sub_type", "tags", "external_id", "uid", "for_week", "carbs_per_hour",
			"training_availability", "max_training_time", "can_train_sports", "load_target", "time_target", "distance_target",
			"icu_ftp", "w_prime", "p_max", "ctl_days", "atl_days", "not_on_fitness_chart", "show_as_note", "show_on_ctl_line",
			"hide_from_athlete", "athlete_cannot_edit", "structure_read_only"}
	case ItemKind:
		return []string{"type", "name", "description", "visibility", "content", "index", "hide_script"}
	case MessageKind:
		return []string{"content"}
	}
	return nil
}
