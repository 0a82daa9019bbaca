package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
	statedynamo "intervals-mcp/internal/state/dynamo"
)

// coach makes a change of the coach's rider over the stack's tables, as the mcp
// function would, some minutes ago. The process ends before the step named.
func (a *account) coach(p change.Planner, ago time.Duration, endsBefore string) {
	a.t.Helper()
	up, err := intervals.New(intervals.Options{BaseURL: a.env["INTERVALS_API_BASE_URL"]})
	if err != nil {
		a.t.Fatal(err)
	}
	now := func() time.Time { return time.Now().Add(-ago) }
	engine := change.New(change.Config{Log: auditdynamo.New(a.dynamo, a.outputs["AuditTableName"]), Now: now,
		State: statedynamo.New(a.dynamo, a.outputs["StateTableName"], a.outputs["AuditTableName"], now), Step: func(next string) {
			if next == endsBefore {
				runtime.Goexit()
			}
		}})
	var r *change.Result
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, err = engine.Do(a.t.Context(), change.Call{Identity: identity.Identity{User: "i7002", Connection: "i7002-a", Client: "Claude", Confirm: identity.ConfirmNever},
			Client: up.Client(secrets.Credential{APIKey: secrets.New(coachKey)}), Athlete: "i7001", Me: "i7002", Tool: "add_or_update_event"}, p)
	}()
	<-done
	if err != nil || (r == nil) != (endsBefore != "") || r != nil && r.Status != change.Applied {
		a.t.Fatalf("%+v, %v", r, err)
	}
}

func session(name string) change.EventEdit {
	today := time.Now().UTC()
	return change.EventEdit{Day: today.AddDate(0, 0, 20).Format(time.DateOnly), Today: today.Format(time.DateOnly), Set: intervals.Patch{
		"category": "WORKOUT", "type": "Ride", "name": name, "moving_time": 3600}}
}

// calendar gives the names of the rider's events.
func (a *account) calendar() string {
	a.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, a.env["INTERVALS_API_BASE_URL"]+"/athlete/i7001/events?oldest=2020-01-01&newest=2100-01-01", nil)
	if err != nil {
		a.t.Fatal(err)
	}
	req.SetBasicAuth("API_KEY", coachKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		a.t.Fatalf("%s %s %v", resp.Status, b, err)
	}
	var list []struct{ Name string }
	if err := json.Unmarshal(b, &list); err != nil {
		a.t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	return strings.Join(names, " ")
}

// changes gives the stack's changes, newest first.
func (a *account) changes() []map[string]any {
	a.t.Helper()
	var v struct{ Changes []map[string]any }
	if err := json.Unmarshal([]byte(a.ok("", "audit", "list", "--json")), &v); err != nil {
		a.t.Fatal(err)
	}
	return v.Changes
}

func TestAChangeOfAStackIsUndoneWithTheUsersStoredKey(t *testing.T) {
	a := newAccount(t)
	a.ok(coachKey, "users", "add", "--athlete", "i7002", "--coach")
	a.coach(session("Threshold"), time.Hour, "")
	id := a.changes()[0]["change_id"].(string)
	if status, out, errs := a.run("", "undo", id); status != 1 || !strings.Contains(errs, "--yes") || !strings.Contains(out, "Threshold") || a.calendar() != "Threshold" {
		t.Errorf("%d %s%s", status, out, errs)
	}
	out := a.ok("", "undo", id, "--yes")
	if a.calendar() != "" || !strings.Contains(out, "intervals-mcp undo --stack "+a.name) {
		t.Errorf("%s\n%s", a.calendar(), out)
	}
	back := a.changes()[0]
	if back["client"] != "operator" || back["user"] != "i7002" || back["athlete"] != "i7001" || back["undoes"].([]any)[0] != id {
		t.Errorf("%v", back)
	}
	if out := a.ok("", "audit", "show", id); !strings.Contains(out, "undone by  "+back["change_id"].(string)) {
		t.Errorf("%s", out)
	}
	left, err := a.dynamo.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(a.outputs["StateTableName"])})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range left.Items {
		sk, _ := item["sk"].(*types.AttributeValueMemberS)
		if sk != nil && strings.HasPrefix(sk.Value, "p#") && item["change"] == nil {
			t.Errorf("a plan waits: %v", item)
		}
	}
}

func TestAnOrphanOfAStackIsResolvedInBothDirections(t *testing.T) {
	a := newAccount(t)
	a.ok(coachKey, "users", "add", "--athlete", "i7002", "--coach")
	a.coach(session("Sent"), 20*time.Minute, "outcome")
	a.coach(session("Unsent"), 10*time.Minute, "apply")
	a.coach(session("Running"), 0, "apply")
	list := a.changes()
	if len(list) != 3 || a.calendar() != "Sent" {
		t.Fatalf("%v; %s", list, a.calendar())
	}
	sent, unsent := list[2]["change_id"].(string), list[1]["change_id"].(string)
	status, out, errs := a.run("", "audit", "orphans", "--resolve")
	if status != 0 || !strings.Contains(errs, "1 change was begun within the last 2 minutes") || strings.Count(out, "its outcome is written") != 2 {
		t.Errorf("%d %s%s", status, out, errs)
	}
	for id, want := range map[string]string{sent: "applied", unsent: "failed"} {
		if out := a.ok("", "audit", "show", id); !strings.Contains(out, "state      "+want+": its process ended") {
			t.Errorf("%s", out)
		}
	}
	a.ok("", "undo", sent, "--yes")
	if a.calendar() != "" {
		t.Errorf("%s", a.calendar())
	}
}

func TestAStackOfAnOlderTemplateSaysWhyNothingCanBeUndone(t *testing.T) {
	a := newAccount(t)
	b, err := os.ReadFile(filepath.Join("testdata", "stack.json"))
	if err != nil {
		t.Fatal(err)
	}
	var template map[string]any
	if err := json.Unmarshal(b, &template); err != nil {
		t.Fatal(err)
	}
	delete(template["Outputs"].(map[string]any), "StateTableName")
	if b, err = json.Marshal(template); err != nil {
		t.Fatal(err)
	}
	a.name += "old"
	a.outputs = a.create(string(b))
	a.ok(coachKey, "users", "add", "--athlete", "i7002", "--coach")
	done := a.log("i7002", 1, true)
	a.fails(1, "has no output StateTableName", "undo", done.Change.String(), "--yes")
	if _, out, _ := a.run("", "doctor"); !strings.Contains(out, "WRONG  state table") {
		t.Errorf("%s", out)
	}
}
