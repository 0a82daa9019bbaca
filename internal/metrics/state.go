package metrics

import (
	"context"
	"errors"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
)

// State counts what fails in another Store as failures of the audit log: where
// plans are not kept or confirmations not used, changes are refused as well.
func (e *Emitter) State(next state.Store) state.Store { return watchedState{next, e} }

type watchedState struct {
	state.Store
	e *Emitter
}

// Keep implements state.Store.
func (w watchedState) Keep(ctx context.Context, p state.Waiting) error {
	return w.seen(w.Store.Keep(ctx, p))
}

// Get implements state.Store.
func (w watchedState) Get(ctx context.Context, user, handle string) (state.Waiting, error) {
	p, err := w.Store.Get(ctx, user, handle)
	return p, w.seen(err)
}

// Use implements state.Store.
func (w watchedState) Use(ctx context.Context, user, handle string, head audit.Item) error {
	return w.seen(w.Store.Use(ctx, user, handle, head))
}

// Wrong implements state.Store.
func (w watchedState) Wrong(ctx context.Context, user, handle string) (left int, err error) {
	left, err = w.Store.Wrong(ctx, user, handle)
	return left, w.seen(err)
}

// seen counts an error that is no answer about a plan.
func (w watchedState) seen(err error) error {
	if err != nil && !errors.Is(err, state.ErrNotFound) && !errors.Is(err, state.ErrUsed) {
		w.e.Emit("", Metric{"AuditFailures", "Count", 1})
	}
	return err
}
