package gateway

import (
	"sync"
	"time"
)

// cacheBound is how many tokens' answers are remembered at most.
const cacheBound = 1000

// cache keeps the authorizer's answers by identity source, for all routes.
// The zero cache is ready to use.
type cache struct {
	mu      sync.Mutex
	entries map[string]entry
}

type entry struct {
	answer AuthorizerResponse
	until  time.Time
}

func (c *cache) get(source string, now time.Time) (AuthorizerResponse, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[source]
	if !ok || !now.Before(e.until) {
		return AuthorizerResponse{}, false
	}
	return e.answer, true
}

// put remembers an answer for ttl; not at all when that is zero.
func (c *cache) put(source string, a AuthorizerResponse, now time.Time, ttl time.Duration) {
	if ttl <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]entry{}
	}
	if len(c.entries) >= cacheBound {
		for key, e := range c.entries {
			if !now.Before(e.until) {
				delete(c.entries, key)
			}
		}
	}
	for key := range c.entries { // any one will do: the bound matters, not which
		if len(c.entries) < cacheBound {
			break
		}
		delete(c.entries, key)
	}
	c.entries[source] = entry{a, now.Add(ttl)}
}
