package pages

import (
	"time"

	"intervals-mcp/internal/secrets"
)

// Frame is what every page has around it. Embed it in each page.
type Frame struct {
	Origin  string  // of this server, such as https://mcp.example.com; https turns on HSTS
	Person  *Person // who is signed in, nil = nobody
	CSRF    string  // for the hidden field of every form
	Notice  Notice  // what the last request did, shown once at the top
	Waiting int     // changes waiting for the person, for the menu
	Zone    string  // the person's time zone, named under times; times come in it
}

// Person is who is signed in.
type Person struct {
	Name    string // as Intervals.icu knows it; may be empty
	Athlete string // athlete id
	Coach   bool
}

// Notice is one sentence about what was just done.
type Notice struct {
	Kind NoticeKind
	Text string
}

// NoticeKind is how a notice looks and whether it interrupts a screen reader.
type NoticeKind string

// The kinds of notice.
const (
	Done    NoticeKind = "done"
	Warning NoticeKind = "warning"
	Problem NoticeKind = "problem"
)

// Client is an application that asks for or has a connection.
type Client struct {
	Name string // as it calls itself: untrusted
	Host string // of the document that describes it; "" = it registered itself
	// Verified: the name stands in a document that the client publishes at Host,
	// or the operator registered it. Otherwise the name is only what it claims.
	Verified bool
}

// Permissions are what a connection or a token may do.
type Permissions struct {
	Write   bool   // false = read only
	Full    bool   // false = the core tools
	Confirm string // all | destructive | never | person
}

// Athlete is somebody a coach may choose for a connection.
type Athlete struct {
	ID, Name string
	Chosen   bool
}

// whoIsChosen says which of the choices of FieldWho a list comes to. some is
// said where that was chosen and is not finished.
func whoIsChosen(list []Athlete, some bool) string {
	n := 0
	for _, a := range list {
		if a.Chosen {
			n++
		}
	}
	switch {
	case some:
	case n == len(list):
		return WhoAll
	case n == 0:
		return WhoSelf
	}
	return WhoSome
}

// Page is one of this package's pages.
type Page interface {
	frame() *Frame
	// about gives the template's name, the title, and what the headers depend on.
	about() about
}

type about struct {
	template string
	title    string
	script   bool   // the copy buttons' script
	flow     bool   // a client waits for the answer, perhaps behind a popup
	returnTo string // the redirect address that a form may lead to
}

func (f *Frame) frame() *Frame { return f }

// Landing is `/`: what this is and how to connect each client.
type Landing struct {
	Frame
	MCPURL string // this server's own, such as https://mcp.example.com/mcp
	Local  bool   // it is reached on this computer only: web clients cannot
	Demo   bool   // it serves an invented athlete
}

func (p *Landing) about() about {
	return about{template: "landing", title: "Your training data, in your assistant", script: true}
}

// SignIn asks for the Intervals.icu key.
type SignIn struct {
	Frame
	Client       *Client // that waits behind an authorization request, nil = none
	Next         string  // sent back in the form
	Invitation   string  // an invitation's code that came along, "" = none
	IntervalsURL string  // where "Sign in with Intervals.icu" goes, "" = not offered
	Problem      SignInProblem
}

// SignInProblem is why a sign-in did not work. Refused stands for a wrong key
// and for an athlete who is not admitted alike (auth.md "Enrolling and signing in").
type SignInProblem string

// The problems of signing in.
const (
	SignInRefused     SignInProblem = "refused"
	SignInEmpty       SignInProblem = "empty"
	SignInThrottled   SignInProblem = "throttled"
	SignInUnreachable SignInProblem = "unreachable" // Intervals.icu did not answer
	SignInInvitation  SignInProblem = "invitation"  // the invitation is used, expired or unknown
	SignInCancelled   SignInProblem = "cancelled"   // "Sign in with Intervals.icu" was not finished
)

func (p *SignIn) about() about {
	return about{template: "signin", title: "Sign in", flow: p.Client != nil}
}

// Invite is `/invite/{code}`: an invitation, with the sign-in form below it.
type Invite struct {
	Frame
	Code         string    // "" = the invitation is not good: used, expired or unknown, all alike
	From         string    // who runs this server, as they call themselves; may be empty
	Expires      time.Time // zero = not said
	IntervalsURL string
	Problem      SignInProblem
}

func (p *Invite) about() about { return about{template: "invite", title: "You are invited"} }

