package tools

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/training"
)

// Bounds of a preview's text: a person reads it before they agree.
const (
	previewLines = 60  // objects told one by one
	previewDays  = 8   // days that are told without weeks
	previewText  = 600 // characters of new text
	previewWarns = 20
)

// preview words what would be done, for somebody who decides at a glance:
// facts are told below the objects.
func (rq *Request) preview(at place, r *change.Result, facts ...string) written {
	lines := []string{}
	if at.p.ID != at.me.ID {
		lines = append(lines, "Athlete "+at.p.ID+":")
	}
	pv := previewer{p: at.p, year: at.p.today(rq.now())[:4]}
	lines = append(lines, pv.objects(r.Objects)...)
	for _, f := range append(facts, undoWords(r.Objects)) {
		if f != "" {
			lines = append(lines, f)
		}
	}
	lines = append(lines, warningLines(r)...)
	for _, n := range rq.notes { // here, since nothing may stand below the confirmation
		lines = append(lines, "Note: "+n)
	}
	rq.notes = nil
	body := strings.Join(lines, "\n")
	w := written{Result: r, text: "Preview: nothing was written yet.\n" + body + "\n\n" + rq.howToConfirm(at.p, r)}
	if r.Confirmation != "" && r.Tool == rq.tool {
		w.ask = &Question{Message: r.Summary + "\n" + body, State: r.Confirmation}
	}
	return w
}

// unmade words a result that made nothing now: a preview, or a confirmation
// that was used before; ok is false for any other.
func (rq *Request) unmade(at place, r *change.Result, facts ...string) (w written, ok bool) {
	switch {
	case r.Status == change.Preview:
		return rq.preview(at, r, facts...), true
	case r.Used:
		first := fmt.Sprintf("This confirmation was used before; of that change came: %s.", r.Outcome)
		return written{Result: r, text: say(r, "", first, r.Summary, change.Sentence(r.Reason))}, true
	}
	return written{}, false
}

// howToConfirm ends a preview. Summary and confirmation stand on the last two
// lines, where nothing that others wrote can come after them.
func (rq *Request) howToConfirm(p Profile, r *change.Result) string {
	until := ""
	if r.Expires != nil {
		left := max(math.Round(r.Expires.Sub(rq.now()).Minutes()), 1)
		until = fmt.Sprintf(" within %.0f minutes (until %s, %s)", left, r.Expires.In(p.Zone).Format("15:04"), p.Zone)
	}
	if r.Confirmation == "" {
		page := r.ApproveURL
		if page == "" {
			page = "the account page"
		}
		return "It is made only when the person approves it at " + page + until + "; confirm_change cannot.\nsummary: " + r.Summary
	}
	return "It is made by confirm_change with these two" + until + ":\nsummary: " + r.Summary + "\nconfirmation: " + r.Confirmation
}

var digitRun = regexp.MustCompile(`[0-9]+`)

// warningLines are the warnings, those that differ in their numbers only told
// once.
func warningLines(r *change.Result) (lines []string) {
	alike := map[string]int{}
	for _, w := range r.Warnings {
		alike[digitRun.ReplaceAllString(w, "0")]++
	}
	told := 0
	for _, w := range r.Warnings {
		kind := digitRun.ReplaceAllString(w, "0")
		n := alike[kind]
		if n == 0 {
			continue
		}
		if len(lines) == previewWarns {
			return append(lines, fmt.Sprintf("%d more warnings.", len(r.Warnings)-told))
		}
		if n > 2 {
			w += fmt.Sprintf(" (%d more like this)", n-1)
			alike[kind], told = 0, told+n
		} else {
			told++
		}
		lines = append(lines, "Warning: "+w)
	}
	return lines
}

// undoWords says what could not be taken back entirely; "" where all could.
func undoWords(objects []change.ObjectResult) string {
	counts := map[string]int{}
	var order []string
	for _, o := range objects {
		if counts[o.Undoable]++; counts[o.Undoable] == 1 && o.Undoable != "yes" && o.Undoable != "" {
			order = append(order, o.Undoable)
		}
	}
	for i, u := range order {
		if len(objects) > 1 {
			order[i] = fmt.Sprintf("%d %s", counts[u], u)
		}
	}
	return prefixed("Undoable: ", strings.Join(order, "; "))
}

// previewer words the objects of a plan in an athlete's units.
type previewer struct {
	p    Profile
	year string // the present one, which days need not name
}

var actionVerbs = []struct {
	action change.Action
	verb   string
}{{change.Create, "Create"}, {change.Update, "Change"}, {change.Delete, "Delete"}}

