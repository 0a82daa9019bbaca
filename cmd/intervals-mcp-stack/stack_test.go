package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	tables "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	secretsapi "github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/audit/audittest"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/intervals/fake"
)

const coachKey = "k3y-of-the-coach"

// account is an AWS account on loopback with one stack in it.
type account struct {
	t       *testing.T
	name    string
	env     map[string]string
	outputs map[string]string
	dynamo  *dynamodb.Client
	secrets *secretsapi.Client
	stacks  *cloudformation.Client
	url     string // of the endpoint
	mcp     *endpoint
	printed strings.Builder
	tokens  []string
}

// endpoint stands for the deployed functions: it knows the tokens of the table.
type endpoint struct {
	table *dynamo.Table
	down  bool
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch _, err := e.table.Token(r.Context(), identity.HashOf(token)); {
	case strings.HasPrefix(r.URL.Path, "/.well-known/"):
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"not_found"}`)
	case e.down:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":"unavailable"}`)
	case err != nil:
		w.Header().Set("X-Amzn-Remapped-Www-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":"invalid_token"}`)
	default:
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"get_activities"},{"name":"get_events"}]}}`)
	}
}

// newAccount makes the stack on moto: CloudFormation makes the tables, and the
// outputs bear the names of template.yaml.
func newAccount(t *testing.T) *account {
	t.Helper()
	vars := awstest.Vars(t)
	for name, value := range vars {
		t.Setenv(name, value)
	}
	t.Setenv("AWS_ENDPOINT_URL_CLOUDFORMATION", vars["AWS_ENDPOINT_URL_DYNAMODB"])
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := &account{t: t, name: awstest.Name(t), dynamo: dynamodb.NewFromConfig(cfg), secrets: secretsapi.NewFromConfig(cfg), mcp: &endpoint{},
		stacks: cloudformation.NewFromConfig(cfg)}
	srv := httptest.NewServer(a.mcp)
	t.Cleanup(srv.Close)
	a.url = srv.URL + "/mcp"
	template, err := os.ReadFile(filepath.Join("testdata", "stack.json"))
	if err != nil {
		t.Fatal(err)
	}
	a.outputs = a.create(string(template))
	a.mcp.table = dynamo.New(a.dynamo, a.outputs["IdentityTableName"])
	a.env = map[string]string{"INTERVALS_API_BASE_URL": upstream(t)}
	t.Cleanup(a.searchSecrets)
	return a
}

// create makes the stack of the account's name and gives its outputs.
func (a *account) create(template string) map[string]string {
	a.t.Helper()
	if _, err := a.stacks.CreateStack(a.t.Context(), &cloudformation.CreateStackInput{StackName: &a.name, TemplateBody: &template,
		Parameters: []types.Parameter{{ParameterKey: aws.String("Url"), ParameterValue: aws.String(a.url)}}}); err != nil {
		a.t.Fatal(err)
	}
	out, err := a.stacks.DescribeStacks(a.t.Context(), &cloudformation.DescribeStacksInput{StackName: &a.name})
	if err != nil || len(out.Stacks) != 1 {
		a.t.Fatalf("%v", err)
	}
	outputs := map[string]string{}
	for _, o := range out.Stacks[0].Outputs {
		outputs[*o.OutputKey] = *o.OutputValue
	}
	return outputs
}

func upstream(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "intervals-mcp", "testdata", "athlete.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := fake.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	s, err := fake.New(data, fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv.URL + "/api/v1"
}

func (a *account) searchSecrets() {
	all := a.printed.String()
	if strings.Contains(all, coachKey) {
		a.t.Errorf("a key was printed:\n%s", all)
	}
	for _, token := range a.tokens {
		if n := strings.Count(all, token); n != 1 {
			a.t.Errorf("a token was printed %d times, want once", n)
		}
	}
}

func (a *account) run(stdin string, args ...string) (status int, out, errs string) {
	a.t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(context.Background(), process{append(args, "--stack", a.name), func(name string) string { return a.env[name] }, strings.NewReader(stdin), &stdout, &stderr})
	a.printed.WriteString(stdout.String() + stderr.String())
	return status, stdout.String(), stderr.String()
}

func (a *account) ok(stdin string, args ...string) string {
	a.t.Helper()
	status, out, errs := a.run(stdin, args...)
	if status != 0 {
		a.t.Fatalf("%v: status %d: %s%s", args, status, out, errs)
	}
	return out
}

