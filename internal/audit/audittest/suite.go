package audittest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
)

var start = time.Date(2026, 7, 15, 12, 30, 0, 123456789, time.UTC)

// Suite runs the tests against the logs that open makes; each is empty.
func Suite(t *testing.T, open func(t *testing.T) audit.Log) {
	tests := []struct {
		name string
		run  func(*testing.T, audit.Log)
	}{
		{"an item comes back as it was written", comesBack},
		{"an item is never overwritten", neverOverwritten},
		{"a transaction is written whole or not at all", wholeOrNot},
		{"heads are listed by user, athlete and day, newest first", listed},
		{"an item of no athlete is listed like any other", noAthlete},
		{"pages do not overlap", pages},
		{"many objects are written in batches, the head last", batched},
		{"an equal plan is found unless it failed or is old", equalPlan},
		{"writers at the same time lose nothing", atTheSameTime},
		{"an item that must not be stored is refused", refused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, open(t)) })
	}
}

// Head is a head item of a user's change at start + minutes.
func Head(user string, minutes int) audit.Item {
	at := start.Add(time.Duration(minutes) * time.Minute)
	id := audit.NewID(at, fmt.Sprintf("%sr%d", user, minutes))
	return audit.Item{Schema: audit.SchemaVersion, Change: id, Phase: audit.Intent, User: user, Athlete: "i1", Connection: "c",
		Client: "cl", Tool: "delete_event", RequestID: id.Request, Time: at, Expires: at.Add(audit.DefaultRetention),
		Arguments: json.RawMessage(`{"event_id":"1"}`), Summary: "Delete one", Targets: []string{"1"}, Digest: "d" + user}
}

func object(head audit.Item, n int) audit.Item {
	head.N, head.Arguments, head.Summary, head.Targets, head.Digest = n, nil, "", nil, ""
	head.Kind, head.Action, head.Target, head.Undoable = "event", "delete", fmt.Sprint(n), "yes"
	head.Before = json.RawMessage(`{"name":"é \"x\""}`)
	return head
}

func comesBack(t *testing.T, log audit.Log) {
	ctx := context.Background()
	head := Head("u1", 0)
	if err := audit.WriteIntent(ctx, log, head, []audit.Item{object(head, 0)}); err != nil {
		t.Fatal(err)
	}
	head.Status, head.UpstreamStatus, head.DurationMS, head.Reason = audit.Applied, 200, 12, "r"
	if err := audit.WriteOutcome(ctx, log, head, nil); err != nil {
		t.Fatal(err)
	}
	got, err := log.Change(ctx, "u1", head.Change)
	if err != nil || len(got) != 3 {
		t.Fatalf("Change = %d items, %v; want 3", len(got), err)
	}
	if other, _ := log.Change(ctx, "u2", head.Change); len(other) != 0 {
		t.Errorf("another user sees %d items", len(other))
	}
	slices.SortFunc(got, func(a, b audit.Item) int { return strings.Compare(fmt.Sprint(b.Phase, b.N), fmt.Sprint(a.Phase, a.N)) })
	head.Phase = audit.Outcome
	want := head
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %+v\nwant %+v", got[0], want)
	}
	if o := object(head, 1); string(got[2].Before) != string(o.Before) && string(got[1].Before) != string(o.Before) {
		t.Errorf("before was lost: %+v", got)
	}
}

func neverOverwritten(t *testing.T, log audit.Log) {
	ctx := context.Background()
	head := Head("u1", 0)
	if err := log.Append(ctx, []audit.Item{head}); err != nil {
		t.Fatal(err)
	}
	again := head
	again.Summary = "forged"
	if err := log.Append(ctx, []audit.Item{again}); !errors.Is(err, audit.ErrExists) {
		t.Errorf("second write: %v, want ErrExists", err)
	}
	got, _ := log.Change(ctx, "u1", head.Change)
	if len(got) != 1 || got[0].Summary != head.Summary {
		t.Errorf("log holds %+v", got)
	}
}

