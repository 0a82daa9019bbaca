package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/metrics"
	"intervals-mcp/internal/tools"
)

type caller struct{ isError bool }

func (c caller) Call(ctx context.Context, _ tools.Tool, _ identity.Identity, _ json.RawMessage) tools.Answer {
	Observe(ctx, intervals.Attempt{Duration: 20 * time.Millisecond})
	Observe(ctx, intervals.Attempt{Duration: 80 * time.Millisecond})
	Observe(ctx, intervals.Attempt{Duration: 30 * time.Millisecond})
	return tools.Answer{Text: "private text", IsError: c.isError}
}

func TestCallsAreCountedWithoutWhoOrWhat(t *testing.T) {
	var out bytes.Buffer
	e := &metrics.Emitter{Namespace: "intervals-mcp/test", Now: func() time.Time { return time.UnixMilli(1000) }, W: &out}
	id := identity.Identity{User: "i4711", Athlete: "i4711", Connection: "c-1"}
	Caller(e, caller{isError: true}).Call(t.Context(), tools.Tool{Name: "get_events"}, id, json.RawMessage(`{"name":"private argument"}`))
	var line struct {
		ToolCalls, ToolErrors, UpstreamLatency float64
		Tool                                   string
		AWS                                    struct {
			Timestamp         int64
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	m := line.AWS.CloudWatchMetrics[0]
	if line.ToolCalls != 1 || line.ToolErrors != 1 || line.UpstreamLatency != 80 || line.Tool != "get_events" || line.AWS.Timestamp != 1000 ||
		m.Namespace != "intervals-mcp/test" || len(m.Dimensions) != 1 || len(m.Dimensions[0]) != 0 || len(m.Metrics) != 3 {
		t.Errorf("line = %s", &out)
	}
	if strings.Contains(out.String(), "4711") || strings.Contains(out.String(), "private") || strings.Contains(out.String(), "c-1") {
		t.Errorf("the line says who or what: %s", &out)
	}
}
