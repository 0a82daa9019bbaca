package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals/fake"
)

// A run with a process that is killed: this one serves the platform, and reads
// what stands; a child makes the change over HTTP with its stores in an SQLite
// file, and kills itself with SIGKILL at a step. Both make the same change,
// since both make it from the seed.

// sqlite gives the stores of a folder.
func sqlite(file *embedded.Store) openStores {
	return func(now func() time.Time) (stores, error) { return stores{file.Audit(), file.State(now)}, nil }
}

// lastStep is the step at which a child is killed at the latest; those that are
// done before end by themselves.
const lastStep = 12

// killed is one such run.
func killed(program string, seed uint64, dir string, count *figures, trace func(string, ...any)) (*run, error) {
	file := embedded.New(dir)
	defer file.Close() //nolint:errcheck // the folder is removed
	u, err := newRun(seed, sqlite(file), fmt.Sprintf("k%d-", seed), count)
	if err != nil {
		return nil, err
	}
	u.trace = trace
	f, err := fake.New(calendar(newRand(seed), u.athlete), fake.Options{Now: func() time.Time { return startTime }})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: f}
	go server.Serve(l)   //nolint:errcheck // ends with Close
	defer server.Close() //nolint:errcheck // nothing is lost
	if err := u.over("http://" + l.Addr().String()); err != nil {
		return nil, err
	}
	before, o, a, confirm, err := u.prepare()
	if err != nil {
		return nil, err
	}
	child := exec.Command(program, "-child", u.base, "-dir", dir, "-seed", strconv.FormatUint(seed, 10))
	child.Stderr = os.Stderr
	out, err := child.Output()
	answers := []answer{{died: true}}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		u.b.note("process: killed")
	case err != nil:
		return nil, fmt.Errorf("child: %w", err)
	default:
		var told struct {
			Result *change.Result
			Err    string
		}
		if err := json.Unmarshal(out, &told); err != nil {
			return nil, fmt.Errorf("child said %q: %w", out, err)
		}
		if answers[0] = (answer{res: told.Result}); told.Err != "" {
			answers[0].err = errors.New(told.Err)
		}
	}
	u.trace("%s by %s under %s: %s", o.title, a.name, confirm, says(answers))
	u.b.quiet = true
	if answers[0].died && u.r.IntN(2) == 0 && o.undoes == nil {
		u.now = u.now.Add(20 * time.Second)
		c, err := u.call(a, identity.ConfirmNever)
		if err != nil {
			return nil, err
		}
		answers = append(answers, u.straight(a, c, o))
		u.count.Repeated++
		u.trace("again: %s", says(answers[1:]))
	}
	after, err := u.camera.shoot()
	if err != nil {
		return nil, err
	}
	u.count.Killed++
	return u, u.weigh(o, a, before, after, answers)
}

// over sends all that follows to another place.
func (u *run) over(base string) (err error) {
	u.base, u.direct = base, http.DefaultTransport
	u.camera, err = newCamera(base+"/api/v1", u.athlete, u.direct)
	return err
}

// prepare makes the change of a seed.
func (u *run) prepare() (picture, op, actor, identity.Confirm, error) {
	u.now = u.now.Add(time.Second)
	a, confirm := actors[u.r.IntN(len(actors))], settings[u.r.IntN(3)]
	before, err := u.camera.shoot()
	m := &maker{r: u.r, now: before, prefix: fmt.Sprintf("k%d", u.seed), links: u.links, own: !a.coach, user: u.users + a.user}
	return before, m.make(), a, confirm, err
}

// straight makes a change and confirms it at once where it is asked to.
func (u *run) straight(a actor, c change.Call, o op) answer {
	got := u.ask(a, func(ctx context.Context, e *change.Engine) (*change.Result, error) { return e.Do(ctx, c, o.planner) })
	if p := got.res; p != nil && p.Status == change.Preview {
		return u.ask(a, func(ctx context.Context, e *change.Engine) (*change.Result, error) {
			return e.Confirm(ctx, c, p.Confirmation, p.Summary)
		})
	}
	return got
}

// beKilled is the child.
func beKilled(base, dir string, seed uint64) error {
	file := embedded.New(dir)
	u, err := newRun(seed, sqlite(file), fmt.Sprintf("k%d-", seed), newFigures())
	if err != nil {
		return err
	}
	if err := u.over(base); err != nil {
		return err
	}
	_, o, a, confirm, err := u.prepare()
	if err != nil {
		return err
	}
	c, err := u.call(a, confirm)
	if err != nil {
		return err
	}
	u.b.begin(plan{}, false)
	at, n := u.r.IntN(lastStep), 0
	u.b.onStep = func() {
		if n++; n > at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	got := u.straight(a, c, o)
	told := struct {
		Result *change.Result
		Err    string
	}{Result: got.res}
	if got.err != nil {
		told.Err = got.err.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(told)
}
