package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// TokenVariable is the environment variable from which doctor takes a token.
const TokenVariable = "INTERVALS_MCP_TOKEN"

func doctorFlags(c *command) {
	c.fs.StringVar(&c.opt.url, "url", "", "")
	c.fs.BoolVar(&c.opt.token, "token", false, "")
}

// doctor checks each part and says what to do.
func doctor(ctx context.Context, c *command) error {
	if c.opt.url != "" && (c.stack != "" || c.data != "") {
		return misuse("doctor: --url stands alone; --stack checks its own URL")
	}
	if c.opt.token && c.opt.url == "" && c.stack == "" {
		return misuse("doctor: --token belongs to --url or --stack")
	}
	token, err := c.doctorToken(ctx)
	if err != nil {
		return err
	}
	r := &Report{out: c.Stdout}
	if c.json {
		r.out = nil
	}
	if c.opt.url != "" {
		c.checkEndpoint(ctx, r, c.opt.url, token)
	} else {
		c.checkStores(ctx, r, token)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.json {
		if err := c.writeJSON(map[string]any{"ok": r.wrong() == 0, "findings": r.findings}); err != nil {
			return err
		}
	}
	if n := r.wrong(); n > 0 {
		return fmt.Errorf("%s of %d found wrong", count(n, "part", "parts"), len(r.findings))
	}
	return nil
}

func (c *command) doctorToken(ctx context.Context) (secrets.Secret, error) {
	var token secrets.Secret
	switch {
	case c.opt.url == "" && c.stack == "":
		return token, nil
	case !c.opt.token:
		token = secrets.New(strings.TrimSpace(c.Getenv(TokenVariable)))
	default:
		var err error
		if token, err = c.secret(ctx, "the token", "Token (it is not shown): "); err != nil {
			return token, err
		}
	}
	if token.IsZero() {
		return token, nil
	}
	if _, err := identity.KindOf(token.Reveal()); err != nil {
		return token, misuse("this is no token of intervals-mcp, or not all of it: its checksum is wrong; copy it again")
	}
	return token, nil
}

// checkStores checks a data folder or a stack, and the way to Intervals.icu.
func (c *command) checkStores(ctx context.Context, r *Report, token secrets.Secret) {
	if err := c.open(ctx, true); err != nil {
		part, remedy := "data folder", "name another with --data"
		if c.stack != "" {
			part, remedy = "stack", ""
		}
		r.Wrong(part, remedy, "%v", err)
		return
	}
	if c.stores.Close != nil {
		defer c.stores.Close() //nolint:errcheck // nothing was written
	}
	readable := c.stores.Check(ctx, r)
	up, err := c.upstream()
	if err != nil {
		r.Wrong("Intervals.icu", "mend or unset INTERVALS_API_BASE_URL", "%v", err)
	} else if c.checkUpstream(ctx, r) {
		if c.stack == "" {
			c.checkOwnKey(ctx, r, up)
		}
		if readable {
			c.checkKeys(ctx, r, up)
		}
	}
	switch {
	case c.stack == "":
		c.checkPort(ctx, r)
	case c.stores.URL != "":
		c.checkEndpoint(ctx, r, c.stores.URL, token)
	}
}

// client is for requests of doctor's own.
func (c *command) client() *http.Client {
	return &http.Client{Timeout: 15 * time.Second, Transport: c.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// checkUpstream asks Intervals.icu without a key: any answer shows the way, and
// its Date this machine's clock.
func (c *command) checkUpstream(ctx context.Context, r *Report) bool {
	base := c.Getenv("INTERVALS_API_BASE_URL")
	if base == "" {
		base = intervals.DefaultBaseURL
	}
	start := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/athlete/0", nil)
	if err == nil {
		req.Header.Set("User-Agent", c.UserAgent)
		var resp *http.Response
		if resp, err = c.client().Do(req); err == nil {
			_ = resp.Body.Close() // only its header counts
			if resp.StatusCode >= 500 {
				r.Wrong("Intervals.icu", "try again later; see https://intervals.icu", "answers %s", resp.Status)
				return false
			}
			r.OK("Intervals.icu", "answers in %d ms", time.Since(start).Milliseconds())
			c.checkClock(r, resp.Header.Get("Date"))
			return true
		}
	}
	r.Wrong("Intervals.icu", "check network, proxy (HTTPS_PROXY) and firewall", "cannot be reached: %v", innermost(err))
	return false
}

func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// checkClock compares this machine's clock with a server's.
func (c *command) checkClock(r *Report, date string) {
	theirs, err := http.ParseTime(date)
	if err != nil || r.has("clock") {
		return
	}
	off := c.Now().Sub(theirs).Round(time.Second)
	switch {
	case off.Abs() > 2*time.Minute:
		r.Wrong("clock", "set the time from the network (AWS refuses a clock that is 5 minutes off, and tokens expire at the wrong time)", "%s off", off.Abs())
	case off.Abs() > 5*time.Second:
		r.Note("clock", "set the time from the network", "%s off", off.Abs())
	default:
		r.OK("clock", "right")
	}
}

// checkOwnKey checks the key that serve and stdio take from the environment.
func (c *command) checkOwnKey(ctx context.Context, r *Report, up *intervals.Upstream) {
	key := strings.TrimSpace(c.Getenv("API_KEY"))
	if key == "" {
		r.Note("API_KEY", "for your own data set API_KEY (Intervals.icu: Settings, Developer Settings)", "is not set here: without it serve and stdio answer for the demo athlete")
		return
	}
	a, err := owner(ctx, up, secrets.Credential{APIKey: secrets.New(key)})
	if err != nil {
		r.Wrong("API_KEY", "copy the key again from Settings, Developer Settings", "%v", err)
		return
	}
	if want := c.Getenv("ATHLETE_ID"); want != "" && !strings.EqualFold(strings.TrimPrefix(want, "i"), strings.TrimPrefix(a.ID(), "i")) {
		r.Note("API_KEY", "unset ATHLETE_ID, unless you coach that athlete", "is the key of %s, and ATHLETE_ID is %s", a.ID(), want)
		return
	}
	r.OK("API_KEY", "accepted: athlete %s", a.ID())
}

// maxKeys bounds how many users' keys are tried; Intervals.icu allows so many
// requests in a short time.
const maxKeys = 20

// checkKeys reads users' keys and tries them.
func (c *command) checkKeys(ctx context.Context, r *Report, up *intervals.Upstream) {
	users, err := c.stores.Identity.Users(ctx)
	if err != nil {
		return // said by Check
	}
	enrolled, tried := 0, 0
	for _, u := range users {
		if u.ID == identity.Local {
			continue
		}
		if enrolled++; tried == maxKeys {
			continue
		}
		tried++
		part := "key of " + u.ID
		cred, err := c.stores.Keys.Credential(ctx, u.ID)
		if err != nil {
			r.Wrong(part, c.again("users add")+" --athlete "+u.Athlete+" stores it again", "%v", c.stores.explain(err))
			continue
		}
		_, err = prove(ctx, up, cred, u.Athlete)
		switch {
		case intervals.KindOf(err) != 0: // it says nothing about the key
			r.Note(part, "try again in a minute", "readable, but could not be tried: %v", err)
			continue
		case err != nil:
			r.Wrong(part, c.again("users add")+" --athlete "+u.Athlete+" replaces it", "%v", err)
			continue
		}
		r.OK(part, "readable and accepted")
	}
	switch {
	case enrolled == 0 && c.stack != "":
		r.Note("users", c.again("users add")+" --athlete ID", "nobody is enrolled")
	case enrolled > tried:
		r.Note("users", "`users show U` looks at one", "%d more were not tried", enrolled-tried)
	}
}

// servePort is where serve listens unless it is told otherwise.
const servePort = "127.0.0.1:8765"

func (c *command) checkPort(ctx context.Context, r *Report) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", servePort)
	if err == nil {
		_ = l.Close() // it was only tried
		r.OK("port", "%s is free for serve", servePort)
		return
	}
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+servePort+"/.well-known/intervals-mcp", nil)
	if resp, err := (&http.Client{Timeout: 3 * time.Second}).Do(req); err == nil {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		_ = resp.Body.Close()
		if strings.Contains(string(body), "mcp_endpoint") {
			r.OK("port", "serve is running on %s", servePort)
			return
		}
	}
	r.Note("port", "start serve with --addr 127.0.0.1:ANOTHER", "%s is taken by another program", servePort)
}
