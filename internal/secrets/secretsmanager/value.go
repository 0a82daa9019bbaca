package secretsmanager

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"intervals-mcp/internal/secrets"
)

// Of is the name of a secret of the deployment's own, beside the users'.
type Of string

// The deployment's own secrets.
const (
	SessionKey   Of = "session-key"         // browsers' cookies are signed with it; the stack makes it
	IntervalsApp Of = "intervals-oauth-app" // the secret of the app at Intervals.icu; the deployer puts it there
)

// Value reads a secret of the deployment's own: one GetSecretValue.
func (k *Keeper) Value(ctx context.Context, of Of) (secrets.Secret, error) {
	name := k.prefix + "/" + string(of)
	out, err := k.client.GetSecretValue(ctx, &sdk.GetSecretValueInput{SecretId: &name})
	if err != nil {
		return secrets.Secret{}, fmt.Errorf("the deployment's secret %s is %s", of, kindOf(err))
	}
	v := secrets.New(aws.ToString(out.SecretString))
	if v.IsZero() {
		return v, fmt.Errorf("the deployment's secret %s is empty", of)
	}
	return v, nil
}
