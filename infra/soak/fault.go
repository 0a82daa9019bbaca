package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
)

// plan is what will go wrong during one change, by the ordinal of a request, of
// a call of a store and of a step.
type plan struct {
	wire  map[int]string
	acts  map[int]string // of requests about activities, which planners send beside others
	write map[int]string // of requests that write
	store map[int]string
	step  map[int]string // die, or another process does the same
}

var wireFaults = []string{"429", "500", "502", "503", "504", "500 after", "502 after", "504 after", "time-out", "time-out after", "cut", "cut after",
	"body {}", "body []", "body <html>", `body {"id":`, "body null", `body {"id":100}`, "late", "late", "late", "die", "die after", "cancel", "cancel after"}

var storeFaults = []string{"down", "down", "down after", "down after", "die", "die after"}

func newPlan(r *rand.Rand) plan {
	p := plan{wire: map[int]string{}, acts: map[int]string{}, write: map[int]string{}, store: map[int]string{}, step: map[int]string{}}
	switch r.IntN(10) {
	case 0, 1, 2:
		for range 1 + r.IntN(3) {
			p.write[r.IntN(4)] = wireFaults[r.IntN(len(wireFaults))]
		}
		if r.IntN(3) == 0 {
			p.wire[r.IntN(14)] = wireFaults[r.IntN(len(wireFaults))]
		}
	case 3:
		for range 1 + r.IntN(3) {
			p.wire[r.IntN(14)] = wireFaults[r.IntN(len(wireFaults))]
		}
		if r.IntN(4) == 0 {
			p.acts[r.IntN(3)] = wireFaults[r.IntN(len(wireFaults))]
		}
	case 4: // an outage
		kind, first := wireFaults[r.IntN(12)], r.IntN(8)
		for i := range 1 + r.IntN(8) {
			p.wire[first+i], p.write[i] = kind, kind
		}
	case 5, 6:
		for range 1 + r.IntN(2) {
			p.store[r.IntN(9)] = storeFaults[r.IntN(len(storeFaults))]
		}
		if r.IntN(3) == 0 {
			p.wire[r.IntN(10)] = wireFaults[r.IntN(len(wireFaults))]
		}
	case 7:
		p.step[r.IntN(8)] = "die"
		if r.IntN(3) == 0 {
			p.wire[r.IntN(10)] = wireFaults[r.IntN(len(wireFaults))]
		}
	case 8:
		p.step[r.IntN(4)] = "twice"
	}
	return p
}

// death is the panic of a process that dies.
type death struct{}

// breaker counts what happens during one change, and breaks it as planned.
// What runs at the same instant is nested, so that a seed gives the same run
// again; only planners read in goroutines of their own.
type breaker struct {
	hasIntent func(ctx context.Context) bool // whether a call's intent is recorded

	mu        sync.Mutex
	plan      plan
	requests  int
	acts      int
	writes    int
	calls     int
	steps     int
	cancel    func()
	twice     func() // another process does the same
	onStep    func()
	quiet     bool     // nothing breaks now
	lateLands bool     // in the middle, not only at the end
	late      []func() // requests that land after their time-out
	broke     map[string]int
	written   int // requests that may have had their effect
	unaudited []string
}

// begin makes ready for the next change.
func (b *breaker) begin(p plan, lateLands bool) {
	b.plan, b.lateLands, b.requests, b.acts, b.writes, b.calls, b.steps, b.written, b.unaudited = p, lateLands, 0, 0, 0, 0, 0, 0, nil
}

func (b *breaker) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broke[what]++
}

// next takes the fault that a request meets.
func (b *breaker) next(r *http.Request) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.Method != http.MethodGet:
		b.writes++
		return b.plan.write[b.writes-1]
	case strings.Contains(r.URL.Path, "activit"):
		b.acts++
		return b.plan.acts[b.acts-1]
	}
	b.requests++
	return b.plan.wire[b.requests-1]
}

// land lets requests arrive that were thought lost.
func (b *breaker) land() {
	for len(b.late) > 0 {
		next := b.late[0]
		b.late = b.late[1:]
		next()
	}
}

func (b *breaker) step(string) {
	if b.onStep != nil {
		b.onStep()
	}
	if b.quiet {
		return
	}
	kind := b.plan.step[b.steps]
	b.steps++
	switch kind {
	case "die":
		b.note("step: die")
		panic(death{})
	case "twice":
		if b.twice != nil {
			b.note("step: the same at the same instant")
			again := b.twice
			b.twice, b.quiet = nil, true
			again()
			b.quiet = false
		}
	}
}

// wire is the way to Intervals.icu.
type wire struct {
	*breaker
	to http.RoundTripper
}

