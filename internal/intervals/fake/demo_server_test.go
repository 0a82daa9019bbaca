package fake

import (
	"testing"
	"time"
)

func TestTheDemoIsServedAndWhatItPlansIsProjected(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	w := worldOf(t, Demo(now), Options{Now: func() time.Time { return now }})
	for _, a := range w.server.Athletes() {
		w := w.as(a.ID)
		list := w.get("athlete/0/activities?oldest=2026-10-01").list()
		for _, act := range list {
			if act["source"] == "STRAVA" && len(act) != 5 {
				t.Fatalf("%s: stub %v", a.ID, act)
			}
		}
		days := w.get("athlete/0/wellness?oldest=2026-11-01&newest=2026-12-31").list()
		if len(list) > 0 && (len(days) < 55 || numberOr0(days[0], "ctl") < 5) {
			t.Errorf("%s: %d days, ctl %v", a.ID, len(days), days[0]["ctl"])
		}
		w.get("athlete/0/athlete-summary")
		w.get("athlete/0/folders")
	}
	newest := w.get("athlete/0/activities?oldest=2026-10-01&limit=1").list()[0]
	id := text(newest, "id")
	for _, part := range []string{"", "/intervals", "/streams", "/messages"} {
		w.get("activity/" + id + part)
	}
	first := w.get("activity/" + id + "/streams").body
	for range mostRecords + 1 { // push it out of the cache: it is made again, the same
		for _, act := range w.get("athlete/0/activities?oldest=2026-10-01&limit=8").list()[1:] {
			if act["source"] != "STRAVA" {
				w.get("activity/" + text(act, "id") + "/streams?types=time")
			}
		}
	}
	if w.get("activity/"+id+"/streams").body != first {
		t.Error("a recording that was made again differs")
	}
}
