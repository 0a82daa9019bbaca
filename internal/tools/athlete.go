package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// Profile is what the tools need to know of an athlete to speak to them.
type Profile struct {
	ID       string
	Zone     *time.Location // never nil; UTC when the profile has none
	Units    Units
	Settings []intervals.SportSettings
	Items    []intervals.CustomItem
	Athlete  intervals.Athlete // the rest of the public profile
	sports   map[string]int    // place in Settings of those that hold for a sport
}

func newProfile(a intervals.Athlete) Profile {
	p := Profile{ID: a.ID(), Zone: time.UTC, Units: newUnits(a), Settings: a.SportSettings(), Items: a.CustomItems(), Athlete: a}
	if loc, err := time.LoadLocation(a.Timezone()); err == nil {
		p.Zone = loc
	}
	p.sports = make(map[string]int)
	for i, s := range slices.Backward(p.Settings) { // the first that names a sport holds
		for _, sport := range s.Types() {
			p.sports[sport] = i
		}
	}
	return p
}

// today is the athlete's local date.
func (p Profile) today(now time.Time) string { return now.In(p.Zone).Format(training.DayLayout) }

// sport finds the settings that hold for a sport; ok is false when there are
// none.
func (p Profile) sport(sport string) (intervals.SportSettings, bool) {
	if i, ok := p.sports[sport]; ok {
		return p.Settings[i], true
	}
	return intervals.SportSettings{}, false
}

// subject is the athlete that a call is about. Its profile may still be on
// its way, so that other requests can start at the same time.
type subject struct {
	id      string // for paths: an id, or "0" = whose key it is
	profile *future[Profile]
}

// wait gives the profile.
func (a subject) wait(ctx context.Context) (Profile, error) { return a.profile.wait(ctx) }

// zone gives the time zone if it is known already, else nil.
func (a subject) zone() *time.Location {
	if p, ok := a.profile.ready(); ok {
		return p.Zone
	}
	return nil
}

// athlete resolves athlete_id: empty means the connected athlete; anyone else
// must be within this connection's reach, else the call is refused.
func (rq *Request) athlete(ctx context.Context, arg string) (subject, error) {
	own := rq.own()
	if arg == "" || arg == "0" || arg == own {
		return rq.subject(ctx, own), nil
	}
	id, err := rq.reachable(ctx, own, arg)
	if err != nil {
		return subject{}, err
	}
	return rq.subject(ctx, id), nil
}

func (rq *Request) subject(ctx context.Context, id string) subject {
	key := rq.Identity.User + "\x00" + id
	return subject{id: id, profile: rq.svc.profiles.start(ctx, rq.now(), key, func(ctx context.Context) (Profile, error) {
		a, err := rq.Client.Athlete(ctx, id)
		if err != nil {
			return Profile{}, err
		}
		if a.ID() == "" {
			return Profile{}, &intervals.Error{Op: "get athlete", Kind: intervals.BadBody, Status: 200, Reason: "the profile has no id"}
		}
		return newProfile(a), nil
	})}
}

// reachable finds the one athlete that arg can mean: an exact match wins,
// then with or without the leading "i" (tools.md).
func (rq *Request) reachable(ctx context.Context, own, arg string) (string, error) {
	ids, err := rq.reach(ctx, own)
	if err != nil {
		return "", err
	}
	if id := fitting(ids, arg); id != "" {
		return id, nil
	}
	next := "leave it out to use the connected athlete"
	if len(ids) > 1 {
		next = "reachable: " + strings.Join(ids[:min(len(ids), 20)], ", ")
	}
	return "", Problems{{Arg: "athlete_id", Message: fmt.Sprintf("%s is not within reach of this connection", arg), Next: next}}
}

// fitting gives the id of a list that an argument can mean, "" when there is
// none or more than one.
func fitting(ids []string, arg string) string {
	if slices.Contains(ids, arg) {
		return arg
	}
	var fits []string
	for _, id := range ids {
		if strings.TrimPrefix(id, "i") == strings.TrimPrefix(arg, "i") {
			fits = append(fits, id)
		}
	}
	if len(fits) == 1 {
		return fits[0]
	}
	return ""
}

