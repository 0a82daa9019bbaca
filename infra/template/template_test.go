package template_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"intervals-mcp/infra/template"
	audits "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/identity"
	identities "intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/secrets/secretsmanager"
	states "intervals-mcp/internal/state/dynamo"
)

const root = "../.."

func load(t *testing.T) *template.Template {
	t.Helper()
	tpl, err := template.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return tpl
}

func source(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func functions(t *testing.T, tpl *template.Template) []string {
	t.Helper()
	ids := slices.Sorted(maps.Keys(tpl.OfType("AWS::Serverless::Function")))
	if len(ids) == 0 {
		t.Fatal("the template has no functions")
	}
	return ids
}

func ref(name string) any       { return map[string]any{"Ref": name} }
func arn(resource string) any   { return map[string]any{"Fn::GetAtt": []any{resource, "Arn"}} }
func eq(got, want any) bool     { return reflect.DeepEqual(got, want) }
func show(v any) string         { b, _ := json.Marshal(v); return string(b) }
func tags(v any) bool           { return strings.Contains(show(v), "intervals-mcp") }
func at(v any, k ...string) any { return template.At(v, k...) }

// ---- The front door

func TestEveryRouteIsClosedOrOnThePublicList(t *testing.T) {
	public := []string{"$default"}
	letsIn := []string{"GET /", "GET /.well-known/{proxy+}", "GET /authorize", "POST /authorize", "POST /token", "POST /register", "POST /revoke", "GET /account",
		"POST /account", "GET /account/{proxy+}", "POST /account/{proxy+}", "GET /invite/{code}", "GET /callback", "GET /assets/{proxy+}"}
	var closed []string
	for _, r := range load(t).Routes() {
		switch {
		case r.Authorizer == "" && !slices.Contains(public, r.Key) && !slices.Contains(letsIn, r.Key):
			t.Errorf("%s has no authorizer and is not on the list", r.Key)
		case r.Authorizer == "Token":
			closed = append(closed, r.Key)
		}
		if oauth := slices.Contains(letsIn, r.Key); r.Function != "McpFunction" && !oauth || oauth && r.Function != "OauthFunction" {
			t.Errorf("%s leads to %s", r.Key, r.Function)
		}
	}
	if !slices.Equal(closed, []string{"ANY /mcp"}) {
		t.Errorf("closed routes: %v", closed)
	}
}

func TestTheApiIsClosedByDefaultAndServesTheHostsRoot(t *testing.T) {
	api := load(t).Resources["Api"].Properties
	if at(api, "Auth", "DefaultAuthorizer") != "Token" {
		t.Error("a route that names no authorizer would be open")
	}
	if api["StageName"] != nil {
		t.Error("a stage other than $default takes the host's root away")
	}
	if eq(api["PropagateTags"], true) == false || !tags(api["Tags"]) {
		t.Error("the API's parts carry no tags")
	}
}

func TestTheAuthorizerAnswersSimplyIsPermittedAndRemembersNothing(t *testing.T) {
	tpl := load(t)
	a := at(tpl.Resources["Api"].Properties, "Auth", "Authorizers", "Token")
	for name, want := range map[string]any{
		"FunctionArn": arn("AuthorizerFunction"), "AuthorizerPayloadFormatVersion": "2.0", "EnableSimpleResponses": true,
		"EnableFunctionDefaultPermissions": true,
		"Identity":                         map[string]any{"Headers": []any{"Authorization"}, "ReauthorizeEvery": ref("AuthorizerTtl")},
	} {
		if got := at(a, name); !eq(got, want) {
			t.Errorf("%s is %s, want %s", name, show(got), show(want))
		}
	}
	if ttl := tpl.Parameters["AuthorizerTtl"]; ttl.Default != 0 || ttl.MinValue != 0 || ttl.MaxValue != 3600 {
		t.Errorf("AuthorizerTtl: default %v, %v to %v", ttl.Default, ttl.MinValue, ttl.MaxValue)
	}
	if strict := tpl.Parameters["StrictGateway"]; strict.Default != "false" {
		t.Error("StrictGateway is on by default: clients would never sign in again")
	}
}

func TestTheStageIsThrottled(t *testing.T) {
	s := at(load(t).Resources["Api"].Properties, "DefaultRouteSettings")
	if !eq(at(s, "ThrottlingRateLimit"), ref("ThrottleRate")) || !eq(at(s, "ThrottlingBurstLimit"), ref("ThrottleBurst")) {
		t.Errorf("%s", show(s))
	}
}

func TestFunctionsEndBeforeTheGatewayGivesUp(t *testing.T) {
	tpl := load(t)
	if s, _ := tpl.Property("AuthorizerFunction", "Timeout").(int); s == 0 || s >= 10 {
		t.Errorf("authorizer: %d s; the gateway waits for 10", s)
	}
	for _, f := range []string{"McpFunction", "OauthFunction"} {
		s, _ := tpl.Property(f, "Timeout").(int)
		for name, e := range tpl.Resources[f].Properties["Events"].(map[string]any) {
			if wait, _ := at(e, "Properties", "TimeoutInMillis").(int); s < 28 || wait <= s*1000 || wait > 30000 {
				t.Errorf("%s: the function has %d s, the gateway waits for %d ms", name, s, wait)
			}
		}
	}
}

// ---- Rights

func TestEveryFunctionHasARoleOfItsOwn(t *testing.T) {
	tpl := load(t)
	seen := map[string]string{}
	for _, f := range functions(t, tpl) {
		role := show(tpl.Property(f, "Role"))
		if seen[role] != "" || role == "null" {
			t.Errorf("%s has the role %s, %s too", f, role, seen[role])
		}
		seen[role] = f
		if tpl.Property(f, "Policies") != nil {
			t.Errorf("%s: policies belong to its role", f)
		}
	}
	for id, r := range tpl.OfType("AWS::IAM::Role") {
		if r.Properties["ManagedPolicyArns"] != nil {
			t.Errorf("%s: managed policies give more than is needed", id)
		}
		if seen[show(arn(id))] == "" {
			t.Errorf("%s is no function's role", id)
		}
		if principals := show(at(r.Properties["AssumeRolePolicyDocument"])); !strings.Contains(principals, `"Principal":{"Service":"lambda.amazonaws.com"}`) || strings.Count(principals, "Effect") != 1 {
			t.Errorf("%s may be assumed by others than Lambda", id)
		}
	}
}

func TestRolesNameActionsAndResources(t *testing.T) {
	tpl := load(t)
	anywhere := []string{"xray:PutTraceSegments", "xray:PutTelemetryRecords"} // know no resources
	for id := range tpl.OfType("AWS::IAM::Role") {
		for _, s := range tpl.Statements(id) {
			if len(s.Actions) == 0 || len(s.Resources) == 0 {
				t.Errorf("%s %s names no action or no resource (NotAction, NotResource?)", id, s.Sid)
			}
			for _, a := range s.Actions {
				if strings.ContainsAny(a, "*?") {
					t.Errorf("%s %s: action %s", id, s.Sid, a)
				}
				if slices.Contains(s.Resources, any("*")) && !slices.Contains(anywhere, a) {
					t.Errorf("%s %s: %s on every resource", id, s.Sid, a)
				}
			}
			for _, r := range s.Resources {
				if text, ok := r.(string); ok && text != "*" {
					t.Errorf("%s %s: the resource %q is not of this stack", id, s.Sid, text)
				}
			}
		}
	}
}

// TestRightsAreThoseOfAuthMd compares with "Rights" and "Secrets" there.
func TestRightsAreThoseOfAuthMd(t *testing.T) {
	want := map[string][]string{
		"AuthorizerRole": {"identity GetItem"},
		"McpRole": {"audit PutItem", "audit Query", "identity UpdateItem", "secretsmanager:GetSecretValue",
			"state DeleteItem", "state GetItem", "state PutItem", "state Query", "state UpdateItem", "state UpdateItem"},
		"OauthRole": {"audit PutItem", "audit Query", "identity BatchGetItem", "identity DeleteItem", "identity GetItem", "identity PutItem",
			"secretsmanager:CreateSecret", "secretsmanager:DeleteSecret", "secretsmanager:GetSecretValue", "secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue",
			"secretsmanager:RestoreSecret", "secretsmanager:TagResource",
			"state DeleteItem", "state GetItem", "state PutItem", "state Query", "state UpdateItem", "state UpdateItem"},
	}
	table := regexp.MustCompile(`(Audit|Identity|State)Table`)
	tpl := load(t)
	for role, actions := range want {
		var got []string
		for _, s := range tpl.Statements(role) {
			for _, a := range s.Actions {
				if s.Effect != "Allow" || strings.HasPrefix(a, "logs:") || strings.HasPrefix(a, "xray:") {
					continue
				}
				if op, ok := strings.CutPrefix(a, "dynamodb:"); ok {
					a = strings.ToLower(table.FindStringSubmatch(show(s.Resources))[1]) + " " + op
				}
				got = append(got, a)
			}
		}
		if slices.Sort(got); !slices.Equal(got, actions) {
			t.Errorf("%s may %v, want %v", role, got, actions)
		}
	}
}

func TestNobodyRewritesTheAuditLog(t *testing.T) {
	tpl := load(t)
	table := arn("AuditTable")
	for id := range tpl.OfType("AWS::IAM::Role") {
		for _, s := range tpl.Statements(id) {
			for _, a := range s.Actions {
				append := slices.Contains([]string{"dynamodb:PutItem", "dynamodb:Query"}, a)
				if s.Effect == "Allow" && strings.Contains(show(s.Resources), "AuditTable") && !append {
					t.Errorf("%s %s may %s", id, s.Sid, a)
				}
			}
		}
	}
	for _, role := range []string{"McpRole", "OauthRole"} {
		var denied []string
		for _, s := range tpl.Statements(role) {
			if s.Effect == "Deny" && eq(s.Resources, []any{table}) && s.Condition == nil {
				denied = append(denied, s.Actions...)
			}
		}
		for _, a := range []string{"UpdateItem", "DeleteItem", "BatchWriteItem", "PartiQLUpdate", "PartiQLDelete"} {
			if !slices.Contains(denied, "dynamodb:"+a) {
				t.Errorf("%s is not denied %s on the audit table", role, a)
			}
		}
	}
}

func TestIdentitiesAndStateAreTouchedByKeyPrefixOnly(t *testing.T) {
	tpl := load(t)
	rates := func(kinds ...string) (prefixes []any) {
		for _, k := range kinds {
			prefixes = append(prefixes, states.RatePrefix+k+"#*")
		}
		return prefixes
	}
	want := map[string]struct {
		table    string
		prefixes []any
	}{
		"ReadToken":                  {"IdentityTable", []any{identities.TokenPrefix + "*"}},
		"NoteLastUse":                {"IdentityTable", []any{identities.UsedPrefix + "*"}},
		"KeepPlans":                  {"StateTable", []any{states.UserPrefix + "*"}},
		"CountConfirmationsAndTurns": {"StateTable", rates("confirm", "miss", "create")}, // the keys that internal/change counts by
		"KeepIdentities": {"IdentityTable", []any{identities.UserPrefix + "*", identities.TokenPrefix + "*", identities.UsedPrefix + "*",
			string(identity.NoteRef) + "#*", string(identity.NoteInvite) + "#*", string(identity.NoteClient) + "#*"}},
		"CountAttempts": {"StateTable", append([]any{states.RatePrefix + "oauth:*"}, rates("confirm", "miss")...)}, // and those of internal/oauth
	}
	found := map[string]bool{}
	for _, role := range []string{"AuthorizerRole", "McpRole", "OauthRole"} {
		for _, s := range tpl.Statements(role) {
			w, known := want[s.Sid]
			if !known {
				if on := show(s.Resources); strings.Contains(on, "IdentityTable") || strings.Contains(on, "StateTable") {
					t.Errorf("%s %s is not on the list", role, s.Sid)
				}
				continue
			}
			found[s.Sid] = true
			condition := map[string]any{
				"ForAllValues:StringLike": map[string]any{"dynamodb:LeadingKeys": w.prefixes},
				"Null":                    map[string]any{"dynamodb:LeadingKeys": "false"}, // ForAllValues is true of nothing
			}
			if !eq(s.Condition, condition) || !eq(s.Resources, []any{arn(w.table)}) {
				t.Errorf("%s %s: %s on %s", role, s.Sid, show(s.Condition), show(s.Resources))
			}
		}
	}
	if len(found) != len(want) {
		t.Errorf("found %v", found)
	}
}

func TestTheAuditLogIsReadByUserAndAthleteNeverByDay(t *testing.T) {
	for _, s := range append(load(t).Statements("McpRole"), load(t).Statements("OauthRole")...) {
		want := []any{arn("AuditTable"), map[string]any{"Fn::Sub": "${AuditTable.Arn}/index/athlete"}}
		if s.Effect == "Allow" && slices.Contains(s.Actions, "dynamodb:Query") && strings.Contains(show(s.Resources), "AuditTable") && !eq(s.Resources, want) {
			t.Errorf("%s: %s", s.Sid, show(s.Resources))
		}
	}
}

// TestWhoReadsWhichSecret: users' keys by the two functions that use them, the
// deployment's own by the one that lets people in.
func TestWhoReadsWhichSecret(t *testing.T) {
	tpl := load(t)
	var got []string
	for id := range tpl.OfType("AWS::IAM::Role") {
		for _, s := range tpl.Statements(id) {
			if s.Effect != "Allow" || !strings.HasPrefix(s.Actions[0], "secretsmanager:") {
				continue
			}
			for _, r := range s.Resources {
				name := show(r)
				if m := regexp.MustCompile(`secret:\$\{Prefix\}/([^"]+)`).FindStringSubmatch(name); m != nil {
					name = m[1]
				}
				got = append(got, id+" "+name)
			}
		}
	}
	slices.Sort(got)
	want := []string{"McpRole users/*", "OauthRole intervals-oauth-app-??????", "OauthRole session-key-??????", "OauthRole users/*"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	key := tpl.Resources["SessionKey"].Properties
	if n, _ := at(key, "GenerateSecretString", "PasswordLength").(int); n < 43 { // 62^43 > 2^256
		t.Errorf("a session key of %d letters", n)
	}
	if key["SecretString"] != nil || !strings.Contains(show(key["Name"]), "/"+string(secretsmanager.SessionKey)) {
		t.Errorf("%s", show(key))
	}
}

func TestAPrefixOfSecretsHoldsNoWildcard(t *testing.T) {
	p := regexp.MustCompile(load(t).Parameters["SecretPrefix"].AllowedPattern)
	for prefix, ok := range map[string]bool{"": true, "club": true, "a/b_c.d": true, "*": false, "a/*": false, "a/": false, "/a": false, "a?": false, "a//b": false, "${x}": false} {
		if p.MatchString(prefix) != ok {
			t.Errorf("%q: allowed %v", prefix, !ok)
		}
	}
}

// A browser writes the origin of a form in lower case and without the scheme's
// own port (RFC 6454 6.1): another spelling would have every form refused.
func TestAPublicUrlIsWrittenAsBrowsersWriteOrigins(t *testing.T) {
	p := regexp.MustCompile(load(t).Parameters["PublicUrl"].AllowedPattern)
	for url, ok := range map[string]bool{"": true, "https://mcp.example.com": true, "https://mcp.example.com:8443": true, "https://mcp.example.com:4": true,
		"https://mcp.example.com:44": true, "https://mcp.example.com:4430": true, "https://mcp.example.com:444": true, "https://mcp.example.com:80": true,
		"https://mcp.example.com:443": false, "https://mcp.example.com:0443": false, "https://mcp.example.com:": false, "https://MCP.example.com": false,
		"https://mcp.example.com/": false, "https://mcp.example.com/mcp": false, "http://mcp.example.com": false, "https://a b": false} {
		if p.MatchString(url) != ok {
			t.Errorf("%q: allowed %v", url, !ok)
		}
	}
}

// ---- What is kept

func TestTablesSurvive(t *testing.T) {
	tables := load(t).OfType("AWS::DynamoDB::Table")
	if !eq(slices.Sorted(maps.Keys(tables)), []string{"AuditTable", "IdentityTable", "StateTable"}) {
		t.Errorf("tables: %v", slices.Sorted(maps.Keys(tables)))
	}
	for id, r := range tables {
		if id == "StateTable" {
			continue // lives for minutes
		}
		if r.DeletionPolicy != "Retain" || r.UpdateReplacePolicy != "Retain" {
			t.Errorf("%s goes with the stack", id)
		}
		for name, want := range map[string]any{
			"BillingMode":                      "PAY_PER_REQUEST",
			"DeletionProtectionEnabled":        map[string]any{"Fn::If": []any{"Retain", true, false}},
			"PointInTimeRecoverySpecification": map[string]any{"PointInTimeRecoveryEnabled": true},
			"TimeToLiveSpecification":          map[string]any{"AttributeName": "ttl", "Enabled": true},
			"TableName":                        nil, // a name of its own would stand in the way of a replacement
		} {
			if got := r.Properties[name]; !eq(got, want) {
				t.Errorf("%s: %s is %s, want %s", id, name, show(got), show(want))
			}
		}
		if !tags(r.Properties["Tags"]) {
			t.Errorf("%s has no tags", id)
		}
	}
}

func TestPlansExpireAndGoWithTheStack(t *testing.T) {
	r := load(t).Resources["StateTable"]
	if r.DeletionPolicy != "Delete" || r.UpdateReplacePolicy != "Delete" || !tags(r.Properties["Tags"]) {
		t.Errorf("deletion %s, replacement %s, tags %s", r.DeletionPolicy, r.UpdateReplacePolicy, show(r.Properties["Tags"]))
	}
	for name, want := range map[string]any{
		"BillingMode":                      "PAY_PER_REQUEST",
		"DeletionProtectionEnabled":        nil, // the stack could not be deleted
		"PointInTimeRecoverySpecification": nil, // it would keep for 35 days what is gone after ten minutes
		"SSESpecification":                 map[string]any{"SSEEnabled": false},
		"TimeToLiveSpecification":          map[string]any{"AttributeName": states.TTL, "Enabled": true},
		"TableName":                        nil,
	} {
		if got := r.Properties[name]; !eq(got, want) {
			t.Errorf("%s is %s, want %s", name, show(got), show(want))
		}
	}
}

func TestTheAuditLogCanBeReadByDayAndByAthlete(t *testing.T) {
	indexes, _ := load(t).Resources["AuditTable"].Properties["GlobalSecondaryIndexes"].([]any)
	var got []string
	for _, i := range indexes {
		got = append(got, fmt.Sprint(at(i, "IndexName"), show(at(i, "KeySchema")), at(i, "Projection", "ProjectionType")))
	}
	for _, name := range []string{"day", "athlete"} {
		want := name + `[{"AttributeName":"` + name + `","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]ALL`
		if !slices.Contains(got, want) {
			t.Errorf("no index %s among %v", want, got)
		}
	}
}

// TestTablesAreThoseTheCodeExpects compares keys and indexes with what the
// stores' own tests are run on.
func TestTablesAreThoseTheCodeExpects(t *testing.T) {
	tpl := load(t)
	for id, want := range map[string]*dynamodb.CreateTableInput{
		"IdentityTable": identities.Definition("t"), "AuditTable": audits.Definition("t"), "StateTable": states.Definition("t"),
	} {
		b, err := json.Marshal(map[string]any{
			"BillingMode": tpl.Resources[id].Properties["BillingMode"], "AttributeDefinitions": tpl.Resources[id].Properties["AttributeDefinitions"],
			"KeySchema": tpl.Resources[id].Properties["KeySchema"], "GlobalSecondaryIndexes": tpl.Resources[id].Properties["GlobalSecondaryIndexes"],
		})
		if err != nil {
			t.Fatal(err)
		}
		var got dynamodb.CreateTableInput
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		for what, pair := range map[string][2]any{
			"billing": {got.BillingMode, want.BillingMode}, "attributes": {got.AttributeDefinitions, want.AttributeDefinitions},
			"keys": {got.KeySchema, want.KeySchema}, "indexes": {got.GlobalSecondaryIndexes, want.GlobalSecondaryIndexes},
		} {
			if show(pair[0]) != show(pair[1]) {
				t.Errorf("%s: %s\nhere  %s\ncode  %s", id, what, show(pair[0]), show(pair[1]))
			}
		}
	}
}

func TestEveryLogIsInTheTemplateAndExpires(t *testing.T) {
	tpl := load(t)
	groups := tpl.OfType("AWS::Logs::LogGroup")
	for id, r := range groups {
		if !eq(r.Properties["RetentionInDays"], ref("LogRetentionDays")) {
			t.Errorf("%s is kept for ever", id)
		}
	}
	for _, f := range functions(t, tpl) {
		conf, _ := tpl.Property(f, "LoggingConfig").(map[string]any)
		group, _ := at(conf, "LogGroup", "Ref").(string)
		if _, ok := groups[group]; !ok || conf["LogFormat"] != "JSON" {
			t.Errorf("%s logs to %s as %v", f, group, conf["LogFormat"])
		}
		may := false
		for _, s := range tpl.Statements(strings.TrimSuffix(f, "Function") + "Role") {
			may = may || slices.Contains(s.Actions, "logs:PutLogEvents") && eq(s.Resources, []any{arn(group)})
		}
		if !may {
			t.Errorf("%s may not write its log", f)
		}
	}
}

func TestTheAccessLogIsJSONAndHoldsNothingSecret(t *testing.T) {
	s := at(load(t).Resources["Api"].Properties, "AccessLogSettings")
	if !eq(at(s, "DestinationArn"), arn("ApiLogs")) {
		t.Fatalf("%s", show(s))
	}
	format, _ := at(s, "Format").(string)
	var fields map[string]string
	if err := json.Unmarshal([]byte(format), &fields); err != nil || strings.Contains(format, "\n") {
		t.Fatalf("not one line of JSON: %v\n%s", err, format)
	}
	for _, bad := range []string{"$context.path", "$context.protocol", "header", "userAgent", "query", "authorizer.athlete"} {
		if strings.Contains(format, bad) {
			t.Errorf("%s may hold a token or a person's data", bad)
		}
	}
	for _, f := range []string{"requestId", "route", "status", "latency", "auth", "user", "authorizerError", "integrationError", "error"} {
		if fields[f] == "" {
			t.Errorf("no %s", f)
		}
	}
}

// ---- Functions

func TestFunctionsAreBuiltByMakeForOneProcessorAndTraced(t *testing.T) {
	tpl := load(t)
	for _, f := range functions(t, tpl) {
		for name, want := range map[string]any{
			"Runtime": "provided.al2023", "Handler": "bootstrap", "CodeUri": ".", "Tracing": "Active", "Architectures": []any{ref("Architecture")},
		} {
			if got := tpl.Property(f, name); !eq(got, want) {
				t.Errorf("%s: %s is %s, want %s", f, name, show(got), show(want))
			}
		}
		if tpl.Resources[f].Metadata["BuildMethod"] != "makefile" {
			t.Errorf("%s is not built by make", f)
		}
		if !regexp.MustCompile(`(?m)^build-` + f + `\b`).MatchString(source(t, "infra/aws.mk")) {
			t.Errorf("no target build-%s", f)
		}
	}
	if p := tpl.Parameters["Architecture"]; p.Default != "arm64" || !eq(p.AllowedValues, []any{"arm64", "x86_64"}) {
		t.Errorf("Architecture: %v of %v", p.Default, p.AllowedValues)
	}
}

// localOnly are declared because SAM CLI fills in nothing else, and empty
// because a deployed function refuses to start with one of them.
var localOnly = []string{"API_KEY", "ATHLETE_ID", "LOCAL_TOKEN", "INTERVALS_API_BASE_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_SECRETS_MANAGER"}

func TestNoSecretIsInParametersOrEnvironment(t *testing.T) {
	tpl := load(t)
	secret := regexp.MustCompile(`(?i)key|token|password|credential|secret`)
	for name, p := range tpl.Parameters {
		if p.NoEcho != nil || secret.MatchString(name) && name != "SecretPrefix" {
			t.Errorf("parameter %s looks like a secret", name)
		}
	}
	for _, f := range functions(t, tpl) {
		env := tpl.Environment(f)
		for name, value := range env {
			if slices.Contains(localOnly, name) {
				if value != "" {
					t.Errorf("%s: %s is not empty", f, name)
				}
			} else if secret.MatchString(name) && name != "SECRET_PREFIX" {
				t.Errorf("%s: %s looks like a secret", f, name)
			}
		}
		for _, name := range localOnly {
			if _, ok := env[name]; !ok {
				t.Errorf("%s: %s is not declared, so sam local cannot set it", f, name)
			}
		}
		if _, ok := env["AWS_SAM_LOCAL"]; ok {
			t.Errorf("%s: AWS_SAM_LOCAL takes the guards off", f)
		}
	}
}

// TestAFunctionIsGivenWhatItReads looks for names of variables in each main.go
// and in what it reads through internal/awsenv.
func TestAFunctionIsGivenWhatItReads(t *testing.T) {
	tpl := load(t)
	ours := regexp.MustCompile(`getenv\("([A-Z_]+)"\)`)
	fromAWS := []string{"LOG_LEVEL"} // only where Lambda's own is not set
	for id, folder := range map[string]string{"AuthorizerFunction": "authorizer", "McpFunction": "mcp", "OauthFunction": "oauth"} {
		declared := tpl.Environment(id)
		read := map[string]bool{}
		for _, m := range ours.FindAllStringSubmatch(source(t, "functions/"+folder+"/main.go"), -1) {
			read[m[1]] = true
			if _, ok := declared[m[1]]; !ok && !slices.Contains(fromAWS, m[1]) {
				t.Errorf("%s reads %s, which nobody sets", folder, m[1])
			}
		}
		for name := range declared {
			if !read[name] && !slices.Contains(localOnly, name) {
				t.Errorf("%s is given %s and never reads it", folder, name)
			}
		}
		for _, name := range localOnly {
			if !strings.Contains(source(t, "internal/awsenv/env.go"), `"`+name+`"`) {
				t.Errorf("internal/awsenv does not know %s", name)
			}
		}
	}
}

// ---- Anywhere

func TestTheTemplateWorksInAnyPartitionRegionAndAccount(t *testing.T) {
	text := regexp.MustCompile(`(?m)^\s*#.*$`).ReplaceAllString(source(t, "template.yaml"), "")
	text = regexp.MustCompile(`(?m)^\s*AllowedPattern:.*$`).ReplaceAllString(text, "")
	for _, bad := range []string{`arn:aws`, `\b\d{12}\b`, `\b[a-z]{2}(-gov)?-[a-z]+-\d\b`} {
		for _, m := range regexp.MustCompile(bad).FindAllString(text, -1) {
			t.Errorf("%q belongs to one partition, region or account", m)
		}
	}
	for _, m := range regexp.MustCompile(`\S*amazonaws\.com\S*`).FindAllString(text, -1) {
		if !strings.HasPrefix(m, "lambda.amazonaws.com") && !strings.HasPrefix(m, "cloudwatch.amazonaws.com") { // service principals
			t.Errorf("%q: use ${AWS::URLSuffix}", m)
		}
	}
}

func TestSamconfigHoldsNothingOfOneAccount(t *testing.T) {
	text := source(t, "samconfig.toml")
	// `sam deploy --guided` writes into the file; what is committed counts.
	if committed, err := exec.Command("git", "show", "HEAD:samconfig.toml").Output(); err == nil {
		text = string(committed)
	}
	for _, bad := range []string{`\b\d{12}\b`, `(?m)^\s*region`, `(?m)^\s*profile`, `s3_bucket`, `arn:`, `@`} {
		if m := regexp.MustCompile(bad).FindString(text); m != "" {
			t.Errorf("samconfig.toml holds %q", m)
		}
	}
	for _, want := range []string{"build_in_source = true", "lint = true", `capabilities = "CAPABILITY_IAM"`, "resolve_s3 = true", "confirm_changeset = true"} {
		if !strings.Contains(text, want) {
			t.Errorf("samconfig.toml lacks %s", want)
		}
	}
}

// ---- Alarms

func TestAlarmsWatchWhatMattersWhenThereIsAnAddress(t *testing.T) {
	tpl, operations := load(t), source(t, "docs/operations.md")
	var got []string
	for id, r := range tpl.OfType("AWS::CloudWatch::Alarm") {
		p := r.Properties
		what := fmt.Sprint(p["MetricName"])
		for _, d := range template.List(p["Dimensions"]) {
			if f, ok := at(d, "Value", "Ref").(string); ok && f != "Api" {
				what = f + " " + what
			}
		}
		got = append(got, what)
		if !strings.Contains(operations, "`"+id+"`") {
			t.Errorf("docs/operations.md says nothing of %s", id)
		}
		if r.Condition != "HasAlarmEmail" || !eq(p["AlarmActions"], []any{ref("AlarmTopic")}) || p["TreatMissingData"] != "notBreaching" {
			t.Errorf("%s: without condition or topic, or rings when nothing happens", id)
		}
		if d, _ := p["AlarmDescription"].(string); !strings.HasSuffix(d, " See docs/operations.md.") {
			t.Errorf("%s does not say where to read on", id)
		}
	}
	slices.Sort(got)
	want := []string{
		"5xx", "AuditFailures", "AuthorizerFunction Duration", "AuthorizerFunction Errors", "AuthorizerFunction Throttles",
		"McpFunction Duration", "McpFunction Errors", "McpFunction Throttles", "OauthFunction Duration", "OauthFunction Errors", "OauthFunction Throttles", "UnfinishedIntents",
	}
	if !slices.Equal(got, want) {
		t.Errorf("alarms: %v, want %v", got, want)
	}
	if tpl.Resources["Dashboard"].Condition != "HasAlarmEmail" {
		t.Error("no dashboard, or always")
	}
}

func TestTheDashboardIsJSON(t *testing.T) {
	body, _ := at(load(t).Resources["Dashboard"].Properties, "DashboardBody", "Fn::Sub").(string)
	var d struct{ Widgets []any }
	if err := json.Unmarshal([]byte(body), &d); err != nil || len(d.Widgets) == 0 {
		t.Errorf("%v\n%s", err, body)
	}
}

func TestTheTopicTakesAlarmsOfThisAccountOverTLSOnly(t *testing.T) {
	policy := show(load(t).Resources["AlarmTopicPolicy"].Properties)
	for _, want := range []string{`"aws:SecureTransport":"false"`, `"Effect":"Deny"`, `"aws:SourceAccount":{"Ref":"AWS::AccountId"}`} {
		if !strings.Contains(policy, want) {
			t.Errorf("no %s", want)
		}
	}
}

// ---- Outputs

// TestOutputsAreWhatTheOperatorCommandsRead: `--stack NAME` reads them.
func TestOutputsAreWhatTheOperatorCommandsRead(t *testing.T) {
	tpl := load(t)
	for _, name := range []string{"McpUrl", "IdentityTableName", "AuditTableName", "StateTableName", "SecretPrefix", "AuditRetentionDays"} {
		if tpl.Outputs[name].Value == nil {
			t.Errorf("no output %s", name)
		}
	}
	for name, o := range tpl.Outputs {
		if o.Description == "" {
			t.Errorf("%s does not say what it is", name)
		}
	}
}
