package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// clock is the instant at which every process of the bench stands.
const clock = bigDay + "T12:30:00Z"

const (
	starts   = 25  // process starts of each kind
	calls    = 200 // calls of each kind for a p50
	parallel = 16
	rounds   = 18 // calls of each parallel caller in a storm
)

// measureStart compares the product's start with the bare server's, in turn.
func (b *bench) measureStart() error {
	env := b.upstreamEnv(b.demo)
	var ours, bare sample
	var after, after20 float64
	for i := range starts + 2 {
		s, d, err := startStdio(env, b.bin.product, "stdio", "--data", b.dir, "--toolset", "full", "--now", clock)
		if err != nil {
			return err
		}
		if i == 0 {
			_, after = memory(s.cmd.Process.Pid)
			if err := b.twentyCalls(s); err != nil {
				return err
			}
			after20, _ = memory(s.cmd.Process.Pid)
		}
		s.stop()
		t, e, err := startStdio(nil, b.bin.bare)
		if err != nil {
			return err
		}
		t.stop()
		if i >= 2 { // the first ones warm the page cache
			ours, bare = append(ours, d), append(bare, e)
		}
	}
	ratio := float64(ours.p50()) / float64(bare.p50())
	b.add("process start to `initialize` answered (stdio)", fmt.Sprintf("%s, %.2fx a bare mcp-go server's %s", ms(ours.p50()), ratio, ms(bare.p50())), "<= 1.8x", ratio <= 1.8, "")
	b.add("resident memory after start", fmt.Sprintf("%.1f MB", after), "<= 16 MB", after <= 16, "")
	b.add("peak memory after 20 calls", fmt.Sprintf("%.1f MB", after20), "<= 22 MB", after20 <= 22, "")
	return nil
}

// twentyCalls is a usual conversation's worth of reads.
func (b *bench) twentyCalls(s *stdio) error {
	for range 4 {
		for _, c := range []toolCall{
			{"get_activities", map[string]any{"limit": 10}},
			{"get_activity_details", map[string]any{"activity_id": b.ride}},
			{"get_wellness_data", map[string]any{"start_date": "-13d"}},
			{"get_events", map[string]any{"end_date": "+13d"}},
			{"get_activity_streams", map[string]any{"activity_id": b.ride}},
		} {
			raw, err := s.call("tools/call", map[string]any{"name": c.name, "arguments": c.args})
			if _, err := readAnswer(c.name, raw, err); err != nil {
				return err
			}
		}
	}
	return nil
}

type toolCall struct {
	name string
	args map[string]any
}

// measureAdded compares a tool call with the same upstream requests made
// directly, in turn, and reports what the product adds.
func (b *bench) measureAdded(what string, f fakeAPI, m mcpHTTP, c toolCall, n int, limit time.Duration) error {
	if _, err := m.tool(c.name, c.args); err != nil { // fills the caches
		return err
	}
	if err := f.clear(); err != nil {
		return err
	}
	if _, err := m.tool(c.name, c.args); err != nil {
		return err
	}
	list, err := f.requests()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: made no upstream request", c.name)
	}
	var tool, direct sample
	for i := range n + n/10 {
		start := time.Now()
		if err := f.getAll(f.url, list); err != nil {
			return err
		}
		d := time.Since(start)
		_, took, err := m.timed(c.name, c.args)
		if err != nil {
			return err
		}
		if i >= n/10 {
			direct, tool = append(direct, d), append(tool, took)
		}
	}
	added := tool.p50() - direct.p50()
	b.add(what, fmt.Sprintf("%s (%s against %s direct, %d upstream)", ms(added), ms(tool.p50()), ms(direct.p50()), len(list)),
		"<= "+ms(limit), added <= limit, "")
	return nil
}

// measureParallel looks at the tail with 16 callers and a slow upstream.
func (b *bench) measureParallel() error {
	d := newDelayed(b.demo.Ready.URL, 100*time.Millisecond)
	defer d.srv.Close()
	serve, m, err := b.serve(d.url(), b.demo)
	if err != nil {
		return err
	}
	defer serve.stop()
	f := b.fake(b.demo)
	c := toolCall{"get_event_by_id", map[string]any{"event_id": b.event}}
	if _, err := m.tool(c.name, c.args); err != nil {
		return err
	}
	if err := f.clear(); err != nil {
		return err
	}
	if _, err := m.tool(c.name, c.args); err != nil {
		return err
	}
	list, err := f.requests()
	if err != nil {
		return err
	}
	// One pause that the machine gives to anybody else is a storm's p99, so the
	// middle one of several is reported, each beside its own direct requests.
	var added, direct, tool sample
	for range 5 {
		d, err := storm(rounds, func() (time.Duration, error) {
			start := time.Now()
			err := f.getAll(d.url(), list)
			return time.Since(start), err
		})
		if err != nil {
			return err
		}
		t, err := storm(rounds, func() (time.Duration, error) { _, took, err := m.timed(c.name, c.args); return took, err })
		if err != nil {
			return err
		}
		added, direct, tool = append(added, t.p99()-d.p99()), append(direct, d.p99()), append(tool, t.p99())
	}
	b.add("added at p99, 16 parallel callers, upstream 100 ms", fmt.Sprintf("%s, median of 5 (%s against %s direct)", ms(added.p50()), ms(tool.p50()), ms(direct.p50())),
		"<= 5 ms", added.p50() <= 5*time.Millisecond, "")
	b.explain("all callers call at the same instant, and a call takes about 0.6 ms of processor time in serve, beside what fake, proxy and bench take")
	return nil
}

