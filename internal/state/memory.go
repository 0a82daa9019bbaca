package state

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"intervals-mcp/internal/audit"
)

// Memory is a Store that lives as long as the process, for the demo and for
// tests. Use appends the head to the audit log it was made with.
type Memory struct {
	log audit.Log
	now func() time.Time

	mu    sync.Mutex
	plans map[[2]string]*kept // by user and handle
	rates map[rate]int
}

type kept struct {
	Waiting
	until time.Time // when it is gone: the plan's end, later that of its trace
}

type rate struct {
	key    string
	window time.Duration
	end    time.Time
}

// NewMemory makes a Memory. The log must be one that nobody else keeps waiting:
// it is written to under Memory's lock.
func NewMemory(log audit.Log, now func() time.Time) *Memory {
	return &Memory{log: log, now: now, plans: map[[2]string]*kept{}, rates: map[rate]int{}}
}

// Keep implements Store.
func (m *Memory) Keep(ctx context.Context, w Waiting) error {
	if err := w.Check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	w.Plan, w.Wrong, w.Change = slices.Clone(w.Plan), 0, audit.ID{}
	w.Created, w.Expires = w.Created.Round(0).UTC(), w.Expires.Round(0).UTC()
	key := [2]string{w.User, w.Handle}
	if m.plans[key] != nil {
		return ErrExists
	}
	m.plans[key] = &kept{w, w.Expires}
	return nil
}

// sweep forgets what is over.
func (m *Memory) sweep() {
	now := m.now()
	for k, p := range m.plans {
		if !now.Before(p.until) {
			delete(m.plans, k)
		}
	}
	for r := range m.rates {
		if !now.Before(r.end) {
			delete(m.rates, r)
		}
	}
}

func (m *Memory) find(ctx context.Context, user, handle string) (*kept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := m.plans[[2]string{user, handle}]
	if p == nil || !m.now().Before(p.until) {
		return nil, ErrNotFound
	}
	return p, nil
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, user, handle string) (Waiting, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.find(ctx, user, handle)
	if err != nil {
		return Waiting{}, err
	}
	w := p.Waiting
	w.Plan = slices.Clone(w.Plan)
	return w, nil
}

// Use implements Store.
func (m *Memory) Use(ctx context.Context, user, handle string, head audit.Item) error {
	if err := CheckHead(user, head); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.find(ctx, user, handle)
	switch {
	case err != nil:
		return err
	case !p.Change.IsZero() && p.Change.String() == head.Change.String():
		return nil
	case !p.Change.IsZero():
		return ErrUsed
	}
	if err := m.log.Append(ctx, []audit.Item{head}); err != nil {
		return err
	}
	p.Change, p.Plan, p.until = head.Change, nil, m.now().Add(UsedLife)
	return nil
}

// Wrong implements Store.
func (m *Memory) Wrong(ctx context.Context, user, handle string) (left int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.find(ctx, user, handle)
	if err != nil {
		return 0, err
	}
	if !p.Change.IsZero() {
		return 0, ErrUsed
	}
	if p.Waiting.Wrong++; p.Waiting.Wrong >= MaxWrong {
		delete(m.plans, [2]string{user, handle})
	}
	return MaxWrong - p.Waiting.Wrong, nil
}

// Drop implements Store.
func (m *Memory) Drop(ctx context.Context, user, handle string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{user, handle}
	if p := m.plans[key]; p != nil && p.Change.IsZero() {
		delete(m.plans, key)
	}
	return nil
}

// Waiting implements Store.
func (m *Memory) Waiting(ctx context.Context, user string) ([]Waiting, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Waiting
	for _, p := range m.plans {
		if p.User == user && p.Change.IsZero() && m.now().Before(p.until) {
			w := p.Waiting
			w.Plan = nil
			out = append(out, w)
		}
	}
	SortNewest(out)
	return out, nil
}

// SortNewest puts plans in the order of Store.Waiting.
func SortNewest(list []Waiting) {
	slices.SortFunc(list, func(a, b Waiting) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(a.Handle, b.Handle)
	})
}

// Allow implements Store.
func (m *Memory) Allow(ctx context.Context, key string, limit int, window time.Duration) (ok bool, until time.Time, err error) {
	if err := CheckRate(key, limit, window); err != nil {
		return false, time.Time{}, err
	}
	if err := ctx.Err(); err != nil {
		return false, time.Time{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	_, end := Window(m.now(), window)
	r := rate{key, window, end}
	m.rates[r]++
	return m.rates[r] <= limit, end, nil
}
