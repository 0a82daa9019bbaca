// Package audit is the log of changes: what was meant, by whom, and what came
// of it.
//
// A change is one head item (n = 0) and one item per object (n >= 1), written
// twice: as intent before the upstream call, as outcome after it. WriteIntent
// writes the objects first and the head last, so that objects without a head
// mean that nothing was applied; an intent without an outcome means "unknown,
// look upstream". Items are never updated or deleted here; they expire.
//
// The key of an item is u#<user> / <time>#<request>#<n>#intent|outcome. An ID,
// which a caller sees as change_id, holds time and request, so that the keys
// of a change follow from it without an index.
//
// Log is the interface; Memory keeps the log in the process. Suite, in package
// audittest, is what every implementation must do.
package audit
