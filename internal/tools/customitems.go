package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var getCustomItems = Tool{
	Name:  "get_custom_items",
	Title: "List custom items",
	Description: "Lists the athlete's own charts, fields, streams and zones: id, type, name, visibility, the code of a field. " +
		"get_custom_item_by_id gives one with its content.",
	Params: []Param{
		athleteParam,
		{Name: "limit", Kind: Integer, Default: 100, Min: 1, Max: 500},
		cursorParam,
	},
	Result: []Out{{"athlete_id", String, true}, {"items", List, true}, {"count", Integer, true},
		{"remaining", Integer, false}, {"next_cursor", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetFull,
	Failure: "Error fetching custom items",
	run:     handle(listCustomItems),
}

var getCustomItemByID = Tool{
	Name:        "get_custom_item_by_id",
	Title:       "One custom item",
	Description: "One custom chart, field, stream or zones with its whole content, the pattern to copy when making another. get_custom_items lists ids.",
	Params: []Param{
		{Name: "item_id", Kind: Integer, Required: true, Min: 1, Max: 1 << 31},
		athleteParam,
	},
	Result:  []Out{{"athlete_id", String, true}, {"item", Object, true}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetFull,
	Failure: "Error fetching custom item",
	run:     handle(readCustomItem),
}

// customItem is an item in short.
type customItem struct {
	ID          int64  `json:"id"`
	Name        string `json:"name,omitempty"`
	Type        string `json:"type,omitempty"`
	Code        string `json:"code,omitempty"` // the key of a field's values
	Description string `json:"description,omitempty"`
	Visibility  string `json:"visibility,omitempty"`
}

func newCustomItem(c intervals.CustomItem) customItem {
	item := customItem{ID: c.ID(), Name: intervals.Clean(c.Str("name"), 100), Type: intervals.Clean(c.Str("type"), 30),
		Description: intervals.Clean(c.Str("description"), 200), Visibility: intervals.Clean(c.Str("visibility"), 20)}
	if content, ok := c.Object.Object("content"); ok {
		item.Code = intervals.Clean(content.Str("code"), 60)
	}
	return item
}

func (c customItem) line() string {
	line := parts(" ", fmt.Sprint(c.ID), c.Type, quoteIf(c.Name, 60), c.Code, c.Visibility)
	if c.Description != "" {
		line += ": " + Quote(c.Description, 120)
	}
	return line
}

type customItemsIn struct {
	Athlete string `json:"athlete_id"`
	Limit   int    `json:"limit"`
	Cursor  string `json:"cursor"`
}

type customItemList struct {
	AthleteID string       `json:"athlete_id"`
	Items     []customItem `json:"items"`
	Page
	texts []string
}

func listCustomItems(ctx context.Context, rq *Request, in customItemsIn) (customItemList, error) {
	fp, after := fingerprint("custom items", in.Athlete), ""
	if in.Cursor != "" {
		c, err := readCursor(in.Cursor, fp)
		if err != nil {
			return customItemList{}, err
		}
		after = c.After
	}
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return customItemList{}, err
	}
	list, fetchErr := rq.Client.CustomItems(ctx, who.id)
	p, err := who.wait(ctx)
	if err != nil {
		return customItemList{}, err
	}
	if fetchErr != nil {
		return customItemList{}, fetchErr
	}
	slices.SortStableFunc(list, func(a, b intervals.CustomItem) int { return strings.Compare(itemKey(a), itemKey(b)) })
	list = slices.DeleteFunc(list, func(c intervals.CustomItem) bool { return itemKey(c) <= after })
	out := customItemList{AthleteID: p.ID, Items: []customItem{}}
	n := fit(len(list), in.Limit, func(i int) int {
		item := newCustomItem(list[i])
		out.Items, out.texts = append(out.Items, item), append(out.texts, item.line())
		return recordSize(out.texts[i], mustJSON(item))
	})
	out.Items, out.texts, out.Shown = out.Items[:n], out.texts[:n], n
	if out.Left = len(list) - n; out.Left > 0 {
		out.NextCursor = cursor{After: itemKey(list[n-1]), Args: fp}.String()
	}
	return out, nil
}

// itemKey orders items as the athlete did, then by id.
func itemKey(c intervals.CustomItem) string {
	index, _ := c.Int("index")
	return fmt.Sprintf("%08d %012d", max(index, 0), c.ID())
}

// Text gives one item a line.
func (l customItemList) Text() string {
	if len(l.Items) == 0 {
		return fmt.Sprintf("No custom items found for athlete %s.", l.AthleteID)
	}
	return "Custom Items:\nid, type, name, code, visibility\n" + parts("\n\n", strings.Join(l.texts, "\n"), l.Page.text("items"))
}

type customItemIn struct {
	Item    int64  `json:"item_id"`
	Athlete string `json:"athlete_id"`
}

type customItemAnswer struct {
	AthleteID string           `json:"athlete_id"`
	Item      customItemDetail `json:"item"`
}

// customItemDetail is an item with its content as the platform keeps it.
type customItemDetail struct {
	customItem
	Index      *float64        `json:"index,omitempty"`
	HideScript *bool           `json:"hide_script,omitempty"`
	Content    json.RawMessage `json:"content,omitempty"`
	ContentCut bool            `json:"content_cut,omitempty"` // too large: Content is absent, text holds its beginning
	text       string
}

func readCustomItem(ctx context.Context, rq *Request, in customItemIn) (customItemAnswer, error) {
	who, err := rq.athlete(ctx, in.Athlete)
	if err != nil {
		return customItemAnswer{}, err
	}
	c, fetchErr := rq.Client.CustomItem(ctx, who.id, in.Item)
	p, err := who.wait(ctx)
	if err != nil {
		return customItemAnswer{}, err
	}
	if intervals.KindOf(fetchErr) == intervals.NotFound {
		return customItemAnswer{}, Problems{{Message: fmt.Sprintf("No custom item found with ID %d.", in.Item), Next: "get_custom_items lists the ids"}}
	}
	if fetchErr != nil {
		return customItemAnswer{}, fetchErr
	}
	return customItemAnswer{AthleteID: p.ID, Item: newCustomItemDetail(c)}, nil
}

// contentBudget bounds an item's content, in bytes: half of an answer, since
// it stands in it twice.
const contentBudget = textBudget * 2 / 3

func newCustomItemDetail(c intervals.CustomItem) customItemDetail {
	d := customItemDetail{customItem: newCustomItem(c), Index: field(c.Object, "index", 0)}
	d.Description = wholeText(c.Str("description"))
	if hide, known := c.Bool("hide_script"); known {
		d.HideScript = &hide
	}
	if !c.Has("content") {
		return d
	}
	d.Content = mustJSON(c.Value("content"))
	if content, ok := c.Object.Object("content"); ok { // keeps the order of keys
		d.Content = mustJSON(content)
	}
	var b bytes.Buffer
	if json.Indent(&b, d.Content, "", "  ") == nil {
		d.text = strings.Map(visibleRune, b.String())
	}
	if len(d.Content) > contentBudget {
		d.Content, d.ContentCut = nil, true
	}
	if len(d.text) > contentBudget {
		d.text = strings.ToValidUTF8(d.text[:contentBudget], "") + "\n… content cut: " + fmt.Sprint(b.Len()) + " characters in all."
	}
	return d
}

// visibleRune drops format characters, which can hide what a text says.
func visibleRune(r rune) rune {
	if unicode.In(r, unicode.Cf) {
		return -1
	}
	return r
}

// Text is the block of labels.
func (a customItemAnswer) Text() string { return "Custom Item Details:\n\n" + a.Item.block() }

// block writes the labels that reads and writes share.
func (d customItemDetail) block() string {
	lines := []string{"ID: " + fmt.Sprint(d.ID)}
	add := func(label, value string) {
		if value != "" {
			lines = append(lines, label+": "+value)
		}
	}
	add("Name", quoteIf(d.Name, 100))
	add("Type", d.Type)
	if d.Description != "" {
		lines = append(lines, "Description:", QuoteBlock(d.Description, 10_000))
	}
	add("Visibility", d.Visibility)
	add("Index", amount("", d.Index, ""))
	if d.HideScript != nil {
		add("Hide Script", fmt.Sprint(*d.HideScript))
	}
	if d.text != "" {
		lines = append(lines, "Content:", d.text)
	}
	return strings.Join(lines, "\n")
}
