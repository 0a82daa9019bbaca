package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// How long what a browser holds is good.
const (
	SessionLife = 30 * 24 * time.Hour
	flowLife    = 10 * time.Minute // an authorization request on the consent page
	// loginLife is how fresh a session must be for a client that asks to sign in
	// anew (prompt=login).
	loginLife = 5 * time.Minute
	keyLife   = 15 * time.Minute // the signing key in a process, so that a replaced one counts soon
	leastKey  = 32               // bytes of a signing key
)

// session is what a browser's cookie says, signed. A cookie is made at every
// sign-in and from nothing that the browser brought, so that none can be put
// there before (session fixation). It counts as long as the user's epoch is
// the one it names: signing out everywhere, forgetting the key and deleting
// the user end it.
type session struct {
	User   string `json:"u"`
	Epoch  string `json:"e,omitempty"`
	Nonce  string `json:"n"` // what its forms are bound to
	Issued int64  `json:"i"`
	Zone   string `json:"z,omitempty"` // the athlete's, for the times on pages
}

func (s session) issued() time.Time { return time.Unix(s.Issued, 0) }

// sealer signs what is given to a browser. What was made for one purpose is no
// good for another.
type sealer struct{ key []byte }

var errSeal = errors.New("oauth: not signed here, or for something else")

func (k sealer) mac(purpose string, body []byte) []byte {
	m := hmac.New(sha256.New, k.key)
	m.Write([]byte(purpose))
	m.Write([]byte{0})
	m.Write(body)
	return m.Sum(nil)
}

// word is a short proof that this server said something.
func (k sealer) word(purpose, about string) string {
	return base64.RawURLEncoding.EncodeToString(k.mac(purpose, []byte(about)))
}

func (k sealer) seal(purpose string, v any) (string, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(body)
	return text + "." + k.word(purpose, text), nil
}

func (k sealer) open(purpose, sealed string, v any) error {
	text, proof, ok := strings.Cut(sealed, ".")
	if !ok || !sameText(proof, k.word(purpose, text)) {
		return errSeal
	}
	body, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return errSeal
	}
	return json.Unmarshal(body, v)
}

func sameText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// SessionKey gives the deployment's signing key: at least 32 bytes of
// randomness that all its processes share.
type SessionKey func(context.Context) (secrets.Secret, error)

// keyring keeps the signing key for a while.
type keyring struct {
	read SessionKey
	now  func() time.Time

	mu    sync.Mutex
	key   []byte
	until time.Time
}

func (k *keyring) sealer(ctx context.Context) (sealer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key != nil && k.now().Before(k.until) {
		return sealer{k.key}, nil
	}
	s, err := k.read(ctx)
	if err == nil && len(s.Reveal()) < leastKey {
		err = errors.New("oauth: the session key is too short")
	}
	if err != nil {
		return sealer{}, err
	}
	k.key, k.until = []byte(s.Reveal()), k.now().Add(keyLife)
	return sealer{k.key}, nil
}

// cookieJar names the cookies of an origin. Over https their prefix makes a
// browser keep them from other hosts and from plain http; on a laptop the port
// keeps two servers apart, which cookies do not.
type cookieJar struct {
	secure bool
	suffix string
}

func jarOf(issuer string) cookieJar {
	u, err := url.Parse(issuer)
	if err != nil || u.Scheme == "https" {
		return cookieJar{secure: true}
	}
	return cookieJar{suffix: "-" + u.Port()}
}

// Cookies, without prefix.
const (
	cookieSession = "session"
	cookieBrowser = "browser" // who fills in the sign-in form
	cookieNotice  = "notice"  // what the next page says was done
	cookieState   = "intervals"
)

func (j cookieJar) name(base string) string {
	if j.secure {
		return "__Host-" + base
	}
	return base + j.suffix
}

// get gives a cookie; of two with one name none is believed.
func (j cookieJar) get(r *http.Request, base string) string {
	if all := r.CookiesNamed(j.name(base)); len(all) == 1 {
		return all[0].Value
	}
	return ""
}

// set gives a browser a cookie; life 0 = until it is closed, below 0 = away
// with it.
func (j cookieJar) set(w http.ResponseWriter, base, value string, life time.Duration) {
	c := &http.Cookie{Name: j.name(base), Value: value, Path: "/", Secure: j.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	switch {
	case life < 0:
		c.MaxAge = -1
	case life > 0:
		c.MaxAge = int(life / time.Second)
	}
	http.SetCookie(w, c)
}

func nonce() string { return rand.Text() }

// newSession makes the session of a person who has just proved who they are.
func newSession(u identity.User, zone string, now time.Time) session {
	return session{User: u.ID, Epoch: u.Epoch, Nonce: nonce(), Issued: now.Unix(), Zone: zone}
}

// recognise finds out whose browser it is: signedIn is false for nobody's. The
// error is of a store that cannot tell.
func (v *visit) recognise() error {
	value := v.jar.get(v.r, cookieSession)
	if value == "" {
		return nil
	}
	var s session
	if v.keys.open("session", value, &s) != nil || !v.site.now().Before(s.issued().Add(SessionLife)) || s.Nonce == "" {
		return nil
	}
	u, err := v.site.Identity.User(v.r.Context(), s.User)
	if errors.Is(err, identity.ErrNoUser) {
		return nil
	}
	if err != nil {
		return err
	}
	if sameText(u.Epoch, s.Epoch) {
		v.session, v.user, v.signedIn = s, u, true
	}
	return nil
}

// admitTo begins a session and forgets what the browser held before.
func (v *visit) admitTo(u identity.User, zone string) error {
	s := newSession(u, zone, v.site.now())
	value, err := v.keys.seal("session", s)
	if err != nil {
		return err
	}
	v.session, v.user, v.signedIn = s, u, true
	v.jar.set(v.w, cookieSession, value, SessionLife)
	v.jar.set(v.w, cookieBrowser, "", -1)
	return nil
}

// leave ends the browser's session.
func (v *visit) leave() {
	v.session, v.user, v.signedIn = session{}, identity.User{}, false
	v.jar.set(v.w, cookieSession, "", -1)
}
