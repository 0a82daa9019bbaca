package awstest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"intervals-mcp/internal/awsenv"
)

// Env gives the environment of a function that talks to the emulator.
func Env(t testing.TB) awsenv.Env {
	t.Helper()
	vars := Vars(t)
	env, err := awsenv.Read(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Vars is Env as environment variables.
func Vars(t testing.TB) map[string]string {
	t.Helper()
	vars := map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		awsenv.EndpointDynamoDB: os.Getenv(awsenv.EndpointDynamoDB), awsenv.EndpointSecretsManager: os.Getenv(awsenv.EndpointSecretsManager),
	}
	if vars[awsenv.EndpointDynamoDB] != "" && vars[awsenv.EndpointSecretsManager] != "" {
		return vars
	}
	server, err := started()
	if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	vars[awsenv.EndpointDynamoDB], vars[awsenv.EndpointSecretsManager] = server.url, server.url
	return vars
}

var errMissing = errors.New("moto_server is missing: `make moto` fetches it")

// started starts the server when first needed.
var started = sync.OnceValues(func() (server, error) {
	path, err := tool("moto", "bin", "moto_server")
	if err != nil {
		return server{}, err
	}
	if path == "" {
		if path, err = exec.LookPath("moto_server"); err != nil {
			return server{}, errMissing
		}
	}
	moto, err := start("/moto-api/", func(port string) []string { return []string{path, "-H", "127.0.0.1", "-p", port} })
	if err != nil {
		return server{}, err
	}
	moto.url, err = keepApart(moto.url)
	return moto, err
})

// Name gives a name that no other test uses.
func Name(t testing.TB) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, t.Name())
	return fmt.Sprintf("%s-%x", clean[max(0, len(clean)-60):], time.Now().UnixNano())
}

// CreateTable makes a table and waits until it can be used.
func CreateTable(t testing.TB, client *dynamodb.Client, in *dynamodb.CreateTableInput) {
	t.Helper()
	_, err := client.CreateTable(t.Context(), in)
	// A busy machine lets the SDK try again what was done already; the names are
	// unique, so a table that exists is ours.
	if err != nil && !errors.As(err, new(*types.ResourceInUseException)) {
		t.Fatal(err)
	}
	ready := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 5*time.Millisecond, 100*time.Millisecond
	})
	if err := ready.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: in.TableName}, 10*time.Second); err != nil {
		t.Fatal(err)
	}
}

// NewTable makes an empty table under a name of its own and gives two clients
// of it: one as it is, and one that fails as Faults says.
func NewTable(t testing.TB, env awsenv.Env, define func(name string) *dynamodb.CreateTableInput) (client, failing *dynamodb.Client, name string, faults *Faults) {
	t.Helper()
	client, name, faults = env.NewDynamoDB(), Name(t), &Faults{}
	CreateTable(t, client, define(name))
	o := client.Options()
	o.HTTPClient = faults
	return client, dynamodb.New(o), name, faults
}
