package signin

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// requestID is what an error page tells the person for the operator.
var requestID = regexp.MustCompile(`request [0-9a-f]+`)

// inside is a service of the deployment's own network that would give out a
// document, over https, and counts who asks.
func inside(t *testing.T) (port string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(document("https://"+r.Host+r.URL.Path, "Inside", none, claudeBack)))
	}))
	s.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { asked.Add(1); return nil, nil }}
	s.StartTLS()
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port(), asked
}

// The guard's own rules (which addresses, rebinding, the check at connect time)
// are tested in clientdoc; here a deployment is asked, as a stranger would.
func TestAttack_ADocumentsAddressReachesNothingInside(t *testing.T) {
	w := newTown(t, guarded)
	port, asked := inside(t)
	b := w.browser().SignIn(w.Key)
	bodies := map[string]bool{}
	for name, host := range map[string]string{"loopback": "127.0.0.1", "another loopback": "127.8.8.8", "localhost": "localhost", "a name below localhost": "x.localhost",
		"IPv6": "[::1]", "IPv6-mapped": "[::ffff:127.0.0.1]", "IPv6-mapped in hexadecimal": "[::ffff:7f00:1]", "NAT64": "[64:ff9b::7f00:1]", "6to4": "[2002:7f00:1::]",
		"decimal": "2130706433", "hexadecimal": "0x7f000001", "octal": "0177.0.0.1", "short": "127.1", "nothing": "0.0.0.0",
		"the metadata service": "169.254.169.254", "its name in IPv6": "[fd00:ec2::254]", "a private network": "10.0.0.1", "shared": "100.64.0.1"} {
		p := w.client("https://"+host+":"+port+"/latest/meta-data", claudeBack)
		got := b.Send("GET", p.ask(), nil)
		if got.StatusCode < 400 || got.Away() != "" {
			t.Errorf("%s: %d, led to %q", name, got.StatusCode, got.Away())
		}
		if strings.Contains(got.Body, host+":") || strings.Contains(got.Body, "refused") || strings.Contains(got.Body, "certificate") {
			t.Errorf("%s: the page tells what is there: %s", name, got.Text())
		}
		bodies[requestID.ReplaceAllString(got.Text(), "")] = true
		// At /token a document is not fetched at all.
		if got := p.redeem("imcp_ac_x"); got.status != http.StatusBadRequest && got.status != http.StatusUnauthorized {
			t.Errorf("%s at /token: %d", name, got.status)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the service inside was reached %d times", n)
	}
	if len(bodies) > 2 { // an address that cannot be one, and one that cannot be had
		t.Errorf("%d different pages tell what is inside: %v", len(bodies), bodies)
	}
}

func TestAttack_ADocumentMustBeWhatItsAddressSays(t *testing.T) {
	w := newTown(t)
	const at = "https://stranger.example/"
	serve := func(path string, page http.HandlerFunc) {
		w.docs.mu.Lock()
		defer w.docs.mu.Unlock()
		w.docs.pages[at+path] = page
	}
	w.docs.publish(at+"good", document(at+"good", "Good", none, claudeBack))
	w.docs.publish(at+"id", document(at+"good", "Mismatched id", none, claudeBack))
	w.docs.publish(at+"case", document("https://Stranger.example/case", "Case of the id", none, claudeBack))
	w.docs.publish(at+"nojson", "<html>")
	w.docs.publish(at+"secret", document(at+"secret", "Only a secret", `"token_endpoint_auth_method":"client_secret_basic",`, claudeBack))
	serve("moved", func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, at+"good", http.StatusFound) })
	serve("inside", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect)
	})
	serve("long", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write([]byte(document(at+"long", strings.Repeat("x", 6<<20), none, claudeBack)))
	})
	serve("page", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = rw.Write([]byte(document(at+"page", "Of another kind", none, claudeBack)))
	})
	b := w.browser().SignIn(w.Key)
	b.Want(b.Open(w.client(at+"good", claudeBack).ask()), http.StatusOK, "Good")
	before := w.docs.fetched(at + "good")
	for _, path := range []string{"id", "case", "nojson", "secret", "moved", "inside", "long", "page", "missing"} {
		got := b.Send("GET", w.client(at+path, claudeBack).ask(), nil)
		if got.StatusCode < 400 || got.Away() != "" {
			t.Errorf("%s: %d, led to %q", path, got.StatusCode, got.Away())
		}
	}
	if w.docs.fetched(at+"good") != before {
		t.Error("a redirect was followed")
	}
}
