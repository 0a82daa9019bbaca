package secretsmanager

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
	"github.com/aws/smithy-go"

	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/secrets"
)

// Keeper implements secrets.Keeper on Secrets Manager.
type Keeper struct {
	client *sdk.Client
	prefix string
	wait   func(ctx context.Context, attempt int) error
}

// Option changes a Keeper.
type Option func(*Keeper)

// WithWait sets how Put waits between its attempts while a name is blocked.
func WithWait(wait func(ctx context.Context, attempt int) error) Option {
	return func(k *Keeper) { k.wait = wait }
}

// NewClient makes a client from a function's environment.
func NewClient(e awsenv.Env) *sdk.Client {
	o := sdk.Options{Region: e.Region, Credentials: e.Credentials, HTTPClient: awsenv.HTTPClient(), Retryer: awsenv.Retryer()}
	if e.SecretsManager != "" {
		o.BaseEndpoint = &e.SecretsManager
	}
	return sdk.New(o)
}

// New makes a Keeper of the secrets under a prefix (the stack's name, unless the
// operator chose another).
func New(client *sdk.Client, prefix string, options ...Option) (*Keeper, error) {
	if !validPrefix(prefix) {
		return nil, fmt.Errorf("the secrets' prefix %.250q is not 1 to 200 letters, digits and /_+=.@-, with neither / at its ends", prefix)
	}
	k := &Keeper{client: client, prefix: prefix, wait: backOff}
	for _, o := range options {
		o(k)
	}
	return k, nil
}

func validPrefix(p string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_+=.@-"
	return p != "" && len(p) <= 200 && strings.Trim(p, allowed) == "" && strings.Trim(p, "/") == p
}

// Name is the name of a user's secret. Whatever user is, it lies in the folder
// <prefix>/users/, or there is no name.
func (k *Keeper) Name(user string) (string, error) {
	if !secrets.ValidUser(user) {
		return "", secrets.ErrUser
	}
	return k.prefix + "/users/" + user, nil
}

// Credential implements secrets.Store: one GetSecretValue.
func (k *Keeper) Credential(ctx context.Context, user string) (secrets.Credential, error) {
	name, err := k.Name(user)
	if err != nil {
		return secrets.Credential{}, err
	}
	out, err := k.client.GetSecretValue(ctx, &sdk.GetSecretValueInput{SecretId: &name})
	if err != nil {
		return secrets.Credential{}, &secrets.Error{Kind: kindOf(err), Err: err}
	}
	key, err := secrets.Decode(aws.ToString(out.SecretString))
	return key.Credential(), err
}

// Refused implements secrets.Store; the cache is before this store, not in it.
func (k *Keeper) Refused(string) {}

// kindOf sorts the SDK's errors.
func kindOf(err error) secrets.Kind {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return secrets.Unavailable // no answer
	}
	switch api.ErrorCode() {
	case "ResourceNotFoundException", "InvalidRequestException": // the latter: it waits for its deletion
		return secrets.Missing
	case "AccessDeniedException", "DecryptionFailure", "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException", "IncompleteSignature":
		return secrets.Denied
	case "ThrottlingException", "TooManyRequestsException", "RequestLimitExceeded", "Throttling":
		return secrets.Throttled
	}
	return secrets.Unavailable
}

// attempts bounds Put while a name is blocked: about half a minute.
const attempts = 8

// Put implements secrets.Keeper.
func (k *Keeper) Put(ctx context.Context, user string, key secrets.Key) error {
	name, err := k.Name(user)
	if err != nil {
		return err
	}
	value, err := secrets.Encode(key)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		err := k.put(ctx, name, user, value)
		if err == nil {
			return nil
		}
		if !blocked(err) || attempt == attempts {
			return fmt.Errorf("store the key of user %s: %w", user, redact(err))
		}
		if err := k.wait(ctx, attempt); err != nil {
			return fmt.Errorf("store the key of user %s: %w", user, err)
		}
	}
}

// put creates the secret; if there is one, it is restored where it waits for its
// deletion, and given the value.
func (k *Keeper) put(ctx context.Context, name, user, value string) error {
	_, err := k.client.CreateSecret(ctx, &sdk.CreateSecretInput{Name: &name, SecretString: &value, Description: aws.String("Intervals.icu API key of an intervals-mcp user"),
		Tags: []types.Tag{{Key: aws.String("app"), Value: aws.String("intervals-mcp")}, {Key: aws.String("userID"), Value: &user}}})
	if !blocked(err) {
		return err
	}
	// Restoring does nothing to a secret in use; asking first whether it waits
	// for its deletion would be one more right to need.
	if _, err = k.client.RestoreSecret(ctx, &sdk.RestoreSecretInput{SecretId: &name}); err != nil && !isRequest(err) {
		return err
	}
	_, err = k.client.PutSecretValue(ctx, &sdk.PutSecretValueInput{SecretId: &name, SecretString: &value})
	return err
}

// Delete implements secrets.Keeper: without a recovery window.
func (k *Keeper) Delete(ctx context.Context, user string) error {
	name, err := k.Name(user)
	if err != nil {
		return err
	}
	remove := &sdk.DeleteSecretInput{SecretId: &name, ForceDeleteWithoutRecovery: aws.Bool(true)}
	_, err = k.client.DeleteSecret(ctx, remove)
	if isRequest(err) { // it waits for its deletion, which could still be taken back
		if _, err = k.client.RestoreSecret(ctx, &sdk.RestoreSecretInput{SecretId: &name}); err == nil {
			_, err = k.client.DeleteSecret(ctx, remove)
		}
	}
	var missing *types.ResourceNotFoundException
	if errors.As(err, &missing) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete the key of user %s: %w", user, redact(err))
	}
	return nil
}

// blocked reports whether a name may be free or usable a little later.
func blocked(err error) bool {
	var exists *types.ResourceExistsException
	var missing *types.ResourceNotFoundException
	return errors.As(err, &exists) || errors.As(err, &missing) || isRequest(err)
}

func isRequest(err error) bool {
	var request *types.InvalidRequestException
	return errors.As(err, &request)
}

// redact keeps code and operation of an error; validation messages of a writing
// call may repeat what was sent.
func redact(err error) error {
	var op *smithy.OperationError
	var api smithy.APIError
	if !errors.As(err, &op) || !errors.As(err, &api) {
		return err
	}
	return fmt.Errorf("%s: %s", op.OperationName, api.ErrorCode())
}

func backOff(ctx context.Context, attempt int) error {
	select {
	case <-time.After(min(time.Duration(attempt*attempt)*250*time.Millisecond, 6*time.Second)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
