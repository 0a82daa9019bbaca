package dynamo_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/audit/audittest"
	"intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
)

// open makes an empty log on moto, and a client that fails on demand.
func open(t *testing.T) (*dynamo.Log, *dynamodb.Client, string, *awstest.Faults) {
	t.Helper()
	return openOn(t, awstest.Env(t))
}

func openOn(t *testing.T, env awsenv.Env) (*dynamo.Log, *dynamodb.Client, string, *awstest.Faults) {
	t.Helper()
	client, failing, name, faults := awstest.NewTable(t, env, dynamo.Definition)
	return dynamo.New(failing, name), client, name, faults
}

func TestDynamoDBIsALog(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		audittest.Suite(t, func(t *testing.T) audit.Log {
			log, _, _, _ := openOn(t, env)
			return log
		})
	})
}

func TestTheLogOnlyAddsAndReads(t *testing.T) {
	log, _, _, faults := open(t)
	head := audittest.Head("u1", 0)
	if err := audit.WriteIntent(t.Context(), log, head, nil); err != nil {
		t.Fatal(err)
	}
	if err := log.Append(t.Context(), []audit.Item{{}}); err == nil {
		t.Error("an empty item was stored")
	}
	for _, q := range []audit.Query{{User: "u1"}, {Athlete: "i1"}, {Day: "2026-07-15"}} {
		if heads, err := log.Heads(t.Context(), q); err != nil || len(heads) != 1 {
			t.Errorf("%+v: %d, %v", q, len(heads), err)
		}
	}
	if got := faults.Calls(); !slices.Equal(got, []string{"TransactWriteItems", "Query", "Query", "Query"}) {
		t.Errorf("calls %v", got)
	}
}

// BETWEEN with its bounds the wrong way round is a ValidationException.
func TestDynamoDBIsNotAskedForARangeThatEndsBeforeItBegins(t *testing.T) {
	log, _, _, faults := open(t)
	at := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	for _, q := range []audit.Query{{User: "u1"}, {Athlete: "i1"}, {Day: "2026-07-15"}} {
		q.From, q.Before = at, audit.NewID(at.Add(-time.Second), "r")
		if heads, err := log.Heads(t.Context(), q); err != nil || len(heads) != 0 {
			t.Errorf("%+v: %d, %v", q, len(heads), err)
		}
	}
	if got := faults.Calls(); len(got) != 0 {
		t.Errorf("calls %v", got)
	}
}

