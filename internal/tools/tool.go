package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

// Tool is everything about one tool.
type Tool struct {
	Name        string // contract: reference names stay as they are
	Title       string
	Description string // what it answers, when to use it, units, limits; under 400 characters
	Params      []Param
	Result      []Out
	Hints       Hints
	Scope       identity.Scope
	Toolset     identity.Toolset // ToolsetCore: offered by default
	// Failure starts the text of an error, such as "Error fetching events".
	Failure string
	run     func(ctx context.Context, rq *Request, args json.RawMessage) (Result, error)
}

// Hints are the MCP annotations, all of them always sent. OpenWorld means
// that people outside this athlete's account see the effect.
type Hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// The usual hints.
var (
	reads    = Hints{ReadOnly: true, Idempotent: true}
	writes   = Hints{}
	deletes  = Hints{Destructive: true, Idempotent: true}
	messages = Hints{OpenWorld: true}
)

// Result is what a handler returns: a value whose JSON is the structured
// result and whose Text says the same in words. A Result that has a method
// facts() gives that value so, in place of its JSON. A Result that has a method
// IsError() bool decides itself whether it is an error.
type Result interface{ Text() string }

// handle adapts a typed handler. P's fields carry the parameters' names as
// json tags; a parameter that was not passed and has no default leaves its
// field alone, so that a pointer tells "not passed" from a value.
func handle[P any, R Result](fn func(ctx context.Context, rq *Request, in P) (R, error)) func(context.Context, *Request, json.RawMessage) (Result, error) {
	return func(ctx context.Context, rq *Request, args json.RawMessage) (Result, error) {
		var in P
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
		out, err := fn(ctx, rq, in)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
}

// All lists the tools in the order in which they are offered.
func All() []Tool {
	return []Tool{
		getActivities,
		getActivityDetails,
		getActivityIntervals,
		getActivityStreams,
		getActivityMessages,
		addActivityMessage,
		getEvents,
		getEventByID,
		deleteEvent,
		deleteEventsByDateRange,
		addOrUpdateEvent,
		addOrUpdateNote,
		getWellnessData,
		getAthletePowerCurves,
		getGearList,
		getCustomItems,
		getCustomItemByID,
		createCustomItem,
		updateCustomItem,
		deleteCustomItem,
		listChanges,
		confirmChange,
		undoChange,
	}
}

// Answer is a finished call.
type Answer struct {
	Text       string
	Structured json.RawMessage // nil when there is none
	IsError    bool
	Kind       string // "ok", or the kind of error, for logs
	// Ask is the question to which a preview comes, for clients that put it to
	// the person; for all others Text and Structured are the answer.
	Ask *Question
}

// Call runs one tool with arguments as the client sent them. It never returns
// an error: what goes wrong becomes an Answer that says so.
func (s *Service) Call(ctx context.Context, t Tool, id identity.Identity, args json.RawMessage) (a Answer) {
	rq, err := s.request(ctx, id)
	defer func() { a = rq.withoutKey(a) }()
	if err != nil {
		return failure(t, s, rq, err)
	}
	normal, notes, err := t.arguments(args)
	rq.notes = notes
	if err != nil {
		return failure(t, s, rq, err)
	}
	rq.tool, rq.args = t.Name, normal
	result, err := t.run(ctx, rq, normal)
	if intervals.KindOf(err) == intervals.Unauthorized && t.Scope == identity.ScopeRead { // never a write: some of it may have been done
		if again := rq.renewed(ctx, notes); again != nil {
			rq = again
			result, err = t.run(ctx, rq, normal)
		}
	}
	if rq.respell(ctx, err) {
		result, err = t.run(ctx, rq, normal)
	}
	if err != nil {
		return failure(t, s, rq, err)
	}
	structured, err := write(result)
	if err != nil {
		return failure(t, s, rq, fmt.Errorf("write result: %w", err))
	}
	a = Answer{Text: withNotes(result.Text(), rq.notes), Structured: structured, Kind: "ok"}
	if e, ok := result.(interface{ IsError() bool }); ok && e.IsError() {
		a.IsError, a.Kind = true, "change"
	}
	if q, ok := result.(interface{ question() *Question }); ok {
		a.Ask = q.question()
	}
	return a
}

// write gives the structured form of a result.
func write(r Result) (json.RawMessage, error) {
	if f, ok := r.(interface{ facts() facts }); ok {
		return f.facts().append(nil), nil
	}
	return json.Marshal(r)
}

func withNotes(text string, notes []string) string {
	for _, n := range notes {
		text += "\n\nNote: " + n
	}
	return text
}
