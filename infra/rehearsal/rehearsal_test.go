package rehearsal

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"intervals-mcp/infra/blackbox"
	"intervals-mcp/internal/audit"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
)

// rie is AWS's Runtime Interface Emulator.
var rie = os.Getenv("REHEARSAL_RIE")

// TestMain leaves the rehearsal out where its tools are not named: it is no test
// for every `go test ./...`.
func TestMain(m *testing.M) {
	if rie == "" {
		fmt.Println("the rehearsal wants `sam build`, moto and the Runtime Interface Emulator; it is run by `make rehearsal`")
		if err := flag.Set("test.skip", "^TestRehears"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestRehearsal deploys the stack with its defaults and lets people use it.
func TestRehearsal(t *testing.T) {
	w := deploy(t, "rehearsal", "AllowedAthletes=i100003", "IntervalsClientId=42")
	target := w.settle(t)
	keyWasReplaced, replaced := w.replacedKey(t), time.Now()

	t.Run("the black-box suite holds", func(t *testing.T) { blackbox.Suite(t, target) })
	t.Run("it holds too where the gateway renames WWW-Authenticate", func(t *testing.T) {
		w.gateway.RemapChallenge = true
		defer func() { w.gateway.RemapChallenge = false }()
		renamed := target
		renamed.Remapped = true
		blackbox.Suite(t, renamed)
	})
	t.Run("without the audit table writes are refused and reads go on", func(t *testing.T) { w.withoutAudit(t, target) })
	t.Run("without the state table what wants a confirmation is refused, and a confirmation holds until it is back", func(t *testing.T) { w.withoutState(t, target) })
	t.Run("an athlete signs in, connects a client, approves, undoes, forgets and deletes", func(t *testing.T) { w.signsIn(t) })
	t.Run("the official clients connect with their own OAuth code", func(t *testing.T) { w.officialClients(t) })
	time.Sleep(time.Until(replaced.Add(11 * time.Second))) // already over, as a rule
	t.Run("a replaced key is used", keyWasReplaced)
	t.Run("what a user changed is in the audit table, by user, athlete and day", func(t *testing.T) { w.audited(t) })
	t.Run("no right was missing", func(t *testing.T) {
		for _, d := range w.guard.Denied() {
			t.Error(d)
		}
	})
	t.Run("no right is unused", func(t *testing.T) {
		for id, role := range w.roles {
			for _, r := range role.Unused("logs", "xray") { // Lambda itself uses these
				t.Errorf("%s never used %s", id, r)
			}
		}
	})
	t.Run("no function can do anything else", func(t *testing.T) { w.denials(t) })
	t.Run("neither token nor hash nor key is in any log", func(t *testing.T) { w.quiet(t, target) })
}

// TestRehearsalWithEveryOption creates the stack with every option on.
func TestRehearsalWithEveryOption(t *testing.T) {
	w := deploy(t, "options", "Architecture=x86_64", "AlarmEmail=ops@example.com", "RetainData=false", "AuditRetentionDays=30", "LogRetentionDays=7",
		"PublicUrl=https://mcp.example.com", "SecretPrefix=club/keys", "AuthorizerTtl=60", "StrictGateway=true", "ReservedConcurrency=5", "LogLevel=WARN",
		"AllowedOrigins=https://app.example.com")
	target := w.settle(t)
	t.Run("its outputs name what was chosen", func(t *testing.T) {
		if w.Outputs["SecretPrefix"] != "club/keys" || w.Outputs["McpUrl"] != "https://mcp.example.com/mcp" || w.Outputs["AuditRetentionDays"] != "30" {
			t.Errorf("%v", w.Outputs)
		}
	})
	t.Run("a good token is let in", func(t *testing.T) {
		if status, body := w.post(t, target.Token, call("get_activities", `{}`)); status != 200 || strings.Contains(body, "isError") {
			t.Errorf("%d %.300s", status, body)
		}
	})
	t.Run("a strict gateway itself refuses a bad token, with 403", func(t *testing.T) {
		if status, body := w.post(t, "imcp_pat_x", call("get_activities", `{}`)); status != 403 || body != `{"message":"Forbidden"}` {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("a strict gateway answers 500 without the identity table", func(t *testing.T) {
		defer w.guard.Break(w.Outputs["IdentityTableName"])()
		if status, body := w.post(t, target.Token, call("get_activities", `{}`)); status != 500 {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("an allowed origin may ask", func(t *testing.T) {
		for origin, want := range map[string]bool{"https://app.example.com": true, "https://mcp.example.com": true, "https://evil.example": false} {
			if status, body := w.postFrom(t, origin, target.Token, call("get_activities", `{}`)); (status == 200) != want {
				t.Errorf("%s: %d %.200s", origin, status, body)
			}
		}
	})
	t.Run("its topic and dashboard are there", func(t *testing.T) { // moto makes no alarms
		if w.Resources["AlarmTopic"] == "" || w.Resources["Dashboard"] == "" {
			t.Errorf("%v", w.Resources)
		}
	})
}

// TestRehearsedPermissionsNameTheirSource: nobody else's API may invoke the functions.
func TestRehearsedPermissionsNameTheirSource(t *testing.T) {
	b, err := os.ReadFile(translated(t))
	if err != nil {
		t.Fatal(err)
	}
	var tpl struct {
		Resources map[string]struct {
			Type       string
			Properties map[string]any
		}
	}
	if err := json.Unmarshal(b, &tpl); err != nil {
		t.Fatal(err)
	}
	// SAM gives the function one permission for all routes, as $default is among them.
	found := map[string]bool{}
	for id, r := range tpl.Resources {
		if r.Type != "AWS::Lambda::Permission" {
			continue
		}
		source, _ := json.Marshal(r.Properties["SourceArn"])
		if !strings.Contains(string(source), `{"Ref":"Api"}`) || r.Properties["Principal"] != "apigateway.amazonaws.com" {
			t.Errorf("%s: %v", id, r.Properties)
		}
		name, _ := json.Marshal(r.Properties["FunctionName"])
		for _, f := range []string{"AuthorizerFunction", "McpFunction", "OauthFunction"} {
			found[f] = found[f] || strings.Contains(string(name), f)
		}
	}
	if !found["AuthorizerFunction"] || !found["McpFunction"] || !found["OauthFunction"] {
		t.Errorf("permissions for %v", found)
	}
}

// settle enrols people and describes the stack to the black-box suite.
func (w *world) settle(t *testing.T) blackbox.Target {
	t.Helper()
	target := blackbox.Target{URL: w.url, Writes: true, SignIn: true}
	people := w.fake.Athletes()
	me := people[0]
	w.enrol(t, me, false)
	write, read := []identity.Scope{identity.ScopeWrite}, []identity.Scope{identity.ScopeRead}
	target.Token, _ = w.token(t, w.identity, identity.Request{User: me.ID, Scopes: write, Toolset: identity.ToolsetFull})
	for setting, token := range map[identity.Confirm]*string{identity.ConfirmDestructive: &target.Destructive, identity.ConfirmNever: &target.Never, identity.ConfirmPerson: &target.Person} {
		*token, _ = w.token(t, w.identity, identity.Request{User: me.ID, Scopes: write, Toolset: identity.ToolsetFull, Confirm: setting})
	}
	target.Core, _ = w.token(t, w.identity, identity.Request{User: me.ID, Scopes: write})
	target.Reader, _ = w.token(t, w.identity, identity.Request{User: me.ID, Scopes: read, Toolset: identity.ToolsetFull})
	target.Expired, _ = w.token(t, w.expired, identity.Request{User: me.ID, Scopes: write})
	for _, a := range people[1:] {
		switch {
		case len(a.CoachOf) >= 2 && target.Coach.Token == "":
			w.enrol(t, a, true)
			target.Coach.May, target.Coach.MayNot = a.CoachOf[0], a.CoachOf[1]
			if target.Coach.May == me.ID {
				target.Coach.Own = target.Token
			}
			target.Coach.Token, _ = w.token(t, w.identity, identity.Request{User: a.ID, Scopes: write, Toolset: identity.ToolsetFull, Athletes: a.CoachOf[:1]})
		case len(a.CoachOf) == 0 && target.Other == "":
			w.enrol(t, a, false)
			target.Other, _ = w.token(t, w.identity, identity.Request{User: a.ID, Scopes: write, Toolset: identity.ToolsetFull})
		}
	}
	target.Create = func(t *testing.T) (token, id string) {
		return w.token(t, w.identity, identity.Request{User: me.ID, Scopes: read})
	}
	target.Revoke = func(t *testing.T, id string) {
		if err := w.identity.RevokeToken(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	var mend func()
	target.Break = func(*testing.T) { mend = w.guard.Break(w.Outputs["IdentityTableName"]) }
	target.Mend = func(*testing.T) { mend() }
	return target
}

func (w *world) withoutAudit(t *testing.T, target blackbox.Target) {
	_, shown := w.post(t, target.Token, call("add_or_update_note", `{"name":"later","description":"later"}`))
	defer func() {
		if _, done := w.post(t, target.Token, confirming(t, shown)); !strings.Contains(done, `"applied"`) {
			t.Errorf("the confirmation was used up: %.300s", done)
		}
	}()
	defer w.guard.Break(w.Outputs["AuditTableName"])()
	token := target.Never
	_, read := w.post(t, token, call("get_activities", `{}`))
	if strings.Contains(read, `"isError":true`) {
		t.Errorf("a read fails: %.300s", read)
	}
	before := w.writes(t)
	_, write := w.post(t, token, call("add_or_update_note", `{"name":"never","description":"never"}`))
	_, confirmed := w.post(t, target.Token, confirming(t, shown))
	for _, got := range []string{write, confirmed} {
		if !strings.Contains(got, `"isError":true`) || strings.Contains(got, `"applied"`) || w.writes(t) != before {
			t.Errorf("a write is not refused: %.300s", got)
		}
	}
	if !strings.Contains(w.logs.String(), `"AuditFailures":1`) {
		t.Error("no alarm would ring")
	}
}

// writes counts what reached the fake and was no reading.
func (w *world) writes(t *testing.T) (n int) {
	t.Helper()
	rec := httptest.NewRecorder()
	w.fake.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/_fake/requests", nil))
	var seen []struct{ Method string }
	if err := json.Unmarshal(rec.Body.Bytes(), &seen); err != nil {
		t.Fatal(err)
	}
	for _, r := range seen {
		if r.Method != http.MethodGet {
			n++
		}
	}
	return n
}

// replacedKey enrols somebody with a key that is not good, and gives what to do
// once it was replaced: for ten seconds the function does not ask again.
func (w *world) replacedKey(t *testing.T) (later func(*testing.T)) {
	people := w.fake.Athletes()
	a := people[len(people)-1]
	good := a.APIKey
	a.APIKey = "a-key-that-was-revoked"
	w.enrol(t, a, false)
	token, _ := w.token(t, w.identity, identity.Request{User: a.ID, Scopes: []identity.Scope{identity.ScopeRead}})
	if _, body := w.post(t, token, call("get_activities", `{}`)); !strings.Contains(body, `"isError":true`) {
		t.Errorf("a wrong key is good: %.300s", body)
	}
	a.APIKey = good
	w.enrol(t, a, false)
	return func(t *testing.T) {
		if _, body := w.post(t, token, call("get_activities", `{}`)); strings.Contains(body, `"isError":true`) {
			t.Errorf("the new key is not used: %.300s", body)
		}
	}
}

func (w *world) audited(t *testing.T) {
	log := auditdynamo.New(awstest.Env(t).NewDynamoDB(), w.Outputs["AuditTableName"])
	me := w.fake.Athletes()[0].ID
	heads, err := log.Heads(t.Context(), audit.Query{User: me})
	if err != nil || len(heads) < 2 {
		t.Fatalf("%d heads, %v", len(heads), err)
	}
	for _, q := range []audit.Query{{Athlete: me}, {Day: heads[0].Day()}} {
		if got, err := log.Heads(t.Context(), q); err != nil || len(got) < 2 {
			t.Errorf("%+v: %d heads, %v", q, len(got), err)
		}
	}
}

// withoutState: what wants a confirmation is refused, and nothing else.
func (w *world) withoutState(t *testing.T, target blackbox.Target) {
	_, shown := w.post(t, target.Token, call("add_or_update_note", `{"name":"kept","description":"kept"}`))
	mend := w.guard.Break(w.Outputs["StateTableName"])
	before := w.writes(t)
	_, asked := w.post(t, target.Token, call("add_or_update_note", `{"name":"never","description":"never"}`))
	_, confirmed := w.post(t, target.Token, confirming(t, shown))
	for _, got := range []string{asked, confirmed} {
		if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, `"refused"`) {
			t.Errorf("it is not refused: %.300s", got)
		}
	}
	if w.writes(t) != before {
		t.Error("something was written")
	}
	if _, read := w.post(t, target.Token, call("get_activities", `{}`)); strings.Contains(read, `"isError":true`) {
		t.Errorf("a read fails: %.300s", read)
	}
	if _, done := w.post(t, target.Never, call("add_or_update_note", `{"name":"at once","description":"nobody was asked"}`)); !strings.Contains(done, `"applied"`) {
		t.Errorf("a write that nobody is asked about: %.300s", done)
	}
	mend()
	if _, done := w.post(t, target.Token, confirming(t, shown)); !strings.Contains(done, `"applied"`) {
		t.Errorf("the confirmation no longer holds: %.300s", done)
	}
}

// confirming is the call that confirms a preview.
func confirming(t *testing.T, preview string) string {
	t.Helper()
	var p struct {
		Result struct {
			StructuredContent struct{ Status, Summary, Confirmation string }
		}
	}
	if err := json.Unmarshal([]byte(preview), &p); err != nil || p.Result.StructuredContent.Confirmation == "" {
		t.Fatalf("no preview (%v): %.300s", err, preview)
	}
	arguments, err := json.Marshal(map[string]string{"confirmation": p.Result.StructuredContent.Confirmation, "summary": p.Result.StructuredContent.Summary})
	if err != nil {
		t.Fatal(err)
	}
	return call("confirm_change", string(arguments))
}

// quiet looks for what must never be in a log.
func (w *world) quiet(t *testing.T, target blackbox.Target) {
	log := w.logs.String()
	if strings.Contains(log, "blackbox") || strings.Contains(log, "confirmation:") {
		t.Error("what was written, or a confirmation, is in the log")
	}
	for name, secret := range map[string]string{
		"token": target.Token, "core": target.Core, "reader": target.Reader, "expired": target.Expired, "other": target.Other, "coach": target.Coach.Token,
		"destructive": target.Destructive, "never": target.Never, "person": target.Person,
	} {
		hash := identity.HashOf(secret).Hex()
		if strings.Contains(log, secret) || strings.Contains(log, hash) || strings.Contains(log, secret[len(secret)-20:]) {
			t.Errorf("the %s token or its hash is in the log", name)
		}
	}
	for _, a := range w.fake.Athletes() {
		if strings.Contains(log, a.APIKey) || strings.Contains(log, a.Name) {
			t.Errorf("%s's key or name is in the log", a.ID)
		}
	}
	if !strings.Contains(log, `"message":"request"`) || !strings.Contains(log, `"message":"authorize"`) {
		t.Error("the log holds no request")
	}
}
