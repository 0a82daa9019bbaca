package secrets

import "errors"

// Kind is what can be wrong with a stored credential.
type Kind int

// The kinds of Error.
const (
	Missing     Kind = iota + 1 // nothing is stored for the user
	Empty                       // something is stored, and it holds no key
	Malformed                   // it is not what Put wrote
	Newer                       // a newer release wrote it
	Denied                      // the program may not read it
	Throttled                   // the store is too busy
	Unavailable                 // the store failed or cannot be reached
)

// String is a word for the log.
func (k Kind) String() string {
	switch k {
	case Missing:
		return "missing"
	case Empty:
		return "empty"
	case Malformed:
		return "malformed"
	case Newer:
		return "newer"
	case Denied:
		return "denied"
	case Throttled:
		return "throttled"
	}
	return "unavailable"
}

// Error is why a user's credential cannot be had.
type Error struct {
	Kind Kind
	Err  error // the cause, for the log; it never holds the value
}

// Error says what is wrong and what to do, in words for a person.
func (e *Error) Error() string {
	switch e.Kind {
	case Missing:
		return ErrNotFound.Error()
	case Empty:
		return "the secret stored for this user is empty. Give the Intervals.icu key again"
	case Malformed:
		return "the secret stored for this user is not in the form this program writes. Give the Intervals.icu key again"
	case Newer:
		return "the secret stored for this user was written by a newer release. Update this one (on AWS: sam build && sam deploy)"
	case Denied:
		return "this program may not read the user's secret. The operator must check the function's role and the secret's KMS key (intervals-mcp doctor)"
	case Throttled:
		return "the secret store is busy. Try again in a minute"
	}
	return "the secret store cannot be reached. Try again in a minute"
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes a missing credential an ErrNotFound.
func (e *Error) Is(target error) bool { return target == ErrNotFound && e.Kind == Missing }

// Passing reports whether the error says nothing about the credential itself,
// only that the store could not be asked just now.
func (e *Error) Passing() bool { return e.Kind == Throttled || e.Kind == Unavailable }

// KindOf gives the kind of an error, 0 when it is none of this package's.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}
