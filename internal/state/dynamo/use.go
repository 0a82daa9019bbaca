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
	audits "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/state"
)

// Use implements state.Store. Whatever the transaction's answer was, what is
// stored tells: the confirmation names the change that it was used for.
func (s *Store) Use(ctx context.Context, user, handle string, of audit.Item) error {
	if err := state.CheckHead(user, of); err != nil {
		return err
	}
	if !state.ValidHandle(handle) {
		return state.ErrNotFound
	}
	put, err := audits.Put(s.audit, of)
	if err != nil {
		return err
	}
	for wait := 20 * time.Millisecond; ; wait *= 3 {
		_, err := s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{{Update: s.spend(user, handle, of.Change)}, put},
		})
		if err == nil {
			return nil
		}
		h, unread := s.head(ctx, user, handle)
		exists, busy := canceled(err)
		switch {
		case errors.Is(unread, state.ErrNotFound):
			return state.ErrNotFound
		case unread != nil:
			return fmt.Errorf("use confirmation: %w", err)
		case h.Change.String() == of.Change.String():
			return nil // a retry after a lost answer: it was this very change
		case !h.Change.IsZero():
			return state.ErrUsed
		case exists:
			return audit.ErrExists
		case !busy || wait > 200*time.Millisecond:
			return fmt.Errorf("use confirmation: %w", err)
		}
		select { // another transaction held one of the keys, or a table was throttled
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("use confirmation: %w", ctx.Err())
		}
	}
}

// spend is the write that makes a plan the trace of a used one. Its parts are
// out of reach from then on, and expire.
func (s *Store) spend(user, handle string, change audit.ID) *types.Update {
	until := s.now().Add(state.UsedLife)
	names := usableNames()
	names["#ttl"] = TTL
	return &types.Update{
		TableName: &s.table, Key: headKey(user, handle), UpdateExpression: aws.String("SET #change = :change, #until = :until, #ttl = :ttl"),
		ConditionExpression: aws.String(usable), ExpressionAttributeNames: names,
		ExpressionAttributeValues: s.usableValues(item{":change": str(change.String()), ":until": number(until.UnixNano()), ":ttl": ttl(until)}),
	}
}

// canceled tells why a transaction was not carried out: exists that the head is
// in the audit log, busy that it may be carried out a moment later, which the SDK
// does not try by itself.
func canceled(err error) (exists, busy bool) {
	var c *types.TransactionCanceledException
	if !errors.As(err, &c) {
		return false, false
	}
	for i, why := range c.CancellationReasons {
		switch aws.ToString(why.Code) {
		case "ConditionalCheckFailed":
			exists = exists || i == 1
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			busy = true
		}
	}
	return exists, busy
}
