package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// assistant makes a change by the one road, as serve would for a user who let
// it go on without asking.
func (d *desk) assistant(user, key string, p change.Planner) *change.Result {
	d.t.Helper()
	file := embedded.New(d.dir)
	defer file.Close() //nolint:errcheck // a test
	up, err := intervals.New(intervals.Options{BaseURL: d.env["INTERVALS_API_BASE_URL"]})
	if err != nil {
		d.t.Fatal(err)
	}
	me := map[string]string{riderKey: "i7001", coachKey: "i7002"}[key]
	engine := change.New(change.Config{Log: file.Audit(), State: file.State(time.Now)})
	r, err := engine.Do(d.t.Context(), change.Call{Identity: identity.Identity{User: user, Connection: "c-1", Client: "Claude", Confirm: identity.ConfirmNever},
		Client: up.Client(secrets.Credential{APIKey: secrets.New(key)}), Athlete: "i7001", Me: me, Tool: "add_or_update_event"}, p)
	if err != nil || r.Status != change.Applied {
		d.t.Fatalf("%+v, %v", r, err)
	}
	return r
}

// planned is a session a few weeks ahead.
func planned(name string) change.EventEdit {
	today := time.Now().UTC()
	return change.EventEdit{Day: today.AddDate(0, 0, 20).Format(time.DateOnly), Today: today.Format(time.DateOnly), Set: intervals.Patch{
		"category": "WORKOUT", "type": "Ride", "name": name, "moving_time": 3600, "description": "- 10m 60%\n- 50m 75%"}}
}

// renamed changes the name of a session that was made, and its text.
func renamed(r *change.Result, name string) change.EventEdit {
	id, _ := intervals.Event{Object: r.State}.Int("id")
	return change.EventEdit{ID: id, Today: time.Now().UTC().Format(time.DateOnly), Set: intervals.Patch{"name": name, "description": "- 10m 60%\n- 40m 85%"}}
}

// platform asks the fake Intervals.icu itself, as the website or a device does.
func (d *desk) platform(method, path string, body any) (status int, answer string) {
	d.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, d.env["INTERVALS_API_BASE_URL"]+path, bytes.NewReader(b))
	if err != nil {
		d.t.Fatal(err)
	}
	req.SetBasicAuth("API_KEY", riderKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	answerBytes, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, string(answerBytes)
}

// event gives an event of the rider, "" when it is gone.
func (d *desk) event(id string) string {
	d.t.Helper()
	status, answer := d.platform(http.MethodGet, "/athlete/i7001/events/"+id, nil)
	if status == http.StatusNotFound {
		return ""
	}
	return answer
}

// waiting counts the plans that a user's confirmation would still make.
func (d *desk) waiting(user string) int {
	d.t.Helper()
	file := embedded.New(d.dir)
	defer file.Close() //nolint:errcheck // a test
	list, err := file.State(time.Now).Waiting(d.t.Context(), user)
	if err != nil {
		d.t.Fatal(err)
	}
	return len(list)
}

