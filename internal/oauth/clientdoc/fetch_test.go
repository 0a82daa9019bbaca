package clientdoc

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const clientID = "https://example.com/oauth/client.json" // the test server's certificate names it

func document(id string) string {
	return `{"client_id":"` + id + `","client_name":"Claude","redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"token_endpoint_auth_method":"none"}`
}

// web is the internet of a test: one https server that answers every name.
type web struct {
	*Fetcher
	now    time.Time
	served atomic.Int32
}

func newWeb(t *testing.T, answer http.HandlerFunc) *web {
	t.Helper()
	w := &web{now: start}
	s := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.served.Add(1)
		answer(rw, r)
	}))
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	w.Fetcher = NewUnguarded(Options{Now: func() time.Time { return w.now }}, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}, roots)
	return w
}

func says(body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		_, _ = w.Write([]byte(body))
	}
}

func TestCIMD_ADocumentIsFetchedOverHttps(t *testing.T) {
	w := newWeb(t, says(document(clientID)))
	d, err := w.Get(t.Context(), clientID)
	if err != nil || d.ID != clientID || d.Name != "Claude" || !slices.Equal(d.Redirects, []string{"https://claude.ai/api/mcp/auth_callback"}) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestCIMD_WhatCannotBeFetchedIsTheSameErrorForAll(t *testing.T) {
	text := ""
	for name, answer := range map[string]http.HandlerFunc{
		"not found":    http.NotFound,
		"server error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("the redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		},
		"redirect to metadata": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
		},
		"not modified": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) },
		"html":         says("<html>", "Content-Type", "text/html"),
		"no type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = w.Write([]byte("{}"))
		},
		"packed":            says(document(clientID), "Content-Encoding", "gzip"),
		"5 KB and one byte": says(strings.TrimSuffix(document(clientID), "}") + strings.Repeat(" ", 5<<10-len(document(clientID))) + " }"),
		"6 MB, said": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "6291456")
		},
		"6 MB, streamed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 6 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
			t.Error("all of it was read")
		},
		"huge header": says(document(clientID), "X-Huge", strings.Repeat("x", 32<<10)),
		"broken off":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWeb(t, answer)
			_, err := w.Get(t.Context(), clientID)
			var failed *FetchError
			if !errors.As(err, &failed) {
				t.Fatalf("%v", err)
			}
			if text == "" {
				text = err.Error()
			}
			if err.Error() != text || strings.Contains(text, "example") {
				t.Errorf("tells %q", err)
			}
		})
	}
}

func TestCIMD_AServerThatKeepsUsWaitingIsGivenUp(t *testing.T) {
	if fetchTime != 10*time.Second || maxBytes != 5*1024 {
		t.Error("auth.md says 5 KB and 10 s")
	}
	left := make(chan struct{})
	w := newWeb(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done(); close(left) })
	w.timeout = 20 * time.Millisecond
	if _, err := w.Get(t.Context(), clientID); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	<-left
}

func TestCIMD_AForeignCertificateIsRefused(t *testing.T) {
	w := newWeb(t, says(document(clientID)))
	if _, err := w.Get(t.Context(), "https://other.test/client.json"); err == nil {
		t.Error("the certificate names another host")
	}
	w.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = x509.NewCertPool()
	if _, err := w.Get(t.Context(), clientID); err == nil {
		t.Error("an unknown authority was believed")
	}
}

func TestCIMD_NoProxyOfTheEnvironmentIsAsked(t *testing.T) {
	if f := New(Options{}); f.client.Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy would resolve the name by itself")
	}
}

func TestCIMD_ADocumentIsKeptAsItsHeadersSayWithinBounds(t *testing.T) {
	for name, c := range map[string]struct {
		headers []string
		want    time.Duration
	}{
		"nothing":            {nil, time.Hour},
		"max-age":            {[]string{"Cache-Control", "public, max-age=7200"}, 2 * time.Hour},
		"max-age, older":     {[]string{"Cache-Control", "max-age=7200", "Age", "3600"}, time.Hour},
		"short":              {[]string{"Cache-Control", "max-age=1"}, 5 * time.Minute},
		"no-store":           {[]string{"Cache-Control", "no-store"}, 5 * time.Minute},
		"no-cache beats age": {[]string{"Cache-Control", "No-Cache, max-age=86400"}, 5 * time.Minute},
		"a year":             {[]string{"Cache-Control", "max-age=31536000"}, 7 * 24 * time.Hour},
		"overflow":           {[]string{"Cache-Control", "max-age=99999999999999999999999"}, 7 * 24 * time.Hour},
		"nonsense":           {[]string{"Cache-Control", "max-age=-1"}, 5 * time.Minute},
		"expires":            {[]string{"Expires", start.Add(3 * time.Hour).Format(http.TimeFormat)}, 3 * time.Hour},
		"expires: 0":         {[]string{"Expires", "0"}, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWeb(t, says(document(clientID), c.headers...))
			for _, step := range []struct {
				after  time.Duration
				served int32
			}{{0, 1}, {c.want - time.Second, 1}, {c.want, 2}} {
				w.now = start.Add(step.after)
				if _, err := w.Get(t.Context(), clientID); err != nil || w.served.Load() != step.served {
					t.Errorf("after %s: fetched %d times, want %d (%v)", step.after, w.served.Load(), step.served, err)
				}
			}
		})
	}
}

func TestCIMD_AFailureIsNotKept(t *testing.T) {
	broken := true
	w := newWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		if broken {
			http.NotFound(rw, r)
			return
		}
		says(document(clientID))(rw, r)
	})
	if _, err := w.Get(t.Context(), clientID); err == nil {
		t.Error("no error")
	}
	broken = false
	if _, err := w.Get(t.Context(), clientID); err != nil {
		t.Error(err)
	}
}

func TestTheMemoryOfDocumentsIsBounded(t *testing.T) {
	m := &Memory{}
	for i := range maxKeptDocuments + 50 {
		m.Put(t.Context(), fmt.Sprint(i), Document{}, start.Add(time.Duration(i)))
	}
	if _, _, ok := m.Get(t.Context(), "0"); ok || len(m.kept) != maxKeptDocuments {
		t.Errorf("%d kept", len(m.kept))
	}
	if _, _, ok := m.Get(t.Context(), fmt.Sprint(maxKeptDocuments+49)); !ok {
		t.Error("the newest is gone")
	}
}

// The way around the guard is for tests: no program may be built with it.
func TestNoProgramFetchesUnguarded(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "clientdoc/fetch.go") {
			return nil
		}
		body, err := os.ReadFile(path)
		if seen++; strings.Contains(string(body), "NewUnguarded") {
			t.Errorf("%s uses NewUnguarded", path)
		}
		return err
	})
	if err != nil || seen < 50 {
		t.Errorf("looked at %d files: %v", seen, err)
	}
}
