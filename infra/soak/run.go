package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
)

// stores are the stores of one run. Open gives them for a clock.
type stores struct {
	log   audit.Log
	state state.Store
}

type openStores func(now func() time.Time) (stores, error)

func memory(now func() time.Time) (stores, error) {
	log := &audit.Memory{}
	return stores{log, state.NewMemory(log, now)}, nil
}

// run is one seeded story.
type run struct {
	athlete string
	seed    uint64
	r       *rand.Rand
	now     time.Time
	base    string // of the platform
	direct  http.RoundTripper
	b       *breaker
	stores  stores
	camera  camera
	engine  map[string]*change.Engine // a process for each connection
	calls   int
	users   string // makes users of its own where a store is shared
	past    []*past
	links   map[string]string
	seen    map[audit.ID]bool
	count   *figures
	found   []string
	trace   func(format string, a ...any)
}

// actor is who asks.
type actor struct {
	name, user, connection, key string
	coach                       bool
	skew                        time.Duration // of its process's clock
}

var actors = []actor{
	{"A", "athlete", "A", athleteKey, false, 0},
	{"B", "athlete", "B", athleteKey, false, 20 * time.Second},
	{"C", "coach", "C", coachKey, true, -20 * time.Second},
}

// me is the id of the athlete whose key it is.
func (u *run) me(a actor) string {
	if a.coach {
		return coachID
	}
	return u.athlete
}

type requestKey struct{}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 5)) }

func newRun(seed uint64, open openStores, users string, count *figures) (*run, error) {
	u := &run{seed: seed, athlete: athleteOf(seed), r: newRand(seed), now: startTime, b: &breaker{broke: count.Broke}, engine: map[string]*change.Engine{}, users: users,
		links: map[string]string{}, seen: map[audit.ID]bool{}, count: count, base: "http://127.0.0.1", trace: func(string, ...any) {}}
	clock := func() time.Time { return u.now }
	f, err := fake.New(calendar(u.r, u.athlete), fake.Options{Now: clock})
	if err != nil {
		return nil, err
	}
	u.direct = f.Transport()
	if u.stores, err = open(clock); err != nil {
		return nil, err
	}
	u.camera, err = newCamera(u.base+"/api/v1", u.athlete, u.direct)
	u.b.hasIntent = u.hasIntent
	return u, err
}

// hasIntent asks the log, past all faults, whether the call's intent is there.
func (u *run) hasIntent(ctx context.Context) bool {
	id, _ := ctx.Value(requestKey{}).(string)
	for _, user := range []string{"athlete", "coach"} {
		heads, err := u.stores.log.Heads(context.Background(), audit.Query{User: u.users + user, Limit: 30})
		if err != nil {
			return false
		}
		for _, h := range heads {
			if h.Phase == audit.Intent && h.RequestID == id {
				return true
			}
		}
	}
	return false
}

// process gives the engine of an actor; a new one where the last one died.
func (u *run) process(a actor) *change.Engine {
	if u.engine[a.name] == nil {
		u.engine[a.name] = change.New(change.Config{Log: brokenLog{u.stores.log, u.b}, State: brokenState{u.stores.state, u.b}, Step: u.b.step,
			Now:   func() time.Time { return u.now.Add(a.skew) },
			NewID: func(ctx context.Context) string { id, _ := ctx.Value(requestKey{}).(string); return id }})
	}
	return u.engine[a.name]
}

func (u *run) call(a actor, confirm identity.Confirm) (change.Call, error) {
	up, err := intervals.New(intervals.Options{BaseURL: u.base + "/api/v1", Transport: wire{u.b, u.direct}, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		return change.Call{}, err
	}
	return change.Call{Identity: identity.Identity{User: u.users + a.user, Connection: a.connection, Client: "soak", Confirm: confirm},
		Client: up.Client(secrets.Credential{APIKey: secrets.New(a.key)}), Athlete: u.athlete, Me: u.me(a), Tool: "soak", Arguments: json.RawMessage(`{}`)}, nil
}

// ask makes one call, which the process may not survive.
func (u *run) ask(a actor, do func(ctx context.Context, e *change.Engine) (*change.Result, error)) (got answer) {
	u.calls++
	id := fmt.Sprintf("s%dc%d", u.seed, u.calls)
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), requestKey{}, id))
	defer cancel()
	u.b.cancel = cancel
	defer func() {
		if p := recover(); p != nil {
			if _, planned := p.(death); !planned {
				panic(p)
			}
			u.engine[a.name] = nil
			u.trace("   %s died", a.name)
			got = answer{died: true}
		}
	}()
	res, err := do(ctx, u.process(a))
	if err != nil {
		u.trace("   %s: error: %v", a.name, err)
	} else {
		u.trace("   %s: %s", a.name, strings.ReplaceAll(res.Text(), "\n", " | "))
	}
	return answer{res: res, err: err}
}

