package identity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SchemaVersion is the newest version of a record that this release knows.
// Version 2 came with the authorization server. A record is written with the
// lowest version that holds it, so that what has nothing to do with OAuth stays
// readable after a step back; an access token does not, since an older release
// would overlook for whom it is.
const SchemaVersion = 2

// Token is the record of a bearer token: everything the authorizer needs to
// answer, and never the token itself.
type Token struct {
	Hash     Hash
	ID       string // "<user>-<10 letters or digits>"; the connection's id in logs and audit, which its access tokens share
	User     string
	Athlete  string
	Athletes []string // whom this token may reach beside Athlete
	Chosen   bool     // Athletes was chosen for this token; else it follows the user's list
	Coach    bool
	Scopes   []Scope
	Client   string // label, or the client's name
	Host     string // of an access token: where its client was sent back to
	Audience string // of an access token: the resource it is for (RFC 8707); "" = a personal token
	Toolset  Toolset
	Confirm  Confirm
	Created  time.Time // UTC
	Expires  time.Time // zero = no end
	Revoked  time.Time // zero = in force
	LastUsed time.Time // zero = never, as far as is known; to the hour
}

// Why a token that was found is refused.
var (
	ErrExpired = errors.New("identity: the token has expired")
	ErrRevoked = errors.New("identity: the token was revoked")
)

// Usable reports why a token is not in force: ErrRevoked or ErrExpired. A
// store's own expiry may lag by days, so this decides.
func (t Token) Usable(now time.Time) error {
	switch {
	case !t.Revoked.IsZero():
		return ErrRevoked
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return ErrExpired
	}
	return nil
}

// keptDead is how long an expired or revoked token is still listed, and told
// from an unknown one in the log.
const keptDead = 30 * 24 * time.Hour

// skew is how far the clocks of two functions may be apart: so long an account
// still knows an access token that has ended.
const skew = 5 * time.Minute

// OAuth reports whether this is an access token of a connection.
func (t Token) OAuth() bool { return t.Audience != "" }

// Purge is when a store may forget the token; zero = not before it ends. An
// access token is forgotten soon: there is one an hour.
func (t Token) Purge() time.Time {
	switch {
	case t.OAuth():
		return t.Expires.Add(skew)
	case !t.Revoked.IsZero():
		return t.Revoked.Add(keptDead)
	case !t.Expires.IsZero():
		return t.Expires.Add(keptDead)
	}
	return time.Time{}
}

func (t Token) gone(now time.Time) bool { p := t.Purge(); return !p.IsZero() && !now.Before(p) }

// Context is the authorizer's context for this token (auth.md): strings only,
// what Parse reads.
func (t Token) Context() map[string]string {
	c := map[string]string{
		"auth": "ok", "user": t.User, "athlete": t.Athlete, "athletes": strings.Join(t.Athletes, ","),
		"coach": strconv.FormatBool(t.Coach), "scopes": joinScopes(t.Scopes), "connection": t.ID, "client": t.Client,
		"toolset": string(t.Toolset), "confirm": string(t.Confirm), "exp": "",
	}
	if !t.Expires.IsZero() {
		c["exp"] = strconv.FormatInt(t.Expires.Unix(), 10)
	}
	if t.Host != "" {
		c["host"] = t.Host
	}
	return c
}

func joinScopes(scopes []Scope) string {
	var parts []string
	for _, s := range scopes {
		parts = append(parts, string(s))
	}
	return strings.Join(parts, " ")
}

// follow gives the token what its user is now.
func (t Token) follow(u User) Token {
	t.User, t.Athlete, t.Coach = u.ID, u.Athlete, u.Coach
	if t.Chosen {
		t.Athletes = slices.DeleteFunc(slices.Clone(t.Athletes), func(a string) bool { return !slices.Contains(u.Athletes, a) })
	} else {
		t.Athletes = slices.Clone(u.Athletes)
	}
	return t
}

// same reports whether two records put the same into the authorizer's context.
func (t Token) same(o Token) bool { return maps.Equal(t.Context(), o.Context()) }

