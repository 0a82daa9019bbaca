package identitytest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

var refreshTests = []test{
	{"a refresh token gives the next and stays good until that is used", rotate},
	{"two refreshes at once get the same answer, and both work", twins},
	{"a later refresh with the same token gives another, and the first use of either ends the other", siblings},
	{"a lost answer is no lost session, however often", lostAnswers},
	{"a refresh token used after its successor revokes the connection", refreshReplay},
	{"a connection ends after 30 days without refresh and lives on with it", idle},
	{"a refresh is bound to client and resource, and a wrong one changes nothing", refreshBound},
	{"forty refreshes at once rotate once", func(t *testing.T, w *world) { w.storm(t, 40) }},
	{"many connections of a user are refreshed at once", refreshAll},
	{"after revoking no token of a refresh at the same time works", revokeRace},
	{"after a change no token of a refresh at the same time says otherwise", changeRace},
	{"access tokens do not pile up", pileUp},
}

func rotate(t *testing.T, w *world) {
	w.add(t, Athlete)
	first := w.connect(t, grant("i1"))
	w.now = w.now.Add(30 * time.Minute)
	second := w.refresh(t, first.Refresh)
	if second.Refresh == first.Refresh || second.Access == first.Access || !second.Expires.Equal(w.now.Add(time.Hour)) || second.Connection.ID != first.Connection.ID {
		t.Errorf("issued %+v", second)
	}
	bodies := map[string]bool{}
	for _, token := range []secrets.Secret{first.Access, first.Refresh, second.Access, second.Refresh} {
		text := token.Reveal()
		bodies[text[len(text)-50:len(text)-7]] = true // without prefix and checksum
	}
	if len(bodies) != 4 {
		t.Error("one token gives another away")
	}
	for _, access := range []secrets.Secret{first.Access, second.Access} { // another process of the client may still hold the first
		if err := w.works(t, access); err != nil {
			t.Error(err)
		}
	}
	w.now = w.now.Add(45 * time.Minute)
	third := w.refresh(t, second.Refresh)
	if err := w.works(t, first.Access); err == nil {
		t.Error("an access token outlives its hour")
	}
	if err := w.works(t, third.Access); err != nil {
		t.Error(err)
	}
}

func twins(t *testing.T, w *world) {
	w.add(t, Athlete)
	first := w.connect(t, grant("i1"))
	one := w.refresh(t, first.Refresh)
	w.now = w.now.Add(identity.TwinLife - time.Second)
	two := w.refresh(t, first.Refresh)
	if one.Refresh != two.Refresh || one.Access != two.Access || !one.Expires.Equal(two.Expires) {
		t.Error("two answers differ")
	}
	w.refresh(t, one.Refresh)
	if _, err := w.store.Refresh(t.Context(), renewal(first.Refresh)); !errors.Is(err, identity.ErrReplayed) {
		t.Errorf("the first token after its successor's use: %v", err)
	}
}

func siblings(t *testing.T, w *world) {
	for _, later := range []bool{false, true} { // which of the two is used
		w.add(t, Athlete)
		first := w.connect(t, grant("i1"))
		one := w.refresh(t, first.Refresh)
		w.now = w.now.Add(identity.TwinLife)
		two := w.refresh(t, first.Refresh)
		if one.Refresh == two.Refresh || one.Access == two.Access {
			t.Fatal("after a minute, the same answer")
		}
		for _, access := range []secrets.Secret{one.Access, two.Access} {
			if err := w.works(t, access); err != nil {
				t.Error(err)
			}
		}
		used, dead := one, two
		if later {
			used, dead = two, one
		}
		next := w.refresh(t, used.Refresh)
		if err := w.works(t, next.Access); err != nil {
			t.Error(err)
		}
		if _, err := w.store.Refresh(t.Context(), renewal(dead.Refresh)); !errors.Is(err, identity.ErrReplayed) {
			t.Errorf("a second line lives: %v", err)
		}
		if _, err := w.store.Refresh(t.Context(), renewal(next.Refresh)); !errors.Is(err, identity.ErrInvalidGrant) {
			t.Errorf("after the replay: %v", err)
		}
		if err := w.store.RemoveUser(t.Context(), "i1"); err != nil {
			t.Fatal(err)
		}
	}
}

func lostAnswers(t *testing.T, w *world) {
	w.add(t, Athlete)
	out := w.connect(t, grant("i1"))
	for range 3 {
		for range 7 { // more often than successors are kept
			w.now = w.now.Add(2 * time.Hour)
			w.refresh(t, out.Refresh)
		}
		out = w.refresh(t, out.Refresh)
		if err := w.works(t, out.Access); err != nil {
			t.Fatal(err)
		}
	}
}

