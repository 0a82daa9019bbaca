package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var (
	itemTypes = []string{"FITNESS_CHART", "FITNESS_TABLE", "TRACE_CHART", "INPUT_FIELD", "ACTIVITY_FIELD", "INTERVAL_FIELD", "ACTIVITY_STREAM",
		"ACTIVITY_CHART", "ACTIVITY_HISTOGRAM", "ACTIVITY_HEATMAP", "ACTIVITY_MAP", "ACTIVITY_PANEL", "ZONES"}
	itemVisibilities = []string{"PRIVATE", "FOLLOWERS", "PUBLIC"}

	itemIDParam      = Param{Name: "item_id", Kind: Integer, Required: true, Min: 1, Max: 1 << 31, Doc: "Number of the item; get_custom_items lists them."}
	itemContentParam = Param{Name: "content", Kind: Object, Accept: readContent, Doc: "Of a field: {code: \"MyField\", type: numeric | text | select, aggregate: MIN | SUM | MAX | AVERAGE}. " +
		"Of charts and others: copy what get_custom_item_by_id gives for a like item."}
	visibilityParam = Param{Name: "visibility", Kind: Enum, Enum: itemVisibilities}
)

// The words of answers.
const (
	createFailure = "Error creating custom item"
	updateFailure = "Error updating custom item"
	deleteFailure = "Error deleting custom item"
	itemCreated   = "Successfully created custom item:"
	itemUpdated   = "Successfully updated custom item:"
	itemDeleted   = "Successfully deleted custom item %s."
)

var createCustomItem = Tool{
	Name:        "create_custom_item",
	Title:       "Create a custom item",
	Description: "Creates a custom field (wellness INPUT_FIELD, ACTIVITY_FIELD, INTERVAL_FIELD), chart, stream or zones of the athlete.",
	Params: []Param{
		{Name: "name", Kind: String, Required: true, MaxLen: 255},
		{Name: "item_type", Kind: Enum, Required: true, Enum: itemTypes},
		athleteParam,
		{Name: "description", Kind: String},
		itemContentParam,
		visibilityParam,
		duplicateParam,
	},
	Result:  writeOut("item"),
	Hints:   writes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetFull,
	Failure: createFailure,
	run:     handle(addItem),
}

var updateCustomItem = Tool{
	Name:        "update_custom_item",
	Title:       "Change a custom item",
	Description: "Changes what is passed of a custom item. content replaces the old content as a whole: read it with get_custom_item_by_id and pass it complete.",
	Params: []Param{
		itemIDParam,
		athleteParam,
		{Name: "name", Kind: String, MaxLen: 255},
		{Name: "item_type", Kind: Enum, Enum: itemTypes},
		{Name: "description", Kind: String},
		itemContentParam,
		visibilityParam,
		{Name: "clear", Kind: List, Items: String, Doc: "description empties the description. Empty text and null clear nothing."},
	},
	Result:  writeOut("item"),
	Hints:   writes,
	Scope:   identity.ScopeWrite,
	Toolset: identity.ToolsetFull,
	Failure: updateFailure,
	run:     handle(changeItem),
}

var deleteCustomItem = Tool{
	Name:        "delete_custom_item",
	Title:       "Delete a custom item",
	Description: "Deletes one custom field, chart, stream or zones by id. What was recorded in a field is no longer shown.",
	Params:      []Param{itemIDParam, athleteParam},
	Result:      writeOut("item"),
	Hints:       deletes,
	Scope:       identity.ScopeWrite,
	Toolset:     identity.ToolsetFull,
	Failure:     deleteFailure,
	run:         handle(removeItem),
}

type itemIn struct {
	Item        int64           `json:"item_id"`
	Athlete     string          `json:"athlete_id"`
	Name        string          `json:"name"`
	Type        string          `json:"item_type"`
	Description string          `json:"description"`
	Content     json.RawMessage `json:"content"`
	Visibility  string          `json:"visibility"`
	Clear       []string        `json:"clear"`
	Duplicate   bool            `json:"allow_duplicate"`
}

type itemWritten struct {
	written
	Item *customItemDetail `json:"item,omitempty"`
}

