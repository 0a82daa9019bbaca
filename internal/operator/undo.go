package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

func undoFlags(c *command) {
	userFlag(c)
	yesFlag(c)
}

// undo takes changes back on behalf of the user who made them, by the same road
// as every change: a preview, a confirmation, the log.
func undo(ctx context.Context, c *command) error {
	ids, heads, err := c.toUndo(ctx)
	if err != nil {
		return err
	}
	if c.stores.State == nil {
		return fmt.Errorf("%s has no output StateTableName, so an undo has nowhere to await its confirmation; update the stack first (sam build && sam deploy)", c.stores.Where)
	}
	up, err := c.upstream()
	if err != nil {
		return err
	}
	user, athlete := heads[0].User, heads[0].Athlete
	way, err := c.roadTo(ctx, up, user, athlete)
	if err != nil {
		return err
	}
	call := way.call
	call.Tool, call.Arguments = "undo_change", raw(map[string]any{"change_ids": ids})
	// With --yes it is made at once, unless it is one that is previewed whatever
	// the setting (safety.md 2): of what changed since, nobody has said yes yet.
	if call.Identity.Confirm = identity.ConfirmAll; c.yes {
		call.Identity.Confirm = identity.ConfirmNever
	}
	u := &undoer{command: c, call: call}
	u.engine, u.heard = c.engine()
	return u.run(ctx, change.Undo{IDs: ids, User: user, Today: way.today})
}

// toUndo reads the ids and finds their changes, which must be of one user and
// one athlete: they are taken back as one change.
func (c *command) toUndo(ctx context.Context) (ids []audit.ID, heads []entry, err error) {
	if _, err := c.argument("a change id (audit list shows them)"); err != nil {
		return nil, nil, err
	}
	for _, arg := range c.args {
		id, err := changeID(arg)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		items, err := c.find(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		e, _, _ := story(items)
		heads = append(heads, e)
		if first := heads[0]; e.User != first.User || e.Athlete != first.Athlete {
			return nil, nil, misuse("these changes are not of one user and athlete (%s: user %s, athlete %s; %s: user %s, athlete %s); undo them apart",
				first.Change, first.User, first.Athlete, e.Change, e.User, e.Athlete)
		}
	}
	return ids, heads, nil
}

// undoer is one undo under way.
type undoer struct {
	*command
	call   change.Call
	engine *change.Engine
	heard  *heard
	said   []string // warnings that were shown
}

func (u *undoer) run(ctx context.Context, planner change.Planner) error {
	r, err := u.engine.Do(ctx, u.call, planner)
	for err == nil && r.Status == change.Preview {
		u.show(r)
		if err = u.agreed(ctx, r); err == nil {
			r, err = u.engine.Confirm(ctx, u.call, r.Confirmation, r.Summary)
		}
	}
	if err != nil {
		return err
	}
	return u.tell(r)
}

// agreed asks whether to go on with a preview. If not, nothing is left of it.
func (u *undoer) agreed(ctx context.Context, r *change.Result) error {
	in, ok := terminal(u.Stdin)
	err := errors.New("nothing was done: nobody can be asked here; add --yes to undo without a question")
	switch {
	case ok:
		err = u.ask(ctx, in, "Undo this?")
	case u.yes:
		err = errors.New("nothing was done: this undo wants a look at its difference, which --yes does not stand for; run it on a terminal")
	}
	if err == nil {
		return nil
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if dropErr := u.engine.Drop(late, u.call.Identity.User, r.Confirmation); dropErr != nil {
		u.note("The plan could not be dropped; it ends by itself in ten minutes.")
	}
	if u.json && !ok {
		r.Confirmation, r.Expires = "", nil
		return errors.Join(u.writeJSON(r), err)
	}
	return err
}

// out is where a person reads what is to be done: stdout, unless that is for
// programs.
func (u *undoer) out() func(string, ...any) {
	if u.json {
		return u.note
	}
	return func(format string, a ...any) { _ = u.say(format, a...) } // the question shows whether somebody reads
}

// show shows what an undo would do.
func (u *undoer) show(r *change.Result) {
	say := u.out()
	say("%s", intervals.Clean(r.Summary, 400))
	for i, o := range r.Objects {
		say("%s", planned(i+1, o).text())
	}
	u.warn(r)
}

// warn shows warnings that were not shown yet.
func (u *undoer) warn(r *change.Result) {
	say := u.out()
	for _, w := range r.Warnings {
		if !slices.Contains(u.said, w) {
			say("Warning: %s", intervals.Clean(w, 600))
			u.said = append(u.said, w)
		}
	}
}

// tell says what became of it.
func (u *undoer) tell(r *change.Result) error {
	if u.heard.err != nil {
		u.note("%s: %s", u.stores.Where, intervals.Clean(u.stores.explain(u.heard.err).Error(), 400))
	}
	if u.json {
		if err := u.writeJSON(r); err != nil {
			return err
		}
	} else if r.Status != change.RefusedNow {
		for i, o := range r.Objects {
			_ = u.say("%d. %s: %s", i+1, intervals.Clean(planned(0, o).what(), 200), planned(0, o).State) // its status is the command's
		}
		u.warn(r)
	}
	switch r.Status {
	case change.RefusedNow:
		return fmt.Errorf("nothing was done. %s: %s", r.Summary, r.Reason)
	case change.FailedNow, change.UnknownDone:
		return fmt.Errorf("%s. %s (change %s; `%s %s` shows it)", r.Status, change.Sentence(r.Reason), r.ChangeID, u.again("audit show"), r.ChangeID)
	}
	if u.json {
		return nil
	}
	return u.say("Undone, as change %s. `%s %s` takes that back.", r.ChangeID, u.again("undo"), r.ChangeID)
}
