package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"intervals-mcp/internal/secrets"
)

// PersonalPrefix starts a personal token (auth.md "Bearer tokens").
const PersonalPrefix = "imcp_pat_"

// Token alphabet: lower-case letters and digits only, so that a double click
// selects a whole token.
var tokenText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const (
	randomChars = 52 // 256 bits
	checkChars  = 7  // CRC-32 of all before it
)

// NewToken makes an opaque bearer token: prefix, 256 random bits, checksum.
func NewToken(prefix string) secrets.Secret {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	body := prefix + tokenText.EncodeToString(b[:])
	return secrets.New(body + checksum(body))
}

// WellFormed reports whether a text can be a token with this prefix: a typing
// or copying error is found without asking any store.
func WellFormed(prefix, token string) bool {
	if !strings.HasPrefix(token, prefix) || len(token) != len(prefix)+randomChars+checkChars {
		return false
	}
	body := token[:len(token)-checkChars]
	if _, err := tokenText.DecodeString(body[len(prefix):]); err != nil {
		return false
	}
	return token[len(body):] == checksum(body)
}

func checksum(body string) string {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], crc32.ChecksumIEEE([]byte(body)))
	return tokenText.EncodeToString(b[:])
}

// TokenHash is what is stored and compared instead of a token.
func TokenHash(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }
