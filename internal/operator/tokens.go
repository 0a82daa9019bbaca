package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

func tokensCreateFlags(c *command) {
	userFlag(c)
	c.fs.StringVar(&c.opt.days, "days", "", "")
	c.fs.StringVar(&c.opt.scope, "scope", "", "")
	c.fs.StringVar(&c.opt.toolset, "toolset", "core", "")
	c.fs.StringVar(&c.opt.confirm, "confirm", "all", "")
	c.fs.StringVar(&c.opt.athletes, "athletes", "", "")
	c.fs.StringVar(&c.opt.label, "label", "", "")
}

// request reads what token is wanted.
func (c *command) request() (r identity.Request, err error) {
	if c.opt.user == "" {
		return r, misuse("tokens create: --user U is missing")
	}
	if r.User, err = userID(c.opt.user); err != nil {
		return r, err
	}
	switch c.opt.days {
	case "30", "90", "365":
		r.Days, _ = strconv.Atoi(c.opt.days)
	case "never":
	default:
		return r, misuse("--days must be 30, 90, 365 or never, not %q", c.opt.days)
	}
	switch c.opt.scope {
	case "read":
		r.Scopes = []identity.Scope{identity.ScopeRead}
	case "write":
		r.Scopes = []identity.Scope{identity.ScopeRead, identity.ScopeWrite}
	default:
		return r, misuse("--scope must be read or write, not %q", c.opt.scope)
	}
	if r.Toolset = identity.Toolset(c.opt.toolset); r.Toolset != identity.ToolsetCore && r.Toolset != identity.ToolsetFull {
		return r, misuse("--toolset must be core or full, not %q", c.opt.toolset)
	}
	switch r.Confirm = identity.Confirm(c.opt.confirm); r.Confirm {
	case identity.ConfirmAll, identity.ConfirmDestructive, identity.ConfirmNever, identity.ConfirmPerson:
	default:
		return r, misuse("--confirm must be all, destructive, never or person, not %q", c.opt.confirm)
	}
	r.Label = c.opt.label
	if c.given["athletes"] {
		r.Athletes = []string{}
		for id := range strings.SplitSeq(c.opt.athletes, ",") {
			if id = strings.TrimSpace(id); id == "" {
				return r, misuse("--athletes must be ids separated by commas, such as i1,i2")
			}
			r.Athletes = append(r.Athletes, id)
		}
	}
	return r, nil
}

// tokensCreate makes a token. Stdout gets the token and nothing else, so that a
// script can take it; what a person should know goes to stderr.
func tokensCreate(ctx context.Context, c *command) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	secret, t, err := c.stores.Identity.CreateToken(ctx, r)
	if errors.Is(err, identity.ErrNoUser) {
		return fmt.Errorf("there is no user %s (%s); enrol them first: %s --athlete %s", r.User, c.stores.Where, c.again("users add"), r.User)
	}
	if err != nil {
		return err
	}
	if c.json {
		v := tokenJSON(t, c.Now())
		v["token"] = secret.Reveal()
		if c.stores.URL != "" {
			v["url"] = c.stores.URL
		}
		return c.writeJSON(v)
	}
	ends := "does not expire"
	if !t.Expires.IsZero() {
		ends = "expires " + when(t.Expires)
	}
	c.note("Token %s of user %s (%s, %s tools, confirm %s, reaches %s) %s. It is shown this once:", t.ID, t.User, widest(t.Scopes), t.Toolset, t.Confirm, reach(t.Coach, t.Athletes), ends)
	if err := c.say("%s", secret.Reveal()); err != nil {
		return err
	}
	if c.stores.URL != "" {
		c.note("Connect: claude mcp add --transport http intervals %s --header \"Authorization: Bearer TOKEN\"", c.stores.URL)
	}
	c.note("Revoke it: %s %s", c.again("tokens revoke"), t.ID)
	return nil
}

// widest names the scope that holds the others.
func widest(scopes []identity.Scope) string {
	if slices.Contains(scopes, identity.ScopeWrite) {
		return "write"
	}
	return "read"
}

// tokenState says whether a token is in force.
func tokenState(t identity.Token, now time.Time) string {
	switch err := t.Usable(now); {
	case errors.Is(err, identity.ErrRevoked):
		return "revoked"
	case err != nil:
		return "expired"
	}
	return "active"
}

func inForce(tokens []identity.Token, now time.Time) []identity.Token {
	return slices.DeleteFunc(slices.Clone(tokens), func(t identity.Token) bool { return t.Usable(now) != nil })
}

func tokenJSON(t identity.Token, now time.Time) map[string]any {
	if t.Athletes == nil {
		t.Athletes = []string{}
	}
	scope, toolset, confirm := settings(t)
	return map[string]any{"id": t.ID, "user": t.User, "athlete": t.Athlete, "athletes": t.Athletes, "coach": t.Coach, "scope": scope, "toolset": toolset,
		"confirm": confirm, "label": t.Client, "created": stamp(t.Created), "last_used": stamp(t.LastUsed), "expires": stamp(t.Expires),
		"revoked": stamp(t.Revoked), "state": tokenState(t, now)}
}

func tokensJSON(tokens []identity.Token, now time.Time) []any {
	list := []any{}
	for _, t := range tokens {
		list = append(list, tokenJSON(t, now))
	}
	return list
}

// asStarted stands for the settings of serve's own token, which are the flags
// that serve was started with.
const asStarted = "as started"

// settings are what a token may do.
func settings(t identity.Token) (scope, toolset, confirm string) {
	if t.OfServe() {
		return asStarted, asStarted, asStarted
	}
	return widest(t.Scopes), string(t.Toolset), string(t.Confirm)
}

