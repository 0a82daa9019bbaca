package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// SchemaVersion of the items written by this code.
const SchemaVersion = 1

// Bounds of an item and of one transaction (safety.md 3).
const (
	MaxState     = 32 << 10 // bytes of before, and of after
	MaxArguments = 2 << 10  // bytes of arguments
	MaxBatch     = 90       // items in a transaction
	MaxBatchSize = 3 << 20  // bytes in a transaction
	MaxSummary   = 160      // characters
)

// DefaultRetention is how long items are kept unless the deployment says
// otherwise (AuditRetentionDays).
const DefaultRetention = 400 * 24 * time.Hour

// Phase tells an intent from an outcome.
type Phase string

// The two phases.
const (
	Intent  Phase = "intent"
	Outcome Phase = "outcome"
)

// Status is what came of a change.
type Status string

// The statuses of an outcome. Unknown means that nobody can tell.
const (
	Applied Status = "applied"
	Failed  Status = "failed"
	Unknown Status = "unknown"
)

// Item is one entry of the log. An object's item has n >= 1 and describes one
// object; the head has n = 0 and describes the change.
type Item struct {
	Schema     int       `json:"schema"`
	Change     ID        `json:"change_id"`
	N          int       `json:"n"`
	Phase      Phase     `json:"phase"`
	User       string    `json:"user"`
	Athlete    string    `json:"athlete"`
	Connection string    `json:"connection"`
	Client     string    `json:"client,omitempty"`
	Tool       string    `json:"tool"`
	RequestID  string    `json:"request_id"`
	Time       time.Time `json:"time"` // when this item was written
	Expires    time.Time `json:"expires"`

	// Of a head.
	Arguments json.RawMessage `json:"arguments,omitempty"` // size-capped
	Summary   string          `json:"summary,omitempty"`
	Objects   int             `json:"objects,omitempty"` // how many items n >= 1 there are
	Targets   []string        `json:"targets,omitempty"` // ids, as far as they are known
	Digest    string          `json:"digest,omitempty"`  // of the resolved plan of a create
	// Undoes names the changes that this one takes back.
	Undoes []ID `json:"undoes,omitempty"`
	// Links tells which objects stand for deleted ones: old id -> new id. Of an
	// outcome.
	Links map[string]string `json:"links,omitempty"`

	// Of an object. Before and After hold writable fields only; in an intent
	// After is what is meant, in an outcome what was read back. A head carries
	// Undoable too: the worst of its objects'.
	Kind     string          `json:"kind,omitempty"`
	Action   string          `json:"action,omitempty"`
	Target   string          `json:"target,omitempty"`
	Parent   string          `json:"parent,omitempty"` // of a comment: the activity
	Undoable string          `json:"undoable,omitempty"`
	Before   json.RawMessage `json:"before,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`
	Cleared  []string        `json:"cleared,omitempty"`  // keys of After that were to be emptied
	Replaces string          `json:"replaces,omitempty"` // id of the deleted object that a create brings back
	// Paired are the activities by which a session was done; PairingRead says
	// that they were looked for before the change.
	Paired      []string `json:"paired,omitempty"`
	PairingRead bool     `json:"pairing_read,omitempty"`
	Known       []string `json:"known,omitempty"` // of a create without a sure name of its own: ids that were there before

	// Of an outcome.
	Status         Status `json:"status,omitempty"`
	UpstreamStatus int    `json:"upstream_status,omitempty"` // HTTP; 0 = no answer
	Reason         string `json:"reason,omitempty"`
	DurationMS     int64  `json:"duration_ms,omitempty"`
}

// Head reports whether the item describes the change itself.
func (i Item) Head() bool { return i.N == 0 }

// Key is the item's key.
func (i Item) Key() (partition, sort string) {
	return PartitionKey(i.User), i.Change.SortKey(i.N, i.Phase)
}

// Day is the day of the change in UTC, for the operator's index.
func (i Item) Day() string { return i.Change.Time.Format("2006-01-02") }

// ErrExists says that an item with the same key is there already: the log is
// append-only.
var ErrExists = errors.New("audit: the item exists")

// Check refuses an item that must not be stored.
func (i Item) Check() error {
	switch {
	case i.User == "" || i.Change.IsZero() || i.N < 0 || (i.Phase != Intent && i.Phase != Outcome):
		return fmt.Errorf("audit: item %s#%d has no user, change or phase", i.Change, i.N)
	case len(i.Before) > MaxState || len(i.After) > MaxState:
		return fmt.Errorf("audit: item %s#%d: a state over %d bytes", i.Change, i.N, MaxState)
	case len(i.Arguments) > MaxArguments:
		return fmt.Errorf("audit: item %s#%d: arguments over %d bytes", i.Change, i.N, MaxArguments)
	case i.Expires.IsZero():
		return fmt.Errorf("audit: item %s#%d never expires", i.Change, i.N)
	}
	return nil
}
