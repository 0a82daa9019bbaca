package main

import (
	"fmt"
	"slices"
	"strings"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
)

// answer is what one call was told; died: its process did not live to say.
type answer struct {
	res  *change.Result
	err  error
	died bool
}

// open reports that the answer leaves it open what happened.
func (a answer) open() bool {
	return a.died || a.res != nil && (a.res.Status == change.UnknownDone || a.res.Status == change.Replayed && a.res.Outcome != string(audit.Applied))
}

func (a answer) applied() bool {
	return a.res != nil && (a.res.Status == change.Applied || a.res.Status == change.Replayed && a.res.Outcome == string(audit.Applied))
}

// verdict collects what contradicts.
type verdict struct {
	found []contradiction
}

type contradiction struct{ kind, detail string }

func (v *verdict) add(kind, format string, a ...any) {
	v.found = append(v.found, contradiction{kind, fmt.Sprintf(format, a...)})
}

// present reports whether what was wanted stands.
func (w want) present(p picture) bool {
	switch w.action {
	case "delete":
		_, there := p[w.kind+"/"+w.id]
		return !there
	case "create":
		return slices.ContainsFunc(p.named(w.kind, w.name), func(t thing) bool { return w.holds(t) })
	}
	t, there := p[w.kind+"/"+w.id]
	return there && w.holds(t)
}

func (w want) holds(t thing) bool {
	for key, v := range w.set {
		if key == "name" && w.kind == "message" || slices.Contains(w.loose, key) && w.action == "create" {
			continue
		}
		if !same(v, t.fields[key]) {
			return false
		}
	}
	return true
}

// absent reports whether all is as it was before.
func (w want) absent(p picture) bool {
	switch w.action {
	case "delete":
		if t, there := p[w.kind+"/"+w.id]; there {
			return equal(t, w.before)
		}
		return slices.ContainsFunc(p.named(w.kind, w.before.name()), func(t thing) bool { return equal(t, w.before) }) // made again
	case "create":
		return len(p.named(w.kind, w.name)) == 0
	}
	t, there := p[w.kind+"/"+w.id]
	return there && equal(t, w.before)
}

func equal(a, b thing) bool {
	for _, key := range kept[a.kind] {
		if !same(a.fields[key], b.fields[key]) {
			return false
		}
	}
	return true
}

// told finds what a result says of a want; "" when nothing.
func (w want) told(r *change.Result) string {
	if r == nil {
		return ""
	}
	for _, o := range r.Objects {
		if string(o.Kind) != w.kind || string(o.Action) != w.action {
			continue
		}
		var was, is string
		for _, f := range o.Fields {
			if f.Field == "name" || f.Field == "content" && w.kind == "message" {
				was, is = fmt.Sprint(f.Old), fmt.Sprint(f.New)
			}
		}
		if w.action == "create" && is == w.name || w.action != "create" && (o.ID == w.id || w.action == "delete" && was == w.before.name()) {
			return o.Status
		}
	}
	return ""
}

// judge compares what stands with what was said.
func (v *verdict) judge(o op, before, after picture, answers []answer) {
	applied, open := false, false
	for _, a := range answers {
		applied, open = applied || a.applied(), open || a.open()
	}
	for _, w := range o.wants {
		present, absent := w.present(after), w.absent(after)
		state := map[[2]bool]string{{true, false}: "stands", {false, true}: "does not stand", {false, false}: "stands in part", {true, true}: "was so before"}[[2]bool{present, absent}]
		switch {
		case applied && !present:
			v.add("not done", "%s %s%s was told applied and %s", w.action, w.kind, w.label(), state)
		case applied:
		case !open:
			stands := slices.ContainsFunc(answers, func(a answer) bool { return w.told(a.res) == "applied" })
			if stands && !present {
				v.add("not done", "%s %s%s was told to stand and %s", w.action, w.kind, w.label(), state)
			}
			if !stands && !absent {
				v.add("left", "%s %s%s was told %s and %s", w.action, w.kind, w.label(), says(answers), state)
			}
		case len(answers) == 1:
			switch told := w.told(answers[0].res); {
			case told == "applied" && !present:
				v.add("not done", "%s %s%s was told applied in an unknown change and %s", w.action, w.kind, w.label(), state)
			case (told == "failed" || told == "rolled_back" || told == "not_done") && !absent:
				v.add("left", "%s %s%s was told %s in an unknown change and %s", w.action, w.kind, w.label(), told, state)
			}
		}
	}
	v.others(o, before, after)
}

func (w want) label() string {
	if w.action == "create" {
		return " " + w.name
	}
	return " " + w.id
}

