package intervals

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// get sends a GET and gives its body.
func (c *Client) get(ctx context.Context, op string, query url.Values, segments ...string) ([]byte, error) {
	return c.do(ctx, call{op: op, method: http.MethodGet, segments: segments, query: query})
}

func (c *Client) getObject(ctx context.Context, op string, query url.Values, segments ...string) (Object, error) {
	body, err := c.get(ctx, op, query, segments...)
	if err != nil {
		return Object{}, err
	}
	o, err := ParseObject(body)
	return o, badBody(op, err)
}

func (c *Client) getObjects(ctx context.Context, op string, query url.Values, segments ...string) ([]Object, error) {
	body, err := c.get(ctx, op, query, segments...)
	if err != nil {
		return nil, err
	}
	list, err := ParseObjects(body)
	return list, badBody(op, err)
}

func badBody(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Kind: BadBody, Status: http.StatusOK, Reason: err.Error()}
}

// Athlete reads a profile with its sport settings and custom items.
func (c *Client) Athlete(ctx context.Context, athlete string) (Athlete, error) {
	const op = "get athlete"
	if err := badID(op, "athlete id", athlete); err != nil {
		return Athlete{}, err
	}
	o, err := c.getObject(ctx, op, nil, "athlete", athlete)
	return newAthlete(o), err
}

// Athletes lists whom the key follows or coaches, the caller included. It
// works with an API key only (API.md 1.2).
func (c *Client) Athletes(ctx context.Context) ([]Athlete, error) {
	list, err := c.getObjects(ctx, "list athletes", nil, "athletes")
	return wrap(list, newAthlete), err
}

// SportSettings lists thresholds and zones.
func (c *Client) SportSettings(ctx context.Context, athlete string) ([]SportSettings, error) {
	const op = "list sport settings"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	list, err := c.getObjects(ctx, op, nil, "athlete", athlete, "sport-settings")
	return wrap(list, func(o Object) SportSettings { return SportSettings{o} }), err
}

// ActivityQuery selects activities of a range of local days, newest first.
type ActivityQuery struct {
	Oldest, Newest string   // YYYY-MM-DD or a local date-time, both inclusive
	Limit          int      // newest N; 0 = all
	Fields         []string // only these keys, nulls dropped; nil = everything
}

// Activities lists activities; those that Strava hides come as stubs
// (Activity.Hidden).
func (c *Client) Activities(ctx context.Context, athlete string, q ActivityQuery) ([]Activity, error) {
	const op = "list activities"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	v := span("oldest", q.Oldest, "newest", q.Newest)
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	setFields(v, q.Fields)
	list, err := c.getObjects(ctx, op, v, "athlete", athlete, "activities")
	return wrap(list, func(o Object) Activity { return Activity{o} }), err
}

// Activity reads one activity.
func (c *Client) Activity(ctx context.Context, activity string) (Activity, error) {
	const op = "get activity"
	if err := badID(op, "activity id", activity); err != nil {
		return Activity{}, err
	}
	o, err := c.getObject(ctx, op, nil, "activity", activity)
	return Activity{o}, err
}

// Intervals reads an activity's laps and lap groups.
func (c *Client) Intervals(ctx context.Context, activity string) (Intervals, error) {
	const op = "get activity intervals"
	if err := badID(op, "activity id", activity); err != nil {
		return Intervals{}, err
	}
	o, err := c.getObject(ctx, op, nil, "activity", activity, "intervals")
	return Intervals{
		ID: o.str("id"), Analyzed: o.str("analyzed"),
		Intervals: o.Objects("icu_intervals"), Groups: o.Objects("icu_groups"),
		Recognised: o.raw("icu_intervals") != "" || o.raw("icu_groups") != "",
	}, err
}

// Streams reads recorded series; nil types means the platform's default set.
func (c *Client) Streams(ctx context.Context, activity string, types []string) ([]Stream, error) {
	const op = "get activity streams"
	if err := badID(op, "activity id", activity); err != nil {
		return nil, err
	}
	v := url.Values{}
	if len(types) > 0 {
		v.Set("types", strings.Join(types, ","))
	}
	list, err := c.getObjects(ctx, op, v, "activity", activity, "streams.json")
	return wrap(list, newStream), err
}

func newStream(o Object) Stream {
	s := Stream{Type: o.str("type"), Name: o.str("name"), ValueType: o.str("valueType"),
		Data: o.Numbers("data"), Data2: o.Numbers("data2")}
	s.Custom, _ = o.Bool("custom")
	s.AllNull, _ = o.Bool("allNull")
	return s
}

// Messages reads the comments on an activity.
func (c *Client) Messages(ctx context.Context, activity string) ([]Message, error) {
	const op = "get activity messages"
	if err := badID(op, "activity id", activity); err != nil {
		return nil, err
	}
	list, err := c.getObjects(ctx, op, nil, "activity", activity, "messages")
	return wrap(list, func(o Object) Message { return Message{o} }), err
}

// CurveQuery selects power curves.
type CurveQuery struct {
	Type    string   // sport, required upstream
	Curves  []string // "s0", "1y", "r.2026-01-01.2026-02-15" ...
	Filters string   // JSON array of ActivityFilter, or empty
}

