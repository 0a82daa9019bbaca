package operator

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

func usersAddFlags(c *command) {
	c.fs.StringVar(&c.opt.athlete, "athlete", "", "")
	c.fs.StringVar(&c.opt.name, "name", "", "")
	c.fs.BoolVar(&c.opt.coach, "coach", false, "")
}

var athleteID = regexp.MustCompile(`^[iI]?[0-9]{1,20}$`)

const athleteWant = "--athlete must be all digits (e.g. 123456) or start with 'i' followed by digits (e.g. i123456)"

// usersAdd enrols a user, or replaces the key of one.
func usersAdd(ctx context.Context, c *command) error {
	if !athleteID.MatchString(c.opt.athlete) {
		return misuse(athleteWant)
	}
	up, err := c.upstream()
	if err != nil {
		return err
	}
	key, err := c.secret(ctx, "the Intervals.icu API key", fmt.Sprintf("Intervals.icu API key of %s (Settings, Developer Settings; it is not shown): ", c.opt.athlete))
	if err != nil {
		return err
	}
	cred := secrets.Credential{APIKey: key}
	e := enrolment{key: key}
	if e.athlete, err = prove(ctx, up, cred, c.opt.athlete); err != nil {
		return err
	}
	if c.given["name"] {
		e.name = &c.opt.name
	}
	if c.given["coach"] {
		e.coach = &c.opt.coach
	}
	if c.opt.coach {
		if e.reach, err = coached(ctx, up, cred, e.athlete); err != nil {
			return err
		}
	}
	u, again, err := enrol(ctx, c.stores, e)
	if err != nil {
		return err
	}
	return c.enrolled(u, again)
}

func (c *command) enrolled(u identity.User, again bool) error {
	if c.json {
		return c.writeJSON(userJSON(u))
	}
	what := "enrolled"
	if again {
		what = "enrolled already: the new key is stored, tokens stay as they were"
	}
	if err := c.say("User %s is %s (%s).", u.ID, what, c.stores.Where); err != nil {
		return err
	}
	switch {
	case u.Coach && len(u.Athletes) == 0:
		c.note("The key reaches no other athlete yet; run the same command again when it does.")
	case u.Coach:
		if err := c.say("Reaches: %s", strings.Join(u.Athletes, ", ")); err != nil {
			return err
		}
	}
	if !again {
		c.note("Next, make a token: %s --user %s --days 90 --scope write", c.again("tokens create"), u.ID)
	}
	return nil
}

func userJSON(u identity.User) map[string]any {
	if u.Athletes == nil {
		u.Athletes = []string{}
	}
	return map[string]any{"user": u.ID, "athlete": u.Athlete, "name": u.Name, "coach": u.Coach, "athletes": u.Athletes, "created": stamp(u.Created)}
}

// usersList lists all users.
func usersList(ctx context.Context, c *command) error {
	users, err := c.stores.Identity.Users(ctx)
	if err != nil {
		return err
	}
	if c.json {
		list := []any{}
		for _, u := range users {
			list = append(list, userJSON(u))
		}
		return c.writeJSON(map[string]any{"users": list})
	}
	if len(users) == 0 {
		return c.say("Nobody is enrolled (%s). Enrol somebody: %s --athlete ID, or let them do it: %s", c.stores.Where, c.again("users add"), c.again("users invite"))
	}
	t := table{header: []string{"USER", "ATHLETE", "ENROLLED", "REACHES", "NAME"}}
	for _, u := range users {
		t.row(u.ID, u.Athlete, when(u.Created), reach(u.Coach, u.Athletes), u.Name)
	}
	return t.write(c.Stdout)
}

// reach says whom a user or token may name beside themselves.
func reach(coach bool, athletes []string) string {
	switch {
	case !coach:
		return "self"
	case len(athletes) > 4:
		return fmt.Sprintf("self, %s and %d more", strings.Join(athletes[:3], ", "), len(athletes)-3)
	}
	return strings.Join(append([]string{"self"}, athletes...), ", ")
}

