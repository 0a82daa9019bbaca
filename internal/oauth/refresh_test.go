package oauth

import (
	"sync"
	"testing"

	"intervals-mcp/internal/identity"
)

func TestA5_RefreshTokensRotate(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		first := r.connected(claudeID)
		second := r.refresh(claudeID, first.text("refresh_token"))
		r.want(second, 200, "")
		if second.text("refresh_token") == first.text("refresh_token") || second.text("access_token") == first.text("access_token") || !r.works(second.text("access_token")) {
			t.Error(second.Body)
		}
	})
}

func TestRefreshReplay_BeforeTheSuccessorsFirstUseTheOldTokenStaysGood(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		first := r.connected(claudeID).text("refresh_token")
		second := r.refresh(claudeID, first)
		again := r.refresh(claudeID, first) // the answer was lost, or Claude asked twice
		r.want(again, 200, "")
		if !r.works(second.text("access_token")) || !r.works(again.text("access_token")) {
			t.Error("one of two answers is of no use")
		}
		r.want(r.refresh(claudeID, again.text("refresh_token")), 200, "")
	})
}

func TestRefreshReplay_AfterTheSuccessorsFirstUseTheFamilyEnds(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		first := r.connected(claudeID).text("refresh_token")
		second := r.refresh(claudeID, first).text("refresh_token")
		third := r.refresh(claudeID, second)
		r.want(third, 200, "")
		r.want(r.refresh("https://evil.example/client", first), 400, "invalid_grant")
		if !r.works(third.text("access_token")) {
			t.Error("another client's replay ended the connection")
		}
		r.want(r.refresh(claudeID, first), 400, "invalid_grant")
		if r.works(third.text("access_token")) {
			t.Error("the access token outlived the replay")
		}
		r.want(r.refresh(claudeID, third.text("refresh_token")), 400, "invalid_grant")
	})
}

func TestManyRefreshesAtTheSameInstantAreOneRotation(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		first := r.connected(claudeID).text("refresh_token")
		const n = 1000
		answers := make([]reply, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { answers[i] = r.refresh(claudeID, first) })
		}
		wg.Wait()
		tokens := map[string]bool{}
		for _, a := range answers {
			r.want(a, 200, "")
			tokens[a.text("refresh_token")] = true
			if !r.works(a.text("access_token")) {
				t.Error("an answer is of no use")
			}
		}
		if len(tokens) != 1 {
			t.Errorf("%d successors", len(tokens))
		}
		for token := range tokens {
			r.want(r.refresh(claudeID, token), 200, "")
		}
	})
}

func TestRFC6749_ScopeAtRefreshNarrowsNothingAndTheAnswerSaysWhatWasGiven(t *testing.T) {
	r := newRig(t, nil)
	got := r.connected(claudeID)
	list, err := r.ids.Connections(t.Context(), athlete)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := r.ids.ChangeConnection(t.Context(), athlete, list[0].ID, identity.Permissions{Scopes: []identity.Scope{identity.ScopeRead}}); err != nil {
		t.Fatal(err)
	}
	next := r.refresh(claudeID, got.text("refresh_token"), "scope", "read write")
	if r.want(next, 200, ""); next.text("scope") != "read" {
		t.Error(next.Body)
	}
}
