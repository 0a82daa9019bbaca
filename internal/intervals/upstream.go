package intervals

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"intervals-mcp/internal/secrets"
)

// DefaultBaseURL is the live platform.
const DefaultBaseURL = "https://intervals.icu/api/v1"

// Options says how to reach Intervals.icu. The zero value is the live
// platform with sensible limits.
type Options struct {
	BaseURL   string            // default DefaultBaseURL; no credentials, query or fragment in it
	Transport http.RoundTripper // default: keep-alive, gzip
	UserAgent string            // own name; default agents have been blocked (API.md 1.1)
	MaxBody   int64             // bytes of a decoded body, default 48 MiB
	Timeout   time.Duration     // for one attempt, default 30 s
	// Rate and Burst bound the requests per second of this process; the
	// platform's limit is 10/s per address with a short burst (API.md 1.7).
	// Rate < 0 means no limit; default 8 and 24, none for a loopback upstream.
	Rate  float64
	Burst int
	// PrivateHTTP allows http:// to a private address. It is for sam local, whose
	// containers reach the fake on their own machine by a bridge's address.
	PrivateHTTP bool
	// Observe is called after every attempt, for logs and metrics.
	Observe func(context.Context, Attempt)
	// Sleep and Jitter are replaced in tests.
	Sleep  func(context.Context, time.Duration) error
	Jitter func() float64 // in [0, 1)
}

// Attempt describes one HTTP exchange, without anything private.
type Attempt struct {
	Op       string
	Method   string
	Status   int // 0 when there was no answer
	Bytes    int
	Duration time.Duration
}

// Upstream is what one process shares of the way to Intervals.icu. It is safe
// for concurrent use.
type Upstream struct {
	base    string
	http    *http.Client
	limiter *rate.Limiter
	o       Options
}

// New checks the options and makes an Upstream.
func New(o Options) (*Upstream, error) {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		return nil, fmt.Errorf("base URL of Intervals.icu: want http(s)://host/path")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("base URL of Intervals.icu: must hold no credentials, query or fragment")
	}
	if base.Scheme == "http" && !Loopback(o.BaseURL) && !(o.PrivateHTTP && privateHost(base.Hostname())) {
		return nil, fmt.Errorf("base URL of Intervals.icu: plain http is allowed for a loopback address only, since the key travels with each request")
	}
	if o.Rate == 0 && Loopback(o.BaseURL) {
		o.Rate = -1
	}
	setDefaults(&o)
	u := &Upstream{base: strings.TrimRight(o.BaseURL, "/"), o: o, http: &http.Client{
		Transport: o.Transport,
		// A redirect would carry the credential to another place.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if o.Rate > 0 {
		u.limiter = rate.NewLimiter(rate.Limit(o.Rate), o.Burst)
	}
	return u, nil
}

