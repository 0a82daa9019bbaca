package blackbox

import (
	"crypto/rand"
	"net/url"
	"path"
	"strings"
	"testing"
)

// settings tries each kind of write with each setting (safety.md 2).
func settings(t *testing.T, r *rig) {
	const on = "2099-06-10"
	activities, _ := r.send(t, sent{body: call("get_activities", `{"limit":1}`)}).at("result", "structuredContent", "activities").([]any)
	if len(activities) == 0 {
		t.Fatal("the athlete has no activity")
	}
	activity, _ := activities[0].(map[string]any)["id"].(string)
	for _, s := range []struct {
		name, token      string
		harmless, breaks string // what comes of a write that destroys nothing, and of one that does
	}{
		{"all", r.Token, "preview", "preview"},
		{"destructive", r.Destructive, "applied", "preview"},
		{"never", r.Never, "applied", "applied"},
	} {
		t.Run(s.name, func(t *testing.T) {
			tag := strings.ToLower(rand.Text()[:6]) // equal writes of some minutes are answered "replayed"
			event := r.change(t, r.Never, "add_or_update_event", `{"name":"blackbox `+tag+`","workout_type":"Ride","start_date":"`+on+`"}`).object(t)
			for _, w := range []struct{ what, tool, arguments, want string }{
				{"a new note", "add_or_update_note", note(tag+" new", on), s.harmless},
				{"a value where none was", "add_or_update_event", `{"event_id":"` + event + `","moving_time":3600}`, s.harmless},
				{"a comment others read", "add_activity_message", `{"activity_id":"` + activity + `","content":"blackbox ` + tag + `"}`, s.breaks},
				{"a value in another's place", "add_or_update_event", `{"event_id":"` + event + `","name":"blackbox ` + tag + ` renamed"}`, s.breaks},
				{"another sport and time", "add_or_update_event", `{"event_id":"` + event + `","workout_type":"Run","start_time":"07:00"}`, s.breaks},
				{"several at once", "delete_events_by_date_range", `{"start_date":"` + on + `","end_date":"` + on + `","categories":["WORKOUT","NOTE"]}`, s.breaks},
			} {
				if got := r.write(t, s.token, w.tool, w.arguments); got.Status != w.want {
					t.Errorf("%s is %s (%s), want %s", w.what, got.Status, got.Reason, w.want)
				}
			}
			r.write(t, r.Never, "delete_events_by_date_range", `{"start_date":"`+on+`","end_date":"`+on+`","categories":["WORKOUT","NOTE"]}`).is(t, "applied")
			if strings.Contains(r.day(t, "", on), "blackbox") {
				t.Error("the day is not empty again")
			}
		})
	}
}

// onlyThePerson: an assistant sees the plan and where it is approved, and has
// no means to approve it.
func onlyThePerson(t *testing.T, r *rig) {
	const on = "2099-06-11"
	p := r.preview(t, r.Person, "add_or_update_note", note("personal", on))
	if p.Confirmation != "" || strings.Contains(p.text, "confirmation:") {
		t.Errorf("there is a confirmation: %s", p.text)
	}
	if r.SignIn {
		u, err := url.Parse(p.ApproveURL)
		if err != nil || u.Host == "" || !strings.HasPrefix(u.Path, "/account/changes/") { // the host is the deployment's own name, by which we may not have come
			t.Fatalf("approve_url is %q", p.ApproveURL)
		}
		for _, handle := range append([]string{path.Base(u.Path), u.Fragment}, u.Query()["plan"]...) {
			if handle != "" {
				r.confirm(t, r.Person, handle, p.Summary).is(t, "refused")
			}
		}
	}
	if strings.Contains(r.day(t, "", on), "blackbox personal") {
		t.Error("written without the person")
	}
}

func coached(t *testing.T, r *rig) {
	const on = "2099-06-12"
	may := `"athlete_id":"` + r.Coach.May + `"`
	made := r.change(t, r.Coach.Token, "add_or_update_event", `{"name":"blackbox coach","workout_type":"Run","start_date":"`+on+`",`+may+`}`)
	row := r.listed(t, r.Coach.Own, made.ChangeID)
	if row["status"] != "applied" || row["athlete_id"] != r.Coach.May || row["by"] == nil || row["summary"] != made.Summary || row["undoable"] == "yes" {
		t.Errorf("the athlete sees %v", row)
	}
	if row["client"] != nil || row["connection"] != nil {
		t.Errorf("the athlete sees the coach's connection: %v", row)
	}
	got := r.write(t, r.Coach.Own, "undo_change", `{"change_id":"`+made.ChangeID+`"}`).is(t, "refused")
	if !strings.Contains(got.Reason, "another user") {
		t.Errorf("the athlete is told: %s", got.Reason)
	}
	p := r.preview(t, r.Coach.Own, "delete_event", `{"event_id":"`+made.object(t)+`"}`)
	if !strings.Contains(strings.Join(p.Warnings, " "), "not by you") {
		t.Errorf("nobody tells the athlete that it is the coach's: %v", p.Warnings)
	}
	if r.Other != "" && r.listed(t, r.Other, made.ChangeID) != nil {
		t.Error("somebody else sees it")
	}
	back := r.change(t, r.Coach.Token, "undo_change", `{"change_id":"`+made.ChangeID+`"}`)
	if strings.Contains(r.day(t, r.Coach.Own, on), "blackbox coach") {
		t.Error("undone, and still there")
	}
	if row := r.listed(t, r.Coach.Own, made.ChangeID); row["undone_by"] != back.ChangeID {
		t.Errorf("the athlete sees %v, want it undone by %s", row, back.ChangeID)
	}
}