// story makes some changes, and judges each.
func (u *run) story() error {
	for n := range 1 + u.r.IntN(6) {
		if err := u.chapter(n); err != nil {
			return err
		}
	}
	u.count.Runs++
	return nil
}

var settings = []identity.Confirm{identity.ConfirmAll, identity.ConfirmDestructive, identity.ConfirmNever, identity.ConfirmPerson, identity.ConfirmNever}

func (u *run) chapter(n int) error {
	u.now = u.now.Add(time.Duration(1+u.r.IntN(90)) * time.Second)
	a, confirm := actors[u.r.IntN(7)*3/8], settings[u.r.IntN(len(settings))]
	before, err := u.camera.shoot()
	if err != nil {
		return err
	}
	m := &maker{r: u.r, now: before, prefix: fmt.Sprintf("n%d-%d", u.seed, n), past: u.past, links: u.links, own: !a.coach, user: u.users + a.user}
	o := m.make()
	u.b.quiet = false
	u.b.begin(newPlan(u.r), u.r.IntN(2) == 0)
	u.trace("%d: %s by %s under %s; faults %v %v %v %v %v", n, o.title, a.name, confirm, u.b.plan.write, u.b.plan.wire, u.b.plan.acts, u.b.plan.store, u.b.plan.step)
	c, err := u.call(a, confirm)
	if err != nil {
		return err
	}
	answers, before, err := u.perform(a, c, &o, before)
	if err != nil {
		return err
	}
	u.b.quiet = true
	u.b.land()
	after, err := u.camera.shoot()
	if err != nil {
		return err
	}
	return u.weigh(o, a, before, after, answers)
}

// perform makes a change with all that comes between. It gives the picture from
// before the first write, since others may touch things between preview and
// confirmation.
func (u *run) perform(a actor, c change.Call, o *op, before picture) ([]answer, picture, error) {
	do := func(ctx context.Context, e *change.Engine) (*change.Result, error) { return e.Do(ctx, c, o.planner) }
	answers := []answer{u.ask(a, do)}
	last := func() *change.Result { return answers[len(answers)-1].res }
	for range 2 { // a fresh preview may follow a stale one
		r := last()
		if r == nil || r.Status != change.Preview {
			break
		}
		u.count.Previews++
		next, now, err := u.confirm(a, c, o, r, before)
		if err != nil {
			return nil, nil, err
		}
		answers, before = append(answers, next...), now
	}
	if r := last(); (r == nil || r.Status == change.UnknownDone || r.Status == change.Replayed && r.Outcome == "unknown") && o.undoes == nil && u.r.IntN(2) == 0 {
		u.b.quiet = u.r.IntN(2) == 0
		if u.r.IntN(2) == 0 || slices.ContainsFunc(o.wants, func(w want) bool {
			return w.kind != "event" || w.action != "create" || w.set["category"] == "NOTE"
		}) {
			u.b.land() // only sessions that are made are known again, by their uid; others must not overtake a later call
		}
		u.now = u.now.Add(time.Duration(1+u.r.IntN(60)) * time.Second)
		u.trace("   again")
		c.Identity.Confirm = identity.ConfirmNever
		answers = append(answers, u.ask(a, do))
		if r := last(); r != nil && r.Status == change.Preview {
			answers = append(answers, u.ask(a, func(ctx context.Context, e *change.Engine) (*change.Result, error) {
				return e.Confirm(ctx, c, r.Confirmation, r.Summary)
			}))
		}
		u.count.Repeated++
	}
	return answers, before, nil
}

