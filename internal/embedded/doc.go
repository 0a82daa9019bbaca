// Package embedded keeps the stores of a laptop in one SQLite file: the audit
// log, users and tokens, users' Intervals.icu keys, and what lives for minutes
// (state). Tokens are stored as hashes, keys as they are: the file's mode guards
// them, and what is deleted is overwritten.
//
// The file is made readable by its owner only, is opened when first needed,
// and may be shared by several processes (desktop clients, operator commands):
// it runs in WAL mode and writers wait for each other. Programs under
// functions/ must not import this package, so that no Lambda carries SQLite.
package embedded
