package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// Limits of issue "the change protocol", with an upstream that answers in
// 100 ms and is asked no faster than it allows.
const (
	manySessions, previewLimit, applyLimit = 100, 1500 * time.Millisecond, 3 * time.Second
	movedEvents, moveLimit                 = 60, 12 * time.Second
	platformRate                           = 10.0 // requests a second, after a short burst (API.md 1.7)
)

// road is the change engine on its own file, in front of a slow upstream.
type road struct {
	engine *change.Engine
	call   change.Call
	writes atomic.Int64 // transactions of audit and state
	sent   atomic.Int64 // requests upstream
	puts   atomic.Int64 // of them other than GET
}

func (b *bench) newRoad(upstream string) (*road, func(), error) {
	r := &road{}
	up, err := intervals.New(intervals.Options{BaseURL: upstream, UserAgent: "bench", Rate: 8, Burst: 24, Observe: func(_ context.Context, a intervals.Attempt) {
		if r.sent.Add(1); a.Method != http.MethodGet {
			r.puts.Add(1)
		}
	}})
	if err != nil {
		return nil, nil, err
	}
	now := time.Now
	if at, err := time.Parse(time.RFC3339, clock); err == nil {
		began := time.Now()
		now = func() time.Time { return at.Add(time.Since(began)) }
	}
	file := embedded.New(filepath.Join(b.dir, "changes"))
	close := func() { _ = file.Close() } // a temporary folder
	log := counted{file.Audit(), &r.writes}
	r.engine = change.New(change.Config{Log: log, State: countedState{file.State(now), &r.writes}, Now: now})
	athlete := b.demo.Ready.Athletes[0]
	r.call = change.Call{Identity: identity.Identity{User: athlete.ID, Athlete: athlete.ID, Connection: "bench", Client: "bench", Confirm: identity.ConfirmAll},
		Client: up.Client(secrets.Credential{APIKey: secrets.New(athlete.APIKey)}), Athlete: athlete.ID, Me: athlete.ID, Tool: "bench", Arguments: json.RawMessage("{}")}
	return r, close, nil
}

// counted and countedState count what is written in one transaction.
type counted struct {
	audit.Log
	n *atomic.Int64
}

func (c counted) Append(ctx context.Context, items []audit.Item) error {
	c.n.Add(1)
	return c.Log.Append(ctx, items)
}

type countedState struct {
	state.Store
	n *atomic.Int64
}

func (c countedState) Use(ctx context.Context, user, handle string, head audit.Item) error {
	c.n.Add(1)
	return c.Store.Use(ctx, user, handle, head)
}

// took is one step of the road: how long, how many requests, how many of them
// writes, how many store transactions.
type took struct {
	time                 time.Duration
	sent, puts, recorded int64
	result               *change.Result
}

func (r *road) step(want change.Status, do func() (*change.Result, error)) (took, error) {
	sent, puts, writes, start := r.sent.Load(), r.puts.Load(), r.writes.Load(), time.Now()
	res, err := do()
	t := took{time.Since(start), r.sent.Load() - sent, r.puts.Load() - puts, r.writes.Load() - writes, res}
	if err == nil && res.Status != want {
		err = fmt.Errorf("%s, want %s: %s", res.Status, want, res.Text())
	}
	return t, err
}

// both previews a change and confirms it.
func (r *road) both(p change.Planner) (preview, apply took, err error) {
	ctx := context.Background()
	if preview, err = r.step(change.Preview, func() (*change.Result, error) { return r.engine.Do(ctx, r.call, p) }); err != nil {
		return preview, apply, err
	}
	apply, err = r.step(change.Applied, func() (*change.Result, error) {
		return r.engine.Confirm(ctx, r.call, preview.result.Confirmation, preview.result.Summary)
	})
	return preview, apply, err
}

