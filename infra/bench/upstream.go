package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// delayed puts a fixed time in front of every answer of an upstream.
type delayed struct{ srv *httptest.Server }

func newDelayed(target string, delay time.Duration) *delayed {
	u, err := url.Parse(target)
	if err != nil {
		panic(err) // the ready file of our own fake
	}
	u.Path = ""
	proxy := httputil.NewSingleHostReverseProxy(u)
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.DisableCompression = 64, true
	proxy.Transport = t
	d := &delayed{}
	d.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay)
		proxy.ServeHTTP(w, r)
	}))
	return d
}

func (d *delayed) url() string { return d.srv.URL + "/api/v1" }

// client is one keep-alive HTTP client for the product and for direct
// requests alike.
func newHTTP() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	return &http.Client{Transport: t, Timeout: time.Minute}
}

// mcpHTTP calls a tool over Streamable HTTP.
type mcpHTTP struct {
	http       *http.Client
	url, token string
}

// post sends one request and gives the answer as it came, so that what a
// client does with it is not counted as the product's time.
func (m mcpHTTP) post(method string, params any) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+m.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	resp, err := m.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read below
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %.200s", resp.StatusCode, answer)
	}
	return answer, nil
}

// toolAnswer is what a tools/call gives.
type toolAnswer struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func (m mcpHTTP) tool(name string, args map[string]any) (toolAnswer, error) {
	a, _, err := m.timed(name, args)
	return a, err
}

// timed calls a tool and tells how long it took until the whole answer was
// there.
func (m mcpHTTP) timed(name string, args map[string]any) (toolAnswer, time.Duration, error) {
	start := time.Now()
	answer, err := m.post("tools/call", map[string]any{"name": name, "arguments": args})
	took := time.Since(start)
	if err != nil {
		return toolAnswer{}, took, fmt.Errorf("%s: %w", name, err)
	}
	raw, err := result(answer)
	a, err := readAnswer(name, raw, err)
	return a, took, err
}

func readAnswer(name string, raw json.RawMessage, err error) (toolAnswer, error) {
	var a toolAnswer
	if err != nil {
		return a, fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("%s: %w", name, err)
	}
	if a.IsError || len(a.Content) == 0 {
		return a, fmt.Errorf("%s: %.300s", name, raw)
	}
	return a, nil
}

// seen is one request that the fake logged.
type seen struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query"`
}

// fakeAPI reaches the fake directly.
type fakeAPI struct {
	http     *http.Client
	url, key string // url ends in /api/v1
}

func (f fakeAPI) host() string { return strings.TrimSuffix(f.url, "/api/v1") }

func (f fakeAPI) clear() error {
	req, err := http.NewRequest(http.MethodDelete, f.host()+"/_fake/requests", nil)
	if err != nil {
		return err
	}
	resp, err := f.http.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (f fakeAPI) requests() ([]seen, error) {
	resp, err := f.http.Get(f.host() + "/_fake/requests")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read below
	var list []seen
	err = json.NewDecoder(resp.Body).Decode(&list)
	return list, err
}

// get makes one direct request and reads its body.
func (f fakeAPI) get(base string, s seen) error {
	u := strings.TrimSuffix(base, "/api/v1") + s.Path
	if s.Query != "" {
		u += "?" + s.Query
	}
	req, err := http.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		return err
	}
	req.SetBasicAuth("API_KEY", f.key)
	resp, err := f.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read below
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("direct %s: status %d", s.Path, resp.StatusCode)
	}
	return nil
}

// getAll makes the requests at the same time, as the product does.
func (f fakeAPI) getAll(base string, list []seen) error {
	errs := make(chan error, len(list))
	for _, s := range list {
		go func() { errs <- f.get(base, s) }()
	}
	var first error
	for range list {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}
