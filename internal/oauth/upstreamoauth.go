package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/secrets"
)

// "Sign in with Intervals.icu" (API.md 1.2), where the deployer registered an
// app there: the token that it ends with is kept in place of a key.

const (
	pathIntervals = "/account/signin/intervals"
	pathCallback  = "/callback"
	upstreamLife  = 10 * time.Minute // for signing in there
)

// intervalsScopes are what the tools need.
const intervalsScopes = "ACTIVITY:WRITE,WELLNESS:WRITE,CALENDAR:WRITE,CHATS:WRITE,LIBRARY:WRITE,SETTINGS:WRITE"

// IntervalsApp is an app registered at Intervals.icu.
type IntervalsApp struct {
	// Credentials give the app's id and secret; errors and an empty id mean that
	// none is registered.
	Credentials func(context.Context) (id string, secret secrets.Secret, err error)
	Authorize   string // default: https://intervals.icu/oauth/authorize
	Token       string // default: https://intervals.icu/api/oauth/token
	Client      *http.Client
}

func (a *IntervalsApp) authorizeURL() string {
	if a.Authorize != "" {
		return a.Authorize
	}
	return "https://intervals.icu/oauth/authorize"
}

func (a *IntervalsApp) tokenURL() string {
	if a.Token != "" {
		return a.Token
	}
	return "https://intervals.icu/api/oauth/token"
}

// upstreamState is what the browser holds while the person is at Intervals.icu:
// the answer counts only in the browser that asked (CVE-2026-27124).
type upstreamState struct {
	ID         string `json:"n"`
	Next       string `json:"x"`
	Invitation string `json:"v,omitempty"`
	Issued     int64  `json:"i"`
}

// intervalsURL is where the button leads, "" where there is no app.
func (v *visit) intervalsURL(next, invitation string) string {
	app := v.site.Intervals
	if app == nil {
		return ""
	}
	if id, _, err := app.Credentials(v.r.Context()); err != nil || id == "" {
		return ""
	}
	q := url.Values{}
	if next != "" {
		q.Set(pages.FieldNext, next)
	}
	if invitation != "" {
		q.Set(pages.FieldInvitation, invitation)
	}
	return strings.TrimSuffix(pathIntervals+"?"+q.Encode(), "?")
}

// toIntervals is GET /account/signin/intervals.
func (v *visit) toIntervals() {
	id, _, ok := v.app()
	if !ok {
		return
	}
	q := v.r.URL.Query()
	s := upstreamState{ID: nonce(), Next: onward(q.Get(pages.FieldNext)), Invitation: q.Get(pages.FieldInvitation), Issued: v.site.now().Unix()}
	held, err := v.keys.seal("intervals", s)
	if err != nil || len(held) > 3800 { // browsers drop a cookie of more than 4 KB
		v.fail(pages.BadRequest)
		return
	}
	v.jar.set(v.w, cookieState, held, upstreamLife)
	to := url.Values{"client_id": {id}, "redirect_uri": {v.place.Issuer + pathCallback}, "scope": {intervalsScopes}, "state": {s.ID}}
	v.redirect(v.site.Intervals.authorizeURL() + "?" + to.Encode())
}

func (v *visit) app() (id string, secret secrets.Secret, ok bool) {
	if v.site.Intervals == nil {
		v.fail(pages.NotFound)
		return "", secret, false
	}
	id, secret, err := v.site.Intervals.Credentials(v.r.Context())
	if err != nil || id == "" {
		v.cause = err
		v.fail(pages.NotFound)
		return "", secret, false
	}
	return id, secret, true
}

// fromIntervals is GET /callback.
func (v *visit) fromIntervals() {
	id, secret, ok := v.app()
	if !ok {
		return
	}
	var s upstreamState
	err := v.keys.open("intervals", v.jar.get(v.r, cookieState), &s)
	v.jar.set(v.w, cookieState, "", -1)
	q := v.r.URL.Query()
	if err != nil || !sameText(s.ID, q.Get("state")) || !v.site.now().Before(time.Unix(s.Issued, 0).Add(upstreamLife)) {
		v.fail(pages.FormExpired)
		return
	}
	again := func(p pages.SignInProblem) {
		v.askKey(signInStatus(p), &pages.SignIn{Next: s.Next, Invitation: s.Invitation, Problem: p})
	}
	if q.Get("error") != "" || q.Get("code") == "" {
		again(pages.SignInCancelled)
		return
	}
	if problem := v.tooOften("callback", addressKey(v.place.Address), signInsOfAddress); problem != "" || v.told {
		if !v.told {
			again(problem)
		}
		return
	}
	token, err := v.site.Intervals.redeem(v.r.Context(), id, secret, q.Get("code"))
	if err != nil {
		v.cause = err
		again(pages.SignInCancelled)
		return
	}
	problem := v.letIn(secrets.Credential{Bearer: token}, secrets.New(s.Invitation))
	switch {
	case problem != "":
		again(problem)
	case !v.told:
		v.redirect(onward(s.Next))
	}
}

// redeem exchanges the code for the athlete's token.
func (a *IntervalsApp) redeem(ctx context.Context, id string, secret secrets.Secret, code string) (secrets.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, proveWithin)
	defer cancel()
	body := url.Values{"client_id": {id}, "client_secret": {secret.Reveal()}, "code": {code}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.tokenURL(), strings.NewReader(body))
	if err != nil {
		return secrets.Secret{}, errors.New("the address of Intervals.icu's tokens cannot be used")
	}
	r.Header.Set("Content-Type", contentForm)
	r.Header.Set("Accept", contentJSON)
	client := a.Client
	if client == nil {
		client = &http.Client{}
	}
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the secret goes nowhere else
	resp, err := direct.Do(r)
	if err != nil {
		return secrets.Secret{}, errors.New("no answer of Intervals.icu for a code")
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is lost
	var answer struct {
		Token string `json:"access_token"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&answer)
	if resp.StatusCode != http.StatusOK || err != nil || answer.Token == "" {
		return secrets.Secret{}, fmt.Errorf("no token of Intervals.icu for a code: status %d", resp.StatusCode)
	}
	return secrets.New(answer.Token), nil
}
