package main

import (
	"context"
	"encoding/json"
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
