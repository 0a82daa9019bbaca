package mcpserver

import (
	"context"
	"errors"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/tools"
)

// refusal says why a connection may not use a tool.
type refusal int

const (
	allowed refusal = iota
	outOfScope
	outOfToolset
)

var errNobody = errors.New("nobody is signed in")

// refusalOf is the one rule for list and call.
func refusalOf(id identity.Identity, t tools.Tool) refusal {
	switch {
	case !id.May(t.Scope):
		return outOfScope
	case t.Toolset == identity.ToolsetFull && id.Toolset != identity.ToolsetFull:
		return outOfToolset
	}
	return allowed
}

// listedTool is a tool as clients see it.
type listedTool struct {
	tool tools.Tool
	mcp  mcp.Tool
}

// lazyList writes the schemas at the first use.
func lazyList(all []tools.Tool) func() []listedTool {
	return sync.OnceValue(func() []listedTool {
		out := make([]listedTool, 0, len(all))
		for _, t := range all {
			h := t.Hints
			out = append(out, listedTool{t, mcp.Tool{
				Name: t.Name, Title: t.Title, Description: t.Description,
				RawInputSchema: t.InputSchema(), RawOutputSchema: t.OutputSchema(),
				Annotations: mcp.ToolAnnotation{Title: t.Title, ReadOnlyHint: &h.ReadOnly, DestructiveHint: &h.Destructive,
					IdempotentHint: &h.Idempotent, OpenWorldHint: &h.OpenWorld},
			}})
		}
		return out
	})
}

// filter decides which tools a connection sees, in the declared order. For a
// call it lets the one named tool pass: its handler applies the same rule and
// can say which scope or toolset is missing.
func (s *Server) filter(ctx context.Context, registered []mcp.Tool) []mcp.Tool {
	ex := exchangeOf(ctx)
	id, ok := identity.From(ctx)
	if !ok || ex == nil {
		return nil
	}
	if ex.calls(registered) {
		return registered
	}
	out := make([]mcp.Tool, 0, len(registered))
	for _, t := range s.listed() {
		if refusalOf(id, t.tool) == allowed {
			out = append(out, t.mcp)
		}
	}
	for _, t := range registered { // what Options.Extend added
		if _, ours := s.tools[t.Name]; !ours {
			out = append(out, t)
		}
	}
	return out
}

// nearest finds the known tool most like an unknown name, "" if none is.
func (s *Server) nearest(name string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, t := range s.opts.Tools {
		if d := tools.EditDistance(name, t.Name); d < least {
			best, least = t.Name, d
		}
	}
	return best
}
