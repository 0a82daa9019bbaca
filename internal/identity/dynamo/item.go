package dynamo

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/identity"
)

type item = map[string]types.AttributeValue

func key(pk, sk string) item { return item{"pk": str(pk), "sk": str(sk)} }

func tokenKey(h identity.Hash) item { return key(TokenPrefix+h.Hex(), "tok") }
func userKey(id string) item        { return key(UserPrefix+id, "user") }
func usedKey(token string) item     { return key(UsedPrefix+token, "used") }

func noteKey(k identity.NoteKind, key string) item {
	return item{"pk": str(string(k) + "#" + key), "sk": str(string(k))}
}

func noteItem(n identity.Note) item {
	it := put(noteKey(n.Kind, n.Key), n.Fields)
	it["ttl"] = unix(n.Expires)
	return it
}

// put adds text attributes to an item.
func put(it item, fields map[string]string) item {
	for k, v := range fields {
		it[k] = str(v)
	}
	return it
}

func list(v types.AttributeValue) []types.AttributeValue {
	if l, ok := v.(*types.AttributeValueMemberL); ok {
		return l.Value
	}
	return nil
}

func number(v types.AttributeValue) (n int64, ok bool) {
	if text, is := v.(*types.AttributeValueMemberN); is {
		var err error
		n, err = strconv.ParseInt(text.Value, 10, 64)
		ok = err == nil
	}
	return n, ok
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func unix(t time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(t.Unix(), 10)}
}

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// fields gives the text attributes of an item.
func fields(it item) map[string]string {
	f := make(map[string]string, len(it))
	for k, v := range it {
		if s := text(v); s != "" {
			f[k] = s
		}
	}
	return f
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
