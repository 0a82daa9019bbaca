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

// Purger deletes a user's items for good. It is for the operator's command, with
// the operator's own rights (dynamodb:Query and BatchWriteItem): no function has
// them, and Log cannot do it.
type Purger struct {
	client *dynamodb.Client
	table  string
}

// NewPurger makes a Purger of a client and the table's name.
func NewPurger(client *dynamodb.Client, table string) *Purger { return &Purger{client, table} }

// Entries counts what Purge would delete.
func (p *Purger) Entries(ctx context.Context, user string) (n int, err error) {
	in := p.of(user)
	in.Select = types.SelectCount
	for pages := dynamodb.NewQueryPaginator(p.client, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, fmt.Errorf("count audit log: %w", err)
		}
		n += int(page.Count)
	}
	return n, nil
}

func (p *Purger) of(user string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName: &p.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :pk"),
		ExpressionAttributeValues: values{":pk": str(audit.PartitionKey(user))},
	}
}

// Purge deletes, calls progress with how many are gone, and gives their number.
func (p *Purger) Purge(ctx context.Context, user string, progress func(done int)) (n int, err error) {
	in := p.of(user)
	in.ProjectionExpression = aws.String("pk, sk")
	pages := dynamodb.NewQueryPaginator(p.client, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, fmt.Errorf("purge audit log: %w", err)
		}
		for keys := page.Items; len(keys) > 0; {
			batch := keys[:min(len(keys), 25)]
			if err := p.delete(ctx, batch); err != nil {
				return n, fmt.Errorf("purge audit log: %w", err)
			}
			keys = keys[len(batch):]
			n += len(batch)
			progress(n)
		}
	}
	return n, nil
}

func (p *Purger) delete(ctx context.Context, keys []values) error {
	var requests []types.WriteRequest
	for _, k := range keys {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: k}})
	}
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		out, err := p.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{p.table: requests}})
		if err != nil {
			return err
		}
		if requests = out.UnprocessedItems[p.table]; len(requests) == 0 {
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