// keyState says in words how a user's key is kept; nothing is asked of
// Intervals.icu.
func keyState(ctx context.Context, s *Stores, user string) (text, state string) {
	if user == identity.Local {
		return "API_KEY in the environment of serve and stdio", "environment"
	}
	_, err := s.Keys.Credential(ctx, user)
	if err == nil {
		return "stored in " + s.KeyPlace(user), "stored"
	}
	return s.explain(err).Error(), secrets.KindOf(err).String()
}

// user loads the user whom a command names.
func (c *command) user(ctx context.Context, text string) (identity.User, error) {
	id, err := userID(text)
	if err != nil {
		return identity.User{}, err
	}
	u, err := c.stores.Identity.User(ctx, id)
	if errors.Is(err, identity.ErrNoUser) {
		err = fmt.Errorf("there is no user %s (%s); see %s", id, c.stores.Where, c.again("users list"))
	}
	return u, err
}

// usersShow shows a user with their tokens.
func usersShow(ctx context.Context, c *command) error {
	arg, err := c.argument("a user id")
	if err != nil {
		return err
	}
	u, err := c.user(ctx, arg)
	if err != nil {
		return err
	}
	tokens, err := c.stores.Identity.Tokens(ctx, u.ID)
	if err != nil {
		return err
	}
	connections, err := c.stores.Identity.Connections(ctx, u.ID)
	if err != nil {
		return err
	}
	keyText, keyState := keyState(ctx, c.stores, u.ID)
	if c.json {
		v := userJSON(u)
		v["key"], v["tokens"], v["connections"] = keyState, tokensJSON(tokens, c.Now()), connectionsJSON(connections, c.Now())
		return c.writeJSON(v)
	}
	athletes := "-"
	if u.Coach {
		athletes = strings.Join(u.Athletes, ", ")
	}
	t := table{header: []string{"USER", u.ID}}
	t.row("athlete", u.Athlete)
	t.row("name", u.Name)
	t.row("coach of", athletes)
	t.row("enrolled", when(u.Created))
	t.row("key", keyText)
	tables := []*table{&t}
	if len(connections) > 0 {
		tables = append(tables, connectionTable(connections, c.Now()))
	}
	if len(tokens) > 0 {
		tables = append(tables, tokenTable(tokens, c.Now()))
	}
	for i, t := range tables {
		if i > 0 {
			if err := c.say(""); err != nil {
				return err
			}
		}
		if err := t.write(c.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// usersRemove forgets a user: tokens and connections first, so that nobody gets in while the
// rest goes; identity last, so that it can be run again when something failed.
func usersRemove(ctx context.Context, c *command) error {
	arg, err := c.argument("a user id")
	if err != nil {
		return err
	}
	u, err := c.user(ctx, arg)
	if err != nil {
		return err
	}
	force, err := c.access(ctx, u.ID)
	if err != nil {
		return err
	}
	keyText, _ := keyState(ctx, c.stores, u.ID)
	c.note("This goes for good (%s):\n  user   %s", c.stores.Where, label(u.ID, u.Name))
	force.list(c)
	c.note("  key    %s", keyText)
	c.note("Entries of the audit log stay until they expire (%s).", c.again("audit purge --user "+u.ID))
	if err := c.confirm(ctx, "Remove user "+u.ID+"?"); err != nil {
		return err
	}
	if _, err := c.stores.Identity.RevokeTokens(ctx, u.ID); err != nil {
		return err
	}
	if err := c.stores.Keys.Delete(ctx, u.ID); err != nil {
		return fmt.Errorf("the tokens are revoked, but the key is still there; run the command again: %w", err)
	}
	if err := c.stores.Identity.RemoveUser(ctx, u.ID); err != nil {
		return fmt.Errorf("tokens and key are gone, but the user is still listed; run the command again: %w", err)
	}
	if err := c.stores.Keys.Delete(ctx, u.ID); err != nil { // one that they gave on their account page meanwhile
		return fmt.Errorf("the user is removed, but a key that was given in the same moment may still be there: %w", err)
	}
	if c.json {
		return c.writeJSON(map[string]any{"removed": u.ID, "tokens_revoked": len(force.tokens), "connections_revoked": len(force.connections)})
	}
	return c.say("User %s is removed, with %s.", u.ID, force)
}
