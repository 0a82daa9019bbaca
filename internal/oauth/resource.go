package oauth

import (
	"net/url"
	"slices"
	"strings"

	"intervals-mcp/internal/identity"
)

// checkResource applies RFC 8707 2 to the resource parameters of a request: all
// of them must name our endpoint, and none at all means it too. A slash at the
// end, letters in upper case in scheme and host, and the scheme's own port make
// no difference (reference/mcp/02 R10); a path that goes on or differs in any
// other byte is another resource.
func (p Place) checkResource(asked []string) *Error {
	ours, _ := canonicalResource(p.resource())
	for _, r := range asked {
		if r == "" { // as good as left out (RFC 6749 3.1)
			continue
		}
		if canonical, ok := canonicalResource(r); !ok || canonical != ours {
			return refuse(codeInvalidTarget, "The resource must be "+p.resource()+", the MCP endpoint of this server.")
		}
	}
	return nil
}

func canonicalResource(s string) (string, bool) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || strings.ContainsAny(s, "#?@\\") || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", false
	}
	host, path, _ := strings.Cut(rest, "/")
	scheme, host = strings.ToLower(scheme), strings.ToLower(host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host + "/" + strings.TrimSuffix(path, "/"), true
}

// allScopes is what a client is offered, and what one that asks for nothing in
// particular may be given.
var allScopes = []identity.Scope{identity.ScopeRead, identity.ScopeWrite}

// ignoredScopes are asked for out of habit and mean nothing here: refresh
// tokens are given to everybody.
var ignoredScopes = []string{"offline_access", "openid", "profile", "email"}

// parseScope reads a scope parameter (RFC 6749 3.3): what is known of it, in
// our order. Words that are not known are left out, as the RFC allows, unless
// nothing is left.
func parseScope(s string) ([]identity.Scope, *Error) {
	asked := strings.Fields(s)
	var scopes []identity.Scope
	for _, known := range allScopes {
		if slices.Contains(asked, string(known)) {
			scopes = append(scopes, known)
		}
	}
	foreign := slices.ContainsFunc(asked, func(a string) bool { return !slices.Contains(ignoredScopes, a) })
	switch {
	case len(scopes) > 0:
		return scopes, nil
	case foreign:
		return nil, refuse(codeInvalidScope, "The scopes here are read and write.")
	}
	return slices.Clone(allScopes), nil
}

// within reports whether nothing is given that was not asked for. Write holds
// read (auth.md).
func within(given, asked []identity.Scope) bool {
	for _, s := range given {
		if !slices.Contains(asked, s) && (s != identity.ScopeRead || !slices.Contains(asked, identity.ScopeWrite)) {
			return false
		}
	}
	return len(given) > 0
}

func scopeText(scopes []identity.Scope) string {
	var b strings.Builder
	for i, s := range scopes {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(s))
	}
	return b.String()
}

// single gives the one value of each parameter, and the name of one that comes
// twice (RFC 6749 3.1, 3.2). A parameter without a value counts as not sent.
// Resource may come several times (RFC 8707 2).
func single(values url.Values) (one map[string]string, twice string) {
	one = make(map[string]string, len(values))
	for name, all := range values {
		if len(all) > 1 && name != "resource" {
			twice = name
		}
		if len(all) > 0 && all[0] != "" {
			one[name] = all[0]
		}
	}
	return one, twice
}
