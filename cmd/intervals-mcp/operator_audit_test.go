package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/audit/audittest"
	"intervals-mcp/internal/embedded"
)

// changed writes a change to the folder's log, ago minutes ago: its intent, and
// its outcome unless status is "".
func (d *desk) changed(user string, ago int, status audit.Status, before, after string) audit.Item {
	d.t.Helper()
	return d.changedObject(user, ago, status, "7", before, after)
}

func (d *desk) changedObject(user string, ago int, status audit.Status, target, before, after string) audit.Item {
	d.t.Helper()
	file := embedded.New(d.dir)
	defer file.Close() //nolint:errcheck // a test
	at := time.Now().UTC().Add(-time.Duration(ago) * time.Minute)
	h := audittest.Head(user, ago)
	h.Change, h.Time, h.Expires = audit.NewID(at, h.Change.Request), at, at.Add(audit.DefaultRetention)
	h.Athlete, h.Summary = user, "=HYPERLINK() of "+user+"\x1b[2J"
	object := h
	object.Kind, object.Action, object.Target, object.Undoable = "event", "update", target, "yes"
	object.Before, object.After = json.RawMessage(before), json.RawMessage(after)
	err := audit.WriteIntent(d.t.Context(), file.Audit(), h, []audit.Item{object})
	if err == nil && status != "" {
		h.Status, object.Status, object.Before = status, status, nil
		if status == audit.Failed {
			h.Reason, object.Reason, object.After = "refused upstream", "refused upstream", nil
		}
		err = audit.WriteOutcome(d.t.Context(), file.Audit(), h, []audit.Item{object})
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return h
}

func TestTheLogIsListedNewestFirstPageByPage(t *testing.T) {
	d := newDesk(t)
	var ids []string
	for ago := range 5 {
		ids = append(ids, d.changed("i7001", 10+ago, audit.Applied, `{}`, `{}`).Change.String())
	}
	other := d.changed("i7002", 3, audit.Failed, `{}`, `{}`)
	var got []string
	args := []string{"audit", "list", "--user", "i7001", "--limit", "2"}
	for page := 0; ; page++ {
		v := d.object("", args...)
		for _, c := range v["changes"].([]any) {
			got = append(got, c.(map[string]any)["change_id"].(string))
		}
		next, _ := v["next"].(string)
		if next == "" || page > 5 {
			break
		}
		args = append(args[:6:6], "--before", next)
	}
	if strings.Join(got, " ") != strings.Join(ids, " ") {
		t.Errorf("got  %v\nwant %v", got, ids)
	}
	out := d.ok("", "audit", "list")
	if lines := strings.Split(out, "\n"); len(lines) != 8 || !strings.Contains(lines[1], other.Change.String()) || !strings.Contains(lines[1], "failed") {
		t.Errorf("%s", out)
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("foreign text moves the cursor: %q", out)
	}
	for _, filter := range [][]string{{"--athlete", "i7002"}, {"--athlete", "i7002", "--user", "i7002"}, {"--day", other.Day(), "--user", "i7002"}} {
		if out := d.ok("", append([]string{"audit", "list"}, filter...)...); strings.Count(out, "\n") != 2 || !strings.Contains(out, other.Change.String()) {
			t.Errorf("%v: %s", filter, out)
		}
	}
	if out := d.ok("", "audit", "list", "--day", "2020-01-01"); !strings.Contains(out, "There are no changes") {
		t.Errorf("%s", out)
	}
}

func TestAChangeIsShownAsADifference(t *testing.T) {
	d := newDesk(t)
	applied := d.changed("i7001", 5, audit.Applied, `{"name":"Easy","icu_training_load":40,"tags":["a"],"description":"- 10m Z2\n- 20m Z3\n","same":1,"hidden":true,
		"moving_time":3600,"distance":800,"indoor":false,"start_date_local":"2026-07-14T00:00:00"}`,
		`{"name":"Long","icu_training_load":80,"tags":["a","b"],"description":"- 10m Z2\n- 40m Z3\n","same":1,"type":"Ride",
		"moving_time":4530,"distance":21097.5,"indoor":true,"start_date_local":"2026-07-15T06:30:00"}`)
	want := `
1. update event 7: applied
   ~ date        Tue 14 Jul 2026 -> Wed 15 Jul 2026 06:30
   + type        Ride
   ~ name        "Easy" -> "Long"
   ~ description
         - 10m Z2
       - - 20m Z3
       + - 40m Z3
   ~ time        1 h -> 1 h 15 min 30 s
   ~ distance    800 m -> 21.1 km
   ~ load        40 -> 80
   ~ indoor      no -> yes
   ~ tags        a -> a, b
   - hidden      true
   undoable: yes
`
	if out := d.ok("", "audit", "show", applied.Change.String()); !strings.HasSuffix(out, want) || !strings.Contains(out, "state      applied\n") || !strings.Contains(out, `arguments  {"event_id":"1"}`) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	failed := d.changed("i7001", 4, audit.Failed, `{"name":"Easy","load":40}`, `{"name":"Long"}`)
	if out := d.ok("", "audit", "show", failed.Change.String(), "--user", "I7001"); !strings.Contains(out, "failed (refused upstream); this was meant:\n   ~ name \"Easy\" -> \"Long\"\n") || strings.Contains(out, "load") {
		t.Errorf("%s", out)
	}
	v := d.object("", "audit", "show", applied.Change.String())
	objects, _ := v["objects"].([]any)
	if v["state"] != "applied" || len(objects) != 1 || len(objects[0].(map[string]any)["fields"].([]any)) != 10 {
		t.Errorf("%v", v)
	}
	d.fails(1, "there is no change", "", "audit", "show", audit.NewID(time.Now(), "none").String())
}

func TestTheWholeLogIsExported(t *testing.T) {
	d := newDesk(t)
	for ago := range 40 {
		d.changed("i7001", ago*1440, audit.Applied, `{"name":"Easy"}`, `{"name":"Long"}`)
	}
	var phases []string
	out := d.ok("", "audit", "export", "--format", "jsonl")
	for line := range strings.Lines(out) {
		var item audit.Item
		if err := json.Unmarshal([]byte(line), &item); err != nil || item.User != "i7001" {
			t.Fatalf("%q: %v", line, err)
		}
		phases = append(phases, string(item.Phase))
	}
	if len(phases) != 160 || strings.Join(phases[:4], " ") != "intent intent outcome outcome" {
		t.Errorf("%d items, %v", len(phases), phases[:4])
	}
	file := filepath.Join(t.TempDir(), "log.csv")
	if out := d.ok("", "audit", "export", "--format", "csv", "--output", file, "--user", "i7001"); out != "" {
		t.Errorf("%s", out)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 161 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, name := range rows[0] {
		if name == "summary" && !strings.HasPrefix(rows[1][i], "'=HYPERLINK") {
			t.Errorf("a spreadsheet would run %q", rows[1][i])
		}
	}
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	d.fails(2, "--output", "", "audit", "export", "--format", "csv", "--output", filepath.Join(file, "x"))
}

func TestPurgingAsksAndTakesOneUsersEntries(t *testing.T) {
	d := newDesk(t)
	d.changed("i7001", 5, audit.Applied, `{}`, `{}`)
	d.changed("i7002", 5, audit.Applied, `{}`, `{}`)
	if status, _, errs := d.run("", "audit", "purge", "--user", "i7001"); status != 2 || !strings.Contains(errs, "4 entries of user i7001") {
		t.Errorf("%d: %s", status, errs)
	}
	if out := d.ok("", "audit", "purge", "--user", "i7001", "--yes"); out != "4 entries of user i7001 deleted.\n" {
		t.Errorf("%q", out)
	}
	if out := d.ok("", "audit", "list"); strings.Contains(out, "i7001") || !strings.Contains(out, "i7002") {
		t.Errorf("%s", out)
	}
	if out := d.ok("", "audit", "purge", "--user", "i7001"); !strings.Contains(out, "holds nothing") {
		t.Errorf("%q", out)
	}
}
