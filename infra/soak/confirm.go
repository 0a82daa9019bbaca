package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"intervals-mcp/internal/change"
)

// confirming is one way from a preview on.
type confirming struct {
	u       *run
	a       actor
	c       change.Call
	o       *op
	p       *change.Result
	handle  string
	answers []answer
}

// confirm goes it, and gives the picture from before the write.
func (u *run) confirm(a actor, c change.Call, o *op, p *change.Result, before picture) ([]answer, picture, error) {
	w := &confirming{u: u, a: a, c: c, o: o, p: p, handle: p.Confirmation}
	if w.onlyPerson() {
		list, err := u.stores.state.Waiting(context.Background(), c.Identity.User)
		if err != nil || len(list) == 0 {
			return nil, nil, errors.Join(err, errors.New("a preview is not kept"))
		}
		w.handle = list[0].Handle
		w.refused("a model's confirmation of what only the person may approve", c, p.Summary)
	}
	over, err := w.meanwhile()
	if err != nil {
		return nil, nil, err
	}
	if over {
		return w.answers, before, nil
	}
	if before, err = u.camera.shoot(); err != nil {
		return nil, nil, err
	}
	w.use()
	return w.answers, before, nil
}

// onlyPerson says that the change is approved by the person or not at all.
func (w *confirming) onlyPerson() bool { return w.p.Confirmation == "" }

// yes says yes as it should be said.
func (w *confirming) yes(ctx context.Context, e *change.Engine) (*change.Result, error) {
	if w.onlyPerson() {
		return e.Approve(ctx, w.c, w.handle)
	}
	return e.Confirm(ctx, w.c, w.handle, strings.ToUpper(w.p.Summary)+"!")
}

// refused confirms in a way that must come to nothing.
func (w *confirming) refused(why string, c change.Call, summary string) {
	w.nothing(why, w.u.ask(w.a, func(ctx context.Context, e *change.Engine) (*change.Result, error) {
		return e.Confirm(ctx, c, w.handle, summary)
	}))
}

func (w *confirming) nothing(why string, got answer) {
	if got.res != nil && got.res.Status != change.RefusedNow || got.err != nil {
		w.u.contradiction("left", "%s was answered %s", why, says([]answer{got}))
	}
	w.answers = append(w.answers, got)
}

// meanwhile is what comes before the yes. over: nobody says yes any more.
func (w *confirming) meanwhile() (over bool, err error) {
	u := w.u
	switch u.r.IntN(12) {
	case 0:
		u.trace("   left alone")
		w.answers = append(w.answers, answer{res: &change.Result{Status: change.RefusedNow, Reason: "(left alone)"}})
		return true, nil
	case 1:
		other := w.c
		other.Identity.Connection = "somebody else's"
		w.refused("a confirmation of another connection", other, w.p.Summary)
		other = w.c
		other.Identity.User += "x"
		w.refused("a confirmation of another user", other, w.p.Summary)
	case 2:
		w.refused("a wrong summary", w.c, w.p.Summary+" and more")
	case 3, 4:
		return false, u.device(w.o)
	case 5:
		return false, u.meddle(w.o)
	case 6:
		u.now = u.now.Add(11 * time.Minute)
		w.nothing("a plan whose time is over", u.ask(w.a, w.yes))
		return true, nil
	}
	return false, nil
}

// use says yes, sometimes in two processes at the same instant, and sometimes
// once more.
func (w *confirming) use() {
	u := w.u
	u.b.twice = func() {
		b := actor{"twin of " + w.a.name, w.a.user, w.a.connection, w.a.key, w.a.coach, -w.a.skew}
		u.trace("   at the same instant:")
		w.answers = append(w.answers, u.ask(b, w.yes))
	}
	u.now = u.now.Add(time.Duration(u.r.IntN(60)) * time.Second)
	got := u.ask(w.a, w.yes)
	u.b.twice = nil
	w.answers = append(w.answers, got)
	if u.r.IntN(3) == 0 {
		u.trace("   used again")
		again := u.ask(w.a, w.yes)
		if again.res != nil && again.res.Status == change.Applied && got.applied() {
			u.contradiction("doubled", "a confirmation was used twice")
		}
		w.answers = append(w.answers, again)
	}
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
