package identity

import (
	"context"
	"fmt"
	"testing"
	"time"
)

func TestLastUsedRemembersNoMoreThanItsBound(t *testing.T) {
	l := NewLastUsed(func(context.Context, string, time.Time) error { return nil }, time.Now)
	for i := range 3 * maxTouched {
		if err := l.Note(t.Context(), fmt.Sprint("token-", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.seen); n == 0 || n > maxTouched {
		t.Errorf("%d tokens are remembered, want at most %d", n, maxTouched)
	}
}