// confirm is one way from a preview on.
func (u *run) confirm(a actor, c change.Call, o *op, p *change.Result, before picture) ([]answer, picture, error) {
	var out []answer
	nothing := func(why string, got answer) {
		if got.res != nil && got.res.Status != change.RefusedNow || got.err != nil {
			u.contradiction("left", "%s was answered %s", why, says([]answer{got}))
		}
		out = append(out, got)
	}
	handle, w := p.Confirmation, state.Waiting{}
	if p.Confirmation == "" { // only the person may
		list, err := u.stores.state.Waiting(context.Background(), c.Identity.User)
		if err != nil || len(list) == 0 {
			return nil, nil, errors.Join(err, errors.New("a preview is not kept"))
		}
		w = list[0]
		handle = w.Handle
		nothing("a model's confirmation of what only the person may approve", u.ask(a, func(ctx context.Context, e *change.Engine) (*change.Result, error) {
			return e.Confirm(ctx, c, handle, p.Summary)
		}))
	}
	yes := func(ctx context.Context, e *change.Engine) (*change.Result, error) {
		if p.Confirmation == "" {
			return e.Approve(ctx, c, handle)
		}
		return e.Confirm(ctx, c, handle, strings.ToUpper(p.Summary)+"!")
	}
	switch u.r.IntN(12) {
	case 0:
		u.trace("   left alone")
		return append(out, answer{res: &change.Result{Status: change.RefusedNow, Reason: "(left alone)"}}), before, nil
	case 1:
		other := c
		other.Identity.Connection = "somebody else's"
		nothing("a confirmation of another connection", u.ask(a, func(ctx context.Context, e *change.Engine) (*change.Result, error) {
			return e.Confirm(ctx, other, handle, p.Summary)
		}))
		other = c
		other.Identity.User += "x"
		nothing("a confirmation of another user", u.ask(a, func(ctx context.Context, e *change.Engine) (*change.Result, error) {
			return e.Confirm(ctx, other, handle, p.Summary)
		}))
	case 2:
		nothing("a wrong summary", u.ask(a, func(ctx context.Context, e *change.Engine) (*change.Result, error) {
			return e.Confirm(ctx, c, handle, p.Summary+" and more")
		}))
	case 3, 4:
		if err := u.device(o); err != nil {
			return nil, nil, err
		}
	case 5:
		if err := u.meddle(o); err != nil {
			return nil, nil, err
		}
	case 6:
		u.now = u.now.Add(11 * time.Minute)
		nothing("a plan whose time is over", u.ask(a, yes))
		return out, before, nil
	}
	before, err := u.camera.shoot()
	if err != nil {
		return nil, nil, err
	}
	var nested []answer
	u.b.twice = func() {
		b := actor{"twin of " + a.name, a.user, a.connection, a.key, a.coach, -a.skew}
		u.trace("   at the same instant:")
		nested = append(nested, u.ask(b, yes))
	}
	u.now = u.now.Add(time.Duration(u.r.IntN(60)) * time.Second)
	got := u.ask(a, yes)
	u.b.twice = nil
	out = append(append(out, nested...), got)
	if u.r.IntN(3) == 0 {
		u.trace("   used again")
		again := u.ask(a, yes)
		if again.res != nil && again.res.Status == change.Applied && got.applied() {
			u.contradiction("doubled", "a confirmation was used twice")
		}
		out = append(out, again)
	}
	return out, before, nil
}

