package operator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	_ "time/tzdata" // a stack's operator may sit at a machine without zone files

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// byOperator is how the log names the connection of a change that the operator
// made on a user's behalf.
const byOperator = "operator"

// road is the way to a user's Intervals.icu: for whom and with whose key.
type road struct {
	call  change.Call
	today string // the athlete's local day
}

// roadTo finds a user's key and makes sure that it reaches the athlete.
func (c *command) roadTo(ctx context.Context, up *intervals.Upstream, user, athlete string) (road, error) {
	cred, err := c.keyOf(ctx, user, athlete)
	if err != nil {
		return road{}, err
	}
	whose := "the key of user " + user
	if user == identity.Local {
		whose = "API_KEY"
	}
	me, err := owner(ctx, up, cred)
	if err != nil {
		return road{}, fmt.Errorf("%s: %w", whose, err)
	}
	r := road{call: change.Call{Client: up.Client(cred), Athlete: athlete, Me: me.ID(), Identity: identity.Identity{User: user, Athlete: me.ID(),
		Connection: byOperator, Client: byOperator, Scopes: []identity.Scope{identity.ScopeRead, identity.ScopeWrite}, Local: user == identity.Local}}}
	them := me
	if athlete != me.ID() {
		them, err = r.call.Client.Athlete(ctx, athlete)
		switch intervals.KindOf(err) {
		case intervals.NotFound, intervals.Forbidden, intervals.Unauthorized:
			return road{}, fmt.Errorf("%s is that of athlete %s and does not reach athlete %s, who was changed", whose, me.ID(), athlete)
		}
		if err != nil {
			return road{}, err
		}
	}
	zone, err := time.LoadLocation(them.Timezone())
	if err != nil {
		zone = time.UTC
	}
	r.today = c.Now().In(zone).Format(time.DateOnly)
	return r, nil
}

// demoAthletes are those for whom serve and stdio answer without a key.
var demoAthletes = []string{"i100001", "i100002", "i100003", "i100004", "i100005"}

// keyOf finds a user's key: that of this machine's own user is in the
// environment, as for serve and stdio.
func (c *command) keyOf(ctx context.Context, user, athlete string) (secrets.Credential, error) {
	if user == identity.Local {
		key := strings.TrimSpace(c.Getenv("API_KEY"))
		if key == "" {
			err := errors.New("API_KEY is not set: Intervals.icu needs the key with which the change was made")
			if slices.Contains(demoAthletes, athlete) {
				err = fmt.Errorf("%w. (If %s was the demo's athlete: their calendar is gone as soon as the server stops, and there is nothing to read or undo in it)", err, athlete)
			}
			return secrets.Credential{}, err
		}
		return secrets.Credential{APIKey: secrets.New(key)}, nil
	}
	cred, err := c.stores.Keys.Credential(ctx, user)
	if err != nil {
		return cred, fmt.Errorf("the key of user %s cannot be had: %w. `%s --athlete %s` stores it again", user, c.stores.explain(err), c.again("users add"), user)
	}
	return cred, nil
}

// engine is the way of a change over these stores. What they fail with is
// heard, since the operator is the one to mend it.
func (c *command) engine() (*change.Engine, *heard) {
	h := &heard{}
	return change.New(change.Config{Log: c.stores.Audit, State: c.stores.State, Now: c.Now, Retention: c.stores.Retention, Logger: slog.New(h)}), h
}

// heard is a log handler that keeps the last error it was told of.
type heard struct{ err error }

// Enabled implements slog.Handler.
func (h *heard) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h *heard) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok {
			h.err = err
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (h *heard) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *heard) WithGroup(string) slog.Handler { return h }
