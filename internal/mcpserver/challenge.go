package mcpserver

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// allScopes is what a client should ask for (reference/mcp/02 R8: all that is
// needed, at once).
const allScopes = "read write"

const (
	missingToken = "A bearer token is needed, and this one is missing, wrong, expired or revoked."
	missingScope = "This needs the write scope."
)

// refusedBody is the JSON of a refusal: the facts of the challenge again,
// since a gateway may rename the header.
type refusedBody struct {
	Error            string              `json:"error"`
	Description      string              `json:"error_description,omitempty"`
	Scope            string              `json:"scope,omitempty"`
	ResourceMetadata string              `json:"resource_metadata,omitempty"`
	Message          string              `json:"message,omitempty"`
	Endpoint         string              `json:"mcp_endpoint,omitempty"`
	Meta             map[string][]string `json:"_meta,omitempty"`
}

// metaChallenge is where ChatGPT finds a challenge in a body
// (reference/mcp/05).
const metaChallenge = "mcp/www_authenticate"

// challenge answers 401. Without any token in the request the header has no
// error code (RFC 6750 3.1); the body always says what is wrong.
func (e *edge) challenge(a *answer, r *http.Request) {
	metadata := e.Metadata(r.Context())
	full := bearer("invalid_token", missingToken, metadata)
	if r.Header.Get("Authorization") == "" {
		setChallenge(a.Header(), bearer("", "", metadata))
	} else {
		setChallenge(a.Header(), full)
	}
	writeJSON(a, http.StatusUnauthorized, refusedBody{Error: "invalid_token", Description: missingToken,
		Scope: allScopes, ResourceMetadata: metadata, Message: missingToken, Meta: map[string][]string{metaChallenge: {full}}})
}

// scopeChallenge is the header of a 403 to a call whose scope is missing.
func (e *edge) scopeChallenge(ctx context.Context) string {
	return bearer("insufficient_scope", missingScope, e.Metadata(ctx))
}

// setChallenge writes the header's name as RFC 9110 does: a client was seen
// that did not find Go's Www-Authenticate (claude-ai-mcp#219).
func setChallenge(h http.Header, challenge string) {
	h["WWW-Authenticate"] = []string{challenge}
	h.Set("Cache-Control", "no-store")
}

// bearer writes a challenge (RFC 6750 3, RFC 9728 5.1); metadata is an absolute
// URL, since a relative one was seen refused in silence (claude-ai-mcp#136).
func bearer(code, description, metadata string) string {
	h := "Bearer "
	if code != "" {
		h += `error="` + code + `", error_description="` + description + `", `
	}
	if metadata != "" {
		h += `resource_metadata="` + metadata + `", `
	}
	return h + `scope="` + allScopes + `"`
}

func writeError(a *answer, status int, code, message string) {
	writeJSON(a, status, refusedBody{Error: code, Message: message})
}

func writeJSON(a *answer, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own plain structs come here
	}
	a.Header().Set("Content-Type", "application/json")
	a.WriteHeader(status)
	_, _ = a.Write(append(body, '\n'))
}

// accountPage is where people see what is connected, on a server with sign-in.
const accountPage = "/account"

// elsewhere answers on every path but the endpoint's.
func (e *edge) elsewhere(a *answer, r *http.Request) {
	a.ex.outcome("not found")
	endpoint := e.Endpoint(r.Context())
	where := endpoint
	if where == "" {
		where = Path
	}
	if e.Root && r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		a.ex.outcome("ok")
		writeJSON(a, http.StatusOK, map[string]string{"name": Name, "version": e.s.opts.Version, "mcp_endpoint": where,
			"message": "This is an MCP server for Intervals.icu training data. Give your MCP client the URL " + where + " and the bearer token of this server."})
		return
	}
	if r.URL.Path == accountPage+"/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) && e.Metadata(r.Context()) != "" {
		a.ex.outcome("ok")
		a.Header().Set("Location", accountPage) // of another function, whose route API Gateway keeps to the bare path
		a.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	message := "There is nothing here. The MCP endpoint is " + where + "."
	if strings.TrimRight(r.URL.Path, "/") == Path {
		message = "The MCP endpoint is " + where + ", without a slash at the end."
	}
	writeJSON(a, http.StatusNotFound, refusedBody{Error: "not_found", Message: message, Endpoint: where})
}

// originAllowed checks the Origin header, where there is one (MUST since
// 2025-11-25).
func (e *edge) originAllowed(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	own := strings.TrimSuffix(e.Endpoint(r.Context()), Path)
	if slices.Contains(e.AllowedOrigins, origins[0]) || (own != "" && origins[0] == own) {
		return true
	}
	if !e.Loopback {
		return false
	}
	u, err := url.Parse(origins[0])
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Path == "" &&
		u.RawQuery == "" && u.Fragment == "" && loopbackHost(u.Host)
}

// rebound reports a name other than this machine's on a connection to it.
func rebound(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && loopbackHost(local.String()) && !loopbackHost(r.Host)
}

func loopbackHost(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
