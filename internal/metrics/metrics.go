package metrics

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"intervals-mcp/internal/audit"
)

// Emitter writes metrics of one namespace. It is safe for concurrent use.
type Emitter struct {
	Namespace string // such as intervals-mcp/STACK
	Now       func() time.Time
	mu        sync.Mutex
	W         io.Writer
}

// Metric is one figure of a line; units are CloudWatch's.
type Metric struct {
	Name, Unit string
	Value      float64
}

// Emit writes one line. Its figures have no dimensions, since each value of one
// would be billed as a metric of its own; the tool's name stands beside them for
// those who search the log.
func (e *Emitter) Emit(tool string, list ...Metric) {
	b := fmt.Appendf(nil, `{"_aws":{"Timestamp":%d,"CloudWatchMetrics":[{"Namespace":%q,"Dimensions":[[]],"Metrics":[`, e.Now().UnixMilli(), e.Namespace)
	for i, m := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"Name":%q,"Unit":%q}`, m.Name, m.Unit)
	}
	b = append(b, "]}]}"...)
	for _, m := range list {
		b = fmt.Appendf(b, `,%q:%s`, m.Name, strconv.FormatFloat(m.Value, 'f', -1, 64))
	}
	if tool != "" {
		b = fmt.Appendf(b, `,"tool":%q`, tool)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = e.W.Write(append(b, "}\n"...)) // nobody is left to tell
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
		w.e.Emit("", Metric{"AuditFailures", "Count", 1})
	}
	unfinished := func(i audit.Item) bool {
		return i.Phase == audit.Outcome && (err != nil || i.N == 0 && i.Status == audit.Unknown)
	}
	if slices.ContainsFunc(items, unfinished) {
		w.e.Emit("", Metric{"UnfinishedIntents", "Count", 1})
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
		w.e.Emit("", Metric{"AuditFailures", "Count", 1})
	}
}
