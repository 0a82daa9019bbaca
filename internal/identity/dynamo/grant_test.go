package dynamo_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/identity/identitytest"
	"intervals-mcp/internal/secrets"
)

// connected gives the first tokens of a connection.
func connected(t *testing.T, store *identity.Store) identity.Issued {
	t.Helper()
	if _, err := store.AddUser(t.Context(), identitytest.Athlete); err != nil {
		t.Fatal(err)
	}
	out, err := redeem(t, store)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func redeem(t *testing.T, store *identity.Store) (identity.Issued, error) {
	t.Helper()
	code, _, err := store.Authorize(t.Context(), identity.Grant{User: "i1", Client: "c", Redirect: "http://localhost:1/cb", Resource: "https://h/mcp",
		Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Permissions: identity.Permissions{Scopes: []identity.Scope{"read"}}})
	if err != nil {
		t.Fatal(err)
	}
	return store.Redeem(t.Context(), identity.Redemption{Code: code, Client: "c", Redirect: "http://localhost:1/cb",
		Verifier: secrets.New("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")}) // RFC 7636 appendix B
}

func TestAnAnswerThatIsLostOnTheWayLosesNoCodeAndNoSession(t *testing.T) {
	table, _, _, faults := open(t)
	store := identity.NewStore(table, time.Now)
	connected(t, store)
	onWrite := func(op string, _ []byte) bool { return op == "TransactWriteItems" }
	writes := 0
	faults.Only = func(op string, body []byte) bool { // the second write is the redemption's
		if onWrite(op, body) {
			writes++
		}
		return writes == 2
	}
	faults.Set(awstest.LostAnswer)
	out, err := redeem(t, store)
	if err != nil || writes < 3 {
		t.Fatalf("redeemed after %d writes: %v", writes, err)
	}
	faults.Only = onWrite
	for _, fault := range []awstest.Fault{awstest.Unreachable, awstest.NoAnswer, awstest.ServerError, awstest.Throttled} {
		faults.Set(fault)
		if _, err := store.Refresh(t.Context(), identity.Renewal{Token: out.Refresh, Client: "c"}); err == nil && fault != awstest.NoAnswer || errors.Is(err, identity.ErrInvalidGrant) {
			t.Errorf("fault %v: %v", fault, err)
		}
		faults.Set(awstest.None)
		next, err := store.Refresh(t.Context(), identity.Renewal{Token: out.Refresh, Client: "c"})
		if err != nil {
			t.Fatalf("after fault %v: %v", fault, err)
		}
		if found, err := table.Token(t.Context(), identity.HashOf(next.Access.Reveal())); err != nil || found.Usable(time.Now()) != nil {
			t.Errorf("after fault %v: %v", fault, err)
		}
		out = next
	}
}

func TestAStoreThatFailsRefusesNobodysGrant(t *testing.T) {
	table, _, _, faults := open(t)
	store := identity.NewStore(table, time.Now)
	out := connected(t, store)
	for _, fault := range []awstest.Fault{awstest.Throttled, awstest.Denied, awstest.ServerError, awstest.Unreachable} {
		faults.Set(fault)
		_, refresh := store.Refresh(t.Context(), identity.Renewal{Token: out.Refresh, Client: "c"})
		revoke := store.Revoke(t.Context(), out.Access, "c")
		_, client := store.Client(t.Context(), "client-x")
		_, invitation := store.Enrol(t.Context(), identitytest.Coach, identity.NewToken(identity.KindInvite))
		_, _, register := store.Register(t.Context(), identity.Client{Redirects: []string{"https://h/cb"}})
		for op, err := range map[string]error{"refresh": refresh, "revoke": revoke, "client": client, "enrol": invitation, "register": register} {
			if err == nil || errors.Is(err, identity.ErrInvalidGrant) || errors.Is(err, identity.ErrNoClient) || errors.Is(err, identity.ErrNoInvitation) {
				t.Errorf("fault %v: %s: %v", fault, op, err)
			}
			if err != nil && strings.Contains(err.Error(), identity.HashOf(out.Refresh.Reveal()).Hex()) {
				t.Errorf("%s shows a hash: %v", op, err)
			}
		}
	}
	faults.Set(awstest.None)
	if _, err := store.Refresh(t.Context(), identity.Renewal{Token: out.Refresh, Client: "c"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// canceling is an HTTP client for the SDK to which DynamoDB cancels as many
// transactions, for these reasons.
type canceling struct {
	next    *awstest.Faults
	reasons []string
}

func (c *canceling) Do(r *http.Request) (*http.Response, error) {
	if len(c.reasons) == 0 || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "TransactWriteItems") {
		return c.next.Do(r)
	}
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"None"},{"Code":"` + c.reasons[0] + `"}]}`
	c.reasons = c.reasons[1:]
	return &http.Response{StatusCode: 400, Request: r, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func TestATransactionThatIsInTheWayOfAnotherIsTriedAgain(t *testing.T) {
	_, client, name, faults := open(t)
	out := connected(t, identity.NewStore(dynamo.New(client, name), time.Now))
	for _, tt := range []struct {
		reasons []string
		want    string // in the error
	}{
		{[]string{"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "ConditionalCheckFailed"}, ""},
		{slices.Repeat([]string{"TransactionConflict"}, 40), identity.ErrConflict.Error()},
		{slices.Repeat([]string{"ThrottlingError"}, 40), "TransactionCanceledException"},
		{[]string{"ValidationError"}, "TransactionCanceledException"},
	} {
		o := client.Options()
		o.HTTPClient = &canceling{faults, slices.Clone(tt.reasons)}
		store := identity.NewStore(dynamo.New(dynamodb.New(o), name), time.Now)
		next, err := store.Refresh(t.Context(), identity.Renewal{Token: out.Refresh, Client: "c"})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%.3v: %v", tt.reasons, err)
		}
		if err == nil {
			out = next
		}
	}
}

func TestADeletedUserIsNamedByNoItem(t *testing.T) {
	table, client, name, _ := open(t)
	store := identity.NewStore(table, time.Now)
	out := connected(t, store)
	for range 5 {
		next, err := store.Refresh(t.Context(), identity.Renewal{Token: out.Refresh, Client: "c"})
		if err != nil {
			t.Fatal(err)
		}
		out = next
	}
	_, personal, err := store.CreateToken(t.Context(), identity.Request{User: "i1", Scopes: []identity.Scope{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{personal.ID, out.Connection.ID} {
		if err := table.Touch(t.Context(), id, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.RemoveUser(t.Context(), "i1"); err != nil {
		t.Fatal(err)
	}
	left, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range left.Items {
		pk, _ := it["pk"].(*types.AttributeValueMemberS)
		if !strings.HasPrefix(pk.Value, "ref#") || len(it) != 5 || it["ttl"] == nil || it["sealed"] == nil || it["v"] == nil {
			t.Errorf("left: %v", it)
		}
	}
	if len(left.Items) != 7 {
		t.Errorf("%d references for a code and six refresh tokens", len(left.Items))
	}
}
