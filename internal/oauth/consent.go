package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/oauth/redirect"
	"intervals-mcp/internal/secrets"
)

// authorize is GET /authorize: what a client asks for is put to the person.
func (v *visit) authorize() {
	a, err := v.site.Server.ParseAuthorize(v.r)
	if err != nil {
		v.refused(err)
		return
	}
	stale := !v.site.now().Before(v.session.issued().Add(loginLife))
	ask := !v.signedIn || a.Login && stale
	if !ask { // who has forgotten their key gives it again, or the client would reach nothing
		_, err := v.site.Keys.Credential(v.r.Context(), v.user.ID)
		ask = secrets.KindOf(err) == secrets.Missing
	}
	if ask {
		v.askKey(http.StatusOK, &pages.SignIn{Client: v.site.client(a), Next: pages.PathAuthorize + "?" + a.Query})
		return
	}
	v.consent(http.StatusOK, a, nil, "")
}

// refused answers a request that must not be put to anybody.
func (v *visit) refused(err error) {
	v.told = true
	v.cause = err
	Answer(v.w, v.r, err, func(reason Reason, _ string) { v.fail(pages.FailureKind(reason)) })
}

// client says who asks.
func (s *Site) client(a *AuthorizeRequest) *pages.Client {
	c := &pages.Client{Name: a.Client.Name, Host: a.ClientHost(), Verified: a.Client.Document}
	if _, own := s.Server.own[a.Client.ID]; own {
		c.Host, c.Verified = a.RedirectHost(), true
	}
	if c.Name == "" {
		c.Name = a.RedirectHost()
	}
	return c
}

// consent shows the page. chosen is what was chosen before something was
// missing.
func (v *visit) consent(status int, a *AuthorizeRequest, chosen *identity.Permissions, problem string) {
	handle, err := v.newFlow(a.Query)
	if err != nil {
		v.broken(err)
		return
	}
	may := slices.Contains(a.Scopes, identity.ScopeWrite)
	if chosen == nil {
		chosen = &identity.Permissions{Scopes: a.Scopes, Toolset: identity.ToolsetCore, Confirm: identity.ConfirmAll, Athletes: v.user.Athletes}
	}
	earlier, err := v.earlier(a)
	if err != nil {
		v.broken(err)
		return
	}
	v.show(status, &pages.Consent{Frame: v.frame(areaConsent), Client: *v.site.client(a), ReturnTo: a.Redirect, Flow: handle, MayWrite: may,
		Choice: permissionsOf(*chosen), Athletes: v.athletes(chosen.Athletes), Some: v.field(pages.FieldWho) == pages.WhoSome, Again: len(earlier) > 0, Problem: problem})
}

// earlier gives the connections that a new one replaces: those of the same
// client with the same address. Programs on people's own machines share both,
// and one of them must not end another's.
func (v *visit) earlier(a *AuthorizeRequest) (ids []string, err error) {
	if a.Loopback() {
		return nil, nil
	}
	list, err := v.site.Identity.Connections(v.r.Context(), v.user.ID)
	for _, c := range list {
		if c.Client == a.Client.ID && c.Redirect == a.Redirect && c.Usable(v.site.now()) == nil {
			ids = append(ids, c.ID)
		}
	}
	return ids, err
}

// decide is POST /authorize: the person's answer.
func (v *visit) decide() {
	if !v.signedIn {
		v.fail(pages.FormExpired)
		return
	}
	if !v.accept(areaConsent) {
		return
	}
	f, err := v.openFlow(v.field(pages.FieldFlow))
	if err != nil {
		v.fail(pages.FormExpired)
		return
	}
	a, err := v.site.Server.Resume(v.r.Context(), f.Query)
	if err != nil {
		v.refused(err)
		return
	}
	switch v.field(pages.FieldDecision) {
	case pages.DecisionCancel:
		if v.answers(f) {
			v.sendBack(v.site.Server.Deny(a, ""))
		}
	case pages.DecisionConnect:
		v.connect(f, a)
	default:
		v.fail(pages.BadRequest)
	}
}

func (v *visit) connect(f flow, a *AuthorizeRequest) {
	chosen, problem := v.permissions(slices.Contains(a.Scopes, identity.ScopeWrite))
	if problem != "" {
		v.consent(http.StatusBadRequest, a, &chosen, problem)
		return
	}
	earlier, err := v.earlier(a)
	if err != nil {
		v.broken(err)
		return
	}
	if !v.answers(f) {
		return
	}
	back, err := v.grant(a, chosen, earlier)
	var full *identity.TooManyConnectionsError
	var limit *Error
	switch {
	case errors.As(err, &full):
		v.consent(http.StatusConflict, a, &chosen, fmt.Sprintf("You have %d connections, which is as many as there can be. Revoke one on your account page first, such as %s, which was not used for the longest time.",
			identity.MaxConnections, pages.Name(full.Oldest.Name)))
	case errors.As(err, new(*identity.InputError)):
		v.cause = err
		v.consent(http.StatusBadRequest, a, &chosen, "What you chose cannot be granted. Choose again.")
	case errors.As(err, &limit):
		v.cause = err
		v.fail(pages.FailureKind(reasonOf(limit)))
	case err != nil:
		v.broken(err)
	default:
		v.sendBack(back)
	}
}

