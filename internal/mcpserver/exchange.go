package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/tools"
)

// exchange is what is known of one request while it runs: what the log line
// says in the end, and what was decided inside mcp-go that the edge must know.
// Nothing a client wrote freely is kept for the log.
type exchange struct {
	id       string
	start    time.Time
	deadline time.Time // of the tool; zero = none

	mu        sync.Mutex
	user      string
	method    string // a method of MCP
	tool      string // a name of ours
	kind      string // how it ended
	called    string // name of the tool that is being called
	requestID any    // of the JSON-RPC request
	unknown   string // what to say of an unknown tool, or of params of another shape
	challenge string // for a call whose scope is missing; "" over stdio
	forbidden bool   // the call needs a scope that the connection lacks
	missing   string // capability that the client did not declare (-32021)
	held      *held  // the answer of the tool, once there is one
	upCalls   int
	upTime    time.Duration
	upBytes   int
	bytes     int
	status    int
}

type exchangeKey struct{}

func withExchange(ctx context.Context, ex *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, ex)
}

// exchangeOf gives the exchange of a request, nil outside one.
func exchangeOf(ctx context.Context) *exchange {
	ex, _ := ctx.Value(exchangeKey{}).(*exchange)
	return ex
}

// RequestID names the request in logs and in the audit log.
func RequestID(ctx context.Context) string {
	if ex := exchangeOf(ctx); ex != nil {
		return ex.id
	}
	return ""
}

// Observe is intervals.Options.Observe: it counts an exchange with
// Intervals.icu towards the request in whose context it happened.
func Observe(ctx context.Context, a intervals.Attempt) {
	ex := exchangeOf(ctx)
	if ex == nil {
		return
	}
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.upCalls++
	ex.upTime += a.Duration
	ex.upBytes += a.Bytes
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func (ex *exchange) outcome(kind string) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.kind = kind
}

// calls reports whether exactly these tools are being called now.
func (ex *exchange) calls(registered []mcp.Tool) bool {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.called != "" && len(registered) == 1 && registered[0].Name == ex.called
}

// refuse words why a tool may not be called and tells the edge.
func (ex *exchange) refuse(why refusal, t tools.Tool) *mcp.CallToolResult {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if why == outOfToolset {
		ex.kind = "toolset"
		return failed(fmt.Sprintf("%s belongs to the full toolset, and this connection offers the core tools. "+
			"Connect with the full toolset to use it (tokens create, serve and stdio: --toolset full).", t.Name))
	}
	ex.kind, ex.forbidden = "insufficient_scope", true
	r := failed(fmt.Sprintf("%s needs the %s scope, and this connection has not got it. Nothing was done. "+
		"Connect again with read and write to use it.", t.Name, t.Scope))
	if ex.challenge != "" { // what ChatGPT reads to ask for more (reference/mcp/05)
		r.Meta = mcp.NewMetaFromMap(map[string]any{metaChallenge: []string{ex.challenge}})
	}
	return r
}

// noteMethod, noteCall and noteError are hooks of mcp-go. They run after its
// own decoding, so what they see is what will be done.
func noteMethod(ctx context.Context, id any, method mcp.MCPMethod, _ any) {
	if ex := exchangeOf(ctx); ex != nil {
		ex.mu.Lock()
		defer ex.mu.Unlock()
		ex.method, ex.requestID, ex.kind = string(method), id, "ok"
	}
}

func (s *Server) noteCall(ctx context.Context, _ any, r *mcp.CallToolRequest) {
	ex := exchangeOf(ctx)
	if ex == nil {
		return
	}
	name := r.Params.Name
	_, known := s.tools[name]
	if !known && s.mcp.GetTool(name) != nil { // added by Options.Extend
		known = true
	}
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.called = name
	if known {
		ex.tool = name
		return
	}
	ex.unknown = fmt.Sprintf("unknown tool %q", shown(name, 64))
	if near := s.nearest(name); near != "" {
		ex.unknown += "; did you mean " + near + "?"
	} else {
		ex.unknown += "; tools/list names the tools of this connection"
	}
	ex.kind = "unknown tool"
}

func noteError(ctx context.Context, id any, method mcp.MCPMethod, _ any, err error) {
	ex := exchangeOf(ctx)
	if ex == nil {
		return
	}
	ex.mu.Lock()
	defer ex.mu.Unlock()
	switch {
	case errors.As(err, new(*server.UnparsableMessageError)):
		// The library's words are a dump of its own types.
		ex.kind, ex.requestID = "bad request", id
		ex.unknown = fmt.Sprintf("params of %s are not of the shape that MCP gives them", method)
		if method == mcp.MethodToolsCall {
			ex.unknown += `: {"name": a tool's name, "arguments": an object}`
		}
	case ex.kind != "ok" && ex.kind != "":
	case errors.Is(err, server.ErrUnsupported), errors.Is(err, server.ErrRemovedInProtocolVersion), errors.Is(err, server.ErrRequiresModernProtocol):
		ex.kind = "not supported"
	default:
		ex.kind = "error"
	}
}

// log writes the one line of a request.
func (ex *exchange) log(ctx context.Context, l *slog.Logger) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.kind == "" { // refused before any method was known
		ex.kind = "ok"
		if ex.status >= 400 {
			ex.kind = "bad request"
		}
	}
	attrs := make([]slog.Attr, 0, 12)
	text := func(key, v string) {
		if v != "" {
			attrs = append(attrs, slog.String(key, v))
		}
	}
	text("request_id", ex.id)
	text("user", ex.user)
	text("method", ex.method)
	text("tool", ex.tool)
	text("outcome", ex.kind)
	if ex.status != 0 {
		attrs = append(attrs, slog.Int("status", ex.status))
	}
	attrs = append(attrs, slog.Int("upstream_calls", ex.upCalls), slog.Int64("upstream_ms", ex.upTime.Milliseconds()),
		slog.Int("upstream_bytes", ex.upBytes), slog.Int("bytes", ex.bytes),
		slog.Int64("duration_ms", time.Since(ex.start).Milliseconds()))
	level := slog.LevelInfo
	if ex.kind == "panic" || ex.kind == "internal" {
		level = slog.LevelError
	}
	l.LogAttrs(ctx, level, "request", attrs...)
}

// shown makes foreign text fit for one line: control characters out, cut.
func shown(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return s
}
