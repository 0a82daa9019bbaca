package tools

import "context"

// viewer tells whose eyes an answer is for. What an athlete keeps private is
// shown to nobody else, and what a coach hides from an athlete is shown to
// coaches only (domain.md "Who may reach whom").
type viewer struct {
	who subject
	own bool
	me  *subject // whose key it is, where only the profiles can tell
}

// viewer starts whatever is needed to know, beside the other requests.
func (rq *Request) viewer(ctx context.Context, who subject) viewer {
	v := viewer{who: who}
	switch {
	case who.id == "0":
		v.own = true
	case rq.Identity.Local: // ATHLETE_ID may name a coached athlete
		me := rq.subject(ctx, "0")
		v.me = &me
	default:
		v.own = who.id == rq.Identity.Athlete
	}
	return v
}

// hidden are the keys of an athlete's wellness that this connection must not
// tell of, wherever else they come up; none of the athlete's own.
func (rq *Request) hidden(ctx context.Context, p Profile) ([]string, error) {
	keys := p.Athlete.Texts("private_wellness_keys")
	if len(keys) == 0 {
		return nil, nil
	}
	me := rq.Identity.Athlete
	if rq.Identity.Local || me == "" || me == "0" { // whose key it is
		owner, err := rq.subject(ctx, "0").wait(ctx)
		if err != nil {
			return nil, err
		}
		me = owner.ID
	}
	if me == p.ID {
		return nil, nil
	}
	return keys, nil
}

// self reports whether the connection belongs to the athlete themselves.
func (v viewer) self(ctx context.Context) (bool, error) {
	if v.me == nil {
		return v.own, nil
	}
	me, err := v.me.wait(ctx)
	if err != nil {
		return false, err
	}
	p, err := v.who.wait(ctx)
	return me.ID == p.ID, err
}

// seen is what a list by day needs to know once its requests are back.
type seen struct {
	profile         Profile
	from, to, today string
	self            bool // the athlete looks at their own
}

// settle waits for the profile and resolves the days. A range that cannot be is
// told before what came of fetching it.
func (v viewer) settle(ctx context.Context, days dayRange, fetchErr error) (seen, error) {
	var out seen
	var err error
	if out.profile, err = v.who.wait(ctx); err != nil {
		return seen{}, err
	}
	if out.from, out.to, out.today, err = days.exact(out.profile.Zone); err != nil {
		return seen{}, err
	}
	if fetchErr != nil {
		return seen{}, fetchErr
	}
	out.self, err = v.self(ctx)
	return out, err
}
