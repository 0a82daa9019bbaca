// Package statetest holds what every state.Store must do, as one test suite that
// each implementation runs.
package statetest