var errTimeout = &net.OpError{Op: "read", Net: "tcp", Err: context.DeadlineExceeded}
var errCut = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	writes := r.Method != http.MethodGet
	if writes && !w.hasIntent(r.Context()) {
		w.unaudited = append(w.unaudited, r.Method+" "+r.URL.Path)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	send := func() (*http.Response, error) {
		if !writes {
			return w.to.RoundTrip(r)
		}
		w.written++
		resp, err := w.to.RoundTrip(r)
		if w.onStep != nil { // between effect and answer
			w.onStep()
		}
		return resp, err
	}
	if w.quiet {
		return send()
	}
	kind := w.next(r)
	if writes && w.lateLands {
		w.land()
	}
	if !writes && (strings.HasPrefix(kind, "die") || kind == "late") {
		kind = "" // planners read in goroutines of their own
	}
	if !writes && (kind == "body []" || kind == "body null") {
		kind = "body <html>" // an empty list is no wrong shape: nobody can tell that it lies
	}
	if kind == "" {
		return send()
	}
	w.note("wire: " + kind)
	if body, wrong := strings.CutPrefix(kind, "body "); wrong {
		resp, err := send()
		if err == nil && resp.StatusCode == http.StatusOK {
			return reply(r, http.StatusOK, body), nil
		}
		return resp, err
	}
	if kind == "late" {
		return nil, w.delay(r)
	}
	kind, after := strings.CutSuffix(kind, " after")
	if after {
		if _, err := send(); err != nil {
			return nil, err
		}
	}
	return w.fail(r, kind, after)
}

// delay lets a request land after its time-out.
func (w wire) delay(r *http.Request) error {
	late := r.Clone(context.WithoutCancel(r.Context()))
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		late.Body = io.NopCloser(bytes.NewReader(body))
	}
	w.late = append(w.late, func() {
		w.written++
		if resp, err := w.to.RoundTrip(late); err == nil {
			_ = resp.Body.Close()
		}
	})
	return errTimeout
}

// fail is what the caller sees of a fault; after: the request had its effect.
func (w wire) fail(r *http.Request, kind string, after bool) (*http.Response, error) {
	switch kind {
	case "time-out":
		return nil, errTimeout
	case "cut":
		return nil, errCut
	case "die":
		panic(death{})
	case "cancel":
		w.cancel()
		if after {
			return nil, context.Canceled
		}
		return nil, r.Context().Err()
	}
	status := map[string]int{"429": 429, "500": 500, "502": 502, "503": 503, "504": 504}[kind]
	return reply(r, status, `{"status":`+kind+`,"error":"planned"}`), nil
}

func reply(r *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}
}

var errDown = errors.New("planned: the store is down")

// guard runs one call of a store.
func (b *breaker) guard(ctx context.Context, call func() error) error {
	if b.quiet {
		return call()
	}
	kind := b.plan.store[b.calls]
	b.calls++
	if kind == "" {
		return call()
	}
	b.note("store: " + kind)
	head, after := strings.CutSuffix(kind, " after")
	if after {
		if err := call(); err != nil {
			return err
		}
	}
	if head == "die" {
		panic(death{})
	}
	return errDown
}

// brokenLog is an audit log that is down at times, before or after the write.
type brokenLog struct {
	audit.Log
	b *breaker
}

func (l brokenLog) Append(ctx context.Context, items []audit.Item) error {
	return l.b.guard(ctx, func() error { return l.Log.Append(ctx, items) })
}

func (l brokenLog) Change(ctx context.Context, user string, id audit.ID) (items []audit.Item, err error) {
	err = l.b.guard(ctx, func() (err error) { items, err = l.Log.Change(ctx, user, id); return err })
	return items, err
}

func (l brokenLog) Heads(ctx context.Context, q audit.Query) (heads []audit.Item, err error) {
	err = l.b.guard(ctx, func() (err error) { heads, err = l.Log.Heads(ctx, q); return err })
	return heads, err
}

// brokenState is a state store that is down at times.
type brokenState struct {
	state.Store
	b *breaker
}

func (s brokenState) Keep(ctx context.Context, w state.Waiting) error {
	return s.b.guard(ctx, func() error { return s.Store.Keep(ctx, w) })
}

func (s brokenState) Get(ctx context.Context, user, handle string) (w state.Waiting, err error) {
	err = s.b.guard(ctx, func() (err error) { w, err = s.Store.Get(ctx, user, handle); return err })
	return w, err
}

func (s brokenState) Use(ctx context.Context, user, handle string, head audit.Item) error {
	return s.b.guard(ctx, func() error { return s.Store.Use(ctx, user, handle, head) })
}

func (s brokenState) Wrong(ctx context.Context, user, handle string) (left int, err error) {
	err = s.b.guard(ctx, func() (err error) { left, err = s.Store.Wrong(ctx, user, handle); return err })
	return left, err
}

func (s brokenState) Drop(ctx context.Context, user, handle string) error {
	return s.b.guard(ctx, func() error { return s.Store.Drop(ctx, user, handle) })
}

func (s brokenState) Allow(ctx context.Context, key string, limit int, window time.Duration) (ok bool, until time.Time, err error) {
	err = s.b.guard(ctx, func() (err error) { ok, until, err = s.Store.Allow(ctx, key, limit, window); return err })
	return ok, until, err
}
