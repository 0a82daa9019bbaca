package awsenv

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Names of the variables this package reads; template.yaml declares the first
// six empty, because SAM CLI fills in only what is declared.
const (
	APIKey                 = "API_KEY"
	AthleteID              = "ATHLETE_ID"
	LocalToken             = "LOCAL_TOKEN"
	IntervalsBaseURL       = "INTERVALS_API_BASE_URL"
	EndpointDynamoDB       = "AWS_ENDPOINT_URL_DYNAMODB"
	EndpointSecretsManager = "AWS_ENDPOINT_URL_SECRETS_MANAGER"
	SAMLocal               = "AWS_SAM_LOCAL"
)

// Env is what the environment says.
type Env struct {
	SAMLocal       bool // under `sam local`
	Region         string
	Credentials    aws.CredentialsProvider
	DynamoDB       string // endpoint; "" = AWS's own
	SecretsManager string // endpoint; "" = AWS's own
}

// Read reads the environment through getenv (os.Getenv). Its error says which
// variable keeps the function from starting, and what to do.
func Read(getenv func(string) string) (Env, error) {
	e := Env{SAMLocal: getenv(SAMLocal) == "true", Region: getenv("AWS_REGION"), DynamoDB: getenv(EndpointDynamoDB), SecretsManager: getenv(EndpointSecretsManager)}
	if err := e.check(getenv); err != nil {
		return Env{}, err
	}
	key, secret, session := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")
	e.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		if key == "" || secret == "" {
			return aws.Credentials{}, errors.New("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set")
		}
		// They do not change while the sandbox lives.
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret, SessionToken: session, Source: "environment"}, nil
	})
	return e, nil
}

func (e Env) check(getenv func(string) string) error {
	for _, name := range []string{EndpointDynamoDB, EndpointSecretsManager, IntervalsBaseURL} {
		if v := getenv(name); v != "" && !e.SAMLocal && !Loopback(v) {
			return fmt.Errorf("refusing to start: %s may only name this machine here; deploy the template unchanged, or leave it empty", name)
		}
	}
	if e.SAMLocal {
		return nil
	}
	for _, name := range []string{APIKey, AthleteID, LocalToken} {
		if getenv(name) != "" {
			return fmt.Errorf("refusing to start: %s is set. It is for `sam local` only; on AWS keys live in Secrets Manager and tokens in the identity table. Remove it from the function's environment", name)
		}
	}
	if e.Region == "" {
		return errors.New("refusing to start: AWS_REGION is not set")
	}
	return nil
}

// Loopback reports whether a URL names this machine by a loopback address or as
// localhost.
func Loopback(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil {
		return false
	}
	host := u.Hostname()
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
