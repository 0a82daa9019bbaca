package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/tools"
)

// Records whose keys depend on the sport are built key by key, so no struct
// names their fields. For those the documentation lists what the reading tools
// answer about the demo athlete on one day, over many activities and events.
var observedOn = time.Date(2026, 7, 15, 12, 30, 0, 0, time.UTC)

// node is what was seen under one key, in the order of first sight.
type node struct {
	name     string
	kinds    []string
	list     bool
	children []*node
}

// opaque keys hold objects whose keys are the athlete's own or Intervals.icu's.
var opaque = map[string]bool{"custom_fields": true, "other_fields": true, "other": true, "content": true, "means": true}

// observe gives the tree of each reading tool's structured results.
func observe(all []tools.Tool) (map[string]*node, error) {
	clock := func() time.Time { return observedOn }
	f, err := fake.New(fake.Demo(observedOn), fake.Options{Now: clock})
	if err != nil {
		return nil, err
	}
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: f.Transport()})
	if err != nil {
		return nil, err
	}
	o := observer{trees: map[string]*node{}, svc: tools.NewService(tools.Config{Upstream: up, Now: clock,
		Changes: change.New(change.Config{Log: &audit.Memory{}, Now: clock}), Secrets: secrets.Single{User: "gen", Cred: secrets.Credential{APIKey: secrets.New(f.Athletes()[0].APIKey)}}})}
	for _, t := range all {
		if !t.Hints.ReadOnly {
			continue
		}
		for _, args := range o.calls(t, all) {
			o.call(t, args)
		}
		if o.trees[t.Name] == nil {
			return nil, fmt.Errorf("%s answered nothing but errors about the demo athlete", t.Name)
		}
	}
	return o.trees, nil
}

type observer struct {
	svc   *tools.Service
	trees map[string]*node
}

type arguments = map[string]any

// call adds one answer to the tool's tree; errors add nothing.
func (o observer) call(t tools.Tool, args arguments) json.RawMessage {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	a := o.svc.Call(context.Background(), t, identity.Identity{User: "gen", Athlete: "0", Connection: "gen", Client: "gen", Local: true,
		Scopes: []identity.Scope{identity.ScopeRead}, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmNever}, raw)
	if a.IsError || a.Structured == nil {
		return nil
	}
	if o.trees[t.Name] == nil {
		o.trees[t.Name] = &node{}
	}
	d := json.NewDecoder(bytes.NewReader(a.Structured))
	d.UseNumber()
	o.trees[t.Name].read(d)
	return a.Structured
}

// calls chooses arguments: every thing that an id can name once for each kind
// of it, and each yes-or-no and choice both ways.
func (o observer) calls(t tools.Tool, all []tools.Tool) []arguments {
	has := func(name string) bool {
		return slices.ContainsFunc(t.Params, func(p tools.Param) bool { return p.Name == name })
	}
	sets := []arguments{{}}
	switch {
	case has("activity_id"):
		sets = o.ids("activity_id", "get_activities", "activities", arguments{"start_date": "-180d", "limit": 200, "include_unnamed": true}, all)
	case has("event_id"):
		sets = o.ids("event_id", "get_events", "events", arguments{"start_date": "-60d", "end_date": "+120d"}, all)
	case has("item_id"):
		sets = o.ids("item_id", "get_custom_items", "items", arguments{}, all)
	case has("start_date"):
		sets = []arguments{{}, {"start_date": "-90d", "end_date": "+30d"}}
	}
	full := arguments{}
	for _, p := range t.Params {
		switch {
		case p.Kind == tools.Boolean:
			full[p.Name] = true
		case p.Kind == tools.Enum && slices.Contains(p.Enum, "full"):
			full[p.Name] = "full"
		case p.Name == "limit" && p.Max > 0:
			full[p.Name] = p.Max
		}
	}
	for _, set := range slices.Clone(sets) {
		both := arguments{}
		for k, v := range set {
			both[k] = v
		}
		for k, v := range full {
			both[k] = v
		}
		sets = append(sets, both)
	}
	return sets
}

