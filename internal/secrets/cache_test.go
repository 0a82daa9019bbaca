package secrets_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/secrets"
)

// source is a store that counts and fails on demand.
type source struct {
	mu    sync.Mutex
	value string
	err   error
	calls int
	gate  chan struct{} // if set, a call waits for it
}

func (s *source) Credential(_ context.Context, user string) (secrets.Credential, error) {
	s.mu.Lock()
	s.calls++
	value, err, gate := s.value, s.err, s.gate
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	if err != nil {
		return secrets.Credential{}, err
	}
	return secrets.Credential{APIKey: secrets.New(value + user)}, nil
}

func (s *source) Refused(string) {}

func (s *source) set(value string, kind secrets.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.err = value, nil
	if kind != 0 {
		s.err = &secrets.Error{Kind: kind}
	}
}

// cached is a cache whose clock the test moves.
type cached struct {
	*secrets.Cache
	source *source
	clock  atomic.Int64 // seconds
}

func newCached() *cached {
	c := &cached{source: &source{value: "a"}}
	c.Cache = secrets.NewCache(c.source, func() time.Time { return time.Unix(1_800_000_000+c.clock.Load(), 0) })
	return c
}

// expect asks at a second and wants a value ("" = an error of kind) and so many
// calls to the source until then.
func (c *cached) expect(t *testing.T, second int64, value string, kind secrets.Kind, calls int) {
	t.Helper()
	c.clock.Store(second)
	cred, err := c.Credential(t.Context(), "u")
	if value != "" {
		value += "u"
	}
	if cred.APIKey.Reveal() != value || secrets.KindOf(err) != kind {
		t.Errorf("second %d: %q, %v; want %q, kind %d", second, cred.APIKey.Reveal(), err, value, kind)
	}
	if c.source.calls != calls {
		t.Errorf("second %d: the store was asked %d times, want %d", second, c.source.calls, calls)
	}
}

func TestACredentialIsRememberedForFiveMinutesAtMost(t *testing.T) {
	c := newCached()
	c.expect(t, 0, "a", 0, 1)
	c.source.set("b", 0)
	c.expect(t, 269, "a", 0, 1)
	c.expect(t, 300, "b", 0, 2)
}

func TestNothingFoundIsRememberedForTenSeconds(t *testing.T) {
	for _, kind := range []secrets.Kind{secrets.Missing, secrets.Empty, secrets.Malformed, secrets.Newer, secrets.Denied} {
		c := newCached()
		c.source.set("", kind)
		c.expect(t, 0, "", kind, 1)
		c.expect(t, 9, "", kind, 1)
		c.source.set("a", 0)
		c.expect(t, 10, "a", 0, 2)
	}
}

func TestAStaleCredentialServesWhileTheStoreIsBusyForFifteenMinutes(t *testing.T) {
	c := newCached()
	c.expect(t, 0, "a", 0, 1)
	c.source.set("", secrets.Throttled)
	c.expect(t, 300, "a", 0, 2)
	c.expect(t, 305, "a", 0, 2) // a busy store is not asked every time
	c.expect(t, 899, "a", 0, 3)
	c.expect(t, 910, "", secrets.Throttled, 4)
	c.source.set("b", 0)
	c.expect(t, 911, "b", 0, 5)
}

func TestAStaleCredentialNeverServesWhileTheStoreFailsOtherwise(t *testing.T) {
	c := newCached()
	c.expect(t, 0, "a", 0, 1)
	c.source.set("", secrets.Unavailable)
	c.expect(t, 200, "a", 0, 1) // it is remembered as usual
	c.expect(t, 300, "", secrets.Unavailable, 2)
	c.source.set("b", 0)
	c.expect(t, 301, "b", 0, 3)
}

func TestAStaleCredentialNeverServesWhenItIsGoneOrForbidden(t *testing.T) {
	for _, kind := range []secrets.Kind{secrets.Missing, secrets.Empty, secrets.Malformed, secrets.Denied} {
		c := newCached()
		c.expect(t, 0, "a", 0, 1)
		c.source.set("", kind)
		c.expect(t, 300, "", kind, 2)
		c.source.set("", secrets.Throttled)
		c.expect(t, 310, "", secrets.Throttled, 3)
	}
}

func TestARefusedCredentialIsReadAgainOnce(t *testing.T) {
	c := newCached()
	c.expect(t, 0, "a", 0, 1)
	c.Refused("u")
	c.expect(t, 1, "a", 0, 2) // the same one
	c.Refused("u")
	c.expect(t, 2, "a", 0, 2) // not again at once
	c.source.set("b", 0)
	c.expect(t, 11, "b", 0, 3) // but soon: the person has replaced it
	c.Refused("u")
	c.source.set("c", 0)
	c.expect(t, 12, "c", 0, 4)
	c.expect(t, 280, "c", 0, 4)
}

func TestARefusedCredentialNeverServesWhileTheStoreIsBusy(t *testing.T) {
	c := newCached()
	c.expect(t, 0, "a", 0, 1)
	c.Refused("u")
	c.source.set("", secrets.Throttled)
	c.expect(t, 1, "", secrets.Throttled, 2)
}

func TestTheCacheIsBoundedAndForgetsTheLeastRecentlyUsed(t *testing.T) {
	c := newCached()
	for i := range 1500 {
		if _, err := c.Credential(t.Context(), fmt.Sprintf("u%d", i)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Credential(t.Context(), "u0"); err != nil { // stays
			t.Fatal(err)
		}
	}
	if c.Len() != 1000 || c.source.calls != 1500 {
		t.Errorf("%d users, %d calls", c.Len(), c.source.calls)
	}
}

func TestOneCallForEachUserIsUnderWay(t *testing.T) {
	c := newCached()
	c.source.gate = make(chan struct{})
	var wg sync.WaitGroup
	for range 16 {
		for _, user := range []string{"u1", "u2"} {
			wg.Go(func() {
				cred, err := c.Credential(context.Background(), user)
				if err != nil || cred.APIKey.Reveal() != "a"+user {
					t.Errorf("%s got another's answer, %v", user, err)
				}
			})
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	wg.Go(func() {
		if _, err := c.Credential(canceled, "u1"); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that gave up: %v", err)
		}
	})
	cancel()
	time.Sleep(20 * time.Millisecond)
	close(c.source.gate)
	wg.Wait()
	if c.source.calls > 4 { // a late caller may find the first call done
		t.Errorf("%d calls", c.source.calls)
	}
}
