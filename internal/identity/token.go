package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"log/slog"
	"strings"

	"intervals-mcp/internal/secrets"
)

// Kind is what a token is, told by its prefix.
type Kind string

// The kinds of token. Only the first two are bearer tokens, which the
// authorizer accepts; the others are for the authorization server alone.
const (
	KindPersonal Kind = "imcp_pat_"
	KindAccess   Kind = "imcp_at_"
	KindRefresh  Kind = "imcp_rt_"
	KindCode     Kind = "imcp_ac_"  // an authorization code
	KindInvite   Kind = "imcp_inv_" // an invitation
	KindClient   Kind = "imcp_cs_"  // the secret of a registered client
)

const (
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretDigits = 43 // 62^43 > 2^256
	sumDigits    = 6  // 62^6 > 2^32
)

const redacted = "[redacted]"

// ErrMalformed says that a text is not a token of this program: a wrong prefix,
// length or checksum.
var ErrMalformed = errors.New("identity: not a token of intervals-mcp")

// Hash is the SHA-256 of a token: what is stored, and the key under which the
// token is found. 256 random bits need no slow hash. It does not print either.
type Hash [sha256.Size]byte

// HashOf hashes any text, token or not.
func HashOf(text string) Hash { return sha256.Sum256([]byte(text)) }

// Hex is the hash in 64 lower-case digits, for a store's key.
func (h Hash) Hex() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what Hex wrote.
func ParseHash(s string) (h Hash, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return Hash{}, errors.New("identity: a token's hash is not 64 hexadecimal digits")
	}
	return Hash(b), nil
}

// String, LogValue and MarshalText never show the hash.
func (h Hash) String() string               { return redacted }
func (h Hash) GoString() string             { return redacted }
func (h Hash) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (h Hash) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// NewToken makes a token of 256 random bits:
//
//	imcp_pat_<43 digits>_<6 digits>
//
// The digits are base 62; the last six are the CRC-32 of all before them, so
// that a secret scanner can tell a token from a look-alike (as GitHub's do).
func NewToken(k Kind) secrets.Secret {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails
	return newToken(k, raw)
}

func newToken(k Kind, raw [32]byte) secrets.Secret {
	body := string(k) + base62(raw[:], secretDigits)
	return secrets.New(body + "_" + checksum(body))
}

// KindOf checks prefix, length, alphabet and checksum of a token: a typing or
// copying error is found without asking any store. Whether anybody holds the
// token is another question. It takes as long for one wrong checksum as for
// another.
func KindOf(token string) (Kind, error) {
	for _, k := range []Kind{KindPersonal, KindAccess, KindRefresh, KindCode, KindInvite, KindClient} {
		rest, ok := strings.CutPrefix(token, string(k))
		if !ok || len(rest) != secretDigits+1+sumDigits || rest[secretDigits] != '_' {
			continue
		}
		good := 1
		for i := range secretDigits {
			if strings.IndexByte(digits, rest[i]) < 0 {
				good = 0
			}
		}
		want := checksum(token[:len(k)+secretDigits])
		if good&subtle.ConstantTimeCompare([]byte(rest[secretDigits+1:]), []byte(want)) == 1 {
			return k, nil
		}
	}
	return "", ErrMalformed
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	return base62([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}, sumDigits)
}

// base62 writes a big-endian number in exactly width digits. It goes by words
// of 32 bits, of which the number has a whole count: a refresh makes three tokens,
// and byte by byte they were a quarter of its time.
func base62(number []byte, width int) string {
	words := make([]uint32, len(number)/4)
	for i := range words {
		words[i] = binary.BigEndian.Uint32(number[4*i:])
	}
	out := make([]byte, width)
	for i := width - 1; i >= 0; i-- {
		rest := uint64(0)
		for j, w := range words {
			rest = rest<<32 | uint64(w)
			words[j] = uint32(rest / uint64(len(digits)))
			rest %= uint64(len(digits))
		}
		out[i] = digits[rest]
	}
	return string(out)
}
