package tools

import (
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
)

// plannedThing is one object of a plan as a preview tells it.
type plannedThing struct {
	change.ObjectResult
	start string // local start of an event: where it is, or will be made; "" of other kinds
	day   string
}

func newPlannedThing(o change.ObjectResult) plannedThing {
	p := plannedThing{ObjectResult: o}
	if o.Kind == change.EventKind {
		p.start = stringOf(p.was("start_date_local"))
		if o.Action == change.Create {
			p.start = stringOf(p.is("start_date_local"))
		}
		p.start = intervals.Clean(p.start, 30)
		p.day, _, _ = strings.Cut(p.start, "T")
	}
	return p
}

// was and is give a value before and after.
func (o plannedThing) was(key string) any { return o.Before.Value(key) }

func (o plannedThing) is(key string) any {
	if v, sent := o.Patch[key]; sent {
		return v
	}
	return o.was(key)
}

func (o plannedThing) number(of func(string) any, key string) float64 {
	n, _ := anyNumber(of(key))
	return n
}

// shown is the value by which people know the object: what it was, or of a new
// one what it will be.
func (o plannedThing) shown(key string, limit int) string {
	if o.Action == change.Create {
		return intervals.Clean(stringOf(o.is(key)), limit)
	}
	return intervals.Clean(stringOf(o.was(key)), limit)
}

func (o plannedThing) sport() string { return intervals.Clean(stringOf(o.is("type")), 30) }

// what names the object.
func (o plannedThing) what() string {
	name, id := Quote(o.shown("name", 80), 80), ""
	switch o.Kind {
	case change.MessageKind:
		return "a comment on activity " + o.Parent + ", which others see"
	case change.ItemKind:
		if o.ID != "" {
			id = "(" + o.ID + ")"
		}
		return parts(" ", "custom item", o.shown("type", 30), name, id)
	}
	if o.ID != "" {
		id = "(event " + o.ID + ")"
	}
	category := o.shown("category", 20)
	if category == "WORKOUT" && o.sport() != "" {
		category = ""
	}
	return parts(" ", category, o.shown("type", 30), name, id)
}

// text is the text that would be written, or is lost, as data.
func (o plannedThing) text() []string {
	limit, key, title := previewText, "description", "Text:"
	of := func(key string) any { return o.Patch[key] }
	if o.Action == change.Delete {
		of, title = o.was, "Its text, which is lost:"
	}
	if o.Kind == change.MessageKind {
		limit, key = 4000, "content" // others read it, so it is shown whole
	}
	text, _ := of(key).(string)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []string{title, QuoteBlock(text, limit)}
}

func nounOf(mine []plannedThing) string {
	for _, o := range mine[1:] {
		if o.Kind != mine[0].Kind {
			return "objects"
		}
	}
	return strings.ReplaceAll(string(mine[0].Kind), "_", " ") + "s"
}
