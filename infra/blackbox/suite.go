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
		need  need
	}{
		// Bearer tokens; reference/mcp/02 R3 to R5
		{"without a token there is 401 in JSON and nothing is run", withoutToken, nothing},
		{"a token that is not in force gets 401 with the challenge and the same facts in the body", wrongTokens, nothing},
		{"unknown, malformed and expired tokens cannot be told apart", alike, nothing},
		{"the scheme's letters may be large or small, and no other scheme is taken", scheme, nothing},
		{"two Authorization headers are none", twoHeaders, realGateway},
		{"a token anywhere but in the header counts for nothing", elsewhere, nothing},
		{"every request is authorized for itself", everyRequest, nothing},
		{"a revoked token is refused at its next request", revoked, revoking},
		{"without the identity store there is 503 with Retry-After, and nobody is let in", storeDown, breaking},

		// The authorizer's context
		{"headers a client forges change nothing", forged, nothing},
		{"a client's words about the connection are not repeated", repeated, nothing},
		{"a user reaches their own athlete and no other user's", otherUser, second},
		{"a coach's token reaches the athletes chosen for it", coach, coaching},

		// Scopes; R6 to R8
		{"a read connection is offered no tool that writes", readerIsOffered, reading},
		{"a call without the scope is 403 insufficient_scope and names what is needed", insufficientScope, reading},
		{"no spelling of a call gets a read connection to write", spellings, reading},
		{"a tool outside the toolset says which toolset has it", toolset, coreTools},

		// The edge
		{"a foreign Origin is refused", origin, nothing},
		{"GET and DELETE get 405 with Allow", methods, nothing},
		{"an unknown path gets JSON that names the endpoint", paths, nothing},
		{"a body over the limit gets 413", oversize, nothing},
		{"a header of 12 KB is no way in", longHeader, nothing},
		{"a malformed message gets 400", malformed, nothing},

		// The protocol, both eras
		{"initialize answers every version before 2026-07-28, without a session", initialize, nothing},
		{"server/discover answers version 2026-07-28", discover, nothing},
		{"tools/list gives whole declarations, in both eras alike", lists, nothing},
		{"a read answers", reads, nothing},
		{"an API key among the arguments is neither used nor repeated", keyArgument, nothing},
		{"a write is applied, read back and taken away", writes, writing},

		// Changes; safety.md 2 and 7
		{"a write is shown first, made by its own confirmation once, listed, and undone", previewed, writing},
		{"a confirmation with the wrong summary writes nothing, and five of them drop the plan", wrongSummary, writing},
		{"used twice at one instant a confirmation writes once", atOnce, writing},
		{"forged headers and arguments skip no preview", unskipped, writing},
		{"a confirmation is good for its own connection only", foreignConfirmation, strangers},
		{"nobody else lists or undoes what a user changed", foreignUndo, strangers},
		{"each setting shows first what it says, and no more", settings, settled},
		{"with the setting person no assistant can confirm", onlyThePerson, personal},
		{"an athlete sees what a coach changed, and only the coach takes it back", coached, coachedToo},
	} {
		if c.need.offered != nil && !c.need.offered(r) {
			t.Logf("left out, for want of %s: %s", c.need.what, c.rule)
			continue
		}
		t.Run(c.rule, func(t *testing.T) {
			if r.Emulated { // sam local takes a second for each request, but several at a time
				t.Parallel()
			}
			c.check(t, r)
		})
	}
}

// need is what a check needs beside a URL and a token. Without it the check is
// left out; that is no skipped test, since nothing was expected.
type need struct {
	what    string
	offered func(*rig) bool
}

var (
	nothing     = need{}
	revoking    = need{"a way to make and revoke a token", func(r *rig) bool { return r.Create != nil && r.Revoke != nil }}
	breaking    = need{"a way to take the identity store away", func(r *rig) bool { return r.Break != nil && r.Mend != nil }}
	settled     = need{"a connection with each setting", func(r *rig) bool { return r.Writes && r.Destructive != "" && r.Never != "" }}
	personal    = need{"a connection whose person approves", func(r *rig) bool { return r.Writes && r.Person != "" }}
	coachedToo  = need{"a coach and the athlete whom they coach", func(r *rig) bool { return r.Writes && r.Coach.Token != "" && r.Coach.Own != "" }}
	second      = need{"a second user", func(r *rig) bool { return r.Other != "" }}
	strangers   = need{"a second user, and a fake to write to", func(r *rig) bool { return r.Writes && r.Other != "" && r.Core != "" }}
	coaching    = need{"a coach", func(r *rig) bool { return r.Coach.Token != "" }}
	reading     = need{"a read connection", func(r *rig) bool { return r.Reader != "" }}
	coreTools   = need{"a connection with the core toolset", func(r *rig) bool { return r.Core != "" }}
	writing     = need{"a fake to write to", func(r *rig) bool { return r.Writes }}
	realGateway = need{"a gateway that joins headers (sam local keeps one of a name)", func(r *rig) bool { return !r.Emulated }}
)
