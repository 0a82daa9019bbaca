package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// defaultStreams are read when none are named.
const defaultStreams = "time,watts,heartrate,cadence,altitude,distance,velocity_smooth"

// defaultPoints keeps the usual answer under 700 tokens.
const defaultPoints = 20

var getActivityStreams = Tool{
	Name:  "get_activity_streams",
	Title: "Recorded samples of an activity",
	Description: "Recorded series of one activity (power, heart rate, cadence, altitude, speed ...): statistics and a short shape of each, over the whole or a window of seconds. " +
		"Pauses are gaps: an index is not a second. For laps use get_activity_intervals.",
	Params: []Param{
		activityParam,
		{Name: "stream_types", Kind: List, Items: String, MaxLen: 64, Schema: `{"type":"string","description":"Comma-separated. Default: ` + defaultStreams +
			`. Others: latlng, temp, torque, w_bal, core_temperature, skin_temperature, custom codes ..."}`},
		{Name: "from_s", Kind: Number, Max: 1e7, Doc: "Window start, seconds from the activity's start."},
		{Name: "to_s", Kind: Number, Max: 1e7, Doc: "Window end, seconds."},
		{Name: "max_points", Kind: Integer, Default: defaultPoints, Min: 1, Max: 2000, Doc: "Points of each shape."},
		cursorParam,
	},
	Result: []Out{{"activity_id", String, true}, {"streams", List, true}, {"samples", Integer, true}, {"from_s", Number, false}, {"to_s", Number, false},
		{"point_times_s", List, false}, {"point_width_s", Number, false}, {"gaps", List, false}, {"gap_count", Integer, false},
		{"not_available", List, false}, {"available", List, false},
		{"count", Integer, true}, {"remaining", Integer, false}, {"next_cursor", String, false}},
	Hints:   reads,
	Scope:   identity.ScopeRead,
	Toolset: identity.ToolsetCore,
	Failure: "Error fetching activity streams",
	run:     handle(activityStreams),
}

type streamsIn struct {
	ID     string   `json:"activity_id"`
	Types  []string `json:"stream_types"`
	From   *float64 `json:"from_s"`
	To     *float64 `json:"to_s"`
	Points int      `json:"max_points"`
	Cursor string   `json:"cursor"`
}

func activityStreams(ctx context.Context, rq *Request, in streamsIn) (streamList, error) {
	types, err := in.types()
	if err != nil {
		return streamList{}, err
	}
	args := fingerprint("streams", in.ID, types, deref(in.From), deref(in.To), in.Points)
	var at cursor
	if in.Cursor != "" {
		if at, err = readCursor(in.Cursor, args); err != nil {
			return streamList{}, err
		}
	}
	ask := types[slices.Index(types, at.After)+1:] // what earlier pages did not show
	if !slices.Contains(ask, "time") {
		ask = append(slices.Clone(ask), "time") // when each sample was taken
	}
	opened := rq.openActivity(ctx, in.ID)
	list := begin(func() ([]intervals.Stream, error) { return rq.Client.Streams(ctx, in.ID, ask) })
	a, p, err := opened.visible(ctx, rq)
	if err != nil {
		return streamList{}, err
	}
	streams, err := list.wait(ctx)
	if known := a.Texts("stream_types"); intervals.KindOf(err) == intervals.Invalid && len(known) > 0 {
		// The platform refuses some types it does not have: ask for the others.
		ask = slices.DeleteFunc(slices.Clone(ask), func(t string) bool { return !slices.Contains(known, t) })
		streams, err = nil, nil
		if len(ask) > 0 {
			streams, err = rq.Client.Streams(ctx, in.ID, ask)
		}
	}
	if err != nil {
		return streamList{}, err
	}
	r := recordingOf(streams, a, p.voice(a.Type()))
	if err := r.window(in.From, in.To); err != nil {
		return streamList{}, err
	}
	return r.list(in, types, at.After, args), nil
}

// types gives the streams that were asked for, checked and once each.
func (in streamsIn) types() ([]string, error) {
	names := in.Types
	if len(names) == 0 {
		names = strings.Split(defaultStreams, ",")
	}
	var out []string
	var problems Problems
	for _, name := range names {
		name = strings.TrimSpace(name)
		if intervals.CheckID("", name) != nil {
			problems = append(problems, Problem{Arg: "stream_types", Message: fmt.Sprintf("holds %s, which is no name of a stream", Quote(name, 30))})
		} else if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) > 40 {
		problems = append(problems, Problem{Arg: "stream_types", Message: "names more than 40 streams"})
	}
	if in.From != nil && in.To != nil && *in.From > *in.To {
		problems = append(problems, Problem{Arg: "from_s", Message: fmt.Sprintf("%v is after to_s %v", *in.From, *in.To), Next: "swap them or leave one out"})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return out, nil
}

func deref(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

// recording is an activity's streams side by side, and the window of them
// that is shown.
type recording struct {
	activity intervals.Activity
	v        voice
	streams  map[string]intervals.Stream
	clock    training.Clock
	timed    bool // there is a time stream
	n        int  // samples
	lo, hi   int
}

func recordingOf(streams []intervals.Stream, a intervals.Activity, v voice) *recording {
	r := &recording{activity: a, v: v, streams: make(map[string]intervals.Stream, len(streams))}
	for _, s := range streams {
		r.streams[s.Type] = s
		r.n = max(r.n, len(s.Data))
	}
	times := r.streams["time"].Data
	r.timed = len(times) > 0
	r.clock = training.NewClock(times, r.n)
	r.hi = r.n
	return r
}

// window narrows the recording to some seconds of it.
func (r *recording) window(from, to *float64) error {
	if r.n == 0 || (from == nil && to == nil) {
		return nil
	}
	a, b := 0.0, r.clock.Times[r.n-1]
	if from != nil {
		a = *from
	}
	if to != nil {
		b = *to
	}
	if end := r.clock.Times[r.n-1]; a > end {
		return Problems{{Arg: "from_s", Message: fmt.Sprintf("lies behind the end of the recording at %s s (%s)", round(end, 0), Duration(end))}}
	}
	r.lo, r.hi = r.clock.Between(a, b)
	if r.lo == r.hi {
		return Problems{{Arg: "from_s", Message: fmt.Sprintf("to to_s, %s to %s s, holds no sample: it lies in a pause", round(a, 0), round(b, 0)), Next: "widen the window"}}
	}
	return nil
}
