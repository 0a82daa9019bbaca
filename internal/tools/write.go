package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/intervals"
)

// Writing tools describe what is wanted as a change.Planner; package change
// does it and tells what became of it. What is left here is reading the
// arguments and wording the answer.

// resultOut are the top-level keys of every write's result (safety.md).
var resultOut = []Out{{"status", String, true}, {"change_id", String, false}, {"summary", String, true}, {"reason", String, false},
	{"objects", List, true}, {"warnings", List, true}, {"confirmation", String, false}, {"approve_url", String, false}, {"expires_at", String, false},
	{"outcome", String, false}, {"tool", String, false}}

// writeOut adds the nouns of the object that is given as it now is.
func writeOut(nouns ...string) []Out {
	out := append([]Out{}, resultOut...)
	for _, noun := range nouns {
		out = append(out, Out{noun, Object, false})
	}
	return out
}

// Parameters that writes share.
var (
	duplicateParam = Param{Name: "allow_duplicate", Kind: Boolean, Default: false, Doc: "Make another one though an equal call was applied in the last 10 minutes."}
	eventIDParam   = Param{Name: "event_id", Kind: ID, Doc: "Number of the event to change; leave out to make one."}
)

// written is a write's result; the noun's object is beside it.
type written struct {
	*change.Result
	text string
	ask  *Question // of a preview that a person may be asked about
}

// Text is the answer in words.
func (w written) Text() string { return w.text }

func (w written) question() *Question { return w.ask }

// place is whom a write is about.
type place struct {
	who  subject
	p    Profile // the athlete
	me   Profile // whose key it is
	call change.Call
}

// place finds the athlete and checks that writes are possible at all.
func (rq *Request) place(ctx context.Context, athlete string) (place, error) {
	if rq.svc.Changes == nil {
		return place{}, errUnwired
	}
	who, err := rq.athlete(ctx, athlete)
	if err != nil {
		return place{}, err
	}
	keyOwner := rq.self(ctx)
	if rq.Identity.Local { // ATHLETE_ID may name a coached athlete
		keyOwner = rq.subject(ctx, "0")
	}
	at := place{who: who}
	if at.p, err = who.wait(ctx); err != nil {
		return place{}, err
	}
	if at.me, err = keyOwner.wait(ctx); err != nil {
		return place{}, err
	}
	if at.p.ID != at.me.ID && rq.readsOnly(ctx, at.p.ID) {
		return place{}, refuse("athlete_id", "%s lets this connection read only", at.p.ID)
	}
	at.call = change.Call{Identity: rq.Identity, Client: rq.Client, Athlete: at.p.ID, Me: at.me.ID, Tool: rq.tool, Arguments: rq.args, Miles: at.p.Units.Miles}
	return at, nil
}

// placeOf is place for an athlete that a stored change names by the id of
// their profile.
func (rq *Request) placeOf(ctx context.Context, id string) (place, error) {
	if rq.Identity.Local || rq.own() == "0" { // whose own id is not known before their profile
		if me, err := rq.self(ctx).wait(ctx); err == nil && me.ID == id {
			id = ""
		}
	}
	return rq.place(ctx, id)
}

// readsOnly reports whether another athlete is known to give reading rights
// only (domain.md "Who may reach whom"). Where the list of athletes is not at
// hand the platform decides.
func (rq *Request) readsOnly(ctx context.Context, id string) bool {
	if !rq.Identity.Local {
		return false
	}
	list, err := rq.startReach(ctx).wait(ctx)
	return err == nil && slices.ContainsFunc(list, func(a intervals.Athlete) bool { return a.ID() == id && a.Str("icu_permission") == "READ" })
}

// do makes the change, or previews it, or goes on with what a person replied
// to its preview.
func (rq *Request) do(ctx context.Context, at place, planner change.Planner) (*change.Result, error) {
	if reply, ok := ctx.Value(replyKey{}).(Reply); ok {
		return rq.explained(rq.answered(ctx, at.call, reply))
	}
	return rq.explained(rq.svc.Changes.Do(ctx, at.call, planner))
}

