package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/oauth"
	"intervals-mcp/internal/secrets"
)

// sessionFile is the name of the file in the data folder that holds the key
// which browsers' cookies are signed with.
const sessionFile = "session-key"

// newSite makes the authorization server and the pages of this machine. Who
// may enrol without an invitation is the athlete of API_KEY, or in the demo any
// invented one.
func newSite(b backend, o options, st stores, origin string) (http.Handler, error) {
	key, err := sessionKey(o.dataDir)
	if err != nil {
		return nil, err
	}
	ids := identity.NewStore(st.identity, time.Now)
	server := oauth.New(oauth.Options{Store: ids, Allow: st.state.Allow, Log: o.log})
	own := &owner{backend: b}
	site := oauth.SiteOptions{Server: server, Identity: ids, Keys: b.keys, Changes: b.changes, State: st.state, Upstream: b.upstream,
		SessionKey: func(context.Context) (secrets.Secret, error) { return key, nil },
		Admit:      own.admits, Alias: own.alias, Demo: o.demo, Log: o.log, Now: o.now}
	if o.demo {
		site.Hint = "This server shows an invented athlete. The key to sign in with stands in the terminal that runs it."
	}
	return server.Handler(oauth.NewSite(site)), nil
}

// sessionKey gives the signing key: the one in the data folder, made at the
// first start; without a folder a new one each time.
func sessionKey(dir string) (secrets.Secret, error) {
	fresh := secrets.New(rand.Text() + rand.Text())
	if dir == "" {
		return fresh, nil
	}
	path := filepath.Join(dir, sessionFile)
	err := writeFile(path, []byte(fresh.Reveal()+"\n"), false)
	if err == nil {
		return fresh, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return fresh, misuse("the session key cannot be kept: %v", err)
	}
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	key := strings.TrimSpace(string(raw))
	switch {
	case err != nil:
		return fresh, misuse("the session key cannot be read: %v", err)
	case len(key) < 32:
		return fresh, misuse("%s holds no key; delete it to get a new one (everybody signs in again)", path)
	}
	return secrets.New(key), nil
}

// owner is the athlete of the key that the program was started with.
type owner struct {
	backend

	mu      sync.Mutex
	athlete string // "" = not known
	err     error  // why
	again   time.Time
}

// askAgain is how long a failure to learn whose key it is holds: every page
// asks.
const askAgain = 15 * time.Second

// id asks Intervals.icu whose key it is, and remembers that.
func (w *owner) id(ctx context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.athlete != "" || time.Now().Before(w.again) {
		return w.athlete, w.err
	}
	w.athlete, w.err = w.ask(ctx)
	w.again = time.Now().Add(askAgain)
	return w.athlete, w.err
}

func (w *owner) ask(ctx context.Context) (string, error) {
	cred, err := w.keys.Credential(ctx, identity.Local)
	if err != nil {
		return "", err
	}
	a, err := w.upstream.Client(cred).Athlete(ctx, "0")
	if kind := intervals.KindOf(err); kind == intervals.Unauthorized || kind == intervals.Forbidden {
		return "", nil // a dead key is nobody's
	}
	return a.ID(), err
}

// admits is an oauth.SiteOptions' Admit.
func (w *owner) admits(ctx context.Context, athlete string) (bool, error) {
	if d := w.keys.demo; d != nil {
		s, err := d.build()
		return err == nil && slices.ContainsFunc(s.Athletes(), func(a fake.AthleteInfo) bool { return a.ID == athlete }), err
	}
	own, err := w.id(ctx)
	return own != "" && own == athlete, err
}

// alias says that the built-in user is the same person as the user of the same
// athlete (auth.md).
func (w *owner) alias(ctx context.Context, u identity.User) string {
	if own, err := w.id(ctx); err == nil && own == u.Athlete {
		return identity.Local
	}
	return ""
}
