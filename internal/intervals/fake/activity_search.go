package fake

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

func (c *call) activitiesAround() (any, error) {
	id := c.query.Get("activity_id")
	if id == "" {
		return nil, missingParameter("activity_id", "String")
	}
	limit, err := c.number("limit", 30)
	if err != nil {
		return nil, err
	}
	center, no := c.activity(id)
	if no != nil {
		return nil, no
	}
	at, _ := localTime(center.start())
	distance := func(act *activity) float64 {
		t, _ := localTime(act.start())
		return math.Abs(t.Sub(at).Seconds())
	}
	var others []*activity
	for _, act := range c.ath.acts {
		if act != center {
			others = append(others, act)
		}
	}
	slices.SortStableFunc(others, func(x, y *activity) int { return cmp.Compare(distance(x), distance(y)) })
	return c.s.serveAll(others[:min(max(limit, 0), len(others))], nil), nil
}

var searchKeys = strings.Fields("id name start_date_local type race distance moving_time tags description")

func (c *call) searchActivities() (any, error) {
	found, err := c.search()
	if err != nil {
		return nil, err
	}
	out := make([]row, len(found))
	for i, act := range found {
		short := Object{}
		for _, k := range searchKeys {
			short[k] = act.Object[k]
		}
		out[i] = row{keys: searchKeys, Object: short, under: Object{"race": false}}
		if short["race"] == nil {
			short["race"] = false
		}
	}
	return out, nil
}

func (c *call) searchActivitiesFull() (any, error) {
	found, err := c.search()
	if err != nil {
		return nil, err
	}
	return c.s.serveAll(found, nil), nil
}

// search finds by a part of the name, or by one exact tag after a #. What
// came through Strava has neither here.
func (c *call) search() ([]*activity, error) {
	q := strings.ToLower(strings.TrimSpace(c.query.Get("q")))
	if q == "" {
		return nil, missingParameter("q", "String")
	}
	limit, err := c.number("limit", math.MaxInt)
	if err != nil {
		return nil, err
	}
	tag, byTag := strings.CutPrefix(q, "#")
	var found []*activity
	for _, act := range c.ath.acts {
		if len(found) >= limit {
			break
		}
		if act.hidden() {
			continue
		}
		hit := !byTag && strings.Contains(strings.ToLower(text(act.Object, "name")), q)
		if byTag {
			hit = slices.ContainsFunc(texts(act.Object["tags"]), func(t string) bool { return strings.EqualFold(t, tag) })
		}
		if hit {
			found = append(found, act)
		}
	}
	return found, nil
}

func (c *call) activityTags() (any, error) {
	var lists []any
	for _, act := range c.ath.acts {
		lists = append(lists, act.Object["tags"])
	}
	return distinct(lists), nil
}

// distinct joins lists of tags, sorted.
func distinct(lists []any) []string {
	out := []string{}
	for _, l := range lists {
		out = append(out, texts(l)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
