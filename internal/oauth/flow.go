package oauth

import (
	"time"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/state"
)

// flow is an authorization request on the consent page. It goes to the browser
// signed and comes back with the answer: bound to the session that was asked,
// good for ten minutes and for one answer (the state of the confused-deputy
// rules in reference/mcp/02). The request itself is read again from Query.
type flow struct {
	ID      string `json:"n"`
	Query   string `json:"q"`
	Session string `json:"s"` // nonce
	Issued  int64  `json:"i"`
}

func (v *visit) newFlow(query string) (string, error) {
	return v.keys.seal("flow", flow{ID: nonce(), Query: query, Session: v.session.Nonce, Issued: v.site.now().Unix()})
}

func (v *visit) openFlow(sealed string) (flow, error) {
	var f flow
	err := v.keys.open("flow", sealed, &f)
	if err == nil && (!v.signedIn || !sameText(f.Session, v.session.Nonce) || !v.site.now().Before(time.Unix(f.Issued, 0).Add(flowLife))) {
		err = errSeal
	}
	return f, err
}

// answers uses up the question that a form answers.
func (v *visit) answers(f flow) bool {
	ok, _, err := v.site.State.Allow(v.r.Context(), limitKey("flow", f.ID), 1, flowWindow(time.Unix(f.Issued, 0)))
	switch {
	case err != nil:
		v.broken(err)
	case !ok:
		v.fail(pages.FormExpired)
	}
	return ok && err == nil
}

// flowWindow is a window of counting that does not end while a flow can be
// answered, or a form sent again after its end would count as the first. All
// windows of one length end together (state.Window), and those of different
// primes do so within one flow's life once in 184 years.
func flowWindow(issued time.Time) time.Duration {
	for _, prime := range []time.Duration{2, 3, 5, 7, 11, 13, 17} {
		if _, end := state.Window(issued, prime*flowLife); !end.Before(issued.Add(flowLife)) {
			return prime * flowLife
		}
	}
	return 19 * flowLife
}
