package blackbox

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// platform is the fake Intervals.icu as its website shows it to the demo
// athlete: what a test compares with, beside our own server.
type platform struct{ url, key string }

func (p platform) get(t *testing.T, path string) (list []object) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(p.url, "/api/v1")+"/api/v1/athlete/0/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("API_KEY", p.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(resp.Body)
	if err != nil || json.Unmarshal(b, &list) != nil {
		t.Fatalf("%s: %v: %.200s", path, err, b)
	}
	return list
}

func (p platform) events(t *testing.T) []object {
	t.Helper()
	return p.get(t, "events?oldest=2000-01-01&newest=2100-12-31")
}

// calendar is what an undo has to bring back, without what is new of things
// that were made again: one line of JSON for each event and custom item, and
// for each activity the event with which it is paired.
type calendar struct {
	things  []string          // sorted
	sports  []string          // of what is no session: the platform has no value that clears one
	pairing map[string]string // activity id -> its event's line
}

// isNew are the keys that differ between a thing and what was made again in
// its place, and what the platform works out anew from the others.
var isNew = []string{"id", "uid", "created_by_id", "updated", "icu_intensity"}

func (p platform) calendar(t *testing.T) calendar {
	t.Helper()
	c := calendar{pairing: map[string]string{}}
	byID := map[string]string{}
	for kind, list := range map[string][]object{"event": p.events(t), "item": p.get(t, "custom-item")} {
		for _, o := range list {
			kept := maps.Clone(o)
			maps.DeleteFunc(kept, func(k string, v any) bool {
				return v == nil || slices.Contains(isNew, k) || k == "target" && v == "AUTO" || k == "indoor" && v == false // these are what none means
			})
			sport := kept["type"]
			if kind == "event" && !of("WORKOUT", "RACE_A", "RACE_B", "RACE_C", "TARGET")(o) {
				delete(kept, "type")
			}
			b, err := json.Marshal(kept)
			if err != nil {
				t.Fatal(err)
			}
			line := kind + " " + fmt.Sprint(o["start_date_local"]) + " " + string(b)
			c.things, c.sports = append(c.things, line), append(c.sports, fmt.Sprintf("%s of the sport %v", line, sport))
			if kind == "event" {
				byID[idOf(o)] = line
			}
		}
	}
	slices.Sort(c.things)
	slices.Sort(c.sports)
	for _, a := range p.get(t, "activities?oldest=2000-01-01&newest=2100-12-31") {
		if n, ok := a["paired_event_id"].(float64); ok {
			c.pairing[fmt.Sprint(a["id"])] = byID[fmt.Sprintf("%.0f", n)]
		}
	}
	return c
}

func idOf(o object) string {
	n, _ := o["id"].(float64)
	return fmt.Sprintf("%.0f", n)
}

// differences lists what one calendar has and the other has not.
func differences(was, is []string) (out []string) {
	count := map[string]int{}
	for _, line := range was {
		count[line]++
	}
	for _, line := range is {
		count[line]--
	}
	for _, line := range slices.Sorted(maps.Keys(count)) {
		if n := count[line]; n > 0 {
			out = append(out, "gone: "+line)
		} else if n < 0 {
			out = append(out, "new:  "+line)
		}
	}
	return out
}

// unpaired lists the activities that are not paired as they were.
func (c calendar) unpaired(now calendar) (ids []string) {
	for id := range c.pairing {
		if now.pairing[id] != c.pairing[id] {
			ids = append(ids, id)
		}
	}
	for id := range now.pairing {
		if _, ok := c.pairing[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
