// Package repo checks the repository itself: which package may import which,
// what the shipped programs link and under which licences, that every package
// tells its story, and that no file depends on the machine it was written on.
//
// It has only tests. The rules are those of docs/decisions/001-rooms.md.
package repo
