package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/tools"
)

// Emitter writes metrics of one namespace. It is safe for concurrent use.
type Emitter struct {
	Namespace string // such as intervals-mcp/STACK
	Now       func() time.Time
	mu        sync.Mutex
	W         io.Writer
}

// metric is one figure of a line; units are CloudWatch's.
type metric struct {
	name, unit string
	value      float64
}

// emit writes one line. Its figures have no dimensions, since each value of one
// would be billed as a metric of its own; the tool's name stands beside them for
// those who search the log.
func (e *Emitter) emit(tool string, list ...metric) {
	b := fmt.Appendf(nil, `{"_aws":{"Timestamp":%d,"CloudWatchMetrics":[{"Namespace":%q,"Dimensions":[[]],"Metrics":[`, e.Now().UnixMilli(), e.Namespace)
	for i, m := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"Name":%q,"Unit":%q}`, m.name, m.unit)
	}
	b = append(b, "]}]}"...)
	for _, m := range list {
		b = fmt.Appendf(b, `,%q:%s`, m.name, strconv.FormatFloat(m.value, 'f', -1, 64))
	}
	if tool != "" {
		b = fmt.Appendf(b, `,"tool":%q`, tool)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = e.W.Write(append(b, "}\n"...)) // nobody is left to tell
}

type latencyKey struct{}

// Observe is intervals.Options.Observe: it counts towards the request's log
// line and towards the metrics of the tool that is being called.
func Observe(ctx context.Context, a intervals.Attempt) {
	mcpserver.Observe(ctx, a)
	if spent, ok := ctx.Value(latencyKey{}).(*atomic.Int64); ok {
		for { // calls run at the same time: the slowest is what the caller waits for
			old := spent.Load()
			if int64(a.Duration) <= old || spent.CompareAndSwap(old, int64(a.Duration)) {
				return
			}
		}
	}
}

// Caller counts the calls of another Caller.
func (e *Emitter) Caller(next mcpserver.Caller) mcpserver.Caller { return counted{e, next} }

type counted struct {
	e    *Emitter
	next mcpserver.Caller
}

// Call implements mcpserver.Caller.
func (c counted) Call(ctx context.Context, t tools.Tool, id identity.Identity, args json.RawMessage) tools.Answer {
	var spent atomic.Int64
	a := c.next.Call(context.WithValue(ctx, latencyKey{}, &spent), t, id, args)
	list := []metric{{"ToolCalls", "Count", 1}, {"ToolErrors", "Count", 0}}
	if a.IsError {
		list[1].value = 1
	}
	if d := spent.Load(); d > 0 {
		list = append(list, metric{"UpstreamLatency", "Milliseconds", float64(time.Duration(d).Microseconds()) / 1000})
	}
	c.e.emit(t.Name, list...)
	return a
}

// Log counts what fails in another Log.
func (e *Emitter) Log(next audit.Log) audit.Log { return watched{next, e} }

type watched struct {
	audit.Log
	e *Emitter
}

// Append implements audit.Log. A change is left unfinished when its outcome is
// not written, and when the outcome is that nobody can tell.
func (w watched) Append(ctx context.Context, items []audit.Item) error {
	err := w.Log.Append(ctx, items)
	if err != nil {
		w.e.emit("", metric{"AuditFailures", "Count", 1})
	}
	unfinished := func(i audit.Item) bool {
		return i.Phase == audit.Outcome && (err != nil || i.N == 0 && i.Status == audit.Unknown)
	}
	if slices.ContainsFunc(items, unfinished) {
		w.e.emit("", metric{"UnfinishedIntents", "Count", 1})
	}
	return err
}

// Change implements audit.Log.
func (w watched) Change(ctx context.Context, user string, id audit.ID) ([]audit.Item, error) {
	items, err := w.Log.Change(ctx, user, id)
	w.read(err)
	return items, err
}

// Heads implements audit.Log.
func (w watched) Heads(ctx context.Context, q audit.Query) ([]audit.Item, error) {
	items, err := w.Log.Heads(ctx, q)
	w.read(err)
	return items, err
}

// read counts a log that cannot be read: changes are refused then as well.
func (w watched) read(err error) {
	if err != nil {
		w.e.emit("", metric{"AuditFailures", "Count", 1})
	}
}
