package pages_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/oauth/pages/pagestest"
)

func TestThePolicyIsExact(t *testing.T) {
	const head, tail = "default-src 'none'; style-src 'self'; img-src 'self'; ", "; frame-ancestors 'none'; base-uri 'none'"
	for _, c := range []struct {
		name, returnTo, want string
		script               bool
	}{
		{"a page", "", head + "form-action 'self'" + tail, false},
		{"a page with copy buttons", "", head + "script-src 'self'; form-action 'self'" + tail, true},
		{"a web client", "https://App.example.com:8443/cb?x=1", head + "form-action 'self' https://app.example.com:8443" + tail, false},
		{"a program on this computer", "http://127.0.0.1:33418/callback", head + "form-action 'self' http://127.0.0.1:33418" + tail, false},
		{"IPv6 loopback", "http://[::1]:33418/callback", head + "form-action 'self' http://[::1]:33418" + tail, false},
		{"a scheme of its own", "cursor://anysphere.cursor-mcp/oauth/callback", head + "form-action 'self' cursor:" + tail, false},
		{"Claude, which goes on to its app", "https://claude.ai/api/mcp/auth_callback", head + "form-action 'self' https://claude.ai https://claude.com claude:" + tail, false},
		{"ChatGPT", "https://chatgpt.com/connector/oauth/abc", head + "form-action 'self' https://chatgpt.com https://platform.openai.com" + tail, false},
		{"a look-alike", "https://claude.ai.evil.example/cb", head + "form-action 'self' https://claude.ai.evil.example" + tail, false},
		{"user information", "https://claude.ai@evil.example/cb", head + "form-action 'self' https://evil.example" + tail, false},
		{"a wildcard", "https://*/cb", head + "form-action 'self'" + tail, false},
		{"a second directive", "https://x;script-src 'unsafe-inline'/cb", head + "form-action 'self'" + tail, false},
		{"a second source", "https://x,y/cb", head + "form-action 'self'" + tail, false},
		{"script", "javascript:alert(1)", head + "form-action 'self'" + tail, false},
		{"data", "data:text/html,x", head + "form-action 'self'" + tail, false},
		{"no scheme", "//evil.example", head + "form-action 'self'" + tail, false},
		{"a line break", "https://x\r\nSet-Cookie: a=b/", head + "form-action 'self'" + tail, false},
	} {
		if got := pages.Policy(c.script, c.returnTo); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestEveryPageHasItsHeaders(t *testing.T) {
	for _, s := range pagestest.Samples(origin) {
		h := render(t, s).Header()
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "max-age=31536000", "Content-Type": "text/html; charset=utf-8",
			"Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", s.Name, name, got, want)
			}
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; ") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
			t.Errorf("%s: %s", s.Name, csp)
		}
	}
}

func TestOnlyPagesWithCopyButtonsMayRunTheScript(t *testing.T) {
	for _, s := range pagestest.Samples(origin) {
		w := render(t, s)
		has := strings.Contains(w.Body.String(), "<script ")
		may := strings.Contains(w.Header().Get("Content-Security-Policy"), "script-src")
		if copies := strings.Contains(w.Body.String(), "data-copy="); has != may || (copies && !may) {
			t.Errorf("%s: copy buttons %v, script %v, allowed %v", s.Name, copies, has, may)
		}
	}
}

func TestOnPlainHTTPThereIsNoHSTS(t *testing.T) {
	for _, s := range pagestest.Samples("http://127.0.0.1:8765") {
		if h := render(t, s).Header().Get("Strict-Transport-Security"); h != "" {
			t.Errorf("%s: %q", s.Name, h)
		}
	}
}

// A client may wait behind a popup: its callback page speaks to the opener.
func TestAPageOfAClientsRequestKeepsTheOpener(t *testing.T) {
	for _, c := range []struct {
		page pages.Page
		want string
	}{
		{&pages.Consent{}, ""}, {&pages.SignIn{Client: &pages.Client{}}, ""}, {&pages.Failure{}, ""},
		{&pages.SignIn{}, "same-origin"}, {&pages.Landing{}, "same-origin"}, {&pages.Tokens{}, "same-origin"}, {&pages.Change{}, "same-origin"},
	} {
		if got := render(t, pagestest.Sample{Status: 200, Page: c.page}).Header().Get("Cross-Origin-Opener-Policy"); got != c.want {
			t.Errorf("%T: %q, want %q", c.page, got, c.want)
		}
	}
}

func TestAFailureHasTheStatusOfItsKind(t *testing.T) {
	for kind, want := range map[pages.FailureKind]int{pages.BadRequest: 400, pages.FormExpired: 403, pages.BadReturn: 400, pages.Forbidden: 403, pages.NotFound: 404,
		pages.ChangeGone: 404, pages.WrongMethod: 405, pages.TooLarge: 413, pages.Throttled: 429, pages.Internal: 500, pages.Unavailable: 503, pages.Upstream: 503, "another": 500} {
		w := httptest.NewRecorder()
		if err := set.Fail(w, &pages.Failure{Kind: kind}); err != nil || w.Code != want {
			t.Errorf("%s: status %d, %v, want %d", kind, w.Code, err, want)
		}
	}
}

type broken struct{ http.ResponseWriter }

func (broken) Write([]byte) (int, error) { return 0, errors.New("the browser has gone") }

func TestABrowserThatHasGoneIsReported(t *testing.T) {
	if err := set.Render(broken{httptest.NewRecorder()}, 200, &pages.Deleted{}); err == nil {
		t.Error("no error")
	}
}

func TestAssetsAreNamedByTheirContentAndKeptForEver(t *testing.T) {
	page := render(t, pagestest.Sample{Status: 200, Page: &pages.Landing{}}).Body.String()
	found := regexp.MustCompile(`/assets/[a-z]+-[0-9a-f]{12}\.(css|js|svg)`).FindAllString(page, -1)
	if len(found) != 3 {
		t.Fatalf("the page names %v", found)
	}
	for _, path := range found {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := asset(method, path)
			h := w.Header()
			if w.Code != 200 || h.Get("Cache-Control") != "public, max-age=31536000, immutable" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Type") == "" {
				t.Errorf("%s %s: %d %v", method, path, w.Code, h)
			}
			if (w.Body.Len() > 0) != (method == http.MethodGet) {
				t.Errorf("%s %s: %d bytes", method, path, w.Body.Len())
			}
		}
		if w := asset(http.MethodPost, path); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/assets/", "/assets/style.css", "/assets/style-000000000000.css", "/assets/../set.go", "/assets/copy-0.js"} {
		if w := asset(http.MethodGet, path); w.Code != 404 || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Cache-Control"))
		}
	}
}

func asset(method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path = path
	set.Assets().ServeHTTP(w, r)
	return w
}
