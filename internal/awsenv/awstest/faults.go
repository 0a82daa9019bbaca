package awstest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Faults is an HTTP client for the SDK that fails on demand. The zero value
// lets everything through.
type Faults struct {
	// Seen, if set, is shown each request's body.
	Seen func(operation string, body []byte)
	// Only, if set, tells which requests fail.
	Only func(operation string, body []byte) bool

	mu    sync.Mutex
	fault Fault
	calls []string
}

// Fault is how requests fail.
type Fault int

// The faults. LostAnswer fails once, NoAnswer until another is set, both after
// the request had its effect.
const (
	None Fault = iota
	Throttled
	Denied
	ServerError
	Unreachable
	LostAnswer
	NoAnswer
)

// Set makes requests fail from now on.
func (f *Faults) Set(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// Calls gives the operations called since it was last asked ("GetItem"),
// retries included.
func (f *Faults) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// Do implements the SDK's HTTPClient.
func (f *Faults) Do(r *http.Request) (*http.Response, error) {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	spared := false
	if (f.Seen != nil || f.Only != nil) && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if f.Seen != nil {
			f.Seen(op, body)
		}
		spared = f.Only != nil && !f.Only(op, body)
	}
	f.mu.Lock()
	fault := f.fault
	f.calls = append(f.calls, op)
	if spared {
		fault = None
	}
	if fault == LostAnswer {
		f.fault = None
	}
	f.mu.Unlock()
	switch fault {
	case Throttled:
		return answer(r, 400, "ThrottlingException"), nil
	case Denied:
		return answer(r, 400, "AccessDeniedException"), nil
	case ServerError:
		return answer(r, 500, "InternalServerError"), nil
	case Unreachable:
		return nil, errors.New("connection refused")
	}
	resp, err := http.DefaultClient.Do(r)
	if (fault == LostAnswer || fault == NoAnswer) && err == nil {
		return nil, errors.Join(errors.New("connection reset"), resp.Body.Close())
	}
	return resp, err
}

func answer(r *http.Request, status int, code string) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}, "X-Amzn-Errortype": {code}},
		Body:   io.NopCloser(strings.NewReader(`{"__type":"` + code + `","message":"played by a test"}`)),
	}
}

// Canceling is an HTTP client for the SDK that cancels as many transactions, for
// these reasons of their second write, as DynamoDB does where others are in the
// way. What else is asked passes.
type Canceling struct {
	Reasons []string
	Seen    int // transactions
}

// Do implements the SDK's HTTPClient.
func (c *Canceling) Do(r *http.Request) (*http.Response, error) {
	if _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op != "TransactWriteItems" {
		return http.DefaultClient.Do(r)
	}
	c.Seen++
	if len(c.Reasons) == 0 {
		return http.DefaultClient.Do(r)
	}
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"None"},{"Code":"` + c.Reasons[0] + `"}]}`
	c.Reasons = c.Reasons[1:]
	return &http.Response{StatusCode: http.StatusBadRequest, Request: r, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}
