package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/audit"
)

// Purge deletes a user's items for good and says how many there were. It is for
// the operator's command, with the operator's own rights
// (dynamodb:BatchWriteItem): no function has them, and Log cannot do it.
func Purge(ctx context.Context, client *dynamodb.Client, table, user string, progress func(deleted int)) (n int, err error) {
	pages := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
		TableName: &table, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("pk, sk"),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: values{":pk": str(audit.PartitionKey(user))},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, fmt.Errorf("purge audit log: %w", err)
		}
		for keys := page.Items; len(keys) > 0; {
			batch := keys[:min(len(keys), 25)]
			if err := deleteAll(ctx, client, table, batch); err != nil {
				return n, fmt.Errorf("purge audit log: %w", err)
			}
			keys = keys[len(batch):]
			n += len(batch)
			progress(n)
		}
	}
	return n, nil
}

func deleteAll(ctx context.Context, client *dynamodb.Client, table string, keys []values) error {
	var requests []types.WriteRequest
	for _, k := range keys {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: k}})
	}
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}})
		if err != nil {
			return err
		}
		if requests = out.UnprocessedItems[table]; len(requests) == 0 {
			return nil
		}
		if wait > 10*time.Second {
			return errors.New("the table is too busy; what is left can be purged by running this again")
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
