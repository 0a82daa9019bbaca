package awstest_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/awsenv/awstest"
)

func TestARefusedTransactionLeavesEverythingAsItWas(t *testing.T) {
	awstest.Each(t, func(t *testing.T, env awsenv.Env) {
		client, name := env.NewDynamoDB(), awstest.Name(t)
		s := types.ScalarAttributeTypeS
		awstest.CreateTable(t, client, &dynamodb.CreateTableInput{
			TableName: &name, BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: s}, {AttributeName: aws.String("sk"), AttributeType: s}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange}},
		})
		item := func(key, value string) map[string]types.AttributeValue {
			it := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key}, "sk": &types.AttributeValueMemberS{Value: "s"}}
			if value != "" {
				it["v"] = &types.AttributeValueMemberS{Value: value}
			}
			return it
		}
		put := func(key, value string, condition *string) types.TransactWriteItem {
			return types.TransactWriteItem{Put: &types.Put{TableName: &name, Item: item(key, value), ConditionExpression: condition}}
		}
		write := func(w ...types.TransactWriteItem) error {
			_, err := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: w})
			return err
		}
		if err := write(put("changed", "old", nil), put("deleted", "old", nil), put("there", "old", nil), put("updated", "old", nil)); err != nil {
			t.Fatal(err)
		}
		remove := types.TransactWriteItem{Delete: &types.Delete{TableName: &name, Key: item("deleted", "")}}
		update := func(key string) types.TransactWriteItem {
			return types.TransactWriteItem{Update: &types.Update{TableName: &name, Key: item(key, ""), UpdateExpression: aws.String("SET v = :v"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":v": &types.AttributeValueMemberS{Value: "new"}}}}
		}
		err := write(put("changed", "new", nil), remove, put("added", "new", nil), update("updated"), update("made"), put("there", "new", aws.String("attribute_not_exists(pk)")))
		var canceled *types.TransactionCanceledException
		if !errors.As(err, &canceled) || len(canceled.CancellationReasons) != 6 || aws.ToString(canceled.CancellationReasons[5].Code) != "ConditionalCheckFailed" {
			t.Errorf("got %v", err)
		}
		for key, want := range map[string]string{"changed": "old", "deleted": "old", "there": "old", "added": "", "updated": "old", "made": ""} {
			out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: item(key, ""), ConsistentRead: aws.Bool(true)})
			got := ""
			if v, ok := out.Item["v"].(*types.AttributeValueMemberS); ok {
				got = v.Value
			}
			if err != nil || got != want {
				t.Errorf("%s: %q, %v; want %q", key, got, err, want)
			}
		}
		if err := write(remove, put("", "new", nil)); err == nil {
			t.Error("an empty key was taken")
		}
		if out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: item("deleted", "")}); err != nil || len(out.Item) == 0 {
			t.Errorf("half of an invalid transaction was carried out: %v", err)
		}
	})
}
