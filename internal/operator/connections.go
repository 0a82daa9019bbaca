package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

// connectionsList lists what people connected on the consent page, of one user
// or of all.
func connectionsList(ctx context.Context, c *command) error {
	list, err := c.connections(ctx)
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(map[string]any{"connections": connectionsJSON(list, c.Now())})
	}
	if len(list) == 0 {
		return c.say("There are no connections (%s). They are made by signing in from a client such as Claude or ChatGPT; %s lists personal tokens.", c.stores.Where, c.again("tokens list"))
	}
	return connectionTable(list, c.Now()).write(c.Stdout)
}

func (c *command) connections(ctx context.Context) ([]identity.Connection, error) {
	if c.given["user"] {
		u, err := c.user(ctx, c.opt.user)
		if err != nil {
			return nil, err
		}
		return c.stores.Identity.Connections(ctx, u.ID)
	}
	return ofAll(ctx, c, c.stores.Identity.Connections)
}

// ofAll reads something of every user.
func ofAll[T any](ctx context.Context, c *command, of func(ctx context.Context, user string) ([]T, error)) ([]T, error) {
	users, err := c.stores.Identity.Users(ctx)
	if err != nil {
		return nil, err
	}
	p := c.progress()
	defer p.clear()
	var all []T
	for i, u := range users {
		p.show("user %d of %d", i+1, len(users))
		list, err := of(ctx, u.ID)
		if err != nil && !errors.Is(err, identity.ErrNoUser) { // removed meanwhile
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

func connectionState(c identity.Connection, now time.Time) string {
	switch err := c.Usable(now); {
	case errors.Is(err, identity.ErrRevoked):
		return "revoked"
	case err != nil:
		return "ended" // nobody refreshed it
	}
	return "active"
}

func usable(list []identity.Connection, now time.Time) []identity.Connection {
	return slices.DeleteFunc(slices.Clone(list), func(c identity.Connection) bool { return c.Usable(now) != nil })
}

func connectionJSON(c identity.Connection, now time.Time) map[string]any {
	athletes := append([]string{}, c.Athletes...)
	return map[string]any{"id": c.ID, "user": c.User, "state": connectionState(c, now), "client": c.Name, "client_id": c.Client, "host": c.Host(), "athletes": athletes,
		"scope": widest(c.Scopes), "toolset": c.Toolset, "confirm": c.Confirm, "connected": stamp(c.Connected), "last_used": stamp(c.LastUsed),
		"ends": stamp(c.Ends()), "revoked": stamp(c.Revoked)}
}

func connectionsJSON(list []identity.Connection, now time.Time) []any {
	out := []any{}
	for _, c := range list {
		out = append(out, connectionJSON(c, now))
	}
	return out
}

// connectionTable shows connections. What a client calls itself is a claim; the
// host to which its person was sent back is a fact.
func connectionTable(list []identity.Connection, now time.Time) *table {
	t := &table{header: []string{"CONNECTION", "STATE", "CONNECTED", "LAST USED", "SCOPE", "TOOLS", "CONFIRM", "REACHES", "HOST", "CLIENT"}}
	for _, c := range list {
		t.row(c.ID, connectionState(c, now), when(c.Connected), when(c.LastUsed), widest(c.Scopes), string(c.Toolset), string(c.Confirm),
			reach(len(c.Athletes) > 0, c.Athletes), c.Host(), c.Name)
	}
	return t
}

// connectionsRevoke ends one connection.
func connectionsRevoke(ctx context.Context, c *command) error {
	id, err := c.argument("a connection id (connections list shows them)")
	if err != nil {
		return err
	}
	if strings.HasPrefix(id, "imcp_") { // never repeated in an error
		return misuse("connections revoke wants the connection's id, not a token; %s shows the ids", c.again("connections list"))
	}
	id = strings.ToLower(id)
	none := fmt.Errorf("there is no connection %.100q (%s); see %s, and %s for personal tokens", id, c.stores.Where, c.again("connections list"), c.again("tokens list"))
	user, ok := identity.OwnerOf(id)
	if !ok {
		return none
	}
	if err := c.confirm(ctx, "Revoke connection "+intervals.Clean(id, maxCell)+"? Its next request is refused, and its person has to sign in again."); err != nil {
		return err
	}
	err = c.stores.Identity.RevokeConnection(ctx, user, id)
	if errors.Is(err, identity.ErrNoConnection) {
		return none
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(map[string]any{"revoked": id})
	}
	return c.say("Connection %s is revoked.", id)
}
