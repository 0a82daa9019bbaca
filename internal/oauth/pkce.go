package oauth

import (
	"crypto/sha256"
	"encoding/base64"
)

// challengeLen is a SHA-256 in base64url without padding (RFC 7636 4.2).
const challengeLen = 43

// checkChallenge accepts S256 only. Without a method RFC 7636 4.3 means plain,
// which protects from nobody who can read the request (OAuth 2.1 7.5.2).
func checkChallenge(challenge, method string) *Error {
	switch {
	case challenge == "":
		return refuse(codeInvalidRequest, "code_challenge is missing: PKCE is required (RFC 7636).")
	case method != "S256":
		return refuse(codeInvalidRequest, "code_challenge_method must be S256.")
	}
	if raw, err := base64.RawURLEncoding.Strict().DecodeString(challenge); err != nil || len(raw) != sha256.Size || len(challenge) != challengeLen {
		return refuse(codeInvalidRequest, "code_challenge is no SHA-256 in base64url without padding.")
	}
	return nil
}
