package pages

import "net/http"

// Failure is an error page: what happened and what to do. It says nothing
// about who is enrolled and repeats nothing of the request.
type Failure struct {
	Frame
	Kind      FailureKind
	RequestID string // to find the request in the log, may be empty
	Back      string // a path of this server to go on with, "" = the landing page
}

// FailureKind is what went wrong.
type FailureKind string

// The kinds of failure, and the HTTP status that goes with each (Status).
const (
	BadRequest    FailureKind = "bad_request"
	FormExpired   FailureKind = "form_expired"   // CSRF token or authorization request too old, or another person's
	UnknownClient FailureKind = "unknown_client" // client_id names nobody
	BadReturn     FailureKind = "bad_return"     // redirect_uri is not the client's: nobody is sent there
	ClientGone    FailureKind = "client_gone"    // the client's document could not be fetched or is not in order
	Forbidden     FailureKind = "forbidden"
	NotFound      FailureKind = "not_found"
	ChangeGone    FailureKind = "change_gone" // a waiting change is used, dropped or over
	WrongMethod   FailureKind = "wrong_method"
	TooLarge      FailureKind = "too_large"
	Throttled     FailureKind = "throttled"
	Internal      FailureKind = "internal"
	Unavailable   FailureKind = "unavailable"
	Upstream      FailureKind = "upstream" // Intervals.icu does not answer
)

type failureText struct {
	status       int
	title        string
	what, toDo   string
	fromTheirApp bool // the way on leads through the application, not this site
}

var failures = map[FailureKind]failureText{
	BadRequest: {status: http.StatusBadRequest, title: "This request is not complete",
		what: "Something in the address or the form is missing or damaged.",
		toDo: "Go back and try again. If you followed a link, check that all of it was copied."},
	FormExpired: {status: http.StatusForbidden, title: "This form is too old",
		what: "The page was open for too long, or somebody signed in or out in the meantime. Nothing was changed.",
		toDo: "Open the page again and repeat what you wanted to do. If you were connecting an application, start there once more."},
	UnknownClient: {status: http.StatusBadRequest, title: "This application is not known here",
		what: "The application that sent you here has not introduced itself to this server, or its registration has expired.", fromTheirApp: true,
		toDo: "In the application, remove the connector and add it again."},
	BadReturn: {status: http.StatusBadRequest, title: "You were not sent on",
		what: "The application asks to be answered at an address that is not registered for it. That can be a mistake, and it can be an attempt to steal access, so nobody was sent there.", fromTheirApp: true,
		toDo: "Start again from the application itself, not from a link. If it happens again, do not connect it."},
	ClientGone: {status: http.StatusBadRequest, title: "The application could not be checked",
		what: "The address under which the application describes itself does not answer or is not in order.", fromTheirApp: true,
		toDo: "Wait a few minutes and start again from the application."},
	Forbidden: {status: http.StatusForbidden, title: "That is not allowed",
		what: "You are not allowed to do this, or you are signed in as somebody else than you think.",
		toDo: "Check who is signed in. If you think this is wrong, ask the person who runs this server."},
	NotFound: {status: http.StatusNotFound, title: "There is nothing here",
		what: "The address is wrong, or what stood here is gone.",
		toDo: "Check the address. The assistant's own address ends in /mcp and is not a page to open in a browser."},
	ChangeGone: {status: http.StatusNotFound, title: "This change no longer waits",
		what: "It was approved, dropped or changed already, or its ten minutes are over. An expired change is never made.",
		toDo: "Look in the history to see whether it was made. If it was not, ask the assistant to propose it again."},
	WrongMethod: {status: http.StatusMethodNotAllowed, title: "This address cannot be used like that",
		what: "The page that you sent has no place here.",
		toDo: "Open the account page and go on from there."},
	TooLarge: {status: http.StatusRequestEntityTooLarge, title: "That is too long",
		what: "More was sent than any form here has room for.",
		toDo: "Go back and shorten what you typed."},
	Throttled: {status: http.StatusTooManyRequests, title: "Too many attempts",
		what: "There were many attempts in a short time, so this server takes a break. It protects your key from being guessed.",
		toDo: "Wait fifteen minutes, then try again."},
	Internal: {status: http.StatusInternalServerError, title: "Something broke here",
		what: "This is a fault of this server, not yours.",
		toDo: "Try again in a moment. If you were approving or undoing a change, look in the history first to see whether it was made."},
	Unavailable: {status: http.StatusServiceUnavailable, title: "Not available at the moment",
		what: "This server cannot reach its own storage. Your data is safe.",
		toDo: "Try again in a minute. If you were approving or undoing a change, look in the history first to see whether it was made."},
	Upstream: {status: http.StatusServiceUnavailable, title: "Intervals.icu does not answer",
		what: "This server could not reach Intervals.icu.",
		toDo: "Try again in a few minutes. If you were approving or undoing a change, look in the history first to see whether it was made."},
}

func (k FailureKind) text() failureText {
	if t, ok := failures[k]; ok {
		return t
	}
	return failures[Internal]
}

// Status is the HTTP status of a kind of failure.
func (k FailureKind) Status() int { return k.text().status }

func (p *Failure) about() about {
	// A failure may be shown in the middle of a client's request.
	return about{template: "failure", title: p.Kind.text().title, flow: true}
}
