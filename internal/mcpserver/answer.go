package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// answer stands between mcp-go and the connection. What was decided inside
// mcp-go becomes an HTTP status here, its plain-text refusals become JSON, and
// everything else passes through untouched.
type answer struct {
	w      http.ResponseWriter
	ex     *exchange
	status int
	held   *bytes.Buffer // a plain-text refusal that will be sent as JSON
	silent bool          // the body was replaced; drop what follows
}

func (a *answer) started() bool { return a.status != 0 }

// Header gives the headers of the answer.
func (a *answer) Header() http.Header { return a.w.Header() }

// Flush does nothing unless the connection can: mcp-go writes the frames of
// subscriptions/listen only to a writer that has it.
func (a *answer) Flush() {
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// WriteHeader sends the status, or the one that the exchange asks for.
func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		return
	}
	h := a.w.Header()
	h.Del("Mcp-Session-Id") // there are no sessions
	ex := a.ex
	ex.mu.Lock()
	forbidden, challenge, unknown, missing, id := ex.forbidden, ex.challenge, ex.unknown, ex.missing, ex.requestID
	ex.mu.Unlock()
	switch {
	case forbidden:
		status = http.StatusForbidden
		setChallenge(h, challenge)
	case unknown != "":
		a.replace(status, rpcError(id, mcp.INVALID_PARAMS, unknown, nil))
		return
	case missing != "":
		a.replace(http.StatusBadRequest, lacking(id, missing))
		return
	case status >= 400 && !strings.HasPrefix(h.Get("Content-Type"), "application/json"):
		a.status, a.held = status, &bytes.Buffer{}
		h.Del("X-Content-Type-Options")
		return
	}
	a.send(status)
}

func (a *answer) send(status int) {
	a.status = status
	a.ex.status = status
	a.w.WriteHeader(status)
}

// replace sends another body than the one that mcp-go is about to write.
func (a *answer) replace(status int, body any) {
	out, err := json.Marshal(body)
	if err != nil {
		panic(err) // only our own plain structs come here
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.send(status)
	a.silent = true
	a.count(a.w.Write(append(out, '\n')))
}

// Write sends a part of the body.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	switch {
	case a.silent:
		return len(p), nil
	case a.held != nil:
		return a.held.Write(p)
	}
	if _, err := a.count(a.w.Write(a.ex.fill(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (a *answer) count(n int, err error) (int, error) {
	a.ex.bytes += n
	return n, err
}

// close sends what was held back.
func (a *answer) close() {
	if a.held == nil {
		return
	}
	text := shown(strings.TrimSpace(a.held.String()), 200)
	a.held = nil
	a.ex.outcome("bad request")
	a.replace(a.status, rpcError(nil, mcp.INVALID_REQUEST, text, nil))
}