func storm(rounds int, one func() (time.Duration, error)) (sample, error) {
	var mu sync.Mutex
	var all sample
	var first error
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for i := range rounds {
				d, err := one()
				mu.Lock()
				if err != nil && first == nil {
					first = err
				}
				if i >= 3 {
					all = append(all, d)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return all, first
}

// measureRounds starts cold and counts how many upstream round trips, one
// after the other, an answer takes.
func (b *bench) measureRounds() error {
	const delay = 100 * time.Millisecond
	worst, worstTool := 0, ""
	if err := b.warm(); err != nil {
		return err
	}
	for _, c := range b.reads() {
		d := newDelayed(b.demo.Ready.URL, delay)
		serve, m, err := b.serve(d.url(), b.demo)
		if err != nil {
			return err
		}
		start := time.Now()
		_, err = m.tool(c.name, c.args)
		took := time.Since(start)
		serve.stop()
		d.srv.Close()
		if err != nil {
			return err
		}
		if n := int(took / delay); n > worst {
			worst, worstTool = n, c.name
		}
	}
	b.add("rounds of upstream calls per answer, caches empty, worst of the reading tools", fmt.Sprintf("%d (%s)", worst, worstTool), "1", worst <= 1, "")
	return nil
}

// warm has the fake compute once what it computes once (two years of curves).
func (b *bench) warm() error {
	serve, m, err := b.serve(b.demo.Ready.URL, b.demo)
	if err != nil {
		return err
	}
	defer serve.stop()
	for _, c := range b.reads() {
		if _, err := m.tool(c.name, c.args); err != nil {
			return err
		}
	}
	return nil
}

// measureMemory calls for the largest answers and looks at the peak.
func (b *bench) measureMemory(m mcpHTTP, pid int) error {
	if _, err := m.tool("get_gear_list", nil); err != nil {
		return err
	}
	_, idle := memory(pid)
	for _, c := range []toolCall{
		{"get_activities", map[string]any{"start_date": "-365d", "limit": 200}},
		{"get_activity_streams", map[string]any{"activity_id": "i700001", "stream_types": allStreams}},
		{"get_wellness_data", map[string]any{"start_date": "-1094d"}},
	} {
		if _, err := m.tool(c.name, c.args); err != nil {
			return err
		}
	}
	peak, _ := memory(pid)
	b.add("memory above idle: a year of activities, 5 h x 12 streams, 3 years of wellness", fmt.Sprintf("%.0f MB", peak-idle), "<= 64 MB", peak-idle <= 64, "")
	return nil
}

const allStreams = "time,watts,heartrate,cadence,altitude,distance,velocity_smooth,temp,torque,grade_smooth,left_right_balance,respiration"

// measureTokens counts what a model reads.
func (b *bench) measureTokens() error {
	for _, set := range []struct {
		name        string
		lean, whole int
	}{{"core", 6000, 8000}, {"full", 12000, 16000}} {
		s, _, err := startStdio(b.upstreamEnv(b.demo), b.bin.product, "stdio", "--data", b.dir, "--toolset", set.name, "--now", clock)
		if err != nil {
			return err
		}
		raw, err := s.call("tools/list", map[string]any{})
		if err == nil {
			err = b.listTokens(raw, set.name, set.lean, set.whole)
		}
		if err == nil && set.name == "full" {
			err = b.answerTokens(s)
		}
		s.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) listTokens(raw json.RawMessage, set string, lean, whole int) error {
	var list struct {
		Tools []map[string]json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	short := 0
	for _, t := range list.Tools {
		short += b.tokens(string(t["name"])) + b.tokens(string(t["description"])) + b.tokens(string(t["inputSchema"]))
	}
	all := b.tokens(string(raw))
	b.add(fmt.Sprintf("`tools/list` %s, %d tools: name + description + input schema", set, len(list.Tools)), fmt.Sprintf("%d tokens", short), fmt.Sprintf("<= %d", lean), short <= lean, "")
	b.add(fmt.Sprintf("`tools/list` %s, whole", set), fmt.Sprintf("%d tokens", all), fmt.Sprintf("<= %d", whole), all <= whole, "")
	return nil
}

func (b *bench) answerTokens(s *stdio) error {
	for _, c := range []struct {
		what string
		call toolCall
		max  int
	}{
		{"20 activities of 30 days", toolCall{"get_activities", map[string]any{"limit": 20}}, 1500},
		{"one activity", toolCall{"get_activity_details", map[string]any{"activity_id": b.ride}}, 450},
		{"its intervals", toolCall{"get_activity_intervals", map[string]any{"activity_id": b.ride}}, 1200},
		{"its streams by default", toolCall{"get_activity_streams", map[string]any{"activity_id": b.ride}}, 700},
		{"14 days of wellness", toolCall{"get_wellness_data", map[string]any{"start_date": "-13d"}}, 1800},
		{"14 days of events", toolCall{"get_events", map[string]any{"end_date": "+13d"}}, 1000},
	} {
		raw, err := s.call("tools/call", map[string]any{"name": c.call.name, "arguments": c.call.args})
		a, err := readAnswer(c.call.name, raw, err)
		if err != nil {
			return err
		}
		n := b.tokens(a.Content[0].Text)
		both := b.tokens(string(raw))
		b.add(c.what+" (text)", fmt.Sprintf("%d tokens; %d with the structured result", n, both), fmt.Sprintf("<= %d", c.max), n <= c.max, "")
		lines := strings.Count(a.Content[0].Text, "\n") + 1
		b.explain(fmt.Sprintf("%d lines of %d tokens on average", lines, n/lines))
	}
	b.add("a profile / fitness today", "", "<= 600 / <= 150", true, "get_athlete_context and get_training_load are not built yet")
	return nil
}

// bigPath is where the large data set is written.
func (b *bench) bigPath() string { return filepath.Join(b.dir, "big.json") }
