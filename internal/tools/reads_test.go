package tools

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/training"
)

// control calls a control route of the fake.
func (w *world) control(t testing.TB, method, route string, body any) []byte {
	t.Helper()
	r, err := http.NewRequest(method, "http://127.0.0.1/_fake/"+route, bytes.NewReader(mustJSON(body)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.fake.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", route, resp.StatusCode, answer, err)
	}
	return answer
}

// fault makes requests to a path fail until the fault is used up.
func (w *world) fault(t testing.TB, fault map[string]any) {
	t.Helper()
	w.control(t, "POST", "faults", []any{fault})
}

// paths lists the paths that were asked of the fake.
func (w *world) paths(t testing.TB) []string {
	t.Helper()
	var seen []struct{ Path string }
	if err := json.Unmarshal(w.control(t, "GET", "requests", nil), &seen); err != nil {
		t.Fatal(err)
	}
	paths := make([]string, len(seen))
	for i, s := range seen {
		paths[i] = s.Path
	}
	return paths
}

// gate lets requests pass only when as many as expected wait together, so that
// calls made one after the other are found out.
type gate struct {
	next http.RoundTripper
	want int
	mu   sync.Mutex
	open chan struct{}
	n    int
	late bool
}

func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	g.mu.Lock()
	if g.n++; g.n == g.want {
		close(g.open)
	}
	g.mu.Unlock()
	select {
	case <-g.open:
	case <-time.After(3 * time.Second):
		g.mu.Lock()
		g.late = true
		g.mu.Unlock()
	}
	return g.next.RoundTrip(r)
}

func TestReadsNeedOneRoundOfCallsWithColdCaches(t *testing.T) {
	for _, c := range []struct {
		tool  string
		args  map[string]any
		calls int
	}{
		{"get_wellness_data", nil, 2},
		{"get_events", nil, 3},
		{"get_event_by_id", map[string]any{"event_id": 60000001}, 2},
		{"get_athlete_power_curves", map[string]any{"start_date": "-42d", "end_date": "today"}, 2},
		{"get_gear_list", nil, 2},
		{"get_custom_items", nil, 2},
		{"get_custom_item_by_id", map[string]any{"item_id": 7001}, 2},
	} {
		w := newWorld(t, sampleData(t), sampleNow)
		g := &gate{next: w.fake.Transport(), want: c.calls, open: make(chan struct{})}
		w.svc = newTestService(t, g, w.fake.Athletes()[0].APIKey, func() time.Time { return w.now })
		w.ok(t, c.tool, c.args)
		if g.late || g.n != c.calls {
			t.Errorf("%s made %d calls, not all %d at once", c.tool, g.n, c.calls)
		}
	}
}

// The [B] marks of compat-tools.md section 0, on the tools that read.

func TestBAPIKeyArgumentIsIgnoredAndNeverEchoed(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	for _, tool := range []string{"get_wellness_data", "get_events", "get_athlete_power_curves", "get_gear_list", "get_custom_items"} {
		a := w.call(t, tool, map[string]any{"api_key": "hunter2hunter2"})
		if a.IsError || strings.Contains(a.Text+string(a.Structured), "hunter2") || !strings.Contains(a.Text, "api_key was ignored") {
			t.Errorf("%s: %v %s", tool, a.IsError, a.Text)
		}
	}
}

func TestBIDsCannotReachOtherEndpoints(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	w.control(t, "DELETE", "requests", nil)
	for _, id := range []string{"../athletes", "i12345/gear", "a%2Fb", "1?x=1", "..", "60000001#"} {
		w.fails(t, "get_event_by_id", map[string]any{"event_id": id}, "event_id must be an id")
		w.fails(t, "get_wellness_data", map[string]any{"athlete_id": id}, "athlete_id must be an id")
		w.fails(t, "get_custom_item_by_id", map[string]any{"item_id": id}, "item_id must be a whole number")
	}
	w.fails(t, "get_event_by_id", map[string]any{"event_id": "i5"}, "must be the number of an event")
	if got := w.paths(t); len(got) > 0 {
		t.Errorf("requests were made: %v", got)
	}
}

func TestBUnreadableErrorBodyKeepsItsStatus(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	w.fault(t, map[string]any{"path": "/events", "status": 502, "body": "<html>Bad gateway</html>", "times": -1})
	w.fails(t, "get_events", nil, "Error fetching events: ", "502", "Try again")
}

