package pages

import "time"

// Object is one thing that a change creates, updates or deletes.
type Object struct {
	Kind   string // what it is, in words: "workout", "wellness entry"
	ID     string
	Title  string // its name or day, may be empty
	Action string // create | update | delete
	Fields []Field
	Undo   string // "yes", "partly (why)", "no (why)"; "" = not said
	Status string // applied | failed | unknown | not_done; "" = not tried yet
}

// Field is one value before and after. "" = none. What has several lines or is
// long is shown as a difference of lines.
type Field struct {
	Label    string
	Old, New string
}

// Pending is a change that waits for the person.
type Pending struct {
	ID       string // the handle of the stored plan
	Client   string // who asked, untrusted
	Athlete  string // whom it concerns when it is not the person: name or id
	Summary  string
	Warnings []string
	Objects  []Object
	Asked    time.Time
	Expires  time.Time
}

// Changes lists the changes that wait for the person. Lists show differences
// as far as the page has room and link to the rest.
type Changes struct {
	Frame
	Pending []Pending
	Now     time.Time
}

func (p *Changes) about() about { return about{template: "changes", title: "Changes waiting"} }

// Change is one change that waits: where a link from the chat leads.
type Change struct {
	Frame
	Pending Pending
	From    int // the first object shown
	Now     time.Time
}

func (p *Change) about() about { return about{template: "change", title: "A change waits for you"} }

// Entry is one change in the history.
type Entry struct {
	ID       string // change id
	When     time.Time
	Client   string // who made it, untrusted
	By       string // another user who made it (a coach), "" = the person
	Athlete  string // whom it concerns when it is not the person
	Summary  string
	Status   string // applied | failed | unknown | unfinished
	Reason   string // why failed or unknown
	Warnings []string
	Objects  []Object
	CanUndo  bool
	Undid    string // the change that this one undid
	UndoneBy string // the change that undid this one
}

// History is the audit log.
type History struct {
	Frame
	Entries []Entry
	Older   string // address of the next page, "" = none
	Newest  string // address of the first page, "" = this is it
	Days    int    // how long entries stay
}

func (p *History) about() about { return about{template: "history", title: "History"} }

// HistoryEntry is one change with all of its differences.
type HistoryEntry struct {
	Frame
	Entry Entry
	From  int // the first object shown
}

func (p *HistoryEntry) about() about { return about{template: "entry", title: "One change"} }

// Verb is what a person did that led to an Outcome.
type Verb string

// The verbs.
const (
	Approved Verb = "approve"
	Dropped  Verb = "drop"
	Undone   Verb = "undo"
)

// Outcome is what came of approving, dropping or undoing a change.
type Outcome struct {
	Frame
	Verb     Verb
	Status   string // preview | applied | replayed | refused | failed | unknown | dropped
	ChangeID string
	Summary  string
	Reason   string
	Warnings []string
	Objects  []Object
	// Again is the fresh preview when the state changed in between or an undo
	// must be confirmed (Status preview).
	Again *Pending
	Now   time.Time
}

func (p *Outcome) about() about { return about{template: "outcome", title: "What was done"} }
