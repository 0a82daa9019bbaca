package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
)

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
