// Package change is the only road to a write (safety.md). A tool describes
// what is wanted as a Planner; the planner of that kind of object reads the
// present state and computes a Plan: each object, field by field, old and new,
// what is to be said about it, and whether it can be undone. An Engine then
// takes the plan down the road:
//
//	verify      nothing in it may carry the caller's credential; a create equal
//	            to one of the last ten minutes is answered "replayed"
//	preview     where the connection's setting asks for it, or the plan itself
//	            does: the plan waits in the state store, and the road ends here
//	            until it is confirmed within ten minutes
//	intent      object items, then the head, into the audit log; the head and
//	            the use of the confirmation are one write. If that fails the
//	            change is refused and nothing is sent
//	apply       one request per object, or one for many creates or deletes; after
//	            a lost answer it looks before it says anything
//	read back   what the platform holds now is compared with what was meant; a
//	            change of several objects that fails is taken back
//	outcome     applied, failed or unknown, with the state after
//
// Engine.Do goes it up to the preview or to the end, Confirm, Approve and
// Answered go on from a preview (confirm.go). They plan once more: where what
// matters has changed since, a fresh preview is the answer. A Plan is plain data,
// so that it can be stored in between, and so is its Planner.
//
// An Undo plans the reverse of changes of the log, so that it is a change like
// any other (undo.go). History and Detail read the log, and Resolve finds out what
// came of a change whose process died (orphan.go).
//
// Nobody else may make an intervals.Writer; a test walks the module's imports
// and the Writer's methods to prove it.
package change
