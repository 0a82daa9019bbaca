package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// runtimeAPI stands in for Lambda's Runtime API and serves one process at a
// time. It is also the Secrets Manager of that process.
type runtimeAPI struct {
	srv    *httptest.Server
	asked  chan time.Time // the process asked for work
	event  chan []byte
	answer chan reply
}

type reply struct {
	at     time.Time
	body   []byte
	failed bool
}

func newRuntimeAPI() *runtimeAPI {
	a := &runtimeAPI{asked: make(chan time.Time, 1), event: make(chan []byte), answer: make(chan reply, 1)}
	a.srv = httptest.NewServer(a)
	return a
}

// ServeHTTP answers next, response and error, and GetSecretValue.
func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	switch {
	case strings.HasSuffix(r.URL.Path, "/invocation/next"):
		a.asked <- now
		select {
		case ev := <-a.event:
			h := w.Header()
			h.Set("Lambda-Runtime-Aws-Request-Id", strconv.FormatInt(now.UnixNano(), 16))
			h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(now.Add(29*time.Second).UnixMilli(), 10))
			h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-central-1:123456789012:function:bench")
			_, _ = w.Write(ev)
		case <-r.Context().Done(): // the process has ended
		}
	case r.URL.Path == "/": // GetSecretValue
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_, _ = io.WriteString(w, `{"Name":"bench","SecretString":"{\"v\":1,\"kind\":\"api_key\",\"api_key\":\"bench-key-1\"}"}`)
	default:
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		a.answer <- reply{now, body, !strings.HasSuffix(r.URL.Path, "/response")}
	}
}

// bootstrap is a running function.
type bootstrap struct {
	api    *runtimeAPI
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// startBootstrap starts a function; ready is the time from process start to
// its first request for work, which is where Lambda's init phase ends.
func startBootstrap(api *runtimeAPI, bin string, env []string) (p *bootstrap, ready time.Duration, err error) {
	p = &bootstrap{api: api, cmd: exec.Command(bin)}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(api.srv.URL, "http://"),
		"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=AKIDBENCH", "AWS_SECRET_ACCESS_KEY=bench", "_HANDLER=bootstrap"}, env...)
	p.cmd.Stderr = &p.stderr
	start := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, 0, err
	}
	select {
	case at := <-api.asked:
		return p, at.Sub(start), nil
	case <-api.answer: // an error of its initialization
	case <-time.After(10 * time.Second):
	}
	p.stop()
	return nil, 0, fmt.Errorf("%s did not start: %.500s", bin, p.stderr.String())
}

// invoke sends one event and gives the answer and how long it took.
func (p *bootstrap) invoke(event []byte) ([]byte, time.Duration, error) {
	start := time.Now()
	select {
	case p.api.event <- event:
	case <-time.After(10 * time.Second):
		return nil, 0, errors.New("the function takes no event")
	}
	select {
	case r := <-p.api.answer:
		if r.failed {
			return nil, 0, fmt.Errorf("the function failed: %.500s", r.body)
		}
		<-p.api.asked // it is idle again
		return r.body, r.at.Sub(start), nil
	case <-time.After(10 * time.Second):
		return nil, 0, errors.New("the function gives no answer")
	}
}

func (p *bootstrap) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.api.srv.CloseClientConnections()
	select { // a request that was on its way
	case <-p.api.asked:
	default:
	}
}
