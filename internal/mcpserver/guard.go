package mcpserver

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// guard runs around every tool: its deadline, its panics, and questions that
// the client cannot answer (gaps f and g of reference/mcp/03).
func (s *Server) guard(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		ex := exchangeOf(ctx)
		if ex == nil {
			return nil, errNobody
		}
		if !ex.deadline.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, ex.deadline)
			defer cancel()
		}
		defer func() {
			if recover() != nil {
				ex.outcome("panic")
				s.log.ErrorContext(ctx, "panic", "request_id", ex.id, "tool", ex.tool, "stack", string(debug.Stack()))
				res, err = failed("This server failed inside "+ex.tool+". Nothing is known of what was done: read the object again before repeating a change, and report it if it stays."), nil
			}
		}()
		res, err = next(ctx, r)
		var lacks mcp.MissingRequiredClientCapabilityError
		if errors.As(err, &lacks) {
			ex.lack(lacks.Capability)
			return nil, err
		}
		if res != nil && res.ResultType == mcp.ResultTypeInputRequired {
			return s.mayAsk(ctx, ex, res)
		}
		return res, err
	}
}

func (ex *exchange) lack(capability string) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.missing, ex.kind = capability, "missing capability"
}

// mayAsk lets a result that asks the person something pass only to a client
// that can ask: before 2026-07-28 the question needs a session and would hang
// to the deadline, since then it needs a declared capability.
func (s *Server) mayAsk(ctx context.Context, ex *exchange, res *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	info := server.RequestProtocolInfoFromContext(ctx)
	if info == nil || !info.Modern {
		ex.outcome("cannot ask")
		return failed("This needs a question to the person, which this client cannot be asked over its protocol version. Nothing was done."), nil
	}
	for _, q := range res.InputRequests {
		if c := capabilityFor(q.Method, info.ClientCapabilities); c != "" {
			ex.lack(c)
			return nil, mcp.MissingRequiredClientCapabilityError{Capability: c}
		}
	}
	return res, nil
}

// capabilityFor names the capability that a question needs and the client
// lacks, "" if it may be asked.
func capabilityFor(method mcp.MCPMethod, has *mcp.ClientCapabilities) string {
	if has == nil {
		has = &mcp.ClientCapabilities{}
	}
	switch {
	case method == mcp.MethodElicitationCreate && !hasForm(has.Elicitation):
		return "elicitation"
	case method == mcp.MethodSamplingCreateMessage && has.Sampling == nil:
		return "sampling"
	case method == mcp.MethodListRoots && has.Roots == nil:
		return "roots"
	}
	return ""
}

// lacking is the protocol's error for it (-32021, which mcp-go cannot say).
func lacking(id any, capability string) rpcErrorBody {
	return rpcError(id, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
		mcp.MissingRequiredClientCapabilityError{Capability: capability}.Error(),
		map[string]any{"requiredCapabilities": map[string]any{capability: struct{}{}}})
}
