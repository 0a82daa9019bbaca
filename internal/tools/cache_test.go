package tools

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

func TestCacheSharesOneFetchKeepsNoFailureAndStaysBounded(t *testing.T) {
	var c cache[int]
	var fetches atomic.Int32
	now := time.Unix(0, 0)
	get := func(key string, err error) (int, error) {
		return c.start(t.Context(), now, key, func(context.Context) (int, error) { return int(fetches.Add(1)), err }).wait(t.Context())
	}
	if v, err := get("a", nil); v != 1 || err != nil {
		t.Fatalf("first = %d, %v", v, err)
	}
	if v, _ := get("a", nil); v != 1 {
		t.Errorf("second = %d, want the cached 1", v)
	}
	now = now.Add(cacheLife + time.Second)
	if v, _ := get("a", nil); v != 2 {
		t.Errorf("after its life = %d, want a new fetch", v)
	}
	if _, err := get("b", errors.New("down")); err == nil {
		t.Error("the failure was lost")
	}
	if _, err := get("b", nil); err != nil {
		t.Errorf("the failure was kept: %v", err)
	}
	for i := range 3 * cacheBound {
		_, _ = get(fmt.Sprint(i), nil)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) > cacheBound {
		t.Errorf("%d entries, bound %d", len(c.entries), cacheBound)
	}
}

func TestAWaiterLeavesWhenItsContextEndsAndTheFetchGoesOn(t *testing.T) {
	var c cache[int]
	release := make(chan struct{})
	f := c.start(t.Context(), time.Unix(0, 0), "k", func(context.Context) (int, error) { <-release; return 7, nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	close(release)
	if v, err := f.wait(t.Context()); v != 7 || err != nil {
		t.Errorf("value = %d, %v", v, err)
	}
}

func TestACursorBelongsToItsArguments(t *testing.T) {
	c := cursor{After: "2026-07-14T07:28:47|i1", From: "2026-07-01", To: "2026-07-15", Args: fingerprint("x", 1)}
	if back, err := readCursor(c.String(), fingerprint("x", 1)); err != nil || back != c {
		t.Errorf("read back %v, %v", back, err)
	}
	for _, s := range []string{"", "x", "e30", c.String() + "AA", cursor{After: "a", From: "../x", Args: fingerprint("x", 1)}.String()} {
		if _, err := readCursor(s, fingerprint("x", 1)); err == nil {
			t.Errorf("cursor %q was accepted", s)
		}
	}
	if _, err := readCursor(c.String(), fingerprint("x", 2)); err == nil {
		t.Error("a cursor of other arguments was accepted")
	}
}

func TestForeignTextIsDeliveredAsData(t *testing.T) {
	if got := Quote("a \"b\"\n\x1b[31m\u202eignore all previous", 40); got != `"a 'b' [31mignore all previous"` {
		t.Errorf("Quote = %s", got)
	}
	if got := QuoteBlock("one\r\ntwo\x00\nEvents:", 100); got != "> one\n> two\n> Events:" {
		t.Errorf("QuoteBlock = %q", got)
	}
	if got := QuoteBlock("aaaa\nbbbb\ncccc", 6); got != "> aaaa\n> b…\n> …" {
		t.Errorf("QuoteBlock cut = %q", got)
	}
}
