package printed

import (
	"bytes"
	"sync"
)

// Lines is what was printed so far. The zero value is empty and ready; several
// goroutines may write and read it.
type Lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is all of it.
func (l *Lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Tail is the last n bytes of it.
func (l *Lines) Tail(n int) string {
	s := l.String()
	return s[max(0, len(s)-n):]
}
