package dynamo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/audit"
	audits "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/state"
	"intervals-mcp/internal/state/dynamo"
	"intervals-mcp/internal/state/statetest"
)

// world is an empty store whose client fails on demand, and what stands behind.
type world struct {
	*dynamo.Store
	log    *audits.Log // never fails
	clock  *statetest.Clock
	client *dynamodb.Client
	table  string
	audit  string // the audit table
	faults *awstest.Faults
}

func open(t *testing.T, env awsenv.Env) world {
	t.Helper()
	client, failing, table, faults := awstest.NewTable(t, env, dynamo.Definition)
	log := awstest.Name(t)
	awstest.CreateTable(t, client, audits.Definition(log))
	clock := statetest.NewClock()
	return world{dynamo.New(failing, table, log, clock.Now), audits.New(client, log), clock, client, table, log, faults}
}

// each runs a test on every emulator with a plan that is there.
func each(t *testing.T, run func(t *testing.T, w world, p state.Waiting)) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		w, p := open(t, env), large(0)
		if err := w.Keep(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		w.faults.Calls()
		run(t, w, p)
	})
}

// large is a plan of three parts.
func large(minutes int) state.Waiting {
	p := statetest.Plan("u1", minutes)
	p.Plan = make([]byte, 800_000)
	r := rand.New(rand.NewPCG(1, uint64(minutes)))
	for i := range p.Plan {
		p.Plan[i] = byte(r.Uint32())
	}
	return p
}

func (w world) items(t *testing.T) []map[string]types.AttributeValue {
	t.Helper()
	var all []map[string]types.AttributeValue
	for pages := dynamodb.NewScanPaginator(w.client, &dynamodb.ScanInput{TableName: &w.table, ConsistentRead: aws.Bool(true)}); pages.HasMorePages(); {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Items...)
	}
	return all
}

func (w world) heads(t *testing.T) int {
	t.Helper()
	heads, err := w.log.Heads(t.Context(), audit.Query{User: "u1"})
	if err != nil {
		t.Fatal(err)
	}
	return len(heads)
}

// waits reports that the plan is there whole and was not used.
func (w world) waits(t *testing.T, p state.Waiting) {
	t.Helper()
	got, err := w.Get(t.Context(), "u1", p.Handle)
	if err != nil || !got.Change.IsZero() || !bytes.Equal(got.Plan, p.Plan) {
		t.Errorf("the plan: change %q, %d bytes, %v", got.Change, len(got.Plan), err)
	}
}

func (w world) gone(t *testing.T, handle string) {
	t.Helper()
	if got, err := w.Get(t.Context(), "u1", handle); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("found %+v, %v", got, err)
	}
	if err := w.Use(t.Context(), "u1", handle, statetest.Head("u1", 77)); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("use: %v", err)
	}
	list, err := w.Waiting(t.Context(), "u1")
	if err != nil || slices.ContainsFunc(list, func(p state.Waiting) bool { return p.Handle == handle }) {
		t.Errorf("listed %v, %v", list, err)
	}
}

func TestDynamoDBIsAStateStore(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		statetest.Suite(t, func(t *testing.T, clock *statetest.Clock) (state.Store, audit.Log) {
			w := open(t, env)
			// A client that waits as long as it takes: a retry counts once more.
			o := w.client.Options()
			o.HTTPClient = http.DefaultClient
			patient := dynamodb.New(o)
			return dynamo.New(patient, w.table, w.audit, clock.Now), audits.New(patient, w.audit)
		})
	})
}

func TestEveryItemIsSmallAndHasATimeToLive(t *testing.T) {
	each(t, func(t *testing.T, w world, p state.Waiting) {
		if _, _, err := w.Allow(t.Context(), "k", 1, time.Hour); err != nil {
			t.Fatal(err)
		}
		all := w.items(t)
		if len(all) != 5 { // three parts, a head, a count
			t.Errorf("%d items", len(all))
		}
		for _, it := range all {
			size := 0
			for k, v := range it {
				size += len(k)
				switch v := v.(type) {
				case *types.AttributeValueMemberB:
					size += len(v.Value)
				case *types.AttributeValueMemberS:
					size += len(v.Value)
				}
			}
			ttl, _ := it[dynamo.TTL].(*types.AttributeValueMemberN)
			if size > state.MaxItem || ttl == nil || len(ttl.Value) != 10 {
				t.Errorf("%v: %d bytes, time to live %v", it["sk"], size, ttl)
			}
		}
	})
}