// post sends a request to the platform as somebody else, past all faults.
func (u *run) post(method, path string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(method, u.base+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.SetBasicAuth("API_KEY", coachKey)
	resp, err := u.direct.RoundTrip(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is lost
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d", method, path, resp.StatusCode)
	}
	return nil
}

// device touches what does not matter of an event of the change.
func (u *run) device(o *op) error {
	for _, w := range o.wants {
		if w.kind == "event" && w.id != "" {
			u.trace("   a device touches %s", w.id)
			return u.post("POST", "/_fake/device", map[string]any{"event_id": json.Number(w.id), "push_errors": []any{map[string]any{"service": "GARMIN", "message": "later"}}})
		}
	}
	return nil
}

// meddle changes what may matter of an event of the change.
func (u *run) meddle(o *op) error {
	for i, w := range o.wants {
		if w.kind == "event" && w.id != "" {
			u.trace("   somebody moves %s", w.id)
			if err := u.post("PUT", "/api/v1/athlete/"+u.athlete+"/events/"+w.id, map[string]any{"start_date_local": randomDay(u.r, 1, 20) + "T05:00:00"}); err != nil {
				return err
			}
			p, err := u.camera.shoot()
			if err != nil {
				return err
			}
			if o.again != nil {
				o.wants = o.again(p)
				return nil
			}
			o.wants[i].before = p["event/"+w.id]
			if to, moved := w.set["start_date_local"].(string); moved && o.undoes == nil {
				w.set["start_date_local"] = to[:10] + "T05:00:00" // it keeps the time of day that it has now
			}
			return nil
		}
	}
	return nil
}

func (u *run) contradiction(kind, format string, a ...any) {
	u.count.Contradictions[kind]++
	u.found = append(u.found, fmt.Sprintf("seed %d: %s: %s", u.seed, kind, fmt.Sprintf(format, a...)))
	u.trace("!! %s: %s", kind, fmt.Sprintf(format, a...))
}

// weigh judges a change, ends what was left unfinished, and remembers it.
func (u *run) weigh(o op, a actor, before, after picture, answers []answer) error {
	var v verdict
	v.judge(o, before, after, answers)
	for _, what := range u.b.unaudited {
		v.add("unaudited", "%s was sent without an intent", what)
	}
	u.count.Changes++
	u.count.Written += u.b.written
	user := u.users + a.user
	for _, got := range answers {
		u.count.told(got)
		if got.res == nil || got.res.ChangeID == "" || got.res.Status == change.Replayed {
			continue
		}
		id, err := audit.ParseID(got.res.ChangeID)
		if err != nil {
			return err
		}
		items, err := u.stores.log.Change(context.Background(), user, id)
		if err != nil {
			return err
		}
		v.audited(got, items)
	}
	if err := u.resolve(&v, o, a, after); err != nil {
		return err
	}
	for _, f := range v.found {
		u.contradiction(f.kind, "%s by %s: %s", o.title, a.name, f.detail)
	}
	return u.remember(o, user, after)
}

// resolve finds out what came of changes whose process died.
func (u *run) resolve(v *verdict, o op, a actor, after picture) error {
	u.now = u.now.Add(5 * time.Minute)
	c, err := u.call(a, identity.ConfirmNever)
	if err != nil {
		return err
	}
	for {
		page, _, err := u.process(a).History(context.Background(), change.Scope{Users: []string{c.Identity.User}}, audit.ID{}, 12)
		if err != nil {
			return err
		}
		left := 0
		for _, p := range page {
			if p.Status != change.Unfinished {
				continue
			}
			if left++; left > 1 {
				continue
			}
			r, err := u.process(a).Resolve(context.Background(), c, c.Identity.User, p.ID)
			if err != nil {
				return err
			}
			u.trace("   resolved: %s", strings.ReplaceAll(r.Text(), "\n", " | "))
			v.resolved(o, after, r)
			u.count.Resolved++
			past, _, err := u.process(a).Detail(context.Background(), c.Identity.User, p.ID)
			if err != nil || past.Status == change.Unfinished {
				return errors.Join(err, fmt.Errorf("change %s is still unfinished", p.ID))
			}
		}
		if left == 0 {
			return nil
		}
	}
}

// remember keeps what stands of a change, so that it can be undone.
func (u *run) remember(o op, user string, after picture) error {
	heads, err := u.stores.log.Heads(context.Background(), audit.Query{User: user, Limit: 12})
	if err != nil {
		return err
	}
	mark := fmt.Sprintf("s%dc", u.seed)
	var best *audit.Item
	several := false // changes share the work: none of them is undone here
	for i, h := range heads {
		if h.Phase != audit.Outcome || !strings.HasPrefix(h.RequestID, mark) || u.seen[h.Change] {
			continue
		}
		several = several || best != nil
		if best == nil || best.Status != audit.Applied {
			best = &heads[i]
		}
	}
	if best == nil {
		return nil
	}
	for _, h := range heads {
		u.seen[h.Change] = true
	}
	p := &past{id: best.Change, user: user, undone: several}
	for _, w := range o.wants {
		if !w.present(after) {
			if w.action == "delete" || w.absent(after) {
				continue
			}
		}
		if w.action == "create" {
			made := after.named(w.kind, w.name)
			if len(made) != 1 {
				continue
			}
			w.id = made[0].id
			if w.replaces != "" {
				u.links[w.replaces] = w.id
			}
		}
		if w.kind != "message" {
			p.wants = append(p.wants, w)
		}
	}
	if o.undoes != nil && best.Status == audit.Applied {
		o.undoes.undone = true
	}
	if best.Status == audit.Applied {
		u.past = append(u.past, p)
	} else {
		u.past = append(u.past, &past{id: best.Change, user: user, undone: true})
	}
	return nil
}