// Consent asks whether a client may be connected, and with what.
type Consent struct {
	Frame
	Client   Client
	ReturnTo string      // the validated redirect address; the form may lead there
	Flow     string      // sent back in the form
	MayWrite bool        // whether the client may be given write at all
	Choice   Permissions // what is chosen at first
	Athletes []Athlete   // whom a coach may choose, empty = not a coach
	Some     bool        // the coach began to choose some of them
	Again    bool        // it is connected already: this replaces what it may do
	Problem  string      // what is missing in the answer that was sent
}

func (p *Consent) about() about {
	return about{template: "consent", title: "Connect " + Name(p.Client.Name), flow: true, returnTo: p.ReturnTo}
}

// Connection is one client that the person connected.
type Connection struct {
	ID     string
	Client Client
	Permissions
	Athletes []Athlete // whom it reaches beside the person, for a coach
	Created  time.Time
	LastUsed time.Time // zero = never
}

// Connections is `/account`.
type Connections struct {
	Frame
	Connections []Connection
	MCPURL      string
}

func (p *Connections) about() about { return about{template: "connections", title: "Connections"} }

// EditConnection changes what one connection may do.
type EditConnection struct {
	Frame
	Connection Connection
	MayWrite   bool
	Athletes   []Athlete // as on Consent
	Some       bool
	Problem    string
}

func (p *EditConnection) about() about {
	return about{template: "connection", title: "Change permissions of " + Name(p.Connection.Client.Name)}
}

// Token is a personal token, without the token itself.
type Token struct {
	ID, Label string
	Permissions
	Athletes []Athlete
	Created  time.Time
	Expires  time.Time // zero = no end
	LastUsed time.Time // zero = never
	Expired  bool
}

// Tokens lists personal tokens and makes new ones.
type Tokens struct {
	Frame
	Tokens  []Token
	From    int         // the first one shown, of many
	Fresh   *FreshToken // just made: the only time a token is shown
	Form    TokenForm
	MCPURL  string
	Problem string
}

// tokensPage is the part of the tokens that a page shows: as many as fit beside
// a coach's athletes.
func tokensPage(p *Tokens) (s struct {
	Tokens                         []Token
	First, Last, Total, Prev, Next int
	Whole                          bool
}) {
	from, n, fit := p.From, len(p.Tokens), 20
	if len(p.Form.Athletes) > 60 {
		fit = 5
	}
	if from < 0 || from >= n {
		from = 0
	}
	end := min(from+fit, n)
	s.Tokens, s.First, s.Last, s.Total, s.Whole = p.Tokens[from:end], from+1, end, n, end-from == n
	s.Prev, s.Next = -1, -1
	if from > 0 {
		s.Prev = max(from-fit, 0)
	}
	if end < n {
		s.Next = end
	}
	return s
}

// FreshToken is a token that was just made.
type FreshToken struct {
	Label string
	Value secrets.Secret
}

// TokenForm is what the form for a new token holds at first.
type TokenForm struct {
	Label string
	Days  int // 30, 90, 365 or 0 = no end
	Permissions
	Athletes []Athlete
	Some     bool
}

func (p *Tokens) about() about {
	return about{template: "tokens", title: "Personal tokens", script: true}
}

// Key is the stored Intervals.icu key: test, replace, forget.
type Key struct {
	Frame
	Stored  time.Time // zero = none is stored
	ByOAuth bool      // it is a sign-in with Intervals.icu, not a key
	Test    KeyTest   // of the last test
	Problem SignInProblem
}

// KeyTest is what testing the stored key gave.
type KeyTest string

// The results of a test.
const (
	KeyGood        KeyTest = "good"
	KeyRefused     KeyTest = "refused"
	KeyUnreachable KeyTest = "unreachable"
	KeyOther       KeyTest = "other" // the key given belongs to another athlete
)

func (p *Key) about() about { return about{template: "key", title: "Intervals.icu key"} }

// Mine is everything of the person that is stored here: download, delete.
type Mine struct {
	Frame
	Connections, Tokens int
	AuditDays           int  // how long entries of the history stay
	Problem             bool // the word was not typed
}

func (p *Mine) about() about { return about{template: "mine", title: "My data"} }

// Deleted says that everything of the person is gone.
type Deleted struct {
	Frame
	AuditDays int
}

func (p *Deleted) about() about { return about{template: "deleted", title: "Everything is deleted"} }
