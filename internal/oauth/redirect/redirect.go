package redirect

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what one client may register.
const (
	MaxLength = 512
	MaxCount  = 10
)

// responseParameters are what the answer adds: an address that has one of them
// already would carry it twice.
var responseParameters = []string{"code", "state", "iss", "error", "error_description", "error_uri"}

// Check says why an address cannot be registered, in words for the client's
// maker: https to a named host, or http to this very machine, written in the
// one way in which everybody reads it alike (reference/mcp/02 A4).
func Check(uri string) error {
	scheme, rest, ok := strings.Cut(uri, "://")
	switch {
	case len(uri) > MaxLength:
		return errors.New("a redirect URI has at most " + strconv.Itoa(MaxLength) + " bytes")
	case strings.ContainsFunc(uri, func(c rune) bool { return c <= ' ' || c > '~' }):
		return errors.New("a redirect URI is written in ASCII, without spaces")
	case strings.ContainsAny(uri, "\\\"<>^`{|}*"):
		return errors.New(`a redirect URI has none of \ " < > ^ { | } * and no backtick`)
	case strings.Contains(uri, "#"):
		return errors.New("a redirect URI has no fragment (RFC 6749 3.1.2)")
	case !ok || scheme != "https" && scheme != "http":
		return errors.New("a redirect URI begins with https:// (or http:// on localhost)")
	}
	authority, path := split(rest)
	host, err := checkAuthority(authority)
	if err != nil {
		return err
	}
	if scheme == "http" && !loopbackHost(host) {
		return errors.New("a redirect URI with http goes to localhost, 127.0.0.1 or [::1] only")
	}
	return checkPath(path)
}

// split parts what follows "://" into authority and the rest.
func split(s string) (authority, rest string) {
	if i := strings.IndexAny(s, "/?"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// checkAuthority accepts a host in its one spelling, and a port.
func checkAuthority(authority string) (host string, err error) {
	if strings.ContainsAny(authority, "@%") {
		return "", errors.New("a redirect URI names no user and encodes nothing in its host")
	}
	host, port, hasPort := cutPort(authority)
	if n, err := strconv.Atoi(port); hasPort && (err != nil || n < 1 || n > 65535 || strconv.Itoa(n) != port) {
		return "", errors.New("the port of a redirect URI is a number from 1 to 65535")
	}
	if !validHost(host) {
		return "", errors.New("the host of a redirect URI is a name in lower case or an IP address in its usual form")
	}
	return host, nil
}

// cutPort parts "host:port"; the brackets of IPv6 stay with the host.
func cutPort(authority string) (host, port string, found bool) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || i < strings.LastIndexByte(authority, ']') {
		return authority, "", false
	}
	return authority[:i], authority[i+1:], true
}

func validHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return err == nil && a.Is6() && !a.Is4In6() && "["+a.String()+"]" == host
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a.String() == host
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	// A browser reads a last label of digits as an IP address in decimal, octal
	// or hexadecimal (WHATWG URL, "ends in a number").
	last := labels[len(labels)-1]
	return len(host) <= 253 && (last[0] < '0' || last[0] > '9')
}

// checkPath refuses what a browser or a server on the way may read as another
// path, and parameters of the answer.
func checkPath(rest string) error {
	path, query, _ := strings.Cut(rest, "?")
	for segment := range strings.SplitSeq(path, "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "." || plain == ".." || strings.ContainsAny(plain, "/\\%\x00") {
			return errors.New("the path of a redirect URI has no . or .. and encodes no slash")
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("the query of a redirect URI cannot be read")
	}
	for _, p := range responseParameters {
		if values.Has(p) {
			return errors.New("the query of a redirect URI has no " + p + ", which the answer adds")
		}
	}
	return nil
}

// Match reports whether an address of a request is one of those registered:
// equal byte for byte, or on this machine and equal but for the port.
func Match(registered []string, asked string) bool {
	if Check(asked) != nil {
		return false
	}
	if slices.Contains(registered, asked) {
		return true
	}
	if !Loopback(asked) {
		return false
	}
	want := withoutPort(asked)
	return slices.ContainsFunc(registered, func(r string) bool { return Loopback(r) && withoutPort(r) == want })
}

// withoutPort drops the port of an address that Check accepts.
func withoutPort(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "://")
	authority, path := split(rest)
	host, _, _ := cutPort(authority)
	return scheme + "://" + host + path
}

// Loopback reports whether an address is plain http to the person's own
// machine: any program there may listen, so the consent page warns
// (reference/mcp/02 A9).
func Loopback(uri string) bool {
	rest, ok := strings.CutPrefix(uri, "http://")
	return ok && loopbackHost(Host("http://"+rest))
}

func loopbackHost(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

// Host is the host of an address that Check accepts, without port.
func Host(uri string) string {
	host, _, _ := cutPort(authority(uri))
	return host
}

// Origin is scheme, host and port of an address that Check accepts.
func Origin(uri string) string {
	scheme, _, _ := strings.Cut(uri, "://")
	return scheme + "://" + authority(uri)
}

func authority(uri string) string {
	_, rest, _ := strings.Cut(uri, "://")
	a, _ := split(rest)
	return a
}

// With adds parameters of an answer to an address that Check accepts, in the
// order given and behind a query of its own.
func With(uri string, pairs ...string) string {
	var b strings.Builder
	b.WriteString(uri)
	sep := byte('?')
	if strings.Contains(uri, "?") {
		sep = '&'
		if uri[len(uri)-1] == '?' || uri[len(uri)-1] == '&' {
			sep = 0
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if sep != 0 {
			b.WriteByte(sep)
		}
		b.WriteString(pairs[i] + "=" + url.QueryEscape(pairs[i+1]))
		sep = '&'
	}
	return b.String()
}
