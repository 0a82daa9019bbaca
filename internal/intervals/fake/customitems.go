package fake

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// fieldCode is what the code of a custom field looks like (API.md 2.8).
var fieldCode = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)

// customCodes are the codes of an athlete's custom fields of one kind: they
// are extra keys of wellness days or activities.
func (a *athlete) customCodes(kind string) []string {
	var codes []string
	for _, item := range a.items {
		if text(item, "type") != kind {
			continue
		}
		if content, ok := item["content"].(Object); ok {
			codes = append(codes, text(content, "code"))
		}
	}
	return codes
}

func (s *Server) loadedItem(a *athlete, loaded Object) Object {
	o := cloneObject(loaded)
	o["id"] = float64(s.numberedID(o))
	o["athlete_id"] = a.id
	return o
}

var itemUnder = Object{"visibility": "PRIVATE", "usage_count": 0, "hide_script": false}

func itemRow(o Object) row {
	r := full(itemKeys, o)
	r.under = itemUnder
	return r
}

func (c *call) listItems() (any, error) {
	out := make([]row, len(c.ath.items))
	for i, o := range c.ath.items {
		out[i] = itemRow(o)
	}
	return out, nil
}

// item finds the item of the path.
func (c *call) item() (Object, error) {
	id, err := c.id("item")
	if err != nil {
		return nil, err
	}
	for _, a := range c.s.athletes {
		for _, o := range a.items {
			if n, _ := whole(o, "id"); n != id {
				continue
			}
			if a != c.ath {
				return nil, errAccessDenied
			}
			return o, nil
		}
	}
	return nil, errNotFound
}

func (c *call) getItem() (any, error) {
	o, err := c.item()
	if err != nil {
		return nil, err
	}
	return itemRow(o), nil
}

// itemFields are what a caller may write. content is an object of any shape.
func itemFields() fieldSet {
	return fieldSet{}.
		with(enumField(itemTypes), "type").
		with(enumField(itemVisibilities), "visibility").
		with(textField(), "name description image").
		with(intField(), "index").
		with(boolField(), "hide_script")
}

// readItem reads a body. Content that does not fit its type gets a plain 400.
func (c *call) readItem(old Object) (Object, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	fields, no := itemFields().accept(body)
	if no != nil {
		return nil, no
	}
	o := Object{}
	for k, v := range old {
		o[k] = v
	}
	merge(o, fields)
	if raw, sent := body["content"]; sent && raw != nil {
		content, ok := raw.(Object)
		if !ok {
			return nil, c.spring(http.StatusBadRequest)
		}
		o["content"] = keepNulls(content)
	}
	if strings.TrimSpace(text(o, "name")) == "" {
		return nil, errNoName
	}
	if len([]rune(text(o, "name"))) > 255 {
		return nil, errNameTooLong
	}
	if text(o, "type") == "" {
		return nil, errMissingType
	}
	if !fitsType(text(o, "type"), o["content"]) {
		return nil, c.spring(http.StatusBadRequest)
	}
	return o, nil
}

// fitsType tells if content is what an item's type needs. That of charts is
// not documented, so any object does.
func fitsType(kind string, v any) bool {
	content, ok := v.(Object)
	switch kind {
	case "INPUT_FIELD", "ACTIVITY_FIELD", "INTERVAL_FIELD":
		return ok && fieldCode.MatchString(text(content, "code")) &&
			slices.Contains([]string{"numeric", "text", "select"}, text(content, "type")) &&
			(content["aggregate"] == nil ||
				slices.Contains([]string{"MIN", "SUM", "MAX", "AVERAGE"}, text(content, "aggregate")))
	case "ACTIVITY_STREAM", "ZONES":
		return ok
	}
	return ok || v == nil
}

func (c *call) postItem() (any, error) {
	o, err := c.readItem(nil)
	if err != nil {
		return nil, err
	}
	o["id"], o["athlete_id"] = float64(c.s.nextID()), c.ath.id
	if o["index"] == nil {
		o["index"] = len(c.ath.items)
	}
	o["updated"] = c.s.stampNow()
	c.ath.items = append(slices.Clone(c.ath.items), o)
	r := itemRow(o)
	r.keys = append(slices.Clone(itemKeys), "required_items_created")
	return r, nil
}

// putItem changes what was sent; content, if sent, is replaced whole.
func (c *call) putItem() (any, error) {
	old, err := c.item()
	if err != nil {
		return nil, err
	}
	o, err := c.readItem(old)
	if err != nil {
		return nil, err
	}
	o["updated"] = c.s.stampNow()
	for k := range old {
		delete(old, k)
	}
	for k, v := range o {
		old[k] = v
	}
	return itemRow(old), nil
}

func (c *call) deleteItem() (any, error) {
	old, err := c.item()
	if err != nil {
		return nil, err
	}
	id := old["id"]
	c.ath.items = slices.DeleteFunc(slices.Clone(c.ath.items), func(o Object) bool { return o["id"] == id })
	return emptyAnswer(), nil
}
