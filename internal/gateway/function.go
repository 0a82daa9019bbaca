package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxPayload is what Lambda takes and gives in a synchronous call.
const maxPayload = 6 << 20

// Function is a Lambda function behind a Runtime Interface Emulator, or
// anything else that takes events by POST.
type Function struct {
	url  string
	free chan struct{}
}

// NewFunction makes a Function of an emulator's address, such as
// http://127.0.0.1:8080. The emulator takes one event at a time; others wait.
func NewFunction(address string) *Function {
	return &Function{url: address + "/2015-03-31/functions/function/invocations", free: make(chan struct{}, 1)}
}

// Invoke is an Integration. An answer without a status code is a body by
// itself, as payload version 2.0 has it.
func (f *Function) Invoke(ctx context.Context, ev Request) (Response, error) {
	raw, err := f.send(ctx, ev)
	if err != nil {
		return Response{}, err
	}
	var is struct {
		StatusCode *int `json:"statusCode"`
	}
	if json.Unmarshal(raw, &is) != nil || is.StatusCode == nil {
		return Response{StatusCode: http.StatusOK, Headers: map[string]string{"Content-Type": "application/json"}, Body: string(raw)}, nil
	}
	var a Response
	if err := json.Unmarshal(raw, &a); err != nil {
		return Response{}, fmt.Errorf("the function's answer cannot be read: %w", err)
	}
	return a, nil
}

// Authorize is an Authorizer.
func (f *Function) Authorize(ctx context.Context, ev AuthorizerRequest) (AuthorizerResponse, error) {
	raw, err := f.send(ctx, ev)
	if err != nil {
		return AuthorizerResponse{}, err
	}
	var a struct {
		IsAuthorized *bool          `json:"isAuthorized"`
		Context      map[string]any `json:"context"`
	}
	if err := json.Unmarshal(raw, &a); err != nil || a.IsAuthorized == nil {
		return AuthorizerResponse{}, errors.New("the authorizer's answer is no simple response")
	}
	return AuthorizerResponse{IsAuthorized: *a.IsAuthorized, Context: a.Context}, nil
}

// send gives what the function returned; its error is an error. When the
// context ends before, the function runs on, as Lambda's do.
func (f *Function) send(ctx context.Context, ev any) ([]byte, error) {
	body, err := json.Marshal(ev)
	if err != nil {
		return nil, err
	}
	if len(body) > maxPayload {
		return nil, errTooLarge
	}
	select {
	case f.free <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type result struct {
		out []byte
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-f.free }()
		out, err := f.post(context.WithoutCancel(ctx), body)
		done <- result{out, err}
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *Function) post(ctx context.Context, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("invoke: %w", err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	out, err := io.ReadAll(io.LimitReader(resp.Body, maxPayload+1))
	if err != nil {
		return nil, fmt.Errorf("invoke: %w", err)
	}
	var failed struct {
		Message string `json:"errorMessage"`
		Type    string `json:"errorType"`
	}
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("invoke: %s: %.300s", resp.Status, out)
	case len(out) > maxPayload:
		return nil, errors.New("invoke: the answer is larger than Lambda gives")
	case !json.Valid(out):
		return nil, fmt.Errorf("invoke: %.300s", out)
	case json.Unmarshal(out, &failed) == nil && failed.Type != "":
		return nil, fmt.Errorf("the function failed: %s: %s", failed.Type, failed.Message)
	}
	return out, nil
}