func refreshReplay(t *testing.T, w *world) {
	for _, old := range []int{0, 1, 2} {
		w.add(t, Athlete)
		line := []identity.Issued{w.connect(t, grant("i1"))}
		for range 4 {
			line = append(line, w.refresh(t, line[len(line)-1].Refresh))
			w.now = w.now.Add(10 * time.Minute)
		}
		if _, err := w.store.Refresh(t.Context(), renewal(line[old].Refresh)); !errors.Is(err, identity.ErrReplayed) || !errors.Is(err, identity.ErrInvalidGrant) {
			t.Errorf("token %d: %v", old, err)
		}
		for i, out := range line {
			if err := w.works(t, out.Access); err == nil {
				t.Errorf("token %d: access token %d works", old, i)
			}
			if _, err := w.store.Refresh(t.Context(), renewal(out.Refresh)); !errors.Is(err, identity.ErrInvalidGrant) {
				t.Errorf("token %d: refresh token %d: %v", old, i, err)
			}
		}
		if err := w.store.RemoveUser(t.Context(), "i1"); err != nil {
			t.Fatal(err)
		}
	}
}

func idle(t *testing.T, w *world) {
	w.add(t, Athlete)
	out := w.connect(t, grant("i1"))
	for range 4 {
		w.now = w.now.Add(identity.RefreshLife - time.Second)
		out = w.refresh(t, out.Refresh)
	}
	w.now = w.now.Add(identity.RefreshLife)
	if _, err := w.store.Refresh(t.Context(), renewal(out.Refresh)); !errors.Is(err, identity.ErrInvalidGrant) || errors.Is(err, identity.ErrReplayed) {
		t.Errorf("after 30 idle days: %v", err)
	}
}

