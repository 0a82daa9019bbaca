package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
)

func TestOrphansAreThoseOfWhichNobodyKnows(t *testing.T) {
	d := newDesk(t)
	done, lost := d.changed("i7001", 30, audit.Applied, `{}`, `{}`), d.changed("i7001", 20, "", `{}`, `{"name":"x"}`)
	unknown, young := d.changed("i7002", 10, audit.Unknown, `{}`, `{}`), d.changed("i7002", 0, "", `{}`, `{}`)
	_, out, errs := d.run("", "audit", "orphans")
	for id, want := range map[string]bool{done.Change.String(): false, lost.Change.String(): true, unknown.Change.String(): true, young.Change.String(): false} {
		if strings.Contains(out, id) != want {
			t.Errorf("%s listed: %v\n%s", id, !want, out)
		}
	}
	if !strings.Contains(out, "could not be read: the key of user i7001 cannot be had") || !strings.Contains(errs, "1 change was begun within the last 2 minutes") {
		t.Errorf("%s%s", out, errs)
	}
	status, _, errs := d.run("", "audit", "orphans", "--resolve")
	if status != 1 || !strings.Contains(errs, "1 change stays without an outcome") {
		t.Errorf("%d %s", status, errs)
	}
	v := d.object("", "audit", "orphans")
	if list, _ := v["changes"].([]any); len(list) != 2 || v["still_running"] != 1.0 || list[0].(map[string]any)["not_read"] == "" {
		t.Errorf("%v", v)
	}
	if out := d.ok("", "audit", "show", lost.Change.String()); !strings.Contains(out, "unfinished; this was meant:\n   + name \"x\"") {
		t.Errorf("%s", out)
	}
}

// deadly stands before the fake Intervals.icu and kills a program in the moment
// in which it writes: before the write is done, or after.
type deadly struct {
	*httptest.Server
	mu     sync.Mutex
	victim *os.Process // nil = it only passes on
	after  bool
}

func newDeadly(t *testing.T, upstream string) *deadly {
	t.Helper()
	to, err := url.Parse(strings.TrimSuffix(upstream, "/api/v1"))
	if err != nil {
		t.Fatal(err)
	}
	pass, p := httputil.NewSingleHostReverseProxy(to), &deadly{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		victim, after := p.victim, p.after
		p.mu.Unlock()
		if victim == nil || r.Method == http.MethodGet {
			pass.ServeHTTP(w, r)
			return
		}
		if after {
			pass.ServeHTTP(httptest.NewRecorder(), r)
		} else if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		_ = victim.Kill()
		<-r.Context().Done() // nobody is answered any more
	}))
	t.Cleanup(p.Close)
	return p
}

// A process is killed (SIGKILL) while its request is on the way. Whether the
// request was carried out is found by reading, and written to the log.
func TestWhatAKilledProcessLeftOpenIsResolvedByReading(t *testing.T) {
	for name, after := range map[string]bool{"before the effect": false, "after the effect": true} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			p := newDeadly(t, d.env["INTERVALS_API_BASE_URL"])
			r := launch(t, environ(t, "API_KEY="+riderKey, "LOG_LEVEL=warn", "INTERVALS_API_BASE_URL="+p.URL+"/api/v1"), "serve", "--addr", "127.0.0.1:0",
				"--confirm", "never", "--data", d.dir, "--now", time.Now().UTC().Add(-10*time.Minute).Format(time.RFC3339))
			p.mu.Lock()
			p.victim, p.after = r.Process, after
			p.mu.Unlock()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.text("url"), strings.NewReader(toolCall("add_or_update_event",
				`{"name":"Threshold","workout_type":"Ride","start_date":"+20d","moving_time":3600}`)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+r.text("token"))
			req.Header.Set("Content-Type", "application/json")
			if resp, err := http.DefaultClient.Do(req); err == nil {
				b, _ := io.ReadAll(resp.Body)
				t.Fatalf("it was answered: %s", b)
			}
			<-r.waited

			if out := d.ok("", "audit", "orphans"); !strings.Contains(out, "could not be read: API_KEY is not set") {
				t.Errorf("%s", out)
			}
			d.env["API_KEY"] = riderKey
			out := d.ok("", "audit", "orphans")
			id, _, _ := strings.Cut(out, " ")
			wantNow, wantState := "not done: the event is not there", "failed"
			if after {
				wantNow, wantState = "done: event", "applied"
			}
			for _, want := range []string{"user local, athlete i7001, client serve", "Threshold", "only that it was begun", wantNow, "--resolve writes this"} {
				if !strings.Contains(out, want) {
					t.Errorf("lacks %q:\n%s", want, out)
				}
			}
			if shown := d.ok("", "audit", "show", id); !strings.Contains(shown, "state      unfinished\n") {
				t.Errorf("looking wrote something:\n%s", shown)
			}
			if out := d.ok("", "audit", "orphans", "--resolve"); !strings.Contains(out, "its outcome is written: "+wantState) {
				t.Errorf("%s", out)
			}
			if out := d.ok("", "audit", "orphans"); !strings.Contains(out, "has an outcome") {
				t.Errorf("%s", out)
			}
			v := d.object("", "audit", "show", id)
			if v["state"] != wantState || !strings.Contains(v["reason"].(string), "found by reading") {
				t.Errorf("%v", v)
			}
			target := v["objects"].([]any)[0].(map[string]any)["target"]
			if !after {
				if target != nil {
					t.Errorf("a change that was not made has the target %v", target)
				}
				d.fails(1, "nothing to undo", "", "undo", id, "--yes")
				return
			}
			d.ok("", "undo", id, "--yes")
			if got := d.event(target.(string)); got != "" {
				t.Errorf("after the undo: %s", got)
			}
		})
	}
}

// What Intervals.icu left open when it was asked is told with what stands now;
// the log keeps what was known then, and what stands can be taken back.
func TestAnUnknownOutcomeIsToldWithWhatStandsAndStays(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	made := d.assistant("i7001", riderKey, planned("Threshold")).State
	id, state := made.Str("id"), func(name string) string {
		return `{"start_date_local":"` + made.Str("start_date_local") + `","end_date_local":"` + made.Str("end_date_local") + `","category":"WORKOUT","name":"` + name + `"}`
	}
	unknown := d.changedObject("i7001", 5, audit.Unknown, id, state("Easy"), state("Threshold")).Change.String()
	for range 2 {
		out := d.ok("", "audit", "orphans", "--resolve")
		for _, want := range []string{unknown, "did not say what came of it", "done: event " + id + " is as it was meant to become", "the log keeps \"unknown\"", "intervals-mcp undo --data"} {
			if !strings.Contains(out, want) {
				t.Errorf("lacks %q:\n%s", want, out)
			}
		}
	}
	d.ok("", "undo", unknown, "--yes")
	if got := d.event(id); !strings.Contains(got, `"Easy"`) {
		t.Errorf("%s", got)
	}
	if out := d.ok("", "audit", "orphans"); !strings.Contains(out, "not done: event "+id+" is as it was before") {
		t.Errorf("%s", out)
	}
}
