package tools

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// dayExpr is a day as a caller writes it: fixed, or relative to the athlete's
// today.
type dayExpr struct {
	fixed    string // YYYY-MM-DD, or "" when relative
	relative int    // days from today
}

// parseDay reads "2026-07-14", "2026-07-14T06:30:00" (its day), "today",
// "tomorrow", "yesterday", "-7d" and "+3d".
func parseDay(s string) (dayExpr, error) {
	switch word := strings.ToLower(strings.TrimSpace(s)); word {
	case "today", "now":
		return dayExpr{}, nil
	case "tomorrow":
		return dayExpr{relative: 1}, nil
	case "yesterday":
		return dayExpr{relative: -1}, nil
	default:
		if rest, ok := strings.CutSuffix(word, "d"); ok && len(rest) > 1 && (rest[0] == '-' || rest[0] == '+') {
			if n, err := strconv.Atoi(rest); err == nil && n >= -36500 && n <= 36500 {
				return dayExpr{relative: n}, nil
			}
		}
	}
	d, rest, _ := strings.Cut(strings.TrimSpace(s), "T")
	if rest != "" {
		if _, err := time.Parse("15:04:05", rest); err != nil {
			if _, err := time.Parse("15:04", rest); err != nil {
				return dayExpr{}, errDay(s)
			}
		}
	}
	t, err := time.Parse(training.DayLayout, d)
	if err != nil || t.Year() < 1900 || t.Year() > 2200 {
		return dayExpr{}, errDay(s)
	}
	return dayExpr{fixed: d}, nil
}

func errDay(s string) error {
	return fmt.Errorf("%q is no date; write YYYY-MM-DD, today, tomorrow, yesterday, -7d or +3d", intervals.Clean(s, 30))
}

// on gives the day itself, given the athlete's today.
func (d dayExpr) on(today string) string {
	if d.fixed != "" {
		return d.fixed
	}
	return training.AddDays(today, d.relative)
}

// window is a range of local days, both inclusive, that may still depend on
// the athlete's time zone.
type window struct {
	from, to dayExpr
	today    dayExpr // the caller's own today; fixed or unset
	asked    bool    // whether today was passed
	now      time.Time
}

// newWindow reads the usual three date arguments. An absent end is defaulted
// relative to today; fromDefault and toDefault are days from today, and with
// only one end given the other keeps its distance only if that is not
// reversed.
func newWindow(now time.Time, start, end, today string, fromDefault, toDefault int) (window, error) {
	w := window{from: dayExpr{relative: fromDefault}, to: dayExpr{relative: toDefault}, now: now}
	var problems Problems
	read := func(arg, s string, into *dayExpr) bool {
		if s == "" {
			return false
		}
		d, err := parseDay(s)
		if err != nil {
			problems = append(problems, Problem{Arg: arg, Message: err.Error()})
			return false
		}
		*into = d
		return true
	}
	gotStart := read("start_date", start, &w.from)
	gotEnd := read("end_date", end, &w.to)
	if w.asked = read("today", today, &w.today); w.asked {
		utc := now.UTC().Format(training.DayLayout)
		if w.today.fixed == "" {
			w.asked = false // "today" as today says nothing
		} else if n := training.DaysBetween(utc, w.today.fixed); n < -2 || n > 2 {
			problems = append(problems, Problem{Arg: "today", Message: "is more than a day from the athlete's date", Next: "leave it out to use the profile's time zone"})
		}
	}
	if len(problems) > 0 {
		return w, problems
	}
	if gotStart != gotEnd && w.fixedReversed() {
		// Only one end was given and it lies beyond the other's default:
		// keep the default length of the window.
		if gotStart {
			w.to = shift(w.from, toDefault-fromDefault)
		} else {
			w.from = shift(w.to, fromDefault-toDefault)
		}
	}
	return w, nil
}

func shift(d dayExpr, n int) dayExpr {
	if d.fixed != "" {
		return dayExpr{fixed: training.AddDays(d.fixed, n)}
	}
	return dayExpr{relative: d.relative + n}
}

// fixedReversed reports whether the range is reversed whatever the zone.
func (w window) fixedReversed() bool {
	oldest, newest := w.query(nil)
	return oldest > newest
}

// query gives the range to ask upstream for. While the zone is not known
// (loc nil) it is widened to every zone's today, UTC-1 to UTC+1 days, so that
// one round of calls is enough; exact then cuts it (domain.md "Time").
func (w window) query(loc *time.Location) (oldest, newest string) {
	if w.asked {
		return w.from.on(w.today.fixed), w.to.on(w.today.fixed)
	}
	if loc != nil {
		today := w.now.In(loc).Format(training.DayLayout)
		return w.from.on(today), w.to.on(today)
	}
	utc := w.now.UTC()
	return w.from.on(utc.AddDate(0, 0, -1).Format(training.DayLayout)), w.to.on(utc.AddDate(0, 0, 1).Format(training.DayLayout))
}

// exact gives the range and the day that counts as today.
func (w window) exact(loc *time.Location) (from, to, today string, err error) {
	today = w.now.In(loc).Format(training.DayLayout)
	if w.asked {
		if n := training.DaysBetween(today, w.today.fixed); n < -1 || n > 1 {
			return "", "", "", Problems{{Arg: "today", Message: fmt.Sprintf("is more than a day from the athlete's date, %s in %s", today, loc), Next: "leave it out to use the profile's time zone"}}
		}
		today = w.today.fixed
	}
	from, to = w.from.on(today), w.to.on(today)
	if from > to {
		return "", "", "", Problems{{Arg: "start_date", Message: fmt.Sprintf("%s is after end_date %s", from, to), Next: "swap them or leave one out"}}
	}
	return from, to, today, nil
}
