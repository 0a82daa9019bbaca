package secrets

import (
	"container/list"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// How long a Cache keeps what (auth.md "Secrets").
const (
	cacheFor    = 5 * time.Minute  // a credential, at most; each a little less, so that not all end at once
	missFor     = 10 * time.Second // "there is none", and a value that upstream has refused
	staleFor    = 15 * time.Minute // a credential's age while the store is too busy to be asked
	cacheUsers  = 1000             // users, the least recently used leaves first
	fetchWithin = 8 * time.Second
)

// Cache is a Store that remembers what another one answered. At most one call
// for each user is under way.
type Cache struct {
	from Store
	now  func() time.Time

	mu     sync.Mutex
	byUser map[string]*list.Element // of *entry
	order  *list.List               // most recently used first
	calls  map[string]*call
}

type entry struct {
	user    string
	cred    Credential
	err     error     // remembered instead of cred
	fetched time.Time // when cred was read
	until   time.Time // asked again after
	refused bool      // upstream refused cred
}

type call struct {
	done chan struct{}
	cred Credential
	err  error
}

// NewCache makes an empty Cache before a store; now is the clock.
func NewCache(from Store, now func() time.Time) *Cache {
	return &Cache{from: from, now: now, byUser: map[string]*list.Element{}, order: list.New(), calls: map[string]*call{}}
}

// Credential gives the remembered credential, or asks for it. While the store is
// too busy to answer, one of up to 15 minutes is given; never when the store
// fails otherwise, nor one that is gone, forbidden, or refused by Intervals.icu.
func (c *Cache) Credential(ctx context.Context, user string) (Credential, error) {
	c.mu.Lock()
	if e := c.get(user); e != nil && c.now().Before(e.until) {
		c.mu.Unlock()
		return e.cred, e.err
	}
	running, ok := c.calls[user]
	if !ok {
		running = &call{done: make(chan struct{})}
		c.calls[user] = running
		// One caller's deadline must not fail the others'.
		go c.fetch(context.WithoutCancel(ctx), user, running)
	}
	c.mu.Unlock()
	select {
	case <-running.done:
		return running.cred, running.err
	case <-ctx.Done():
		return Credential{}, &Error{Kind: Unavailable, Err: ctx.Err()}
	}
}

func (c *Cache) fetch(ctx context.Context, user string, running *call) {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	cred, err := c.from.Credential(ctx, user)

	c.mu.Lock()
	defer c.mu.Unlock()
	running.cred, running.err = c.settle(user, cred, err)
	delete(c.calls, user)
	close(running.done)
}

// settle remembers an answer and gives what callers get. c.mu is held.
func (c *Cache) settle(user string, cred Credential, err error) (Credential, error) {
	now, old := c.now(), c.get(user)
	var e *Error
	switch {
	case err == nil:
		n := &entry{user: user, cred: cred, fetched: now, until: now.Add(cacheFor - rand.N(cacheFor/10))}
		if old != nil && old.refused && old.cred == cred { // still the refused one: look again soon
			n.refused, n.until = true, now.Add(missFor)
		}
		c.put(n)
	case errors.As(err, &e) && e.Passing():
		if e.Kind == Throttled && old != nil && old.err == nil && !old.refused && now.Before(old.fetched.Add(staleFor)) {
			old.until = now.Add(missFor)
			return old.cred, nil
		}
		// Nothing to remember: the next call may find it well again.
	case errors.As(err, &e):
		c.put(&entry{user: user, err: err, fetched: now, until: now.Add(missFor)})
	}
	return cred, err
}

// Refused makes the next call ask again, because Intervals.icu answered 401 to
// the remembered credential. When that brings the same one, it is believed for
// ten seconds: a user whose key is dead does not send every request to the
// store, and a replaced key is still found at once.
func (c *Cache) Refused(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.get(user); e != nil && e.err == nil && !e.refused {
		e.refused, e.until = true, time.Time{}
	}
	c.from.Refused(user)
}

// Len is the number of users remembered.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}

func (c *Cache) get(user string) *entry {
	el := c.byUser[user]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry)
}

func (c *Cache) put(e *entry) {
	if el := c.byUser[e.user]; el != nil {
		el.Value = e
		c.order.MoveToFront(el)
		return
	}
	c.byUser[e.user] = c.order.PushFront(e)
	if c.order.Len() > cacheUsers {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.byUser, last.Value.(*entry).user)
	}
}
