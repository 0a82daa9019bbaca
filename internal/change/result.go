package change

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"intervals-mcp/internal/intervals"
)

// Status is what the caller is told became of a change.
type Status string

// The statuses. Preview, Applied and Replayed are no errors.
const (
	Preview     Status = "preview" // nothing was written: it awaits its confirmation
	Applied     Status = "applied"
	Replayed    Status = "replayed" // done by an earlier, equal call; nothing was written now
	RefusedNow  Status = "refused"  // nothing was sent
	FailedNow   Status = "failed"   // sent, and not done
	UnknownDone Status = "unknown"  // sent, and nobody can tell
)

// Result is the one shape in which every write answers (safety.md).
type Result struct {
	Status   Status         `json:"status"`
	ChangeID string         `json:"change_id,omitempty"`
	Summary  string         `json:"summary"`
	Reason   string         `json:"reason,omitempty"` // why refused, failed or unknown, and the next step
	Objects  []ObjectResult `json:"objects"`
	Warnings []string       `json:"warnings"`

	// Of a preview: what confirm_change wants, or under the setting person the
	// page on which the person approves; and until when.
	Confirmation string     `json:"confirmation,omitempty"`
	ApproveURL   string     `json:"approve_url,omitempty"`
	Expires      *time.Time `json:"expires_at,omitempty"`
	// Outcome is what came of the earlier change, where Status is Replayed:
	// applied, failed, or unknown, also while it runs.
	Outcome string `json:"outcome,omitempty"`
	// Used says that nothing was done since the confirmation was used before.
	Used bool `json:"-"`
	// Tool is the tool that asked for the change, where another one answers.
	Tool string `json:"tool,omitempty"`

	// State is the one object as it now is, when there is just one and it
	// could be read; tools give it under its noun.
	State intervals.Object `json:"-"`
	// Cause is the upstream error behind a failed or unknown change, nil when
	// there is none; tools word it in Reason.
	Cause error `json:"-"`
}

// ObjectResult is what became of one object.
type ObjectResult struct {
	Kind     Kind     `json:"kind"`
	ID       string   `json:"id,omitempty"`
	Action   Action   `json:"action"`
	Status   string   `json:"status"` // planned, applied, failed, unknown, not_done, rolled_back
	Fields   []Field  `json:"fields"`
	Undoable string   `json:"undoable"`
	Replaces string   `json:"replaces,omitempty"` // id of the deleted object that this one brings back
	Workout  *Workout `json:"workout,omitempty"`  // what the platform understood of workout text
	Upstream int      `json:"-"`                  // HTTP status of the write's answer, 0 = none

	// What the object was and what is sent, whole, for whoever words a preview.
	Before intervals.Object `json:"-"`
	Patch  intervals.Patch  `json:"-"`
	Parent string           `json:"-"` // of a comment: the activity
}

// Lost are all written fields, whole, of an object that is deleted; Fields has
// its head only. nil where what it was is not known.
func (o ObjectResult) Lost() []Field {
	if o.Action != Delete {
		return nil
	}
	var out []Field
	for _, key := range writable(o.Kind) {
		if v := o.Before.Value(key); key != "uid" && !isNone(key, v) {
			out = append(out, Field{Field: key, Old: v})
		}
	}
	return out
}

// IsError reports whether the call is to be answered as an error.
func (r *Result) IsError() bool {
	return r.Status == RefusedNow || r.Status == FailedNow || r.Status == UnknownDone
}

// Count counts the objects with a status.
func (r *Result) Count(status string) int {
	n := 0
	for _, o := range r.Objects {
		if o.Status == status {
			n++
		}
	}
	return n
}

// Text says the same in words: status, summary, reason, warnings.
func (r *Result) Text() string {
	lines := []string{string(r.Status) + ": " + r.Summary}
	if r.Reason != "" {
		lines = append(lines, Sentence(r.Reason))
	}
	for _, w := range r.Warnings {
		lines = append(lines, "Warning: "+w)
	}
	if r.ChangeID != "" {
		lines = append(lines, "Change "+r.ChangeID+".")
	}
	return strings.Join(lines, "\n")
}

// Sentence begins a reason with a capital, for where it stands by itself or
// after a full stop. A name such as list_changes stays as it is.
func Sentence(reason string) string {
	first, n := utf8.DecodeRuneInString(reason)
	word, _, _ := strings.Cut(reason, " ")
	if strings.Contains(word, "_") || !unicode.IsLower(first) {
		return reason
	}
	return string(unicode.ToUpper(first)) + reason[n:]
}

// resultFields cuts long text and content in a result: the state has them whole.
func resultFields(fields []Field) []Field {
	out := make([]Field, len(fields))
	for i, f := range fields {
		out[i] = Field{f.Field, shortValue(f.Old), shortValue(f.New)}
	}
	return out
}

const maxValue = 600 // characters of one old or new value in a result

func shortValue(v any) any {
	switch v := v.(type) {
	case string:
		if r := []rune(v); len(r) > maxValue {
			return string(r[:maxValue]) + fmt.Sprintf("… (%d characters)", len(r))
		}
	case []any, map[string]any, intervals.Patch, intervals.Object:
		if b := canonical(v); len(b) > maxValue {
			return fmt.Sprintf("(%d bytes of JSON)", len(b))
		}
	}
	return v
}
