// Package dynamo keeps plans that await their confirmation, and counts, in a
// DynamoDB table of their own.
//
//	pk          sk                        what
//	u#<user>    p#<handle>                a plan's head
//	u#<user>    part#<handle>#<n>         a part of the plan, compressed; at most 350 KB
//	r#<key>     <window>#<start>          a count of attempts: n
//
// A head carries item (the plan's description as JSON), parts and size (of the
// plan, compressed), rev (random, for each Keep), until (when it is gone, Unix
// nanoseconds), wrong (how many wrong summaries) and, once used, change. It is
// written last: parts without a head are nothing.
//
// expires is the table's time to live, in Unix seconds. It lags for days, so
// that until is what counts, in every condition and after every read.
//
// Use is one TransactWriteItems of this table's head and the audit table's. Every
// read is strongly consistent.
package dynamo