func (a *account) fails(status int, says string, args ...string) {
	a.t.Helper()
	got, _, errs := a.run("", args...)
	if got != status || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, says) {
		a.t.Errorf("%v: status %d, %q; want %d and one line with %q", args, got, errs, status, says)
	}
}

// log writes a change of a user to the stack's audit table.
func (a *account) log(user string, minutes int, done bool) audit.Item {
	a.t.Helper()
	log := auditdynamo.New(a.dynamo, a.outputs["AuditTableName"])
	h := audittest.Head(user, minutes)
	h.Change = audit.NewID(time.Now().Add(-time.Hour+time.Duration(minutes)*time.Minute), h.Change.Request)
	h.Expires = time.Now().Add(time.Hour)
	object := h
	object.Kind, object.Action, object.Target, object.Before = "event", "update", "7", json.RawMessage(`{"name":"Easy"}`)
	object.After = json.RawMessage(`{"name":"Long"}`)
	err := audit.WriteIntent(a.t.Context(), log, h, []audit.Item{object})
	if err == nil && done {
		h.Status, object.Status = audit.Applied, audit.Applied
		err = audit.WriteOutcome(a.t.Context(), log, h, []audit.Item{object})
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return h
}

func TestAUserOfAStackFromEnrolmentToRemoval(t *testing.T) {
	a := newAccount(t)
	if out := a.ok("", "users", "list"); !strings.Contains(out, "Nobody is enrolled") {
		t.Errorf("%q", out)
	}
	a.fails(1, "enrol them first: intervals-mcp users add --stack "+a.name, "tokens", "create", "--user", "i7002", "--days", "30", "--scope", "read")
	a.ok(coachKey, "users", "add", "--athlete", "i7002", "--coach", "--name", "Coach")
	if out := a.ok("", "users", "show", "i7002"); !strings.Contains(out, a.name+"/users/i7002") || !strings.Contains(out, "i7001") {
		t.Errorf("%s", out)
	}
	token := strings.TrimSpace(a.ok("", "tokens", "create", "--user", "i7002", "--days", "90", "--scope", "write"))
	a.tokens = append(a.tokens, token)
	record, err := a.mcp.table.Token(t.Context(), identity.HashOf(token))
	if err != nil || record.User != "i7002" || !record.Coach {
		t.Fatalf("%+v, %v", record, err)
	}
	a.ok("", "tokens", "revoke", record.ID, "--yes")
	if record, err = a.mcp.table.Token(t.Context(), identity.HashOf(token)); err != nil || record.Usable(time.Now()) == nil {
		t.Errorf("after its revocation: %+v, %v", record, err)
	}
	a.ok("", "users", "remove", "i7002", "--yes")
	if _, err := a.secrets.GetSecretValue(t.Context(), &secretsapi.GetSecretValueInput{SecretId: aws.String(a.name + "/users/i7002")}); err == nil {
		t.Error("the secret is still there")
	}
	a.fails(1, "there is no user i7002", "users", "show", "i7002")
}

func TestTheLogOfAStackIsListedShownExportedAndPurged(t *testing.T) {
	a := newAccount(t)
	done, orphan := a.log("i7001", 1, true), a.log("i7002", 2, false)
	out := a.ok("", "audit", "list")
	if i, j := strings.Index(out, orphan.Change.String()), strings.Index(out, done.Change.String()); i < 0 || j < i {
		t.Errorf("not both, newest first:\n%s", out)
	}
	for _, filter := range [][]string{{"--user", "i7001"}, {"--day", done.Day()}, {"--athlete", "i1"}} {
		if out := a.ok("", append([]string{"audit", "list"}, filter...)...); !strings.Contains(out, done.Change.String()) {
			t.Errorf("%v:\n%s", filter, out)
		}
	}
	if out := a.ok("", "audit", "show", done.Change.String()); !strings.Contains(out, `~ name "Easy" -> "Long"`) {
		t.Errorf("%s", out)
	}
	if out := a.ok("", "audit", "orphans"); !strings.Contains(out, orphan.Change.String()) || strings.Contains(out, done.Change.String()) {
		t.Errorf("%s", out)
	}
	if out := a.ok("", "audit", "export", "--format", "jsonl"); strings.Count(out, "\n") != 6 {
		t.Errorf("%s", out)
	}
	a.ok("", "audit", "purge", "--user", "i7001", "--yes")
	if out := a.ok("", "audit", "export", "--format", "jsonl"); strings.Count(out, "\n") != 2 || strings.Contains(out, "i7001") {
		t.Errorf("after the purge:\n%s", out)
	}
}

func TestDoctorLooksAtEachPartOfAStack(t *testing.T) {
	a := newAccount(t)
	a.ok(coachKey, "users", "add", "--athlete", "i7002")
	token := strings.TrimSpace(a.ok("", "tokens", "create", "--user", "i7002", "--days", "30", "--scope", "read"))
	a.tokens = append(a.tokens, token)
	if _, out, _ := a.run(token, "doctor", "--token"); strings.Count(out, "items do not expire") != 3 { // moto's CloudFormation leaves it off
		t.Errorf("%s", out)
	}
	for name, attribute := range map[string]string{"IdentityTableName": "ttl", "AuditTableName": "ttl", "StateTableName": "expires"} {
		if _, err := a.dynamo.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: aws.String(a.outputs[name]),
			TimeToLiveSpecification: &tables.TimeToLiveSpecification{AttributeName: &attribute, Enabled: aws.Bool(true)}}); err != nil {
			t.Fatal(err)
		}
	}
	out := a.ok(token, "doctor", "--token")
	for _, want := range []string{"CREATE_COMPLETE", "identity table", "index day", "index athlete", "items expire by attribute ttl", "items expire by attribute expires", "state table", "key of i7002", "X-Amzn-Remapped-Www-Authenticate", "2 tools"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not speak of %q:\n%s", want, out)
		}
	}
	wrong := func(part, says string) {
		t.Helper()
		status, out, _ := a.run("", "doctor", "--json")
		var v struct {
			OK       bool `json:"ok"`
			Findings []struct{ Part, State, Found string }
		}
		if err := json.Unmarshal([]byte(out), &v); err != nil || status != 1 || v.OK {
			t.Fatalf("status %d, %v: %s", status, err, out)
		}
		for _, f := range v.Findings {
			if f.Part == part && f.State == "wrong" && strings.Contains(f.Found, says) {
				return
			}
		}
		t.Errorf("%s is not found wrong: %s", part, out)
	}
	a.mcp.down = true
	wrong("refusal", "503")
	a.mcp.down = false
	name := aws.String(a.name + "/users/i7002")
	if _, err := a.secrets.PutSecretValue(t.Context(), &secretsapi.PutSecretValueInput{SecretId: name, SecretString: aws.String("{")}); err != nil {
		t.Fatal(err)
	}
	wrong("key of i7002", "not in the form")
	if _, err := a.dynamo.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(a.outputs["AuditTableName"])}); err != nil {
		t.Fatal(err)
	}
	wrong("audit table", "gone")
	a.fails(1, "is gone", "audit", "list")
}