func wholeOrNot(t *testing.T, log audit.Log) {
	ctx := context.Background()
	first, second := Head("u1", 0), Head("u1", 1)
	if err := log.Append(ctx, []audit.Item{second}); err != nil {
		t.Fatal(err)
	}
	if err := log.Append(ctx, []audit.Item{first, second}); !errors.Is(err, audit.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	if got, _ := log.Change(ctx, "u1", first.Change); len(got) != 0 {
		t.Errorf("half of a failed transaction was written")
	}
}

func listed(t *testing.T, log audit.Log) {
	ctx := context.Background()
	for i, user := range []string{"u1", "u2", "u1"} {
		h := Head(user, 1440*i)
		if i == 2 {
			h.Athlete = "i2"
		}
		if err := audit.WriteIntent(ctx, log, h, []audit.Item{object(h, 0)}); err != nil {
			t.Fatal(err)
		}
		h.Status = audit.Applied
		if err := audit.WriteOutcome(ctx, log, h, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		q    audit.Query
		want string
	}{
		{audit.Query{User: "u1"}, "u1r2880 outcome, u1r2880 intent, u1r0 outcome, u1r0 intent"},
		{audit.Query{User: "u1", From: start.Add(time.Hour)}, "u1r2880 outcome, u1r2880 intent"},
		{audit.Query{User: "u1", Limit: 1}, "u1r2880 outcome"},
		{audit.Query{Athlete: "i1"}, "u2r1440 outcome, u2r1440 intent, u1r0 outcome, u1r0 intent"},
		{audit.Query{Day: "2026-07-16"}, "u2r1440 outcome, u2r1440 intent"},
		{audit.Query{User: "nobody"}, ""},
		{audit.Query{User: "u1", From: start.Add(time.Hour), Before: audit.NewID(start.Add(time.Minute), "0")}, ""},
	} {
		heads, err := log.Heads(ctx, tt.q)
		if got := names(heads); err != nil || got != tt.want {
			t.Errorf("%+v: got %q, %v; want %q", tt.q, got, err, tt.want)
		}
	}
	if _, err := log.Heads(ctx, audit.Query{}); err == nil {
		t.Error("a query of nothing was answered")
	}
}

func noAthlete(t *testing.T, log audit.Log) {
	ctx := context.Background()
	h := Head("u1", 0)
	h.Athlete, h.Tool, h.Summary = "", "", ""
	if err := log.Append(ctx, []audit.Item{h}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []audit.Query{{User: "u1"}, {Day: "2026-07-15"}} {
		if heads, err := log.Heads(ctx, q); err != nil || names(heads) != "u1r0 intent" {
			t.Errorf("%+v: %q, %v", q, names(heads), err)
		}
	}
}

func names(heads []audit.Item) string {
	var out []string
	for _, h := range heads {
		out = append(out, h.Change.Request+" "+string(h.Phase))
	}
	return strings.Join(out, ", ")
}

func pages(t *testing.T, log audit.Log) {
	ctx := context.Background()
	for i := range 7 {
		if err := log.Append(ctx, []audit.Item{Head("u1", i)}); err != nil {
			t.Fatal(err)
		}
	}
	var all []audit.Item
	q := audit.Query{User: "u1", Limit: 3}
	for {
		page, err := log.Heads(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page...)
		if len(page) < 3 {
			break
		}
		q.Before = page[len(page)-1].Change
	}
	if got := names(all); got != "u1r6 intent, u1r5 intent, u1r4 intent, u1r3 intent, u1r2 intent, u1r1 intent, u1r0 intent" {
		t.Errorf("got %s", got)
	}
}

func batched(t *testing.T, log audit.Log) {
	ctx := context.Background()
	head := Head("u1", 0)
	var objects []audit.Item
	for range 100 {
		o := object(head, 0)
		o.Before = json.RawMessage(`"` + strings.Repeat("x", audit.MaxState-2) + `"`)
		o.After = o.Before
		objects = append(objects, o)
	}
	spy := &counting{Log: log}
	if err := audit.WriteIntent(ctx, spy, head, objects); err != nil {
		t.Fatal(err)
	}
	got, err := log.Change(ctx, "u1", head.Change)
	if err != nil || len(got) != 101 {
		t.Fatalf("%d items, %v; want 101", len(got), err)
	}
	last := spy.calls[len(spy.calls)-1]
	if len(last) != 1 || !last[0].Head() || last[0].Objects != 100 {
		t.Errorf("the last transaction is %d items", len(last))
	}
	for _, call := range spy.calls {
		size := 0
		for _, item := range call {
			b, _ := json.Marshal(item)
			size += len(b)
		}
		if len(call) > audit.MaxBatch || size > audit.MaxBatchSize {
			t.Errorf("a transaction of %d items, %d bytes", len(call), size)
		}
	}
}

type counting struct {
	audit.Log
	calls [][]audit.Item
}

func (c *counting) Append(ctx context.Context, items []audit.Item) error {
	c.calls = append(c.calls, items)
	return c.Log.Append(ctx, items)
}

func equalPlan(t *testing.T, log audit.Log) {
	ctx := context.Background()
	find := func(since int) string {
		e, ok, err := audit.FindEqual(ctx, log, "u1", "du1", start.Add(time.Duration(since)*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return ""
		}
		return e.Change.Request + " " + string(e.Status)
	}
	for i, status := range []audit.Status{audit.Applied, audit.Failed, ""} {
		h := Head("u1", i)
		if err := audit.WriteIntent(ctx, log, h, nil); err != nil {
			t.Fatal(err)
		}
		if h.Status = status; status != "" {
			if err := audit.WriteOutcome(ctx, log, h, nil); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"u1r0 applied", "u1r0 applied", "u1r2 unknown"}[i]; find(0) != want {
			t.Errorf("after %d changes: %q, want %q", i+1, find(0), want)
		}
	}
	if got := find(3); got != "" {
		t.Errorf("an old change was found: %s", got)
	}
}

func atTheSameTime(t *testing.T, log audit.Log) {
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := log.Append(ctx, []audit.Item{Head(fmt.Sprintf("u%d", i%4), i)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := 0
	for i := range 4 {
		heads, err := log.Heads(ctx, audit.Query{User: fmt.Sprintf("u%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		n += len(heads)
	}
	if n != 20 {
		t.Errorf("%d heads, want 20", n)
	}
}

func refused(t *testing.T, log audit.Log) {
	big := Head("u1", 0)
	big.Before = json.RawMessage(`"` + strings.Repeat("x", audit.MaxState) + `"`)
	noUser := Head("", 0)
	forever := Head("u1", 0)
	forever.Expires = time.Time{}
	for _, item := range []audit.Item{big, noUser, forever} {
		if err := log.Append(context.Background(), []audit.Item{item}); err == nil {
			t.Errorf("stored: %.200v", item)
		}
	}
}