func setDefaults(o *Options) {
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 64, 32
		t.ResponseHeaderTimeout = 0 // the attempt's own deadline covers it
		o.Transport = t
	}
	if o.UserAgent == "" {
		o.UserAgent = "intervals-mcp"
	}
	if o.MaxBody == 0 {
		o.MaxBody = 48 << 20
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Rate == 0 {
		o.Rate = 8
	}
	if o.Burst == 0 {
		o.Burst = 24
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Loopback reports whether a URL's host is this machine.
func Loopback(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// privateHost reports whether a host is on this machine's own networks.
func privateHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "host.docker.internal" || ip != nil && (ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// Client binds the upstream to one person's credential.
func (u *Upstream) Client(c secrets.Credential) *Client { return &Client{up: u, cred: c} }

// Client reads from Intervals.icu with one person's credential. Athlete id "0"
// means whose credential it is (API.md 1.3). It is safe for concurrent use.
type Client struct {
	up   *Upstream
	cred secrets.Credential
}

// secretValues are the forms in which the credential could stand in a text.
func (c *Client) secretValues() []string {
	var out []string
	for _, s := range []secrets.Secret{c.cred.APIKey, c.cred.Bearer} {
		if v := s.Reveal(); len(v) >= 4 {
			out = append(out, v, base64.StdEncoding.EncodeToString([]byte("API_KEY:"+v)))
		}
	}
	return out
}

// Mentions reports whether the credential stands in b.
func (c *Client) Mentions(b []byte) bool {
	for _, v := range c.secretValues() {
		if bytes.Contains(b, []byte(v)) {
			return true
		}
	}
	return false
}

// Scrub replaces the credential wherever it stands in b, so that what is kept
// of a change holds no key whatever upstream or a caller put into a text.
func (c *Client) Scrub(b []byte) []byte {
	for _, v := range c.secretValues() {
		b = bytes.ReplaceAll(b, []byte(v), []byte("[redacted]"))
	}
	return b
}

// call is one request; segments are path parts below the base, each escaped.
type call struct {
	op       string
	method   string
	segments []string
	query    url.Values
	body     any
	cap      int64 // of the answer, 0 = Options.MaxBody
}

const retries = 2 // attempts after the first, GET only

// do sends a call and returns the body of a 2xx answer.
func (c *Client) do(ctx context.Context, r call) ([]byte, error) {
	if c.cred.IsZero() {
		return nil, &Error{Op: r.op, Kind: Unauthorized, Reason: "no Intervals.icu key is set"}
	}
	var payload []byte
	if r.body != nil {
		var err error
		if payload, err = json.Marshal(r.body); err != nil {
			return nil, &Error{Op: r.op, Kind: BadArgument, Reason: "the body cannot be written as JSON"}
		}
	}
	for attempt := 0; ; attempt++ {
		body, err := c.once(ctx, r, payload)
		if err == nil {
			return body, nil
		}
		wait, again := c.retry(r, err, attempt)
		if !again {
			return nil, err
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return nil, err // waiting would only turn a clear error into a time-out
		}
		if c.up.o.Sleep(ctx, wait) != nil {
			return nil, err
		}
	}
}

// retry decides whether a failed GET is worth another attempt, and when.
func (c *Client) retry(r call, err *Error, attempt int) (time.Duration, bool) {
	if r.method != http.MethodGet || attempt >= retries {
		return 0, false
	}
	switch err.Kind {
	case RateLimited, Unavailable, Network:
	default:
		return 0, false
	}
	if err.RetryAfter > 0 {
		return err.RetryAfter, err.RetryAfter <= 15*time.Second
	}
	base := 150 * time.Millisecond << attempt
	return base/2 + time.Duration(c.up.o.Jitter()*float64(base)), true
}

func (c *Client) once(ctx context.Context, r call, payload []byte) ([]byte, *Error) {
	if c.up.limiter != nil {
		if err := c.up.limiter.Wait(ctx); err != nil {
			e := &Error{Op: r.op, Kind: RateLimited, Reason: "too many requests at once from this server"}
			if ctx.Err() != nil {
				e = transportError(ctx, r.op, ctx.Err())
			}
			return nil, e
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.up.o.Timeout)
	defer cancel()
	req, err := c.request(ctx, r, payload)
	if err != nil {
		return nil, &Error{Op: r.op, Kind: BadArgument, Reason: "the request cannot be built"}
	}
	start := time.Now()
	note := Attempt{Op: r.op, Method: r.method}
	if c.up.o.Observe != nil {
		defer func() {
			note.Duration = time.Since(start)
			c.up.o.Observe(ctx, note)
		}()
	}
	resp, err := c.up.http.Do(req)
	if err != nil {
		e := transportError(ctx, r.op, err)
		e.MaybeApplied = r.method != http.MethodGet
		return nil, e
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is lost when closing a body that was read fails
	note.Status = resp.StatusCode
	limit := r.cap
	if limit == 0 {
		limit = c.up.o.MaxBody
	}
	body, err := readAll(resp, limit)
	note.Bytes = len(body)
	switch {
	case err != nil:
		e := transportError(ctx, r.op, err)
		e.Status, e.MaybeApplied = resp.StatusCode, r.method != http.MethodGet
		return nil, e
	case int64(len(body)) > limit:
		return nil, &Error{Op: r.op, Kind: TooLarge, Status: resp.StatusCode, MaybeApplied: r.method != http.MethodGet,
			Reason: fmt.Sprintf("the answer is over %d MB", limit>>20)}
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, c.refusal(r, resp, body)
	}
	return body, nil
}

func (c *Client) request(ctx context.Context, r call, payload []byte) (*http.Request, error) {
	var b strings.Builder
	b.WriteString(c.up.base)
	for _, s := range r.segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	if len(r.query) > 0 {
		b.WriteByte('?')
		b.WriteString(r.query.Encode())
	}
	var reader io.Reader
	if payload != nil {
		reader = bytes.NewReader(payload)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, b.String(), reader)
	if err != nil {
		return nil, err
	}
	if r.method != http.MethodGet {
		req.GetBody = nil // net/http must not send a write twice by itself
	}
	req.Header.Set("User-Agent", c.up.o.UserAgent)
	req.Header.Set("Accept", "application/json")
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.cred.Bearer.IsZero() {
		req.SetBasicAuth("API_KEY", c.cred.APIKey.Reveal())
	} else {
		req.Header.Set("Authorization", "Bearer "+c.cred.Bearer.Reveal())
	}
	return req, nil
}

func (c *Client) refusal(r call, resp *http.Response, body []byte) *Error {
	auth := resp.Request.Header.Get("Authorization")
	_, encoded, _ := strings.Cut(auth, " ")
	reason := reasonOf(body, c.cred.APIKey.Reveal(), c.cred.Bearer.Reveal(), encoded)
	e := &Error{Op: r.op, Kind: kindOfStatus(resp.StatusCode, reason), Status: resp.StatusCode, Reason: reason,
		MaybeApplied: r.method != http.MethodGet && resp.StatusCode >= 500}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.Kind, e.Reason = BadBody, "the answer is a redirect, which is not followed"
	}
	if s := resp.Header.Get("Retry-After"); s != "" {
		if sec, err := strconv.Atoi(s); err == nil && sec >= 0 && sec < 86400 {
			e.RetryAfter = time.Duration(sec) * time.Second
		} else if at, err := http.ParseTime(s); err == nil {
			e.RetryAfter = max(time.Until(at), 0)
		}
	}
	return e
}

// readAll reads at most limit+1 bytes, in one allocation where the length is
// known.
func readAll(resp *http.Response, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= limit {
		buf.Grow(int(n) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(io.LimitReader(resp.Body, limit+1))
	return buf.Bytes(), err
}
