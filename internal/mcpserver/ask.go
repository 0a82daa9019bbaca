package mcpserver

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"intervals-mcp/internal/tools"
)

// A preview is put to the person by clients that can do so: protocol version
// 2026-07-28, elicitation in form mode declared with this very request. They
// get the question in place of the preview (input_required) and send the same
// call again with the reply and with requestState, which is the plan's
// confirmation: random, single use, bound to user, connection and arguments, so
// that one that was tampered with is none (mrtr "requestState").

// confirmID names the question in inputRequests.
const confirmID = "confirm"

// mayElicit reports whether the client of this request can put a form to the
// person. An empty capability means form mode.
func mayElicit(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	return info != nil && info.Modern && info.ClientCapabilities != nil && hasForm(info.ClientCapabilities.Elicitation)
}

func hasForm(e *mcp.ElicitationCapability) bool {
	return e != nil && (e.Form != nil || e.URL == nil)
}

// withReply hands the reply of the person to the tool. requestState without a
// reply is as good as none: the call is previewed and asked about again.
func withReply(ctx context.Context, p mcp.CallToolParams) context.Context {
	if p.RequestState == "" || !mayElicit(ctx) {
		return ctx
	}
	reply := server.ElicitationResponse(p.InputResponses, confirmID)
	if reply == nil {
		return ctx
	}
	return tools.WithReply(ctx, tools.Reply{State: p.RequestState, Accepted: reply.Action == mcp.ElicitationResponseActionAccept})
}

// ask is the result that puts a question to the person. Yes or no is all that
// is wanted, so the form has no fields.
func (ex *exchange) ask(q tools.Question) *mcp.CallToolResult {
	ex.outcome("asked")
	return server.NewInputRequestBuilder(q.State).Elicit(confirmID, mcp.ElicitationParams{
		Message: q.Message, RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	}).ToolResult()
}