func tokenTable(tokens []identity.Token, now time.Time) *table {
	t := &table{header: []string{"TOKEN", "STATE", "EXPIRES", "LAST USED", "SCOPE", "TOOLS", "CONFIRM", "REACHES", "LABEL"}}
	for _, token := range tokens {
		expires := when(token.Expires)
		if expires == "" {
			expires = "never"
		}
		scope, toolset, confirm := settings(token)
		t.row(token.ID, tokenState(token, now), expires, when(token.LastUsed), scope, toolset, confirm, reach(token.Coach, token.Athletes), token.Client)
	}
	return t
}

// tokensList lists the tokens of one user or of all.
func tokensList(ctx context.Context, c *command) error {
	tokens, err := c.tokens(ctx)
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(map[string]any{"tokens": tokensJSON(tokens, c.Now())})
	}
	if len(tokens) == 0 {
		return c.say("There are no tokens (%s). Make one: %s --user U --days 90 --scope write", c.stores.Where, c.again("tokens create"))
	}
	return tokenTable(tokens, c.Now()).write(c.Stdout)
}

func (c *command) tokens(ctx context.Context) ([]identity.Token, error) {
	if c.given["user"] {
		u, err := c.user(ctx, c.opt.user)
		if err != nil {
			return nil, err
		}
		return c.stores.Identity.Tokens(ctx, u.ID)
	}
	return ofAll(ctx, c, c.stores.Identity.Tokens)
}

func tokensRevokeFlags(c *command) {
	userFlag(c)
	yesFlag(c)
	c.fs.BoolVar(&c.opt.all, "all", false, "")
}

// tokensRevoke ends one token, or all that a user let in.
func tokensRevoke(ctx context.Context, c *command) error {
	switch {
	case c.opt.all && len(c.args) > 0:
		return misuse("tokens revoke: name one token, or give --all --user U")
	case c.opt.all && c.opt.user == "":
		return misuse("tokens revoke --all: --user U is missing")
	case !c.opt.all && c.opt.user != "":
		return misuse("tokens revoke --user U ends every token of a user: add --all")
	case c.opt.all:
		return c.revokeAll(ctx)
	}
	id, err := c.argument("a token id (tokens list shows them)")
	if err != nil {
		return err
	}
	if strings.HasPrefix(id, "imcp_") { // never repeated in an error
		return misuse("tokens revoke wants the token's id, not the token itself; %s shows the ids", c.again("tokens list"))
	}
	none := fmt.Errorf("there is no token %.100q (%s); see %s", id, c.stores.Where, c.again("tokens list"))
	if known, err := c.knows(ctx, strings.ToLower(id)); err != nil || !known {
		return cmp.Or(err, none)
	}
	if err := c.confirm(ctx, "Revoke token "+intervals.Clean(id, maxCell)+"? Its next request is refused."); err != nil {
		return err
	}
	err = c.stores.Identity.RevokeToken(ctx, strings.ToLower(id))
	if errors.Is(err, identity.ErrNoToken) { // its time ended while the question stood
		return none
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(map[string]any{"revoked": strings.ToLower(id)})
	}
	return c.say("Token %s is revoked.", strings.ToLower(id))
}

// knows reports whether there is a personal token of an id, so that nobody is
// asked about one that is not there.
func (c *command) knows(ctx context.Context, id string) (bool, error) {
	user, ok := identity.OwnerOf(id)
	if !ok {
		return false, nil
	}
	tokens, err := c.stores.Identity.Tokens(ctx, user)
	if errors.Is(err, identity.ErrNoUser) {
		return false, nil
	}
	return slices.ContainsFunc(tokens, func(t identity.Token) bool { return t.ID == id }), err
}

// revokeAll ends all that a user let in: whoever lost a device does not know
// which of them was on it.
func (c *command) revokeAll(ctx context.Context) error {
	u, err := c.user(ctx, c.opt.user)
	if err != nil {
		return err
	}
	force, err := c.access(ctx, u.ID)
	if err != nil {
		return err
	}
	force.list(c)
	if err := c.confirm(ctx, fmt.Sprintf("Revoke %s of user %s?", force, u.ID)); err != nil {
		return err
	}
	if _, err := c.stores.Identity.RevokeTokens(ctx, u.ID); err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(map[string]any{"user": u.ID, "tokens_revoked": len(force.tokens), "connections_revoked": len(force.connections)})
	}
	return c.say("%s of user %s revoked.", force, u.ID)
}

// access is what lets somebody in as a user: tokens and connections in force.
type access struct {
	tokens      []identity.Token
	connections []identity.Connection
}

func (c *command) access(ctx context.Context, user string) (access, error) {
	tokens, err := c.stores.Identity.Tokens(ctx, user)
	if err != nil {
		return access{}, err
	}
	connections, err := c.stores.Identity.Connections(ctx, user)
	return access{inForce(tokens, c.Now()), usable(connections, c.Now())}, err
}

func (a access) list(c *command) {
	for _, t := range a.tokens {
		c.note("  token  %s", label(t.ID, t.Client))
	}
	for _, o := range a.connections {
		c.note("  client %s", label(o.ID, o.Name+" ("+o.Host()+")"))
	}
}

// String counts them: "2 tokens and 1 connection".
func (a access) String() string {
	s := count(len(a.tokens), "token", "tokens")
	if n := len(a.connections); n > 0 {
		s += " and " + count(n, "connection", "connections")
	}
	return s
}

// label adds what a person calls a thing to its id.
func label(id, name string) string {
	if name == "" {
		return id
	}
	return id + "  " + intervals.Clean(name, maxCell)
}
