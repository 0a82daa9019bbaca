// Package samlocal proves what a person without an AWS account is promised:
// `sam local invoke` answers every file of events/, and `sam local start-api`
// serves the whole endpoint, authorizer included.
//
// It has only tests, and they want Docker and the SAM CLI, so that they run by
// `make sam-local-check` alone; docker.sh starts a daemon where CI has none and
// makes the base image, for nothing but package registries may be in reach.
package samlocal
