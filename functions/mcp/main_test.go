package main

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"intervals-mcp/internal/audit"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/mcpserver/apigw"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
	statedynamo "intervals-mcp/internal/state/dynamo"
)

// stack is a function on emulated stores with one enrolled athlete.
type stack struct {
	vars       map[string]string
	env        awsenv.Env
	connection string
	confirm    string // the connection's setting; "" = never
	handler    *apigw.Handler
}

func newStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{vars: awstest.Vars(t), env: awstest.Env(t)}
	platform, err := fake.New(fake.Dataset{Today: "2026-07-15", Athletes: []fake.AthleteData{{APIKey: "key-of-i1", Athlete: fake.Object{"id": "i1", "name": "A", "timezone": "Europe/London"}}}}, fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	upstream := httptest.NewServer(platform)
	t.Cleanup(upstream.Close)
	s.vars["IDENTITY_TABLE"], s.vars["AUDIT_TABLE"], s.vars["STATE_TABLE"], s.vars["SECRET_PREFIX"] = awstest.Name(t), awstest.Name(t), awstest.Name(t), awstest.Name(t)
	s.vars[awsenv.IntervalsBaseURL] = upstream.URL + "/api/v1"
	db := s.env.NewDynamoDB()
	awstest.CreateTable(t, db, dynamo.Definition(s.vars["IDENTITY_TABLE"]))
	awstest.CreateTable(t, db, auditdynamo.Definition(s.vars["AUDIT_TABLE"]))
	awstest.CreateTable(t, db, statedynamo.Definition(s.vars["STATE_TABLE"]))
	ids := identity.NewStore(dynamo.New(db, s.vars["IDENTITY_TABLE"]), time.Now)
	if _, err := ids.AddUser(t.Context(), identity.User{ID: "i1", Athlete: "i1"}); err != nil {
		t.Fatal(err)
	}
	_, token, err := ids.CreateToken(t.Context(), identity.Request{User: "i1", Label: "test", Scopes: []identity.Scope{"write"}})
	if err != nil {
		t.Fatal(err)
	}
	s.connection = token.ID
	keys, err := secretsmanager.New(secretsmanager.NewClient(s.env), s.vars["SECRET_PREFIX"])
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Put(t.Context(), "i1", secrets.Key{APIKey: secrets.New("key-of-i1"), Athlete: "i1"}); err != nil {
		t.Fatal(err)
	}
	s.start(t)
	return s
}

