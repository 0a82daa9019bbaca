package oauth

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Codes of errors, each from the RFC that names it.
const (
	codeInvalidRequest       = "invalid_request"           // RFC 6749 4.1.2.1, 5.2
	codeInvalidClient        = "invalid_client"            // RFC 6749 5.2
	codeInvalidGrant         = "invalid_grant"             // RFC 6749 5.2
	codeUnsupportedGrantType = "unsupported_grant_type"    // RFC 6749 5.2
	codeInvalidScope         = "invalid_scope"             // RFC 6749 4.1.2.1, 5.2
	codeInvalidTarget        = "invalid_target"            // RFC 8707 2
	codeUnsupportedResponse  = "unsupported_response_type" // RFC 6749 4.1.2.1
	codeAccessDenied         = "access_denied"             // RFC 6749 4.1.2.1
	codeServerError          = "server_error"              // RFC 6749 4.1.2.1
	codeUnavailable          = "temporarily_unavailable"   // RFC 6749 4.1.2.1
	codeInteraction          = "interaction_required"      // OpenID Connect Core 3.1.2.6
	codeNoRequestObject      = "request_not_supported"     // OpenID Connect Core 3.1.2.6
	codeNoRequestURI         = "request_uri_not_supported" // OpenID Connect Core 3.1.2.6
	codeInvalidRedirect      = "invalid_redirect_uri"      // RFC 7591 3.2.2
	codeInvalidMetadata      = "invalid_client_metadata"   // RFC 7591 3.2.2
)

const (
	contentJSON = "application/json"
	contentForm = "application/x-www-form-urlencoded"
)

// Error is an answer of the protocol that is no success. Its description is
// for the client's maker: ASCII without quotes (RFC 6749 5.2), and no word of
// the request in it.
type Error struct {
	Code        string
	Description string
	Status      int           // of an answer in JSON; 0 = 400
	RetryAfter  time.Duration // 0 = not said
	Basic       bool          // the client authenticated in the header: RFC 6749 5.2 wants a challenge
	cause       error         // for the log
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Description }

// Unwrap gives what is for the log only.
func (e *Error) Unwrap() error { return e.cause }

func refuse(code, description string) *Error { return &Error{Code: code, Description: description} }

// unavailable is a store that does not answer. It is never taken for a no.
func unavailable(cause error) *Error {
	return &Error{Code: codeUnavailable, Description: "This server cannot look that up at the moment. Try again in a few seconds.",
		Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second, cause: cause}
}

// tooMany is a limit that was reached.
func tooMany(wait time.Duration) *Error {
	return &Error{Code: codeUnavailable, Description: "Too many requests. Try again later.", Status: http.StatusTooManyRequests, RetryAfter: max(wait, time.Second)}
}

// write answers in JSON (RFC 6749 5.2).
func (e *Error) write(w http.ResponseWriter) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	if e.Basic {
		w.Header()["WWW-Authenticate"] = []string{`Basic realm="intervals-mcp"`}
	}
	status := e.Status
	if status == 0 {
		status = http.StatusBadRequest
	}
	writeJSON(w, status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description,omitempty"`
	}{e.Code, e.Description})
}

// writeJSON answers with something that must not be stored anywhere.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own plain structs come here
	}
	writeBytes(w, status, append(body, '\n'))
}

func writeBytes(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentJSON)
	h.Set("X-Content-Type-Options", "nosniff")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store") // RFC 6749 5.1
		h.Set("Pragma", "no-cache")
	}
	// Clients in a browser read these answers. None depends on a cookie.
	h.Set("Access-Control-Allow-Origin", "*")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
