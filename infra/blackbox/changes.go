package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// result is what matters of a write's one shape (safety.md).
type result struct {
	Status       string `json:"status"`
	ChangeID     string `json:"change_id"`
	Summary      string `json:"summary"`
	Reason       string `json:"reason"`
	Confirmation string `json:"confirmation"`
	ApproveURL   string `json:"approve_url"`
	Expires      string `json:"expires_at"`
	Outcome      string `json:"outcome"`
	Objects      []struct {
		Kind, ID, Action, Status, Undoable string
		Fields                             []struct {
			Field    string
			Old, New any
		}
	} `json:"objects"`
	Warnings []string `json:"warnings"`

	text string // what a person reads
}

// object is the id of the one object.
func (c result) object(t *testing.T) string {
	t.Helper()
	if len(c.Objects) != 1 || c.Objects[0].ID == "" {
		t.Fatalf("not one object with an id: %+v", c)
	}
	return c.Objects[0].ID
}

// write calls a tool that writes.
func (r *rig) write(t *testing.T, token, tool, arguments string) result {
	t.Helper()
	return written(t, r.send(t, sent{token: token, body: call(tool, arguments)}))
}

func written(t *testing.T, got reply) (c result) {
	t.Helper()
	got.want(t, 200)
	b, _ := json.Marshal(got.at("result", "structuredContent"))
	if err := json.Unmarshal(b, &c); err != nil || c.Status == "" {
		t.Fatalf("no result of a write (%v): %.500s", err, got.body)
	}
	failed := c.Status == "refused" || c.Status == "failed" || c.Status == "unknown"
	if got.failedCall() != failed {
		t.Errorf("%s, and isError is %v", c.Status, got.failedCall())
	}
	content, _ := got.at("result", "content").([]any)
	for _, v := range content {
		one, _ := v.(map[string]any)
		c.text += fmt.Sprint(one["text"])
	}
	return c
}

// is fails the test unless that is what came of it.
func (c result) is(t *testing.T, status string) result {
	t.Helper()
	if c.Status != status {
		t.Fatalf("%s (%s; %v), want %s: %s", c.Status, c.Reason, c.Warnings, status, c.Summary)
	}
	return c
}

// preview calls a tool that must show first what it would do.
func (r *rig) preview(t *testing.T, token, tool, arguments string) result {
	t.Helper()
	c := r.write(t, token, tool, arguments).is(t, "preview")
	if c.Summary == "" || len([]rune(c.Summary)) > 160 || c.ChangeID != "" || c.Expires == "" || len(c.Objects) == 0 {
		t.Errorf("the preview is %+v", c)
	}
	return c
}

func (r *rig) confirm(t *testing.T, token, confirmation, summary string) result {
	t.Helper()
	arguments, _ := json.Marshal(map[string]string{"confirmation": confirmation, "summary": summary})
	return r.write(t, token, "confirm_change", string(arguments))
}

// change makes a change, and confirms it where the connection asks for that.
func (r *rig) change(t *testing.T, token, tool, arguments string) result {
	t.Helper()
	c := r.write(t, token, tool, arguments)
	if c.Status == "preview" {
		c = r.confirm(t, token, c.Confirmation, c.Summary)
	}
	return c.is(t, "applied")
}

// day is the text of a day's events.
func (r *rig) day(t *testing.T, token, day string) string {
	t.Helper()
	got := r.send(t, sent{token: token, body: call("get_events", `{"start_date":"`+day+`","end_date":"`+day+`"}`)})
	if got.want(t, 200); got.failedCall() {
		t.Fatalf("the day cannot be read: %.300s", got.body)
	}
	return got.body
}

// listed gives the row of a change in the list, nil when it is not there.
func (r *rig) listed(t *testing.T, token, change string) map[string]any {
	t.Helper()
	got := r.send(t, sent{token: token, body: call("list_changes", `{"limit":100}`)})
	if got.want(t, 200); got.failedCall() {
		t.Fatalf("changes are not listed: %.300s", got.body)
	}
	rows, _ := got.at("result", "structuredContent", "changes").([]any)
	for _, v := range rows {
		if row, _ := v.(map[string]any); row["change_id"] == change {
			return row
		}
	}
	return nil
}

