package identity

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/secrets"
)

// family is a connection's line of refresh tokens: which of them are good.
//
// A refresh token is used once: its use makes a successor, and the used one
// stays good until a successor is used in turn (a client may ask twice at once,
// or lose the answer). Successors are made from the used token and a salt that
// is stored here. So those who ask with the same token within TwinLife get the
// same successor and the same access token, whichever process answers, and only
// the first of them writes; yet neither the store alone nor an old token alone
// gives a token. Who asks later than TwinLife gets a further successor, and the
// first use of any ends the others: there is never more than one line. A token
// that was good and is no longer is a replay.
//
// A successor is used when it is refreshed with. The use of its access token
// does not count: it would make a client that asked twice, and used one answer
// before the other came, look like a thief.
type family struct {
	code      Hash   // of the authorization code
	challenge string // of PKCE, S256; "" once the code was redeemed
	prev      Hash   // the used token that is still good
	next      []successor
}

// successor is a refresh token that was not used yet.
type successor struct {
	hash Hash
	salt [32]byte // it was made from the token before it and this
	made time.Time
}

// maxSuccessors bounds the successors of one token: who asks more often, and
// each time later than TwinLife, loses the oldest.
const maxSuccessors = 4

// standing is what a refresh token is to its family.
type standing int

const (
	replayed  standing = iota
	unused             // good, and its use makes a successor
	usedStill          // used, and no successor was used yet
)

func (f *family) standing(h Hash) standing {
	if h == f.prev {
		return usedStill
	}
	for _, s := range f.next {
		if s.hash == h {
			return unused
		}
	}
	return replayed
}

// start begins the line with the token that the code is redeemed for.
func (f *family) start(first Hash, now time.Time) {
	f.challenge, f.prev, f.next = "", Hash{}, []successor{{hash: first, made: now}}
}

// advance makes a successor of a token that is good.
func (f *family) advance(token secrets.Secret, now time.Time) successor {
	s := successor{made: now}
	_, _ = rand.Read(s.salt[:]) // never fails
	s.hash = HashOf(s.refresh(token).Reveal())
	if used := HashOf(token.Reveal()); used != f.prev {
		f.prev, f.next = used, nil
	}
	f.next = append(f.next, s)
	f.next = f.next[max(0, len(f.next)-maxSuccessors):]
	return s
}

// newest gives the successor that was made last.
func (f *family) newest() successor { return f.next[len(f.next)-1] }

// refresh and access give the tokens that belong to the use of a token.
func (s successor) refresh(used secrets.Secret) secrets.Secret { return s.derive(KindRefresh, used) }
func (s successor) access(used secrets.Secret) secrets.Secret  { return s.derive(KindAccess, used) }

func (s successor) derive(k Kind, used secrets.Secret) secrets.Secret {
	mac := hmac.New(sha256.New, []byte(used.Reveal()))
	mac.Write([]byte(k))
	mac.Write(s.salt[:])
	return newToken(k, [32]byte(mac.Sum(nil)))
}

func (f *family) write(to map[string]string) {
	to["code"], to["challenge"] = f.code.Hex(), f.challenge
	if f.prev != (Hash{}) {
		to["prev"] = f.prev.Hex()
	}
	var next []string
	for _, s := range f.next {
		next = append(next, s.hash.Hex()+":"+hex.EncodeToString(s.salt[:])+":"+strconv.FormatInt(s.made.Unix(), 10))
	}
	to["next"] = strings.Join(next, " ")
}

func (f *family) read(from map[string]string) (err error) {
	f.challenge = from["challenge"]
	if f.code, err = ParseHash(from["code"]); err != nil {
		return err
	}
	if from["prev"] != "" {
		if f.prev, err = ParseHash(from["prev"]); err != nil {
			return err
		}
	}
	for _, text := range split(from["next"], " ") {
		part := strings.Split(text, ":")
		if len(part) != 3 {
			return errors.New("identity: a successor has three parts")
		}
		var s successor
		if s.hash, err = ParseHash(part[0]); err != nil {
			return err
		}
		salt, err := hex.DecodeString(part[1])
		if err != nil || len(salt) != len(s.salt) {
			return errors.New("identity: a salt is not 64 hexadecimal digits")
		}
		s.salt = [32]byte(salt)
		sec, err := strconv.ParseInt(part[2], 10, 64)
		if err != nil {
			return err
		}
		s.made = time.Unix(sec, 0).UTC()
		f.next = append(f.next, s)
	}
	if (f.challenge == "") != (len(f.next) > 0) {
		return errors.New("identity: a code is redeemed or it is not")
	}
	return nil
}
