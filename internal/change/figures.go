package change

import (
	"context"
	"maps"
	"slices"

	"intervals-mcp/internal/intervals"
)

// The figures of a session are worked out anew by the platform whenever its
// text, sport or kind changes, and where it is made again. An old session gets
// those that it had.

// stepFigures are what the platform works out anew from new text.
var stepFigures = []string{"moving_time", "distance", "icu_training_load"}

// figures sees to it that the figures come back with an old session: those of
// a text without steps were entered, and are written; else they are set by hand
// where the platform works out others (API.md 3.3).
func (o *Object) figures(before intervals.Object) {
	_, text := o.Patch["description"]
	anew := text || slices.ContainsFunc([]string{"type", "indoor", "category", "workout_doc"}, func(key string) bool { _, sent := o.Patch[key]; return sent })
	session := trained(before.Value("category"))
	if _, kind := o.Patch["category"]; !anew || !session && !kind {
		return
	}
	if !text || !session || ReadText(before.Str("description")).Steps > 0 || before.Has("workout_doc") && len((intervals.Event{Object: before}).Steps()) > 0 {
		o.Figures = figuresOf(before)
		return
	}
	for _, key := range stepFigures {
		if _, sent := o.Patch[key]; sent {
			continue
		}
		if v := before.Value(key); !isEmpty(v) {
			o.Patch[key] = v
		} else {
			o.Patch[key] = clearing(key)
			o.Cleared = append(o.Cleared, key)
		}
	}
	slices.Sort(o.Cleared)
}

// figuresOf are the figures of a session, nil for those that it has not.
func figuresOf(of valued) intervals.Patch {
	out := intervals.Patch{}
	for _, key := range stepFigures {
		if out[key] = of.Value(key); isEmpty(out[key]) {
			out[key] = nil
		}
	}
	return out
}

func (o *Object) setFigure(key string, v any, none bool) {
	if _, ok := o.Figures[key]; !ok {
		return
	}
	if o.Figures[key] = v; none {
		o.Figures[key] = nil
	}
}

// leave keeps figures that somebody else set since, or with another text leaves
// them to the platform; the others are shown where they will change.
func (o *Object) leave(r *reversal) {
	o.Figures = maps.Clone(o.Figures)
	_, text := o.Patch["description"]
	for _, key := range stepFigures {
		v, ok := o.Figures[key]
		if _, sent := o.Patch[key]; !ok || sent {
			continue
		}
		is := r.now.Value(key)
		theirs := r.only == nil && len(changedKeys(r.expect, r.now, []string{key})) > 0
		switch {
		case theirs && text:
			delete(o.Figures, key)
		case theirs:
			o.Figures[key] = is
		case isEmpty(v) != isEmpty(is) || !isEmpty(v) && !sameValue(key, v, is):
			o.Fields = append(o.Fields, Field{Field: key, Old: is, New: v})
		}
	}
}

// otherFigures are those figures of an old session to which it did not come
// again.
func (o Object) otherFigures(now intervals.Object) intervals.Patch {
	out := intervals.Patch{}
	for key, v := range o.Figures {
		if is := now.Value(key); isEmpty(v) != isEmpty(is) || !isEmpty(v) && !sameValue(key, v, is) {
			out[key] = v
		}
	}
	return out
}

// mend sets figures by hand, as they once were.
func (p events) mend(ctx context.Context, figures intervals.Patch, now intervals.Object) intervals.Object {
	set, none := intervals.Patch{}, []string{}
	for key, v := range figures {
		if isEmpty(v) {
			none = append(none, key)
		} else {
			set[key] = v
		}
	}
	if id := now.Str("id"); len(set) > 0 && p.update(ctx, id, set) == nil {
		if after, err := p.read(ctx, id); err == nil {
			now = after
		}
	}
	if len(none) > 0 {
		now = p.clearAgain(ctx, none, now)
	}
	return now
}