// own is the connected athlete's id, "0" for whose key it is.
func (rq *Request) own() string {
	if rq.Identity.Athlete == "" {
		return "0"
	}
	if id, ok := rq.svc.respelt.Load(rq.Identity.Athlete); ok && rq.Identity.Local {
		return id.(string)
	}
	return rq.Identity.Athlete
}

// respell finds out, once a call has failed, whether a laptop's ATHLETE_ID was
// given with an "i" too much or too little. Nothing can have been written then,
// since every tool reads the connected athlete's profile first.
func (rq *Request) respell(ctx context.Context, err error) bool {
	own, kind := rq.own(), intervals.KindOf(err)
	if !rq.Identity.Local || own == "0" || own != rq.Identity.Athlete || (kind != intervals.NotFound && kind != intervals.Forbidden) {
		return false
	}
	if _, err := rq.subject(ctx, own).wait(ctx); err == nil {
		return false // it is right; something else was not found
	}
	ids, err := rq.reach(ctx, "0")
	id := fitting(ids, own)
	if err != nil || id == "" || id == own {
		return false
	}
	rq.svc.respelt.Store(own, id)
	return true
}

// reach lists the ids that this connection may name. A connection authorized
// by a token carries its list; the built-in identity of a laptop reaches whom
// its key reaches.
func (rq *Request) reach(ctx context.Context, own string) ([]string, error) {
	if !rq.Identity.Local {
		ids := []string{own}
		if rq.Identity.Coach {
			ids = append(ids, rq.Identity.Athletes...)
		}
		return ids, nil
	}
	me := rq.subject(ctx, own).profile
	list := rq.startReach(ctx)
	p, err := me.wait(ctx)
	if err != nil {
		return nil, err
	}
	others, err := list.wait(ctx)
	if err != nil {
		return nil, err
	}
	ids := []string{p.ID}
	for _, a := range others {
		if a.ID() != "" && a.ID() != p.ID && a.Coached() {
			ids = append(ids, a.ID())
		}
	}
	return ids, nil
}

// startReach fetches whom the key follows or coaches, unless it is cached.
func (rq *Request) startReach(ctx context.Context) *future[[]intervals.Athlete] {
	return rq.svc.reach.start(ctx, rq.now(), rq.Identity.User, func(ctx context.Context) ([]intervals.Athlete, error) {
		all, err := rq.Client.Athletes(ctx)
		if intervals.KindOf(err) == intervals.Forbidden { // an OAuth token reaches its own athlete only
			return nil, nil
		}
		return all, err
	})
}

// owner checks that an activity belongs to an athlete within reach and gives
// that athlete. me is the connected athlete's subject, started beside the
// request for the activity so that one round is enough.
func (rq *Request) owner(ctx context.Context, me subject, a intervals.Activity) (Profile, error) {
	p, err := me.wait(ctx)
	if err != nil {
		return Profile{}, err
	}
	id := a.AthleteID()
	if id == p.ID || (id == "" && !rq.Identity.Coach) {
		return p, nil
	}
	if id == "" {
		return Profile{}, refuse("activity_id", "names an activity that does not say whose it is")
	}
	ids, err := rq.reach(ctx, rq.own())
	if err != nil {
		return Profile{}, err
	}
	if !slices.Contains(ids, id) { // to the letter: 123 and i123 are two people (API.md 1.3)
		return Profile{}, refuse("activity_id", "names an activity of an athlete who is not within reach of this connection")
	}
	return rq.subject(ctx, id).wait(ctx)
}

// self is the connected athlete.
func (rq *Request) self(ctx context.Context) subject {
	return rq.subject(ctx, rq.own())
}

// gearNames maps gear ids to names, empty when gear cannot be read: a name is
// never worth failing an answer.
func gearNames(list []intervals.Gear) map[string]string {
	names := make(map[string]string, len(list))
	for _, g := range list {
		names[g.ID()] = g.Name()
	}
	return names
}

// startGear fetches an athlete's gear unless it is cached; fresh drops the
// cached list first.
func (rq *Request) startGear(ctx context.Context, athlete string, fresh bool) *future[[]intervals.Gear] {
	key := rq.Identity.User + "\x00" + athlete
	if fresh {
		rq.svc.gear.drop(key, nil)
	}
	return rq.svc.gear.start(ctx, rq.now(), key, func(ctx context.Context) ([]intervals.Gear, error) {
		return rq.Client.Gear(ctx, athlete)
	})
}
