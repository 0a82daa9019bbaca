package tools

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
)

var newRide = map[string]any{"name": "New ride", "start_date": "2026-08-03", "moving_time": 3600}

func (w *world) count(t testing.TB, name string) int {
	t.Helper()
	n := 0
	for _, got := range w.calendar(t, "2026-08-01", "2026-08-31") {
		if got == name {
			n++
		}
	}
	return n
}

func TestACreateSurvivesFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		fault, status, outcome, words string
		events                        int
	}{
		"cut after the effect":     {`{"cut":"after"}`, "applied", "applied", "the answer of Intervals.icu was lost, but it is there", 1},
		"cut before the effect":    {`{"cut":"before"}`, "unknown", "unknown", "repeating it unchanged within 10 minutes makes no second one", 0},
		"500":                      {`{"status":500}`, "failed", "failed", "500", 0},
		"502":                      {`{"status":502}`, "unknown", "unknown", "may have been applied", 0},
		"429":                      {`{"status":429,"retry_after":7}`, "failed", "failed", "try again in 7s", 0},
		"422 with a reason":        {`{"status":422,"body":{"status":422,"error":"Name is silly"}}`, "failed", "failed", "Name is silly", 0},
		"401":                      {`{"status":401}`, "failed", "failed", "renew the key", 0},
		"403":                      {`{"status":403}`, "failed", "failed", "403 Forbidden", 0},
		"wrong body, effect there": {`{"body":"<html>"}`, "applied", "applied", "answer of Intervals.icu was lost", 1},
		"a list for an answer":     {`{"body":[]}`, "applied", "applied", "", 1},
		"an empty answer":          {`{"body":{}}`, "applied", "applied", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			for tool, args := range map[string]map[string]any{"add_or_update_event": newRide, "add_or_update_note": {"name": "New ride", "start_date": "2026-08-03"}} {
				w := newSampleWorld(t)
				w.faults(t, `[{"method":"POST","path":"/events$",`+tt.fault[1:]+`]`)
				a, _ := w.status(t, tt.status, tool, args)
				if !strings.Contains(a.Text, tt.words) {
					t.Errorf("%s: %s", tool, a.Text)
				}
				if n := w.count(t, "New ride"); n != tt.events {
					t.Errorf("%s: %d events, want %d", tool, n, tt.events)
				}
				if got := w.outcomes(t); len(got) != 1 || got[0] != tt.outcome {
					t.Errorf("%s: log says %v", tool, got)
				}
				if n := w.requests(t, "POST", "/events"); n != 1 {
					t.Errorf("%s: %d POSTs", tool, n)
				}
				// The same call again, whatever happened, leads to exactly one.
				w.calls(t, 20*time.Second, tool, args)
				if n := w.count(t, "New ride"); n != 1 {
					t.Errorf("%s: %d events after a second call", tool, n)
				}
			}
		})
	}
}

func TestACreateThatCannotBeLookedForIsUnknownAndMakesNoSecondOne(t *testing.T) {
	w := newSampleWorld(t)
	w.faults(t, `[{"method":"POST","path":"/events$","cut":"after"},{"method":"GET","path":"/events","status":200,"body":[]},{"method":"GET","path":"/events","status":500,"times":3}]`)
	w.status(t, "unknown", "add_or_update_event", newRide)
	_, out := w.status(t, "replayed", "add_or_update_event", newRide)
	if n := w.count(t, "New ride"); n != 1 || out["event"] == nil {
		t.Errorf("%d events, %v", n, out)
	}
}

func TestAnUpdateSurvivesFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		faults, status, words string
		puts                  int
		done                  bool
	}{
		"cut after":             {`{"cut":"after"}`, "applied", "the change is there", 1, true},
		"cut before, then fine": {`{"cut":"before"}`, "applied", "", 2, true},
		"cut before, twice":     {`{"cut":"before","times":2}`, "unknown", "The old state stood", 2, false},
		"500 twice":             {`{"status":500,"times":2}`, "failed", "500", 2, false},
		"500 once":              {`{"status":500}`, "applied", "", 2, true},
		"429":                   {`{"status":429}`, "failed", "429", 1, false},
		"wrong body":            {`{"body":"oops"}`, "applied", "the change is there", 1, true},
		"accepted, no effect":   {`{"status":200,"body":{"id":1}}`, "failed", "nothing changed", 1, false},
		"an empty answer":       {`{"status":204}`, "failed", "nothing changed", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSampleWorld(t)
			id := w.made(t, "add_or_update_event", newRide)
			w.faults(t, `[{"method":"PUT","path":"/events/",`+tt.faults[1:]+`]`)
			a, _ := w.status(t, tt.status, "add_or_update_event", map[string]any{"event_id": id, "moving_time": 5400})
			if !strings.Contains(a.Text, tt.words) {
				t.Errorf("text = %s", a.Text)
			}
			want := map[bool]float64{true: 5400, false: 3600}[tt.done]
			if got := w.raw(t, id)["moving_time"]; got != want {
				t.Errorf("moving_time = %v", got)
			}
			if n := w.requests(t, "PUT", "/events/"); n != tt.puts {
				t.Errorf("%d PUTs, want %d", n, tt.puts)
			}
			if got := w.outcomes(t)[0]; got != tt.status {
				t.Errorf("log says %s", got)
			}
		})
	}
}

func TestADeleteSurvivesFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		faults, status string
		gone           bool
	}{
		"fine":                       {`[]`, "applied", true},
		"cut after":                  {`[{"method":"DELETE","path":"/events/","cut":"after"}]`, "applied", true},
		"cut before":                 {`[{"method":"DELETE","path":"/events/","cut":"before"}]`, "applied", true},
		"cut before, twice":          {`[{"method":"DELETE","path":"/events/","cut":"before","times":2}]`, "unknown", false},
		"500 twice":                  {`[{"method":"DELETE","path":"/events/","status":500,"times":2}]`, "failed", false},
		"403":                        {`[{"method":"DELETE","path":"/events/","status":403}]`, "failed", false},
		"429":                        {`[{"method":"DELETE","path":"/events/","status":429}]`, "failed", false},
		"accepted without effect":    {`[{"method":"DELETE","path":"/events/","status":200,"body":{}}]`, "failed", false},
		"gone already":               {`[{"method":"DELETE","path":"/events/","status":404}]`, "failed", false},
		"404 after our own time-out": {`[{"method":"DELETE","path":"/events/","cut":"before"},{"method":"DELETE","path":"/events/","status":404}]`, "applied", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSampleWorld(t)
			id := w.made(t, "add_or_update_event", newRide)
			w.faults(t, tt.faults)
			a, out := w.calls(t, 20*time.Second, "delete_event", map[string]any{"event_id": id})
			if tt.status != "" && out["status"] != tt.status {
				t.Errorf("status %v, want %s: %s", out["status"], tt.status, a.Text)
			}
			w.faults(t, `[]`)
			if gone := w.count(t, "New ride") == 0; gone != tt.gone {
				t.Errorf("gone = %v", gone)
			}
			if tt.status != "" && w.outcomes(t)[0] != tt.status {
				t.Errorf("log says %s", w.outcomes(t)[0])
			}
		})
	}
}

func TestADeleteThatCannotBeLookedForIsUnknown(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", newRide)
	w.faults(t, `[{"method":"DELETE","path":"/events/","cut":"after"},{"method":"GET","path":"/events/","status":200,"body":`+string(mustJSON(w.raw(t, id)))+
		`},{"method":"GET","path":"/events/","status":500,"times":3}]`)
	a, _ := w.status(t, "unknown", "delete_event", map[string]any{"event_id": id})
	if !strings.Contains(a.Text, "Look whether it is still there") {
		t.Errorf("text = %s", a.Text)
	}
}

func TestATimeOutIsFoundOutWithinTheCallsTime(t *testing.T) {
	w := newSampleWorld(t)
	w.faults(t, `[{"method":"POST","path":"/events$","delay_ms":5000}]`)
	start := time.Now()
	a, out := w.calls(t, 1200*time.Millisecond, "add_or_update_event", newRide)
	if out["status"] != "unknown" || time.Since(start) > 4*time.Second {
		t.Errorf("%v after %s: %s", out["status"], time.Since(start), a.Text)
	}
	if got := w.outcomes(t); got[0] != "unknown" {
		t.Errorf("log says %v", got)
	}
}

func TestACallerWhoGoesAwayLeavesAnOutcome(t *testing.T) {
	w := newSampleWorld(t)
	w.faults(t, `[{"method":"POST","path":"/events$","delay_ms":5000}]`)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	w.svc.Call(ctx, find(t, "add_or_update_event"), w.id, mustJSON(newRide))
	if got := w.outcomes(t); len(got) != 1 || got[0] != "unknown" {
		t.Errorf("log says %v", got)
	}
}

// flaky is a log that fails from its nth write on.
type flaky struct {
	audit.Log
	mu    sync.Mutex
	after int
}

func (f *flaky) Append(ctx context.Context, items []audit.Item) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.after--; f.after < 0 {
		return errors.New("the disk is full")
	}
	return f.Log.Append(ctx, items)
}

func TestNothingIsSentUnlessTheIntentIsWritten(t *testing.T) {
	for after := range 2 { // the object's item, then the head
		w := newSampleWorld(t)
		w.svc.Changes = change.New(change.Config{Log: &flaky{Log: w.log, after: after}, Now: func() time.Time { return w.now }})
		a, out := w.status(t, "refused", "add_or_update_event", newRide)
		if !strings.Contains(a.Text, "nothing was sent") || out["change_id"] != nil {
			t.Errorf("text = %s", a.Text)
		}
		if n := w.requests(t, "POST", "/events"); n != 0 {
			t.Errorf("%d POSTs", n)
		}
	}
}