// objects tells them by what is done, in the order of their days.
func (pv previewer) objects(all []change.ObjectResult) (lines []string) {
	for _, k := range actionVerbs {
		var mine []plannedThing
		for _, o := range all {
			if o.Action == k.action {
				mine = append(mine, newPlannedThing(o))
			}
		}
		slices.SortStableFunc(mine, func(a, b plannedThing) int { return cmp.Compare(a.day, b.day) })
		switch {
		case len(mine) == 1:
			lines = append(lines, k.verb+" "+pv.line(mine[0], true))
			if len(all) == 1 {
				lines = append(lines, mine[0].text()...)
			}
		case len(mine) > 1:
			lost := map[bool]string{true: ", lost: ", false: ", "}[k.action == change.Delete]
			lines = append(lines, fmt.Sprintf("%s %d %s%s:", k.verb, len(mine), nounOf(mine), prefixed(lost, pv.totals(mine))))
			lines = append(lines, pv.list(mine)...)
		}
	}
	return lines
}

// line is one object: when, what, and what becomes of it; of one alone all that
// is set.
func (pv previewer) line(o plannedThing, alone bool) string {
	head := o.what()
	if o.start != "" {
		head = pv.when(o.start) + ": " + head
	}
	switch o.Action {
	case change.Update:
		return head + " - " + pv.differences(o)
	case change.Create:
		return head + prefixed(" - ", pv.figures(o, o.is, alone))
	}
	return head + prefixed(map[bool]string{true: " - lost: ", false: " - "}[alone], pv.figures(o, o.was, false))
}

// date writes a day, its year only where it is not the present one.
func (pv previewer) date(day string) string {
	t, err := time.Parse(training.DayLayout, day)
	switch {
	case err != nil:
		return day
	case day[:4] == pv.year:
		return t.Format("Mon 2 Jan")
	}
	return t.Format("Mon 2 Jan 2006")
}

func (pv previewer) when(local string) string {
	day, clock, _ := strings.Cut(local, "T")
	if len(clock) < 5 || clock[:5] == "00:00" {
		return pv.date(day)
	}
	return pv.date(day) + " " + clock[:5]
}

// figures are time, distance, load, steps and the rest of what is made or lost.
func (pv previewer) figures(o plannedThing, of func(string) any, all bool) string {
	var out []string
	if secs := o.number(of, "moving_time"); secs > 0 {
		out = append(out, shortDuration(secs))
	}
	if m := o.number(of, "distance"); m > 0 {
		out = append(out, pv.p.Units.Distance(m, o.sport()))
	}
	if load := o.number(of, "icu_training_load"); load > 0 {
		out = append(out, "load "+round(load, 0))
	}
	text, _ := of("description").(string)
	if n := change.ReadText(text).Steps; n > 0 {
		out = append(out, fmt.Sprintf("%d step%s", n, map[bool]string{false: "s"}[n == 1]))
	} else if strings.TrimSpace(text) != "" && o.Action == change.Delete {
		out = append(out, "its text")
	}
	if all {
		for _, key := range []string{"tags", "color", "target", "indoor", "visibility"} {
			if v := of(key); v != nil && v != false && v != "AUTO" {
				out = append(out, key+" "+fieldValue(key, v, pv.p, o.sport()))
			}
		}
	}
	return strings.Join(out, ", ")
}

func shortDuration(secs float64) string {
	if secs < 3*3600 && int64(secs)%60 == 0 {
		return round(secs/60, 0) + " min"
	}
	return Duration(secs)
}

// differences are the old and new values of an update, text last.
func (pv previewer) differences(o plannedThing) string {
	var short, text []string
	for _, f := range o.Fields {
		switch f.Field {
		case "description", "content":
			whole := change.Field{Field: f.Field, Old: o.was(f.Field)}
			if f.New != nil {
				whole.New = o.is(f.Field)
			}
			text = append(text, change.TextChange(whole))
		case "start_date_local":
			short = append(short, pv.moved(o.start, fmt.Sprint(f.New)))
		case "moving_time":
			short = append(short, change.TimeChange(o.number(o.was, f.Field), o.number(func(string) any { return f.New }, f.Field)))
		default:
			short = append(short, fieldLabel(f.Field)+" "+fieldValue(f.Field, f.Old, pv.p, o.sport())+" -> "+fieldValue(f.Field, f.New, pv.p, o.sport()))
		}
	}
	if len(short)+len(text) == 0 {
		return "nothing differs"
	}
	return parts("; ", strings.Join(short, ", "), strings.Join(text, "; "))
}

func (pv previewer) moved(from, to string) string {
	fromDay, fromClock, _ := strings.Cut(from, "T")
	toDay, toClock, _ := strings.Cut(to, "T")
	if fromDay == toDay && len(fromClock) >= 5 && len(toClock) >= 5 {
		return "start " + fromClock[:5] + " -> " + toClock[:5]
	}
	return "moved to " + pv.when(to)
}

func fieldLabel(key string) string {
	switch key {
	case "icu_training_load":
		return "load"
	case "type":
		return "sport"
	}
	return strings.ReplaceAll(key, "_", " ")
}
