package rehearsal

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

const policy = `{"Statement": [
	{"Sid": "Read", "Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:Query"], "Resource": "arn:aws:dynamodb:r:123456789012:table/t"},
	{"Sid": "Touch", "Effect": "Allow", "Action": "dynamodb:UpdateItem", "Resource": ["arn:aws:dynamodb:r:123456789012:table/t"],
		"Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["used#*"]}, "Null": {"dynamodb:LeadingKeys": "false"}}},
	{"Sid": "Add", "Effect": "Allow", "Action": "dynamodb:*", "Resource": "arn:aws:dynamodb:r:123456789012:table/log"},
	{"Sid": "Never", "Effect": "Deny", "Action": "dynamodb:DeleteItem", "Resource": "arn:aws:dynamodb:r:123456789012:table/log"},
	{"Sid": "Mine", "Effect": "Allow", "Action": "dynamodb:Query", "Resource": "arn:aws:dynamodb:r:123456789012:table/mine",
		"Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["u#*"]}, "Null": {"dynamodb:LeadingKeys": "false"}}},
	{"Sid": "Key", "Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": "arn:aws:secretsmanager:r:123456789012:secret:p/users/*"}]}`

func TestTheGuardLetsPassWhatTheRoleAllows(t *testing.T) {
	role, err := NewRole("f", []json.RawMessage{json.RawMessage(policy)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		target, body string
		pass         bool
	}{
		{"DynamoDB_20120810.GetItem", `{"TableName":"t","Key":{"pk":{"S":"x"}}}`, true},
		{"DynamoDB_20120810.GetItem", `{"TableName":"tt","Key":{"pk":{"S":"x"}}}`, false},
		{"DynamoDB_20120810.Scan", `{"TableName":"t"}`, false},
		{"DynamoDB_20120810.Query", `{"TableName":"t"}`, true},
		{"DynamoDB_20120810.Query", `{"TableName":"t","IndexName":"day"}`, false},
		{"DynamoDB_20120810.Query", `{"TableName":"mine","KeyConditionExpression":"#pk = :a AND begins_with(#sk, :b)","ExpressionAttributeValues":{":a":{"S":"u#1"},":b":{"S":"r#1"}}}`, true},
		{"DynamoDB_20120810.Query", `{"TableName":"mine","KeyConditionExpression":"#pk = :a AND begins_with(#sk, :b)","ExpressionAttributeValues":{":a":{"S":"r#1"},":b":{"S":"u#1"}}}`, false},
		{"DynamoDB_20120810.Query", `{"TableName":"mine"}`, false},
		{"DynamoDB_20120810.UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"used#1"}}}`, true},
		{"DynamoDB_20120810.UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"tok#1"}}}`, false},
		{"DynamoDB_20120810.UpdateItem", `{"TableName":"t","Key":{"pk":{"N":"1"}}}`, false},
		{"DynamoDB_20120810.PutItem", `{"TableName":"log","Item":{"pk":{"S":"x"}}}`, true},
		{"DynamoDB_20120810.DeleteItem", `{"TableName":"log","Key":{"pk":{"S":"x"}}}`, false},
		{"DynamoDB_20120810.TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"log","Item":{"pk":{"S":"x"}}}}]}`, true},
		{"DynamoDB_20120810.TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"log","Item":{"pk":{"S":"x"}}}},{"Delete":{"TableName":"log","Key":{"pk":{"S":"x"}}}}]}`, false},
		{"DynamoDB_20120810.BatchGetItem", `{"RequestItems":{"t":{}}}`, false},
		{"DynamoDB_20120810.ListTables", `{}`, false},
		{"secretsmanager.GetSecretValue", `{"SecretId":"p/users/i1"}`, true},
		{"secretsmanager.GetSecretValue", `{"SecretId":"p/intervals-oauth-app"}`, false},
		{"secretsmanager.PutSecretValue", `{"SecretId":"p/users/i1"}`, false},
		{"AmazonSQS.SendMessage", `{}`, false},
	} {
		acts, err := actsOf(tt.target, []byte(tt.body), "r")
		pass := err == nil
		for _, a := range acts {
			pass = pass && role.May(a)
		}
		if pass != tt.pass {
			t.Errorf("%s %s: passed %v (%v)", tt.target, tt.body, pass, err)
		}
	}
	want := []string{}
	if got := role.Unused(); !slices.Equal(got, want) {
		t.Errorf("unused: %q", got)
	}
}

func TestARightThatNobodyUsedIsReported(t *testing.T) {
	role, err := NewRole("f", []json.RawMessage{json.RawMessage(policy)})
	if err != nil {
		t.Fatal(err)
	}
	if !role.May(Act{Action: "dynamodb:GetItem", Resource: "arn:aws:dynamodb:r:123456789012:table/t"}) {
		t.Fatal("not allowed")
	}
	got := strings.Join(role.Unused("secretsmanager"), "\n")
	for want, unused := range map[string]bool{"dynamodb:GetItem": false, "dynamodb:Query": true, "dynamodb:UpdateItem": true, "secretsmanager": false, "Never": false} {
		if strings.Contains(got, want) != unused {
			t.Errorf("%s: unused %v in\n%s", want, !unused, got)
		}
	}
}

func TestAConditionThatIsNotUnderstoodIsAnError(t *testing.T) {
	_, err := NewRole("f", []json.RawMessage{json.RawMessage(`{"Statement":[{"Effect":"Deny","Action":"a:b","Resource":"*","Condition":{"Bool":{"x":"true"}}}]}`)})
	if err == nil {
		t.Error("a denial would be lost")
	}
}

func TestTheGuardKnowsCallersByTheirAccessKey(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer behind.Close()
	u, err := url.Parse(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	role, err := NewRole("f", []json.RawMessage{json.RawMessage(policy)})
	if err != nil {
		t.Fatal(err)
	}
	g := NewGuard(u, map[string]*Role{"AKIA1": role})
	ask := func(key, table string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/", strings.NewReader(`{"TableName":"`+table+`"}`))
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.Query")
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+key+"/20261130/r/dynamodb/aws4_request, SignedHeaders=host")
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	if w := ask("AKIA1", "t"); w.Code != http.StatusTeapot {
		t.Errorf("allowed: %d %s", w.Code, w.Body)
	}
	if w := ask("AKIA1", "other"); w.Header().Get("X-Amzn-Errortype") != "AccessDeniedException" {
		t.Errorf("denied: %d %s", w.Code, w.Body)
	}
	if w := ask("AKIA2", "t"); w.Header().Get("X-Amzn-Errortype") != "UnrecognizedClientException" {
		t.Errorf("unknown: %d %s", w.Code, w.Body)
	}
	if d := g.Denied(); len(d) != 1 || !strings.Contains(d[0], "dynamodb:Query") || len(g.Denied()) != 0 {
		t.Errorf("denied: %q", d)
	}
}
