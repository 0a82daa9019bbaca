package change

import (
	"context"
	"sync"
)

// flights lets equal creates of one process go one after the other, so that
// the second finds what the first did. The zero value is ready to use.
type flights struct {
	mu   sync.Mutex
	busy map[string]chan struct{}
}

// enter waits for its turn; release must be called after.
func (f *flights) enter(ctx context.Context, key string) (release func(), err error) {
	for {
		f.mu.Lock()
		other := f.busy[key]
		if other == nil {
			if f.busy == nil {
				f.busy = map[string]chan struct{}{}
			}
			mine := make(chan struct{})
			f.busy[key] = mine
			f.mu.Unlock()
			return func() {
				f.mu.Lock()
				delete(f.busy, key)
				f.mu.Unlock()
				close(mine)
			}, nil
		}
		f.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
