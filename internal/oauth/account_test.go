package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// asks makes a change as an assistant of a user would, and gives its result.
func (w *town) asks(user, key, athlete string, confirm identity.Confirm, p change.Planner) *change.Result {
	w.t.Helper()
	me := map[string]string{"local": "i1"}[user]
	if me == "" {
		me = user
	}
	ctx := oauth.At(w.t.Context(), oauth.Place{Issuer: w.url})
	r, err := w.engine.Do(ctx, change.Call{Identity: identity.Identity{User: user, Athlete: me, Connection: user + "-abcdefghij", Client: "Claude <i>", Confirm: confirm},
		Client: w.up.Client(secrets.Credential{APIKey: secrets.New(key)}), Athlete: athlete, Me: me, Tool: "add_or_update_event", Arguments: json.RawMessage(`{}`)}, p)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func session(name string) change.EventEdit {
	return change.EventEdit{Day: "2026-12-05", Today: "2026-11-30", Set: intervals.Patch{"category": "WORKOUT", "type": "Ride", "name": name, "description": "- 20m 60%\n- 10m 80%"}}
}

// events are an athlete's at Intervals.icu.
func (w *town) events(key string) []intervals.Event {
	w.t.Helper()
	list, err := w.up.Client(secrets.Credential{APIKey: secrets.New(key)}).Events(w.t.Context(), "0", "2026-11-01", "2026-12-31")
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// TestUnderPersonOnlyThePersonsTapWrites: the whole setting, end to end.
func TestUnderPersonOnlyThePersonsTapWrites(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		r := w.asks("i1", keyOf1, "i1", identity.ConfirmPerson, session("Threshold"))
		if r.Status != change.Preview || r.Confirmation != "" || !strings.HasPrefix(r.ApproveURL, w.url+"/account/changes/") {
			t.Fatalf("%+v", r)
		}
		handle := path.Base(r.ApproveURL)
		refused, err := w.engine.Confirm(t.Context(), change.Call{Identity: identity.Identity{User: "i1", Connection: "i1-abcdefghij"}, Athlete: "i1", Me: "i1"}, handle, r.Summary)
		if err != nil || refused.Status != change.RefusedNow || len(w.events(keyOf1)) > 0 {
			t.Fatalf("the assistant confirmed it: %+v, %v", refused, err)
		}
		b.want(b.get("/account"), 200, "Waiting 1")
		b.want(b.get("/account/changes"), 200, "New workout Threshold", "Claude <i> asked", "10 minutes left")
		if p := b.get("/account/changes"); strings.Contains(plainText(p.body), "Not tried") {
			t.Error("what waits is told as not tried")
		}
		p := b.want(b.get(strings.TrimPrefix(r.ApproveURL, w.url)), 200, "Threshold", "Ride", "20m 60%", "10m 80%", "Sat 5 Dec 2026")
		b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 200, "Done", "Threshold")
		if list := w.events(keyOf1); len(list) != 1 || list[0].Name() != "Threshold" {
			t.Errorf("%v", list)
		}
		b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 200, "done before") // the second tap
		if len(w.events(keyOf1)) != 1 {
			t.Error("the second tap wrote")
		}
		b.want(b.get("/account/changes/"+handle), 404, "no longer waits")
		page, _, err := w.engine.History(t.Context(), change.Scope{Users: []string{"i1"}}, audit.ID{}, 10)
		if err != nil || len(page) != 1 || page[0].Connection != "i1-abcdefghij" || page[0].Client != "Claude <i>" {
			t.Errorf("the log: %+v, %v", page, err)
		}
	})
}

func TestWhatIsDroppedOrExpiredIsNeverMade(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		handle := path.Base(w.asks("i1", keyOf1, "i1", identity.ConfirmPerson, session("A")).ApproveURL)
		p := b.get("/account/changes/" + handle)
		b.want(b.submit(p, "/account/changes/"+handle+"/drop"), 303)
		b.want(b.get("/account/changes"), 200, "Dropped. Nothing was changed.", "Nothing waits for you")
		b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 404)
		late := path.Base(w.asks("i1", keyOf1, "i1", identity.ConfirmPerson, session("B")).ApproveURL)
		p = b.get("/account/changes/" + late)
		w.pass(state.PlanLife)
		b.want(b.submit(p, "/account/changes/"+late+"/approve"), 404, "no longer waits")
		if len(w.events(keyOf1)) > 0 {
			t.Error("something was made")
		}
	})
}

