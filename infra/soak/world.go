package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sort"
	"time"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/training"
)

// Who is who: an athlete with two connections, and their coach.
const (
	athleteKey        = "soak-key-of-the-athlete"
	coachID, coachKey = "i9", "soak-key-of-the-coach"
	today             = "2026-07-15"
)

// athleteOf gives each seed an athlete of its own, since runs share stores.
func athleteOf(seed uint64) string { return fmt.Sprintf("i1%06d", seed%1_000_000) }

var startTime = time.Date(2026, 7, 15, 12, 30, 0, 0, time.UTC)

const (
	firstDay = "2026-06-01"
	lastDay  = "2026-09-30"
)

// texts are workout texts that the platform reads steps from.
var texts = []string{"- 10m 60%\n- 20m 75%\n- 10m 55%", "- 15m 65%\n\n3x\n- 5m 95%\n- 5m 55%\n\n- 10m 50%", "- 30m 70%\n- 10m 60%"}

// calendar makes an athlete's data.
func calendar(r *rand.Rand, athlete string) fake.Dataset {
	var events []fake.Object
	for i := range 3 + r.IntN(9) {
		e := fake.Object{"id": 100 + i, "name": fmt.Sprintf("old %d", i), "start_date_local": randomDay(r, -8, 20) + randomClock(r), "created_by_id": athlete}
		switch r.IntN(8) {
		case 0:
			e["category"] = "NOTE"
			e["description"] = "a note"
		case 1:
			e["category"], e["type"] = "RACE_B", "Run"
		case 2:
			e["category"] = "HOLIDAY"
		case 3:
			e["category"], e["type"], e["moving_time"], e["icu_training_load"] = "WORKOUT", "Run", 1800+60*r.IntN(60), 20+r.IntN(80)
		default:
			e["category"], e["type"], e["description"] = "WORKOUT", "Ride", texts[r.IntN(len(texts))]
		}
		if r.IntN(4) == 0 {
			e["tags"] = []any{"base", "hard"}
		}
		if r.IntN(5) == 0 {
			e["color"] = "red"
		}
		switch r.IntN(10) {
		case 0:
			e["created_by_id"] = coachID
		case 1:
			e["shared_event_id"] = 7000 + i
		case 2:
			e["structure_read_only"] = true
		case 3:
			e["athlete_cannot_edit"], e["created_by_id"] = true, coachID
		}
		events = append(events, e)
	}
	acts := []fake.Object{}
	for i := range 3 {
		e := events[r.IntN(len(events))]
		a := fake.Object{"id": fmt.Sprintf("i%d", 500+i), "type": "Ride", "name": fmt.Sprintf("ride %d", i), "start_date_local": randomDay(r, -8, 0) + "T09:00:00", "moving_time": 3600, "source": "GARMIN_CONNECT"}
		if start := e["start_date_local"].(string); r.IntN(2) == 0 && e["category"] == "WORKOUT" && start < today {
			a["paired_event_id"], a["start_date_local"] = e["id"], start[:10]+"T09:00:00"
		}
		acts = append(acts, a)
	}
	items := []fake.Object{}
	for i := range 1 + r.IntN(3) {
		items = append(items, fake.Object{"id": 900 + i, "type": "ACTIVITY_FIELD", "name": fmt.Sprintf("field %d", i), "visibility": "PRIVATE",
			"content": map[string]any{"code": fmt.Sprintf("F%d", i), "type": "numeric", "units": "g"}})
	}
	return fake.Dataset{Athletes: []fake.AthleteData{
		{APIKey: athleteKey, Athlete: fake.Object{"id": athlete, "timezone": "UTC"}, Events: events, Activities: acts, CustomItems: items},
		{APIKey: coachKey, Athlete: fake.Object{"id": coachID, "timezone": "UTC"}, CoachOf: []string{athlete}},
	}}
}

func randomDay(r *rand.Rand, from, to int) string {
	return training.AddDays(today, from+r.IntN(to-from+1))
}

func randomClock(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return "T00:00:00"
	}
	return fmt.Sprintf("T%02d:%02d:00", 5+r.IntN(15), 5*r.IntN(12))
}

// thing is one object as the platform holds it.
type thing struct {
	kind, id string
	fields   map[string]any // what people write, null left out
}