func TestATransactionThatIsInTheWayOfAnotherIsTriedAgain(t *testing.T) {
	for _, tt := range []struct {
		reasons []string
		want    string // in the error
	}{
		{[]string{"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}, ""},
		{slices.Repeat([]string{"TransactionConflict"}, 9), "TransactionCanceledException"},
		{[]string{"ConditionalCheckFailed"}, audit.ErrExists.Error()},
		{[]string{"ValidationError"}, "TransactionCanceledException"},
	} {
		_, client, name, _ := open(t)
		o := client.Options()
		o.HTTPClient = &awstest.Canceling{Reasons: slices.Clone(tt.reasons)}
		err := audit.WriteIntent(t.Context(), dynamo.New(dynamodb.New(o), name), audittest.Head("u1", 0), nil)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: %v", tt.reasons, err)
		}
	}
}

func TestARetryAfterALostAnswerIsTheSameTransaction(t *testing.T) {
	log, _, _, faults := open(t)
	var tokens []string
	faults.Seen = func(_ string, body []byte) {
		var in struct{ ClientRequestToken string }
		if err := json.Unmarshal(body, &in); err != nil {
			t.Error(err)
		}
		tokens = append(tokens, in.ClientRequestToken)
	}
	faults.Set(awstest.LostAnswer)
	err := log.Append(t.Context(), []audit.Item{audittest.Head("u1", 0)})
	if len(tokens) != 2 || tokens[0] == "" || tokens[0] != tokens[1] { // moto does not know of request tokens
		t.Errorf("request tokens %q, %v", tokens, err)
	}
}

func TestAStoreThatFailsRefusesTheIntentAndTellsNothing(t *testing.T) {
	log, _, _, faults := open(t)
	head := audittest.Head("u1", 0)
	for _, fault := range []awstest.Fault{awstest.Throttled, awstest.Denied, awstest.ServerError, awstest.Unreachable} {
		faults.Set(fault)
		if err := audit.WriteIntent(t.Context(), log, head, nil); err == nil || errors.Is(err, audit.ErrExists) {
			t.Errorf("fault %v: %v", fault, err)
		}
		if heads, err := log.Heads(t.Context(), audit.Query{User: "u1"}); err == nil {
			t.Errorf("fault %v: %d heads and no error", fault, len(heads))
		}
	}
	faults.Set(awstest.None)
	if err := audit.WriteIntent(t.Context(), log, head, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestItemsExpireByThemselvesAndHeadsAreReadableInTheConsole(t *testing.T) {
	log, client, name, _ := open(t)
	head := audittest.Head("u1", 0)
	head.Status = audit.Applied
	if err := audit.WriteOutcome(t.Context(), log, head, []audit.Item{audittest.Head("u1", 0)}); err != nil {
		t.Fatal(err)
	}
	all, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if err != nil || len(all.Items) != 2 {
		t.Fatalf("%d items, %v", len(all.Items), err)
	}
	heads := 0
	for _, it := range all.Items {
		if _, ok := it["ttl"].(*types.AttributeValueMemberN); !ok {
			t.Errorf("no ttl: %v", it)
		}
		if s, ok := it["status"].(*types.AttributeValueMemberS); ok && s.Value == "applied" {
			heads++
		}
	}
	if heads != 1 {
		t.Errorf("%d heads", heads)
	}
}

func TestAnItemOfANewerReleaseIsRefusedWithTheRemedyAndAnOlderOneIsRead(t *testing.T) {
	log, client, name, _ := open(t)
	put := func(sk, body string) {
		t.Helper()
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "u#u1"}, "sk": &types.AttributeValueMemberS{Value: sk},
			"day": &types.AttributeValueMemberS{Value: "2026-07-15"}, "item": &types.AttributeValueMemberS{Value: body}}}); err != nil {
			t.Fatal(err)
		}
	}
	id := audit.NewID(time.Date(2026, 7, 15, 1, 2, 3, 0, time.UTC), "r")
	put(id.SortKey(0, audit.Intent), `{"change_id":"`+id.String()+`","user":"u1"}`)
	if heads, err := log.Heads(t.Context(), audit.Query{Day: "2026-07-15"}); err != nil || len(heads) != 1 || heads[0].Change != id {
		t.Errorf("older: %+v, %v", heads, err)
	}
	put(id.SortKey(0, audit.Outcome), `{"schema":99,"change_id":{"time":1}}`)
	if _, err := log.Heads(t.Context(), audit.Query{User: "u1"}); !errors.Is(err, dynamo.ErrNewer) {
		t.Errorf("newer: %v", err)
	}
}

func TestPurgingAUserLeavesEverybodyElsesLog(t *testing.T) {
	awstest.Each(t, purgingAUserLeavesEverybodyElsesLog)
}

func purgingAUserLeavesEverybodyElsesLog(t *testing.T, env awsenv.Env) {
	log, client, name, _ := openOn(t, env)
	for i := range 30 {
		for _, user := range []string{"u1", "u11"} {
			if err := log.Append(t.Context(), []audit.Item{audittest.Head(user, i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, seen := dynamo.NewPurger(client, name), 0
	if n, err := p.Entries(t.Context(), "u1"); err != nil || n != 30 {
		t.Errorf("would purge %d, %v", n, err)
	}
	if n, err := p.Purge(t.Context(), "u1", func(n int) { seen = n }); err != nil || n != 30 || seen != 30 {
		t.Errorf("purged %d, %v", n, err)
	}
	for user, want := range map[string]int{"u1": 0, "u11": 30} {
		if heads, err := log.Heads(t.Context(), audit.Query{User: user}); err != nil || len(heads) != want {
			t.Errorf("%s: %d, %v; want %d", user, len(heads), err, want)
		}
	}
}
