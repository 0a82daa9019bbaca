package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
)

// club is a serve with two users beside the one of the machine, and the
// Intervals.icu they use, whose keys can be replaced.
type club struct {
	*running
	file  *embedded.Store
	store *identity.Store
	mu    sync.Mutex
	keys  map[string]string // key -> the fake's own
}

// members are the two users by their mark, which is in everything that is
// theirs and in nothing else.
var members = map[string]string{"ALPHA": "i8001", "BRAVO": "i8002"}

func newClub(t *testing.T) *club {
	t.Helper()
	c := &club{file: embedded.New(t.TempDir()), keys: map[string]string{}}
	dir := strings.TrimSuffix(c.file.Path(), "/"+embedded.FileName)
	data := fake.Dataset{Today: "2026-07-15T12:30:00Z"}
	for mark, id := range members {
		data.Athletes = append(data.Athletes, fake.AthleteData{
			APIKey:     "fake-" + id,
			Athlete:    fake.Object{"id": id, "name": mark + " Rider", "timezone": "Europe/London", "measurement_preference": "meters"},
			Gear:       []fake.Object{{"id": "g" + id, "type": "Bike", "name": mark + " bike", "distance": 1000.0}},
			Activities: []fake.Object{{"id": id + "1", "name": mark + " ride", "type": "Ride", "start_date_local": "2026-07-14T08:00:00", "moving_time": 3600.0}},
			Events:     []fake.Object{{"id": 100.0 + float64(id[4]), "name": mark + " plan", "category": "NOTE", "start_date_local": "2026-07-16T00:00:00"}},
			Wellness:   []fake.Object{{"id": "2026-07-15", "weight": 70.0, "comments": mark + " slept"}},
		})
		c.keys["key-1-"+id] = "fake-" + id
	}
	upstream, err := fake.New(data, fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, key, _ := r.BasicAuth()
		c.mu.Lock()
		key = c.keys[key]
		c.mu.Unlock()
		r.SetBasicAuth("API_KEY", key)
		upstream.ServeHTTP(w, r)
	}))
	t.Cleanup(up.Close)
	c.store = identity.NewStore(c.file.Identity(), time.Now)
	for _, id := range members {
		c.replaceKey(t, id, "key-1-"+id)
		if _, err := c.store.AddUser(t.Context(), identity.User{ID: id, Athlete: id}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { c.file.Close() }) //nolint:errcheck // a test's folder goes anyway
	c.running = launch(t, environ(t, "API_KEY=key-1-i8001", "LOG_LEVEL=warn", "INTERVALS_API_BASE_URL="+up.URL+"/api/v1"),
		"serve", "--addr", "127.0.0.1:0", "--toolset", "full", "--data", dir, "--now", "2026-07-15T12:30:00Z")
	return c
}

func (c *club) replaceKey(t *testing.T, user, key string) {
	t.Helper()
	if err := c.file.Secrets().Put(t.Context(), user, secrets.Key{APIKey: secrets.New(key), Athlete: user}); err != nil {
		t.Fatal(err)
	}
}

func (c *club) token(t *testing.T, user string, scopes ...identity.Scope) (token, id string) {
	t.Helper()
	secret, record, err := c.store.CreateToken(t.Context(), identity.Request{User: user, Scopes: scopes, Toolset: identity.ToolsetFull, Confirm: identity.ConfirmNever})
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal(), record.ID
}

