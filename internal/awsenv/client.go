package awsenv

import (
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// NewDynamoDB makes a client for DynamoDB.
func (e Env) NewDynamoDB() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: e.Region, Credentials: e.Credentials, BaseEndpoint: endpoint(e.DynamoDB), HTTPClient: HTTPClient(), Retryer: Retryer(),
	})
}

// endpoint gives nil for "", which means AWS's own.
func endpoint(s string) *string {
	if s == "" {
		return nil
	}
	return aws.String(s)
}

// HTTPClient is what AWS is called with: a store answers within milliseconds or
// is taken for unreachable, so that a caller hears of it in time.
func HTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		Timeout: 4 * time.Second,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 2 * time.Second, ResponseHeaderTimeout: 2 * time.Second,
			MaxIdleConns: 20, MaxIdleConnsPerHost: 20, IdleConnTimeout: 60 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Retryer tries three times within about a second.
func Retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 3
		o.MaxBackoff = 300 * time.Millisecond
	})
}
