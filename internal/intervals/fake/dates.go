package fake

import (
	"fmt"
	"strings"
	"time"
)

// day is a local date, counted in days from 1970-01-01: fitness, ranges and
// weeks are arithmetic on it.
type day int

const (
	dateForm     = "2006-01-02"
	localForm    = "2006-01-02T15:04:05"
	stampForm    = "2006-01-02T15:04:05.000+00:00"
	endOfTheDay  = "T23:59:59"
	startOfDay   = "T00:00:00"
	secondsInDay = 86400
)

func (d day) String() string { return time.Unix(int64(d)*secondsInDay, 0).UTC().Format(dateForm) }

// monday is the first day of d's week.
func (d day) monday() day {
	return d - day((int(time.Unix(int64(d)*secondsInDay, 0).UTC().Weekday())+6)%7)
}

// dateDay reads the date at the start of a local date or date-time.
func dateDay(local string) (day, bool) {
	if len(local) < len(dateForm) {
		return 0, false
	}
	t, err := time.Parse(dateForm, local[:len(dateForm)])
	if err != nil {
		return 0, false
	}
	return day(t.Unix() / secondsInDay), true
}

// dayIn is the date that t is in a zone.
func dayIn(t time.Time, zone *time.Location) day {
	t = t.In(zone)
	return day(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / secondsInDay)
}

// localTime reads a date-time without zone; a bare date is none.
func localTime(s string) (time.Time, error) {
	for _, form := range []string{localForm, "2006-01-02T15:04", "2006-01-02T15:04:05.999"} {
		if t, err := time.Parse(form, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no local date-time", s)
}

// queryTime reads a `oldest` or `newest`: a date, taken from its first second
// to its last, or a date-time. It answers in the form of start_date_local,
// whose texts sort as their times do.
func queryTime(s string, last bool) (string, bool) {
	if t, err := localTime(s); err == nil {
		return t.Format(localForm), true
	}
	if _, err := time.Parse(dateForm, s); err != nil {
		return "", false
	}
	if last {
		return s + endOfTheDay, true
	}
	return s + startOfDay, true
}

// stamp writes an instant as the server does.
func stamp(t time.Time) string { return t.UTC().Format(stampForm) }

// utcStart gives the UTC start of a local date-time in a zone.
func utcStart(local string, zone *time.Location) string {
	t, err := time.ParseInLocation(localForm, local, zone)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// moveDays moves a local date-time by whole days; its time of day stays.
func moveDays(local string, days int) string {
	t, err := localTime(local)
	if err != nil {
		return local
	}
	return t.AddDate(0, 0, days).Format(localForm)
}

// commaList splits a query value that may be repeated or comma-joined.
func commaList(values []string) []string {
	var out []string
	for _, v := range values {
		for p := range strings.SplitSeq(v, ",") {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}
