package statetest

import (
	"context"
	"sync"
	"testing"
	"time"
)

func allowed(t *testing.T, w World) {
	try := func(key string, limit int, window time.Duration, want bool, end time.Time) {
		t.Helper()
		if ok, until, err := w.Store.Allow(t.Context(), key, limit, window); err != nil || ok != want || !until.Equal(end) {
			t.Errorf("%s: %v until %v, %v; want %v until %v", key, ok, until, err, want, end)
		}
	}
	hour, minute := start.Truncate(time.Hour).Add(time.Hour), start.Truncate(time.Minute).Add(time.Minute)
	for i := range 5 {
		try("a#1.2.3.4", 3, time.Hour, i < 3, hour)
	}
	try("a#1.2.3.5", 3, time.Hour, true, hour)
	try("a#1.2.3.4", 3, time.Minute, true, minute) // counted for itself
	try("a#1.2.3.4", 6, time.Hour, true, hour)     // the sixth
	w.Clock.Set(hour.Add(-1))
	try("a#1.2.3.4", 6, time.Hour, false, hour)
	w.Clock.Set(hour)
	for i := range 4 {
		try("a#1.2.3.4", 3, time.Hour, i < 3, hour.Add(time.Hour))
	}
}

func allowedAtTheSameTime(t *testing.T, w World) {
	var mu sync.Mutex
	n := map[bool]int{}
	for _, err := range atOnce(20, func(int) error {
		ok, _, err := w.Store.Allow(context.Background(), "k", 7, time.Hour)
		mu.Lock()
		defer mu.Unlock()
		n[ok]++
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	if n[true] != 7 || n[false] != 13 {
		t.Errorf("allowed %d, refused %d; want 7, 13", n[true], n[false])
	}
}

func notCounted(t *testing.T, w World) {
	for _, tt := range []struct {
		key    string
		limit  int
		window time.Duration
	}{{"", 1, time.Hour}, {"k", 0, time.Hour}, {"k", 1, 0}, {"k", 1, -time.Hour}, {string(make([]byte, 2000)), 1, time.Hour}} {
		if ok, _, err := w.Store.Allow(t.Context(), tt.key, tt.limit, tt.window); err == nil || ok {
			t.Errorf("%.10q %d %v: %v, %v", tt.key, tt.limit, tt.window, ok, err)
		}
	}
}