// explained words an upstream cause as everywhere else.
func (rq *Request) explained(r *change.Result, err error) (*change.Result, error) {
	if err != nil {
		return nil, err
	}
	var up *intervals.Error
	if errors.As(r.Cause, &up) {
		if up.Kind == intervals.Unauthorized {
			rq.svc.Secrets.Refused(rq.Identity.User)
		}
		if r.Status == change.FailedNow { // what is unknown is worded by change
			r.Reason = strings.Replace(r.Reason, up.Error(), rq.svc.explainUpstream(rq, up), 1)
		}
	}
	return r, nil
}

// say composes an answer: the reference's line, the lines of facts, warnings
// and the change's id; or what went wrong.
func say(r *change.Result, failure, first string, facts ...string) string {
	if r.IsError() {
		first = fmt.Sprintf("%s: %s. %s", failure, r.Status, change.Sentence(r.Reason))
		facts = append([]string{r.Summary}, facts...)
	}
	lines := []string{first}
	for _, f := range facts {
		if f != "" {
			lines = append(lines, f)
		}
	}
	lines = append(lines, warningLines(r)...)
	if r.ChangeID != "" {
		lines = append(lines, "change_id: "+r.ChangeID)
	}
	return strings.Join(lines, "\n")
}

// changed words the differences of an update, in the athlete's units.
func changed(r *change.Result, p Profile, sport string) string {
	if len(r.Objects) != 1 || r.Objects[0].Action != change.Update {
		return ""
	}
	var out []string
	for _, f := range r.Objects[0].Fields {
		switch f.Field {
		case "description", "content":
			out = append(out, f.Field+map[bool]string{true: " cleared", false: " replaced"}[f.New == nil])
		default:
			out = append(out, f.Field+" "+fieldValue(f.Field, f.Old, p, sport)+" -> "+fieldValue(f.Field, f.New, p, sport))
		}
	}
	if len(out) == 0 {
		return "Nothing differs from what was there."
	}
	return "Changed: " + strings.Join(out, "; ")
}

func fieldValue(field string, v any, p Profile, sport string) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		if field == "start_date_local" {
			return intervals.Clean(strings.TrimSuffix(strings.TrimSuffix(v, ":00"), "T00:00"), 30)
		}
		if field == "category" || field == "type" || field == "target" || field == "visibility" {
			return intervals.Clean(v, 30)
		}
		return Quote(v, 80)
	}
	n, ok := anyNumber(v)
	switch {
	case field == "tags" || field == "can_train_sports":
		return wordList(v)
	case !ok:
		return intervals.Clean(string(mustJSON(v)), 80)
	case field == "moving_time":
		return Duration(n)
	case field == "distance":
		return p.Units.Distance(n, sport)
	}
	return round(n, 1)
}

// wordList writes a list of words, each as data.
func wordList(v any) string {
	var list []string
	if json.Unmarshal(mustJSON(v), &list) != nil || len(list) == 0 {
		return "none"
	}
	for i, s := range list {
		list[i] = Quote(s, 40)
	}
	return strings.Join(list, ", ")
}

// anyNumber reads a number as a patch or an object of the platform holds it.
func anyNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case fmt.Stringer: // json.Number
		return numberOf(v.String())
	}
	return 0, false
}

// eventNumber reads an event's id.
func eventNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("must be the number of an event (get_events lists them)")
	}
	return n, nil
}

// localStart reads a date argument with its time of day, if it has one; ""
// for none.
func localStart(arg, today string) (day, clock string) {
	if arg == "" {
		return "", ""
	}
	d, err := parseDay(arg)
	if err != nil {
		return "", ""
	}
	if _, clock, _ = strings.Cut(strings.TrimSpace(arg), "T"); d.fixed == "" {
		clock = "" // "Today" and "Tomorrow" have a T of their own
	}
	return d.on(today), twoDigits(clock)
}

// twoDigits writes a time of day with both digits of its hour.
func twoDigits(clock string) string {
	if strings.Index(clock, ":") == 1 {
		return "0" + clock
	}
	return clock
}

// today is the athlete's local day; a traveller may say theirs.
func (at place) today(rq *Request, arg string) (string, error) {
	w, err := newWindow(rq.now(), "", "", arg, 0, 0)
	if err != nil {
		return "", err
	}
	_, _, today, err := w.exact(at.p.Zone)
	return today, err
}
