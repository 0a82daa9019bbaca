package tools

import (
	"time"

	"intervals-mcp/internal/training"
)

// dayRange is the window of a list by day together with the cursor that may
// continue it. A continued list keeps the days that its first page resolved,
// even over midnight.
type dayRange struct {
	window
	resume cursor // zero on the first page
}

// rangeArgs are the arguments that decide a dayRange.
type rangeArgs struct {
	Start  string `json:"start_date"`
	End    string `json:"end_date"`
	Today  string `json:"today"`
	Cursor string `json:"cursor"`
}

// newDayRange reads them; the defaults are days from today, and args are the
// other arguments that a cursor belongs to.
func newDayRange(now time.Time, in rangeArgs, fromDefault, toDefault int, args ...any) (dayRange, uint32, error) {
	fp := fingerprint(append(args, in.Start, in.End)...)
	w, err := newWindow(now, in.Start, in.End, in.Today, fromDefault, toDefault)
	d := dayRange{window: w}
	if err == nil && in.Cursor != "" {
		d.resume, err = readCursor(in.Cursor, fp)
		if err == nil && (d.resume.From == "" || d.resume.To == "") {
			err = refuse("cursor", "is not one that this server gave")
		}
	}
	return d, fp, err
}

// query is window.query, or the days of the page before.
func (d dayRange) query(loc *time.Location) (oldest, newest string) {
	if d.resume.After != "" {
		return d.resume.From, d.resume.To
	}
	return d.window.query(loc)
}

// exact is window.exact, or the days of the page before.
func (d dayRange) exact(loc *time.Location) (from, to, today string, err error) {
	from, to, today, err = d.window.exact(loc)
	if err == nil && d.resume.After != "" {
		from, to = d.resume.From, d.resume.To
	}
	return from, to, today, err
}

// weekday names a local day, such as "Tue".
func weekday(day string) string {
	t, err := time.Parse(training.DayLayout, day)
	if err != nil {
		return ""
	}
	return t.Weekday().String()[:3]
}
