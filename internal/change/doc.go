// Package change is the only road to a write (safety.md). A tool describes
// what is wanted as a Planner; the planner of that kind of object reads the
// present state and computes a Plan: each object, field by field, old and new,
// what is to be said about it, and whether it can be undone. An Engine then
// takes the plan down the road:
//
//	verify      nothing in it may carry the caller's credential; a create equal
//	            to one of the last ten minutes is answered "replayed"
//	intent      object items, then the head, into the audit log; if that fails
//	            the change is refused and nothing is sent
//	apply       one request per object, or one for many deletes; after a lost
//	            answer it looks before it says anything
//	read back   what the platform holds now is compared with what was meant
//	outcome     applied, failed or unknown, with the state after
//
// A Plan is plain data, so that it can be stored between a preview and its
// confirmation. Preview and confirmation come between verify and intent,
// roll-back after a failed apply; both have their place in Engine.Do.
//
// Nobody else may make an intervals.Writer; a test walks the module's imports
// and the Writer's methods to prove it.
package change
