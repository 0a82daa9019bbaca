// Command soak breaks the road of a change at random and compares what stands
// with what was said (make soak). Every run is made from its seed: a calendar,
// a few changes by two connections and a coach, and faults - of Intervals.icu,
// of the audit log and the state store, of the caller who goes away, of the
// process that dies between two steps, of a request that lands after its
// time-out, and of another process that does the same in the middle of it.
//
// After each change a judge reads the platform, the audit log and the answer.
// None may contradict another:
//
//	lost       what was not named by the change is gone or different
//	doubled    something stands twice
//	unaudited  a request that writes was sent before its intent was recorded
//	not done   the answer or the log says applied, and it is not
//	left       the answer or the log says refused, failed or taken back, and it stands
//
// world.go makes calendars and reads them, fault.go breaks things, op.go makes
// changes, judge.go compares; run.go tells a story, confirm.go the way from a
// preview on, weigh.go what is found and remembered; kill.go does it with
// processes that are killed.
package main
