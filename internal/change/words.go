package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// The words of summaries. A summary is the line by which a person who sees
// nothing else tells what will happen: what, how many, when. Names are quoted,
// on one line and without quotation marks of their own, so that none of them
// ends early and goes on in this server's words.

const (
	metresPerMile = 1609.344
	metresPerYard = 0.9144
)

func kindWords(category, sport string) string {
	if category == "WORKOUT" {
		return strings.TrimSpace("workout " + sport)
	}
	return strings.TrimSpace(category + " " + sport)
}

func eventWords(e intervals.Event) string {
	return fmt.Sprintf("%s %s of %s (event %d)", kindWords(cut(e.Category(), 20), cut(e.Str("type"), 20)), quote(e.Name(), 40), whenWords(e.Str("start_date_local")), e.ID())
}

// createWords says what is created, when, and how much training it is.
func (c Call) createWords(o Object) string {
	head := fmt.Sprintf("Create %s %s on %s", kindWords(text(o.Patch["category"]), text(o.Patch["type"])), quote(text(o.Patch["name"]), 70), whenWords(text(o.Patch["start_date_local"])))
	var parts []string
	if secs, ok := asNumber(o.Patch["moving_time"]); ok && secs > 0 {
		parts = append(parts, shortTime(secs))
	}
	if m, ok := asNumber(o.Patch["distance"]); ok && m > 0 {
		parts = append(parts, c.length(m, text(o.Patch["type"])))
	}
	if load, ok := asNumber(o.Patch["icu_training_load"]); ok && load > 0 {
		parts = append(parts, fmt.Sprintf("load %.0f", load))
	}
	if n := ReadText(text(o.Patch["description"])).Steps; n > 0 {
		parts = append(parts, count(n, "step"))
	}
	return fitting(head, parts)
}

// updateWords says what becomes of one event.
func (c Call) updateWords(o Object) string {
	return c.changeWords(eventWords(intervals.Event{Object: o.Before}), o)
}

func (c Call) changeWords(what string, o Object) string {
	parts := c.fieldWords(o)
	if len(parts) == 0 {
		parts = []string{"nothing differs"}
	}
	return fitting("Change "+what, parts)
}

// fitting joins parts to a line as long as a summary may be, and counts those
// that have no room.
func fitting(head string, parts []string) string {
	if len(parts) == 0 {
		return head
	}
	line := head + ": " + parts[0]
	for i, p := range parts[1:] {
		rest := len(parts) - 1 - i // this one and those after it
		next := line + ", " + p
		if room := maxSummary - 1 - len(" and 00 more"); len([]rune(next)) > room {
			return cut(line, room) + fmt.Sprintf(" and %d more", rest)
		}
		line = next
	}
	return line
}

// fieldWords says each difference of an update in short.
func (c Call) fieldWords(o Object) []string {
	sport := o.Before.Str("type")
	if to := text(o.Patch["type"]); to != "" {
		sport = to
	}
	fields := slices.Clone(o.Fields)
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(weight(a.Field), weight(b.Field)) })
	var out []string
	for _, f := range fields {
		out = append(out, c.oneField(f, sport))
	}
	return out
}

// weight puts what changes the training before what changes its looks, since
// not everything may have room.
func weight(key string) int {
	if i := slices.Index([]string{"start_date_local", "moving_time", "icu_training_load", "description", "distance", "category", "type", "name"}, key); i >= 0 {
		return i
	}
	return 99
}

func (c Call) oneField(f Field, sport string) string {
	a, isNumber := asNumber(f.Old)
	b, also := asNumber(f.New)
	isNumber = isNumber || also
	switch {
	case f.Field == "description" || f.Field == "content":
		return TextChange(f)
	case f.Field == "start_date_local":
		return "to " + whenWords(text(f.New))
	case f.Field == "name":
		return "name -> " + quote(text(f.New), 40)
	case f.Field == "moving_time" && isNumber:
		return TimeChange(a, b)
	case f.Field == "distance" && isNumber:
		return "distance " + orNone(a, c.length(a, sport)) + " -> " + orNone(b, c.length(b, sport))
	case f.Field == "icu_training_load" && isNumber:
		return fmt.Sprintf("load %s -> %s", orNone(a, fmt.Sprintf("%.0f", a)), orNone(b, fmt.Sprintf("%.0f", b)))
	}
	return fmt.Sprintf("%s %s -> %s", strings.ReplaceAll(f.Field, "_", " "), plainWord(f.Old), plainWord(f.New))
}

func plainWord(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		if v == "" {
			return "none"
		}
		if strings.ToUpper(v) == v && !strings.ContainsAny(v, " \"") { // a word of the platform
			return cut(v, 20)
		}
		return quote(v, 20)
	}
	return cut(string(canonical(v)), 40)
}

