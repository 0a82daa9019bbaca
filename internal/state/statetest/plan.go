package statetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"reflect"
	"testing"
	"time"

	"intervals-mcp/internal/state"
)

func comesBack(t *testing.T, w World) {
	for i, size := range []int{1, 349_000, state.MaxItem, state.MaxItem + 1, 5 << 20} {
		p := Plan("u1", i)
		p.Plan = make([]byte, size)
		if _, err := rand.Read(p.Plan); err != nil { // nothing makes it smaller
			t.Fatal(err)
		}
		keep(t, w, p)
		is(t, w, "u1", p.Handle, p)
	}
	p := Plan("u1", 0)
	p.Plan = bytes.Repeat([]byte("0123456789abcdef"), state.MaxPlan/16)
	p.Client, p.Athlete, p.Tool, p.Summary = "", "", "", ""
	p.Created, p.Expires = p.Created.In(time.FixedZone("", 3600)), p.Expires.In(time.FixedZone("", 3600))
	keep(t, w, p)
	p.Created, p.Expires = p.Created.UTC(), p.Expires.UTC()
	is(t, w, "u1", p.Handle, p)
}

func notHeld(t *testing.T, w World) {
	p := Plan("u1", 0)
	want := p
	want.Plan = bytes.Clone(p.Plan)
	p.Wrong, p.Change = 4, Head("u1", 0).Change // not the caller's to say
	keep(t, w, p)
	p.Plan[0] = 'x'
	got, err := w.Store.Get(t.Context(), "u1", p.Handle)
	if err != nil {
		t.Fatal(err)
	}
	got.Plan[1] = 'x'
	is(t, w, "u1", p.Handle, want)
}

func refused(t *testing.T, w World) {
	for name, spoil := range map[string]func(*state.Waiting){
		"no handle":       func(p *state.Waiting) { p.Handle = "" },
		"a strange one":   func(p *state.Waiting) { p.Handle = p.Handle[:25] + "#" },
		"no user":         func(p *state.Waiting) { p.User = "" },
		"no connection":   func(p *state.Waiting) { p.Connection = "" },
		"no end":          func(p *state.Waiting) { p.Expires = time.Time{} },
		"nothing planned": func(p *state.Waiting) { p.Plan = nil },
		"a huge plan":     func(p *state.Waiting) { p.Plan = make([]byte, state.MaxPlan+1) },
	} {
		p := Plan("u1", 0)
		spoil(&p)
		if err := w.Store.Keep(t.Context(), p); err == nil {
			t.Errorf("%s: it was kept", name)
		}
	}
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 0 {
		t.Errorf("%d listed, %v", len(list), err)
	}
}

func keptOnce(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	again := p
	again.Summary = "forged"
	if err := w.Store.Keep(t.Context(), again); !errors.Is(err, state.ErrExists) {
		t.Errorf("kept again: %v", err)
	}
	if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.Keep(t.Context(), p); !errors.Is(err, state.ErrExists) {
		t.Errorf("kept again once used: %v", err)
	}
	p.Plan, p.Change = nil, Head("u1", 0).Change
	is(t, w, "u1", p.Handle, p)
}

