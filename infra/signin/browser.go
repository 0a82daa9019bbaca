package signin

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// Browser is a person's. It keeps cookies and follows redirects within the
// deployment; where a page sends it elsewhere it stops, so that a test sees
// where.
type Browser struct {
	T       testing.TB
	Origin  string      // of the deployment, such as https://mcp.example
	Headers http.Header // sent with each request
	http    *http.Client
}

// NewBrowser gives a person a browser without cookies. Its way to the network
// is transport's.
func NewBrowser(t testing.TB, origin string, transport http.RoundTripper) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Browser{T: t, Origin: origin, Headers: http.Header{}, http: &http.Client{Jar: jar, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Page is an answer, read to its end.
type Page struct {
	*http.Response
	Body string
}

// Text is what a person reads of it.
func (p Page) Text() string { return textOf(p.Body) }

// Away is where an answer leads: a Location, else "".
func (p Page) Away() string { return p.Header.Get("Location") }

// Send sends one request and follows nothing. A form is sent as browsers do.
func (b *Browser) Send(method, target string, form url.Values) Page {
	b.T.Helper()
	p, err := b.send(method, target, form)
	if err != nil {
		b.T.Fatal(err)
	}
	return p
}

func (b *Browser) send(method, target string, form url.Values) (Page, error) {
	at, err := url.Parse(b.Origin)
	if err != nil {
		return Page{}, err
	}
	if at, err = at.Parse(target); err != nil {
		return Page{}, err
	}
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(b.T.Context(), method, at.String(), body)
	if err != nil {
		return Page{}, err
	}
	r.Header.Set("Accept", "text/html")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.Origin)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, values := range b.Headers {
		r.Header[name] = values
	}
	resp, err := b.http.Do(r)
	if err != nil {
		return Page{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	all, err := io.ReadAll(resp.Body)
	return Page{resp, string(all)}, err
}

// Open goes to an address, and on wherever the deployment's own pages send it.
func (b *Browser) Open(target string) Page {
	b.T.Helper()
	return b.follow(b.Send(http.MethodGet, target, nil))
}

func (b *Browser) follow(p Page) Page {
	b.T.Helper()
	for range 10 {
		to := p.Away()
		if to == "" || p.StatusCode < 300 || p.StatusCode > 399 {
			return p
		}
		next, err := p.Request.URL.Parse(to)
		if err != nil {
			b.T.Fatalf("%s leads to %q: %v", p.Request.URL, to, err)
		}
		if next.Scheme+"://"+next.Host != b.Origin {
			return p
		}
		p = b.Send(http.MethodGet, next.String(), nil)
	}
	b.T.Fatalf("%s leads in a circle", p.Request.URL)
	return p
}

// Submit fills in the form of a page that has an action, and goes on where its
// answer leads. Pairs are fields and what is put in; a field must be there, be
// it an input or a button, and a choice must be one of those offered.
func (b *Browser) Submit(p Page, action string, pairs ...string) Page {
	b.T.Helper()
	filled, err := Fill(p.Body, action, pairs...)
	if err != nil {
		b.T.Fatalf("%s (%d): %v\n%s", p.Request.URL, p.StatusCode, err, p.Text())
	}
	return b.follow(b.Send(http.MethodPost, action, filled))
}

// Want fails unless a page has a status and says these texts.
func (b *Browser) Want(p Page, status int, texts ...string) Page {
	b.T.Helper()
	if p.StatusCode != status {
		b.T.Fatalf("%s %s: %d, want %d: %s", p.Request.Method, p.Request.URL.Path, p.StatusCode, status, p.Text())
	}
	for _, text := range texts {
		if !strings.Contains(p.Text(), text) {
			b.T.Errorf("%s does not say %q: %s", p.Request.URL.Path, text, p.Text())
		}
	}
	return p
}

// SignIn signs in with a key, on the account page.
func (b *Browser) SignIn(key string) *Browser {
	b.T.Helper()
	b.Want(b.Submit(b.Want(b.Open("/account"), http.StatusOK), "/account/signin", "key", key), http.StatusOK, "Connections")
	return b
}

// Consent goes to an authorization request as a person who is asked for a key
// only where nobody is signed in yet, chooses (pairs of form fields) and
// connects. It gives the address that the browser is sent back to.
func (b *Browser) Consent(authorize, key string, choices ...string) string {
	b.T.Helper()
	p := b.Open(authorize)
	if _, err := Fill(p.Body, "/account/signin", "key", key); err == nil {
		p = b.Submit(p, "/account/signin", "key", key)
	}
	b.Want(p, http.StatusOK)
	p = b.Submit(p, "/authorize", append([]string{"decision", "connect"}, choices...)...)
	if p.Away() == "" {
		b.T.Fatalf("consent leads nowhere: %d %s", p.StatusCode, p.Text())
	}
	return p.Away()
}

// Deliver follows an answer to a client's own listener on this machine.
func (b *Browser) Deliver(address string) {
	b.T.Helper()
	resp, err := http.Get(address) //nolint:noctx // bounded by the client's listener
	if err != nil {
		b.T.Fatal(err)
	}
	defer resp.Body.Close()               //nolint:errcheck // it was read
	_, _ = io.Copy(io.Discard, resp.Body) // what the client says to the person
	if resp.StatusCode >= http.StatusBadRequest {
		b.T.Fatalf("the client's own page answers %s", resp.Status)
	}
}

// Cancel is Consent for a person who says no.
func (b *Browser) Cancel(authorize string) string {
	b.T.Helper()
	p := b.Submit(b.Want(b.Open(authorize), http.StatusOK), "/authorize", "decision", "cancel")
	if p.Away() == "" {
		b.T.Fatalf("cancelling leads nowhere: %d %s", p.StatusCode, p.Text())
	}
	return p.Away()
}

// Connections are the ids of those that the account page shows under a
// client's name.
func (b *Browser) Connections(name string) (ids []string) {
	b.T.Helper()
	for _, f := range forms(b.Want(b.Open("/account"), http.StatusOK).Body) {
		id, ok := strings.CutPrefix(f.action, "/account/connections/")
		if ok && strings.HasSuffix(id, "/revoke") && strings.TrimSpace(strings.TrimPrefix(f.text, "Revoke")) == name {
			ids = append(ids, strings.TrimSuffix(id, "/revoke"))
		}
	}
	return ids
}

// Permit changes on the account page what a client's connections may do.
func (b *Browser) Permit(name string, choices ...string) {
	b.T.Helper()
	for _, id := range b.some(name) {
		page := "/account/connections/" + id
		b.Want(b.Submit(b.Open(page), page, choices...), http.StatusOK, "Connections")
	}
}

// Revoke takes a client's connections back on the account page.
func (b *Browser) Revoke(name string) {
	b.T.Helper()
	for _, id := range b.some(name) {
		b.Want(b.Submit(b.Open("/account"), "/account/connections/"+id+"/revoke"), http.StatusOK, "The connection is revoked")
	}
}

func (b *Browser) some(name string) []string {
	b.T.Helper()
	ids := b.Connections(name)
	if len(ids) == 0 {
		b.T.Fatalf("the account page shows no connection of %q: %s", name, b.Open("/account").Text())
	}
	return ids
}
