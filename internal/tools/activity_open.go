package tools

import (
	"context"

	"intervals-mcp/internal/intervals"
)

// activityParam names one activity.
var activityParam = Param{Name: "activity_id", Kind: ID, Required: true, Doc: "Activity, e.g. i55610271, from get_activities."}

// begin starts a request beside others.
func begin[V any](fetch func() (V, error)) *future[V] {
	f := &future[V]{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.value, f.err = fetch()
	}()
	return f
}

// opening is an activity on its way, and with it whose it is and with what
// gear: all asked at the same time, so that one round is enough.
type opening struct {
	id       string
	me       subject
	activity *future[intervals.Activity]
}

func (rq *Request) openActivity(ctx context.Context, id string) opening {
	return opening{id: id, me: rq.self(ctx), activity: begin(func() (intervals.Activity, error) {
		return rq.Client.Activity(ctx, id)
	})}
}

// wait gives the activity and its athlete, once it is sure that this athlete
// is within reach of the connection, without what they keep to themselves.
func (o opening) wait(ctx context.Context, rq *Request) (intervals.Activity, Profile, error) {
	a, err := o.activity.wait(ctx)
	if err != nil {
		return a, Profile{}, err
	}
	p, err := rq.owner(ctx, o.me, a)
	if err != nil {
		return intervals.Activity{}, p, err
	}
	private, err := rq.hidden(ctx, p)
	return intervals.Activity{Object: withoutPrivate(a.Object, private)}, p, err
}

// visible is wait for what belongs to an activity (laps, streams, messages):
// of one that Strava hides there is nothing to read.
func (o opening) visible(ctx context.Context, rq *Request) (intervals.Activity, Profile, error) {
	a, p, err := o.wait(ctx, rq)
	if err == nil && a.Hidden() {
		err = &intervals.Error{Op: "get activity", Kind: intervals.Hidden}
	}
	return a, p, err
}
