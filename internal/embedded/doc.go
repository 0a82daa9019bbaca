// Package embedded keeps the stores of a laptop in one SQLite file: for now
// the audit log; identity, state and secrets will live there too.
//
// The file is made readable by its owner only, is opened when first needed,
// and may be shared by several processes (desktop clients, operator commands):
// it runs in WAL mode and writers wait for each other. Programs under
// functions/ must not import this package, so that no Lambda carries SQLite.
package embedded