func refreshBound(t *testing.T, w *world) {
	w.add(t, Athlete)
	first := w.connect(t, grant("i1"))
	second := w.refresh(t, first.Refresh)
	third := w.refresh(t, second.Refresh)
	for name, tt := range map[string]struct {
		change func(*identity.Renewal)
		want   error
	}{
		"another client":                {func(r *identity.Renewal) { r.Client = "other" }, identity.ErrInvalidGrant},
		"another client, replaying":     {func(r *identity.Renewal) { r.Client, r.Token = "other", first.Refresh }, identity.ErrInvalidGrant},
		"a sibling resource":            {func(r *identity.Renewal) { r.Resource = resource + "2" }, identity.ErrInvalidTarget},
		"a sibling resource, replaying": {func(r *identity.Renewal) { r.Resource, r.Token = resource+"2", first.Refresh }, identity.ErrInvalidTarget},
		"an access token":               {func(r *identity.Renewal) { r.Token = third.Access }, identity.ErrInvalidGrant},
		"a guess":                       {func(r *identity.Renewal) { r.Token = identity.NewToken(identity.KindRefresh) }, identity.ErrInvalidGrant},
		"nothing":                       {func(r *identity.Renewal) { r.Token = secrets.Secret{} }, identity.ErrInvalidGrant},
	} {
		r := renewal(third.Refresh)
		tt.change(&r)
		if out, err := w.store.Refresh(t.Context(), r); !errors.Is(err, tt.want) || errors.Is(err, identity.ErrReplayed) || !out.Access.IsZero() {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := renewal(third.Refresh)
	r.Resource = ""
	if _, err := w.store.Refresh(t.Context(), r); err != nil {
		t.Errorf("the right one afterwards: %v", err)
	}
}

// Storm refreshes one token n times at once, for tables on which that many are
// quick.
func Storm(t *testing.T, table identity.Table, n int) {
	w := &world{now: time.Now().UTC().Truncate(time.Second), table: table}
	w.store = identity.NewStore(table, func() time.Time { return w.now })
	w.storm(t, n)
}

func (w *world) storm(t *testing.T, n int) {
	w.add(t, Athlete)
	out := w.connect(t, grant("i1"))
	for range 2 { // the successor of the first round is the token of the second
		answers := make([]identity.Issued, n)
		together(n, func(i int) {
			var err error
			if answers[i], err = w.store.Refresh(context.Background(), renewal(out.Refresh)); err != nil {
				t.Error(err)
			}
		})
		for _, a := range answers {
			if a.Refresh != answers[0].Refresh || a.Access != answers[0].Access || a.Refresh.IsZero() {
				t.Fatal("there are two lines")
			}
		}
		out = answers[0]
		if err := w.works(t, out.Access); err != nil {
			t.Error(err)
		}
	}
	if a, err := w.table.Account(t.Context(), "i1"); err != nil || len(a.Tokens) != 3 {
		t.Errorf("%d access tokens for three exchanges, %v", len(a.Tokens), err)
	}
	w.refresh(t, out.Refresh)
}

func refreshAll(t *testing.T, w *world) {
	all := make([]identity.Issued, 8)
	w.aside(t, "i1", func(w *world) (tokens []secrets.Secret) {
		w.add(t, Athlete)
		for i := range all {
			all[i] = w.connect(t, grant("i1"))
			tokens = append(tokens, all[i].Refresh)
		}
		return tokens
	})
	together(len(all), func(i int) {
		next, err := w.store.Refresh(context.Background(), renewal(all[i].Refresh))
		for errors.Is(err, identity.ErrConflict) { // as a client would that is told to try again
			next, err = w.store.Refresh(context.Background(), renewal(all[i].Refresh))
		}
		if err != nil {
			t.Error(err)
		}
		all[i] = next
	})
	for _, out := range all {
		if err := w.works(t, out.Access); err != nil {
			t.Error(err)
		}
	}
}

// line goes on refreshing until it is refused, and gives all access tokens it got.
func (w *world) line(t *testing.T, out identity.Issued) (access []secrets.Secret) {
	access = append(access, out.Access)
	for range 20_000 { // whoever revokes needs a moment in between
		next, err := w.store.Refresh(context.Background(), renewal(out.Refresh))
		if errors.Is(err, identity.ErrConflict) {
			continue
		}
		if errors.Is(err, identity.ErrInvalidGrant) {
			return access
		}
		if err != nil {
			t.Error(err)
			return access
		}
		out, access = next, append(access, next.Access)
	}
	t.Error("the line never ended")
	return access
}

func revokeRace(t *testing.T, w *world) {
	w.add(t, Athlete)
	for range 3 {
		out := w.connect(t, grant("i1"))
		var got []secrets.Secret
		var wg sync.WaitGroup
		wg.Go(func() { got = w.line(t, out) })
		wg.Go(func() {
			err := identity.ErrConflict
			for errors.Is(err, identity.ErrConflict) {
				err = w.store.RevokeConnection(context.Background(), "i1", out.Connection.ID)
			}
			if err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		for i, access := range got {
			if err := w.works(t, access); err == nil {
				t.Errorf("token %d of %d works", i, len(got))
			}
		}
	}
}

func changeRace(t *testing.T, w *world) {
	w.add(t, Athlete)
	out := w.connect(t, grant("i1"))
	id := out.Connection.ID
	var got []secrets.Secret
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 10 {
			next, err := w.store.Refresh(context.Background(), renewal(out.Refresh))
			if err == nil {
				out, got = next, append(got, next.Access)
			} else if !errors.Is(err, identity.ErrConflict) {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		err := identity.ErrConflict
		for errors.Is(err, identity.ErrConflict) {
			_, err = w.store.ChangeConnection(context.Background(), "i1", id, identity.Permissions{Scopes: []identity.Scope{"read"}})
		}
		if err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	for i, access := range got {
		token, err := w.table.Token(t.Context(), identity.HashOf(access.Reveal()))
		if errors.Is(err, identity.ErrNoToken) { // made room for a later one
			continue
		}
		if err != nil || token.Context()["scopes"] != "read" {
			t.Errorf("token %d may still %v, %v", i, token.Scopes, err)
		}
	}
}

func pileUp(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	out := w.connect(t, grant("i1"))
	var access []secrets.Secret
	for range 10 {
		w.now = w.now.Add(time.Second)
		out = w.refresh(t, out.Refresh)
		access = append(access, out.Access)
	}
	for i, secret := range access {
		if err := w.works(t, secret); (err == nil) != (i >= 7) {
			t.Errorf("access token %d of 10: %v", i, err)
		}
	}
	if a, err := w.table.Account(ctx, "i1"); err != nil || len(a.Tokens) != 3 {
		t.Errorf("%d items, %v", len(a.Tokens), err)
	}
	w.now = w.now.Add(2 * time.Hour)
	if a, err := w.table.Account(ctx, "i1"); err != nil || len(a.Tokens) != 3 {
		t.Errorf("%d items, %v", len(a.Tokens), err)
	}
	other := w.connect(t, grant("i1"))
	if a, err := w.table.Account(ctx, "i1"); err != nil || len(a.Tokens) != 1 || len(a.Connections) != 2 {
		t.Errorf("those that ended stay: %d items, %v", len(a.Tokens), err)
	}
	if err := w.works(t, other.Access); err != nil {
		t.Error(err)
	}
}