// grant makes the connection that takes the place of earlier ones. They end when
// it is made, so that a limit or a store that fails costs nobody what they have,
// or before it where they must make room.
func (v *visit) grant(a *AuthorizeRequest, chosen identity.Permissions, earlier []string) (back string, err error) {
	to := Choices{User: v.user.ID, Permissions: chosen}
	back, err = v.site.Server.Grant(v.r.Context(), a, to)
	if len(earlier) > 0 && errors.As(err, new(*identity.TooManyConnectionsError)) {
		if err = v.revokeAll(earlier); err == nil {
			back, err = v.site.Server.Grant(v.r.Context(), a, to)
		}
	}
	if err == nil {
		err = v.revokeAll(earlier)
	}
	return back, err
}

func (v *visit) sendBack(to string) {
	v.told = true
	SendBack(v.w, v.r, to)
}

func (v *visit) revokeAll(ids []string) error {
	for _, id := range ids {
		if err := v.site.Identity.RevokeConnection(v.r.Context(), v.user.ID, id); err != nil && !errors.Is(err, identity.ErrNoConnection) {
			return err
		}
	}
	return nil
}

// permissions reads what was chosen in a form. A coach's list is always written
// out; nobody else has one.
func (v *visit) permissions(mayWrite bool) (p identity.Permissions, problem string) {
	switch v.field(pages.FieldScope) {
	case "read":
		p.Scopes = []identity.Scope{identity.ScopeRead}
	case "write":
		p.Scopes = []identity.Scope{identity.ScopeRead, identity.ScopeWrite}
	}
	p.Toolset, p.Confirm = identity.Toolset(v.field(pages.FieldToolset)), identity.Confirm(v.field(pages.FieldConfirm))
	if p.Confirm == "" { // not asked of a reader
		p.Confirm = identity.ConfirmAll
	}
	if v.user.Coach {
		if p.Athletes, problem = v.chosenAthletes(); problem != "" {
			return p, problem
		}
	}
	switch {
	case len(p.Scopes) == 0:
		problem = "Choose whether it may write or only read."
	case len(p.Scopes) == 2 && !mayWrite:
		p.Scopes, problem = p.Scopes[:1], "It did not ask to write. Choose read only."
	case p.Toolset != identity.ToolsetCore && p.Toolset != identity.ToolsetFull:
		p.Toolset, problem = identity.ToolsetCore, "Choose how many tools it gets."
	case !slices.Contains([]identity.Confirm{identity.ConfirmAll, identity.ConfirmDestructive, identity.ConfirmNever, identity.ConfirmPerson}, p.Confirm):
		p.Confirm, problem = identity.ConfirmAll, "Choose when it must ask before a change."
	}
	return p, problem
}

// chosenAthletes are those whom a coach chose. Everybody means everybody of
// now: the list is written out, and nobody joins it later (auth.md).
func (v *visit) chosenAthletes() (chosen []string, problem string) {
	chosen = []string{}
	who := v.field(pages.FieldWho)
	switch who {
	case pages.WhoAll:
		return append(chosen, v.user.Athletes...), ""
	case pages.WhoSelf:
		return chosen, ""
	}
	for _, id := range v.r.PostForm[pages.FieldAthlete] {
		if !slices.Contains(v.user.Athletes, id) {
			return chosen, "An athlete was chosen whom you do not coach here. Choose again."
		}
		chosen = append(chosen, id)
	}
	if len(chosen) == 0 && who == pages.WhoSome {
		return chosen, "Tick the athletes it may reach, or choose None of them."
	}
	return chosen, ""
}

func permissionsOf(p identity.Permissions) pages.Permissions {
	return pages.Permissions{Write: slices.Contains(p.Scopes, identity.ScopeWrite), Full: p.Toolset == identity.ToolsetFull, Confirm: string(p.Confirm)}
}

// athletes lists whom a coach may choose; nobody where the person is no coach.
func (v *visit) athletes(chosen []string) []pages.Athlete {
	if !v.user.Coach {
		return nil
	}
	names := v.names()
	var list []pages.Athlete
	for _, id := range v.user.Athletes {
		list = append(list, pages.Athlete{ID: id, Name: names[id], Chosen: slices.Contains(chosen, id)})
	}
	slices.SortStableFunc(list, func(a, b pages.Athlete) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// names are those of a coach's athletes, as Intervals.icu has them; none when it
// does not answer, and then their ids must do.
func (v *visit) names() map[string]string {
	ctx, cancel := context.WithTimeout(v.r.Context(), 5*time.Second)
	defer cancel()
	cred, err := v.site.Keys.Credential(ctx, v.user.ID)
	if err != nil || cred.APIKey.IsZero() {
		return nil
	}
	list, err := v.site.Upstream.Client(cred).Athletes(ctx)
	if err != nil {
		v.site.Log.WarnContext(ctx, "athletes' names cannot be read", "error", err.Error())
		return nil
	}
	names := make(map[string]string, len(list))
	for _, a := range list {
		names[a.ID()] = a.Name()
	}
	return names
}

// clientOfConnection says who a connection belongs to.
func (s *Site) clientOfConnection(c identity.Connection) pages.Client {
	out := pages.Client{Name: c.Name}
	switch _, own := s.Server.own[c.Client]; {
	case own:
		out.Host, out.Verified = c.Host(), true
	case strings.HasPrefix(c.Client, "https://"): // only documents have addresses for ids
		out.Host, out.Verified = redirect.Host(c.Client), true
	}
	return out
}
