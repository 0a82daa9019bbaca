package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scope is what a connection may do. ScopeWrite implies ScopeRead.
type Scope string

// The two scopes.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
)

// Toolset is how many tools a connection is offered.
type Toolset string

// The two toolsets.
const (
	ToolsetCore Toolset = "core"
	ToolsetFull Toolset = "full"
)

// Confirm says which changes a connection must have confirmed (safety.md 2).
type Confirm string

// The settings of Confirm: every write, what deletes or replaces or is about
// more than one object, none, or every one and only by a person's tap on the
// account page.
const (
	ConfirmAll         Confirm = "all"
	ConfirmDestructive Confirm = "destructive"
	ConfirmNever       Confirm = "never"
	ConfirmPerson      Confirm = "person"
)

// Identity is the authorizer's context: the whole of what is known about who
// makes a request (auth.md "The authorizer's context").
type Identity struct {
	User       string   // id of the user on this deployment; "local" on a laptop
	Athlete    string   // the user's own athlete id; "0" = whose key it is
	Athletes   []string // ids this connection may reach beside Athlete; empty = see Coach
	Coach      bool     // whether the user may name other athletes
	Scopes     []Scope
	Connection string // id of the connection or token; "serve" or "stdio" on a laptop
	Client     string // the client's name, for the audit log
	Host       string // where an OAuth client was sent back to; "" for a personal token
	Toolset    Toolset
	Confirm    Confirm
	Expires    time.Time // zero = no end
	// Local marks the built-in identity of serve and stdio: its reachable
	// athletes are those the key itself reaches.
	Local bool
}

// May reports whether the identity holds a scope.
func (id Identity) May(s Scope) bool {
	return slices.Contains(id.Scopes, s) || (s == ScopeRead && slices.Contains(id.Scopes, ScopeWrite))
}

type contextKey struct{}

// With puts an identity into a context.
func With(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, contextKey{}, id)
}

// From reads the identity of a request; ok is false when nobody was
// authorized, and then everything must be refused.
func From(ctx context.Context) (id Identity, ok bool) {
	id, ok = ctx.Value(contextKey{}).(Identity)
	return id, ok && id.User != ""
}

// Reasons why an authorizer context is not an identity.
var (
	ErrInvalidToken = errors.New("invalid_token")
	ErrUnavailable  = errors.New("identity store unavailable")
)

// Parse reads the authorizer context of an API Gateway event: a flat map of
// strings (auth.md). Anything missing or malformed is ErrInvalidToken, so that
// the answer is a refusal and never an allow: an end given as a number must not
// become no end.
func Parse(lambda map[string]any) (Identity, error) {
	get := func(key string) string { s, _ := lambda[key].(string); return s }
	switch get("auth") {
	case "ok":
	case "unavailable":
		return Identity{}, ErrUnavailable
	default:
		return Identity{}, ErrInvalidToken
	}
	for key := range (Token{Host: "-"}).Context() { // others a gateway may add
		v, given := lambda[key]
		if _, isText := v.(string); given && !isText {
			return Identity{}, fmt.Errorf("%w: %s is no text", ErrInvalidToken, key)
		}
	}
	id := Identity{
		User: get("user"), Athlete: get("athlete"), Athletes: split(get("athletes"), ","),
		Coach: get("coach") == "true", Connection: get("connection"), Client: get("client"), Host: get("host"),
		Toolset: Toolset(get("toolset")), Confirm: Confirm(get("confirm")),
	}
	if id.User == "" || id.Athlete == "" {
		return Identity{}, fmt.Errorf("%w: user or athlete is missing", ErrInvalidToken)
	}
	for _, s := range split(get("scopes"), " ") {
		id.Scopes = append(id.Scopes, Scope(s))
	}
	if !id.May(ScopeRead) {
		return Identity{}, fmt.Errorf("%w: no scope", ErrInvalidToken)
	}
	if id.Toolset != ToolsetFull {
		id.Toolset = ToolsetCore
	}
	if !id.Confirm.valid() {
		id.Confirm = ConfirmAll
	}
	if exp := get("exp"); exp != "" {
		sec, err := strconv.ParseInt(exp, 10, 64)
		if err != nil {
			return Identity{}, fmt.Errorf("%w: exp is no number", ErrInvalidToken)
		}
		id.Expires = time.Unix(sec, 0)
	}
	return id, nil
}

func split(s, sep string) []string {
	var out []string
	for part := range strings.SplitSeq(s, sep) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
