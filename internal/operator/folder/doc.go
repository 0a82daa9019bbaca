// Package folder opens the data folder of a laptop for the operator's commands:
// one SQLite file and the token of serve.
package folder
