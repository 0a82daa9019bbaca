package oauth

import (
	"errors"
	"net/http"
	"slices"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/pages"
)

// inForce lists the person's connections that work.
func (v *visit) inForce() ([]identity.Connection, error) {
	list, err := v.site.Identity.Connections(v.r.Context(), v.user.ID)
	return slices.DeleteFunc(list, func(c identity.Connection) bool { return c.Usable(v.site.now()) != nil }), err
}

func (v *visit) connectionView(c identity.Connection, names map[string]string) pages.Connection {
	out := pages.Connection{ID: c.ID, Client: v.site.clientOfConnection(c), Permissions: permissionsOf(c.Permissions()),
		Created: v.local(c.Created), LastUsed: v.local(c.LastUsed)}
	if v.user.Coach {
		out.Athletes = named(c.Athletes, names)
	}
	return out
}

func named(ids []string, names map[string]string) (out []pages.Athlete) {
	for _, id := range ids {
		out = append(out, pages.Athlete{ID: id, Name: names[id]})
	}
	return out
}

// namesOnce are the names of a coach's athletes, for pages that show them.
func (v *visit) namesOnce(wanted bool) map[string]string {
	if !v.user.Coach || !wanted {
		return nil
	}
	return v.names()
}

// connections is GET /account.
func (v *visit) connections() {
	list, err := v.inForce()
	if err != nil {
		v.broken(err)
		return
	}
	names := v.namesOnce(len(list) > 0)
	p := &pages.Connections{Frame: v.frame(areaConnections), MCPURL: v.place.resource()}
	for _, c := range list {
		p.Connections = append(p.Connections, v.connectionView(c, names))
	}
	v.show(http.StatusOK, p)
}

// theConnection gives the one that the path names.
func (v *visit) theConnection() (identity.Connection, bool) {
	list, err := v.inForce()
	if err != nil {
		v.broken(err)
		return identity.Connection{}, false
	}
	i := slices.IndexFunc(list, func(c identity.Connection) bool { return c.ID == v.args[0] })
	if i < 0 {
		v.fail(pages.NotFound)
		return identity.Connection{}, false
	}
	return list[i], true
}

// connection is GET /account/connections/{id}.
func (v *visit) connection() {
	if c, ok := v.theConnection(); ok {
		v.editConnection(http.StatusOK, c, c.Permissions(), "")
	}
}

func (v *visit) editConnection(status int, c identity.Connection, chosen identity.Permissions, problem string) {
	view := v.connectionView(c, nil)
	view.Permissions = permissionsOf(chosen)
	if chosen.Athletes == nil {
		chosen.Athletes = c.Athletes
	}
	v.show(status, &pages.EditConnection{Frame: v.frame(areaConnections), Connection: view, MayWrite: true, Athletes: v.athletes(chosen.Athletes),
		Some: v.field(pages.FieldWho) == pages.WhoSome, Problem: problem})
}

// changeConnection is POST /account/connections/{id}.
func (v *visit) changeConnection() {
	if !v.accept(areaConnections) {
		return
	}
	c, ok := v.theConnection()
	if !ok {
		return
	}
	// The person may give more than the client asked for: it sees its scopes in
	// the next answer to a refresh (RFC 6749 5.1).
	chosen, problem := v.permissions(true)
	if problem != "" {
		v.editConnection(http.StatusBadRequest, c, chosen, problem)
		return
	}
	_, err := v.site.Identity.ChangeConnection(v.r.Context(), v.user.ID, c.ID, chosen)
	switch {
	case errors.Is(err, identity.ErrNoConnection):
		v.fail(pages.NotFound)
	case errors.As(err, new(*identity.InputError)):
		v.editConnection(http.StatusBadRequest, c, chosen, "What you chose cannot be granted. Choose again.")
	case err != nil:
		v.broken(err)
	default:
		v.done(pages.PathAccount, noticeChanged)
	}
}

// revokeConnection is POST /account/connections/{id}/revoke.
func (v *visit) revokeConnection() {
	if !v.accept(areaConnections) {
		return
	}
	err := v.site.Identity.RevokeConnection(v.r.Context(), v.user.ID, v.args[0])
	switch {
	case errors.Is(err, identity.ErrNoConnection):
		v.fail(pages.NotFound)
	case err != nil:
		v.broken(err)
	default:
		v.done(pages.PathAccount, noticeRevoked)
	}
}