// readContent accepts content as an object or as its JSON text; the words of
// the refusal are the reference server's.
func readContent(raw json.RawMessage) (json.RawMessage, error) {
	s, isText := asString(raw)
	if isText {
		raw = json.RawMessage(strings.TrimSpace(s))
	}
	var content map[string]any
	switch {
	case len(raw) > 100_000:
		return nil, fmt.Errorf("is over 100 kB")
	case isText && !json.Valid(raw):
		return nil, fmt.Errorf("must be valid JSON when passed as a string")
	case json.Unmarshal(raw, &content) != nil || content == nil:
		return nil, fmt.Errorf("must be a JSON object")
	}
	return raw, nil
}

// set gives the fields that were passed.
func (in itemIn) set() intervals.Patch {
	set := intervals.Patch{}
	for key, v := range map[string]string{"name": in.Name, "type": in.Type, "description": in.Description, "visibility": in.Visibility} {
		if v != "" {
			set[key] = v
		}
	}
	if len(in.Content) > 0 {
		var content map[string]any
		if json.Unmarshal(in.Content, &content) == nil { // was read once already
			set["content"] = content
		}
	}
	return set
}

func addItem(ctx context.Context, rq *Request, in itemIn) (itemWritten, error) {
	return rq.writeItem(ctx, in, change.ItemEdit{Set: in.set(), AllowDuplicate: in.Duplicate}, createFailure, itemCreated)
}

func changeItem(ctx context.Context, rq *Request, in itemIn) (itemWritten, error) {
	edit := change.ItemEdit{ID: in.Item, Set: in.set()}
	for _, name := range in.Clear {
		if name != "description" || in.Description != "" {
			return itemWritten{}, refuse("clear", "can name description only, and not when it is set as well")
		}
		edit.Clear = []string{"description"}
	}
	if len(edit.Set)+len(edit.Clear) == 0 {
		return itemWritten{}, refuse("item_id", "is all that was passed: say what to change")
	}
	return rq.writeItem(ctx, in, edit, updateFailure, itemUpdated)
}

func removeItem(ctx context.Context, rq *Request, in itemIn) (itemWritten, error) {
	return rq.writeItem(ctx, in, change.ItemDelete{ID: in.Item}, deleteFailure, fmt.Sprintf(itemDeleted, fmt.Sprint(in.Item)))
}

func (rq *Request) writeItem(ctx context.Context, in itemIn, planner change.Planner, failure, first string) (itemWritten, error) {
	at, err := rq.place(ctx, in.Athlete)
	if err != nil {
		return itemWritten{}, err
	}
	r, err := rq.do(ctx, at, planner)
	if intervals.KindOf(err) == intervals.NotFound {
		return itemWritten{}, Problems{{Arg: "item_id", Message: fmt.Sprintf("%d: there is no such custom item", in.Item), Next: "get_custom_items lists the ids"}}
	}
	if err != nil {
		return itemWritten{}, err
	}
	return rq.itemWritten(at, r, failure, first), nil
}

func (rq *Request) itemWritten(at place, r *change.Result, failure, first string) itemWritten {
	if w, ok := rq.unmade(at, r); ok {
		return itemWritten{written: w}
	}
	rq.forgetProfile(at) // it carries the custom items
	out := itemWritten{written: written{Result: r}}
	facts := []string{}
	if r.State.Len() > 0 {
		item := newCustomItemDetail(intervals.CustomItem{Object: r.State})
		out.Item = &item
		if !r.IsError() {
			facts = append(facts, item.brief(), changed(r, at.p, ""))
		}
	} else if !r.IsError() {
		facts = append(facts, r.Summary, undoLine(r))
	}
	if r.Status == change.Replayed {
		first = "Already created custom item:"
	}
	out.text = say(r, failure, first, facts...)
	return out
}

// brief is the item without its content, which the caller has.
func (d customItemDetail) brief() string {
	d.text = ""
	return d.block()
}

// forgetProfile drops the cached profile of the athlete, under both names it
// may have.
func (rq *Request) forgetProfile(at place) {
	for _, id := range []string{at.who.id, at.p.ID, "0"} {
		rq.svc.profiles.drop(rq.Identity.User+"\x00"+id, nil)
	}
}