func says(answers []answer) string {
	var out []string
	for _, a := range answers {
		switch {
		case a.died:
			out = append(out, "(died)")
		case a.err != nil:
			out = append(out, "error "+a.err.Error())
		default:
			out = append(out, string(a.res.Status)+" ("+a.res.Reason+")")
		}
	}
	return strings.Join(out, ", then ")
}

// others looks at what the change was not about, and at what is there twice.
func (v *verdict) others(o op, before, after picture) {
	meant := map[string]want{}
	for _, w := range o.wants {
		meant[w.kind+"/"+w.id] = w
	}
	for key, was := range before {
		is, there := after[key]
		w, mine := meant[key]
		switch {
		case was.kind == "pairing":
			v.pairing(o, was, is, there)
		case !mine && !there:
			v.add("lost", "%s is gone and was not named", key)
		case !mine && !equal(was, is):
			v.add("lost", "%s was not named and changed from %v to %v", key, was.fields, is.fields)
		case mine && w.action == "update" && !there:
			v.add("lost", "%s was to be changed and is gone", key)
		case mine && w.action == "update":
			for _, k := range kept[was.kind] {
				if _, named := w.set[k]; !named && !slices.Contains(w.loose, k) && !same(was.fields[k], is.fields[k]) {
					v.add("lost", "%s: %s was not named and changed from %v to %v", key, k, was.fields[k], is.fields[k])
				}
			}
		}
	}
	names := map[string]int{}
	for key, t := range after {
		if t.kind == "pairing" {
			continue
		}
		if names[t.kind+" "+t.name()]++; names[t.kind+" "+t.name()] == 2 {
			v.add("doubled", "%s %s is there twice", t.kind, t.name())
		}
		if _, was := before[key]; was {
			continue
		}
		if !slices.ContainsFunc(o.wants, func(w want) bool {
			return w.kind == t.kind && (w.action == "create" && w.name == t.name() || w.action == "delete" && equal(w.before, t))
		}) {
			v.add("left", "%s (%s) came into being and was not wanted", key, t.name())
		}
	}
}

func (v *verdict) pairing(o op, was, is thing, there bool) {
	if there && same(was.fields["event"], is.fields["event"]) {
		return
	}
	for _, w := range o.wants {
		if w.kind == "event" && (w.id == was.fields["event"] || slices.Contains(w.pair, was.id)) {
			return
		}
	}
	v.add("lost", "activity %s was paired with %v and is with %v", was.id, was.fields["event"], is.fields["event"])
}

// audited compares an answer with the log's items of its change.
func (v *verdict) audited(a answer, items []audit.Item) {
	var intent, outcome *audit.Item
	objects := map[int]audit.Item{}
	for i := range items {
		switch it := items[i]; {
		case it.Head() && it.Phase == audit.Intent:
			intent = &items[i]
		case it.Head():
			outcome = &items[i]
		case it.Phase == audit.Outcome:
			objects[it.N] = it
		}
	}
	switch {
	case intent == nil:
		v.add("unaudited", "the change %s has no intent", a.res.ChangeID)
		return
	case outcome == nil:
		if !strings.Contains(strings.Join(a.res.Warnings, " "), "only its intent") {
			v.add("unaudited", "the change %s has no outcome, and nothing was said of it", a.res.ChangeID)
		}
		return
	}
	if want := map[change.Status]audit.Status{change.Applied: audit.Applied, change.FailedNow: audit.Failed, change.UnknownDone: audit.Unknown}[a.res.Status]; outcome.Status != want {
		v.add("unaudited", "the change %s was told %s and is logged as %s", a.res.ChangeID, a.res.Status, outcome.Status)
	}
	for i, o := range a.res.Objects {
		logged := objects[i+1].Status
		if want := map[string]audit.Status{"applied": audit.Applied, "unknown": audit.Unknown}[o.Status]; logged != want && (want != "" || logged != audit.Failed) {
			v.add("unaudited", "object %d of %s was told %s and is logged as %s", i+1, a.res.ChangeID, o.Status, logged)
		}
	}
}

// resolved compares what reading found out of an unfinished change.
func (v *verdict) resolved(o op, after picture, r *change.Result) {
	for _, w := range o.wants {
		switch told := w.told(r); {
		case told == "applied" && !w.present(after):
			v.add("not done", "%s %s%s was found applied by reading and does not stand", w.action, w.kind, w.label())
		case told == "failed" && !w.absent(after):
			v.add("left", "%s %s%s was found not done by reading and stands", w.action, w.kind, w.label())
		}
	}
}
