package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/identity"
)

// Prefixes of partition keys, for a role's dynamodb:LeadingKeys.
const (
	TokenPrefix = "tok#"
	UserPrefix  = "user#"
	UsedPrefix  = "used#"
)

// usedFor is how long "last used" is kept after the last use.
const usedFor = 400 * 24 * time.Hour

// Table implements identity.Table.
type Table struct {
	client *dynamodb.Client
	name   string
}

// New makes a Table of a client and the table's name.
func New(client *dynamodb.Client, name string) *Table { return &Table{client, name} }

// Token implements identity.Tokens: one GetItem, strongly consistent.
func (t *Table) Token(ctx context.Context, h identity.Hash) (identity.Token, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: tokenKey(h), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return identity.Token{}, fmt.Errorf("read token: %w", err)
	}
	if len(out.Item) == 0 {
		return identity.Token{}, identity.ErrNoToken
	}
	return identity.TokenOf(h, fields(out.Item))
}

// Account implements identity.Table.
func (t *Table) Account(ctx context.Context, user string) (identity.Account, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: userKey(user), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return identity.Account{}, fmt.Errorf("read user %s: %w", user, err)
	}
	if len(out.Item) == 0 {
		return identity.Account{}, identity.ErrNoUser
	}
	var keys []item
	for _, v := range list(out.Item["tokens"]) {
		h, err := identity.ParseHash(text(v))
		if err != nil {
			return identity.Account{}, fmt.Errorf("read user %s: %w", user, err)
		}
		keys = append(keys, tokenKey(h))
	}
	items, err := t.batchGet(ctx, keys)
	if err != nil {
		return identity.Account{}, fmt.Errorf("read tokens of user %s: %w", user, err)
	}
	var tokens []identity.Token
	for _, it := range items {
		h, err := identity.ParseHash(text(it["pk"])[len(TokenPrefix):])
		if err != nil {
			return identity.Account{}, err
		}
		token, err := identity.TokenOf(h, fields(it))
		if err != nil {
			return identity.Account{}, err
		}
		tokens = append(tokens, token)
	}
	var connections []map[string]string
	for _, v := range list(out.Item["connections"]) {
		m, _ := v.(*types.AttributeValueMemberM)
		if m == nil {
			return identity.Account{}, fmt.Errorf("read user %s: %w (connections)", user, identity.ErrDamaged)
		}
		connections = append(connections, fields(m.Value))
	}
	f := fields(out.Item)
	return identity.AccountOf(f["rev"], f, connections, tokens)
}

// Users implements identity.Table.
func (t *Table) Users(ctx context.Context) iter.Seq2[identity.User, error] {
	return func(yield func(identity.User, error) bool) {
		pages := dynamodb.NewScanPaginator(t.client, &dynamodb.ScanInput{
			TableName: &t.name, ConsistentRead: aws.Bool(true), FilterExpression: aws.String("sk = :user"),
			ExpressionAttributeValues: item{":user": str("user")},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(identity.User{}, fmt.Errorf("list users: %w", err))
				return
			}
			for _, it := range page.Items {
				u, err := identity.UserOf(fields(it))
				if !yield(u, err) || err != nil {
					return
				}
			}
		}
	}
}

// Save implements identity.Table.
func (t *Table) Save(ctx context.Context, a identity.Account, c identity.Changes) error {
	it := userKey(a.User.ID)
	user, connections := a.Fields()
	put(it, user)
	it["rev"] = str(rand.Text())
	hashes := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
	for _, token := range a.Tokens {
		hashes.Value = append(hashes.Value, str(token.Hash.Hex()))
	}
	it["tokens"] = hashes
	if len(connections) > 0 {
		list := &types.AttributeValueMemberL{}
		for _, f := range connections {
			list.Value = append(list.Value, &types.AttributeValueMemberM{Value: put(item{}, f)})
		}
		it["connections"] = list
	}
	first := &types.Put{TableName: &t.name, Item: it}
	first.ConditionExpression, first.ExpressionAttributeValues = ifStill(a.Rev)
	writes := []types.TransactWriteItem{{Put: first}}
	for _, token := range c.Tokens {
		it := put(tokenKey(token.Hash), token.Fields())
		if p := token.Purge(); !p.IsZero() {
			it["ttl"] = unix(p)
		}
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: it}})
	}
	for _, h := range a.Dropped() {
		writes = append(writes, t.remove(tokenKey(h)))
	}
	for _, n := range c.Notes {
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: noteItem(n)}})
	}
	if c.Take != nil {
		take := t.remove(noteKey(c.Take.Kind, c.Take.Key))
		take.Delete.ConditionExpression = aws.String("attribute_exists(pk)")
		writes = append(writes, take)
	}
	return t.transact(ctx, a, writes)
}

