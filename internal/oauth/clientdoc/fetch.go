package clientdoc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bounds of a fetch (auth.md).
const (
	maxBytes  = 5 << 10
	fetchTime = 10 * time.Second
)

// Bounds of how long a document is kept, whatever its server says; usual is
// for one that says nothing.
const (
	minKept   = 5 * time.Minute
	usualKept = time.Hour
	maxKept   = 7 * 24 * time.Hour
)

// FetchError is a document that could not be had. Its text is the same for
// whatever went wrong on the way, so that nobody learns from it what answers
// inside this network; what it wraps is for the log.
type FetchError struct{ cause error }

// Error is for the client's maker.
func (e *FetchError) Error() string { return "the client's metadata document could not be fetched" }

// Unwrap gives what went wrong.
func (e *FetchError) Unwrap() error { return e.cause }

// Options of a Fetcher; all have defaults.
type Options struct {
	Cache    Cache    // default: a small one in memory
	Resolver Resolver // default: the system's
	Now      func() time.Time
}

// Fetcher gets documents. It is safe for concurrent use.
type Fetcher struct {
	client  *http.Client
	cache   Cache
	now     func() time.Time
	timeout time.Duration // tests are less patient
}

// New makes a Fetcher that reaches the public internet only.
func New(o Options) *Fetcher {
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	return newFetcher(o, newGuard(o.Resolver).connect, nil)
}

// NewUnguarded makes a Fetcher that goes wherever dial leads and believes the
// given roots: for tests, whose server is on this machine. A test sees to it
// that no program calls it.
func NewUnguarded(o Options, dial func(ctx context.Context, network, address string) (net.Conn, error), roots *x509.CertPool) *Fetcher {
	return newFetcher(o, dial, roots)
}

func newFetcher(o Options, dial func(context.Context, string, string) (net.Conn, error), roots *x509.CertPool) *Fetcher {
	if o.Cache == nil {
		o.Cache = &Memory{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Fetcher{cache: o.Cache, now: o.Now, timeout: fetchTime, client: &http.Client{
		// Without Proxy: a proxy would resolve the name by itself.
		Transport: &http.Transport{
			DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 16 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Get gives the document of a client id: an *InvalidError for a document that
// breaks the rules, a *FetchError when there is none to be had.
func (f *Fetcher) Get(ctx context.Context, id string) (Document, error) {
	if err := CheckID(id); err != nil {
		return Document{}, invalid(err.Error())
	}
	now := f.now()
	if d, until, ok := f.cache.Get(ctx, id); ok && now.Before(until) {
		return d, nil
	}
	body, header, err := f.fetch(ctx, id)
	if err != nil {
		return Document{}, &FetchError{err}
	}
	d, err := ParseDocument(id, body)
	if err != nil {
		return Document{}, err
	}
	f.cache.Put(ctx, id, d, now.Add(lifetime(header, now)))
	return d, nil
}

func (f *Fetcher) fetch(ctx context.Context, id string) ([]byte, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "intervals-mcp (client ID metadata document)")
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	switch {
	case resp.StatusCode != http.StatusOK: // a redirect is none
		return nil, nil, errors.New("status " + strconv.Itoa(resp.StatusCode))
	case resp.ContentLength > maxBytes:
		return nil, nil, errLong
	case !isJSON(resp.Header.Get("Content-Type")) || resp.Header.Get("Content-Encoding") != "":
		return nil, nil, errors.New("no plain JSON")
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	if err == nil && len(body) > maxBytes {
		err = errLong
	}
	return body, resp.Header, err
}

var errLong = errors.New("longer than 5 KB")

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// lifetime is how long an answer may be kept (RFC 9111 4.2.1, 5.2), within our
// own bounds: a server that forbids keeping it must not make us fetch it for
// every request, and a mended document must be seen within a week.
func lifetime(h http.Header, now time.Time) time.Duration {
	kept := usualKept
	control := strings.ToLower(strings.Join(h.Values("Cache-Control"), ","))
	maxAge, hasMaxAge := directive(control, "max-age")
	switch expires := h.Get("Expires"); {
	case strings.Contains(control, "no-store"), strings.Contains(control, "no-cache"):
		kept = 0
	case hasMaxAge:
		kept = maxAge - seconds(h.Get("Age"))
	case expires != "":
		at, err := http.ParseTime(expires)
		kept = at.Sub(now)
		if err != nil { // RFC 9111 5.3: a date that cannot be read is past
			kept = 0
		}
	}
	return min(max(kept, minKept), maxKept)
}

func directive(control, name string) (time.Duration, bool) {
	for part := range strings.SplitSeq(control, ",") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(part), name+"="); ok {
			return seconds(strings.Trim(v, `"`)), true
		}
	}
	return 0, false
}

// seconds reads a number of seconds; what is none is 0, and what is huge is a
// year.
func seconds(s string) time.Duration {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return time.Duration(min(n, 365*24*3600)) * time.Second
}
