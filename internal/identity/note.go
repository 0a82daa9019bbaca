package identity

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/secrets"
)

// NoteKind is what a Note is about.
type NoteKind string

// The kinds of Note.
const (
	NoteRef    NoteKind = "ref"    // from a code or refresh token to its connection
	NoteInvite NoteKind = "invite" // an invitation
	NoteClient NoteKind = "client" // a registered client or a cached metadata document
)

// Note is a small record that stands by itself and has an end: Key is the
// SHA-256 of what it is found by, in 64 hexadecimal digits.
type Note struct {
	Kind    NoteKind
	Key     string
	Fields  map[string]string
	Expires time.Time
}

// ErrNoNote is Table's word for a note that is not there.
var ErrNoNote = errors.New("identity: there is no such note")

// note gives a note in force, of a version that is known.
func (s *Store) note(ctx context.Context, kind NoteKind, of string) (Note, error) {
	n, err := s.table.Note(ctx, kind, HashOf(of).Hex())
	if err != nil {
		return Note{}, err
	}
	if err := checkVersion(n.Fields["v"]); err != nil {
		return Note{}, err
	}
	if !s.now().Before(n.Expires) { // a store's own expiry may lag by days
		return Note{}, ErrNoNote
	}
	return n, nil
}

func newNote(kind NoteKind, of string, fields map[string]string, expires time.Time) Note {
	fields = maps.Clone(fields)
	fields["v"] = strconv.Itoa(SchemaVersion)
	return Note{Kind: kind, Key: HashOf(of).Hex(), Fields: drop(fields), Expires: expires.UTC().Truncate(time.Second)}
}

// refLife is how long a code or refresh token leads to its connection: while it
// may be good, and as long again, so that a replay is known for one.
const refLife = 2 * RefreshLife

// refer makes the note that leads from a code or refresh token to its
// connection. It is sealed with the token itself: whoever reads the store learns
// nothing from it, and when the user is deleted, nothing of theirs remains in
// the notes of tokens that were used up long ago and are known to nobody.
func refer(token secrets.Secret, connection string, now time.Time) Note {
	sealed := sealer(token).Seal(nil, make([]byte, 12), []byte(connection), nil) // each key seals one text only
	return newNote(NoteRef, token.Reveal(), map[string]string{"sealed": base64.RawStdEncoding.EncodeToString(sealed)}, now.Add(refLife))
}

// referred gives the connection that a code or refresh token leads to, and its
// user: ErrInvalidGrant when it is not one of those, or leads nowhere.
func (s *Store) referred(ctx context.Context, want Kind, token secrets.Secret) (user, connection string, err error) {
	if k, err := KindOf(token.Reveal()); err != nil || k != want {
		return "", "", ErrInvalidGrant
	}
	n, err := s.note(ctx, NoteRef, token.Reveal())
	if errors.Is(err, ErrNoNote) {
		return "", "", ErrInvalidGrant
	}
	if err != nil {
		return "", "", err
	}
	sealed, err := base64.RawStdEncoding.DecodeString(n.Fields["sealed"])
	if err != nil {
		return "", "", fmt.Errorf("%w (reference)", ErrDamaged)
	}
	id, err := sealer(token).Open(nil, make([]byte, 12), sealed, nil)
	if err != nil {
		return "", "", fmt.Errorf("%w (reference)", ErrDamaged)
	}
	user, ok := OwnerOf(string(id))
	if !ok {
		return "", "", fmt.Errorf("%w (reference)", ErrDamaged)
	}
	return user, string(id), nil
}

func sealer(token secrets.Secret) cipher.AEAD {
	mac := hmac.New(sha256.New, []byte(token.Reveal()))
	mac.Write([]byte("intervals-mcp reference"))
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		panic(err) // the key has the right length
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return aead
}

// list and unlist write texts that hold no line break into one.
func list(texts []string) string  { return strings.Join(texts, "\n") }
func unlist(text string) []string { return split(text, "\n") }
