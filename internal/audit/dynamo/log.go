package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/audit"
)

// Names of the two indexes, and of their partition keys.
const (
	DayIndex     = "day"
	AthleteIndex = "athlete"
)

// Log implements audit.Log.
type Log struct {
	client *dynamodb.Client
	table  string
}

// New makes a Log of a client and the table's name.
func New(client *dynamodb.Client, table string) *Log { return &Log{client, table} }

// Append implements audit.Log.
func (l *Log) Append(ctx context.Context, items []audit.Item) error {
	writes := make([]types.TransactWriteItem, 0, len(items))
	for _, item := range items {
		put, err := Put(l.table, item)
		if err != nil {
			return err
		}
		writes = append(writes, put)
	}
	for wait := 20 * time.Millisecond; ; wait *= 3 {
		_, err := l.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		if err == nil {
			return nil
		}
		exists, busy := canceled(err)
		if exists {
			return audit.ErrExists
		}
		if !busy || wait > 200*time.Millisecond {
			return fmt.Errorf("write audit log: %w", err)
		}
		select { // another transaction held one of the keys, or the table was throttled
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("write audit log: %w", ctx.Err())
		}
	}
}

// Put is the write that adds an item to the log's table, for a transaction that
// writes elsewhere too: it fails where the item is there already.
func Put(table string, item audit.Item) (types.TransactWriteItem, error) {
	if err := item.Check(); err != nil {
		return types.TransactWriteItem{}, err
	}
	it, err := encode(item)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("write audit log: %w", err)
	}
	return types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")}}, nil
}

// canceled tells why a transaction was not carried out; busy means that it may be
// a moment later, which the SDK does not try by itself.
func canceled(err error) (exists, busy bool) {
	var c *types.TransactionCanceledException
	if !errors.As(err, &c) {
		return false, false
	}
	for _, why := range c.CancellationReasons {
		switch aws.ToString(why.Code) {
		case "ConditionalCheckFailed":
			exists = true
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			busy = true
		}
	}
	return exists, busy
}

// Change implements audit.Log.
func (l *Log) Change(ctx context.Context, user string, id audit.ID) ([]audit.Item, error) {
	from, to := id.KeyRange()
	return l.query(ctx, &dynamodb.QueryInput{
		ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: values{":pk": str(audit.PartitionKey(user)), ":from": str(from), ":to": str(to)},
	}, 0)
}

// Heads implements audit.Log.
func (l *Log) Heads(ctx context.Context, q audit.Query) ([]audit.Item, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	from, to := q.Keys()
	if from == "" {
		from = "0" // before every time
	}
	if to == "" {
		to = "~" // after every time
	}
	if from > to { // nothing lies between; DynamoDB refuses to be asked, unlike its emulators
		return nil, nil
	}
	in := &dynamodb.QueryInput{
		ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(min(q.Bound(), 1000))),
		ExpressionAttributeValues: values{":from": str(from), ":to": str(to)},
	}
	switch {
	case q.User != "":
		// The objects are in between; only heads have a day.
		in.Limit = aws.Int32(int32(min(max(2*q.Bound(), 100), 1000)))
		in.ConsistentRead, in.FilterExpression = aws.Bool(true), aws.String("attribute_exists(#day)")
		in.ExpressionAttributeNames = map[string]string{"#day": DayIndex, "#key": "pk"}
		in.ExpressionAttributeValues[":key"] = str(audit.PartitionKey(q.User))
	case q.Athlete != "":
		in.IndexName, in.ExpressionAttributeNames = aws.String(AthleteIndex), map[string]string{"#key": AthleteIndex}
		in.ExpressionAttributeValues[":key"] = str(q.Athlete)
	default:
		in.IndexName, in.ExpressionAttributeNames = aws.String(DayIndex), map[string]string{"#key": DayIndex}
		in.ExpressionAttributeValues[":key"] = str(q.Day)
	}
	in.KeyConditionExpression = aws.String("#key = :key AND sk BETWEEN :from AND :to")
	return l.query(ctx, in, q.Bound())
}

// query reads page after page until there are so many items; 0 = all. Both
// bounds of a range are inclusive here, which is the same: no key equals one.
func (l *Log) query(ctx context.Context, in *dynamodb.QueryInput, bound int) ([]audit.Item, error) {
	in.TableName = &l.table
	var out []audit.Item
	pages := dynamodb.NewQueryPaginator(l.client, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read audit log: %w", err)
		}
		for _, it := range page.Items {
			item, err := decode(it)
			if err != nil {
				return nil, err
			}
			if out = append(out, item); len(out) == bound {
				return out, nil
			}
		}
	}
	return out, nil
}

type values = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func encode(item audit.Item) (values, error) {
	body, err := json.Marshal(item)
	if err != nil {
		return nil, err
	}
	pk, sk := item.Key()
	it := values{"pk": str(pk), "sk": str(sk), "item": str(string(body)),
		"ttl": &types.AttributeValueMemberN{Value: strconv.FormatInt(item.Expires.Unix(), 10)}}
	if item.Head() {
		it[DayIndex] = str(item.Day())
		for k, v := range map[string]string{AthleteIndex: item.Athlete, "tool": item.Tool, "status": string(item.Status), "summary": item.Summary} {
			if v != "" { // a key of an index may not be empty
				it[k] = str(v)
			}
		}
	}
	return it, nil
}

// ErrNewer refuses an item that a newer release wrote.
var ErrNewer = errors.New("the audit log was written by a newer release; update this one (sam build && sam deploy)")

func decode(it values) (audit.Item, error) {
	body, _ := it["item"].(*types.AttributeValueMemberS)
	if body == nil {
		return audit.Item{}, errors.New("read audit log: an item has no body")
	}
	var version struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal([]byte(body.Value), &version); err == nil && version.Schema > audit.SchemaVersion {
		return audit.Item{}, fmt.Errorf("read audit log: %w (version %d, known up to %d)", ErrNewer, version.Schema, audit.SchemaVersion)
	}
	var item audit.Item
	if err := json.Unmarshal([]byte(body.Value), &item); err != nil {
		return audit.Item{}, fmt.Errorf("read audit log: %w", err)
	}
	return item, nil
}

// Definition is the table as template.yaml must describe it. Emulators are set
// up with it, and a test compares the two.
func Definition(name string) *dynamodb.CreateTableInput {
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	key := func(partition string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &partition, KeyType: types.KeyTypeHash}, {AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange}}
	}
	index := func(name string) types.GlobalSecondaryIndex {
		return types.GlobalSecondaryIndex{IndexName: &name, KeySchema: key(name), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}
	}
	return &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions:   []types.AttributeDefinition{attribute("pk"), attribute("sk"), attribute(DayIndex), attribute(AthleteIndex)},
		KeySchema:              key("pk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{index(DayIndex), index(AthleteIndex)},
	}
}
