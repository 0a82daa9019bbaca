// Package audittest holds what every audit.Log must do, as one test suite that
// each implementation runs.
package audittest
