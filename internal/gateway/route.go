package gateway

import "strings"

// Route is a way from the gateway to a function.
type Route struct {
	Key        string // "ANY /mcp", "GET /.well-known/{proxy+}", "$default"
	Function   string // logical id in template.yaml
	Authorized bool   // the authorizer is asked first
}

// Routes are those of template.yaml.
func Routes() []Route {
	return []Route{
		{Key: "ANY /mcp", Function: "McpFunction", Authorized: true},
		{Key: "GET /", Function: "OauthFunction"},
		{Key: "GET /.well-known/{proxy+}", Function: "OauthFunction"},
		{Key: "GET /authorize", Function: "OauthFunction"},
		{Key: "POST /authorize", Function: "OauthFunction"},
		{Key: "POST /token", Function: "OauthFunction"},
		{Key: "POST /register", Function: "OauthFunction"},
		{Key: "POST /revoke", Function: "OauthFunction"},
		{Key: "GET /account", Function: "OauthFunction"},
		{Key: "POST /account", Function: "OauthFunction"},
		{Key: "GET /account/{proxy+}", Function: "OauthFunction"},
		{Key: "POST /account/{proxy+}", Function: "OauthFunction"},
		{Key: "GET /invite/{code}", Function: "OauthFunction"},
		{Key: "GET /callback", Function: "OauthFunction"},
		{Key: "GET /assets/{proxy+}", Function: "OauthFunction"},
		{Key: "$default", Function: "McpFunction"},
	}
}

const (
	defaultKey = "$default"
	greedy     = "{proxy+}"
)

// match finds the route of a request as API Gateway does: a full match first,
// then one with a greedy variable, then $default. The value of a variable is
// given.
func match(routes []Route, method, path string) (found Route, proxy string, ok bool) {
	best := 0
	for _, r := range routes {
		rank, rest := r.rank(method, path)
		if rank > best {
			best, found, proxy = rank, r, rest
		}
	}
	return found, proxy, best > 0
}

// rank says how well a route fits, 0 = not at all.
func (r Route) rank(method, path string) (rank int, proxy string) {
	if r.Key == defaultKey {
		return 1, ""
	}
	want, pattern, _ := strings.Cut(r.Key, " ")
	if want != "ANY" && want != method {
		return 0, ""
	}
	exact := 0
	if want != "ANY" {
		exact = 1
	}
	if prefix, isGreedy := strings.CutSuffix(pattern, greedy); isGreedy {
		rest, fits := strings.CutPrefix(path, prefix)
		if !fits || rest == "" {
			return 0, ""
		}
		return 2 + exact, rest
	}
	if prefix, _, one := strings.Cut(pattern, "{"); one { // a variable for one segment, the last
		rest, fits := strings.CutPrefix(path, prefix)
		if !fits || rest == "" || strings.Contains(rest, "/") {
			return 0, ""
		}
		return 4 + exact, rest
	}
	if path != pattern {
		return 0, ""
	}
	return 4 + exact, ""
}

// variable is the name of a route's path variable: "proxy" of {proxy+}.
func (r Route) variable() string {
	_, name, _ := strings.Cut(r.Key, "{")
	return strings.TrimRight(name, "+}")
}
