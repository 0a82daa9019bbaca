package identity

import (
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// How long things of the authorization server live.
const (
	CodeLife    = 5 * time.Minute     // an authorization code (RFC 6749 4.1.2: at most ten)
	AccessLife  = time.Hour           // an access token
	RefreshLife = 30 * 24 * time.Hour // a connection that is not refreshed
	// TwinLife is how long two refreshes with one token are taken for the same
	// one, sent twice: both get the same answer.
	TwinLife = time.Minute
)

// MaxConnections bounds a user's connections that have not ended.
const MaxConnections = 16

// maxEnded bounds those that ended and are still listed. Together they must fit
// the 400 KB of a DynamoDB item.
const maxEnded = 8

// accessPerConnection is how many access tokens of a connection are in force at
// most: the newest, and those that other processes of its client may still use.
const accessPerConnection = 3

// Permissions is what a person lets a connection do.
type Permissions struct {
	Scopes   []Scope
	Toolset  Toolset  // "" = core
	Confirm  Confirm  // "" = all
	Athletes []string // of a coach: whom it may reach; nil = whom the coach may, also later
}

// Connection is an OAuth client to which a person said yes: the grant behind
// its refresh tokens, which are its family, and its access tokens.
type Connection struct {
	ID       string // "<user>-<10 letters or digits>", as in the authorizer's context
	User     string
	Client   string // the client's id
	Name     string // what the client calls itself: untrusted, one line of at most 100 bytes
	Redirect string // where the code was sent
	Resource string // the audience of its access tokens (RFC 8707)
	Scopes   []Scope
	Toolset  Toolset
	Confirm  Confirm
	Athletes []string // whom it may reach beside the user's own
	Chosen   bool     // Athletes was chosen for it; else it follows the user's list

	Created   time.Time // when the person said yes
	Connected time.Time // when the code was redeemed; zero = not yet
	Refreshed time.Time // when tokens were given last
	Revoked   time.Time // zero = in force
	LastUsed  time.Time // zero = never, as far as is known; to the hour. Only in lists

	family family
}

// String, GoString and LogValue name the connection and show nothing of its
// tokens, not even their hashes.
func (c Connection) String() string       { return "connection " + c.ID }
func (c Connection) GoString() string     { return c.String() }
func (c Connection) LogValue() slog.Value { return slog.StringValue(c.ID) }

// Host is where the client's person is sent back to, for the person to see:
// "claude.ai", "localhost:3118".
func (c Connection) Host() string { return hostOf(c.Redirect) }

// Permissions gives what the connection may do.
func (c Connection) Permissions() Permissions {
	p := Permissions{Scopes: slices.Clone(c.Scopes), Toolset: c.Toolset, Confirm: c.Confirm}
	if c.Chosen {
		p.Athletes = append([]string{}, c.Athletes...)
	}
	return p
}

// Ends is when the connection ends by itself: when nobody refreshes it, or
// redeems its code.
func (c Connection) Ends() time.Time {
	if c.Connected.IsZero() {
		return c.Created.Add(CodeLife)
	}
	return c.Refreshed.Add(RefreshLife)
}

// Usable reports why a connection is not in force: ErrRevoked or ErrExpired.
func (c Connection) Usable(now time.Time) error {
	switch {
	case !c.Revoked.IsZero():
		return ErrRevoked
	case !now.Before(c.Ends()):
		return ErrExpired
	}
	return nil
}

// gone reports whether the connection need not be listed any more.
func (c Connection) gone(now time.Time) bool {
	switch {
	case c.Connected.IsZero():
		return c.Usable(now) != nil
	case !c.Revoked.IsZero():
		return !now.Before(c.Revoked.Add(keptDead))
	}
	return !now.Before(c.Ends().Add(keptDead))
}

// token makes the record of an access token of the connection.
func (c Connection) token(u User, h Hash, now time.Time) Token {
	return Token{Hash: h, ID: c.ID, Created: now, Expires: now.Add(AccessLife)}.grant(c, u)
}

// grant gives an access token what its connection and user are now.
func (t Token) grant(c Connection, u User) Token {
	t.Scopes, t.Toolset, t.Confirm, t.Athletes, t.Chosen = slices.Clone(c.Scopes), c.Toolset, c.Confirm, c.Athletes, c.Chosen
	t.Client, t.Host, t.Audience = c.Name, c.Host(), c.Resource
	return t.follow(u)
}

// follow gives the connection what its user is now.
func (c Connection) follow(u User) Connection {
	c.Athletes = Token{Athletes: c.Athletes, Chosen: c.Chosen}.follow(u).Athletes
	return c
}

// allow sets what the connection may do, for a user.
func (c *Connection) allow(p Permissions, u User) error {
	if err := p.check(); err != nil {
		return err
	}
	for _, id := range p.Athletes {
		if id != u.Athlete && !slices.Contains(u.Athletes, id) {
			return &InputError{"athletes", fmt.Sprintf("%q is not among the athletes of user %s", id, u.ID)}
		}
	}
	c.Scopes, c.Toolset, c.Confirm = slices.Clone(p.Scopes), p.Toolset, p.Confirm
	c.Athletes, c.Chosen = ordered(p.Athletes, u.Athlete), p.Athletes != nil
	*c = c.follow(u)
	return nil
}

func (p *Permissions) check() error {
	if p.Toolset == "" {
		p.Toolset = ToolsetCore
	}
	if p.Confirm == "" {
		p.Confirm = ConfirmAll
	}
	switch {
	case !validScopes(p.Scopes):
		return &InputError{"scope", "read or write"}
	case !p.Toolset.valid():
		return &InputError{"toolset", "core or full"}
	case !p.Confirm.valid():
		return &InputError{"confirm", "all, destructive, never or person"}
	}
	return nil
}

// Fields is the connection's record as text, without its user, who keeps it.
func (c Connection) Fields() map[string]string {
	f := map[string]string{
		"v": strconv.Itoa(SchemaVersion), "connection": c.ID, "client": c.Client, "name": c.Name, "redirect": c.Redirect, "resource": c.Resource,
		"scopes": joinScopes(c.Scopes), "toolset": string(c.Toolset), "confirm": string(c.Confirm), "athletes": strings.Join(c.Athletes, ","),
		"chosen": strconv.FormatBool(c.Chosen), "created": stamp(c.Created), "connected": stamp(c.Connected), "refreshed": stamp(c.Refreshed), "revoked": stamp(c.Revoked),
	}
	if !c.Chosen {
		delete(f, "athletes") // they are the user's, and stand once in the item
	}
	c.family.write(f)
	return drop(f)
}

// connectionOf reads what Fields wrote.
func connectionOf(user string, f map[string]string) (Connection, error) {
	if err := checkVersion(f["v"]); err != nil {
		return Connection{}, err
	}
	c := Connection{
		ID: f["connection"], User: user, Client: f["client"], Name: f["name"], Redirect: f["redirect"], Resource: f["resource"],
		Toolset: Toolset(f["toolset"]), Confirm: Confirm(f["confirm"]), Athletes: split(f["athletes"], ","), Chosen: f["chosen"] == "true",
	}
	for _, s := range split(f["scopes"], " ") {
		c.Scopes = append(c.Scopes, Scope(s))
	}
	for name, at := range map[string]*time.Time{"created": &c.Created, "connected": &c.Connected, "refreshed": &c.Refreshed, "revoked": &c.Revoked} {
		if err := unstamp(f[name], at); err != nil {
			return Connection{}, fmt.Errorf("%w (connection %.80q: %s)", ErrDamaged, c.ID, name)
		}
	}
	if err := c.family.read(f); err != nil {
		return Connection{}, fmt.Errorf("%w (connection %.80q: tokens)", ErrDamaged, c.ID)
	}
	if owner, ok := OwnerOf(c.ID); !ok || owner != user || c.Client == "" || c.Resource == "" || c.Host() == "" || c.Created.IsZero() ||
		c.Connected.IsZero() != c.Refreshed.IsZero() || !validScopes(c.Scopes) || !c.Toolset.valid() || !c.Confirm.valid() {
		return Connection{}, fmt.Errorf("%w (connection %.80q)", ErrDamaged, c.ID)
	}
	return c, nil
}

// OwnerOf gives the user whom the id of a token or connection names.
func OwnerOf(id string) (user string, ok bool) {
	i := strings.LastIndexByte(id, '-')
	if i < 0 || !ValidUser(id[:i]) {
		return "", false
	}
	return id[:i], true
}

// Resource is the identifier of the protected resource on an origin
// ("https://mcp.example.org"): what the metadata says, a code is bound to and an
// access token's audience is.
func Resource(origin string) string { return strings.TrimRight(origin, "/") + "/mcp" }

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// oneLine makes a name that some client gave fit to be stored and shown: no
// control or invisible formatting characters, at most maxLabel bytes. What shows
// it must still escape it.
func oneLine(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || unicode.Is(unicode.C, r):
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	for len(name) > maxLabel {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return name
}
