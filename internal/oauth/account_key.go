package oauth

import (
	"errors"
	"net/http"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/secrets"
)

// key is GET /account/key.
func (v *visit) key() { v.showKey(http.StatusOK, "", "") }

func (v *visit) showKey(status int, test pages.KeyTest, problem pages.SignInProblem) {
	p := &pages.Key{Test: test, Problem: problem}
	cred, err := v.site.Keys.Credential(v.r.Context(), v.user.ID)
	switch kind := secrets.KindOf(err); {
	case err == nil:
		p.ByOAuth = cred.APIKey.IsZero()
		if p.Stored = v.local(cred.Stored); p.Stored.IsZero() { // stored by an older release
			p.Stored = v.local(v.user.Created)
		}
	case kind == secrets.Missing || kind == secrets.Empty || kind == secrets.Malformed:
		// To give it again mends all three.
	default:
		v.broken(err)
		return
	}
	p.Frame = v.frame(areaKey)
	v.show(status, p)
}

// testKey is POST /account/key/test.
func (v *visit) testKey() {
	if !v.accept(areaKey) || !v.allowed("key", v.user.ID, testsOfUser) {
		return
	}
	cred, err := v.site.Keys.Credential(v.r.Context(), v.user.ID)
	switch {
	case errors.Is(err, secrets.ErrNotFound):
		v.showKey(http.StatusOK, "", "")
		return
	case err != nil:
		v.broken(err)
		return
	}
	p := v.site.prove(v.r.Context(), cred)
	v.cause = p.err
	switch {
	case p.problem == pages.SignInRefused, p.problem == "" && identity.UserID(p.athlete.ID()) != v.user.ID:
		v.showKey(http.StatusOK, pages.KeyRefused, "")
	case p.problem != "":
		v.showKey(http.StatusOK, pages.KeyUnreachable, "")
	default:
		v.showKey(http.StatusOK, pages.KeyGood, "")
	}
}

// replaceKey is POST /account/key/replace: by a key of the same athlete only.
func (v *visit) replaceKey() {
	if !v.accept(areaKey) {
		return
	}
	key := v.field(pages.FieldKey)
	cred := secrets.Credential{APIKey: secrets.New(key)}
	if key == "" {
		v.showKey(http.StatusBadRequest, "", pages.SignInEmpty)
		return
	}
	if _, err := secrets.Encode(secrets.Key{APIKey: cred.APIKey}); err != nil {
		v.showKey(http.StatusBadRequest, "", pages.SignInRefused)
		return
	}
	if !v.allowed("key", v.user.ID, testsOfUser) {
		return
	}
	p := v.site.prove(v.r.Context(), cred)
	v.cause = p.err
	switch {
	case p.problem != "":
		v.showKey(signInStatus(p.problem), "", p.problem)
		return
	case identity.UserID(p.athlete.ID()) != v.user.ID:
		v.showKey(http.StatusConflict, pages.KeyOther, "")
		return
	}
	if !v.keepKey(v.user, cred) {
		return
	}
	v.done(pages.PathKey, noticeReplaced)
}

// forgetKey is POST /account/key/forget: the key is deleted and everything that
// was connected ends. The person stays signed in here, in this browser alone.
func (v *visit) forgetKey() {
	if !v.accept(areaKey) {
		return
	}
	if v.field(pages.FieldSure) != "yes" {
		v.showKey(http.StatusBadRequest, "", "")
		return
	}
	ctx := v.r.Context()
	if err := v.site.Keys.Delete(ctx, v.user.ID); err != nil {
		v.broken(err)
		return
	}
	if _, err := v.site.Identity.RevokeTokens(ctx, v.user.ID); err != nil {
		v.broken(err)
		return
	}
	u, err := v.site.Identity.User(ctx, v.user.ID)
	if err == nil {
		err = v.admitTo(u, v.session.Zone)
	}
	if err != nil {
		v.broken(err)
		return
	}
	v.done(pages.PathKey, noticeForgotten)
}
