package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"intervals-mcp/internal/audit"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/mcpserver/apigw"
	"intervals-mcp/internal/metrics"
	"intervals-mcp/internal/metrics/calls"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
	"intervals-mcp/internal/state"
	statedynamo "intervals-mcp/internal/state/dynamo"
	"intervals-mcp/internal/tools"
)

// version is set by the linker.
var version = "dev"

func main() {
	log := apigw.Logger(os.Stdout)
	slog.SetDefault(log) // what libraries print becomes JSON too
	h, err := wire(os.Getenv, log)
	if err != nil {
		fmt.Fprintln(os.Stderr, "intervals-mcp function mcp:", err)
		os.Exit(1)
	}
	lambda.Start(h.Invoke)
}

// stores are where a function keeps what outlives a request.
type stores struct {
	secrets   secrets.Store
	audit     audit.Log
	state     state.Store // uses write to audit
	retention time.Duration
	lastUsed  *identity.LastUsed // nil = nobody asks
}

func wire(getenv func(string) string, log *slog.Logger) (*apigw.Handler, error) {
	env, err := awsenv.Read(getenv)
	if err != nil {
		return nil, err
	}
	kept, err := openStores(env, getenv)
	if err != nil {
		return nil, err
	}
	up, err := intervals.New(intervals.Options{BaseURL: getenv(awsenv.IntervalsBaseURL), UserAgent: "intervals-mcp/" + version, Observe: calls.Observe,
		PrivateHTTP: env.SAMLocal}) // the fake on the host is not on the container's loopback
	if err != nil {
		return nil, fmt.Errorf("%s: %w", awsenv.IntervalsBaseURL, err)
	}
	emit := &metrics.Emitter{Namespace: awsenv.MetricsNamespace(getenv("METRICS_NAMESPACE")), Now: time.Now, W: os.Stdout}
	changes := change.New(change.Config{Log: emit.Log(kept.audit), State: emit.State(kept.state), NewID: mcpserver.RequestID, Retention: kept.retention, Logger: log,
		ApprovePage: func(ctx context.Context, handle string) string {
			return apigw.Origin(ctx, getenv("PUBLIC_URL")) + "/account/changes/" + handle
		}})
	svc := tools.NewService(tools.Config{Upstream: up, Changes: changes, Log: log, Secrets: kept.secrets,
		AccountPageAt: func(ctx context.Context) string { return apigw.Origin(ctx, getenv("PUBLIC_URL")) + "/account/key" }})
	s := mcpserver.New(mcpserver.Options{Caller: calls.Caller(emit, svc), Tools: tools.All(), Version: version, Log: log,
		LegacyOnly: getenv("MCP_LEGACY_ONLY") == "true"})
	return apigw.New(s, apigw.Options{PublicURL: getenv("PUBLIC_URL"), AllowedOrigins: awsenv.List(getenv("ALLOWED_ORIGINS")), SignIn: true, LastUsed: kept.lastUsed, Log: log}), nil
}

// openStores gives the stack's stores, or under sam local with API_KEY stores
// in memory and that one key.
func openStores(env awsenv.Env, getenv func(string) string) (stores, error) {
	if key := getenv(awsenv.APIKey); env.SAMLocal && key != "" {
		log := &audit.Memory{}
		return stores{audit: log, state: state.NewMemory(log, time.Now),
			secrets: secrets.Single{User: identity.Local, Cred: secrets.Credential{APIKey: secrets.New(key)}}}, nil
	}
	names := awsenv.Stores{Identity: getenv("IDENTITY_TABLE"), Audit: getenv("AUDIT_TABLE"), State: getenv("STATE_TABLE"), SecretPrefix: getenv("SECRET_PREFIX")}
	if err := names.Check(); err != nil {
		return stores{}, err
	}
	retention, err := awsenv.AuditRetention(getenv("AUDIT_RETENTION_DAYS"))
	if err != nil {
		return stores{}, err
	}
	keeper, err := secretsmanager.New(secretsmanager.NewClient(env), names.SecretPrefix)
	if err != nil {
		return stores{}, fmt.Errorf("SECRET_PREFIX: %w", err)
	}
	db := env.NewDynamoDB()
	return stores{
		secrets: secrets.NewCache(keeper, time.Now), audit: auditdynamo.New(db, names.Audit),
		state: statedynamo.New(db, names.State, names.Audit, time.Now), retention: retention,
		lastUsed: identity.NewLastUsed(dynamo.New(db, names.Identity).Touch, time.Now),
	}, nil
}
