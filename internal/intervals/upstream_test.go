package intervals

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/secrets"
)

const testKey = "k3y-that-must-never-show"

// upstream starts a server and a client of it whose waits take no time.
func upstream(t testing.TB, h http.HandlerFunc, change ...func(*Options)) *Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	o := Options{BaseURL: srv.URL + "/api/v1", Sleep: func(context.Context, time.Duration) error { return nil }}
	for _, c := range change {
		c(&o)
	}
	up, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return up.Client(secrets.Credential{APIKey: secrets.New(testKey)})
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func TestRequestsCarryBasicAuthOwnUserAgentAndAcceptGzip(t *testing.T) {
	var got *http.Request
	c := upstream(t, func(w http.ResponseWriter, r *http.Request) { got = r; answer(`[]`)(w, r) })
	if _, err := c.Gear(t.Context(), "0"); err != nil {
		t.Fatal(err)
	}
	user, pass, _ := got.BasicAuth()
	if user != "API_KEY" || pass != testKey {
		t.Errorf("basic auth = %q, %q", user, pass)
	}
	if ua := got.UserAgent(); !strings.HasPrefix(ua, "intervals-mcp") {
		t.Errorf("user agent = %q", ua)
	}
	if got.Header.Get("Accept-Encoding") != "gzip" || got.URL.Path != "/api/v1/athlete/0/gear" {
		t.Errorf("accept-encoding %q, path %s", got.Header.Get("Accept-Encoding"), got.URL.Path)
	}
}

func TestBearerTokensAreSentAsBearer(t *testing.T) {
	var auth string
	c := upstream(t, func(w http.ResponseWriter, r *http.Request) { auth = r.Header.Get("Authorization"); answer(`[]`)(w, r) })
	c = c.up.Client(secrets.Credential{Bearer: secrets.New("tok")})
	if _, err := c.Gear(t.Context(), "0"); err != nil || auth != "Bearer tok" {
		t.Errorf("authorization = %q, %v", auth, err)
	}
}

