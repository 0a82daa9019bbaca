package signin

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// Fifty people sign in at once: each is let in as who they are, connects a
// client, and its token is theirs. DynamoDB's emulator takes its requests one
// after the other, and gets fewer people: on a busy machine fifty wait longer
// for it than a function waits for DynamoDB.
func TestLoad_FiftyPeopleSignInAtOnce(t *testing.T) {
	for name, on := range map[string]struct {
		store func(*town)
		n     int
	}{"memory": {func(*town) {}, 50}, "embedded": {onFile, 50}, "dynamodb": {onDynamoDB, 8}} {
		t.Run(name, func(t *testing.T) {
			n := on.n
			w := newTown(t, on.store, people(n))
			p := w.registered("Claude", claudeBack, "none")
			access := make([]string, n)
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() { access[i] = p.signUp(t, w.browser(), i+1) })
			}
			wg.Wait()
			if t.Failed() {
				return
			}
			for i, token := range access {
				list, err := w.ids.Connections(t.Context(), fmt.Sprintf("i%d", i+1))
				if err != nil || len(list) != 1 || !w.works(token) {
					t.Errorf("athlete %d has %d connections: %v", i+1, len(list), err)
				}
			}
		})
	}
}

// signUp is one person's way through the pages, in a goroutine of its own.
func (p *program) signUp(t *testing.T, b *Browser, n int) string {
	step := func(page Page, err error) (Page, bool) {
		if err != nil {
			t.Error(err)
		}
		return page, err == nil
	}
	fill := func(page Page, action string, pairs ...string) (Page, bool) {
		form, err := Fill(page.Body, action, pairs...)
		if err != nil {
			t.Errorf("athlete %d: %v: %d %s", n, err, page.StatusCode, page.Text())
			return Page{}, false
		}
		return step(b.send("POST", action, form))
	}
	page, ok := step(b.send("GET", p.ask(), nil))
	if ok {
		page, ok = fill(page, "/account/signin", "key", keyOf(n))
	}
	if ok {
		page, ok = step(b.send("GET", page.Away(), nil))
	}
	if ok {
		page, ok = fill(page, "/authorize", "decision", "connect")
	}
	if !ok {
		return ""
	}
	got, err := p.try("POST", "/token", p.redemption(answer(t, page.Away()).Get("code")))
	if err != nil || got.status != http.StatusOK {
		t.Errorf("athlete %d: %d %s %v", n, got.status, got.body, err)
	}
	return got.text("access_token")
}

// A thousand refreshes of one family in parallel over the wire are one rotation,
// and every one of them gets tokens that work.
func TestLoad_AThousandRefreshesOfOneFamilyAreOneRotation(t *testing.T) {
	for name, on := range map[string]struct {
		store func(*town)
		n     int
	}{"memory": {func(*town) {}, 1000}, "embedded": {onFile, 1000}, "dynamodb": {onDynamoDB, 50}} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t, on.store)
			b := w.browser()
			p := w.registered("Claude", claudeBack, "none")
			token := p.connect(b).text("refresh_token")
			got := make([]reply, on.n)
			failed := make([]error, on.n)
			var wg sync.WaitGroup
			for i := range on.n {
				wg.Go(func() { got[i], failed[i] = w.try("POST", "/token", p.renewal(token)) })
			}
			wg.Wait()
			successors, access := map[string]bool{}, map[string]bool{}
			for i, r := range got {
				if failed[i] != nil || r.status != http.StatusOK {
					t.Fatalf("refresh %d: %d %s %v", i, r.status, r.body, failed[i])
				}
				successors[r.text("refresh_token")], access[r.text("access_token")] = true, true
			}
			if len(successors) != 1 || successors[token] || successors[""] {
				t.Errorf("%d successors", len(successors))
			}
			for token := range access {
				if !w.works(token) {
					t.Fatal("somebody's session is lost")
				}
			}
			if len(b.Connections("Claude")) != 1 {
				t.Error("the connection is lost")
			}
			for token := range successors {
				w.want(p.refresh(token), http.StatusOK, "")
			}
		})
	}
}
