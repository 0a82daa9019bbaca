// Package metrics writes what the alarms and the dashboard watch, as lines in
// CloudWatch's embedded metric format on standard output: calls, errors, the
// time Intervals.icu takes, and the two things that must not happen unseen - the
// log of changes could not be written, and a change was left without an outcome.
//
// Nobody's identity is a dimension: that would cost money and say who trains.
package metrics