func TestIDsCannotReachAnotherEndpoint(t *testing.T) {
	c := upstream(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	ctx, w := t.Context(), NewWriter(c)
	for _, id := range []string{"", "a/../b", "..", ".", "i1/events", "i1?x=1", "i1#", "%2e%2e", "i1\x00", "i 1", "é", strings.Repeat("1", 65)} {
		_, e1 := c.Athlete(ctx, id)
		_, e2 := c.Activity(ctx, id)
		_, e3 := c.Streams(ctx, id, nil)
		_, e4 := c.Event(ctx, id, 1)
		_, e5 := w.AddMessage(ctx, id, "x")
		e6 := w.DeleteEvent(ctx, id, 1)
		_, e7 := w.CreateCustomItem(ctx, id, nil)
		for i, err := range []error{e1, e2, e3, e4, e5, e6, e7} {
			if KindOf(err) != BadArgument {
				t.Errorf("id %q, call %d: error %v, want a bad argument", id, i+1, err)
			}
		}
	}
	if err := w.DeleteEvent(ctx, "i1", 0); KindOf(err) != BadArgument {
		t.Errorf("event 0: %v", err)
	}
}

func TestGetsAreRetriedAndWritesAreNot(t *testing.T) {
	var gets, posts atomic.Int32
	c := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && gets.Add(1) == 3 {
			answer(`[]`)(w, r)
			return
		}
		if r.Method != http.MethodGet {
			posts.Add(1)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := c.Gear(t.Context(), "0"); err != nil || gets.Load() != 3 {
		t.Errorf("GET: %v after %d attempts, want success at the third", err, gets.Load())
	}
	_, err := NewWriter(c).CreateEvent(t.Context(), "0", Patch{"name": "x"})
	var e *Error
	if !errors.As(err, &e) || e.Kind != Unavailable || !e.MaybeApplied || posts.Load() != 1 {
		t.Errorf("POST: %v after %d attempts, want one and 'may have been applied'", err, posts.Load())
	}
}

func TestRetryAfterIsHonouredUnlessItIsTooLong(t *testing.T) {
	for _, c := range []struct {
		header   string
		attempts int32
		waits    []time.Duration
	}{{"2", 3, []time.Duration{2 * time.Second, 2 * time.Second}}, {"600", 1, nil}} {
		var n atomic.Int32
		var waits []time.Duration
		client := upstream(t, func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			w.Header().Set("Retry-After", c.header)
			w.WriteHeader(http.StatusTooManyRequests)
		}, func(o *Options) {
			o.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
		})
		_, err := client.Gear(t.Context(), "0")
		var e *Error
		if !errors.As(err, &e) || e.Kind != RateLimited || e.RetryAfter == 0 || n.Load() != c.attempts || fmt.Sprint(waits) != fmt.Sprint(c.waits) {
			t.Errorf("Retry-After %s: %v, %d attempts, waits %v", c.header, err, n.Load(), waits)
		}
	}
}

func TestErrorsGiveUpstreamsOwnReasonWithoutTheKey(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("API_KEY:" + testKey))
	cases := []struct {
		status int
		body   string
		kind   Kind
		reason string
	}{
		{422, `{"status":422,"error":"Missing type"}`, Invalid, "Missing type"},
		{422, `[{"status":422,"error":"Name is too long"}]`, Invalid, "Name is too long"},
		{422, ``, Invalid, ""},
		{422, `{"error":"Cannot read Strava activities via the API"}`, Hidden, "Cannot read Strava activities via the API"},
		{401, `{"status":401,"error":"Unauthorized"}`, Unauthorized, "Unauthorized"},
		{403, `{"status":403,"error":"Access denied"}`, Forbidden, "Access denied"},
		{404, `{"timestamp":"x","status":404,"error":"Not Found","path":"/p"}`, NotFound, "Not Found"},
		{400, `plain words` + "\n\x00with\u202e control", Invalid, "plain words with control"},
		{400, `<html><body>nginx</body></html>`, Invalid, ""},
		{422, `{"error":"key ` + testKey + ` and ` + encoded + `"}`, Invalid, "key [redacted] and [redacted]"},
		{422, `{"error":"` + strings.Repeat("long ", 200) + `"}`, Invalid, ""},
	}
	for _, tc := range cases {
		c := upstream(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		})
		_, err := c.Gear(t.Context(), "0")
		var e *Error
		if !errors.As(err, &e) || e.Kind != tc.kind || e.Status != tc.status || len([]rune(e.Reason)) > 202 {
			t.Errorf("%d %s: %v", tc.status, tc.body, err)
			continue
		}
		if tc.reason != "" && e.Reason != tc.reason {
			t.Errorf("%d %s: reason %q, want %q", tc.status, tc.body, e.Reason, tc.reason)
		}
		if s := err.Error() + fmt.Sprintf("%+v", e); strings.Contains(s, testKey) || strings.Contains(s, encoded) {
			t.Errorf("the key shows in %s", s)
		}
	}
}

func TestAWrongContentTypeIsNoErrorAndAnUnreadableBodyIs(t *testing.T) {
	c := upstream(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, `[{"id":"b1"}]`)
	})
	if list, err := c.Gear(t.Context(), "0"); err != nil || len(list) != 1 {
		t.Errorf("text/plain JSON: %v, %v", list, err)
	}
	for _, body := range []string{"<html>", `{"list":`, `{}`, `"x"`} {
		_, err := upstream(t, answer(body)).Gear(t.Context(), "0")
		if KindOf(err) != BadBody {
			t.Errorf("body %s: %v, want an unreadable answer", body, err)
		}
	}
}

func TestABodyOverTheCapIsRefused(t *testing.T) {
	c := upstream(t, answer(`["`+strings.Repeat("x", 5000)+`"]`), func(o *Options) { o.MaxBody = 4096 })
	if _, err := c.Gear(t.Context(), "0"); KindOf(err) != TooLarge {
		t.Errorf("error %v, want too large", err)
	}
}

