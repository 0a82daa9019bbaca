package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"intervals-mcp/internal/identity"
)

// Note implements identity.Table.
func (t *Table) Note(ctx context.Context, kind identity.NoteKind, key string) (identity.Note, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: noteKey(kind, key), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return identity.Note{}, fmt.Errorf("read %s: %w", kind, err)
	}
	if len(out.Item) == 0 {
		return identity.Note{}, identity.ErrNoNote
	}
	ends, ok := number(out.Item["ttl"])
	if !ok {
		return identity.Note{}, fmt.Errorf("read %s: %w (ttl)", kind, identity.ErrDamaged)
	}
	f := fields(out.Item)
	delete(f, "pk")
	delete(f, "sk")
	return identity.Note{Kind: kind, Key: key, Fields: f, Expires: time.Unix(ends, 0).UTC()}, nil
}

// PutNote implements identity.Table.
func (t *Table) PutNote(ctx context.Context, n identity.Note) error {
	if _, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: noteItem(n)}); err != nil {
		return fmt.Errorf("write %s: %w", n.Kind, err)
	}
	return nil
}

// DropNote implements identity.Table.
func (t *Table) DropNote(ctx context.Context, kind identity.NoteKind, key string) error {
	if _, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.name, Key: noteKey(kind, key)}); err != nil {
		return fmt.Errorf("delete %s: %w", kind, err)
	}
	return nil
}
