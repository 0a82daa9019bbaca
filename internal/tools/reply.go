package tools

import (
	"context"

	"intervals-mcp/internal/change"
)

// Question is what a person may be asked about a preview, by a client that can
// ask them. State comes back with their reply; it is the plan's confirmation.
type Question struct{ Message, State string }

// Reply is what a person said to a Question, when the same call comes again.
type Reply struct {
	State    string
	Accepted bool
}

type replyKey struct{}

// WithReply gives a call the reply to the question that it led to before. Only
// what a client sent as such may come here: it stands for the summary that
// confirm_change wants.
func WithReply(ctx context.Context, r Reply) context.Context {
	return context.WithValue(ctx, replyKey{}, r)
}

// answered makes the change that the person agreed to, or drops it.
func (rq *Request) answered(ctx context.Context, call change.Call, reply Reply) (*change.Result, error) {
	if reply.Accepted {
		return rq.svc.Changes.Answered(ctx, call, reply.State)
	}
	r := &change.Result{Status: change.RefusedNow, Summary: "The previewed change", Objects: []change.ObjectResult{}, Warnings: []string{},
		Reason: "the person declined. Nothing was written."}
	w, err := rq.svc.Changes.Waiting(ctx, rq.Identity.User, reply.State)
	if err != nil || w.Connection != rq.Identity.Connection || w.Tool != rq.tool {
		return r, nil //nolint:nilerr // whatever it was, it is not made
	}
	r.Summary = w.Summary
	if rq.svc.Changes.Drop(ctx, rq.Identity.User, reply.State) != nil {
		r.Warnings = append(r.Warnings, "the plan could not be dropped; it ends by itself within 10 minutes.")
	}
	return r, nil
}
