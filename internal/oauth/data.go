package oauth

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/oauth/pages"
)

// downloadsOfUser bounds how often a person's whole log is read.
var downloadsOfUser = Rate{20, time.Hour}

// maxDownload bounds the history in a download: an answer of a Lambda has at
// most 6 MB. What is older is named by its place, for the next download.
const maxDownload = 4 << 20

// mine is GET /account/mine.
func (v *visit) mine() { v.showMine(http.StatusOK, false) }

func (v *visit) showMine(status int, problem bool) {
	connections, err := v.inForce()
	var tokens []identity.Token
	if err == nil {
		tokens, err = v.liveTokens()
	}
	if err != nil {
		v.broken(err)
		return
	}
	v.show(status, &pages.Mine{Frame: v.frame(areaMine), Connections: len(connections), Tokens: len(tokens), AuditDays: v.site.retention(), Problem: problem})
}

func (v *visit) liveTokens() (live []identity.Token, err error) {
	list, err := v.site.Identity.Tokens(v.r.Context(), v.user.ID)
	for _, t := range list {
		if t.Usable(v.site.now()) == nil {
			live = append(live, t)
		}
	}
	return live, err
}

// What a download holds. No secret is in it: neither key nor tokens, nor what
// they are found by.
type (
	myData struct {
		Made        time.Time      `json:"made"`
		User        myUser         `json:"user"`
		Key         string         `json:"intervals_icu_key"` // stored or none
		Connections []myConnection `json:"connections"`
		Tokens      []myToken      `json:"personal_tokens"`
		Changes     []myChange     `json:"changes"`
		Older       string         `json:"older_changes,omitempty"` // where the rest can be downloaded
	}
	myUser struct {
		ID       string    `json:"id"`
		Athlete  string    `json:"athlete"`
		Name     string    `json:"name,omitempty"`
		Coach    bool      `json:"coach"`
		Athletes []string  `json:"athletes,omitempty"`
		Created  time.Time `json:"created"`
	}
	myGrant struct {
		ID       string           `json:"id"`
		Scopes   []identity.Scope `json:"scopes"`
		Toolset  identity.Toolset `json:"toolset"`
		Confirm  identity.Confirm `json:"confirm"`
		Athletes []string         `json:"athletes,omitempty"`
		Created  time.Time        `json:"created"`
		LastUsed *time.Time       `json:"last_used,omitempty"`
		Revoked  *time.Time       `json:"revoked,omitempty"`
	}
	myConnection struct {
		myGrant
		Client   string `json:"client_id"`
		Name     string `json:"client_name"`
		Redirect string `json:"redirect_uri"`
	}
	myToken struct {
		myGrant
		Label   string     `json:"label"`
		Expires *time.Time `json:"expires,omitempty"`
	}
	myChange struct {
		ID    string       `json:"change_id"`
		Items []audit.Item `json:"items"` // intent and outcome, of the change and of each object
	}
)

// download is GET /account/mine/download.
func (v *visit) download() {
	before, ok := v.before()
	if !ok {
		return
	}
	if !v.allowed("download", v.user.ID, downloadsOfUser) {
		return
	}
	d, err := v.collect(before)
	var body []byte
	if err == nil {
		body, err = json.MarshalIndent(d, "", "  ")
	}
	if err != nil {
		v.broken(err)
		return
	}
	v.told = true
	h := v.w.Header()
	pages.SetHeaders(h, v.place.Issuer)
	h.Set("Content-Type", contentJSON)
	h.Set("Content-Disposition", `attachment; filename="intervals-mcp-`+v.user.ID+`.json"`)
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	_, _ = v.w.Write(append(body, '\n')) // the browser has gone
}

func (v *visit) collect(before audit.ID) (d myData, err error) {
	ctx, u := v.r.Context(), v.user
	d = myData{Made: v.site.now().UTC(), Key: "none", User: myUser{u.ID, u.Athlete, u.Name, u.Coach, u.Athletes, u.Created},
		Connections: []myConnection{}, Tokens: []myToken{}, Changes: []myChange{}}
	if _, err := v.site.Keys.Credential(ctx, u.ID); err == nil {
		d.Key = "stored"
	}
	connections, err := v.site.Identity.Connections(ctx, u.ID)
	if err != nil {
		return d, err
	}
	for _, c := range connections {
		d.Connections = append(d.Connections, myConnection{myGrant{c.ID, c.Scopes, c.Toolset, c.Confirm, c.Athletes, c.Created, moment(c.LastUsed), moment(c.Revoked)},
			c.Client, c.Name, c.Redirect})
	}
	tokens, err := v.site.Identity.Tokens(ctx, u.ID)
	if err != nil {
		return d, err
	}
	for _, t := range tokens {
		d.Tokens = append(d.Tokens, myToken{myGrant{t.ID, t.Scopes, t.Toolset, t.Confirm, t.Athletes, t.Created, moment(t.LastUsed), moment(t.Revoked)},
			t.Client, moment(t.Expires)})
	}
	d.Changes, d.Older, err = v.log(ctx, before)
	return d, err
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// log gives the person's changes, newest first, as many as there is room for.
func (v *visit) log(ctx context.Context, before audit.ID) (out []myChange, older string, err error) {
	out = []myChange{}
	size := 0
	for h, err := range audit.Changes(ctx, v.site.Changes.Log, audit.Query{User: v.user.ID, Before: before}) {
		if err != nil {
			return out, "", err
		}
		items, err := v.site.Changes.Log.Change(ctx, v.user.ID, h.Change)
		if err != nil {
			return out, "", err
		}
		b, err := json.Marshal(items)
		if err != nil {
			return out, "", err
		}
		if size += len(b); size > maxDownload && len(out) > 0 {
			return out, v.place.Issuer + pages.PathMine + "/download?" + queryBefore + "=" + out[len(out)-1].ID, nil
		}
		out = append(out, myChange{h.Change.String(), items})
	}
	return out, "", nil
}

// deleteMine is POST /account/mine/delete. The key goes first: should anything
// fail after it, nobody can use what is left, and the person can try again.
func (v *visit) deleteMine() {
	if !v.accept(areaMine) {
		return
	}
	if !pages.Deletes(v.r.PostForm.Get(pages.FieldTyped)) {
		v.showMine(http.StatusBadRequest, true)
		return
	}
	ctx := v.r.Context()
	if err := v.erase(ctx); err != nil {
		v.broken(err)
		return
	}
	v.leave()
	v.show(http.StatusOK, &pages.Deleted{Frame: v.bare(), AuditDays: v.site.retention()})
}

func (v *visit) erase(ctx context.Context) error {
	if err := v.site.Keys.Delete(ctx, v.user.ID); err != nil {
		return err
	}
	plans, err := v.site.State.Waiting(ctx, v.user.ID)
	if err != nil {
		return err
	}
	for _, w := range plans {
		if err := v.site.State.Drop(ctx, v.user.ID, w.Handle); err != nil {
			return err
		}
	}
	if err := v.site.Identity.RemoveUser(ctx, v.user.ID); err != nil {
		return err
	}
	return v.site.Keys.Delete(ctx, v.user.ID) // one that was given meanwhile (keepKey)
}
