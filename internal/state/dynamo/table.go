package dynamo

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
)

// Prefixes of partition keys, for a role's dynamodb:LeadingKeys.
const (
	UserPrefix = "u#"
	RatePrefix = "r#"
)

// TTL is the attribute that is the table's time to live.
const TTL = "expires"

const (
	headPrefix = "p#"
	partPrefix = "part#"
)

// maxPart leaves room in an item for its key.
const maxPart = state.MaxItem - 1<<10

// Store implements state.Store.
type Store struct {
	client       *dynamodb.Client
	table, audit string
	now          func() time.Time
}

// New makes a Store of a client, the table's name and that of the audit table,
// which Use writes to.
func New(client *dynamodb.Client, table, auditTable string, now func() time.Time) *Store {
	return &Store{client, table, auditTable, now}
}

type item = map[string]types.AttributeValue

func headKey(user, handle string) item {
	return item{"pk": str(UserPrefix + user), "sk": str(headPrefix + handle)}
}

// partKey has a fixed width, so that parts sort as they follow.
func partKey(user, handle string, n int) item {
	return item{"pk": str(UserPrefix + user), "sk": str(fmt.Sprintf("%s%s#%03d", partPrefix, handle, n))}
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number[N int | int64](n N) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(int64(n), 10)}
}

// ttl is when DynamoDB may delete what ends at t.
func ttl(t time.Time) types.AttributeValue { return number(t.Unix() + 1) }

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func integer(v types.AttributeValue) int64 {
	if n, ok := v.(*types.AttributeValueMemberN); ok {
		if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return i
		}
	}
	return 0
}

// head is a plan as its head item tells of it.
type head struct {
	state.Waiting
	until       int64 // Unix nanoseconds
	parts, size int
}

// gone reports whether a head that is still there counts for nothing.
func (h head) gone(now time.Time) bool {
	return now.UnixNano() >= h.until || (h.Change.IsZero() && h.Wrong >= state.MaxWrong)
}

func decode(it item) (head, error) {
	user, handle := text(it["pk"]), text(it["sk"])
	if len(user) < len(UserPrefix) || len(handle) < len(headPrefix) {
		return head{}, errors.New("state: a stored plan has no key")
	}
	w, err := state.Decode(user[len(UserPrefix):], handle[len(headPrefix):], []byte(text(it["item"])))
	if err != nil {
		return head{}, err
	}
	w.Wrong = int(integer(it["wrong"]))
	if id := text(it["change"]); id != "" {
		if w.Change, err = audit.ParseID(id); err != nil {
			return head{}, fmt.Errorf("state: a stored plan is damaged: %w", err)
		}
	}
	return head{w, integer(it["until"]), int(integer(it["parts"])), int(integer(it["size"]))}, nil
}

// Definition is the table as template.yaml must describe it. Emulators are set
// up with it, and a test compares the two.
func Definition(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	}
}