func TestAHungUpstreamEndsAtTheDeadline(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	c := upstream(t, func(http.ResponseWriter, *http.Request) { <-release }, func(o *Options) { o.Timeout = 50 * time.Millisecond })
	if _, err := c.Gear(t.Context(), "0"); KindOf(err) != Timeout {
		t.Errorf("error %v, want a time-out", err)
	}
	_, err := NewWriter(c).UpdateEvent(t.Context(), "0", 1, Patch{})
	var e *Error
	if !errors.As(err, &e) || e.Kind != Timeout || !e.MaybeApplied {
		t.Errorf("a write that timed out: %v, want 'may have been applied'", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Gear(ctx, "0"); KindOf(err) != Canceled {
		t.Errorf("error %v, want canceled", err)
	}
}

func TestRedirectsAreNotFollowedWithTheKey(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	c := upstream(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) })
	if _, err := c.Gear(t.Context(), "0"); KindOf(err) != BadBody || elsewhere.Load() != 0 {
		t.Errorf("error %v, %d requests elsewhere", err, elsewhere.Load())
	}
}

func TestTheBaseURLMustNotSendTheKeyInTheClear(t *testing.T) {
	for _, bad := range []string{"http://intervals.icu/api/v1", "ftp://x", "intervals.icu", "https://u:p@x/api", "https://x/api?k=v", "http://127.0.0.1.evil.example/"} {
		if _, err := New(Options{BaseURL: bad}); err == nil {
			t.Errorf("base URL %s was accepted", bad)
		}
	}
	for _, good := range []string{"", "https://intervals.icu/api/v1", "http://127.0.0.1:8766/api/v1", "http://localhost:1/api/v1", "http://[::1]:8766/api/v1"} {
		if _, err := New(Options{BaseURL: good}); err != nil {
			t.Errorf("base URL %q: %v", good, err)
		}
	}
}

func TestPlainHTTPToAPrivateAddressIsForSamLocalAlone(t *testing.T) {
	for url, want := range map[string]bool{"http://172.17.0.1:8766/api/v1": true, "http://host.docker.internal:8766/api/v1": true, "http://8.8.8.8/api/v1": false, "http://elsewhere.example/api/v1": false} {
		if _, err := New(Options{BaseURL: url, PrivateHTTP: true}); (err == nil) != want {
			t.Errorf("%s under sam local: %v", url, err)
		}
		if _, err := New(Options{BaseURL: url}); err == nil {
			t.Errorf("%s was accepted without sam local", url)
		}
	}
}

func TestTheRateLimitHoldsForTheLivePlatformAndNotForLoopback(t *testing.T) {
	live, _ := New(Options{})
	local, _ := New(Options{BaseURL: "http://127.0.0.1:1/api/v1"})
	if live.limiter == nil || float64(live.limiter.Limit()) > 10 || local.limiter != nil {
		t.Errorf("limits: live %v, local %v", live.limiter, local.limiter)
	}
	c := upstream(t, answer(`[]`), func(o *Options) { o.Rate, o.Burst = 20, 1 })
	start := time.Now()
	for range 4 {
		if _, err := c.Gear(t.Context(), "0"); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(start); d < 140*time.Millisecond {
		t.Errorf("4 requests at 20/s took %v", d)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	c = upstream(t, answer(`[]`), func(o *Options) { o.Rate, o.Burst = 0.1, 1 })
	_, _ = c.Gear(t.Context(), "0")
	if _, err := c.Gear(ctx, "0"); KindOf(err) != RateLimited && KindOf(err) != Timeout {
		t.Errorf("a wait beyond the deadline: %v", err)
	}
}

func TestAPatchSendsExactlyItsKeys(t *testing.T) {
	var body map[string]any
	var query string
	c := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		_ = json.NewDecoder(r.Body).Decode(&body)
		answer(`{"id":7}`)(w, r)
	})
	e, err := NewWriter(c).CreateEvent(t.Context(), "i1", Patch{"name": "x", "uid": "u-1", "distance": nil})
	if err != nil || e.ID() != 7 || query != "upsertOnUid=true" {
		t.Fatalf("event %v, query %q, %v", e, query, err)
	}
	if len(body) != 3 || body["distance"] != nil || body["name"] != "x" {
		t.Errorf("body = %v", body)
	}
}

func TestACutConnectionOnAWriteMayHaveBeenApplied(t *testing.T) {
	c := upstream(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	_, err := NewWriter(c).CreateEvent(t.Context(), "i1", Patch{})
	var e *Error
	if !errors.As(err, &e) || e.Kind != Network || !e.MaybeApplied || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("error %v", err)
	}
}
