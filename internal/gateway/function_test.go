package gateway

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// emulator answers events with fixed text, as a Runtime Interface Emulator does.
func emulator(t *testing.T, status int, says string) *Function {
	t.Helper()
	var busy atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Add(1) > 1 {
			t.Error("two events at once")
		}
		defer busy.Add(-1)
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/2015-03-31/functions/function/invocations" || !json.Valid(b) {
			t.Errorf("%s %s", r.URL.Path, b)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, says)
	}))
	t.Cleanup(s.Close)
	return NewFunction(s.URL)
}

func TestAFunctionBehindAnEmulatorAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		says   string
		want   int
		body   string
	}{
		"answer":        {200, `{"statusCode":418,"headers":{"A":"b"},"body":"x"}`, 418, "x"},
		"body alone":    {200, `{"a":1}`, 200, `{"a":1}`},
		"error":         {200, `{"errorMessage":"no","errorType":"errorString"}`, 500, `{"message":"Internal Server Error"}`},
		"timed out":     {200, `Task timed out after 3.00 seconds`, 500, `{"message":"Internal Server Error"}`},
		"emulator down": {502, `{}`, 500, `{"message":"Internal Server Error"}`},
		"wrong type":    {200, `{"statusCode":200,"body":7}`, 500, `{"message":"Internal Server Error"}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := emulator(t, c.status, c.says)
			s := newRig(t, func(o *Options) { o.Functions = map[string]Integration{"McpFunction": f.Invoke} })
			if resp, body := s.send(t, "POST", "/mcp", "{}"); resp.StatusCode != c.want || body != c.body {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	f := emulator(t, 200, `{"statusCode":200}`)
	s := newRig(t, func(o *Options) { o.Functions = map[string]Integration{"McpFunction": f.Invoke} })
	resp, body := s.send(t, "POST", "/mcp", strings.Repeat("a", maxPayload))
	wantOwn(t, resp, body, 413, "Request Too Long")
}

func TestAnAuthorizerBehindAnEmulatorDecides(t *testing.T) {
	for says, want := range map[string]int{
		`{"isAuthorized":true,"context":{"auth":"ok"}}`:         200,
		`{"isAuthorized":false}`:                                403,
		`{"isAuthorised":true}`:                                 500,
		`null`:                                                  500,
		`{"errorMessage":"no","errorType":"errorString"}`:       500,
		`{"principalId":"x","policyDocument":{"Statement":[]}}`: 500,
	} {
		f := emulator(t, 200, says)
		s := newRig(t, func(o *Options) { o.Authorizer = f.Authorize })
		if resp, body := s.send(t, "POST", "/mcp", "{}"); resp.StatusCode != want {
			t.Errorf("%s: %d %s", says, resp.StatusCode, body)
		}
	}
}

func TestAnEmulatorGetsOneEventAtATime(t *testing.T) {
	f := emulator(t, 200, `{"statusCode":200}`)
	done := make(chan int)
	for range 8 {
		go func() {
			a, err := f.Invoke(t.Context(), Request{Version: "2.0"})
			if err != nil {
				t.Error(err)
			}
			done <- a.StatusCode
		}()
	}
	for range 8 {
		if <-done != 200 {
			t.Error("refused")
		}
	}
}