// Fields is the record as text, without its hash, which is the key: attributes
// of a DynamoDB item, or an object in SQLite. Times are RFC 3339 in UTC.
func (t Token) Fields() map[string]string {
	v := "1"
	if t.OAuth() {
		v = "2"
	}
	return drop(map[string]string{
		"v": v, "host": t.Host, "audience": t.Audience, "connection": t.ID, "user": t.User, "athlete": t.Athlete, "athletes": strings.Join(t.Athletes, ","),
		"chosen": strconv.FormatBool(t.Chosen), "coach": strconv.FormatBool(t.Coach), "scopes": joinScopes(t.Scopes), "client": t.Client,
		"toolset": string(t.Toolset), "confirm": string(t.Confirm), "created": stamp(t.Created), "expires": stamp(t.Expires), "revoked": stamp(t.Revoked),
	})
}

// TokenOf reads what Fields wrote. It refuses a newer record with ErrNewer, and
// whatever would not make a whole identity.
func TokenOf(h Hash, f map[string]string) (Token, error) {
	if err := checkVersion(f["v"]); err != nil {
		return Token{}, err
	}
	t := Token{
		Hash: h, ID: f["connection"], User: f["user"], Athlete: f["athlete"], Athletes: split(f["athletes"], ","),
		Chosen: f["chosen"] == "true", Coach: f["coach"] == "true", Client: f["client"], Host: f["host"], Audience: f["audience"], Toolset: Toolset(f["toolset"]), Confirm: Confirm(f["confirm"]),
	}
	for _, s := range split(f["scopes"], " ") {
		t.Scopes = append(t.Scopes, Scope(s))
	}
	if t.Toolset == "" {
		t.Toolset = ToolsetCore
	}
	if t.Confirm == "" {
		t.Confirm = ConfirmAll
	}
	for name, at := range map[string]*time.Time{"created": &t.Created, "expires": &t.Expires, "revoked": &t.Revoked} {
		if err := unstamp(f[name], at); err != nil {
			return Token{}, fmt.Errorf("%w (token %.80q: %s)", ErrDamaged, t.ID, name)
		}
	}
	if !ValidUser(t.User) || t.ID == "" || t.Athlete == "" || t.OAuth() && t.Expires.IsZero() || !validScopes(t.Scopes) || !t.Toolset.valid() || !t.Confirm.valid() {
		return Token{}, fmt.Errorf("%w (token %.80q)", ErrDamaged, t.ID)
	}
	return t, nil
}

// Fields is the user's record as text.
func (u User) Fields() map[string]string {
	return drop(map[string]string{
		"v": "1", "user": u.ID, "athlete": u.Athlete, "name": u.Name, "epoch": u.Epoch,
		"coach": strconv.FormatBool(u.Coach), "athletes": strings.Join(u.Athletes, ","), "created": stamp(u.Created),
	})
}

// UserOf reads what Fields wrote.
func UserOf(f map[string]string) (User, error) {
	if err := checkVersion(f["v"]); err != nil {
		return User{}, err
	}
	u := User{ID: f["user"], Athlete: f["athlete"], Name: f["name"], Epoch: f["epoch"], Coach: f["coach"] == "true", Athletes: split(f["athletes"], ",")}
	if err := unstamp(f["created"], &u.Created); err != nil {
		return User{}, fmt.Errorf("%w (user %.80q: created)", ErrDamaged, u.ID)
	}
	if err := u.check(); err != nil {
		return User{}, fmt.Errorf("%w (user %.80q: %w)", ErrDamaged, u.ID, err)
	}
	return u, nil
}

// checkVersion accepts what this release and those before it wrote; a record
// without version is from before there was one.
func checkVersion(v string) error {
	if v == "" {
		return nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return fmt.Errorf("%w (version %.20q)", ErrDamaged, v)
	}
	if n > SchemaVersion {
		return fmt.Errorf("%w (version %d, known up to %d)", ErrNewer, n, SchemaVersion)
	}
	return nil
}

func drop(f map[string]string) map[string]string {
	for k, v := range f {
		if v == "" {
			delete(f, k)
		}
	}
	return f
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func unstamp(s string, t *time.Time) (err error) {
	if s != "" {
		*t, err = time.Parse(time.RFC3339, s)
	}
	return err
}

func validScopes(scopes []Scope) bool {
	for _, s := range scopes {
		if s != ScopeRead && s != ScopeWrite {
			return false
		}
	}
	return len(scopes) > 0
}

func (t Toolset) valid() bool { return t == ToolsetCore || t == ToolsetFull }

func (c Confirm) valid() bool {
	return c == ConfirmAll || c == ConfirmDestructive || c == ConfirmNever || c == ConfirmPerson
}
