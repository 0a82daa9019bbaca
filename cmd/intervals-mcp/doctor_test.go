package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
)

// finds runs doctor and wants its exit status and these lines.
func (d *desk) finds(status int, stdin string, args []string, lines ...string) {
	d.t.Helper()
	got, out, errs := d.run(stdin, append([]string{"doctor"}, args...)...)
	if got != status {
		d.t.Errorf("status %d, want %d: %s%s", got, status, out, errs)
	}
	for _, line := range lines {
		state, rest, _ := strings.Cut(line, " ")
		found := false
		for l := range strings.Lines(out) {
			found = found || strings.HasPrefix(l, state) && strings.Contains(l, rest)
		}
		if !found {
			d.t.Errorf("no line %q in\n%s", line, out)
		}
	}
}

func TestDoctorLooksAtEachPartOfADataFolder(t *testing.T) {
	d := newDesk(t)
	d.env["API_KEY"] = riderKey
	d.finds(0, "", nil, "note database", "note data folder", "ok Intervals.icu", "ok clock", "ok accepted: athlete i7001")
	d.ok(coachKey, "users", "add", "--athlete", "i7002")
	if err := os.Chmod(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.finds(0, "", nil, "ok data folder", "ok users: 1, tokens in force: 0", "note token file", "ok key of i7002")
	db := filepath.Join(d.dir, "intervals-mcp.db")
	token := filepath.Join(d.dir, "token")
	for _, c := range []struct {
		what  string
		spoil func() error
		line  string
	}{
		{"a readable database", func() error { return os.Chmod(db, 0o644) }, "WRONG can be read by other users"},
		{"a token file without a token", func() error { return os.WriteFile(token, []byte("x"), 0o600) }, "WRONG holds no token"},
		{"a readable token file", func() error {
			return os.WriteFile(token, []byte(identity.NewToken(identity.KindPersonal).Reveal()), 0o644)
		}, "WRONG can be read by other users"},
		{"a key that was replaced", func() error { d.env["API_KEY"] = "wr0ng-key"; return nil }, "WRONG refused by Intervals.icu"},
		{"no way to Intervals.icu", func() error { d.env["INTERVALS_API_BASE_URL"] = "http://127.0.0.1:1"; return nil }, "WRONG cannot be reached"},
		{"a database that is none", func() error { return os.WriteFile(db, []byte(strings.Repeat("not a database\n", 100)), 0o600) }, "WRONG database"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if err := os.RemoveAll(token); err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(); err != nil {
				t.Fatal(err)
			}
			d.finds(1, "", nil, c.line)
		})
	}
	if v := d.place; len(v) == 2 {
		d.place = []string{"--data", filepath.Join(d.dir, "none")}
		d.env["INTERVALS_API_BASE_URL"] = "http://127.0.0.1:1"
		d.finds(1, "", nil, "note is not there yet")
		if _, err := os.Stat(d.place[1]); err == nil {
			t.Error("doctor makes a folder")
		}
	}
}

func TestDoctorNoticesAClockThatIsWrong(t *testing.T) {
	d := newDesk(t)
	for off, line := range map[time.Duration]string{0: "ok clock", 30 * time.Second: "note 30s off", -time.Hour: "WRONG 1h0m0s off"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusUnauthorized)
		}))
		d.env["INTERVALS_API_BASE_URL"] = srv.URL
		_, out, _ := d.run("", "doctor")
		srv.Close()
		state, rest, _ := strings.Cut(line, " ")
		found := false
		for l := range strings.Lines(out) {
			found = found || strings.HasPrefix(l, state) && strings.Contains(l, "clock") && (rest == "clock" || strings.Contains(l, "off"))
		}
		if !found {
			t.Errorf("no line %q in\n%s", line, out)
		}
	}
}

func TestDoctorChecksAnEndpointFromOutside(t *testing.T) {
	d := newDesk(t)
	d.place = nil
	srv := launch(t, environ(t), "serve", "--demo", "--addr", "127.0.0.1:0")
	url, token := srv.text("url"), srv.text("token")
	d.finds(0, "", []string{"--url", url}, "ok well-known", "ok 401", "note not tried without a token")
	d.finds(0, token+"\n", []string{"--url", url, "--token"}, "ok this token is offered")
	d.env["INTERVALS_MCP_TOKEN"] = token
	d.finds(0, "", []string{"--url", strings.TrimSuffix(url, "/mcp")}, "ok this token is offered")
	d.env["INTERVALS_MCP_TOKEN"] = identity.NewToken(identity.KindPersonal).Reveal()
	d.finds(1, "", []string{"--url", url}, "WRONG wrong, expired or revoked")
	d.env["INTERVALS_MCP_TOKEN"] = "imcp_pat_x"
	d.fails(2, "checksum", "", "doctor", "--url", url)
	if all := d.printed.String(); strings.Contains(all, token) || strings.Contains(all, "imcp_pat_") {
		t.Errorf("a token was printed:\n%s", all)
	}
}

func TestDoctorTellsWhatIsWrongWithAnEndpoint(t *testing.T) {
	d := newDesk(t)
	d.place = nil
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		status int
		line   string
	}{
		"no challenge": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error":"invalid_token"}`)
		}, 0, "note without the challenge"},
		"renamed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Remapped-WWW-Authenticate", "Bearer")
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error":"invalid_token"}`)
		}, 0, "ok renames the challenge"},
		"strict":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, 0, "note StrictGateway"},
		"open to everybody": {func(http.ResponseWriter, *http.Request) {}, 1, "WRONG nobody holds is accepted"},
		"store down":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 1, "WRONG identity store"},
		"another page":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 1, "WRONG gets 404"},
		"a bare 401":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, 1, "WRONG without challenge and reason"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/.well-known/") {
					w.WriteHeader(404)
					fmt.Fprint(w, `{}`)
					return
				}
				c.answer(w, r)
			}))
			defer srv.Close()
			d.finds(c.status, "", []string{"--url", srv.URL + "/mcp"}, c.line, "ok well-known")
		})
	}
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }))
	defer html.Close()
	d.finds(1, "", []string{"--url", html.URL}, "WRONG well-known")
	d.finds(1, "", []string{"--url", "http://127.0.0.1:1/mcp"}, "WRONG cannot be reached")
	d.finds(1, "", []string{"--url", "http://example.com/mcp"}, "WRONG is no https address")
}
