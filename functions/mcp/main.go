package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/mcpserver/apigw"
	"intervals-mcp/internal/secrets"
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

// localUser is the one user whose key is known here.
const localUser = "local"

func wire(getenv func(string) string, log *slog.Logger) (*apigw.Handler, error) {
	if getenv("AWS_SAM_LOCAL") != "true" {
		return nil, errors.New("this function keeps its stores in memory and starts only under AWS_SAM_LOCAL=true; it must not be deployed yet")
	}
	key := getenv("API_KEY")
	if key == "" {
		return nil, errors.New("API_KEY is not set: under AWS_SAM_LOCAL it is the Intervals.icu key of the user " + localUser)
	}
	up, err := intervals.New(intervals.Options{BaseURL: getenv("INTERVALS_API_BASE_URL"), UserAgent: "intervals-mcp/" + version, Observe: mcpserver.Observe,
		PlainHTTP: true}) // only under sam local: the fake on the host is not on the container's loopback
	if err != nil {
		return nil, fmt.Errorf("INTERVALS_API_BASE_URL: %w", err)
	}
	changes := change.New(change.Config{Log: &audit.Memory{}, NewID: mcpserver.RequestID, Logger: log})
	svc := tools.NewService(tools.Config{Upstream: up, Changes: changes, Log: log,
		Secrets: secrets.Single{User: localUser, Cred: secrets.Credential{APIKey: secrets.New(key)}}})
	s := mcpserver.New(mcpserver.Options{Caller: svc, Tools: tools.All(), Version: version, Log: log,
		LegacyOnly: getenv("MCP_LEGACY_ONLY") == "true"})
	return apigw.New(s, apigw.Options{PublicURL: getenv("PUBLIC_URL")}), nil
}
