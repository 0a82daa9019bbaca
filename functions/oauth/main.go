package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"intervals-mcp/internal/audit"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/metrics"
	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/oauth/apigw"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretsmanager"
	"intervals-mcp/internal/state"
	statedynamo "intervals-mcp/internal/state/dynamo"
)

// version is set by the linker.
var version = "dev"

func main() {
	log := slog.New(lambdacontext.NewLogHandler())
	slog.SetDefault(log) // what libraries print becomes JSON too
	h, err := wire(os.Getenv, log)
	if err != nil {
		fmt.Fprintln(os.Stderr, "intervals-mcp function oauth:", err)
		os.Exit(1)
	}
	lambda.Start(h.Invoke)
}

// stores are where the function keeps what outlives a request.
type stores struct {
	identity   identity.Table
	keys       secrets.Keeper
	audit      audit.Log
	state      state.Store
	sessionKey oauth.SessionKey
	intervals  *oauth.IntervalsApp
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
	clients, err := oauth.ParseClients(getenv("OAUTH_CLIENTS"))
	if err != nil {
		return nil, fmt.Errorf("OAUTH_CLIENTS: %w", err)
	}
	retention, err := awsenv.AuditRetention(getenv("AUDIT_RETENTION_DAYS"))
	if err != nil {
		return nil, err
	}
	up, err := intervals.New(intervals.Options{BaseURL: getenv(awsenv.IntervalsBaseURL), UserAgent: "intervals-mcp/" + version,
		PrivateHTTP: env.SAMLocal}) // the fake on the host is not on the container's loopback
	if err != nil {
		return nil, fmt.Errorf("%s: %w", awsenv.IntervalsBaseURL, err)
	}
	emit := &metrics.Emitter{Namespace: awsenv.MetricsNamespace(getenv("METRICS_NAMESPACE")), Now: time.Now, W: os.Stdout}
	plans := emit.State(kept.state)
	changes := change.New(change.Config{Log: emit.Log(kept.audit), State: plans, NewID: requestID, Retention: retention, Logger: log, ApprovePage: oauth.ApprovePage})
	ids := identity.NewStore(kept.identity, time.Now)
	server := oauth.New(oauth.Options{Store: ids, Allow: plans.Allow, Clients: clients, Log: log})
	site := oauth.NewSite(oauth.SiteOptions{Server: server, Identity: ids, Keys: kept.keys, Changes: changes, State: plans, Upstream: up,
		SessionKey: kept.sessionKey, Admit: admits(getenv("ALLOWED_ATHLETES")), Intervals: kept.intervals, Log: log})
	return apigw.New(server.Handler(site), getenv("PUBLIC_URL")), nil
}

// openStores gives the stack's stores, or under sam local with API_KEY stores
// in memory.
func openStores(env awsenv.Env, getenv func(string) string) (stores, error) {
	if env.SAMLocal && getenv(awsenv.APIKey) != "" {
		log, key := &audit.Memory{}, secrets.New(rand.Text()+rand.Text())
		return stores{identity: &identity.Memory{}, keys: &secrets.Memory{}, audit: log, state: state.NewMemory(log, time.Now),
			sessionKey: func(context.Context) (secrets.Secret, error) { return key, nil }}, nil
	}
	names := awsenv.Stores{Identity: getenv("IDENTITY_TABLE"), Audit: getenv("AUDIT_TABLE"), State: getenv("STATE_TABLE"), SecretPrefix: getenv("SECRET_PREFIX")}
	if err := names.Check(); err != nil {
		return stores{}, err
	}
	keeper, err := secretsmanager.New(secretsmanager.NewClient(env), names.SecretPrefix)
	if err != nil {
		return stores{}, fmt.Errorf("SECRET_PREFIX: %w", err)
	}
	db := env.NewDynamoDB()
	out := stores{identity: dynamo.New(db, names.Identity), keys: keeper, audit: auditdynamo.New(db, names.Audit), state: statedynamo.New(db, names.State, names.Audit, time.Now),
		sessionKey: func(ctx context.Context) (secrets.Secret, error) {
			return keeper.Value(ctx, secretsmanager.SessionKey)
		}}
	if id := getenv("INTERVALS_CLIENT_ID"); id != "" {
		out.intervals = &oauth.IntervalsApp{Credentials: func(ctx context.Context) (string, secrets.Secret, error) {
			secret, err := keeper.Value(ctx, secretsmanager.IntervalsApp)
			return id, secret, err
		}}
	}
	return out, nil
}

// admits says that the athletes of a list may enrol, whose ids are separated by
// commas; nobody where it is empty.
func admits(list string) func(context.Context, string) (bool, error) {
	allowed := map[string]bool{}
	for _, id := range awsenv.List(list) {
		allowed[identity.UserID(id)] = true
	}
	return func(_ context.Context, athlete string) (bool, error) { return allowed[identity.UserID(athlete)], nil }
}

// requestID is Lambda's, so that the function's log, the audit log and AWS's
// own lines name a request alike.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return change.RandomID(ctx)
}