func orNone(n float64, words string) string {
	if n == 0 {
		return "none"
	}
	return words
}

// TimeChange words a change of planned time: in minutes where that is exact
// and short.
func TimeChange(from, to float64) string {
	whole := func(s float64) bool { return s >= 0 && s < 3*3600 && int64(s)%60 == 0 }
	if whole(from) && whole(to) && to > 0 {
		return fmt.Sprintf("time %s -> %.0f min", orNone(from, fmt.Sprintf("%.0f", from/60)), to/60)
	}
	return "time " + orNone(from, clock(from)) + " -> " + orNone(to, clock(to))
}

func shortTime(secs float64) string {
	if secs < 3*3600 && int64(secs)%60 == 0 {
		return fmt.Sprintf("%.0f min", secs/60)
	}
	return clock(secs)
}

// length words a distance in the athlete's unit.
func (c Call) length(m float64, sport string) string {
	swim := strings.Contains(sport, "Swim")
	switch {
	case c.Miles && swim:
		return fmt.Sprintf("%.0f yd", m/metresPerYard)
	case c.Miles:
		return fmt.Sprintf("%.2f mi", m/metresPerMile)
	case swim || m < 1000:
		return fmt.Sprintf("%.0f m", m)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", m/1000), ".0") + " km"
}

// TextChange words a change of text: how many steps differ where there are
// any, else that it is another text.
func TextChange(f Field) string {
	old, isText := f.Old.(string)
	to, also := f.New.(string)
	switch {
	case (f.New == nil || also && to == "") && isNone(f.Field, f.Old):
		return f.Field + " cleared"
	case f.New == nil || also && to == "":
		if n := ReadText(old).Steps; n > 0 {
			return f.Field + " cleared (" + count(n, "step") + ")"
		}
		return f.Field + " cleared"
	case !isText && !also:
		return f.Field + " replaced"
	}
	was, is := stepLines(old), stepLines(to)
	switch {
	case len(was)+len(is) == 0 && isNone(f.Field, f.Old):
		return f.Field + " added"
	case len(was)+len(is) == 0:
		return f.Field + " replaced"
	case len(was) == 0:
		return count(len(is), "step") + " added"
	case len(is) == 0:
		return "all " + count(len(was), "step") + " removed"
	}
	if n := max(len(was), len(is)) - common(was, is); n > 0 {
		return count(n, "step") + " changed"
	}
	return "text changed, not its steps"
}

// stepLines are the step lines and repeat headers of workout text.
func stepLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); strings.HasPrefix(line, "-") || repeatHeader.MatchString(line) {
			out = append(out, strings.ToLower(line))
		}
	}
	return out
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// whenWords writes a local start, its time of day only when it has one.
func whenWords(local string) string {
	t, err := parseLocal(local)
	if err != nil {
		return cut(local, 20)
	}
	if t.Hour() == 0 && t.Minute() == 0 {
		return dayWords(local)
	}
	return dayWords(local) + " " + t.Format("15:04")
}

func spanWords(from, to string) string {
	if from == to {
		return dayWords(from)
	}
	return dayWords(from) + " to " + dayWords(to) + fmt.Sprintf(" (%d days)", training.DaysBetween(from, to)+1)
}

// batchWords sums up what a plan does with events: how many of what, when, and
// how much training it comes to.
func (c Call) batchWords(objects []Object) string {
	if len(objects) == 1 {
		switch o := objects[0]; o.Action {
		case Create:
			return c.createWords(o)
		case Update:
			return c.updateWords(o)
		}
	}
	var parts []string
	for _, k := range []struct {
		action Action
		verb   string
	}{{Create, "create"}, {Update, "change"}, {Delete, "delete"}} {
		if mine := which(objects, k.action); len(mine) > 0 {
			parts = append(parts, batchPart(objects, mine, k.verb, k.action))
		}
	}
	s := strings.Join(parts, "; ")
	return strings.ToUpper(s[:1]) + s[1:]
}

func batchPart(objects []Object, mine []int, verb string, action Action) string {
	first, last, secs, load := "9999-12-31", "0000-01-01", 0.0, 0.0
	for _, i := range mine {
		o := objects[i]
		for _, day := range []string{dayOf(o.Before.Str("start_date_local")), dayOf(text(o.Patch["start_date_local"]))} {
			if day != "" {
				first, last = min(first, day), max(last, day)
			}
		}
		s, _ := asNumber(o.Patch["moving_time"])
		l, _ := asNumber(o.Patch["icu_training_load"])
		secs, load = secs+s, load+l
	}
	line := fmt.Sprintf("%s %s of %s", verb, count(len(mine), "event"), spanWords(first, last))
	if action == Create && secs > 0 {
		line += ", " + clock(secs)
	}
	if action == Create && load > 0 {
		line += fmt.Sprintf(", load %.0f", load)
	}
	return line
}
