package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/state"
)

// notUsed is the condition that a plan was not used. Names stand for attributes
// everywhere: DynamoDB reserves hundreds of words.
const notUsed = "attribute_not_exists(#change)"

// Keep implements state.Store.
func (s *Store) Keep(ctx context.Context, w state.Waiting) error {
	if err := w.Check(); err != nil {
		return err
	}
	packed, err := state.Pack(w.Plan)
	if err != nil {
		return err
	}
	description, err := w.Encode()
	if err != nil {
		return fmt.Errorf("keep plan: %w", err)
	}
	parts := 0
	for part := range slices.Chunk(packed, maxPart) {
		it := partKey(w.User, w.Handle, parts)
		it["part"], it[TTL] = &types.AttributeValueMemberB{Value: part}, ttl(w.Expires)
		if _, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: it}); err != nil {
			return fmt.Errorf("keep plan: %w", err)
		}
		parts++
	}
	it := headKey(w.User, w.Handle)
	it["item"], it["rev"] = str(string(description)), str(rand.Text())
	it["until"], it[TTL] = number(w.Expires.UnixNano()), ttl(w.Expires)
	it["parts"], it["size"] = number(parts), number(len(packed))
	// The SDK's own retry after a lost answer finds its own rev. Without the
	// condition a request that was on its way for too long could make a used plan
	// a fresh one.
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, Item: it, ConditionExpression: aws.String("attribute_not_exists(#pk) OR (#rev = :rev AND " + notUsed + ")"),
		ExpressionAttributeNames:  map[string]string{"#pk": "pk", "#rev": "rev", "#change": "change"},
		ExpressionAttributeValues: item{":rev": it["rev"]},
	})
	var exists *types.ConditionalCheckFailedException
	if errors.As(err, &exists) {
		return state.ErrExists
	}
	if err != nil {
		// It may be there all the same; nobody will ever be told its handle.
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = s.Drop(undo, w.User, w.Handle) // it goes by itself in the end
		return fmt.Errorf("keep plan: %w", err)
	}
	return nil
}

// Get implements state.Store.
func (s *Store) Get(ctx context.Context, user, handle string) (state.Waiting, error) {
	for range 2 {
		h, err := s.head(ctx, user, handle)
		if err != nil {
			return state.Waiting{}, err
		}
		if !h.Change.IsZero() {
			return h.Waiting, nil
		}
		packed, err := s.parts(ctx, user, handle)
		if err != nil {
			return state.Waiting{}, err
		}
		if len(packed) == h.size {
			h.Plan, err = state.Unpack(packed)
			return h.Waiting, err
		}
		// It was dropped between the two reads; the head then tells.
	}
	return state.Waiting{}, errors.New("read plan: parts of it are missing")
}

// head reads a plan's head. ErrNotFound as for Get.
func (s *Store) head(ctx context.Context, user, handle string) (head, error) {
	if user == "" || !state.ValidHandle(handle) {
		return head{}, state.ErrNotFound
	}
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: headKey(user, handle), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return head{}, fmt.Errorf("read plan: %w", err)
	}
	if len(out.Item) == 0 {
		return head{}, state.ErrNotFound
	}
	h, err := decode(out.Item)
	if err == nil && h.gone(s.now()) {
		err = state.ErrNotFound
	}
	return h, err
}

func (s *Store) parts(ctx context.Context, user, handle string) ([]byte, error) {
	var packed []byte
	pages := dynamodb.NewQueryPaginator(s.client, s.query(user, partPrefix+handle+"#"))
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read plan: %w", err)
		}
		for _, it := range page.Items {
			part, _ := it["part"].(*types.AttributeValueMemberB)
			if part == nil {
				return nil, errors.New("read plan: a part is empty")
			}
			packed = append(packed, part.Value...)
		}
	}
	return packed, nil
}

func (s *Store) query(user, prefix string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("#pk = :pk AND begins_with(#sk, :sk)"),
		ExpressionAttributeNames:  map[string]string{"#pk": "pk", "#sk": "sk"},
		ExpressionAttributeValues: item{":pk": str(UserPrefix + user), ":sk": str(prefix)},
	}
}

// Waiting implements state.Store.
func (s *Store) Waiting(ctx context.Context, user string) ([]state.Waiting, error) {
	var out []state.Waiting
	pages := dynamodb.NewQueryPaginator(s.client, s.query(user, headPrefix))
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list plans: %w", err)
		}
		for _, it := range page.Items {
			h, err := decode(it)
			if err != nil {
				return nil, err
			}
			if h.Change.IsZero() && !h.gone(s.now()) {
				out = append(out, h.Waiting)
			}
		}
	}
	state.SortNewest(out)
	return out, nil
}

// Wrong implements state.Store. A retry of the SDK after a lost answer counts
// twice, which is on the safe side.
func (s *Store) Wrong(ctx context.Context, user, handle string) (left int, err error) {
	if user == "" || !state.ValidHandle(handle) {
		return 0, state.ErrNotFound
	}
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: headKey(user, handle), UpdateExpression: aws.String("ADD #wrong :one"),
		ConditionExpression:       aws.String(usable),
		ExpressionAttributeNames:  usableNames(),
		ExpressionAttributeValues: s.usableValues(item{":one": number(1)}),
		ReturnValues:              types.ReturnValueUpdatedNew,
	})
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		h, err := s.head(ctx, user, handle)
		if err == nil && !h.Change.IsZero() {
			err = state.ErrUsed
		} else if err == nil { // it was neither used nor gone when it was refused
			err = errors.New("count a wrong summary: the store contradicts itself")
		}
		return 0, err
	}
	if err != nil {
		return 0, fmt.Errorf("count a wrong summary: %w", err)
	}
	left = max(0, state.MaxWrong-int(integer(out.Attributes["wrong"])))
	if left == 0 {
		_ = s.Drop(ctx, user, handle) // the count alone has dropped it
	}
	return left, nil
}

// usable is the condition that a plan can be confirmed.
const usable = "attribute_exists(#pk) AND " + notUsed + " AND #until > :now AND (attribute_not_exists(#wrong) OR #wrong < :max)"

func usableNames() map[string]string {
	return map[string]string{"#pk": "pk", "#change": "change", "#until": "until", "#wrong": "wrong"}
}

func (s *Store) usableValues(more item) item {
	more[":now"], more[":max"] = number(s.now().UnixNano()), number(state.MaxWrong)
	return more
}

// Drop implements state.Store.
func (s *Store) Drop(ctx context.Context, user, handle string) error {
	if user == "" || !state.ValidHandle(handle) {
		return nil
	}
	out, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table, Key: headKey(user, handle), ConditionExpression: aws.String(notUsed),
		ExpressionAttributeNames: map[string]string{"#change": "change"}, ReturnValues: types.ReturnValueAllOld,
	})
	var used *types.ConditionalCheckFailedException
	if errors.As(err, &used) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("drop plan: %w", err)
	}
	for n := range int(integer(out.Attributes["parts"])) {
		// Parts without a head are nothing; the table forgets them in the end.
		_, _ = s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: partKey(user, handle, n)})
	}
	return nil
}
