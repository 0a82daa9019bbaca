package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/state"
)

// Allow implements state.Store: one UpdateItem, which adds. A retry of the SDK
// after a lost answer counts twice, which is on the safe side.
func (s *Store) Allow(ctx context.Context, key string, limit int, window time.Duration) (ok bool, until time.Time, err error) {
	if err := state.CheckRate(key, limit, window); err != nil {
		return false, time.Time{}, err
	}
	start, end := state.Window(s.now(), window)
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: item{"pk": str(RatePrefix + key), "sk": str(fmt.Sprintf("%s#%d", window, start.UnixNano()))},
		UpdateExpression:          aws.String("ADD #n :one SET #ttl = :ttl"),
		ExpressionAttributeNames:  map[string]string{"#n": "n", "#ttl": TTL},
		ExpressionAttributeValues: item{":one": number(1), ":ttl": ttl(end)},
		ReturnValues:              types.ReturnValueUpdatedNew,
	})
	if err != nil {
		return false, time.Time{}, fmt.Errorf("count an attempt: %w", err)
	}
	return int(integer(out.Attributes["n"])) <= limit, end, nil
}
