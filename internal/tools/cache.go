package tools

import (
	"context"
	"strings"
	"sync"
	"time"
)

// cache keeps what rarely changes, per key, for a short life and up to a
// bound. Callers that miss at the same time share one fetch. The zero cache is
// ready to use.
type cache[V any] struct {
	mu      sync.Mutex
	entries map[string]*future[V]
}

// future is a value that is being fetched, or was.
type future[V any] struct {
	done    chan struct{}
	value   V
	err     error
	expires time.Time
}

// start gives the entry of a key, fetching it in the background when it is
// absent or old. A fetch outlives the caller that began it, since others may
// wait for it, but not for long; a failure is not kept.
func (c *cache[V]) start(ctx context.Context, now time.Time, key string, fetch func(context.Context) (V, error)) *future[V] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.entries[key]; f != nil && now.Before(f.expires) {
		return f
	}
	c.makeRoom(now)
	f := &future[V]{done: make(chan struct{}), expires: now.Add(cacheLife)}
	c.entries[key] = f
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 25*time.Second)
	go func() {
		defer cancel()
		defer close(f.done)
		if f.value, f.err = fetch(ctx); f.err != nil {
			c.drop(key, f)
		}
	}()
	return f
}

// makeRoom is called with the lock held.
func (c *cache[V]) makeRoom(now time.Time) {
	if c.entries == nil {
		c.entries = map[string]*future[V]{}
	}
	if len(c.entries) < cacheBound {
		return
	}
	for key, f := range c.entries {
		if !now.Before(f.expires) {
			delete(c.entries, key)
		}
	}
	for key := range c.entries { // any one will do: the bound matters, not which
		if len(c.entries) < cacheBound {
			break
		}
		delete(c.entries, key)
	}
}

func (c *cache[V]) drop(key string, f *future[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f == nil || c.entries[key] == f {
		delete(c.entries, key)
	}
}

// forget drops whatever is kept for a user, also what is under way.
func (c *cache[V]) forget(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.entries {
		if key == user || strings.HasPrefix(key, user+"\x00") {
			delete(c.entries, key)
		}
	}
}

// wait gives the value when it is there, or the context's error.
func (f *future[V]) wait(ctx context.Context) (V, error) {
	select {
	case <-f.done:
		return f.value, f.err
	default:
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var zero V
		return zero, ctx.Err()
	}
}

// ready gives the value only if it is there already.
func (f *future[V]) ready() (v V, ok bool) {
	select {
	case <-f.done:
		return f.value, f.err == nil
	default:
		return v, false
	}
}