// sessions are planned rides, one a day from a day on.
func sessions(n int, from string) change.EventBatch {
	day, _ := time.Parse(time.DateOnly, from)
	batch := change.EventBatch{Today: clock[:len(time.DateOnly)]}
	for i := range n {
		batch.Edits = append(batch.Edits, change.EventEdit{Day: day.AddDate(0, 0, i).Format(time.DateOnly), Clock: "06:30", Today: batch.Today, Set: intervals.Patch{
			"category": "WORKOUT", "type": "Ride", "name": fmt.Sprintf("Session %d", i+1), "description": "Warmup\n- 10m ramp 50-75%\n\n3x\n- 8m 98%\n- 4m 55%\n\nCooldown\n- 10m 50%"}})
	}
	return batch
}

// measureChanges measures the change engine itself, through its own package.
func (b *bench) measureChanges() error {
	slow := newDelayed(b.demo.Ready.URL, 100*time.Millisecond)
	defer slow.srv.Close()
	r, done, err := b.newRoad(slow.url())
	if err != nil {
		return err
	}
	defer done()
	if _, err := r.call.Client.Athlete(context.Background(), "0"); err != nil { // opens the connection
		return err
	}
	one, oneApplied, err := r.both(sessions(1, "2027-01-01").Edits[0])
	if err != nil {
		return fmt.Errorf("one session: %w", err)
	}
	b.add("a previewed write", fmt.Sprintf("%d upstream requests, %d of them writes", one.sent, one.puts), "no write", one.puts == 0, "")
	b.add("confirming a single write", fmt.Sprintf("%d reads and %d write upstream, %d store transactions, %s with an upstream of 100 ms", oneApplied.sent-oneApplied.puts, oneApplied.puts, oneApplied.recorded, ms(oneApplied.time)),
		"1 read, 1 write, 1 read-back, <= 3 transactions", oneApplied.sent <= 3 && oneApplied.puts == 1 && oneApplied.recorded <= 3, "")
	time.Sleep(3 * time.Second) // the burst is whole again
	many, manyApplied, err := r.both(sessions(manySessions, "2027-02-01"))
	if err != nil {
		return fmt.Errorf("%d sessions: %w", manySessions, err)
	}
	b.add(fmt.Sprintf("%d new sessions previewed, upstream 100 ms", manySessions), fmt.Sprintf("%s, %d requests", ms(many.time), many.sent), "<= "+ms(previewLimit), many.time <= previewLimit && many.puts == 0, "")
	b.add(fmt.Sprintf("%d new sessions applied, upstream 100 ms", manySessions), fmt.Sprintf("%s, %d requests, %d of them writes", ms(manyApplied.time), manyApplied.sent, manyApplied.puts),
		"<= "+ms(applyLimit), manyApplied.time <= applyLimit, "")
	move := change.EventBatch{From: "2027-02-01", To: "2027-06-30", Today: clock[:len(time.DateOnly)]}
	for i, o := range manyApplied.result.Objects[:movedEvents] {
		id, err := json.Number(o.ID).Int64()
		if err != nil {
			return err
		}
		day, _ := time.Parse(time.DateOnly, "2027-02-01")
		move.Edits = append(move.Edits, change.EventEdit{ID: id, Day: day.AddDate(0, 0, i+7).Format(time.DateOnly), Today: move.Today})
	}
	time.Sleep(3 * time.Second)
	_, moved, err := r.both(move)
	if err != nil {
		return fmt.Errorf("%d moved events: %w", movedEvents, err)
	}
	rate := float64(moved.sent) / moved.time.Seconds()
	b.add(fmt.Sprintf("%d events moved, upstream 100 ms", movedEvents), fmt.Sprintf("%s, %d requests, %.1f a second", ms(moved.time), moved.sent, rate),
		fmt.Sprintf("<= %s, <= %.0f a second", ms(moveLimit), platformRate), moved.time <= moveLimit && rate <= platformRate, "")
	fmt.Fprintln(os.Stderr)
	return nil
}
