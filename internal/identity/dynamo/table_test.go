package dynamo_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/identity/identitytest"
)

// open makes an empty table on moto, and a client that fails on demand.
func open(t *testing.T) (*dynamo.Table, *dynamodb.Client, string, *awstest.Faults) {
	t.Helper()
	return openOn(t, awstest.Env(t))
}

func openOn(t *testing.T, env awsenv.Env) (*dynamo.Table, *dynamodb.Client, string, *awstest.Faults) {
	t.Helper()
	client, failing, name, faults := awstest.NewTable(t, env, dynamo.Definition)
	return dynamo.New(failing, name), client, name, faults
}

func TestDynamoDBIsATable(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		identitytest.Suite(t, func(t *testing.T) (identity.Table, identitytest.Raw) {
			table, client, name, _ := openOn(t, env)
			return table, func(t *testing.T, h identity.Hash, fields map[string]string) {
				item := map[string]types.AttributeValue{
					"pk": &types.AttributeValueMemberS{Value: dynamo.TokenPrefix + h.Hex()}, "sk": &types.AttributeValueMemberS{Value: "tok"}}
				for k, v := range fields {
					item[k] = &types.AttributeValueMemberS{Value: v}
				}
				if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item}); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

func TestATokenIsFoundByOneStronglyConsistentRead(t *testing.T) {
	table, _, _, faults := open(t)
	if _, err := table.Token(t.Context(), identity.HashOf("x")); !errors.Is(err, identity.ErrNoToken) {
		t.Fatal(err)
	}
	if got := faults.Calls(); !slices.Equal(got, []string{"GetItem"}) {
		t.Errorf("calls %v", got)
	}
}

func TestNothingInTheTableIsAToken(t *testing.T) {
	table, client, name, _ := open(t)
	store := identity.NewStore(table, time.Now)
	if _, err := store.AddUser(t.Context(), identitytest.Athlete); err != nil {
		t.Fatal(err)
	}
	secret, token, err := store.CreateToken(t.Context(), identity.Request{User: "i1", Scopes: []identity.Scope{"read"}, Days: 30})
	if err != nil {
		t.Fatal(err)
	}
	all, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if err != nil || len(all.Items) != 2 {
		t.Fatalf("%d items, %v", len(all.Items), err)
	}
	found := false
	for _, it := range all.Items {
		for k, v := range it {
			if s, ok := v.(*types.AttributeValueMemberS); ok && strings.Contains(s.Value, secret.Reveal()[:20]) {
				t.Errorf("%s holds the token", k)
			}
		}
		if n, ok := it["ttl"].(*types.AttributeValueMemberN); ok && n.Value != "" {
			found = true
		}
	}
	if !found {
		t.Error("the token has no ttl")
	}
	if token.Expires.IsZero() {
		t.Error("the token has no end")
	}
}

// TestARetryAfterALostAnswerIsTheSameTransaction: DynamoDB then answers as if it
// were the first (moto does not know of request tokens, and calls it a conflict).
func TestARetryAfterALostAnswerIsTheSameTransaction(t *testing.T) {
	table, _, _, faults := open(t)
	var tokens []string
	faults.Seen = func(_ string, body []byte) {
		var in struct{ ClientRequestToken string }
		if err := json.Unmarshal(body, &in); err != nil {
			t.Error(err)
		}
		tokens = append(tokens, in.ClientRequestToken)
	}
	faults.Set(awstest.LostAnswer)
	_, err := identity.NewStore(table, time.Now).AddUser(t.Context(), identitytest.Athlete)
	if len(tokens) != 2 || tokens[0] == "" || tokens[0] != tokens[1] {
		t.Errorf("request tokens %q, %v", tokens, err)
	}
}

func TestAStoreThatFailsIsNeverAnAnswer(t *testing.T) {
	table, _, _, faults := open(t)
	store := identity.NewStore(table, time.Now)
	if _, err := store.AddUser(t.Context(), identitytest.Athlete); err != nil {
		t.Fatal(err)
	}
	for _, fault := range []awstest.Fault{awstest.Throttled, awstest.Denied, awstest.ServerError, awstest.Unreachable} {
		faults.Set(fault)
		start := time.Now()
		_, lookup := table.Token(t.Context(), identity.HashOf("x"))
		_, user := store.User(t.Context(), "i1")
		_, list := store.Users(t.Context())
		_, _, create := store.CreateToken(t.Context(), identity.Request{User: "i1", Scopes: []identity.Scope{"read"}})
		touch := table.Touch(t.Context(), "i1-x", time.Now())
		for op, err := range map[string]error{"lookup": lookup, "user": user, "list": list, "create": create, "touch": touch} {
			if err == nil || errors.Is(err, identity.ErrNoToken) || errors.Is(err, identity.ErrNoUser) || errors.Is(err, identity.ErrConflict) {
				t.Errorf("fault %v: %s: %v", fault, op, err)
			}
			if err != nil && strings.Contains(err.Error(), identity.HashOf("x").Hex()) {
				t.Errorf("%s shows a hash: %v", op, err)
			}
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("fault %v: %v for five calls", fault, d)
		}
	}
}

func TestATableThatIsNotThereIsSaidSo(t *testing.T) {
	client := awstest.Env(t).NewDynamoDB()
	_, err := dynamo.New(client, "no-such-table").Token(t.Context(), identity.HashOf("x"))
	var missing *types.ResourceNotFoundException
	if !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}

func TestManyUsersAreListedPageByPage(t *testing.T) { awstest.Each(t, manyUsersAreListedPageByPage) }

func manyUsersAreListedPageByPage(t *testing.T, env awsenv.Env) {
	table, client, name, _ := openOn(t, env)
	for i := range 60 { // 3 MB: a page holds one
		item := map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: dynamo.TokenPrefix + strings.Repeat("x", i+1)}, "sk": &types.AttributeValueMemberS{Value: "tok"},
			"ballast": &types.AttributeValueMemberS{Value: strings.Repeat("x", 50_000)}}
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	store := identity.NewStore(table, time.Now)
	for _, id := range []string{"i3", "i1", "i2"} {
		if _, err := store.AddUser(t.Context(), identity.User{ID: id, Athlete: id}); err != nil {
			t.Fatal(err)
		}
	}
	users, err := store.Users(t.Context())
	if err != nil || len(users) != 3 || users[0].ID != "i1" {
		t.Errorf("%v, %v", users, err)
	}
}