// Remove implements identity.Table. When the tokens were last used goes after
// the transaction, which has no room for it.
func (t *Table) Remove(ctx context.Context, a identity.Account) error {
	user := t.remove(userKey(a.User.ID))
	user.Delete.ConditionExpression, user.Delete.ExpressionAttributeValues = ifStill(a.Rev)
	writes := []types.TransactWriteItem{user}
	stored := a
	stored.Tokens = nil
	for _, h := range stored.Dropped() {
		writes = append(writes, t.remove(tokenKey(h)))
	}
	if err := t.transact(ctx, a, writes); err != nil {
		return err
	}
	for _, id := range a.IDs() {
		if _, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.name, Key: usedKey(id)}); err != nil {
			return fmt.Errorf("remove last use of tokens of user %s, who is removed: %w", a.User.ID, err)
		}
	}
	return nil
}

func (t *Table) remove(key item) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: key}}
}

// ifStill is the condition that the account is the one that was loaded.
func ifStill(rev string) (*string, item) {
	if rev == "" {
		return aws.String("attribute_not_exists(pk)"), nil
	}
	return aws.String("rev = :rev"), item{":rev": str(rev)}
}

func (t *Table) transact(ctx context.Context, a identity.Account, writes []types.TransactWriteItem) error {
	for wait := 20 * time.Millisecond; ; wait *= 3 {
		// The SDK adds a request token, so that its own retry after a lost answer
		// is not taken for a conflict.
		_, err := t.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		if err == nil {
			return nil
		}
		conflict, throttled := canceled(err)
		if conflict {
			return identity.ErrConflict
		}
		if !throttled || wait > 200*time.Millisecond {
			return fmt.Errorf("write user %s: %w", a.User.ID, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("write user %s: %w", a.User.ID, ctx.Err())
		}
	}
}

// canceled tells why a transaction was not carried out: it, or another one at
// the same time, changed the account, or the table was throttled, which the SDK
// does not try again within a transaction.
func canceled(err error) (conflict, throttled bool) {
	var c *types.TransactionCanceledException
	if !errors.As(err, &c) {
		return false, false
	}
	for _, why := range c.CancellationReasons {
		switch aws.ToString(why.Code) {
		case "ConditionalCheckFailed", "TransactionConflict":
			conflict = true
		case "ThrottlingError", "ProvisionedThroughputExceeded":
			throttled = true
		}
	}
	return conflict, throttled
}

// Touch implements identity.Table. An earlier time never replaces a later one.
func (t *Table) Touch(ctx context.Context, token string, at time.Time) error {
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: usedKey(token), UpdateExpression: aws.String("SET #at = :at, #ttl = :ttl"),
		ConditionExpression:       aws.String("attribute_not_exists(pk) OR #at < :at"),
		ExpressionAttributeNames:  map[string]string{"#at": "at", "#ttl": "ttl"},
		ExpressionAttributeValues: item{":at": unix(at), ":ttl": unix(at.Add(usedFor))},
	})
	var later *types.ConditionalCheckFailedException
	if errors.As(err, &later) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("note use of token %s: %w", token, err)
	}
	return nil
}

// LastUsed implements identity.Table.
func (t *Table) LastUsed(ctx context.Context, tokens []string) (map[string]time.Time, error) {
	var keys []item
	for _, id := range tokens {
		keys = append(keys, usedKey(id))
	}
	items, err := t.batchGet(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("read last use of tokens: %w", err)
	}
	out := map[string]time.Time{}
	for _, it := range items {
		if sec, ok := number(it["at"]); ok {
			out[text(it["pk"])[len(UsedPrefix):]] = time.Unix(sec, 0).UTC()
		}
	}
	return out, nil
}

// batchGet reads items, strongly consistent; those that are not there are left
// out.
func (t *Table) batchGet(ctx context.Context, keys []item) ([]item, error) {
	var out []item
	for wait := 20 * time.Millisecond; len(keys) > 0; {
		n := min(len(keys), 100)
		got, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{t.name: {Keys: keys[:n], ConsistentRead: aws.Bool(true)}},
		})
		if err != nil {
			return nil, err
		}
		out = append(out, got.Responses[t.name]...)
		left := got.UnprocessedKeys[t.name].Keys
		keys = append(left, keys[n:]...)
		if len(left) == 0 {
			continue
		}
		if wait > 2*time.Second {
			return nil, errors.New("the table is too busy; try again")
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return out, nil
}
