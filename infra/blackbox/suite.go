package blackbox

import "testing"

// Suite checks every rule against a target.
func Suite(t *testing.T, target Target) {
	r := newRig(target)
	if got := r.send(t, sent{}); got.status != 200 {
		t.Fatalf("%s does not take the token: %d %.300s", r.URL, got.status, r.hide(got.body))
	}
	for _, c := range []struct {
		rule  string
		check func(*testing.T, *rig)
	}{
		// Bearer tokens; reference/mcp/02 R3 to R5
		{"without a token there is 401 in JSON and nothing is run", withoutToken},
		{"a token that is not in force gets 401 with the challenge and the same facts in the body", wrongTokens},
		{"unknown, malformed and expired tokens cannot be told apart", alike},
		{"the scheme's letters may be large or small, and no other scheme is taken", scheme},
		{"two Authorization headers are none", twoHeaders},
		{"a token anywhere but in the header counts for nothing", elsewhere},
		{"every request is authorized for itself", everyRequest},
		{"a revoked token is refused at its next request", revoked},
		{"without the identity store there is 503 with Retry-After, and nobody is let in", storeDown},

		// The authorizer's context
		{"headers a client forges change nothing", forged},
		{"a client's words about the connection are not repeated", repeated},
		{"a user reaches their own athlete and no other user's", otherUser},
		{"a coach's token reaches the athletes chosen for it", coach},

		// Scopes; R6 to R8
		{"a read connection is offered no tool that writes", readerIsOffered},
		{"a call without the scope is 403 insufficient_scope and names what is needed", insufficientScope},
		{"no spelling of a call gets a read connection to write", spellings},
		{"a tool outside the toolset says which toolset has it", toolset},

		// The edge
		{"a foreign Origin is refused", origin},
		{"GET and DELETE get 405 with Allow", methods},
		{"an unknown path gets JSON that names the endpoint", paths},
		{"a body over the limit gets 413", oversize},
		{"a header of 12 KB is no way in", longHeader},
		{"a malformed message gets 400", malformed},

		// The protocol, both eras
		{"initialize answers every version before 2026-07-28, without a session", initialize},
		{"server/discover answers version 2026-07-28", discover},
		{"tools/list gives whole declarations, in both eras alike", lists},
		{"a read answers", reads},
		{"an API key among the arguments is neither used nor repeated", keyArgument},
		{"a write is applied, read back and undone", writes},
	} {
		t.Run(c.rule, func(t *testing.T) { c.check(t, r) })
	}
}