func TestAnUndoIsAChangeOfTheOperatorsInTheUsersLog(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	made := d.assistant("i7001", riderKey, planned("Threshold"))
	id := made.State.Str("id")
	edit := d.assistant("i7001", riderKey, renamed(made, "Long"))

	out := d.ok("", "undo", edit.ChangeID, "--yes")
	back := between(out, "Undone, as change ", ".")
	if got := d.event(id); !strings.Contains(got, "Threshold") || !strings.Contains(got, "50m 75%") || strings.Contains(got, "Long") {
		t.Errorf("%s\nafter the undo: %s", out, got)
	}
	shown := d.ok("", "audit", "show", edit.ChangeID)
	for _, want := range []string{"undone by  " + back, "client     Claude (c-1)", `~ name        "Threshold" -> "Long"`, "- - 50m 75%", "+ - 40m 85%"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the change lacks %q:\n%s", want, shown)
		}
	}
	shown = d.ok("", "audit", "show", back)
	for _, want := range []string{"undoes     " + edit.ChangeID, "user       i7001", "client     operator (operator)", "tool       undo_change", `~ name        "Long" -> "Threshold"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the undo lacks %q:\n%s", want, shown)
		}
	}
	if v := d.object("", "audit", "show", edit.ChangeID); v["undone_by"] != back {
		t.Errorf("%v", v["undone_by"])
	}

	d.ok("", "undo", back, "--user", "i7001", "--yes") // the undo of the undo
	if got := d.event(id); !strings.Contains(got, "Long") {
		t.Errorf("after the undo of the undo: %s", got)
	}
	v := d.object("", "undo", made.ChangeID, edit.ChangeID, "--yes")
	if v["status"] != "applied" || v["confirmation"] != nil || d.event(id) != "" {
		t.Errorf("%v; %s", v, d.event(id))
	}
	d.fails(1, "undone already", "", "undo", made.ChangeID, "--yes")
	if n := d.waiting("i7001"); n != 0 {
		t.Errorf("%d plans wait", n)
	}
}

// between gives what stands between two texts.
func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

func TestADeletedEventComesBackWithItsLink(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	made := d.assistant("i7001", riderKey, planned("Threshold"))
	old, _ := intervals.Event{Object: made.State}.Int("id")
	gone := d.assistant("i7001", riderKey, change.EventDelete{ID: old, Today: time.Now().UTC().Format(time.DateOnly)})
	back := between(d.ok("", "undo", gone.ChangeID, "--yes"), "Undone, as change ", ".")
	shown := d.ok("", "audit", "show", back)
	if !strings.Contains(shown, "link       "+made.State.Str("id")+", which was deleted, is now ") || !strings.Contains(shown, "stands for: "+made.State.Str("id")) {
		t.Errorf("%s", shown)
	}
	if shown := d.ok("", "audit", "show", gone.ChangeID); !strings.Contains(shown, `- name         "Threshold"`) || !strings.Contains(shown, "- time         1 h\n") {
		t.Errorf("%s", shown)
	}
}

func TestWhereNobodyCanBeAskedAnUndoIsShownAndNotMade(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	made := d.assistant("i7001", riderKey, planned("Threshold"))
	status, out, errs := d.run("y\n", "undo", made.ChangeID)
	if status != 1 || !strings.Contains(errs, "nothing was done") || !strings.Contains(errs, "--yes") || !strings.Contains(out, "delete event") || !strings.Contains(out, "Threshold") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	status, out, _ = d.run("", "undo", made.ChangeID, "--json")
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || status != 1 || v["status"] != "preview" || v["confirmation"] != nil {
		t.Errorf("%d %s %v", status, out, err)
	}
	if d.event(made.State.Str("id")) == "" || d.waiting("i7001") != 0 {
		t.Error("it was done, or could still be")
	}
}

func TestALongTextIsShownWholeBeforeItIsUndone(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	long := strings.Repeat("- 10m 60%\n", 100)
	p := planned("Threshold")
	p.Set["description"] = long + "- 5m 40%"
	edit := renamed(d.assistant("i7001", riderKey, p), "Long")
	edit.Set["description"] = long + "- 7m 45%"
	_, out, _ := d.run("", "undo", d.assistant("i7001", riderKey, edit).ChangeID)
	if !strings.Contains(out, "- - 7m 45%\n") || !strings.Contains(out, "+ - 5m 40%\n") || strings.Contains(out, "characters)") {
		t.Errorf("%s", out)
	}
}

func TestWhatChangedSinceIsUndoneByAPersonOnly(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	made := d.assistant("i7001", riderKey, planned("Threshold"))
	edit := d.assistant("i7001", riderKey, renamed(made, "Long"))
	path := "/athlete/i7001/events/" + made.State.Str("id")
	if status, answer := d.platform(http.MethodPut, path, map[string]any{"name": "Mine"}); status != 200 {
		t.Fatal(answer)
	}
	status, out, errs := d.run("", "undo", edit.ChangeID, "--yes")
	if status != 1 || !strings.Contains(errs, "run it on a terminal") || !strings.Contains(out, `"Mine" -> "Threshold"`) || !strings.Contains(out, "changed since") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	if got := d.event(made.State.Str("id")); !strings.Contains(got, "Mine") || d.waiting("i7001") != 0 {
		t.Errorf("%s", got)
	}
	if status, answer := d.platform(http.MethodDelete, path, nil); status != 200 {
		t.Fatal(answer)
	}
	status, _, errs = d.run("", "undo", edit.ChangeID, "--yes")
	if status != 1 || !strings.Contains(errs, "no longer exists") {
		t.Errorf("%d %s", status, errs)
	}
}

func TestThisMachinesUserIsUndoneWithTheKeyOfTheEnvironment(t *testing.T) {
	d := newDesk(t)
	made := d.assistant(identity.Local, riderKey, planned("Threshold"))
	d.fails(1, "API_KEY is not set", "", "undo", made.ChangeID, "--yes")
	d.env["API_KEY"] = "wr0ng-key"
	d.fails(1, "API_KEY: this key is refused", "", "undo", made.ChangeID, "--yes")
	d.env["API_KEY"] = riderKey
	d.ok("", "undo", made.ChangeID, "--yes")
	if d.event(made.State.Str("id")) != "" {
		t.Error("it is still there")
	}
}

func TestAnUndoNeedsTheKeyThatReachesTheAthlete(t *testing.T) {
	d := newDesk(t)
	coachs := d.assistant("i7002", coachKey, planned("Coach's"))
	d.fails(1, "`intervals-mcp users add --data", "", "undo", coachs.ChangeID, "--yes")
	d.ok(coachKey, "users", "add", "--athlete", "i7002", "--coach")
	riders := d.assistant("i7001", riderKey, planned("Rider's"))
	d.fails(2, "undo them apart", "", "undo", coachs.ChangeID, riders.ChangeID, "--yes")
	if out := d.ok("", "undo", coachs.ChangeID, "--yes"); d.event(coachs.State.Str("id")) != "" {
		t.Errorf("%s", out)
	}
	other := d.changed("local", 5, "applied", `{"name":"x"}`, `{"name":"y"}`) // of an athlete "local"
	d.env["API_KEY"] = riderKey
	d.fails(1, "does not reach athlete local", "", "undo", other.Change.String(), "--yes")
	d.fails(1, "there is no change", "", "undo", other.Change.String(), "--user", "i7001")
}
