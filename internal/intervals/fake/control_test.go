package fake

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/printed"
)

func TestFaultsMeetTheRequestsTheyAreFor(t *testing.T) {
	w := newWorld(t)
	w.do("POST", "/_fake/faults", `[
		{"method":"get","path":"gear","times":2,"status":503,"body":"<html>down</html>"},
		{"path":"/events/\\d+$","status":500,"body":{"status":500,"error":"boom"}},
		{"path":"custom-item$","status":429,"retry_after":1.5}]`).ok()
	w.do("POST", "athlete/0/gear", nil).refused(405, "Method Not Allowed")
	w.get("athlete/0/events")
	for range 2 {
		w.do("GET", "athlete/0/gear", nil).refused(503, "<html>down</html>")
	}
	w.get("athlete/0/gear")
	w.do("DELETE", "athlete/0/events/60000001", nil).refused(500, "boom")
	w.get("athlete/0/events/60000001") // it was not deleted
	limited := w.do("GET", "athlete/0/custom-item", nil)
	limited.refused(429, "Too Many Requests")
	if limited.header.Get("Retry-After") != "2" || !strings.HasPrefix(limited.header.Get("X-RateLimit-Remaining"), "0,") {
		t.Errorf("%v", limited.header)
	}
}

func TestAWrongBodyAloneComesAfterTheEffect(t *testing.T) {
	w := newWorld(t)
	w.do("POST", "/_fake/faults", `[{"path":"custom-item","body":"not json"}]`).ok()
	if r := w.do("DELETE", "athlete/0/custom-item/7001", nil); r.status != 200 || r.body != "not json" {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.do("GET", "athlete/0/custom-item/7001", nil).refused(404, "Not Found")
}

func TestACutLeavesTheEffectOnOneSide(t *testing.T) {
	for _, over := range []string{"transport", "socket"} {
		t.Run(over, func(t *testing.T) {
			w := newWorld(t)
			client, base := &http.Client{Transport: w.server.Transport()}, "http://fake"
			if over == "socket" {
				srv := httptest.NewServer(w.server)
				defer srv.Close()
				client, base = srv.Client(), srv.URL
			}
			send := func(method, path string) error {
				r, _ := http.NewRequest(method, base+"/api/v1/athlete/0/"+path, nil)
				r.SetBasicAuth("API_KEY", w.key)
				res, err := client.Do(r)
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, res.Body)
				return errors.Join(err, res.Body.Close())
			}
			if err := send("GET", "gear"); err != nil { // the connection is now in use
				t.Fatal(err)
			}
			w.do("POST", "/_fake/faults", `[{"method":"DELETE","path":"7001","cut":"before"},{"method":"DELETE","path":"7002","cut":"after"},{"path":"gear","cut":"after"}]`).ok()
			for _, path := range []string{"custom-item/7001", "custom-item/7002"} {
				if err := send("DELETE", path); err == nil {
					t.Errorf("%s was answered", path)
				}
			}
			if err := send("GET", "gear"); err == nil {
				t.Error("a cut GET was repeated unseen")
			}
			if got := w.get("athlete/0/custom-item").ids(); got != "7001 7003" {
				t.Errorf("left %s", got)
			}
		})
	}
}

func TestADelayEndsWithTheRequest(t *testing.T) {
	w := newWorld(t)
	w.do("POST", "/_fake/faults", `[{"path":"gear","delay_ms":60000},{"path":"gear","delay_ms":20}]`).ok()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", "http://fake/api/v1/athlete/0/gear", nil)
	if _, err := w.server.Transport().RoundTrip(r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	start := time.Now()
	w.get("athlete/0/gear")
	if time.Since(start) < 20*time.Millisecond {
		t.Error("it was not slow")
	}
}

func TestAnEmptyListClearsTheFaultsAndABadOneIsRefused(t *testing.T) {
	w := newWorld(t)
	w.do("POST", "/_fake/faults", `[{"path":"gear","status":500,"times":-1}]`).ok()
	for range 3 {
		w.do("GET", "athlete/0/gear", nil).refused(500, "Internal Server Error")
	}
	w.do("POST", "/_fake/faults", `[]`).ok()
	w.get("athlete/0/gear")
	for body, reason := range map[string]string{
		`{}`: "a list", `[{"path":"("}]`: "path", `[{"cut":"between"}]`: "cut", `[{"status":99}]`: "status",
		`[{"sttaus":500}]`: "sttaus", `[null]`: "null", `[{"times":1},{"path":"["}]`: "faults[1]",
	} {
		w.do("POST", "/_fake/faults", body).refused(400, reason)
	}
	w.do("GET", "/_fake/nothing", nil).refused(404, "Not Found")
}

func TestTheRequestsSeenAreToldWithoutCredentials(t *testing.T) {
	w := newWorld(t)
	w.get("athlete/0/gear?x=1&token=key-sample")
	w.do("PUT", "athlete/0/wellness/2026-07-14", `{"steps":1}`).ok()
	w.do("GET", "athlete/0/events/1", nil)
	w.do("POST", "/_fake/faults", `[{"path":"gear","cut":"before"}]`).ok()
	_, _ = w.try("GET", "athlete/0/gear", nil)
	got := w.get("/_fake/requests").body
	want := `[{"method":"GET","path":"/api/v1/athlete/0/gear","query":"x=1\u0026token=***","status":200,"body_size":0},` +
		`{"method":"PUT","path":"/api/v1/athlete/0/wellness/2026-07-14","query":"","status":200,"body_size":11},` +
		`{"method":"GET","path":"/api/v1/athlete/0/events/1","query":"","status":404,"body_size":0},` +
		`{"method":"GET","path":"/api/v1/athlete/0/gear","query":"","status":0,"body_size":0}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.do("DELETE", "/_fake/requests", nil).ok()
	if got := w.get("/_fake/requests").body; got != "[]" {
		t.Error(got)
	}
}

func TestTheLogHoldsNoCredential(t *testing.T) {
	var out printed.Lines
	w := worldOf(t, sampleWorld(t), Options{Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	w.get("athlete/0/gear?key=key-sample")
	if s := out.String(); !strings.Contains(s, "/athlete/0/gear") || strings.Contains(s, "key-sample") {
		t.Error(s)
	}
}
