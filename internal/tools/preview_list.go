package tools

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/training"
)

// list tells many objects: by day, over more than a week by week with the
// week's totals.
func (pv previewer) list(mine []plannedThing) (lines []string) {
	first, last := mine[0].day, mine[len(mine)-1].day
	if first == "" || training.DaysBetween(first, last)+1 <= previewDays {
		return pv.some(mine, previewLines, "- ")
	}
	weeks := slices.Collect(byWeek(mine))
	room := max(previewLines/len(weeks), 2)
	for _, week := range weeks {
		lines = append(lines, fmt.Sprintf("Week of %s: %d%s", pv.date(monday(week[0].day)), len(week), prefixed(", ", pv.totals(week))))
		lines = append(lines, pv.some(week, room, "- ")...)
	}
	return lines
}

// monday is the first day of a day's week.
func monday(day string) string {
	t, err := time.Parse(training.DayLayout, day)
	if err != nil {
		return day
	}
	return training.AddDays(day, -(int(t.Weekday())+6)%7)
}

func byWeek(mine []plannedThing) func(func([]plannedThing) bool) {
	return func(yield func([]plannedThing) bool) {
		for len(mine) > 0 {
			first := monday(mine[0].day)
			n := slices.IndexFunc(mine, func(o plannedThing) bool { return monday(o.day) != first })
			if n < 0 {
				n = len(mine)
			}
			if !yield(mine[:n]) {
				return
			}
			mine = mine[n:]
		}
	}
}

func (pv previewer) some(mine []plannedThing, room int, bullet string) (lines []string) {
	for i, o := range mine {
		if i == room-1 && len(mine) > room {
			return append(lines, fmt.Sprintf("%s%d more", bullet, len(mine)-i))
		}
		lines = append(lines, bullet+pv.line(o, false))
	}
	return lines
}

// totals adds up plannedThing time and load, before and after where they differ.
func (pv previewer) totals(mine []plannedThing) string {
	var was, is, loadWas, loadIs float64
	for _, o := range mine {
		was, is = was+o.number(o.was, "moving_time"), is+o.number(o.is, "moving_time")
		loadWas, loadIs = loadWas+o.number(o.was, "icu_training_load"), loadIs+o.number(o.is, "icu_training_load")
	}
	switch mine[0].Action {
	case change.Create:
		was, loadWas = is, loadIs
	case change.Delete:
		is, loadIs = was, loadWas
	}
	return parts(", ", fromTo("time ", hours(was), hours(is)), fromTo("load ", positive(loadWas), positive(loadIs)))
}

func fromTo(label, was, is string) string {
	switch {
	case was == is && is == "":
		return ""
	case was == is:
		return label + is
	}
	return label + cmp.Or(was, "none") + " -> " + cmp.Or(is, "none")
}

func hours(secs float64) string {
	if secs <= 0 {
		return ""
	}
	n := int64(math.Round(secs / 60))
	return fmt.Sprintf("%d:%02d h", n/60, n%60)
}

func positive(n float64) string {
	if n <= 0 {
		return ""
	}
	return round(n, 0)
}
