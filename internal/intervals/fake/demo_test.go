package fake

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// demoNow is a Wednesday evening in Europe, Thursday morning in Auckland.
var demoNow = time.Date(2026, 12, 2, 19, 30, 0, 0, time.UTC)

// demoOnce is the whole of it, made once for all tests; demoTook and demoHeld
// (MB) say what that cost.
var (
	demoOnce = sync.OnceValue(func() Dataset {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		set := Demo(demoNow)
		demoTook = time.Since(start)
		runtime.GC()
		runtime.ReadMemStats(&after)
		demoHeld = (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / 1e6
		return set
	})
	demoTook time.Duration
	demoHeld float64
)

func fingerprint(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

func TestDemoTakesLittleTimeAndMemory(t *testing.T) {
	set := demoOnce()
	t.Logf("Demo took %v and holds %.1f MB", demoTook, demoHeld)
	if demoTook > time.Minute || demoHeld > 60 { // with the race detector, on a busy machine
		t.Errorf("Demo took %v and holds %.1f MB", demoTook, demoHeld)
	}
	if set.Today != "" || len(set.Athletes) != 5 {
		t.Errorf("Today = %q, %d athletes", set.Today, len(set.Athletes))
	}
}

// TestDemoIsTheSameEachTime compares the two small athletes wholly, and of the
// others every 20th activity, measured again.
func TestDemoIsTheSameEachTime(t *testing.T) {
	set, again := demoOnce(), demoOf(demoPeople()[3:], demoNow)
	for i, a := range again.Athletes {
		if fingerprint(t, a) != fingerprint(t, set.Athletes[3+i]) {
			t.Errorf("athlete %v differs between two calls", a.Athlete["id"])
		}
	}
	compareActivities(t, demoNow)
	one := set.Athletes[0]
	for _, activity := range one.Activities[len(one.Activities)-8:] {
		id := text(activity, "id")
		s1, i1 := one.Record(id)
		s2, i2 := one.Record(id)
		if fingerprint(t, s1) != fingerprint(t, s2) || fingerprint(t, i1) != fingerprint(t, i2) {
			t.Errorf("Record(%s) differs between two calls", id)
		}
	}
}

func TestTomorrowsDemoHasTheSamePast(t *testing.T) {
	tomorrow := demoNow.AddDate(0, 0, 1)
	compareActivities(t, tomorrow)
	next := demoOf(demoPeople()[3:], tomorrow)
	for i, a := range next.Athletes {
		old := demoOnce().Athletes[3+i].Wellness
		for j, o := range old[:len(old)-1] {
			if fingerprint(t, o) != fingerprint(t, a.Wellness[j]) {
				t.Errorf("wellness of %v differs tomorrow", o["id"])
			}
		}
	}
}

// compareActivities checks that at another time the demo set has the same
// activities; it measures every 20th of them.
func compareActivities(t *testing.T, now time.Time) {
	t.Helper()
	var track demoTrack
	for i, p := range demoPeople() {
		later := map[string]*demoSession{}
		for _, s := range newDemoHistory(p, now).done {
			later[s.activityID()] = s
		}
		for j, o := range demoOnce().Athletes[i].Activities {
			s := later[text(o, "id")]
			if s == nil {
				t.Errorf("%v of %v is gone", o["id"], o["start_date_local"])
			} else if j%20 == 0 && fingerprint(t, o) != fingerprint(t, s.measure(&track).activity) {
				t.Errorf("%v of %v is another activity", o["id"], o["start_date_local"])
			}
		}
	}
}

// TestDemoHoldsForEveryDay looks at the sessions alone, without measuring
// them, for days all over two years and for each hour of the week.
func TestDemoHoldsForEveryDay(t *testing.T) {
	people := demoPeople()
	for d := range 120 {
		now := demoNow.AddDate(0, 0, 6*d-300).Add(time.Duration(d) * 13 * time.Hour)
		for _, p := range people[:3] {
			h := newDemoHistory(p, now)
			c := h.c
			week, strava, unique := 0, 0, map[string]bool{}
			races := map[string]int{}
			events := map[int]bool{}
			for _, s := range h.sessions {
				if s.done {
					if unique[s.activityID()] {
						t.Fatalf("%s: activity %s twice", dayText(c.today), s.activityID())
					}
					unique[s.activityID()] = true
					if s.day > c.today-8 {
						week++
					}
					if s.strava && s.day > c.today-60 {
						strava++
					}
				}
				if s.event > 0 {
					if events[s.event] {
						t.Fatalf("%s: event %d twice", dayText(c.today), s.event)
					}
					events[s.event] = true
				}
				if s.race != nil && s.day > c.today {
					races[s.race.category] = s.day - c.today
				}
			}
			ill := c.period(c.today-2) != nil || c.period(c.today-6) != nil
			if week == 0 && !ill {
				t.Errorf("%s: %s did nothing in a week", dayText(c.today), p.id)
			}
			if strava == 0 {
				t.Errorf("%s: %s has no Strava activity in 60 days", dayText(c.today), p.id)
			}
			if in := races["RACE_A"]; in < 42 || in > 70 {
				t.Errorf("%s: the A race is in %d days", dayText(c.today), in)
			}
			if races["RACE_B"] < 14 || races["RACE_C"] < 1 {
				t.Errorf("%s: races in days %v", dayText(c.today), races)
			}
		}
	}
}

func TestDemoSickDaysAreWithoutTraining(t *testing.T) {
	for _, a := range demoOnce().Athletes {
		trained := map[string]bool{}
		for _, o := range a.Activities {
			trained[text(o, "start_date_local")[:10]] = true
		}
		periods := 0
		for _, e := range a.Events {
			if e["category"] != "SICK" && e["category"] != "INJURED" {
				continue
			}
			periods++
			first, _ := dateDay(text(e, "start_date_local"))
			end, _ := dateDay(text(e, "end_date_local"))
			for d := first; d < end; d++ {
				if trained[d.String()] {
					t.Errorf("%v trained on %s, in %q", a.Athlete["id"], d, e["name"])
				}
			}
		}
		if periods == 0 {
			t.Errorf("%v was never ill", a.Athlete["id"])
		}
	}
}

func TestDemoPairsFitTogether(t *testing.T) {
	for _, a := range demoOnce().Athletes {
		events := map[float64]Object{}
		for _, e := range a.Events {
			id := numberOr0(e, "id")
			if events[id] != nil {
				t.Errorf("event %v twice", id)
			}
			if id > 1<<31-1 {
				t.Errorf("event id %v is no int32", id)
			}
			events[id] = e
		}
		paired := map[float64]bool{}
		for _, o := range a.Activities {
			id, ok := number(o, "paired_event_id")
			if !ok {
				continue
			}
			e := events[id]
			if e == nil {
				t.Errorf("%v names event %v, which is not there", o["id"], id)
				continue
			}
			if paired[id] {
				t.Errorf("event %v is done twice", id)
			}
			paired[id] = true
			if text(o, "start_date_local")[:10] != text(e, "start_date_local")[:10] {
				t.Errorf("%v of %v is paired with an event of %v", o["id"], o["start_date_local"], e["start_date_local"])
			}
			if got, want := sportFamily(text(o, "type")), sportFamily(text(e, "type")); got != want && e["type"] != "Other" {
				t.Errorf("%v is a %s paired with a %s", o["id"], got, want)
			}
		}
		if len(a.Events) > 60 && (len(paired) < 30 || len(paired) == len(events)) {
			t.Errorf("%v: %d events are done of %d", a.Athlete["id"], len(paired), len(events))
		}
	}
}

func TestDemoWorkoutsAreReadable(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range demoOnce().Athletes {
		for _, e := range a.Events {
			description, sport := text(e, "description"), text(e, "type")
			if e["category"] != "WORKOUT" || sport == "WeightTraining" || seen[description] {
				continue
			}
			seen[description] = true
			doc := parseWorkout(description, sport)
			steps, _ := doc["steps"].([]any)
			lines := strings.Count(description, "\n- ") + 1
			if !strings.HasPrefix(description, "-") {
				lines--
			}
			if secs := numberOr0(doc, "duration"); len(steps) == 0 || secs < 900 || secs > 6*3600 {
				t.Errorf("%q: %d steps, %v s:\n%s", e["name"], len(steps), secs, description)
			}
			if got := countSteps(steps); got != lines {
				t.Errorf("%q: %d steps read of %d:\n%s", e["name"], got, lines, description)
			}
		}
	}
	t.Logf("%d workouts", len(seen))
}

func countSteps(steps []any) int {
	n := 0
	for _, s := range steps {
		step, _ := s.(Object)
		if inner, ok := step["steps"].([]any); ok {
			n += countSteps(inner)
			continue
		}
		n++
	}
	return n
}
