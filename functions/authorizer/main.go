package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"intervals-mcp/internal/authorizer"
	"intervals-mcp/internal/awsenv"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/secrets"
)

func main() {
	a, err := wire(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "intervals-mcp function authorizer:", err)
		os.Exit(1)
	}
	lambda.Start(a.Handle)
}

func wire(getenv func(string) string) (*authorizer.Authorizer, error) {
	env, err := awsenv.Read(getenv)
	if err != nil {
		return nil, err
	}
	a := &authorizer.Authorizer{Now: time.Now, Log: slog.New(lambdacontext.NewLogHandler()), Strict: getenv("STRICT_GATEWAY") == "true", PublicURL: getenv("PUBLIC_URL")}
	if token := getenv(awsenv.LocalToken); env.SAMLocal && token != "" {
		a.Local = &authorizer.Local{Token: secrets.New(token), Athlete: getenv(awsenv.AthleteID)}
		if a.Local.Athlete == "" {
			a.Local.Athlete = "0"
		}
		if env.DynamoDB == "" {
			return a, nil
		}
	}
	table := getenv("IDENTITY_TABLE")
	if table == "" {
		return nil, errors.New("IDENTITY_TABLE is not set (under sam local: set LOCAL_TOKEN)")
	}
	a.Tokens = dynamo.New(env.NewDynamoDB(), table)
	return a, nil
}
