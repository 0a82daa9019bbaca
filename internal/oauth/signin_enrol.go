package oauth

import (
	"context"
	"errors"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/secrets"
)

var errNotAdmitted = errors.New("oauth: the athlete may not enrol here")

// admitted says whether an athlete may come in: as a user, because the
// deployment admits them, or with an invitation, of which enrolling decides.
func (v *visit) admitted(athlete string, invitation secrets.Secret) (u identity.User, known bool, err error) {
	ctx := v.r.Context()
	u, err = v.site.Identity.User(ctx, identity.UserID(athlete))
	if err == nil || !errors.Is(err, identity.ErrNoUser) {
		return u, err == nil, err
	}
	ok, err := v.site.Admit(ctx, athlete)
	if err != nil || ok {
		return u, false, err
	}
	if invitation.IsZero() {
		return u, false, errNotAdmitted
	}
	_, err = v.site.Identity.Invitation(ctx, invitation)
	return u, false, err
}

// enrol makes a user of an athlete who is admitted. Whom a coach reaches is
// written out now; later ones are the operator's to add.
func (v *visit) enrol(a intervals.Athlete, cred secrets.Credential, invitation secrets.Secret) (identity.User, error) {
	ctx := v.r.Context()
	u := identity.User{ID: identity.UserID(a.ID()), Athlete: a.ID(), Name: nameOf(a)}
	admit, err := v.site.Admit(ctx, a.ID())
	if err != nil {
		return u, err
	}
	i, err := v.site.Identity.Invitation(ctx, invitation)
	switch {
	case err == nil && i.Coach && (i.Athlete == "" || identity.UserID(i.Athlete) == u.ID):
		u.Coach = true
		if u.Athletes = i.Athletes; len(u.Athletes) == 0 {
			u.Athletes = v.site.coached(ctx, cred, a.ID())
		}
	case admit && (err == nil || errors.Is(err, identity.ErrNoInvitation)):
		invitation = secrets.Secret{} // it stays good for somebody who needs it
		u.Athletes = v.site.coached(ctx, cred, a.ID())
		u.Coach = len(u.Athletes) > 0
	case err != nil:
		return u, err
	}
	added, err := v.site.Identity.Enrol(ctx, u, invitation)
	if errors.Is(err, identity.ErrExists) { // in another tab, at the same instant
		return v.site.Identity.User(ctx, u.ID)
	}
	return added, err
}

func nameOf(a intervals.Athlete) string {
	name := pages.Name(a.Name())
	if a.Name() == "" {
		name = ""
	}
	for len(name) > 100 {
		name = string([]rune(name)[:len([]rune(name))-1])
	}
	return name
}

// maxCoached bounds the list of a coach, as identity does.
const maxCoached = 200

// coached lists whom a key has rights on. That it cannot be read makes nobody a
// coach; an OAuth token reaches only its own athlete (auth.md).
func (s *Site) coached(ctx context.Context, cred secrets.Credential, own string) (ids []string) {
	if cred.APIKey.IsZero() {
		return nil
	}
	list, err := s.Upstream.Client(cred).Athletes(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "whom a key reaches cannot be listed", "error", err.Error())
		return nil
	}
	for _, a := range list {
		if a.ID() != own && a.ID() != "" && a.Coached() && len(ids) < maxCoached {
			ids = append(ids, a.ID())
		}
	}
	return ids
}
