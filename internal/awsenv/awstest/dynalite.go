package awstest

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"

	"intervals-mcp/internal/awsenv"
)

// Strict gives an environment whose DynamoDB is dynalite, with transactions
// played in front of it. It has no Secrets Manager.
func Strict(t testing.TB) awsenv.Env {
	t.Helper()
	url, err := strict()
	if errors.Is(err, errNoDynalite) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", awsenv.EndpointDynamoDB: url}
	env, err := awsenv.Read(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Each runs a test against moto and against dynalite.
func Each(t *testing.T, run func(t *testing.T, env awsenv.Env)) {
	t.Run("moto", func(t *testing.T) { run(t, Env(t)) })
	t.Run("dynalite", func(t *testing.T) { run(t, Strict(t)) })
}

var errNoDynalite = errors.New("dynalite or a node to run it is missing: `make tools` fetches both")

// dynalite is the running server, kept so that it goes on running.
var dynalite server

// strict starts dynalite, and what stands in front of it, when first needed.
var strict = sync.OnceValues(func() (string, error) {
	cli, err := tool("npm", "node_modules", "dynalite", "cli.js")
	if err != nil {
		return "", err
	}
	if cli == "" {
		return "", errNoDynalite
	}
	node, err := tool("npm", "node_modules", "node-linux-*", "bin", "node")
	if err != nil {
		return "", err
	}
	if node == "" {
		if node, err = exec.LookPath("node"); err != nil {
			return "", errNoDynalite
		}
	}
	dynalite, err = start("/", func(port string) []string {
		return []string{node, cli, "--host", "127.0.0.1", "--port", port, "--createTableMs", "0", "--deleteTableMs", "0", "--updateTableMs", "0"}
	})
	if err != nil {
		return "", err
	}
	return httptest.NewServer(&transactions{to: dynalite.url}).URL, nil
})
