package oauth

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/pages"
)

// tokensOfUser bounds how often one person makes a token.
var tokensOfUser = Rate{30, time.Hour}

// freshForm is what the form for a token holds at first: the least.
func (v *visit) freshForm() pages.TokenForm {
	return pages.TokenForm{Days: 90, Permissions: pages.Permissions{Confirm: string(identity.ConfirmAll)}, Athletes: v.athletes(v.user.Athletes)}
}

// tokens is GET /account/tokens.
func (v *visit) tokens() { v.showTokens(http.StatusOK, nil, v.freshForm(), "") }

func (v *visit) showTokens(status int, fresh *pages.FreshToken, form pages.TokenForm, problem string) {
	list, err := v.site.Identity.Tokens(v.r.Context(), v.user.ID)
	if err != nil {
		v.broken(err)
		return
	}
	from, _ := strconv.Atoi(v.r.URL.Query().Get(pages.FieldFrom)) // what is no number is the beginning
	p := &pages.Tokens{Frame: v.frame(areaTokens), From: from, Fresh: fresh, Form: form, MCPURL: v.place.resource(), Problem: problem}
	names := map[string]string{}
	for _, a := range form.Athletes {
		names[a.ID] = a.Name
	}
	for _, t := range list {
		if !t.Revoked.IsZero() {
			continue
		}
		view := pages.Token{ID: t.ID, Label: t.Client, Created: v.local(t.Created), Expires: v.local(t.Expires), LastUsed: v.local(t.LastUsed),
			Permissions: permissionsOf(identity.Permissions{Scopes: t.Scopes, Toolset: t.Toolset, Confirm: t.Confirm}),
			Expired:     errors.Is(t.Usable(v.site.now()), identity.ErrExpired)}
		if v.user.Coach {
			view.Athletes = named(t.Athletes, names)
		}
		p.Tokens = append(p.Tokens, view)
	}
	v.show(status, p)
}

// makeToken is POST /account/tokens. The answer is the only page that ever shows
// the token.
func (v *visit) makeToken() {
	if !v.accept(areaTokens) {
		return
	}
	chosen, problem := v.permissions(true)
	days, err := strconv.Atoi(v.field(pages.FieldDays))
	form := pages.TokenForm{Label: v.field(pages.FieldLabel), Days: days, Permissions: permissionsOf(chosen), Athletes: v.athletes(chosen.Athletes), Some: v.field(pages.FieldWho) == pages.WhoSome}
	switch {
	case form.Label == "":
		problem = "Say what the token is for, so that you know it later."
	case err != nil || !slices.Contains([]int{0, 30, 90, 365}, days):
		form.Days, problem = 90, "Choose how long it is good."
	}
	if problem != "" {
		v.showTokens(http.StatusBadRequest, nil, form, problem)
		return
	}
	if !v.allowed("tokens", v.user.ID, tokensOfUser) {
		return
	}
	secret, t, err := v.site.Identity.CreateToken(v.r.Context(), identity.Request{User: v.user.ID, Label: form.Label, Days: days,
		Scopes: chosen.Scopes, Toolset: chosen.Toolset, Confirm: chosen.Confirm, Athletes: chosen.Athletes})
	var input *identity.InputError
	switch {
	case errors.Is(err, identity.ErrTooMany):
		v.showTokens(http.StatusConflict, nil, form, "You have as many tokens as there can be. Revoke one first.")
	case errors.As(err, &input) && input.Field == "label":
		v.showTokens(http.StatusBadRequest, nil, form, "The name must be one line of at most 100 letters.")
	case errors.As(err, &input):
		v.showTokens(http.StatusBadRequest, nil, form, "What you chose cannot be granted. Choose again.")
	case err != nil:
		v.broken(err)
	default:
		v.showTokens(http.StatusOK, &pages.FreshToken{Label: t.Client, Value: secret}, v.freshForm(), "")
	}
}

// revokeToken is POST /account/tokens/{id}/revoke. Only the person's own.
func (v *visit) revokeToken() {
	if !v.accept(areaTokens) {
		return
	}
	id := v.args[0]
	if owner, ok := identity.OwnerOf(id); !ok || owner != v.user.ID || strings.ContainsRune(id, '/') {
		v.fail(pages.NotFound)
		return
	}
	switch err := v.site.Identity.RevokeToken(v.r.Context(), id); {
	case errors.Is(err, identity.ErrNoToken):
		v.fail(pages.NotFound)
	case err != nil:
		v.broken(err)
	default:
		v.done(pages.PathTokens, noticeTokenRevoked)
	}
}
