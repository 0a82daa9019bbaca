package statetest

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
)

func usedOnce(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 1)); !errors.Is(err, state.ErrUsed) {
		t.Errorf("used again: %v", err)
	}
	if got := heads(t, w, "u1"); len(got) != 1 || got[0].Change.String() != Head("u1", 0).Change.String() {
		t.Errorf("%d heads", len(got))
	}
}

func usedAtTheSameTime(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	errs := atOnce(20, func(i int) error { return w.Store.Use(context.Background(), "u1", p.Handle, Head("u1", i)) })
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			t.Errorf("%d and %d used it", winner, i)
		case err == nil:
			winner = i
		case !errors.Is(err, state.ErrUsed):
			t.Errorf("%d: %v", i, err)
		}
	}
	if winner < 0 {
		t.Fatal("nobody used it")
	}
	want := Head("u1", winner).Change
	if got := heads(t, w, "u1"); len(got) != 1 || got[0].Change.String() != want.String() {
		t.Errorf("%d heads", len(got))
	}
	p.Plan, p.Change = nil, want
	is(t, w, "u1", p.Handle, p)
}

// atOnce lets n begin at the same instant.
func atOnce(n int, do func(i int) error) []error {
	errs, begin := make([]error, n), make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			errs[i] = do(i)
		})
	}
	close(begin)
	wg.Wait()
	return errs
}

func headExists(t *testing.T, w World) {
	p, head := keep(t, w, Plan("u1", 0)), Head("u1", 0)
	if err := w.Log.Append(t.Context(), []audit.Item{head}); err != nil {
		t.Fatal(err)
	}
	forged := head
	forged.Summary = "forged"
	if err := w.Store.Use(t.Context(), "u1", p.Handle, forged); !errors.Is(err, audit.ErrExists) {
		t.Errorf("got %v, want audit.ErrExists", err)
	}
	is(t, w, "u1", p.Handle, p)
	if got := heads(t, w, "u1"); len(got) != 1 || got[0].Summary != "" {
		t.Errorf("the log holds %+v", got)
	}
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 1)); err != nil {
		t.Errorf("with another head: %v", err)
	}
}

func foreignHead(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for name, spoil := range map[string]func(*audit.Item){
		"another user's": func(h *audit.Item) { h.User = "u2" },
		"an object":      func(h *audit.Item) { h.N = 1 },
		"an outcome":     func(h *audit.Item) { h.Phase = audit.Outcome },
		"no change":      func(h *audit.Item) { h.Change = audit.ID{} },
		"for ever":       func(h *audit.Item) { h.Expires = time.Time{} },
	} {
		head := Head("u1", 0)
		spoil(&head)
		if err := w.Store.Use(t.Context(), "u1", p.Handle, head); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	is(t, w, "u1", p.Handle, p)
	if n := len(heads(t, w, "u1")) + len(heads(t, w, "u2")); n != 0 {
		t.Errorf("%d heads", n)
	}
}

func sameUse(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for range 2 {
		if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 0)); err != nil {
			t.Errorf("used: %v", err)
		}
	}
	if n := len(heads(t, w, "u1")); n != 1 {
		t.Errorf("%d heads", n)
	}
}

func wrong(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for left := state.MaxWrong - 1; left > 0; left-- {
		if got, err := w.Store.Wrong(t.Context(), "u1", p.Handle); err != nil || got != left {
			t.Errorf("left %d, %v; want %d", got, err, left)
		}
		p.Wrong++
		is(t, w, "u1", p.Handle, p)
	}
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 1 || list[0].Wrong != state.MaxWrong-1 {
		t.Errorf("listed %+v, %v", list, err)
	}
	if left, err := w.Store.Wrong(t.Context(), "u1", p.Handle); err != nil || left != 0 {
		t.Errorf("left %d, %v", left, err)
	}
	gone(t, w, "u1", p.Handle)
	after := keep(t, w, Plan("u1", 0)) // a used one does not count
	if err := w.Store.Use(t.Context(), "u1", after.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	if left, err := w.Store.Wrong(t.Context(), "u1", after.Handle); !errors.Is(err, state.ErrUsed) || left != 0 {
		t.Errorf("left %d, %v", left, err)
	}
}

func wrongAtTheSameTime(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	var mu sync.Mutex
	seen := map[int]int{}
	for i, err := range atOnce(12, func(int) error {
		left, err := w.Store.Wrong(context.Background(), "u1", p.Handle)
		if err == nil {
			mu.Lock()
			seen[left]++
			mu.Unlock()
		}
		return err
	}) {
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if want := map[int]int{4: 1, 3: 1, 2: 1, 1: 1, 0: 1}; !reflect.DeepEqual(seen, want) {
		t.Errorf("left: %v, want %v", seen, want)
	}
	gone(t, w, "u1", p.Handle)
}

func wrongAndUse(t *testing.T, w World) {
	for round := range 5 {
		p := keep(t, w, Plan("u1", 0))
		head := Head("u1", round)
		errs := atOnce(state.MaxWrong+1, func(i int) error {
			if i == state.MaxWrong {
				return w.Store.Use(context.Background(), "u1", p.Handle, head)
			}
			_, err := w.Store.Wrong(context.Background(), "u1", p.Handle)
			return err
		})
		counted := 0
		for _, err := range errs[:state.MaxWrong] {
			if err == nil {
				counted++
			} else if !errors.Is(err, state.ErrUsed) {
				t.Errorf("wrong: %v", err)
			}
		}
		items, err := w.Log.Change(t.Context(), "u1", head.Change)
		if err != nil {
			t.Fatal(err)
		}
		switch use := errs[state.MaxWrong]; {
		case use == nil && (counted == state.MaxWrong || len(items) != 1):
			t.Errorf("used, with %d wrong summaries counted and %d heads", counted, len(items))
		case use != nil && (!errors.Is(use, state.ErrNotFound) || counted != state.MaxWrong || len(items) != 0):
			t.Errorf("use: %v, with %d wrong summaries counted and %d heads", use, counted, len(items))
		}
	}
}