func TestWhatIsWrongWithTheAccountIsOneLine(t *testing.T) {
	a := newAccount(t)
	name := a.name
	a.name += "x"
	a.fails(2, "there is no stack "+a.name+" in eu-central-1", "users", "list")
	a.fails(2, `no AWS profile "nobody"`, "users", "list", "--profile", "nobody")
	a.name = name
	t.Setenv("AWS_REGION", "")
	a.fails(2, "--region", "users", "list")
	a.ok("", "users", "list", "--region", "eu-central-1")
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	a.fails(1, "no AWS credentials", "users", "list")
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_ENDPOINT_URL_CLOUDFORMATION", "http://127.0.0.1:1")
	a.fails(1, "AWS cannot be reached (CloudFormation DescribeStacks)", "users", "list")
}

func TestTheTemplateHasTheOutputsThatAreRead(t *testing.T) {
	a := newAccount(t)
	b, err := os.ReadFile(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, outputs, _ := strings.Cut(string(b), "\nOutputs:\n")
	for name := range a.outputs {
		if !strings.Contains(outputs, "\n  "+name+":\n") && !strings.HasPrefix(outputs, "  "+name+":\n") {
			t.Errorf("template.yaml has no output %s", name)
		}
	}
}

func TestAloneItSaysWhatItIsPartOf(t *testing.T) {
	for _, args := range [][]string{nil, {"serve"}, {"users", "list"}} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), process{args, os.Getenv, strings.NewReader(""), &out, &errs}); status != 2 || !strings.Contains(errs.String(), "--stack") {
			t.Errorf("%v: %d %s", args, status, errs.String())
		}
	}
}
