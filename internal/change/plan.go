package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

// Call says on whose behalf, for whom and with what a change is made.
type Call struct {
	Identity  identity.Identity
	Client    *intervals.Client
	Athlete   string // id of the athlete who is changed
	Me        string // id of the athlete whose key it is
	Tool      string
	Arguments json.RawMessage // canonical, without api_key
	Miles     bool            // the athlete reads distances in miles; summaries do too

	log audit.Log        // set by the Engine, for planners that read it
	now func() time.Time // likewise
}

// own reports that athletes change what is theirs, so that a coach's locks
// count.
func (c Call) own() bool { return c.Me == c.Athlete }

// Planner says what a call would change. There is one per kind of object; it
// reads and computes but does not write. It gives a *Refused when the change
// is not allowed.
type Planner interface {
	Plan(ctx context.Context, c Call) (Plan, error)
}

// Action is what happens to an object.
type Action string

// The three actions.
const (
	Create Action = "create"
	Update Action = "update"
	Delete Action = "delete"
)

// Kind is a kind of object, as the audit log and answers name it.
type Kind string

// The kinds that can be changed.
const (
	EventKind   Kind = "event"
	MessageKind Kind = "message"
	ItemKind    Kind = "custom_item"
)

// Field is one difference, under the platform's name and in its units (s, m).
type Field struct {
	Field string `json:"field"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// Object is one object of a plan, as plain data.
type Object struct {
	Kind     Kind
	Action   Action
	Target   string  // id; "" until a create was applied
	Parent   string  // of a message: the activity
	Fields   []Field // only what the caller named and what follows from it
	Undoable string  // yes, partly (why), no (why)
	// Patch is what is sent: only what was passed. Of Cleared keys it holds
	// the value that clears them.
	Patch   intervals.Patch
	Cleared []string
	Before  intervals.Object // the state that the plan was made from
	Known   []string         // ids that were there before a create
	Twins   []string         // those of Known that equal what is created
	Workout *Workout         // what workout text should come to

	// Paired lists the activities by which a session was done, if the plan
	// depends on it (PairingRead); a change of it in between is one that matters.
	Paired      []string
	PairingRead bool
	// Pair lists activities to be paired with what this object then is.
	Pair []string
	// Replaces is the id of the deleted object that a create brings back.
	Replaces string
	// Figures are those to which an old session must come again, nil for none;
	// they are set by hand where the platform works out others.
	Figures intervals.Patch
	// Back says that an update puts an old state back: its text stood before, so
	// that it may be one without steps.
	Back bool
	// Made is the id of what an equal call, whose answer was lost, made already:
	// then nothing is sent.
	Made string
}

// Plan is a change before it is made.
type Plan struct {
	Summary        string // one line, at most 160 characters
	Objects        []Object
	Warnings       []string
	AllowDuplicate bool
	Always         []string   // why it is previewed whatever the setting
	Undoes         []audit.ID // the changes that it takes back

	turn string // what creates that are equal to this one, and begin now, have in common
}

// Refused is the error of a plan that is not allowed.
type Refused struct {
	Summary string // what would have happened
	Reason  string // why not, and the next step
}

func (r *Refused) Error() string { return r.Summary + ": " + r.Reason }

func refused(summary, format string, a ...any) error {
	return &Refused{Summary: cut(summary, maxSummary), Reason: fmt.Sprintf(format, a...)}
}

// digest names what a plan would do, whoever's request it is; "" unless the
// plan creates something: only then is doing it twice another thing than doing
// it once.
func (p Plan) digest(c Call) string {
	type done struct {
		Kind                     Kind
		Action                   Action
		Target, Parent, Replaces string
		Patch                    intervals.Patch
	}
	var all []done
	for _, o := range p.Objects {
		all = append(all, done{o.Kind, o.Action, o.Target, o.Parent, o.Replaces, o.Patch})
	}
	if len(which(p.Objects, Create)) == 0 {
		return ""
	}
	b, err := json.Marshal(all) // map keys are sorted: equal plans give equal bytes
	if err != nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s", c.Identity.User, c.Athlete, b)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// difference lists the fields of a patch, in the order of keys, that differ
// from the present state.
func difference(before intervals.Object, keys []string, patch intervals.Patch, cleared []string) []Field {
	var out []Field
	for _, key := range keys {
		v, sent := patch[key]
		if !sent {
			continue
		}
		if contains(cleared, key) {
			v = nil
			if isNone(key, before.Value(key)) {
				continue
			}
		} else if sameValue(key, v, before.Value(key)) {
			continue
		}
		out = append(out, Field{Field: key, Old: before.Value(key), New: v})
	}
	return out
}