// note is the arguments of a note that nobody else writes.
func note(name, day string) string {
	return `{"name":"blackbox ` + name + `","description":"written by the black-box suite","start_date":"` + day + `"}`
}

func previewed(t *testing.T, r *rig) {
	const on = "2099-06-01"
	p := r.preview(t, "", "add_or_update_note", note("shown", on))
	if p.Confirmation == "" || !strings.Contains(p.text, p.Confirmation) || !strings.Contains(p.text, p.Summary) {
		t.Errorf("a person cannot read how to confirm: %+v", p)
	}
	if strings.Contains(r.day(t, "", on), "blackbox shown") {
		t.Fatal("a preview has written")
	}
	made := r.confirm(t, "", p.Confirmation, "  "+strings.ToUpper(p.Summary)+" . ").is(t, "applied")
	if got := r.day(t, "", on); strings.Count(got, `"name":"blackbox shown"`) != 1 {
		t.Errorf("not there once: %.500s", got)
	}
	again := r.confirm(t, "", p.Confirmation, p.Summary).is(t, "replayed")
	if again.ChangeID != made.ChangeID || again.Outcome != "applied" {
		t.Errorf("used again it answers change %s, %s; it was %s", again.ChangeID, again.Outcome, made.ChangeID)
	}
	if got := r.day(t, "", on); strings.Count(got, `"name":"blackbox shown"`) != 1 {
		t.Errorf("doubled: %.500s", got)
	}
	if row := r.listed(t, "", made.ChangeID); row["status"] != "applied" || row["summary"] != p.Summary || row["undoable"] != "yes" {
		t.Errorf("listed as %v", row)
	}
	back := r.change(t, "", "undo_change", `{"change_id":"`+made.ChangeID+`"}`)
	if strings.Contains(r.day(t, "", on), "blackbox shown") {
		t.Error("undone, and still there")
	}
	if row := r.listed(t, "", made.ChangeID); row["undone_by"] != back.ChangeID {
		t.Errorf("listed as %v, want it undone by %s", row, back.ChangeID)
	}
	r.write(t, "", "undo_change", `{"change_id":"`+made.ChangeID+`"}`).is(t, "refused")
}

func wrongSummary(t *testing.T, r *rig) {
	const on = "2099-06-02"
	p := r.preview(t, "", "add_or_update_note", note("misread", on))
	if got := r.send(t, sent{body: call("confirm_change", `{"confirmation":"`+p.Confirmation+`"}`)}); !got.failedCall() {
		t.Errorf("it is confirmed without a summary: %.300s", got.body)
	}
	for _, wrong := range []string{"yes", p.Summary + " and more", strings.Replace(p.Summary, "2099", "2098", 1), strings.ReplaceAll(p.Summary, "misread", ""), "Delete it"} {
		if got := r.confirm(t, "", p.Confirmation, wrong).is(t, "refused"); strings.Contains(r.day(t, "", on), "blackbox misread") {
			t.Fatalf("%q has written: %+v", wrong, got)
		}
	}
	r.confirm(t, "", p.Confirmation, p.Summary).is(t, "refused")
	if strings.Contains(r.day(t, "", on), "blackbox misread") {
		t.Error("a dropped plan is made")
	}
}

func atOnce(t *testing.T, r *rig) {
	const on = "2099-06-03"
	p := r.preview(t, "", "add_or_update_note", note("at once", on))
	var all sync.WaitGroup
	results := make([]result, 4)
	arguments, _ := json.Marshal(map[string]string{"confirmation": p.Confirmation, "summary": p.Summary})
	for i := range results {
		all.Go(func() { results[i] = written(t, r.send(t, sent{body: call("confirm_change", string(arguments))})) })
	}
	all.Wait()
	count := map[string]int{}
	changes := map[string]bool{}
	for _, c := range results {
		count[c.Status]++
		changes[c.ChangeID] = true
	}
	if count["applied"] != 1 || count["replayed"] != len(results)-1 || len(changes) != 1 {
		t.Errorf("%v, changes %v", count, changes)
	}
	if got := r.day(t, "", on); strings.Count(got, `"name":"blackbox at once"`) != 1 {
		t.Errorf("not there once: %.500s", got)
	}
	for id := range changes {
		r.change(t, "", "undo_change", `{"change_id":"`+id+`"}`)
	}
}