func TestAMissingOutcomeIsSaid(t *testing.T) {
	w := newSampleWorld(t)
	w.svc.Changes = change.New(change.Config{Log: &flaky{Log: w.log, after: 2}, Now: func() time.Time { return w.now }})
	a, _ := w.status(t, "applied", "add_or_update_event", newRide)
	if !strings.Contains(a.Text, "Warning: what came of this change could not be written to the audit log") || w.count(t, "New ride") != 1 {
		t.Errorf("text = %s", a.Text)
	}
	if got := w.outcomes(t); got[0] != "intent" {
		t.Errorf("log says %v", got)
	}
}

func TestARepeatedCreateIsReplayed(t *testing.T) {
	w := newSampleWorld(t)
	for tool, args := range map[string]map[string]any{
		"add_or_update_event":  newRide,
		"add_or_update_note":   {"name": "Note", "start_date": "2026-08-03", "description": "x"},
		"add_activity_message": {"activity_id": "i90000101", "content": "Well done"},
		"create_custom_item":   {"name": "Strain", "item_type": "INPUT_FIELD", "content": map[string]any{"code": "Strain", "type": "numeric"}},
	} {
		_, first := w.status(t, "applied", tool, args)
		a, second := w.status(t, "replayed", tool, args)
		if second["change_id"] != first["change_id"] || !strings.Contains(a.Text, "allow_duplicate") {
			t.Errorf("%s: %s", tool, a.Text)
		}
		again := map[string]any{"allow_duplicate": true}
		for k, v := range args {
			again[k] = v
		}
		_, third := w.status(t, "applied", tool, again)
		if third["change_id"] == first["change_id"] {
			t.Errorf("%s: allow_duplicate made no new change", tool)
		}
	}
	w.now = w.now.Add(11 * time.Minute)
	w.status(t, "applied", "add_or_update_event", newRide)
}

func TestADeletedOrChangedEventIsNoReplay(t *testing.T) {
	w := newSampleWorld(t)
	id := w.made(t, "add_or_update_event", newRide)
	w.status(t, "applied", "delete_event", map[string]any{"event_id": id})
	id = w.made(t, "add_or_update_event", newRide)
	w.status(t, "applied", "add_or_update_event", map[string]any{"event_id": id, "name": "Other ride"})
	w.made(t, "add_or_update_event", newRide)
}

func TestEqualCreatesAtTheSameTimeMakeOne(t *testing.T) {
	w := newSampleWorld(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var got []string
	for range 5 {
		wg.Go(func() {
			_, out := w.calls(t, 20*time.Second, "add_or_update_event", newRide)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, out["status"].(string))
		})
	}
	wg.Wait()
	slices.Sort(got)
	if strings.Join(got, " ") != "applied replayed replayed replayed replayed" || w.count(t, "New ride") != 1 {
		t.Errorf("%v, %d events", got, w.count(t, "New ride"))
	}
}

func TestNoKeyIsEverInTheLog(t *testing.T) {
	w := newSampleWorld(t)
	key := w.fake.Athletes()[0].APIKey
	// A caller who writes the key into a text is refused.
	for tool, args := range map[string]map[string]any{
		"add_or_update_event":  {"name": "Ride", "description": "my key is " + key},
		"add_or_update_note":   {"name": key},
		"add_activity_message": {"activity_id": "i90000101", "content": key},
		"create_custom_item":   {"name": "x", "item_type": "FITNESS_CHART", "content": map[string]any{"a": map[string]any{"b": key}}},
	} {
		w.status(t, "refused", tool, args)
	}
	// One that stands upstream already does not come into the log.
	var made map[string]any
	w.upstream(t, "POST", "/api/v1/athlete/0/events", `{"category":"NOTE","name":"n","description":"`+key+`","start_date_local":"2026-08-03T00:00:00"}`, &made)
	id := int64(made["id"].(float64))
	w.status(t, "applied", "add_or_update_note", map[string]any{"event_id": id, "name": "renamed"})
	w.status(t, "applied", "delete_event", map[string]any{"event_id": id})
	w.faults(t, `[{"method":"POST","path":"/events$","status":422,"body":{"error":"bad key `+key+`"}}]`)
	w.status(t, "failed", "add_or_update_event", newRide)
	if bytes.Contains(w.log.Dump(), []byte(key)) {
		t.Error("the key is in the log")
	}
}

func TestAWriteNeedsAnEngine(t *testing.T) {
	w := newSampleWorld(t)
	w.svc.Changes = nil
	w.fails(t, "add_or_update_event", newRide)
	if n := w.requests(t, http.MethodPost, "/events"); n != 0 {
		t.Errorf("%d POSTs", n)
	}
}