// ids lists one argument set for each kind of thing that a list tool shows.
func (o observer) ids(param, lister, key string, args arguments, all []tools.Tool) []arguments {
	var sets []arguments
	seen := map[string]int{}
	for _, t := range all {
		if t.Name != lister {
			continue
		}
		var list map[string]json.RawMessage
		var things []map[string]any
		if json.Unmarshal(o.call(t, args), &list) != nil || json.Unmarshal(list[key], &things) != nil {
			continue
		}
		for _, thing := range things {
			kind := fmt.Sprint(thing["type"], thing["category"], len(thing)/4)
			if seen[kind]++; seen[kind] <= 2 && thing["id"] != nil {
				sets = append(sets, arguments{param: thing["id"]})
			}
		}
	}
	return sets
}

// read merges one JSON value into the tree.
func (n *node) read(d *json.Decoder) {
	token, err := d.Token()
	if err != nil {
		return
	}
	switch v := token.(type) {
	case json.Delim:
		switch v {
		case '{':
			n.kind("object")
			for d.More() {
				key, _ := d.Token()
				name, _ := key.(string)
				n.child(name).read(d)
			}
		case '[':
			n.list = true
			for d.More() {
				n.read(d)
			}
		}
		_, _ = d.Token() // the closing one
	case string:
		n.kind("text")
	case json.Number:
		n.kind("number")
	case bool:
		n.kind("boolean")
	}
}

func (n *node) kind(k string) {
	if !slices.Contains(n.kinds, k) {
		n.kinds = append(n.kinds, k)
		slices.Sort(n.kinds)
	}
}

func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	c := &node{name: name}
	n.children = append(n.children, c)
	return c
}

// find follows a path such as "activities[].feel".
func (n *node) find(path string) *node {
	for name := range strings.SplitSeq(path, ".") {
		if n == nil {
			return nil
		}
		name = strings.TrimSuffix(name, "[]")
		i := slices.IndexFunc(n.children, func(c *node) bool { return c.name == name })
		if i < 0 {
			return nil
		}
		n = n.children[i]
	}
	return n
}

// rows lists what is under a node whose own path is given.
func (n *node) rows(path string) (rows []row) {
	if opaque[n.name] {
		return nil
	}
	if n.list {
		path += "[]"
	}
	for _, c := range n.children {
		at := path + "." + c.name
		rows = append(rows, row{at, c.word(), unitOf(c.name)})
		rows = append(rows, c.rows(at)...)
	}
	return rows
}

// units are the endings of keys, the longest of those that fit first.
var units = []struct{ ending, words string }{
	{"_s_per_100m", "seconds per 100 m"}, {"_s_per_500m", "seconds per 500 m"}, {"_s_per_km", "seconds per km"}, {"_m_per_s", "metres per second"},
	{"_w_per_kg", "watts per kg"}, {"_ml_kg_min", "ml per kg and minute"}, {"_mmol_per_l", "mmol per litre"}, {"_mmol_l", "mmol per litre"}, {"_g_per_dl", "g per dl"},
	{"_per_min", "per minute"}, {"_percent", "percent"}, {"_bpm", "beats per minute"}, {"_rpm", "revolutions per minute"}, {"_spm", "steps per minute"},
	{"_mmhg", "mmHg"}, {"_kcal", "kcal"}, {"_deg", "degrees"}, {"_ms", "milliseconds"}, {"_kj", "kilojoules"}, {"_kg", "kg"}, {"_nm", "newton metres"},
	{"_km", "km"}, {"_cm", "cm"}, {"_ml", "ml"}, {"_g", "grams"}, {"_h", "hours"}, {"_m", "metres"}, {"_s", "seconds"}, {"_w", "watts"}, {"_c", "degrees Celsius"}, {"_l", "litres"},
}

func unitOf(key string) string {
	for _, u := range units {
		if strings.HasSuffix(key, u.ending) {
			return u.words
		}
	}
	return ""
}

func (n *node) word() string {
	word := strings.Join(n.kinds, " or ")
	if word == "" {
		word = "any"
	}
	if n.list {
		return "list of " + word
	}
	return word
}

// complete adds to the rows read from the source what was observed under those
// whose fields it does not tell.
func complete(rows []row, seen *node) (out []row) {
	if seen == nil {
		return rows
	}
	for i, r := range rows {
		out = append(out, r)
		told := i+1 < len(rows) && (strings.HasPrefix(rows[i+1].path, r.path+".") || strings.HasPrefix(rows[i+1].path, r.path+"[]."))
		if told || strings.HasPrefix(r.kind, "object of") {
			continue
		}
		if n := seen.find(r.path); n != nil {
			out = append(out, n.rows(r.path)...)
		}
	}
	return out
}
