package audit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Memory is a Log that lives as long as the process, for the demo and for
// tests. The zero value is ready to use.
type Memory struct {
	mu   sync.RWMutex
	rows []row // by sort key, then partition
	keys map[[2]string]bool
}

type row struct {
	partition, sort string
	item            Item
}

// Append implements Log.
func (m *Memory) Append(ctx context.Context, items []Item) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := map[[2]string]bool{}
	for _, item := range items {
		if err := item.Check(); err != nil {
			return err
		}
		pk, sk := item.Key()
		key := [2]string{pk, sk}
		if m.keys[key] || seen[key] {
			return ErrExists
		}
		seen[key] = true
	}
	if m.keys == nil {
		m.keys = map[[2]string]bool{}
	}
	for _, item := range items {
		pk, sk := item.Key()
		m.keys[[2]string{pk, sk}] = true
		r := row{pk, sk, item}
		at, _ := slices.BinarySearchFunc(m.rows, r, compareRows)
		m.rows = slices.Insert(m.rows, at, r)
	}
	return nil
}

func compareRows(a, b row) int {
	if c := strings.Compare(a.sort, b.sort); c != 0 {
		return c
	}
	return strings.Compare(a.partition, b.partition)
}

// Change implements Log.
func (m *Memory) Change(ctx context.Context, user string, id ID) ([]Item, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	from, to := id.KeyRange()
	var out []Item
	for _, r := range m.rows {
		if r.partition == PartitionKey(user) && r.sort >= from && r.sort < to {
			out = append(out, r.item)
		}
	}
	return out, ctx.Err()
}

// Heads implements Log.
func (m *Memory) Heads(ctx context.Context, q Query) ([]Item, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	from, to := q.Keys()
	var out []Item
	for i := len(m.rows) - 1; i >= 0 && len(out) < q.Bound(); i-- {
		r := m.rows[i]
		if r.sort < from {
			break
		}
		if !r.item.Head() || (to != "" && r.sort >= to) {
			continue
		}
		if (q.User == "" || r.partition == PartitionKey(q.User)) &&
			(q.Athlete == "" || r.item.Athlete == q.Athlete) && (q.Day == "" || r.item.Day() == q.Day) {
			out = append(out, r.item)
		}
	}
	return out, ctx.Err()
}

// Dump gives everything as JSON, for the test that no secret is in it.
func (m *Memory) Dump() []byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []byte
	for _, r := range m.rows {
		b, _ := json.Marshal(r.item) // plain data: cannot fail
		out = append(append(append(out, r.sort...), ' '), append(b, '\n')...)
	}
	return out
}
