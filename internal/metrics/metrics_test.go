package metrics

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
)

func emitter() (*Emitter, *bytes.Buffer) {
	var out bytes.Buffer
	return &Emitter{Namespace: "intervals-mcp/test", Now: func() time.Time { return time.UnixMilli(1000) }, W: &out}, &out
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
