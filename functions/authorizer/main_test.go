package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
)

// invoke sends the sample event with another token through the function as
// Lambda would: bytes in, bytes out.
func invoke(t *testing.T, vars map[string]string, token string) (string, error) {
	t.Helper()
	a, err := wire(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
	event, err := os.ReadFile("../../events/authorizer/request.json")
	if err != nil {
		t.Fatal(err)
	}
	event = []byte(strings.ReplaceAll(string(event), "Bearer local", "Bearer "+token))
	out, err := lambda.NewHandler(a.Handle).Invoke(t.Context(), event)
	return string(out), err
}

func TestATokenFromTheTableIsAnsweredAsAPIGatewayExpects(t *testing.T) {
	vars := awstest.Vars(t)
	vars["IDENTITY_TABLE"] = awstest.Name(t)
	client := awstest.Env(t).NewDynamoDB()
	awstest.CreateTable(t, client, dynamo.Definition(vars["IDENTITY_TABLE"]))
	store := identity.NewStore(dynamo.New(client, vars["IDENTITY_TABLE"]), time.Now)
	if _, err := store.AddUser(t.Context(), identity.User{ID: "i1", Athlete: "i1"}); err != nil {
		t.Fatal(err)
	}
	token, record, err := store.CreateToken(t.Context(), identity.Request{User: "i1", Label: "test", Scopes: []identity.Scope{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"isAuthorized":true,"context":{"athlete":"i1","athletes":"","auth":"ok","client":"test","coach":"false","confirm":"all","connection":"` + record.ID + `","exp":"","scopes":"read","toolset":"core","user":"i1"}}`
	if got, err := invoke(t, vars, token.Reveal()); err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if got, err := invoke(t, vars, "local"); err != nil || got != `{"isAuthorized":true,"context":{"auth":"invalid_token"}}` {
		t.Errorf("another token: %s, %v", got, err)
	}
	vars["IDENTITY_TABLE"] = "no-such-table"
	if got, err := invoke(t, vars, token.Reveal()); err != nil || got != `{"isAuthorized":true,"context":{"auth":"unavailable"}}` {
		t.Errorf("no table: %s, %v", got, err)
	}
	vars["STRICT_GATEWAY"] = "true"
	if got, err := invoke(t, vars, token.Reveal()); err == nil {
		t.Errorf("strict, no table: %s", got)
	}
}

func TestAStoreThatCannotBeReachedIsUnavailableInTime(t *testing.T) {
	vars := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
		awsenv.EndpointDynamoDB: "http://127.0.0.1:1", "IDENTITY_TABLE": "t"}
	start := time.Now()
	got, err := invoke(t, vars, "x")
	if d := time.Since(start); err != nil || !strings.Contains(got, "unavailable") || d > 6*time.Second {
		t.Errorf("%s, %v after %v", got, err, d)
	}
}

func TestTheSampleEventIsAnsweredUnderSamLocal(t *testing.T) {
	vars := map[string]string{awsenv.SAMLocal: "true", awsenv.LocalToken: "local", awsenv.AthleteID: "i5"}
	got, err := invoke(t, vars, "local")
	var answer struct {
		IsAuthorized bool
		Context      map[string]string
	}
	if e := json.Unmarshal([]byte(got), &answer); err != nil || e != nil || answer.Context["user"] != "local" || answer.Context["athlete"] != "i5" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestTheFunctionDoesNotStartWithoutItsTableOrWithWhatIsForSamLocal(t *testing.T) {
	base := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
	for name, vars := range map[string]map[string]string{
		"IDENTITY_TABLE":         {},
		"LOCAL_TOKEN":            {"IDENTITY_TABLE": "t", "LOCAL_TOKEN": "x"},
		"API_KEY":                {"IDENTITY_TABLE": "t", "API_KEY": "x"},
		"AWS_ENDPOINT_URL":       {"IDENTITY_TABLE": "t", "AWS_ENDPOINT_URL_DYNAMODB": "https://example.com"},
		"INTERVALS_API_BASE_URL": {"IDENTITY_TABLE": "t", "INTERVALS_API_BASE_URL": "https://example.com"},
	} {
		_, err := wire(func(k string) string { return vars[k] + base[k] })
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// STRICT_GATEWAY is off unless it says true.
	for value, want := range map[string]bool{"": false, "false": false, "true": true} {
		a, err := wire(func(k string) string {
			return map[string]string{"IDENTITY_TABLE": "t", "STRICT_GATEWAY": value}[k] + base[k]
		})
		if err != nil || a.Strict != want {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestTheFunctionLinksNoStoreThatItDoesNotNeed(t *testing.T) {
	for _, bad := range linked(t) {
		if slices.ContainsFunc([]string{"secretsmanager", "modernc.org", "mcp-go", "aws-sdk-go-v2/config", "jsonschema"}, func(s string) bool { return strings.Contains(bad, s) }) {
			t.Errorf("links %s", bad)
		}
	}
}