func (t thing) name() string {
	if t.kind == "message" {
		return fmt.Sprint(t.fields["content"])
	}
	return fmt.Sprint(t.fields["name"])
}

// picture is all that stands, by kind and id.
type picture map[string]thing

// kept are the keys that are compared.
var kept = map[string][]string{
	"event": {"start_date_local", "end_date_local", "category", "name", "description", "type", "moving_time", "distance", "icu_training_load", "indoor", "color",
		"target", "sub_type", "tags", "for_week", "not_on_fitness_chart", "hide_from_athlete", "athlete_cannot_edit", "structure_read_only"},
	"custom_item": {"type", "name", "description", "visibility", "content"},
	"message":     {"content", "activity"},
	"pairing":     {"event"},
}

// camera reads the platform past all faults, with the coach's key: a coach sees
// everything.
type camera struct {
	client  *intervals.Client
	athlete string
}

func newCamera(base, athlete string, t http.RoundTripper) (camera, error) {
	up, err := intervals.New(intervals.Options{BaseURL: base, Transport: t})
	if err != nil {
		return camera{}, err
	}
	return camera{up.Client(secrets.Credential{APIKey: secrets.New(coachKey)}), athlete}, nil
}

func (c camera) shoot() (picture, error) {
	ctx, p := context.Background(), picture{}
	events, err := c.client.Events(ctx, c.athlete, firstDay, lastDay)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		p.add("event", fmt.Sprint(e.ID()), e.Object)
	}
	items, err := c.client.CustomItems(ctx, c.athlete)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		p.add("custom_item", fmt.Sprint(i.ID()), i.Object)
	}
	acts, err := c.client.Activities(ctx, c.athlete, intervals.ActivityQuery{Oldest: firstDay, Newest: lastDay, Fields: []string{"id", "start_date_local", "paired_event_id"}})
	if err != nil {
		return nil, err
	}
	for _, a := range acts {
		if n, ok := a.Int("paired_event_id"); ok {
			p["pairing/"+a.ID()] = thing{"pairing", a.ID(), map[string]any{"event": fmt.Sprint(n), "day": a.Day()}}
		}
		list, err := c.client.Messages(ctx, a.ID())
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			p["message/"+m.Str("id")] = thing{"message", m.Str("id"), map[string]any{"content": m.Str("content"), "activity": a.ID()}}
		}
	}
	return p, nil
}

func (p picture) add(kind, id string, o intervals.Object) {
	t := thing{kind, id, map[string]any{}}
	for _, key := range kept[kind] {
		if v := plain(o.Value(key)); v != nil {
			t.fields[key] = v
		}
	}
	p[kind+"/"+id] = t
}

// plain is a value as decoded JSON; what means "none" is nil.
func plain(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		return fmt.Sprint(err)
	}
	switch x := out.(type) {
	case string:
		if x == "" || x == "AUTO" || x == "NONE" {
			return nil
		}
	case bool:
		if !x {
			return nil
		}
	case []any:
		if len(x) == 0 {
			return nil
		}
	}
	return out
}

// same compares two values.
func same(a, b any) bool {
	x, errX := json.Marshal(plain(a))
	y, errY := json.Marshal(plain(b))
	return errX == nil && errY == nil && string(x) == string(y)
}

// of lists the things of a kind, by id.
func (p picture) of(kind string) []thing {
	var out []thing
	for _, t := range p {
		if t.kind == kind {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out
}

// named lists the things of a kind and name.
func (p picture) named(kind, name string) []thing {
	return slices.DeleteFunc(p.of(kind), func(t thing) bool { return t.name() != name })
}

// pairedWith lists the activities by which a session was done.
func (p picture) pairedWith(event string) []string {
	var out []string
	for _, t := range p.of("pairing") {
		if t.fields["event"] == event {
			out = append(out, t.id)
		}
	}
	return out
}

// done reports a session that was done: an activity is paired with it, on a day
// on which the engine looks.
func (p picture) done(event thing) bool {
	day := fmt.Sprint(event.fields["start_date_local"])[:10]
	return slices.ContainsFunc(p.pairedWith(event.id), func(id string) bool {
		n := training.DaysBetween(day, fmt.Sprint(p["pairing/"+id].fields["day"]))
		return n >= -1 && n <= 1
	})
}
