package calls

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/metrics"
	"intervals-mcp/internal/tools"
)

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
func Caller(e *metrics.Emitter, next mcpserver.Caller) mcpserver.Caller { return counted{e, next} }

type counted struct {
	e    *metrics.Emitter
	next mcpserver.Caller
}

// Call implements mcpserver.Caller.
func (c counted) Call(ctx context.Context, t tools.Tool, id identity.Identity, args json.RawMessage) tools.Answer {
	var spent atomic.Int64
	a := c.next.Call(context.WithValue(ctx, latencyKey{}, &spent), t, id, args)
	list := []metrics.Metric{{Name: "ToolCalls", Unit: "Count", Value: 1}, {Name: "ToolErrors", Unit: "Count"}}
	if a.IsError {
		list[1].Value = 1
	}
	if d := spent.Load(); d > 0 {
		list = append(list, metrics.Metric{Name: "UpstreamLatency", Unit: "Milliseconds", Value: float64(time.Duration(d).Microseconds()) / 1000})
	}
	c.e.Emit(t.Name, list...)
	return a
}