func foreign(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	for _, user := range []string{"u2", "u11", "u", "u1#p"} {
		gone(t, w, user, p.Handle)
		if err := w.Store.Drop(t.Context(), user, p.Handle); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
	is(t, w, "u1", p.Handle, p)
}

func noHandle(t *testing.T, w World) {
	keep(t, w, Plan("u1", 0))
	for _, handle := range []string{"", "x", state.NewHandle(), "%", "p#" + state.NewHandle()} {
		gone(t, w, "u1", handle)
		if err := w.Store.Drop(t.Context(), "u1", handle); err != nil {
			t.Errorf("drop %q: %v", handle, err)
		}
	}
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 1 {
		t.Errorf("%d listed, %v", len(list), err)
	}
}

func ends(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	w.Clock.Set(p.Expires.Add(-1))
	is(t, w, "u1", p.Handle, p)
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 1 {
		t.Errorf("%d listed, %v", len(list), err)
	}
	w.Clock.Set(p.Expires)
	gone(t, w, "u1", p.Handle)
	if n := len(heads(t, w, "u1")); n != 0 {
		t.Errorf("%d heads", n)
	}
	other := keep(t, w, Plan("u1", 20)) // others go on when it is swept away
	w.Clock.Set(other.Created)
	is(t, w, "u1", other.Handle, other)
}

func trace(t *testing.T, w World) {
	p, head := keep(t, w, Plan("u1", 0)), Head("u1", 0)
	used := p.Expires.Add(-1)
	w.Clock.Set(used)
	if err := w.Store.Use(t.Context(), "u1", p.Handle, head); err != nil {
		t.Fatal(err)
	}
	if got := heads(t, w, "u1"); len(got) != 1 || !reflect.DeepEqual(got[0], head) {
		t.Errorf("the log holds %+v", got)
	}
	p.Plan, p.Change = nil, head.Change
	for _, at := range []time.Time{used, p.Expires, used.Add(state.UsedLife - 1)} {
		w.Clock.Set(at)
		is(t, w, "u1", p.Handle, p)
		if err := w.Store.Use(t.Context(), "u1", p.Handle, Head("u1", 1)); !errors.Is(err, state.ErrUsed) {
			t.Errorf("used again: %v", err)
		}
		if _, err := w.Store.Wrong(t.Context(), "u1", p.Handle); !errors.Is(err, state.ErrUsed) {
			t.Errorf("a wrong summary: %v", err)
		}
		if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 0 {
			t.Errorf("%d listed, %v", len(list), err)
		}
		gone(t, w, "u2", p.Handle)
	}
	w.Clock.Set(used.Add(state.UsedLife))
	gone(t, w, "u1", p.Handle)
}

func dropped(t *testing.T, w World) {
	p, used := keep(t, w, Plan("u1", 0)), keep(t, w, Plan("u1", 1))
	if err := w.Store.Use(t.Context(), "u1", used.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, handle := range []string{p.Handle, used.Handle} {
			if err := w.Store.Drop(t.Context(), "u1", handle); err != nil {
				t.Errorf("drop: %v", err)
			}
		}
	}
	gone(t, w, "u1", p.Handle)
	used.Plan, used.Change = nil, Head("u1", 0).Change
	is(t, w, "u1", used.Handle, used)
}

func listed(t *testing.T, w World) {
	if list, err := w.Store.Waiting(t.Context(), "u1"); err != nil || len(list) != 0 {
		t.Errorf("%d listed, %v", len(list), err)
	}
	var want []state.Waiting
	for _, minutes := range []int{3, 1, 5, 2} {
		want = append(want, keep(t, w, Plan("u1", minutes)))
	}
	want[0], want[2] = want[2], want[0] // 5 1 3 2
	want[1], want[2] = want[2], want[1] // 5 3 1 2
	want[2], want[3] = want[3], want[2] // 5 3 2 1
	used, ended := keep(t, w, Plan("u1", 4)), Plan("u1", 0)
	ended.Expires = w.Clock.Now().Add(time.Second)
	keep(t, w, ended)
	keep(t, w, Plan("u2", 4))
	if err := w.Store.Use(t.Context(), "u1", used.Handle, Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	w.Clock.Set(w.Clock.Now().Add(time.Second))
	list, err := w.Store.Waiting(t.Context(), "u1")
	for i := range want {
		want[i].Plan = nil
	}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, list, want)
	}
}

func givenUp(t *testing.T, w World) {
	p := keep(t, w, Plan("u1", 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	other := Plan("u1", 1)
	_, get := w.Store.Get(ctx, "u1", p.Handle)
	_, wrong := w.Store.Wrong(ctx, "u1", p.Handle)
	_, list := w.Store.Waiting(ctx, "u1")
	ok, _, allow := w.Store.Allow(ctx, "k", 1, time.Hour)
	for name, err := range map[string]error{
		"keep": w.Store.Keep(ctx, other), "get": get, "use": w.Store.Use(ctx, "u1", p.Handle, Head("u1", 0)), "wrong": wrong,
		"drop": w.Store.Drop(ctx, "u1", p.Handle), "list": list, "allow": allow,
	} {
		if err == nil || errors.Is(err, state.ErrNotFound) || errors.Is(err, state.ErrUsed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ok {
		t.Error("an attempt that could not be counted was allowed")
	}
	is(t, w, "u1", p.Handle, p)
	gone(t, w, "u1", other.Handle)
	if n := len(heads(t, w, "u1")); n != 0 {
		t.Errorf("%d heads", n)
	}
}
