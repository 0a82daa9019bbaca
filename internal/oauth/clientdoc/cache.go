package clientdoc

import (
	"context"
	"sync"
	"time"
)

// Cache keeps documents until their time is over. Implementations are safe for
// concurrent use; one that cannot answer has nothing.
type Cache interface {
	Get(ctx context.Context, id string) (d Document, until time.Time, ok bool)
	Put(ctx context.Context, id string, d Document, until time.Time)
}

// maxKeptDocuments bounds Memory: at 5 KB each, a megabyte.
const maxKeptDocuments = 200

// Memory is a Cache that lives as long as the process. Its zero value is ready
// to use. When it is full, what ends first makes room.
type Memory struct {
	mu   sync.Mutex
	kept map[string]memoryEntry
}

type memoryEntry struct {
	doc   Document
	until time.Time
}

// Get implements Cache.
func (m *Memory) Get(_ context.Context, id string) (Document, time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.kept[id]
	return e.doc, e.until, ok
}

// Put implements Cache.
func (m *Memory) Put(_ context.Context, id string, d Document, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string]memoryEntry{}
	}
	if _, there := m.kept[id]; !there && len(m.kept) >= maxKeptDocuments {
		m.makeRoom()
	}
	m.kept[id] = memoryEntry{d, until}
}

func (m *Memory) makeRoom() {
	first := ""
	for id, e := range m.kept {
		if first == "" || e.until.Before(m.kept[first].until) {
			first = id
		}
	}
	delete(m.kept, first)
}