func TestAnotherPersonsChangesAreNotThere(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		w.browser().signIn(keyOf1)
		other := w.browser().signIn(keyOf9)
		handle := path.Base(w.asks("i1", keyOf1, "i1", identity.ConfirmPerson, session("A")).ApproveURL)
		done := w.asks("i1", keyOf1, "i1", identity.ConfirmNever, session("B"))
		form := url.Values{"csrf": {other.get("/account/changes").formProof()}}
		other.want(other.get("/account/changes/"+handle), 404)
		other.want(other.do("POST", "/account/changes/"+handle+"/approve", form), 404)
		other.want(other.do("POST", "/account/changes/"+handle+"/drop", form), 404)
		form.Set("csrf", other.get("/account/history").formProof())
		for _, id := range []string{done.ChangeID, "i1:" + done.ChangeID, "I1:" + done.ChangeID, "i1%3A" + done.ChangeID} {
			other.want(other.get("/account/history/"+id), 404)
			other.want(other.do("POST", "/account/history/"+id+"/undo", form), 404)
		}
		if p := other.get("/account/history"); strings.Contains(p.body, done.ChangeID) {
			t.Error("another person's history")
		}
		if len(w.events(keyOf1)) != 1 {
			t.Error("something was done")
		}
	})
}

// formProof is the proof in a page's forms.
func (p page) formProof() string {
	m := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(p.body)
	if m == nil {
		return ""
	}
	return m[1]
}

func TestHistoryShowsDifferencesAndUndoesAfterASecondLook(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		r := w.asks("i1", keyOf1, "i1", identity.ConfirmNever, session("Tempo"))
		p := b.want(b.get("/account/history"), 200, "Tempo", "Made", "Claude <i>", "20m 60%", "Undo")
		b.want(b.get("/account/history/"+r.ChangeID), 200, "Tempo", "Sat 5 Dec 2026")
		second := b.want(b.submit(p, "/account/history/"+r.ChangeID+"/undo"), 200, "workout Tempo")
		if len(w.events(keyOf1)) != 1 {
			t.Fatal("undone without a second look")
		}
		action := regexp.MustCompile(`action="(/account/changes/[^"]+/approve)"`).FindStringSubmatch(second.body)
		if action == nil {
			t.Fatal(plainText(second.body))
		}
		b.want(b.submit(second, action[1]), 200, "Done")
		if len(w.events(keyOf1)) != 0 {
			t.Error("not undone")
		}
		p = b.want(b.get("/account/history"), 200, "This was undone", "This undid an earlier change", "account page")
		if strings.Contains(p.body, r.ChangeID+"/undo") {
			t.Error("what is undone can be undone again")
		}
	})
}

func TestAnAthleteSeesAndUndoesWhatACoachChanged(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	w.browser().signIn(keyOf9)
	r := w.asks("i9", keyOf9, "i1", identity.ConfirmNever, session("Of the coach"))
	p := b.want(b.get("/account/history"), 200, "Of the coach", "of i9")
	b.want(b.get("/account/history/i9:"+r.ChangeID), 200, "Of the coach")
	second := b.submit(p, "/account/history/i9:"+r.ChangeID+"/undo")
	action := regexp.MustCompile(`action="(/account/changes/[^"]+/approve)"`).FindStringSubmatch(second.body)
	if action == nil {
		t.Fatal(plainText(second.body))
	}
	b.want(b.submit(second, action[1]), 200, "Done")
	if len(w.events(keyOf1)) != 0 {
		t.Error("not undone")
	}
}

func TestHistoryComesInPages(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	for i := range 45 {
		w.asks("i1", keyOf1, "i1", identity.ConfirmNever, session(fmt.Sprintf("Number %02d", i)))
		w.pass(time.Second)
	}
	next, seen := "/account/history", ""
	for range 3 {
		p := b.want(b.get(next), 200)
		seen += p.body
		next = ""
		if m := regexp.MustCompile(`href="(/account/history\?before=[^"]+)"`).FindStringSubmatch(p.body); m != nil {
			next = m[1]
		}
	}
	if next != "" {
		t.Error("there is a fourth page")
	}
	for i := range 45 {
		if !strings.Contains(seen, fmt.Sprintf("Number %02d", i)) {
			t.Errorf("number %d is on no page", i)
		}
	}
	b.want(b.get("/account/history?before=nonsense"), 400)
}

