package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/tools"
)

type caller struct{ isError bool }

func (c caller) Call(ctx context.Context, _ tools.Tool, _ identity.Identity, _ json.RawMessage) tools.Answer {
	Observe(ctx, intervals.Attempt{Duration: 20 * time.Millisecond})
	Observe(ctx, intervals.Attempt{Duration: 80 * time.Millisecond})
	Observe(ctx, intervals.Attempt{Duration: 30 * time.Millisecond})
	return tools.Answer{Text: "private text", IsError: c.isError}
}

func emitter() (*Emitter, *bytes.Buffer) {
	var out bytes.Buffer
	return &Emitter{Namespace: "intervals-mcp/test", Now: func() time.Time { return time.UnixMilli(1000) }, W: &out}, &out
}

func TestCallsAreCountedWithoutWhoOrWhat(t *testing.T) {
	e, out := emitter()
	id := identity.Identity{User: "i4711", Athlete: "i4711", Connection: "c-1"}
	e.Caller(caller{isError: true}).Call(t.Context(), tools.Tool{Name: "get_events"}, id, json.RawMessage(`{"name":"private argument"}`))
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
		t.Fatalf("%s: %v", out, err)
	}
	m := line.AWS.CloudWatchMetrics[0]
	if line.ToolCalls != 1 || line.ToolErrors != 1 || line.UpstreamLatency != 80 || line.Tool != "get_events" || line.AWS.Timestamp != 1000 ||
		m.Namespace != "intervals-mcp/test" || len(m.Dimensions) != 1 || len(m.Dimensions[0]) != 0 || len(m.Metrics) != 3 {
		t.Errorf("line = %s", out)
	}
	if strings.Contains(out.String(), "4711") || strings.Contains(out.String(), "private") || strings.Contains(out.String(), "c-1") {
		t.Errorf("the line says who or what: %s", out)
	}
}

// down is a log that cannot be written.
type down struct{ audit.Log }

func (down) Append(context.Context, []audit.Item) error { return errors.New("unreachable") }
func (down) Heads(context.Context, audit.Query) ([]audit.Item, error) {
	return nil, errors.New("unreachable")
}
func (down) Change(context.Context, string, audit.ID) ([]audit.Item, error) {
	return nil, errors.New("unreachable")
}

func TestAuditFailuresAndUnfinishedIntentsAreCounted(t *testing.T) {
	for phase, want := range map[audit.Phase]int{audit.Intent: 1, audit.Outcome: 2} {
		e, out := emitter()
		if err := e.Log(down{}).Append(t.Context(), []audit.Item{{Phase: phase}}); err == nil {
			t.Error("the failure was swallowed")
		}
		if n := strings.Count(out.String(), "\n"); n != want || !strings.Contains(out.String(), `"AuditFailures":1`) {
			t.Errorf("%s: %s", phase, out)
		}
	}
	e, out := emitter()
	id := audit.NewID(time.UnixMilli(1000), "r1")
	head := audit.Item{Schema: audit.SchemaVersion, Change: id, Phase: audit.Outcome, User: "u", Tool: "t", RequestID: "r1", Time: id.Time, Expires: id.Time.Add(time.Hour), Status: audit.Unknown}
	if err := e.Log(&audit.Memory{}).Append(t.Context(), []audit.Item{head}); err != nil || !strings.Contains(out.String(), `"UnfinishedIntents":1`) || strings.Contains(out.String(), "AuditFailures") {
		t.Errorf("an outcome that nobody can tell: %v, %s", err, out)
	}
	e, out = emitter()
	if err := e.Log(&audit.Memory{}).Append(t.Context(), nil); err != nil || out.Len() != 0 {
		t.Errorf("a log that works was counted: %v, %s", err, out)
	}
}

// Without reading it nothing is written either: a change looks for its equal.
func TestALogThatCannotBeReadIsCounted(t *testing.T) {
	e, out := emitter()
	_, err := e.Log(down{}).Heads(t.Context(), audit.Query{User: "u1"})
	_, err2 := e.Log(down{}).Change(t.Context(), "u1", audit.ID{})
	if n := strings.Count(out.String(), `"AuditFailures":1`); err == nil || err2 == nil || n != 2 {
		t.Errorf("%v, %v, %d counted", err, err2, n)
	}
}
