package rehearsal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	sdk "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"

	"intervals-mcp/internal/audit"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/secrets/secretsmanager"
	statedynamo "intervals-mcp/internal/state/dynamo"
)

// as gives clients with a function's credentials.
func (w *world) as(t *testing.T, id string) (*dynamodb.Client, *sdk.Client) {
	t.Helper()
	vars := map[string]string{}
	for _, kv := range w.env[id] {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	env, err := awsenv.Read(func(k string) string { return vars[k] })
	if err != nil {
		t.Fatal(err)
	}
	return env.NewDynamoDB(), secretsmanager.NewClient(env)
}

// denials tries with each function's own credentials what it must not do.
func (w *world) denials(t *testing.T) {
	identities, log, plans := w.Outputs["IdentityTableName"], w.Outputs["AuditTableName"], w.Outputs["StateTableName"]
	me := w.fake.Athletes()[0].ID
	key := func(pk, sk string) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}
	}
	item := key(audit.PartitionKey(me), "x")
	authorizer, authorizerKeys := w.as(t, "AuthorizerFunction")
	mcp, mcpKeys := w.as(t, "McpFunction")
	oauth, oauthKeys := w.as(t, "OauthFunction")
	for name, try := range map[string]func(context.Context) error{
		"mcp updates the audit table": func(ctx context.Context) error {
			_, err := mcp.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &log, Key: item})
			return err
		},
		"mcp deletes from the audit table": func(ctx context.Context) error {
			_, err := mcp.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &log, Key: item})
			return err
		},
		"mcp writes to the audit table in a batch": func(ctx context.Context) error {
			_, err := mcp.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{log: {{DeleteRequest: &types.DeleteRequest{Key: item}}}}})
			return err
		},
		"mcp updates the audit table in a transaction": func(ctx context.Context) error {
			_, err := mcp.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Update: &types.Update{TableName: &log, Key: item, UpdateExpression: aws.String("SET a = b")}}}})
			return err
		},
		"mcp reads everybody's changes": func(ctx context.Context) error {
			_, err := mcp.Scan(ctx, &dynamodb.ScanInput{TableName: &log})
			return err
		},
		"mcp reads a day's changes": func(ctx context.Context) error {
			_, err := auditdynamo.New(mcp, log).Heads(ctx, audit.Query{Day: "2026-11-30"})
			return err
		},
		"mcp counts attempts to sign in": func(ctx context.Context) error {
			_, _, err := statedynamo.New(mcp, plans, log, time.Now).Allow(ctx, "sign-in#192.0.2.1", 1, time.Hour)
			return err
		},
		"mcp forgets attempts": func(ctx context.Context) error {
			_, err := mcp.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &plans, Key: key(statedynamo.RatePrefix+"confirm#x", "x")})
			return err
		},
		"mcp reads everybody's plans": func(ctx context.Context) error {
			_, err := mcp.Scan(ctx, &dynamodb.ScanInput{TableName: &plans})
			return err
		},
		"mcp writes plans in a batch": func(ctx context.Context) error {
			_, err := mcp.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{plans: {{DeleteRequest: &types.DeleteRequest{Key: item}}}}})
			return err
		},
		"authorizer reads a plan": func(ctx context.Context) error {
			_, err := authorizer.GetItem(ctx, &dynamodb.GetItemInput{TableName: &plans, Key: item})
			return err
		},
		"authorizer drops a plan": func(ctx context.Context) error {
			_, err := authorizer.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &plans, Key: item})
			return err
		},
		"mcp reads the identity table": func(ctx context.Context) error {
			_, err := mcp.GetItem(ctx, &dynamodb.GetItemInput{TableName: &identities, Key: key(dynamo.UserPrefix+me, "user")})
			return err
		},
		"mcp makes itself a token": func(ctx context.Context) error {
			_, err := mcp.PutItem(ctx, &dynamodb.PutItemInput{TableName: &identities, Item: key(dynamo.TokenPrefix+"0", "tok")})
			return err
		},
		"mcp widens a token": func(ctx context.Context) error {
			_, err := mcp.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &identities, Key: key(dynamo.TokenPrefix+"0", "tok")})
			return err
		},
		"mcp reads a secret that is no user's": func(ctx context.Context) error {
			_, err := mcpKeys.GetSecretValue(ctx, &sdk.GetSecretValueInput{SecretId: aws.String(w.Outputs["SecretPrefix"] + "/intervals-oauth-app")})
			return err
		},
		"mcp replaces a key": func(ctx context.Context) error {
			_, err := mcpKeys.PutSecretValue(ctx, &sdk.PutSecretValueInput{SecretId: aws.String(w.Outputs["SecretPrefix"] + "/users/" + me), SecretString: aws.String("{}")})
			return err
		},
		"mcp lists secrets": func(ctx context.Context) error {
			_, err := mcpKeys.ListSecrets(ctx, &sdk.ListSecretsInput{})
			return err
		},
		"oauth updates the audit table": func(ctx context.Context) error {
			_, err := oauth.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &log, Key: item})
			return err
		},
		"oauth deletes from the audit table": func(ctx context.Context) error {
			_, err := oauth.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &log, Key: item})
			return err
		},
		"oauth reads a day's changes": func(ctx context.Context) error {
			_, err := auditdynamo.New(oauth, log).Heads(ctx, audit.Query{Day: "2026-11-30"})
			return err
		},
		"oauth reads everybody": func(ctx context.Context) error {
			_, err := oauth.Scan(ctx, &dynamodb.ScanInput{TableName: &identities})
			return err
		},
		"oauth sets a count back": func(ctx context.Context) error {
			_, err := oauth.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &plans, Key: key(statedynamo.RatePrefix+"oauth:signin-address:x", "x")})
			return err
		},
		"oauth reads a secret of somebody else's": func(ctx context.Context) error {
			_, err := oauthKeys.GetSecretValue(ctx, &sdk.GetSecretValueInput{SecretId: aws.String("another-stack/users/" + me)})
			return err
		},
		"oauth replaces the session key": func(ctx context.Context) error {
			_, err := oauthKeys.PutSecretValue(ctx, &sdk.PutSecretValueInput{SecretId: aws.String(w.Outputs["SecretPrefix"] + "/session-key"), SecretString: aws.String("x")})
			return err
		},
		"mcp reads the session key": func(ctx context.Context) error {
			_, err := mcpKeys.GetSecretValue(ctx, &sdk.GetSecretValueInput{SecretId: aws.String(w.Outputs["SecretPrefix"] + "/session-key")})
			return err
		},
		"authorizer reads a user": func(ctx context.Context) error {
			_, err := authorizer.GetItem(ctx, &dynamodb.GetItemInput{TableName: &identities, Key: key(dynamo.UserPrefix+me, "user")})
			return err
		},
		"authorizer reads all tokens": func(ctx context.Context) error {
			_, err := authorizer.Scan(ctx, &dynamodb.ScanInput{TableName: &identities})
			return err
		},
		"authorizer writes to the identity table": func(ctx context.Context) error {
			_, err := authorizer.PutItem(ctx, &dynamodb.PutItemInput{TableName: &identities, Item: key(dynamo.TokenPrefix+"0", "tok")})
			return err
		},
		"authorizer writes to the audit table": func(ctx context.Context) error {
			_, err := authorizer.PutItem(ctx, &dynamodb.PutItemInput{TableName: &log, Item: item})
			return err
		},
		"authorizer reads a key": func(ctx context.Context) error {
			_, err := authorizerKeys.GetSecretValue(ctx, &sdk.GetSecretValueInput{SecretId: aws.String(w.Outputs["SecretPrefix"] + "/users/" + me)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var api smithy.APIError
			if err := try(t.Context()); !errors.As(err, &api) || api.ErrorCode() != "AccessDeniedException" {
				t.Errorf("it is not denied: %v", err)
			}
		})
	}
}
