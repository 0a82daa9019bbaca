package intervals

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
	"unicode"
)

// Kind is what went wrong, as far as a caller acts on it.
type Kind int

// The kinds of Error.
const (
	BadArgument  Kind = iota + 1 // refused here, nothing was sent
	Unauthorized                 // 401: no, wrong or revoked credential
	Forbidden                    // 403: another athlete, or a scope is missing
	NotFound                     // 404
	Invalid                      // 400, 405, 409, 422: upstream refused the request
	Hidden                       // 422 for an activity that came through Strava
	RateLimited                  // 429, or our own limit could not be met in time
	Unavailable                  // 5xx
	Timeout                      // no answer before the deadline
	Canceled                     // the caller went away
	Network                      // connection refused, reset, cut
	BadBody                      // not JSON, or JSON of another shape
	TooLarge                     // body over the size cap
)

var kindNames = [...]string{"", "bad argument", "unauthorized", "forbidden", "not found", "refused by Intervals.icu",
	"hidden by Strava", "rate limited", "unavailable", "timed out", "canceled", "network failure", "unreadable answer", "answer too large"}

// String names the kind.
func (k Kind) String() string {
	if k > 0 && int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Error is every error of this package.
type Error struct {
	Op     string // such as "get activity"
	Kind   Kind
	Status int    // HTTP status, 0 when there was no answer
	Reason string // upstream's own words (or ours for BadArgument): cut, one line, without the key
	// RetryAfter is how long upstream asked to wait; 0 when it did not say.
	RetryAfter time.Duration
	// MaybeApplied marks a write of which it is unknown whether it happened.
	MaybeApplied bool
	err          error
}

// Error gives operation, status and reason; never a URL or credential.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op + ": " + e.Kind.String())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	return b.String()
}

// Unwrap gives the cause, where it carries no URL.
func (e *Error) Unwrap() error { return e.err }

// KindOf gives the kind of an error of this package, else 0.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

const stravaReason = "Cannot read Strava activities via the API" // API.md 1.6

func kindOfStatus(status int, reason string) Kind {
	switch {
	case strings.Contains(reason, stravaReason):
		return Hidden
	case status == 401:
		return Unauthorized
	case status == 403:
		return Forbidden
	case status == 404:
		return NotFound
	case status == 429:
		return RateLimited
	case status >= 500:
		return Unavailable
	default:
		return Invalid
	}
}

// reasonOf reads upstream's own words out of an error body: an object, an
// object in an array, a Spring body, plain text or nothing (API.md 1.6).
func reasonOf(answer []byte, secrets ...string) string {
	body := trim(string(answer))
	var reason string
	if body != "" && scanValue(body, 0, 1) == len(body) {
		raw := body
		if parts := elements(raw); len(parts) > 0 {
			raw = parts[0]
		}
		if o, err := parseObject(raw); err == nil {
			for _, key := range []string{"error", "message", "detail"} {
				if s, ok := o.Text(key); ok && s != "" {
					reason = s
					break
				}
			}
		} else if s, ok := text(raw); ok {
			reason = s
		}
	} else if body != "" && body[0] != '<' { // an HTML page explains nothing
		reason = body
	}
	return Clean(reason, 200, secrets...)
}

// Clean makes one printable line of foreign text: control and format
// characters go, white space is folded, what is longer than limit runes is
// cut, and each of the secrets is replaced.
func Clean(s string, limit int, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
	}
	if len(s) <= limit && isClean(s) {
		return s
	}
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = n > 0
			continue
		}
		if unicode.In(r, unicode.Cf) || r == unicode.ReplacementChar {
			continue
		}
		if n >= limit {
			b.WriteString("…")
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// isClean reports whether Clean has nothing to do, as for most names: printable
// ASCII with single spaces between words.
func isClean(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || (c == ' ' && before == ' ') {
			return false
		}
		before = c
	}
	return before != ' ' || s == ""
}

// transportError classifies an error of net/http without keeping its URL.
func transportError(ctx context.Context, op string, err error) *Error {
	e := &Error{Op: op, Kind: Network}
	var netErr net.Error
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled) || errors.Is(err, context.Canceled):
		e.Kind, e.err = Canceled, context.Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		e.Kind, e.err = Timeout, context.DeadlineExceeded
	default:
		e.Reason = "the connection to Intervals.icu failed"
	}
	return e
}