func TestBRefusalKeepsTheReasonOfIntervals(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	w.fault(t, map[string]any{"path": "/power-curves", "status": 422, "body": map[string]any{"status": 422, "error": "Invalid curve: [s0]"}})
	w.fails(t, "get_athlete_power_curves", nil, "Error fetching power curves: ", "422", `"Invalid curve: [s0]"`, "Change the arguments")
}

func TestBErrorsAreMarkedAsErrors(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	w.fault(t, map[string]any{"path": "/wellness", "status": 401})
	a := w.fails(t, "get_wellness_data", nil, "Error fetching wellness data: 401 Unauthorized", "https://mcp.example/account")
	if a.Structured != nil || a.Kind != "unauthorized" {
		t.Errorf("kind %q, structured %s", a.Kind, a.Structured)
	}
}

func TestBDefaultDaysAreTheAthletesOwn(t *testing.T) {
	for zone, today := range map[string]string{"Pacific/Auckland": "2026-07-16", "America/Los_Angeles": "2026-07-15", "Europe/London": "2026-07-15"} {
		d := sampleData(t)
		d.Athletes[0].Athlete["timezone"] = zone
		w := newWorld(t, d, sampleNow)
		for range 2 { // with a cold cache and with a warm one
			_, wellness := w.ok(t, "get_wellness_data", nil)
			_, events := w.ok(t, "get_events", nil)
			if wellness["end_date"] != today || wellness["start_date"] != training.AddDays(today, -30) {
				t.Errorf("%s: wellness %v to %v", zone, wellness["start_date"], wellness["end_date"])
			}
			if events["start_date"] != today || events["end_date"] != training.AddDays(today, 30) {
				t.Errorf("%s: events %v to %v", zone, events["start_date"], events["end_date"])
			}
			rows := records(wellness, "wellness")
			if last := rows[len(rows)-1]; last["id"].(string) > today || last["projection"] != nil {
				t.Errorf("%s: the last day is %v", zone, last)
			}
			for _, e := range records(events, "events") {
				if e["end_date"].(string) < today {
					t.Errorf("%s: %v is over", zone, e)
				}
			}
		}
	}
}

// At 03:30Z it is still yesterday in Los Angeles.
func TestYesterdayEveningInLosAngelesIsToday(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].Athlete["timezone"] = "America/Los_Angeles"
	w := newWorld(t, d, "2026-07-15T03:30:00Z")
	_, out := w.ok(t, "get_events", map[string]any{"start_date": "today", "end_date": "today"})
	if out["start_date"] != "2026-07-14" || len(records(out, "events")) != 2 { // the ride and the week's target
		t.Errorf("events = %v", out)
	}
	_, out = w.ok(t, "get_events", map[string]any{"start_date": "today", "end_date": "today", "today": "2026-07-15"})
	if out["start_date"] != "2026-07-15" {
		t.Errorf("a traveller's today = %v", out["start_date"])
	}
	w.fails(t, "get_events", map[string]any{"today": "2026-07-17"}, "more than a day from the athlete's date, 2026-07-14 in America/Los_Angeles")
}

func TestReversedRangesAreRefused(t *testing.T) {
	for _, tool := range []string{"get_wellness_data", "get_events"} {
		w := newWorld(t, sampleData(t), sampleNow)
		w.fails(t, tool, map[string]any{"start_date": "2026-07-10", "end_date": "2026-07-01"}, "start_date 2026-07-10 is after end_date 2026-07-01")
		w.fails(t, tool, map[string]any{"start_date": "today", "end_date": "yesterday"}, "is after end_date")
		w.fails(t, tool, map[string]any{"start_date": "2026-02-30", "end_dat": "x"}, `"2026-02-30" is no date`, "did you mean end_date?")
	}
}

func TestForeignAthletesAreRefused(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	for _, tool := range []string{"get_wellness_data", "get_events", "get_athlete_power_curves", "get_custom_items"} {
		w.fails(t, tool, map[string]any{"athlete_id": "i999"}, "i999 is not within reach of this connection")
		w.ok(t, tool, map[string]any{"athlete_id": "12345"})
	}
}

// records gives the rows of a structured list.
func records(out map[string]any, key string) []map[string]any {
	list, _ := out[key].([]any)
	rows := make([]map[string]any, len(list))
	for i, v := range list {
		rows[i], _ = v.(map[string]any)
	}
	return rows
}

// says checks that a text holds all of these.
func says(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("the text lacks %q:\n%s", word, text)
		}
	}
}

// keepsQuiet checks that a text holds none of these.
func keepsQuiet(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(text, word) {
			t.Errorf("the text has %q:\n%s", word, text)
		}
	}
}