func TestABuiltInUsersChangesAreThoseOfTheAccountOfTheSameAthlete(t *testing.T) {
	w := newTown(t)
	if err := w.keys.Put(t.Context(), "local", secrets.Key{APIKey: secrets.New(keyOf1)}); err != nil {
		t.Fatal(err)
	}
	w.serve(func(o *oauth.SiteOptions) {
		o.Alias = func(_ context.Context, u identity.User) string { return map[string]string{"i1": "local"}[u.ID] }
	})
	b, other := w.browser().signIn(keyOf1), w.browser().signIn(keyOf9)
	handle := path.Base(w.asks("local", keyOf1, "i1", identity.ConfirmPerson, session("Local")).ApproveURL)
	other.want(other.get("/account/changes/"+handle), 404)
	p := b.want(b.get("/account/changes/"+handle), 200, "Local")
	b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 200, "Done")
	b.want(b.get("/account/history"), 200, "Local")
	if len(w.events(keyOf1)) != 1 {
		t.Error("not made")
	}
}

func TestApprovingWithoutAKeySaysSo(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	handle := path.Base(w.asks("i1", keyOf1, "i1", identity.ConfirmPerson, session("A")).ApproveURL)
	p := b.get("/account/changes/" + handle)
	if err := w.keys.Delete(t.Context(), "i1"); err != nil {
		t.Fatal(err)
	}
	b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 409, "No Intervals.icu key of yours is stored here")
	if err := w.keys.Put(t.Context(), "i1", secrets.Key{APIKey: secrets.New("dead-key-0123456789")}); err != nil {
		t.Fatal(err)
	}
	b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 409, "no longer accepts your key")
	w.down = true
	b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 503, "Intervals.icu does not answer")
}

// TestACoachApprovesForTheirAthletesOnly: also when the list has become shorter
// since the plan was made.
func TestACoachApprovesForTheirAthletesOnly(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf9)
	plan := func(name string) (handle string, p page) {
		handle = path.Base(w.asks("i9", keyOf9, "i3", identity.ConfirmPerson, session(name)).ApproveURL)
		return handle, b.want(b.get("/account/changes/"+handle), 200, "concerns i3")
	}
	handle, p := plan("A")
	b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 200, "Done")
	handle, p = plan("B")
	if _, err := w.ids.ChangeUser(t.Context(), "i9", func(u *identity.User) { u.Athletes = []string{"i1"} }); err != nil {
		t.Fatal(err)
	}
	b.want(b.submit(p, "/account/changes/"+handle+"/approve"), 409, "no longer, among those whom you reach")
	if n := len(w.events(keyOf3)); n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestPermissionsAreChangedForTheNextRequest(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		client := w.register("Claude", callback)
		b := w.browser().signIn(keyOf1)
		access, _ := b.connect(client)
		id := b.get("/account").firstID()
		p := b.want(b.get("/account/connections/"+id), 200, "What may Claude do?")
		b.want(b.submit(p, "/account/connections/"+id, "scope", "read", "toolset", "full"), 303)
		tok, err := w.table.Token(t.Context(), identity.HashOf(access))
		if err != nil || len(tok.Scopes) != 1 || tok.Toolset != identity.ToolsetFull || !w.works(access) {
			t.Errorf("%+v, %v", tok, err)
		}
		b.want(b.submit(p, "/account/connections/"+id, "scope", "everything"), 400, "Choose whether")
		other := w.browser().signIn(keyOf9)
		other.want(other.get("/account/connections/"+id), 404)
		form := url.Values{"csrf": {other.get("/account").formProof()}, "scope": {"write"}, "toolset": {"core"}}
		other.want(other.do("POST", "/account/connections/"+id, form), 404)
		other.want(other.do("POST", "/account/connections/"+id+"/revoke", form), 404)
		if !w.works(access) {
			t.Error("somebody else revoked it")
		}
	})
}

var tokenPattern = regexp.MustCompile(`imcp_pat_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}`)

