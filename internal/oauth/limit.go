package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"sync"
	"time"
)

// Allow counts one attempt under a key and reports whether at most limit of
// them fell into the present window, which ends at until; it is the method of
// a state.Store.
type Allow func(ctx context.Context, key string, limit int, window time.Duration) (ok bool, until time.Time, err error)

// Rate is how many attempts are allowed in a window of time.
type Rate struct {
	Attempts int
	Window   time.Duration
}

// Limits of the protocol. They are wide: all athletes of a club may come from
// one address, and Claude's come from its own few (reference/mcp/05).
type Limits struct {
	Register    Rate // registrations from one address
	RegisterAll Rate // registrations altogether, so that a flood fills no table
	Authorize   Rate // authorization requests from one address: each may fetch a document
	Failures    Rate // failed requests to /token and /revoke, from one address and of one registered client
	Grants      Rate // connections of one user
}

// DefaultLimits are those of a deployment.
var DefaultLimits = Limits{
	Register:    Rate{100, 10 * time.Minute},
	RegisterAll: Rate{2000, time.Hour},
	Authorize:   Rate{300, 10 * time.Minute},
	Failures:    Rate{200, 10 * time.Minute},
	Grants:      Rate{30, time.Hour},
}

// limiter counts attempts. Tokens cannot be guessed, so at /token only
// failures are counted: who succeeds costs no write, and who went over the
// limit is remembered in this process and costs none either.
type limiter struct {
	allow  Allow
	limits Limits
	now    func() time.Time

	mu      sync.Mutex
	blocked map[string]time.Time
}

// maxBlocked bounds what a process remembers.
const maxBlocked = 10_000

// count counts an attempt that must be allowed before anything is done.
func (l *limiter) count(ctx context.Context, what, who string, r Rate) *Error {
	if l.allow == nil || who == "" {
		return nil
	}
	ok, until, err := l.allow(ctx, limitKey(what, who), r.Attempts, r.Window)
	switch {
	case err != nil:
		return unavailable(err)
	case !ok:
		return tooMany(until.Sub(l.now()))
	}
	return nil
}

// failed counts failures; what it is told is only that it went too far, and
// next time.
func (l *limiter) failed(ctx context.Context, keys ...string) {
	for _, key := range keys {
		if l.allow == nil || key == "" {
			continue
		}
		if ok, until, err := l.allow(ctx, key, l.limits.Failures.Attempts, l.limits.Failures.Window); err == nil && !ok {
			l.block(key, until)
		}
	}
}

func (l *limiter) block(key string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.blocked == nil || len(l.blocked) >= maxBlocked {
		l.blocked = map[string]time.Time{}
	}
	l.blocked[key] = until
}

// free reports that none of the keys is over the limit.
func (l *limiter) free(keys ...string) *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		if until := l.blocked[key]; l.now().Before(until) {
			return tooMany(until.Sub(l.now()))
		}
	}
	return nil
}

// limitKey names whose attempts are counted, without saying who that is.
func limitKey(what, who string) string {
	sum := sha256.Sum256([]byte(what + "\x00" + who))
	return "oauth:" + what + ":" + hex.EncodeToString(sum[:16])
}

// addressKey is what an address is counted under: of IPv6 the network, since a
// household has 2^64 addresses.
func addressKey(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if a = a.Unmap(); a.Is6() {
		network, _ := a.WithZone("").Prefix(64)
		return network.String()
	}
	return a.String()
}
