package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

var listChanges = Tool{
	Name:  "list_changes",
	Title: "List changes made here",
	Description: "The audit log, newest first: what was changed through this server, when, by which connection, what came of it and whether it can be undone (undo_change). " +
		"Changes of all of this user's connections, and those that a coach made to this athlete. What was changed elsewhere, on the website or by a device, is not in it.",
	Params: []Param{
		{Name: "athlete_id", Kind: ID, Doc: "Only changes of this athlete. Default: of all whom this connection reaches."},
		{Name: "days", Kind: Integer, Min: 1, Max: 3650, Doc: "Only those of the last days."},
		{Name: "status", Kind: Enum, Enum: []string{string(audit.Applied), string(audit.Failed), string(audit.Unknown), change.Unfinished}, Doc: "unfinished: it is running, or was cut off."},
		{Name: "limit", Kind: Integer, Default: 20, Min: 1, Max: 100},
		{Name: "before", Kind: String, MaxLen: maxChangeID, Doc: "next_before of the previous answer."},
	},
	Result:  []Out{{"athlete_id", String, true}, {"timezone", String, true}, {"changes", List, true}, {"count", Integer, true}, {"next_before", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error listing changes",
	run:     handle(changesOf),
}

type changesIn struct {
	Athlete string `json:"athlete_id"`
	Days    int    `json:"days"`
	Status  string `json:"status"`
	Limit   int    `json:"limit"`
	Before  string `json:"before"`
}

type changeList struct {
	AthleteID  string      `json:"athlete_id"` // the connected athlete, in whose time zone times are
	Timezone   string      `json:"timezone"`
	Changes    []changeRow `json:"changes"`
	Count      int         `json:"count"`
	NextBefore string      `json:"next_before,omitempty"`
}

// changeRow is one change.
type changeRow struct {
	ID         string   `json:"change_id"`
	Time       string   `json:"time"` // RFC 3339
	Status     string   `json:"status"`
	Summary    string   `json:"summary"`
	Tool       string   `json:"tool"`
	Objects    int      `json:"objects,omitempty"`
	AthleteID  string   `json:"athlete_id"`       // who was changed
	Client     string   `json:"client,omitempty"` // of this user's connections
	Connection string   `json:"connection,omitempty"`
	By         string   `json:"by,omitempty"` // the user, if another one
	Undoable   string   `json:"undoable"`     // yes, partly (why), no (why)
	UndoneBy   string   `json:"undone_by,omitempty"`
	Undoes     []string `json:"undoes,omitempty"`
	Reason     string   `json:"reason,omitempty"` // why it failed or is unknown

	when, whom string
}

func changesOf(ctx context.Context, rq *Request, in changesIn) (changeList, error) {
	if rq.svc.Changes == nil {
		return changeList{}, errUnwired
	}
	var before audit.ID
	if in.Before != "" {
		ids, err := changeIDs("before", []string{in.Before})
		if err != nil {
			return changeList{}, err
		}
		before = ids[0]
	}
	me, err := rq.self(ctx).wait(ctx)
	if err != nil {
		return changeList{}, err
	}
	l := lister{rq: rq, in: in, me: me, reach: []string{me.ID}}
	if l.scope, err = l.scopeOf(ctx); err != nil {
		return changeList{}, err
	}
	rows, more, err := l.rows(ctx, before)
	if err != nil {
		return changeList{}, err
	}
	out := changeList{AthleteID: me.ID, Timezone: me.Zone.String(), Changes: rows}
	n := fit(len(rows), in.Limit, func(i int) int { return len(rows[i].line()) })
	if out.Changes = rows[:n]; n > 0 && (n < len(rows) || more) {
		out.NextBefore = rows[n-1].ID
	}
	out.Count = n
	return out, nil
}

// lister reads the audit log for one connection.
type lister struct {
	rq    *Request
	in    changesIn
	me    Profile
	scope change.Scope
	only  string   // athlete
	reach []string // whom the connection reaches, as far as it was asked
	asked bool
}

func (l *lister) scopeOf(ctx context.Context) (change.Scope, error) {
	of := change.Scope{Users: []string{l.rq.Identity.User}, Athlete: l.me.ID}
	if l.in.Athlete == "" {
		return of, nil
	}
	who, err := l.rq.athlete(ctx, l.in.Athlete)
	if err != nil {
		return of, err
	}
	if l.only = who.id; who.id == "0" || who.id == l.rq.own() {
		l.only = l.me.ID
	}
	if l.only != l.me.ID { // what others did to somebody else is not this user's to see
		of.Athlete = ""
	}
	return of, nil
}

// How far the log is read for one answer.
const (
	changesAtOnce = 100
	changesRounds = 20
)

// rows gives one more row than asked for, if there is one.
func (l *lister) rows(ctx context.Context, before audit.ID) (rows []changeRow, more bool, err error) {
	rows = []changeRow{}
	var since time.Time
	if l.in.Days > 0 {
		since = l.rq.now().AddDate(0, 0, -l.in.Days)
	}
	for range changesRounds {
		page, next, err := l.rq.svc.Changes.History(ctx, l.scope, before, changesAtOnce)
		if err != nil {
			return nil, false, unreadable(l.rq, ctx, err)
		}
		for _, p := range page {
			if p.ID.Time.Before(since) {
				return rows, false, nil
			}
			ok, err := l.wants(ctx, p)
			switch {
			case err != nil:
				return nil, false, err
			case !ok:
			case len(rows) == l.in.Limit:
				return rows, true, nil
			default:
				rows = append(rows, l.row(p))
			}
			before = p.ID
		}
		if !next {
			return rows, false, nil
		}
	}
	return rows, true, nil
}

// wants leaves out what was not asked for, athletes out of this connection's
// reach, and what a coach hides from the athlete.
func (l *lister) wants(ctx context.Context, p change.Past) (bool, error) {
	if l.in.Status != "" && p.Status != l.in.Status || l.only != "" && p.Athlete != l.only {
		return false, nil
	}
	if p.User != l.rq.Identity.User {
		hidden, err := l.rq.hidesFrom(ctx, p)
		return !hidden, err
	}
	if !slices.Contains(l.reach, p.Athlete) && !l.asked {
		ids, err := l.rq.reach(ctx, l.rq.own())
		if err != nil {
			return false, err
		}
		l.reach, l.asked = append(l.reach, ids...), true
	}
	return slices.Contains(l.reach, p.Athlete), nil
}

// hidesFrom reports whether a change that somebody else made is about an event
// that is hidden from the athlete (domain.md "Who may reach whom").
func (rq *Request) hidesFrom(ctx context.Context, p change.Past) (bool, error) {
	if p.User == rq.Identity.User {
		return false, nil
	}
	items, err := rq.svc.Changes.Log.Change(ctx, p.User, p.ID)
	if err != nil {
		return false, unreadable(rq, ctx, err)
	}
	return slices.ContainsFunc(items, func(i audit.Item) bool { return hides(i.Before) || hides(i.After) }), nil
}

func hides(state json.RawMessage) bool {
	var e struct {
		Hidden bool `json:"hide_from_athlete"`
	}
	return json.Unmarshal(state, &e) == nil && e.Hidden
}

func (l *lister) row(p change.Past) changeRow {
	at := p.Time.In(l.me.Zone)
	r := changeRow{ID: p.ID.String(), Time: at.Format(time.RFC3339), Status: p.Status, Summary: intervals.Clean(p.Summary, 200), Tool: intervals.Clean(p.Tool, 64),
		Objects: p.Objects, AthleteID: p.Athlete, Undoable: intervals.Clean(p.Undoable, 200), UndoneBy: p.UndoneBy.String(), Reason: intervals.Clean(p.Reason, 300),
		when: at.Format("2006-01-02 Mon 15:04")}
	for _, id := range p.Undoes {
		r.Undoes = append(r.Undoes, id.String())
	}
	mine := p.User == l.rq.Identity.User
	if mine {
		r.Client, r.Connection = intervals.Clean(p.Client, 60), intervals.Clean(p.Connection, 60)
	} else {
		r.By = intervals.Clean(p.User, 60)
	}
	if p.Athlete != l.me.ID {
		r.whom = "athlete " + intervals.Clean(p.Athlete, 40)
	}
	switch {
	case r.UndoneBy != "":
		r.Undoable = "no (undone already)"
	case !mine:
		r.Undoable = "no (only its user can)"
	case p.Status == string(audit.Failed) && p.Objects == 1:
		r.Undoable = "no (it was not done)"
	}
	return r
}

// line is a change in the text: what, then who and how it can be taken back.
func (r changeRow) line() string {
	by := "by " + Quote(r.Client, 60) + " (" + r.Connection + ")"
	if r.By != "" {
		by = "by user " + r.By
	}
	line := fmt.Sprintf("%s %s: %s\n  %s", r.when, r.Status, r.Summary, parts("; ", r.ID, r.Tool+" "+by, r.whom,
		"undoable: "+r.Undoable, prefixed("undone by ", r.UndoneBy), prefixed("undoes ", strings.Join(r.Undoes, ", "))))
	if r.Reason != "" {
		line += "\n  " + Quote(r.Reason, 300)
	}
	return line
}

// Text is the list.
func (l changeList) Text() string {
	if len(l.Changes) == 0 {
		return "No changes."
	}
	lines := []string{"Changes, newest first (times in " + l.Timezone + "):", ""}
	for _, r := range l.Changes {
		lines = append(lines, r.line())
	}
	if l.NextBefore != "" {
		lines = append(lines, "", "There are older ones: before "+l.NextBefore+" with the same arguments.")
	}
	return strings.Join(lines, "\n")
}
