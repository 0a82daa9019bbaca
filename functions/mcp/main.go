package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
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
	emit := &metrics.Emitter{Namespace: namespace(getenv), Now: time.Now, W: os.Stdout}
	changes := change.New(change.Config{Log: emit.Log(kept.audit), State: emit.State(kept.state), NewID: mcpserver.RequestID, Retention: kept.retention, Logger: log,
		ApprovePage: func(ctx context.Context, handle string) string {
			return apigw.Origin(ctx, getenv("PUBLIC_URL")) + "/account/changes/" + handle
		}})
	svc := tools.NewService(tools.Config{Upstream: up, Changes: changes, Log: log, Secrets: kept.secrets,
		AccountPageAt: func(ctx context.Context) string { return apigw.Origin(ctx, getenv("PUBLIC_URL")) + "/account/key" }})
	s := mcpserver.New(mcpserver.Options{Caller: calls.Caller(emit, svc), Tools: tools.All(), Version: version, Log: log,
		LegacyOnly: getenv("MCP_LEGACY_ONLY") == "true"})
	return apigw.New(s, apigw.Options{PublicURL: getenv("PUBLIC_URL"), AllowedOrigins: list(getenv("ALLOWED_ORIGINS")), SignIn: true, LastUsed: kept.lastUsed, Log: log}), nil
}

// openStores gives the stack's stores, or under sam local with API_KEY stores
// in memory and that one key.
func openStores(env awsenv.Env, getenv func(string) string) (stores, error) {
	if key := getenv(awsenv.APIKey); env.SAMLocal && key != "" {
		log := &audit.Memory{}
		return stores{audit: log, state: state.NewMemory(log, time.Now),
			secrets: secrets.Single{User: identity.Local, Cred: secrets.Credential{APIKey: secrets.New(key)}}}, nil
	}
	identities, changes, plans, prefix := getenv("IDENTITY_TABLE"), getenv("AUDIT_TABLE"), getenv("STATE_TABLE"), getenv("SECRET_PREFIX")
	if identities == "" || changes == "" || plans == "" || prefix == "" {
		return stores{}, errors.New("IDENTITY_TABLE, AUDIT_TABLE, STATE_TABLE and SECRET_PREFIX must be set (under sam local: set API_KEY, or point all four at emulators)")
	}
	retention, err := days(getenv("AUDIT_RETENTION_DAYS"))
	if err != nil {
		return stores{}, err
	}
	keeper, err := secretsmanager.New(secretsmanager.NewClient(env), prefix)
	if err != nil {
		return stores{}, fmt.Errorf("SECRET_PREFIX: %w", err)
	}
	db := env.NewDynamoDB()
	return stores{
		secrets: secrets.NewCache(keeper, time.Now), audit: auditdynamo.New(db, changes),
		state: statedynamo.New(db, plans, changes, time.Now), retention: retention,
		lastUsed: identity.NewLastUsed(dynamo.New(db, identities).Touch, time.Now),
	}, nil
}

// days reads a number of days; "" means the default.
func days(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 36500 {
		return 0, errors.New("AUDIT_RETENTION_DAYS must be a whole number of days from 1")
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

func namespace(getenv func(string) string) string {
	if n := getenv("METRICS_NAMESPACE"); n != "" {
		return n
	}
	return "intervals-mcp"
}

func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