func TestAPersonalTokenIsShownOnceAndRevoked(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		p := b.want(b.submit(b.get("/account/tokens"), "/account/tokens", "label", "Cursor <b>", "days", "30", "scope", "write", "toolset", "full", "confirm", "destructive"), 200, "Copy it now", "Cursor <b>")
		token := tokenPattern.FindString(p.body)
		tok, err := w.table.Token(t.Context(), identity.HashOf(token))
		if err != nil || !tok.Expires.Equal(w.now().AddDate(0, 0, 30)) || tok.Confirm != identity.ConfirmDestructive || tok.Toolset != identity.ToolsetFull || !w.works(token) {
			t.Fatalf("%+v, %v", tok, err)
		}
		p = b.want(b.get("/account/tokens"), 200, "Cursor <b>", "All tools")
		if strings.Contains(p.body+w.lines.String(), token) {
			t.Error("the token is shown again, or logged")
		}
		other := w.browser().signIn(keyOf9)
		other.want(other.do("POST", "/account/tokens/"+tok.ID+"/revoke", url.Values{"csrf": {other.get("/account/tokens").formProof()}}), 404)
		if !w.works(token) {
			t.Error("somebody else revoked it")
		}
		b.want(b.submit(p, "/account/tokens/"+tok.ID+"/revoke"), 303)
		if w.works(token) {
			t.Error("it works after it was revoked")
		}
		b.want(b.get("/account/tokens"), 200, "The token is revoked", "You have no personal tokens")
	})
}

func TestATokenIsNotMadeOfNonsense(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	p := b.get("/account/tokens")
	for says, pairs := range map[string][]string{
		"what the token is for": {"label", " "}, "how long it is good": {"label", "x", "days", "31"}, "Choose whether": {"label", "x", "scope", "admin"}, "how many tools": {"label", "x", "toolset", ""},
		"when it must ask": {"label", "x", "confirm", "sometimes"}, "one line of at most": {"label", strings.Repeat("x", 101)},
	} {
		b.want(b.submit(p, "/account/tokens", pairs...), 400, says)
	}
	if list, _ := w.ids.Tokens(t.Context(), "i1"); len(list) > 0 {
		t.Errorf("%v", list)
	}
}

func TestTheKeyIsTestedReplacedByOneOfTheSameAthleteAndForgotten(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		access, _ := b.connect(w.register("Claude", callback))
		p := b.want(b.get("/account/key"), 200, "A key is stored")
		b.want(b.submit(p, "/account/key/test"), 200, "It works")
		b.want(b.submit(p, "/account/key/replace", "key", keyOf2), 409, "belongs to another athlete")
		b.want(b.submit(p, "/account/key/replace", "key", "wrong-key-0123456789"), 403, "does not accept that key")
		b.want(b.submit(p, "/account/key/replace", "key", " "), 400, "Paste your key")
		if c, err := w.keys.Credential(t.Context(), "i1"); err != nil || c.APIKey.Reveal() != keyOf1 {
			t.Errorf("the key was replaced: %v", err)
		}
		if err := w.keys.Put(t.Context(), "i1", secrets.Key{APIKey: secrets.New("dead-key-0123456789")}); err != nil {
			t.Fatal(err)
		}
		b.want(b.submit(p, "/account/key/test"), 200, "no longer accepts")
		b.want(b.submit(p, "/account/key/replace", "key", keyOf1), 303)
		b.want(b.get("/account/key"), 200, "The key is stored", "A key is stored")
		if !w.works(access) {
			t.Error("replacing the key ended a connection")
		}
		elsewhere := w.browser().signIn(keyOf1)
		b.want(b.submit(p, "/account/key/forget"), 400) // the box was not ticked
		b.want(b.submit(p, "/account/key/forget", "sure", "yes"), 303)
		if _, err := w.keys.Credential(t.Context(), "i1"); secrets.KindOf(err) != secrets.Missing || w.works(access) {
			t.Errorf("after forgetting: %v, the connection works: %v", err, w.works(access))
		}
		if elsewhere.signedIn() {
			t.Error("another browser is still signed in")
		}
		b.want(b.get("/account/key"), 200, "The key is deleted here", "No key is stored")
	})
}

