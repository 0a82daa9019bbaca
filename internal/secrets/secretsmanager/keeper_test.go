package secretsmanager_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
	"intervals-mcp/internal/secrets/secretstest"
)

func open(t *testing.T) (*secretsmanager.Keeper, *sdk.Client, *awstest.Faults) {
	t.Helper()
	client := secretsmanager.NewClient(awstest.Env(t))
	faults := &awstest.Faults{}
	o := client.Options()
	o.HTTPClient = faults
	k, err := secretsmanager.New(sdk.New(o), awstest.Name(t))
	if err != nil {
		t.Fatal(err)
	}
	return k, client, faults
}

func TestSecretsManagerIsAKeeper(t *testing.T) {
	secretstest.Suite(t, func(t *testing.T) (secrets.Keeper, secretstest.Raw) {
		k, client, _ := open(t)
		return k, func(t *testing.T, user, value string) {
			name, err := k.Name(user)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.CreateSecret(t.Context(), &sdk.CreateSecretInput{Name: &name, SecretString: &value}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestNoUserIDGivesANameOutsideThePrefix(t *testing.T) {
	k, err := secretsmanager.New(nil, "stack")
	if err != nil {
		t.Fatal(err)
	}
	inside := func(user string) bool {
		name, err := k.Name(user)
		rest, ok := strings.CutPrefix(name, "stack/users/")
		return err != nil && name == "" || err == nil && ok && rest == user && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
	}
	for _, user := range append(secretstest.NoUsers, "i1", strings.Repeat("a", 64), strings.Repeat("a", 65)) {
		if !inside(user) {
			t.Errorf("%q", user)
		}
	}
	if err := quick.Check(inside, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
	bytes := func(b []byte) bool { return inside(string(b)) }
	if err := quick.Check(bytes, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}

func TestABadPrefixIsRefused(t *testing.T) {
	for _, prefix := range []string{"", "/", "a/", "/a", "a b", "a*", strings.Repeat("a", 201), "arn:aws:x"} {
		if _, err := secretsmanager.New(nil, prefix); err == nil {
			t.Errorf("%q", prefix)
		}
	}
	for _, prefix := range []string{"a", "my-stack", "team/my-stack", strings.Repeat("a", 200)} {
		if _, err := secretsmanager.New(nil, prefix); err != nil {
			t.Error(err)
		}
	}
}

func TestReadingAKeyIsOneCallAndWritingNamesItsUser(t *testing.T) {
	k, client, faults := open(t)
	if err := k.Put(t.Context(), "i1", secretstest.Key("k3y")); err != nil {
		t.Fatal(err)
	}
	faults.Calls()
	if _, err := k.Credential(t.Context(), "i1"); err != nil {
		t.Fatal(err)
	}
	if got := faults.Calls(); !slices.Equal(got, []string{"GetSecretValue"}) {
		t.Errorf("calls %v", got)
	}
	name, _ := k.Name("i1")
	d, err := client.DescribeSecret(t.Context(), &sdk.DescribeSecretInput{SecretId: &name})
	if err != nil || len(d.Tags) != 2 || aws.ToString(d.Tags[1].Value) != "i1" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestEachFaultOfTheStoreHasItsOwnError(t *testing.T) {
	k, _, faults := open(t)
	if err := k.Put(t.Context(), "i1", secretstest.Key("k3y")); err != nil {
		t.Fatal(err)
	}
	for fault, kind := range map[awstest.Fault]secrets.Kind{
		awstest.Throttled: secrets.Throttled, awstest.Denied: secrets.Denied,
		awstest.ServerError: secrets.Unavailable, awstest.Unreachable: secrets.Unavailable,
	} {
		faults.Set(fault)
		start := time.Now()
		_, err := k.Credential(t.Context(), "i1")
		if secrets.KindOf(err) != kind {
			t.Errorf("fault %v: %v, want kind %d", fault, err, kind)
		}
		put := k.Put(t.Context(), "i1", secretstest.Key("n3w"))
		if put == nil || strings.Contains(put.Error(), "n3w") {
			t.Errorf("fault %v: put: %v", fault, put)
		}
		if k.Delete(t.Context(), "i1") == nil {
			t.Errorf("fault %v: deleted", fault)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("fault %v: %v", fault, d)
		}
	}
	faults.Set(awstest.None)
	if c, err := k.Credential(t.Context(), "i1"); err != nil || c.APIKey.Reveal() != "k3y" {
		t.Errorf("after all faults: %v", err)
	}
}

func TestASecretThatWaitsForItsDeletionIsRestoredByPutAndMissingUntilThen(t *testing.T) {
	k, client, _ := open(t)
	ctx := t.Context()
	wait := func() {
		name, _ := k.Name("i1")
		if _, err := client.DeleteSecret(ctx, &sdk.DeleteSecretInput{SecretId: &name, RecoveryWindowInDays: aws.Int64(7)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Put(ctx, "i1", secretstest.Key("first")); err != nil {
		t.Fatal(err)
	}
	wait() // somebody deleted it in the console
	if _, err := k.Credential(ctx, "i1"); secrets.KindOf(err) != secrets.Missing {
		t.Errorf("while it waits: %v", err)
	}
	if err := k.Put(ctx, "i1", secretstest.Key("second")); err != nil {
		t.Fatal(err)
	}
	if c, err := k.Credential(ctx, "i1"); err != nil || c.APIKey.Reveal() != "second" {
		t.Errorf("restored: %v", err)
	}
	wait()
	if err := k.Delete(ctx, "i1"); err != nil {
		t.Errorf("delete while it waits: %v", err)
	}
}

func TestPutTriesAgainWhileANameIsBlockedAndGivesUpInTheEnd(t *testing.T) {
	var waited []int
	o := secretsmanager.NewClient(awstest.Env(t)).Options()
	faults := &blockedName{until: 3}
	o.HTTPClient = faults
	k, err := secretsmanager.New(sdk.New(o), "stack", secretsmanager.WithWait(func(ctx context.Context, attempt int) error {
		waited = append(waited, attempt)
		return ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Put(t.Context(), "i1", secretstest.Key("v")); err != nil || !slices.Equal(waited, []int{1, 2, 3}) {
		t.Errorf("waited %v, %v", waited, err)
	}
	waited, faults.until, faults.creates = nil, 1000, 0
	if err := k.Put(t.Context(), "i1", secretstest.Key("v")); err == nil || len(waited) != 7 {
		t.Errorf("waited %v, %v", waited, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.Put(ctx, "i1", secretstest.Key("v")); !errors.Is(err, context.Canceled) {
		t.Errorf("after the deadline: %v", err)
	}
}