func (s *stack) start(t *testing.T) {
	t.Helper()
	h, err := wire(func(name string) string { return s.vars[name] }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.handler = h
}

// call calls a tool as the authorizer would let the athlete i1.
func (s *stack) call(t *testing.T, tool, args string) (text string, isError bool) {
	t.Helper()
	ev := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: "/mcp", Headers: map[string]string{"content-type": "application/json"},
		Body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`}
	ev.RequestContext.DomainName, ev.RequestContext.HTTP.Method = "abc.execute-api.example", "POST"
	if s.confirm == "" {
		s.confirm = "never"
	}
	ev.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: map[string]any{
		"auth": "ok", "user": "i1", "athlete": "i1", "athletes": "", "coach": "false", "scopes": "write", "connection": s.connection, "client": "test", "toolset": "full", "confirm": s.confirm, "exp": ""}}
	resp, err := s.handler.Invoke(t.Context(), ev)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %v, %d %s", tool, err, resp.StatusCode, resp.Body)
	}
	var m struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(resp.Body), &m); err != nil || len(m.Result.Content) == 0 {
		t.Fatalf("%s: %s", tool, resp.Body)
	}
	return m.Result.Content[0].Text, m.Result.IsError
}

func TestAReadAndAWriteGoThroughTheStacksStores(t *testing.T) {
	s := newStack(t)
	if text, isError := s.call(t, "get_events", `{}`); isError {
		t.Fatalf("read: %s", text)
	}
	text, isError := s.call(t, "add_or_update_note", `{"name":"Sore knee"}`)
	if isError || !strings.Contains(text, "Successfully created event id") {
		t.Fatalf("write: %s", text)
	}
	heads, err := auditdynamo.New(s.env.NewDynamoDB(), s.vars["AUDIT_TABLE"]).Heads(t.Context(), audit.Query{User: "i1"})
	if err != nil || len(heads) != 2 {
		t.Errorf("the log holds %d heads, %v; want intent and outcome", len(heads), err)
	}
	tokens, err := identity.NewStore(dynamo.New(s.env.NewDynamoDB(), s.vars["IDENTITY_TABLE"]), time.Now).Tokens(t.Context(), "i1")
	if err != nil || len(tokens) != 1 || tokens[0].LastUsed.IsZero() {
		t.Errorf("tokens %+v, %v; want its last use noted", tokens, err)
	}
}

func TestWithoutTheAuditTableWritesAreRefusedAndReadsGoOn(t *testing.T) {
	s := newStack(t)
	s.vars["AUDIT_TABLE"] = "no-such-table"
	s.start(t)
	if text, isError := s.call(t, "get_events", `{}`); isError {
		t.Errorf("read: %s", text)
	}
	if text, isError := s.call(t, "add_or_update_note", `{"name":"x"}`); !isError {
		t.Errorf("write: %s", text)
	}
	if text, _ := s.call(t, "get_events", `{}`); strings.Contains(text, `"x"`) {
		t.Errorf("the refused note is there: %s", text)
	}
}

// TestTheApprovePageIsOnTheOriginOfTheRequest: never the Host header's.
func TestTheApprovePageIsOnTheOriginOfTheRequest(t *testing.T) {
	s := newStack(t)
	s.confirm = "person"
	for public, want := range map[string]string{"": "https://abc.execute-api.example/account/changes/", "https://mcp.example/": "https://mcp.example/account/changes/"} {
		s.vars["PUBLIC_URL"] = public
		s.start(t)
		if text, isError := s.call(t, "add_or_update_note", `{"name":"x","allow_duplicate":true}`); isError || !strings.Contains(text, want) {
			t.Errorf("%q: %s", public, text)
		}
	}
}

func TestAMissingSecretIsSaidWithWhereToMendIt(t *testing.T) {
	s := newStack(t)
	s.vars["SECRET_PREFIX"] = "another-prefix"
	s.start(t)
	if text, isError := s.call(t, "get_events", `{}`); !isError || !strings.Contains(text, "no Intervals.icu key is stored") || !strings.Contains(text, "https://abc.execute-api.example/account/key") {
		t.Errorf("answer: %s", text)
	}
}

func TestTheFunctionRefusesToStartWithWhatIsForSamLocalOrWithoutItsStores(t *testing.T) {
	deployed := map[string]string{"AWS_REGION": "eu-central-1", "IDENTITY_TABLE": "i", "AUDIT_TABLE": "a", "STATE_TABLE": "s", "SECRET_PREFIX": "p"}
	for name, change := range map[string]map[string]string{
		"a key":               {"API_KEY": "k"},
		"an athlete":          {"ATHLETE_ID": "i1"},
		"a local token":       {"LOCAL_TOKEN": "t"},
		"another upstream":    {"INTERVALS_API_BASE_URL": "https://evil.example/api/v1"},
		"another DynamoDB":    {"AWS_ENDPOINT_URL_DYNAMODB": "https://evil.example"},
		"another secrets":     {"AWS_ENDPOINT_URL_SECRETS_MANAGER": "http://10.0.0.1"},
		"no identity table":   {"IDENTITY_TABLE": ""},
		"no audit table":      {"AUDIT_TABLE": ""},
		"no state table":      {"STATE_TABLE": ""},
		"no prefix":           {"SECRET_PREFIX": ""},
		"a retention of zero": {"AUDIT_RETENTION_DAYS": "0"},
		"a prefix with ..":    {"SECRET_PREFIX": "/x/"},
	} {
		vars := map[string]string{}
		for _, from := range []map[string]string{deployed, change} {
			for k, v := range from {
				vars[k] = v
			}
		}
		if _, err := wire(func(name string) string { return vars[name] }, slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%s: it started", name)
		}
	}
	if _, err := wire(func(name string) string { return deployed[name] }, slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("as deployed: %v", err)
	}
	local := map[string]string{"AWS_SAM_LOCAL": "true", "API_KEY": "k", "INTERVALS_API_BASE_URL": "http://172.17.0.1:8766/api/v1"}
	if _, err := wire(func(name string) string { return local[name] }, slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("under sam local: %v", err)
	}
}
