// Package fake is Intervals.icu in memory: the demo athlete's platform and the
// ground on which every other package is tested.
//
// It starts from a Dataset, which holds what athletes entered and recorded:
// either Demo's invented ones or one that Load reads from a file. New copies
// it into a Server, which is an http.Handler for /api/v1 and, by Transport, an
// http.RoundTripper without a socket. Writes change the state and later reads
// show them; nothing is ever saved.
//
// A request goes server.go (the clock, the body, one lock) -> auth.go (whose
// key, whom it reaches) -> routes.go (404, 405) -> a handler, which answers
// with a value that encode.go writes or with a refusal of errors.go, whose
// texts and shapes are those that the live platform was seen to use. The
// handlers are named after what they serve: activities.go, streams.go,
// messages.go, curve_routes.go, histograms.go, events.go, library.go,
// wellness.go, summaries.go, athlete.go, gear.go, customitems.go.
//
// What the platform computes is computed here as well: fitness and fatigue by
// day with the projection of what is planned (projection.go, fitness.go),
// planned load from workout text (planning.go, workout.go, plan.go), zones,
// intervals and averages from streams (derived.go, summary.go, zones.go,
// intervals.go), curves over many activities (curve_data.go, curves.go). A
// value that a data set gives wins over the computed one as long as what it
// follows from is unchanged. Derived things are cached and dropped by the
// write that makes them stale.
//
// The fake refuses what the platform refuses and is as dangerous as the
// platform is: a range delete without an end takes the whole future. Where the
// platform's behaviour is not known the choice is an Option or is told in a
// comment.
//
// Tests steer it by routes that only it has (control.go): POST /_fake/faults
// makes requests fail, hang or drop; GET /_fake/requests tells what was asked,
// without credentials; POST /_fake/clock moves the clock; POST /_fake/device
// touches an event as a watch would.
package fake
