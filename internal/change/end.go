package change

import (
	"errors"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/intervals"
)

// end is what became of one object; a zero status means that it was not tried.
type end struct {
	status   audit.Status
	target   string
	state    intervals.Object // as it now is, if it could be read
	workout  *Workout
	upstream int // HTTP status, 0 = no answer
	err      error
	reason   string
	warnings []string
	paired   []string // activities that were paired with it again
	back     bool     // it was done, and taken back
	old      string   // id of what was deleted and had to be made again
	pending  bool     // an earlier request of it, whose answer was lost, may still arrive
	recorded bool     // the log has it already
	odd      bool     // it was accepted with an answer that says nothing
}

// replaces is the id of the deleted object for which this one now stands.
func (d end) replaces(o Object) string {
	switch {
	case d.old != "":
		return d.old
	case d.status == audit.Applied && o.Action == Create:
		return o.Replaces
	}
	return ""
}

func (d end) fail(err error, reason string) end {
	d.status, d.err, d.reason = audit.Failed, err, reason
	var up *intervals.Error
	if reason == "" && errors.As(err, &up) {
		sure := *up
		sure.MaybeApplied = false // it was looked at, or refused
		d.err, d.reason = &sure, sure.Error()
	}
	return d
}

func (d end) unknown(err error, next string) end {
	d.status, d.err = audit.Unknown, err
	if err == nil {
		d.err = errors.New("the answer does not say what was made")
	}
	d.reason = "It may have been applied (" + d.err.Error() + "). " + next
	return d
}

// warn adds a warning where there was an error.
func (d *end) warn(err error, sentence string) {
	if err != nil {
		d.warnings = append(d.warnings, sentence)
	}
}

// maybe reports a write of which it is not known whether it happened.
func maybe(err error) bool {
	var up *intervals.Error
	return errors.As(err, &up) && up.MaybeApplied
}

// refusedForSure reports an answer that says the platform has finished with
// the request: then what a look finds is final.
func refusedForSure(err error) bool {
	var up *intervals.Error
	return errors.As(err, &up) && (up.Status == 500 || up.Status == 501 || up.Status == 503)
}

func statusOf(err error) int {
	var up *intervals.Error
	switch {
	case err == nil:
		return 200
	case errors.As(err, &up):
		return up.Status
	}
	return 0
}