func TestADownloadHoldsEverythingButSecrets(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b := w.browser().signIn(keyOf1)
		access, refresh := b.connect(w.register("Claude", callback))
		token := tokenPattern.FindString(b.submit(b.get("/account/tokens"), "/account/tokens", "label", "Cursor").body)
		made := w.asks("i1", keyOf1, "i1", identity.ConfirmNever, session("Tempo"))
		w.browser().signIn(keyOf9)
		w.asks("i9", keyOf9, "i9", identity.ConfirmNever, session("Of somebody else"))
		p := b.want(b.get("/account/mine/download"), 200)
		var d struct {
			User        struct{ ID, Athlete string }
			Key         string `json:"intervals_icu_key"`
			Connections []struct {
				Name string `json:"client_name"`
			}
			Tokens  []struct{ Label string } `json:"personal_tokens"`
			Changes []struct {
				ID    string           `json:"change_id"`
				Items []map[string]any `json:"items"`
			}
		}
		if err := json.Unmarshal([]byte(p.body), &d); err != nil || !strings.HasPrefix(p.Header.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%v %v", err, p.Header)
		}
		if d.User.ID != "i1" || d.Key != "stored" || len(d.Connections) != 1 || d.Connections[0].Name != "Claude" || len(d.Tokens) != 1 || d.Tokens[0].Label != "Cursor" ||
			len(d.Changes) != 1 || d.Changes[0].ID != made.ChangeID || len(d.Changes[0].Items) != 4 {
			t.Errorf("%s", p.body)
		}
		for name, secret := range map[string]string{"key": keyOf1, "token": token, "access token": access, "refresh token": refresh, "somebody else": "Of somebody else",
			"the hash of a token": identity.HashOf(token).Hex(), "the hash of an access token": identity.HashOf(access).Hex(), "session": b.cookie("session")} {
			if secret == "" || strings.Contains(p.body, secret) {
				t.Errorf("%s is in the download", name)
			}
		}
	})
}

func TestDeletingLeavesNothingButTheLog(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		b, elsewhere := w.browser().signIn(keyOf1), w.browser().signIn(keyOf1)
		client := w.register("Claude", callback)
		access, refresh := b.connect(client)
		token := tokenPattern.FindString(b.submit(b.get("/account/tokens"), "/account/tokens", "label", "Cursor").body)
		w.asks("i1", keyOf1, "i1", identity.ConfirmNever, session("Tempo"))
		waiting := path.Base(w.asks("i1", keyOf1, "i1", identity.ConfirmPerson, session("Waiting")).ApproveURL)
		p := b.want(b.get("/account/mine"), 200, "1 connection", "1 personal token", "400 days")
		b.want(b.submit(p, "/account/mine/delete", "typed", "yes"), 400, "Nothing was deleted")
		if !w.works(access) {
			t.Fatal("deleted without the word")
		}
		b.want(b.submit(p, "/account/mine/delete", "typed", " DELETE "), 200, "Everything is deleted", "400 days")
		if _, err := w.ids.User(t.Context(), "i1"); !errors.Is(err, identity.ErrNoUser) {
			t.Errorf("the user is there: %v", err)
		}
		if _, err := w.keys.Credential(t.Context(), "i1"); secrets.KindOf(err) != secrets.Missing {
			t.Errorf("the key is there: %v", err)
		}
		if again, _ := w.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {client}}); w.works(access) || w.works(token) || again != "" {
			t.Error("a token works")
		}
		if _, err := w.state.Get(t.Context(), "i1", waiting); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("a plan waits: %v", err)
		}
		if b.signedIn() || elsewhere.signedIn() {
			t.Error("somebody is signed in")
		}
		page, _, err := w.engine.History(t.Context(), change.Scope{Users: []string{"i1"}}, audit.ID{}, 10)
		if err != nil || len(page) != 1 {
			t.Errorf("the log: %v, %v", page, err)
		}
		w.browser().signIn(keyOf1) // and one may come back
	})
}

func TestUnknownPagesSaySo(t *testing.T) {
	w := newTown(t)
	b := w.browser().signIn(keyOf1)
	for _, path := range []string{"/nowhere", "/account/", "/account/nowhere", "/account/history/x/y", "/account/connections/", "/invite/a/b", "/assets/x.css", "/account/connections/" + strings.Repeat("x", 3000)} {
		if p := b.get(path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%.60s: %d", path, p.StatusCode)
		}
	}
	b.want(b.get("/account/signin/intervals"), 404) // no app is registered
	b.want(b.get("/callback?code=x&state=y"), 404)
}
