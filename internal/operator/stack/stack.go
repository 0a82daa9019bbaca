package stack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	secretsapi "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"

	"intervals-mcp/internal/audit"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/operator"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
	"intervals-mcp/internal/state"
	statedynamo "intervals-mcp/internal/state/dynamo"
)

// Names of the stack's outputs (template.yaml).
const (
	identityTable = "IdentityTableName"
	auditTable    = "AuditTableName"
	stateTable    = "StateTableName"
	secretPrefix  = "SecretPrefix"
	retentionDays = "AuditRetentionDays"
	mcpURL        = "McpUrl"
)

// deployment is a stack and how to reach its parts.
type deployment struct {
	name    string
	status  types.StackStatus
	outputs map[string]string
	dynamo  *dynamodb.Client
	where   string
}

// Open finds a stack and opens its stores.
func Open(ctx context.Context, n operator.StackName, now func() time.Time) (*operator.Stores, error) {
	cfg, err := account(ctx, n)
	if err != nil {
		return nil, err
	}
	d := &deployment{name: n.Name, dynamo: dynamodb.NewFromConfig(cfg), where: "stack " + n.Name + " in " + cfg.Region}
	if err := d.describe(ctx, cfg); err != nil {
		return nil, explain(err)
	}
	keys, err := secretsmanager.New(secretsapi.NewFromConfig(cfg), d.outputs[secretPrefix])
	if err != nil {
		return nil, err
	}
	days, err := strconv.Atoi(d.outputs[retentionDays])
	if err != nil {
		days = int(audit.DefaultRetention / (24 * time.Hour))
	}
	var plans state.Store // of a stack of an older template there are none
	if table := d.outputs[stateTable]; table != "" {
		plans = statedynamo.New(d.dynamo, table, d.outputs[auditTable], now)
	}
	return &operator.Stores{
		Where:    d.where,
		Identity: identity.NewStore(dynamo.New(d.dynamo, d.outputs[identityTable]), now),
		Keys:     keys,
		KeyPlace: func(user string) string {
			return "Secrets Manager, " + d.outputs[secretPrefix] + "/users/" + user
		},
		Audit:     auditdynamo.New(d.dynamo, d.outputs[auditTable]),
		State:     plans,
		Purger:    auditdynamo.NewPurger(d.dynamo, d.outputs[auditTable]),
		Retention: time.Duration(days) * 24 * time.Hour,
		URL:       d.outputs[mcpURL],
		Explain:   explain,
		Check:     d.check,
	}, nil
}

// account finds region and credentials.
func account(ctx context.Context, n operator.StackName) (aws.Config, error) {
	var options []func(*config.LoadOptions) error
	if n.Region != "" {
		options = append(options, config.WithRegion(n.Region))
	}
	if n.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(n.Profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	var noProfile config.SharedConfigProfileNotExistError
	switch {
	case errors.As(err, &noProfile):
		return cfg, operator.Misuse{Err: fmt.Errorf("there is no AWS profile %q; `aws configure list-profiles` shows them", noProfile.Profile)}
	case err != nil:
		return cfg, fmt.Errorf("the AWS configuration cannot be read: %w", err)
	case cfg.Region == "":
		return cfg, operator.Misuse{Err: errors.New("the AWS region is unknown; add --region, or set AWS_REGION")}
	}
	within, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := cfg.Credentials.Retrieve(within); err != nil {
		if ctx.Err() != nil {
			return cfg, ctx.Err()
		}
		return cfg, fmt.Errorf("there are no AWS credentials; sign in first (`aws sso login`, `aws configure`, --profile P, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY): %w", innermost(err))
	}
	return cfg, nil
}

// describe reads the stack's outputs.
func (d *deployment) describe(ctx context.Context, cfg aws.Config) error {
	out, err := cloudformation.NewFromConfig(cfg).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &d.name})
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "ValidationError" && strings.Contains(api.ErrorMessage(), "does not exist") || err == nil && len(out.Stacks) == 0 {
		return operator.Misuse{Err: fmt.Errorf("there is no %s of this account; `aws cloudformation list-stacks` shows them", d.where)}
	}
	if err != nil {
		return err
	}
	d.status, d.outputs = out.Stacks[0].StackStatus, map[string]string{}
	for _, o := range out.Stacks[0].Outputs {
		d.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	for _, name := range []string{identityTable, auditTable, secretPrefix} {
		if d.outputs[name] == "" {
			return operator.Misuse{Err: fmt.Errorf("%s (%s) has no output %s: is it one of intervals-mcp, and deployed?", d.where, d.status, name)}
		}
	}
	return nil
}

var denied = []string{"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "NotAuthorized"}

var stale = []string{"ExpiredToken", "ExpiredTokenException", "UnrecognizedClientException", "InvalidClientTokenId", "RequestExpired", "InvalidSignatureException", "SignatureDoesNotMatch"}

// explain says in one line what AWS answered and what to do.
func explain(err error) error {
	switch secrets.KindOf(err) {
	case 0:
	case secrets.Denied: // the store's own words are about the function
		return errors.New("the identity you are signed in with may not read users' keys (secretsmanager:GetSecretValue, and kms:Decrypt for a key of your own)")
	default:
		return err
	}
	var op *smithy.OperationError
	if !errors.As(err, &op) {
		return err
	}
	what := op.ServiceID + " " + op.OperationName
	var api smithy.APIError
	if !errors.As(err, &api) {
		return fmt.Errorf("AWS cannot be reached (%s): %w", what, innermost(err))
	}
	switch code := api.ErrorCode(); {
	case slices.Contains(denied, code):
		return fmt.Errorf("AWS refuses %s: the identity you are signed in with lacks the right (%s)", what, api.ErrorMessage())
	case slices.Contains(stale, code):
		return fmt.Errorf("AWS does not accept your credentials (%s); sign in again, and check the clock", code)
	case code == "ResourceNotFoundException":
		return fmt.Errorf("%s: a table of the stack is gone (doctor looks at each part)", what)
	case strings.Contains(code, "Throttl"):
		return fmt.Errorf("%s: AWS is busy; try again in a minute", what)
	default:
		return fmt.Errorf("%s: %s: %s", what, code, api.ErrorMessage())
	}
}

func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