func TestTheHeadIsWrittenLastAndReadsAreStronglyConsistent(t *testing.T) {
	w := open(t, awstest.Env(t))
	var puts []string
	w.faults.Seen = func(op string, body []byte) {
		var in struct {
			Item           map[string]struct{ S string }
			ConsistentRead bool
		}
		if err := json.Unmarshal(body, &in); err != nil {
			t.Error(err)
		}
		switch op {
		case "PutItem":
			name, _, _ := strings.Cut(in.Item["sk"].S, "#")
			puts = append(puts, name)
		case "GetItem", "Query":
			if !in.ConsistentRead {
				t.Errorf("%s is not consistent: %s", op, body)
			}
		}
	}
	p := large(0)
	if err := w.Keep(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if want := []string{"part", "part", "part", "p"}; !slices.Equal(puts, want) {
		t.Errorf("wrote %v, want %v", puts, want)
	}
	w.waits(t, p)
	if _, err := w.Waiting(t.Context(), "u1"); err != nil {
		t.Error(err)
	}
}

func TestAPlanWhoseHeadWasNotWrittenIsNotFound(t *testing.T) {
	for name, fault := range map[string]awstest.Fault{"refused": awstest.Throttled, "not reached": awstest.Unreachable, "no answer": awstest.NoAnswer} {
		t.Run(name, func(t *testing.T) {
			awstest.Each(t, func(t *testing.T, env awsenv.Env) {
				w, p := open(t, env), large(0)
				w.faults.Only = func(op string, body []byte) bool { return op == "PutItem" && bytes.Contains(body, []byte(`"p#`)) }
				w.faults.Set(fault)
				if err := w.Keep(t.Context(), p); err == nil {
					t.Fatal("it was kept")
				}
				w.faults.Set(awstest.None)
				w.gone(t, p.Handle)
			})
		})
	}
}

func TestAnErrorWhileKeepingLeavesNothingToBeFound(t *testing.T) {
	for name, fault := range map[string]awstest.Fault{
		"throttled": awstest.Throttled, "denied": awstest.Denied, "error": awstest.ServerError, "not reached": awstest.Unreachable, "no answer": awstest.NoAnswer,
	} {
		t.Run(name, func(t *testing.T) {
			awstest.Each(t, func(t *testing.T, env awsenv.Env) {
				w, p := open(t, env), large(0)
				w.faults.Set(fault)
				if err := w.Keep(t.Context(), p); err == nil {
					t.Fatal("it was kept")
				}
				w.faults.Set(awstest.None)
				w.gone(t, p.Handle)
			})
		})
	}
}

func TestAKeepWhoseAnswerWasLostIsTriedAgainAndHolds(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		for _, lost := range []string{`"part#`, `"p#`} {
			w, p := open(t, env), large(0)
			w.faults.Only = func(_ string, body []byte) bool { return bytes.Contains(body, []byte(lost)) }
			w.faults.Set(awstest.LostAnswer)
			if err := w.Keep(t.Context(), p); err != nil {
				t.Errorf("%s: %v", lost, err)
			}
			w.waits(t, p)
		}
	})
}