// as posts one message with a token.
func (c *club) as(token, body string) (status int, answer string) {
	req, err := http.NewRequest("POST", c.text("url"), strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(b)
}

func toolCall(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

// Two users, 16 callers, 2,000 calls: no answer holds the other's data, whatever
// is cached on the way. A token revoked in the middle fails at its next request,
// and a key replaced in the middle is used by the next call.
func TestTwoUsersAtOnceNeverSeeEachOther(t *testing.T) {
	c := newClub(t)
	const callers, each = 16, 125
	tokens := map[string]string{}
	for mark, user := range members {
		tokens[mark], _ = c.token(t, user, identity.ScopeRead, identity.ScopeWrite)
	}
	doomed, doomedID := c.token(t, members["ALPHA"], identity.ScopeRead)
	calls := []string{
		toolCall("get_gear_list", `{}`), toolCall("get_activities", `{}`), toolCall("get_events", `{}`),
		toolCall("get_wellness_data", `{}`), toolCall("get_gear_list", `{"refresh":true}`),
	}
	var answered, refused atomic.Int64
	var revoked, replacing, replaced atomic.Bool
	var wg sync.WaitGroup
	for n := range callers {
		mark, other := "ALPHA", "BRAVO"
		if n%2 == 1 {
			mark, other = other, mark
		}
		token := tokens[mark]
		if n == 0 {
			token = doomed
		}
		wg.Go(func() {
			for i := range each {
				body := calls[(n+i)%len(calls)]
				if i%25 == 7 && token != doomed {
					body = toolCall("add_or_update_note", fmt.Sprintf(`{"name":"%s note %d-%d","description":"%s"}`, mark, n, i, mark))
				}
				gone, changing, changed := revoked.Load(), replacing.Load(), replaced.Load()
				status, answer := c.as(token, body)
				answered.Add(1)
				switch {
				case strings.Contains(answer, other):
					t.Errorf("%s reads %s: %.400s", mark, other, answer)
				case token == doomed && status == 401 && (gone || revoked.Load() || answered.Load() > callers*each/2):
					refused.Add(1)
				case token == doomed && gone:
					t.Errorf("a revoked token is answered %d %.200s", status, answer)
				case mark == "BRAVO" && !changed && (changing || replacing.Load()) && strings.Contains(answer, `"isError":true`):
					// its old key is dead and the new one not stored yet
				case status != 200 || !strings.Contains(answer, mark) || strings.Contains(answer, `"isError":true`):
					t.Errorf("%s: %d %.400s", mark, status, answer)
				}
			}
		})
	}
	for answered.Load() < callers*each/2 {
		time.Sleep(time.Millisecond)
	}
	if err := c.store.RevokeToken(t.Context(), doomedID); err != nil {
		t.Error(err)
	}
	revoked.Store(true)
	replacing.Store(true)
	c.mu.Lock()
	delete(c.keys, "key-1-i8002")
	c.keys["key-2-i8002"] = "fake-i8002"
	c.mu.Unlock()
	c.replaceKey(t, members["BRAVO"], "key-2-i8002")
	replaced.Store(true)
	wg.Wait()
	if answered.Load() != callers*each || refused.Load() == 0 {
		t.Errorf("%d answers, %d refused", answered.Load(), refused.Load())
	}
	if strings.Contains(c.err.String(), "ERROR") {
		t.Errorf("the log says %s", c.err)
	}
}

func TestAUserOnServeHasTheirOwnKeyAndReach(t *testing.T) {
	c := newClub(t)
	token, _ := c.token(t, "i8002", identity.ScopeRead)
	if _, body := c.as(token, toolCall("get_gear_list", `{}`)); !strings.Contains(body, "BRAVO bike") {
		t.Error(body)
	}
	if _, body := c.as(token, toolCall("get_gear_list", `{"athlete_id":"i8001"}`)); !strings.Contains(body, "not within reach") || strings.Contains(body, "ALPHA") {
		t.Error(body)
	}
	if status, _ := c.as(token, toolCall("add_or_update_note", `{"name":"x"}`)); status != 403 {
		t.Errorf("a read token writes: %d", status)
	}
	if err := c.file.Secrets().Delete(t.Context(), "i8002"); err != nil {
		t.Fatal(err)
	}
	if _, body := c.as(token, toolCall("get_activities", `{}`)); !strings.Contains(body, `"isError":true`) || strings.Contains(body, "ALPHA") {
		t.Errorf("without a key: %s", body)
	}
}

func TestTheTokenOfServeIsAnOrdinaryOneThatCanBeRevoked(t *testing.T) {
	c := newClub(t)
	if status, body := c.rpc(gearCall); status != 200 || !strings.Contains(body, "ALPHA bike") {
		t.Fatalf("%d %s", status, body)
	}
	list, err := c.store.Tokens(t.Context(), identity.Local)
	if err != nil || len(list) != 1 || list[0].LastUsed.IsZero() || !strings.HasPrefix(list[0].ID, "local-") {
		t.Fatalf("tokens %+v, %v", list, err)
	}
	if err := c.store.RevokeToken(t.Context(), list[0].ID); err != nil {
		t.Fatal(err)
	}
	if status, body := c.rpc(gearCall); status != 401 || !strings.Contains(body, "invalid_token") {
		t.Errorf("%d %s", status, body)
	}
	c.stop(interrupt)
	dir := strings.TrimSuffix(c.file.Path(), "/"+embedded.FileName)
	again := launch(t, c.Env, "serve", "--addr", "127.0.0.1:0", "--toolset", "full", "--data", dir)
	if again.text("token") == c.text("token") {
		t.Error("a revoked token is given out again")
	}
	if status, body := again.rpc(gearCall); status != 200 || !strings.Contains(body, "ALPHA bike") {
		t.Errorf("%d %s", status, body)
	}
}

func TestATokenFromBeforeTheStoreKeepsWorking(t *testing.T) {
	dir := t.TempDir()
	old := identity.NewToken(identity.KindPersonal).Reveal()
	if err := writeFile(dir+"/"+tokenFile, []byte(old+"\n"), false); err != nil {
		t.Fatal(err)
	}
	r := launch(t, environ(t), "serve", "--addr", "127.0.0.1:0", "--demo", "--data", dir)
	if status, _ := r.rpc(toolsList); status != 200 || r.text("token") != old {
		t.Errorf("%d with the old token %v", status, r.text("token") == old)
	}
}

func TestScopeReadNarrowsEverybodysTokens(t *testing.T) {
	dir := t.TempDir()
	r := launch(t, environ(t), "serve", "--addr", "127.0.0.1:0", "--demo", "--data", dir, "--scope", "read")
	file := embedded.New(dir)
	defer file.Close() //nolint:errcheck // a test's folder goes anyway
	c := &club{running: r, file: file, store: identity.NewStore(file.Identity(), time.Now)}
	token, _ := c.token(t, identity.Local, identity.ScopeRead, identity.ScopeWrite)
	if status, body := c.as(token, toolCall("delete_event", `{"event_id":"1"}`)); status != 403 {
		t.Errorf("%d %s", status, body)
	}
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if _, body := c.as(token, toolsList); json.Unmarshal([]byte(body), &list) != nil || slices.ContainsFunc(list.Result.Tools, func(x struct{ Name string }) bool { return x.Name == "delete_event" }) {
		t.Errorf("offered %v", list.Result.Tools)
	}
}

func TestWithoutAKeyAnAddedUserIsToldThatOnlyTheDemoIsShown(t *testing.T) {
	dir := t.TempDir()
	r := launch(t, environ(t), "serve", "--addr", "127.0.0.1:0", "--data", dir)
	file := embedded.New(dir)
	defer file.Close() //nolint:errcheck // a test's folder goes anyway
	c := &club{running: r, file: file, store: identity.NewStore(file.Identity(), time.Now)}
	if _, err := c.store.AddUser(t.Context(), identity.User{ID: "i8001", Athlete: "i8001"}); err != nil {
		t.Fatal(err)
	}
	c.replaceKey(t, "i8001", "key-of-i8001")
	token, _ := c.token(t, "i8001", identity.ScopeRead)
	if _, body := c.as(token, toolCall("get_events", `{}`)); !strings.Contains(body, "demo athlete") || !strings.Contains(body, "API_KEY") || strings.Contains(body, "key-of-i8001") {
		t.Errorf("answer: %s", body)
	}
}

func TestWithoutATokenTheGatewaySaysSoAndWhatToBring(t *testing.T) {
	r := launch(t, environ(t), "serve", "--addr", "127.0.0.1:0", "--demo")
	resp, err := http.Post(r.text("url"), "application/json", strings.NewReader(toolsList))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	b, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 401 || string(b) != `{"message":"Unauthorized"}` || resp.Header.Get("WWW-Authenticate") != `Bearer resource_metadata="`+strings.TrimSuffix(r.text("url"), "/mcp")+`/.well-known/oauth-protected-resource/mcp", scope="read write"` {
		t.Errorf("%d %s %v", resp.StatusCode, b, resp.Header)
	}
}