// unskipped is about what a client may say of itself: none of it is a consent.
func unskipped(t *testing.T, r *rig) {
	const on = "2099-06-04"
	headers := forgeries()
	headers["Confirm"], headers["X-Confirm"] = []string{"never"}, []string{"never"}
	written(t, r.send(t, sent{body: call("add_or_update_note", note("forged", on)), header: headers})).is(t, "preview")
	for _, extra := range []string{`"confirm":true`, `"confirm":"never"`, `"confirmed":true`, `"confirmation":"` + strings.Repeat("a", 26) + `"`, `"dry_run":false`} {
		got := r.send(t, sent{body: call("add_or_update_note", `{"name":"blackbox forged","description":"x","start_date":"`+on+`",`+extra+`}`)})
		if strings.Contains(got.body, `"applied"`) {
			t.Errorf("%s skips the preview: %.300s", extra, got.body)
		}
	}
	state := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_or_update_note","arguments":` + note("forged", on) +
		`,"requestState":"x","inputResponses":{"confirm":{"action":"accept","content":{}}}}}`
	for _, version := range []string{"", "2025-11-25"} { // nobody is asked that way there, so nobody has answered
		header := http.Header{}
		if version != "" {
			header["Mcp-Protocol-Version"] = []string{version}
		}
		if got := r.send(t, sent{body: state, header: header}); strings.Contains(got.body, `"applied"`) {
			t.Errorf("%q: an answer that nobody was asked for counts: %.300s", version, got.body)
		}
	}
	if strings.Contains(r.day(t, "", on), "blackbox forged") {
		t.Error("written without a confirmation")
	}
}

func foreignConfirmation(t *testing.T, r *rig) {
	const on = "2099-06-05"
	p := r.preview(t, "", "add_or_update_note", note("own", on))
	for name, token := range map[string]string{"another user": r.Other, "another connection of the user": r.Core} {
		got := r.confirm(t, token, p.Confirmation, p.Summary).is(t, "refused")
		if strings.Contains(got.text, "blackbox own") {
			t.Errorf("%s reads what it is about: %s", name, got.text)
		}
	}
	if r.Reader != "" {
		r.send(t, sent{token: r.Reader, body: call("confirm_change", `{"confirmation":"`+p.Confirmation+`","summary":"x"}`)}).want(t, 403)
	}
	if strings.Contains(r.day(t, "", on), "blackbox own") {
		t.Fatal("a stranger has confirmed it")
	}
	made := r.confirm(t, "", p.Confirmation, p.Summary).is(t, "applied") // none of that has used it up
	for _, token := range []string{r.Other, r.Core} {
		r.confirm(t, token, p.Confirmation, p.Summary).is(t, "refused") // nor tells the stranger what came of it
	}
	r.change(t, "", "undo_change", `{"change_id":"`+made.ChangeID+`"}`)
}

func foreignUndo(t *testing.T, r *rig) {
	const on = "2099-06-06"
	made := r.change(t, "", "add_or_update_note", note("mine", on))
	if row := r.listed(t, r.Other, made.ChangeID); row != nil {
		t.Errorf("another user lists %v", row)
	}
	if got := r.write(t, r.Other, "undo_change", `{"change_id":"`+made.ChangeID+`"}`).is(t, "refused"); strings.Contains(got.text, "blackbox mine") {
		t.Errorf("another user reads what it was: %s", got.text)
	}
	if !strings.Contains(r.day(t, "", on), "blackbox mine") {
		t.Error("another user has undone it")
	}
	if row := r.listed(t, r.Core, made.ChangeID); row["status"] != "applied" || row["connection"] == "" {
		t.Errorf("the user's other connection lists %v", row)
	}
	r.change(t, r.Core, "undo_change", `{"change_id":"`+made.ChangeID+`"}`) // and may take it back
	if strings.Contains(r.day(t, "", on), "blackbox mine") {
		t.Error("undone, and still there")
	}
}