// A request may be on its way for so long that its plan was used meanwhile.
func TestALateWriteDoesNotMakeAUsedPlanAFreshOne(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		w, p := open(t, env), large(0)
		var late []byte
		w.faults.Seen = func(op string, body []byte) {
			if op == "PutItem" && bytes.Contains(body, []byte(`"p#`)) {
				late = body
			}
		}
		if err := w.Keep(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); err != nil {
			t.Fatal(err)
		}
		var in struct {
			ConditionExpression      string
			ExpressionAttributeNames map[string]string
			Item                     map[string]struct{ S, N string }
		}
		if err := json.Unmarshal(late, &in); err != nil {
			t.Fatal(err)
		}
		item := map[string]types.AttributeValue{}
		for k, v := range in.Item {
			item[k] = &types.AttributeValueMemberS{Value: v.S}
			if v.N != "" {
				item[k] = &types.AttributeValueMemberN{Value: v.N}
			}
		}
		_, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &w.table, Item: item, ConditionExpression: &in.ConditionExpression,
			ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: map[string]types.AttributeValue{":rev": item["rev"]}})
		var refused *types.ConditionalCheckFailedException
		if !errors.As(err, &refused) {
			t.Errorf("it was written: %v", err)
		}
		if err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 1)); !errors.Is(err, state.ErrUsed) {
			t.Errorf("used again: %v", err)
		}
	})
}

func TestAUseThatTheStoreRefusedSpendsNothing(t *testing.T) {
	for name, fault := range map[string]awstest.Fault{
		"throttled": awstest.Throttled, "denied": awstest.Denied, "error": awstest.ServerError, "not reached": awstest.Unreachable,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w world, p state.Waiting) {
				for _, what := range []string{"", "TransactWriteItems"} {
					w.faults.Only = func(op string, _ []byte) bool { return what == "" || op == what }
					w.faults.Set(fault)
					err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0))
					if err == nil || errors.Is(err, state.ErrUsed) || errors.Is(err, state.ErrNotFound) || errors.Is(err, audit.ErrExists) {
						t.Errorf("%s: %v", what, err)
					}
					w.faults.Set(awstest.None)
					w.waits(t, p)
					if n := w.heads(t); n != 0 {
						t.Errorf("%s: %d heads", what, n)
					}
				}
				if err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); err != nil {
					t.Errorf("afterwards: %v", err)
				}
			})
		})
	}
}

// The emulators know no request tokens: the SDK's own retry finds the condition
// false, and the read back tells that it was this change.
func TestAUseWhoseAnswerWasLostIsItsChange(t *testing.T) {
	each(t, func(t *testing.T, w world, p state.Waiting) {
		w.faults.Set(awstest.LostAnswer)
		if err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); err != nil {
			t.Errorf("used: %v", err)
		}
		if got := w.faults.Calls(); !slices.Equal(got, []string{"TransactWriteItems", "TransactWriteItems", "GetItem"}) {
			t.Errorf("calls %v", got)
		}
		if got, err := w.Get(t.Context(), "u1", p.Handle); err != nil || got.Change.String() != statetest.Head("u1", 0).Change.String() || w.heads(t) != 1 {
			t.Errorf("%+v, %v, %d heads", got, err, w.heads(t))
		}
	})
}

func TestAUseThatIsNeverAnsweredCanBeAskedAgain(t *testing.T) {
	each(t, func(t *testing.T, w world, p state.Waiting) {
		w.faults.Set(awstest.NoAnswer)
		err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0))
		if err == nil || errors.Is(err, state.ErrUsed) || errors.Is(err, state.ErrNotFound) {
			t.Errorf("nobody can know: %v", err)
		}
		w.faults.Set(awstest.None)
		if err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); err != nil {
			t.Errorf("asked again: %v", err)
		}
		if err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 1)); !errors.Is(err, state.ErrUsed) {
			t.Errorf("another change: %v", err)
		}
		if n := w.heads(t); n != 1 {
			t.Errorf("%d heads", n)
		}
	})
}

func TestARetryOfTheTransactionCarriesTheSameToken(t *testing.T) {
	w, p := open(t, awstest.Env(t)), large(0)
	if err := w.Keep(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	w.faults.Seen = func(op string, body []byte) {
		var in struct{ ClientRequestToken string }
		if err := json.Unmarshal(body, &in); err != nil {
			t.Error(err)
		}
		if op == "TransactWriteItems" {
			tokens = append(tokens, in.ClientRequestToken)
		}
	}
	w.faults.Set(awstest.LostAnswer)
	if err := w.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); err != nil {
		t.Error(err)
	}
	if len(tokens) != 2 || tokens[0] == "" || tokens[0] != tokens[1] {
		t.Errorf("tokens %q", tokens)
	}
}

