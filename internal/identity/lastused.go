package identity

import (
	"context"
	"sync"
	"time"
)

// touchEvery is how often "last used" is written at most, for each token.
const touchEvery = time.Hour

// maxTouched bounds what LastUsed remembers.
const maxTouched = 1000

// LastUsed writes "last used" of tokens, at most hourly each. It remembers in
// this process what it wrote, so that most requests write nothing.
type LastUsed struct {
	touch func(ctx context.Context, token string, at time.Time) error
	now   func() time.Time
	mu    sync.Mutex
	seen  map[string]time.Time
}

// NewLastUsed makes a LastUsed; touch is a Table's Touch.
func NewLastUsed(touch func(context.Context, string, time.Time) error, now func() time.Time) *LastUsed {
	return &LastUsed{touch: touch, now: now, seen: map[string]time.Time{}}
}

// Note notes that a token was used now. An error is for the log only: a request
// never fails for it, and the next one after a minute tries again.
func (l *LastUsed) Note(ctx context.Context, token string) error {
	now := l.now()
	l.mu.Lock()
	if now.Before(l.seen[token]) {
		l.mu.Unlock()
		return nil
	}
	if len(l.seen) >= maxTouched {
		clear(l.seen)
	}
	l.seen[token] = now.Add(touchEvery) // before the write: others need not wait
	l.mu.Unlock()
	err := l.touch(ctx, token, now)
	if err != nil {
		l.mu.Lock()
		l.seen[token] = now.Add(time.Minute)
		l.mu.Unlock()
	}
	return err
}