// PowerCurves reads best power by duration over windows.
func (c *Client) PowerCurves(ctx context.Context, athlete string, q CurveQuery) (Curves, error) {
	const op = "get power curves"
	if err := badID(op, "athlete id", athlete); err != nil {
		return Curves{}, err
	}
	v := url.Values{"type": {q.Type}, "curves": {strings.Join(q.Curves, ",")}, "includeRanks": {"false"}}
	if q.Filters != "" {
		v.Set("filters", q.Filters)
	}
	o, err := c.getObject(ctx, op, v, "athlete", athlete, "power-curves.json")
	if err != nil {
		return Curves{}, err
	}
	out := Curves{List: wrap(o.Objects("list"), newCurve), Activities: map[string]Activity{}}
	if acts, ok := o.Object("activities"); ok {
		for _, f := range acts.fields {
			if a, ok := acts.Object(f.key); ok {
				out.Activities[f.key] = Activity{a}
			}
		}
	}
	return out, nil
}

func newCurve(o Object) Curve {
	values := o.Numbers("values")
	if values == nil {
		values = o.Numbers("watts") // either key is seen (API.md 2.3)
	}
	return Curve{Object: o, Secs: o.Numbers("secs"), Values: values, PerKg: o.Numbers("watts_per_kg"),
		Activities: aligned(o.raw("activity_id")), PerKgActs: aligned(o.raw("wkg_activity_id"))}
}

// aligned reads an array of ids that belongs to another array: an element that
// is null stays, empty.
func aligned(raw string) []string {
	parts := elements(raw)
	out := make([]string, len(parts))
	for i, part := range parts {
		out[i], _ = text(part)
	}
	return out
}

// Wellness reads the records of a range of local days, oldest first. Days
// without a record may be absent; future days carry the projection.
func (c *Client) Wellness(ctx context.Context, athlete, oldest, newest string, fields []string) ([]Wellness, error) {
	const op = "list wellness"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	v := span("oldest", oldest, "newest", newest)
	setFields(v, fields)
	list, err := c.getObjects(ctx, op, v, "athlete", athlete, "wellness")
	return wrap(list, func(o Object) Wellness { return Wellness{o} }), err
}

// AthleteSummary reads one row per athlete and Monday-week.
func (c *Client) AthleteSummary(ctx context.Context, athlete, start, end string) ([]Summary, error) {
	const op = "get athlete summary"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	list, err := c.getObjects(ctx, op, span("start", start, "end", end), "athlete", athlete, "athlete-summary.json")
	return wrap(list, func(o Object) Summary { return Summary{o} }), err
}

// Events lists the calendar over a range of local days, oldest first; the
// range grows to include events that reach over its ends (API.md 1.5).
func (c *Client) Events(ctx context.Context, athlete, oldest, newest string, categories ...string) ([]Event, error) {
	const op = "list events"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	v := span("oldest", oldest, "newest", newest)
	if len(categories) > 0 {
		v.Set("category", strings.Join(categories, ","))
	}
	list, err := c.getObjects(ctx, op, v, "athlete", athlete, "events")
	return wrap(list, func(o Object) Event { return Event{o} }), err
}

// Event reads one calendar event.
func (c *Client) Event(ctx context.Context, athlete string, event int64) (Event, error) {
	const op = "get event"
	if err := badID(op, "athlete id", athlete); err != nil {
		return Event{}, err
	}
	if err := badNumber(op, "event id", event); err != nil {
		return Event{}, err
	}
	o, err := c.getObject(ctx, op, nil, "athlete", athlete, "events", digits(event))
	return Event{o}, err
}

// Gear lists bikes, shoes and parts.
func (c *Client) Gear(ctx context.Context, athlete string) ([]Gear, error) {
	const op = "list gear"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	list, err := c.getObjects(ctx, op, nil, "athlete", athlete, "gear")
	return wrap(list, func(o Object) Gear { return Gear{o} }), err
}

// CustomItems lists custom fields, charts and streams.
func (c *Client) CustomItems(ctx context.Context, athlete string) ([]CustomItem, error) {
	const op = "list custom items"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	list, err := c.getObjects(ctx, op, nil, "athlete", athlete, "custom-item")
	return wrap(list, func(o Object) CustomItem { return CustomItem{o} }), err
}

// CustomItem reads one custom item.
func (c *Client) CustomItem(ctx context.Context, athlete string, item int64) (CustomItem, error) {
	const op = "get custom item"
	if err := badID(op, "athlete id", athlete); err != nil {
		return CustomItem{}, err
	}
	if err := badNumber(op, "custom item id", item); err != nil {
		return CustomItem{}, err
	}
	o, err := c.getObject(ctx, op, nil, "athlete", athlete, "custom-item", digits(item))
	return CustomItem{o}, err
}

func span(from, oldest, to, newest string) url.Values {
	v := url.Values{}
	if oldest != "" {
		v.Set(from, oldest)
	}
	if newest != "" {
		v.Set(to, newest)
	}
	return v
}

func setFields(v url.Values, fields []string) {
	if len(fields) > 0 {
		v.Set("fields", strings.Join(fields, ","))
	}
}