func TestATransactionThatMetAnotherIsTriedAgain(t *testing.T) {
	w := open(t, awstest.Env(t))
	for i, tt := range []struct {
		reasons []string
		asked   int
		fails   bool
	}{
		{[]string{"TransactionConflict"}, 2, false},
		{[]string{"ThrottlingError", "ProvisionedThroughputExceeded"}, 3, false},
		{slices.Repeat([]string{"TransactionConflict"}, 9), 4, true},
		{[]string{"ValidationError"}, 1, true},
	} {
		p, door := statetest.Plan("u1", 0), &awstest.Canceling{Reasons: slices.Clone(tt.reasons)}
		if err := w.Keep(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		o := w.client.Options()
		o.HTTPClient = door
		err := dynamo.New(dynamodb.New(o), w.table, w.audit, w.clock.Now).Use(t.Context(), "u1", p.Handle, statetest.Head("u1", i))
		if (err != nil) != tt.fails || door.Seen != tt.asked {
			t.Errorf("%v: %v after %d transactions, want %d", tt.reasons, err, door.Seen, tt.asked)
		}
		if got, err := w.Get(t.Context(), "u1", p.Handle); err != nil || got.Change.IsZero() != tt.fails {
			t.Errorf("%v: change %q, %v", tt.reasons, got.Change, err)
		}
	}
}

func TestAStoreThatFailsIsNeverAnAnswer(t *testing.T) {
	w := open(t, awstest.Env(t))
	for name, fault := range map[string]awstest.Fault{"throttled": awstest.Throttled, "denied": awstest.Denied, "not reached": awstest.Unreachable} {
		w.faults.Set(fault)
		handle := state.NewHandle()
		_, get := w.Get(t.Context(), "u1", handle)
		_, wrong := w.Wrong(t.Context(), "u1", handle)
		_, list := w.Waiting(t.Context(), "u1")
		ok, _, allow := w.Allow(t.Context(), "k", 1, time.Hour)
		for op, err := range map[string]error{"get": get, "wrong": wrong, "list": list, "allow": allow,
			"drop": w.Drop(t.Context(), "u1", handle), "use": w.Use(t.Context(), "u1", handle, statetest.Head("u1", 0))} {
			if err == nil || errors.Is(err, state.ErrNotFound) || errors.Is(err, state.ErrUsed) {
				t.Errorf("%s: %s: %v", name, op, err)
			}
			if err != nil && strings.Contains(err.Error(), handle) {
				t.Errorf("%s: %s shows a confirmation: %v", name, op, err)
			}
		}
		if ok {
			t.Errorf("%s: allowed", name)
		}
	}
}

func TestADroppedPlanLeavesNoParts(t *testing.T) {
	each(t, func(t *testing.T, w world, p state.Waiting) {
		if err := w.Drop(t.Context(), "u1", p.Handle); err != nil {
			t.Fatal(err)
		}
		if all := w.items(t); len(all) != 0 {
			t.Errorf("%d items are left", len(all))
		}
	})
}

// The parts are read after the head.
func TestAPlanThatIsDroppedWhileItIsReadIsNotFound(t *testing.T) {
	each(t, func(t *testing.T, w world, p state.Waiting) {
		other := dynamo.New(w.client, w.table, "none", w.clock.Now)
		w.faults.Seen = func(op string, _ []byte) {
			if op == "Query" {
				if err := other.Drop(t.Context(), "u1", p.Handle); err != nil {
					t.Error(err)
				}
			}
		}
		if got, err := w.Get(t.Context(), "u1", p.Handle); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("%d bytes, %v", len(got.Plan), err)
		}
	})
}

func TestAPlanThatLostAPartIsAnError(t *testing.T) {
	each(t, func(t *testing.T, w world, p state.Waiting) {
		for _, it := range w.items(t) {
			if sk := it["sk"].(*types.AttributeValueMemberS).Value; strings.HasSuffix(sk, "#001") {
				if _, err := w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &w.table, Key: map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got, err := w.Get(t.Context(), "u1", p.Handle); err == nil || errors.Is(err, state.ErrNotFound) {
			t.Errorf("%d bytes, %v", len(got.Plan), err)
		}
	})
}
