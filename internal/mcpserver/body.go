package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// envelope is what the edge itself reads of a message, decoded by the same
// package and with the same names as mcp-go's own: only to word errors and to
// drop what cannot work without sessions, never to decide who may do what.
type envelope struct {
	ID     any           `json:"id"`
	Method mcp.MCPMethod `json:"method"`
}

// body reads the message and hands it on; anything wrong with it is answered.
func (e *edge) body(a *answer, r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		e.badBody(a, http.StatusUnsupportedMediaType, mcp.INVALID_REQUEST, "Content-Type must be application/json")
		return false
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		e.badBody(a, http.StatusUnsupportedMediaType, mcp.INVALID_REQUEST, "a packed body is not read here; send it without Content-Encoding")
		return false
	}
	body, err := readLimited(r.Body, e.MaxBody)
	switch {
	case errors.Is(err, errTooLarge):
		e.badBody(a, http.StatusRequestEntityTooLarge, mcp.INVALID_REQUEST, "the body is too large; at most "+size(e.MaxBody)+" are read")
		return false
	case err != nil:
		e.badBody(a, http.StatusBadRequest, mcp.PARSE_ERROR, "the body broke off before its end")
		return false
	}
	env, problem := readEnvelope(body)
	if problem != "" {
		e.badBody(a, http.StatusBadRequest, mcp.PARSE_ERROR, problem)
		return false
	}
	if env.ID == nil && env.Method == mcp.MethodNotificationCancelled {
		// Without sessions a request id says nothing about whose request it
		// is: mcp-go would cancel a stranger's. Closing the connection cancels.
		a.ex.method, a.ex.kind = string(env.Method), "ok"
		a.WriteHeader(http.StatusAccepted)
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return true
}

// badBody answers in JSON-RPC's shape. The id is null: what was sent could not
// be read as a request.
func (e *edge) badBody(a *answer, status, code int, message string) {
	a.ex.outcome("bad request")
	writeJSON(a, status, rpcError(nil, code, message, nil))
}

type rpcErrorBody struct {
	JSONRPC string `json:"jsonrpc"`
	ID      any    `json:"id"`
	Error   struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	} `json:"error"`
}

func rpcError(id any, code int, message string, data any) rpcErrorBody {
	b := rpcErrorBody{JSONRPC: mcp.JSONRPC_VERSION, ID: id}
	b.Error.Code, b.Error.Message, b.Error.Data = code, message, data
	return b
}

// readEnvelope says in words what is wrong with a message, "" if it is a JSON
// object.
func readEnvelope(body []byte) (env envelope, problem string) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return env, "the body is empty; one JSON-RPC message is expected"
	}
	if err := json.Unmarshal(body, &env); err != nil {
		var syntax *json.SyntaxError
		switch {
		case !errors.As(err, &syntax):
			if body[0] == '{' {
				// An odd id or method: mcp-go refuses it by its own rules.
				return envelope{}, ""
			}
		case syntax.Offset >= int64(len(body)) && strings.Contains(syntax.Error(), "unexpected end"):
			return env, fmt.Sprintf("the body is cut off: the JSON ends unfinished after %d bytes", len(body))
		default:
			return env, fmt.Sprintf("the body is not JSON (at byte %d)", syntax.Offset)
		}
	}
	switch body[0] {
	case '{':
		return env, ""
	case '[':
		return env, "several messages in one body are not read since protocol version 2025-06-18; send one JSON-RPC object"
	}
	return env, "the body is no JSON object; one JSON-RPC message is expected"
}

var errTooLarge = errors.New("body too large")

// drainLimit bounds what is thrown away of a body that is too large, so that
// the client gets to read the answer instead of a reset connection.
const drainLimit = 64 << 20

func readLimited(r io.Reader, limit int64) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		_, _ = io.CopyN(io.Discard, r, drainLimit)
		return nil, errTooLarge
	}
	return body, nil
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// oneVersion mends a version header that came twice or was joined from twice
// the same value (seen from claude.ai, reference/mcp/03 gap j). Different
// values stay as they are and are refused.
func oneVersion(h http.Header) {
	var all []string
	for _, line := range h.Values(mcp.HeaderProtocolVersion) {
		for part := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(part))
		}
	}
	if len(all) < 2 {
		return
	}
	for _, v := range all {
		if v != all[0] {
			h.Set(mcp.HeaderProtocolVersion, strings.Join(all, ", "))
			return
		}
	}
	h.Set(mcp.HeaderProtocolVersion, all[0])
}

func isAdapterHeader(name string) bool {
	const prefix = "x-golambdaproxy-"
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}
