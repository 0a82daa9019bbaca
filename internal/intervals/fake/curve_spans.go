package fake

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// span is one curve that was asked for. end is exclusive: a curve that runs
// to today ends tomorrow.
type span struct {
	id, label  string
	start, end day
	variant    string
}

var (
	agoCurve    = regexp.MustCompile(`^([1-9]\d{0,2})y$|^([1-9]\d{0,3})d$`)
	seasonCurve = regexp.MustCompile(`^s(\d{1,2})$`)
	rangeCurve  = regexp.MustCompile(`^r\.(\d{4}-\d\d-\d\d)\.(\d{4}-\d\d-\d\d)$`)
)

// spans reads the curves that are asked for; the last year without any.
// oldest and newest bound them all.
func (c *call) spans(b basis) ([]span, error) {
	today, err := c.date("now", c.today())
	if err != nil {
		return nil, err
	}
	if today, err = c.date("newest", today); err != nil {
		return nil, err
	}
	oldest, err := c.date("oldest", -never)
	if err != nil {
		return nil, err
	}
	names := commaList(c.query["curves"])
	if len(names) == 0 {
		names = []string{"1y"}
	}
	var out []span
	for _, name := range names {
		sp, ok := c.span(name, today, b)
		if !ok {
			return nil, &refusal{http.StatusUnprocessableEntity, Object{"error": "Invalid curve: [" + name + "]"}}
		}
		sp.start = max(sp.start, oldest)
		out = append(out, sp)
	}
	return out, nil
}

func (c *call) span(name string, today day, b basis) (span, bool) {
	sp := span{id: name, end: today + 1}
	if b == powerBasis {
		for variant := range fatigued {
			if cut, ok := strings.CutSuffix(name, "-"+variant); ok {
				name, sp.variant = cut, variant
			}
		}
	}
	if m := agoCurve.FindStringSubmatch(name); m != nil {
		n, unit := m[1], "year"
		if n == "" {
			n, unit = m[2], "day"
		}
		count, _ := strconv.Atoi(n)
		sp.label = n + " " + unit
		if count != 1 {
			sp.label += "s"
		}
		days := count
		if unit == "year" {
			days = count * 365
		}
		sp.start = today - day(days)
		return sp, true
	}
	if m := seasonCurve.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1])
		starts := c.ath.seasons(today, n)
		sp.start = starts[n]
		if n > 0 {
			sp.end = starts[n-1]
		}
		sp.label = [...]string{"This season", "Last season", strconv.Itoa(n) + " seasons ago"}[min(n, 2)]
		return sp, true
	}
	if m := rangeCurve.FindStringSubmatch(name); m != nil {
		from, ok := dateDay(m[1])
		to, ok2 := dateDay(m[2])
		sp.start, sp.end, sp.label = from, to+1, m[1]+" - "+m[2]
		return sp, ok && ok2 && from <= to
	}
	sp.label = "All time"
	sp.start = today
	if n := len(c.ath.acts); n > 0 {
		sp.start = min(today, c.ath.acts[n-1].day())
	}
	return sp, name == "all"
}

// seasons are the starts of the season of a day and the n before it: the
// SEASON_START events, and New Year before the first of them.
func (a *athlete) seasons(today day, n int) []day {
	var starts []day
	for _, e := range slices.Backward(a.events) {
		if e.category() == "SEASON_START" && e.day() <= today && !slices.Contains(starts, e.day()) {
			starts = append(starts, e.day())
		}
	}
	for len(starts) <= n {
		before := today
		if len(starts) > 0 {
			before = starts[len(starts)-1] - 1
		}
		year, _ := strconv.Atoi(before.String()[:4])
		first, _ := dateDay(strconv.Itoa(year) + "-01-01")
		starts = append(starts, first)
	}
	return starts
}
